/* SPDX-License-Identifier: MIT */
/* Whether tracks are to be believed: a second look at every cell after each frame.
 *
 * A contour always comes to rest somewhere. The second look finds the cell again by other means: by
 * its own picture of frame 0 (cell_fit.h), near where its motion so far leads. Where the picture
 * does not show it (another cell covers it) or shows it far from there, motion alone says where it
 * must be, and the less so the longer that lasts. Either way there is a place with a standard
 * error. A track is believed while that makes it sure, by three standard errors, that the cell is
 * within AM_WATCH_TOLERANCE of the track, and no other cell is so near that the two could be
 * exchanged. A track that is not believed may be believed again. */
#ifndef AM_APP_LEUKOCYTE_CELL_WATCH_H
#define AM_APP_LEUKOCYTE_CELL_WATCH_H

#include "app/leukocyte/image.h"
#include "app/leukocyte/track.h"
#include "base/status.h"

#include <stddef.h>

#define AM_WATCH_TOLERANCE 2.0 /* px: what a track that is believed promises */

enum am_lost {
    AM_LOST_NOT,
    AM_LOST_APART,  /* the cell is seen, or must be, elsewhere */
    AM_LOST_DOUBT,  /* it is seen, maybe where the track is: too dimly to tell */
    AM_LOST_HIDDEN, /* another cell covers it, or could be taken for it */
    AM_LOST_FADED,  /* its picture is seen no more, and it was hidden by nobody */
    AM_LOST_GAP,    /* dark between bright cells, or bright between dark ones: no cell */
    AM_LOST_BESIDE, /* the contour touches the picture's border */
    AM_LOST_KINDS,
};
extern const char *const am_lost_reasons[AM_LOST_KINDS]; /* for sentences: "cell 3 (...)" */

/* Of one cell, after a frame. */
struct am_cell_watched {
    double confidence; /* probability that the cell is within AM_WATCH_TOLERANCE */
    enum am_lost lost;
    size_t since; /* frame since which it is lost */
    size_t other; /* AM_LOST_HIDDEN, AM_LOST_GAP: the cell beside it */
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
