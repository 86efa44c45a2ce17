/* SPDX-License-Identifier: MIT */
/* The way of every cell of app.leukocyte as an attachment of the point, which reports draw. */
#ifndef AM_BENCH_APPS_LEUKOCYTE_TRACKS_H
#define AM_BENCH_APPS_LEUKOCYTE_TRACKS_H

#include "bench/apps/leukocyte_scene.h"
#include "core/bench/bench.h"

#include <stdbool.h>

/* Zero-initialise but for the context. */
struct am_leuko_tracks {
    const struct am_ctx *ctx;
    bool said; /* once per launch */
};

/* Attaches `tracks`: a line "640x480 px, 36 cells, 2 frames", then a line "CELL: PLACE PLACE ..."
 * per cell, where a place is x,y and, where the truth is known, how far x and y are off. The first
 * place is that of frame 0, the last that of the last frame, those between are evenly spread, 32 in
 * all at most. The first call attaches, others do nothing. Not for timed regions. */
void am_leuko_tracks_attach(struct am_leuko_tracks *told, const struct am_scene *scene);

#endif
