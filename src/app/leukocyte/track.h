/* SPDX-License-Identifier: MIT */
/* White blood cells (leukocytes) followed from frame to frame.
 *
 * A block follows one cell into the frame that was shown last: the edges around its last place
 * (image.h), their motion gradient vector flow (mgvf.h), a contour that is moved in that field
 * (snake.h). Cells do not depend on each other. Inside of a block the rows of a field may be blocks
 * of a second level (am_mgvf_bands). The outcome is the same for any executor and any bands, bit by
 * bit. */
#ifndef AM_APP_LEUKOCYTE_TRACK_H
#define AM_APP_LEUKOCYTE_TRACK_H

#include "runtime/executor.h"
#include "app/leukocyte/image.h"
#include "app/leukocyte/mgvf.h"
#include "app/leukocyte/snake.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_TRACK_HISTORY = 10 }; /* frames whose mean y a cell is expected at */

struct am_leuko_cell {
    struct am_snake snake;
    double past_y[AM_TRACK_HISTORY]; /* frame t at t % AM_TRACK_HISTORY */
    size_t frames;                   /* places so far, the one it began with included */
    /* of the last frame */
    size_t mgvf_iterations, snake_steps;
    size_t updates; /* pixels times mgvf_iterations */
};

struct am_track_setup {
    struct am_mgvf_setup mgvf;
    struct am_snake_setup snake;
    /* Second level: rows of a cell. NULL: none. Must live as long as the tracker. */
    const struct am_mgvf_bands *bands;
};

/* am_mgvf_defaults, am_snake_defaults, no bands. */
extern const struct am_track_setup am_track_defaults;

struct am_tracker;

/* Cells at the n centres, circles of 10 px. Frames are width x height. */
enum am_status am_tracker_new(const struct am_track_setup *setup, size_t width, size_t height,
                              const struct am_centre *centres, size_t n,
                              struct am_tracker **tracker_p, struct am_err *err);
void am_tracker_free(struct am_tracker *tracker); /* accepts NULL */

/* Back to the centres it began with. */
void am_tracker_restart(struct am_tracker *tracker);

/* The next frame; its pixels must live until the blocks have run. */
void am_tracker_show(struct am_tracker *tracker, const uint8_t *pixels);
/* Block i follows cell i into the frame that was shown last. Each block once per frame. */
void am_tracker_blocks(struct am_tracker *tracker, struct am_blocks *blocks);

const struct am_leuko_cell *am_tracker_cells(const struct am_tracker *tracker, size_t *n);

/* ---- the parts of a block, for those who solve the field elsewhere (devices) ---- */

/* Where cell i is looked for in the frame that was shown last, and the edge map there: room for
 * AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX. */
struct am_window am_tracker_edges(const struct am_tracker *tracker, size_t cell, double *edge);
/* Takes the field of that edge map, which took so many iterations, and moves the contour. */
void am_tracker_follow(struct am_tracker *tracker, size_t cell, const struct am_window *window,
                       const double *field, size_t mgvf_iterations);

#endif
