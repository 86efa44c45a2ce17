/* SPDX-License-Identifier: MIT */
/* Instructions handed out in order, no more of a kind per cycle than a core was seen to: rows of
 * one kind hold up all that stands behind them, whatever waits for units. */
#ifndef AM_MODEL_BLOCK_HANDING_H
#define AM_MODEL_BLOCK_HANDING_H

#include "model/block/bound.h"

/* Zero-initialise; `core` says how many (struct am_incore's `handed`). */
struct am_handing {
    const struct am_incore *core;
    double cycle;                 /* at hand */
    unsigned handed[AM_MIX_ROWS]; /* in it, by kind */
};

/* When the line is handed out, at this time or in the next cycle. Times never go back. */
double am_handing_out(struct am_handing *h, const struct am_predicted_line *line, double at);

#endif
