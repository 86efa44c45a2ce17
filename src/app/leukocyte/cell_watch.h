/* SPDX-License-Identifier: MIT */
/* Whether tracks are to be believed: a look at every cell after each frame.
 *
 * A contour always comes to rest somewhere. Here the picture is asked again, without the flow: how
 * much of a contour lies on an edge like that of the cell it began with (confidence, 0 to 1),
 * whether the cell moved as it had been moving, whether it touches another track's. While outlines
 * touch nobody knows which edge is whose: both are lost, until they part with each of them where it
 * would be by its own motion; otherwise, and for every other reason, for good. Distances are
 * measured in the cells' own radii. */
#ifndef AM_APP_LEUKOCYTE_CELL_WATCH_H
#define AM_APP_LEUKOCYTE_CELL_WATCH_H

#include "app/leukocyte/image.h"
#include "app/leukocyte/track.h"
#include "base/status.h"

#include <stddef.h>

enum am_lost {
    AM_LOST_NOT,
    AM_LOST_TOUCHED, /* its outline touches another track's, or they parted and it was elsewhere */
    AM_LOST_GAP,     /* dark between bright cells, or bright between dark ones: no cell */
    AM_LOST_JUMPED,  /* it moved by far more or less than it had been moving */
    AM_LOST_FADED,   /* most of the contour lies on no edge like that of the cell */
    AM_LOST_BESIDE,  /* the contour touches the picture's border */
    AM_LOST_KINDS,
};
extern const char *const am_lost_reasons[AM_LOST_KINDS]; /* for sentences: "cell 3 (...)" */

/* Of one cell, after a frame. */
struct am_cell_watched {
    double confidence;
    enum am_lost lost;
    size_t since; /* frame in which it was lost */
    size_t other; /* AM_LOST_TOUCHED, AM_LOST_GAP: the cell beside it */
};

struct am_cell_watch;

enum am_status am_cell_watch_new(size_t n, struct am_cell_watch **watch_p, struct am_err *err);
void am_cell_watch_free(struct am_cell_watch *watch); /* accepts NULL */

/* Looks at the n cells in frame t; frames in order, from 0 on, which is the one that was detected
 * in. Returns the cells' outcome, the watch's own, until the next call. */
const struct am_cell_watched *am_cell_watch_frame(struct am_cell_watch *watch,
                                                  struct am_image frame, size_t t,
                                                  const struct am_leuko_cell *cells);

#endif
