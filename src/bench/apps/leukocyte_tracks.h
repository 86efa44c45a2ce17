/* SPDX-License-Identifier: MIT */
/* Where every cell of app.leukocyte went, as notes of the point, from which reports draw its track.
 */
#ifndef AM_BENCH_APPS_LEUKOCYTE_TRACKS_H
#define AM_BENCH_APPS_LEUKOCYTE_TRACKS_H

#include "bench/apps/leukocyte_scene.h"
#include "core/bench/bench.h"

#include <stdbool.h>

/* Zero-initialise but for the context. */
struct am_leuko_tracks {
    const struct am_ctx *ctx;
    bool said; /* once a launch */
};

/* Notes `tracks`, "640x480 px, 36 cells, 2 frames", and `tracks_0`, `tracks_1`, ...: "CELL: PLACE
 * PLACE ...; CELL: ...", where a place is x,y and, where the truth is known, how far x and y are
 * off. The first place is that of frame 0, the last that of the last frame, those between are as
 * many as there is room for, evenly spread. Cells beyond the room are left out. The first call
 * tells, others do nothing. Not for timed regions. */
void am_leuko_tracks_note(struct am_leuko_tracks *told, const struct am_scene *scene);

#endif
