/* SPDX-License-Identifier: MIT */
/* Cells found in one frame: centres of circles along which the gradient is strong and even. The
 * score is GICOV, the gradient's mean over its deviation; a cell is where the score is beyond a
 * threshold and the strongest within a neighbourhood. Both steps are plain loops over rows, for any
 * executor. */
#ifndef AM_APP_LEUKOCYTE_DETECT_H
#define AM_APP_LEUKOCYTE_DETECT_H

#include "runtime/executor.h"
#include "app/leukocyte/image.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct am_detect_setup {
    size_t first, last; /* rows in which centres may lie */
    double threshold;   /* of |mean / deviation| of the gradient along a circle */
};

/* Rows 166 to 306, 1.8: the vessel of the video that is known from the Rodinia suite. */
extern const struct am_detect_setup am_detect_defaults;

/* A cell as found. Negative scores are bright cells, positive ones dark. */
struct am_detected {
    struct am_centre centre;
    double score;
};

struct am_detect; /* maps of one frame */

/* `frame` must live as long. Rows beyond the frame are none. */
enum am_status am_detect_new(const struct am_detect_setup *setup, struct am_image frame,
                             struct am_detect **detect_p, struct am_err *err);
void am_detect_free(struct am_detect *detect); /* accepts NULL */

/* Two plain loops over rows, the second after the first: scores, then which of them are cells. */
void am_detect_blocks(struct am_detect *detect, struct am_blocks *scores,
                      struct am_blocks *candidates);
/* After both: cells in rising rows, then columns; theirs as long as `detect` lives. AM_E_LIMIT when
 * there are more than AM_CELLS_MAX. */
enum am_status am_detect_found(struct am_detect *detect, const struct am_detected **found,
                               size_t *n, struct am_err *err);

/* All of it by an open executor. */
enum am_status am_detect_run(struct am_detect *detect, const struct am_executor *executor,
                             void *self, struct am_err *err);

enum { AM_CELLS_MAX = 512 }; /* of a frame */

#endif
