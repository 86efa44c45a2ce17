/* SPDX-License-Identifier: MIT */
/* Where cells went in a video: the tracks that points of the cell tracker recorded.
 *
 * Of each video the point that followed them through the most frames counts. What cannot be read is
 * passed over: a point without sound tracks has no scene. */
#ifndef AM_FAMILY_TRACKS_H
#define AM_FAMILY_TRACKS_H

#include "base/arena.h"
#include "evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_TRACK_VIDEOS_MAX = 4, AM_TRACK_CELLS_MAX = 512, AM_TRACK_PLACES_MAX = 32 };

struct am_track_place {
    double x, y;   /* px */
    double dx, dy; /* px, found less truth; NAN: not known */
};

/* One cell; two places at least. */
struct am_track {
    uint64_t cell;
    struct am_track_place places[AM_TRACK_PLACES_MAX];
    size_t n;
};

/* One video. */
struct am_track_scene {
    const char *video;
    double width, height; /* px */
    double cells, frames; /* that the point followed; tracks may be of fewer */
    struct am_track *tracks;
    size_t n;
};

struct am_track_scenes {
    struct am_track_scene scenes[AM_TRACK_VIDEOS_MAX];
    size_t n;
    size_t omitted; /* points of further videos */
};

/* False when the run has no tracks. */
bool am_tracks_read(const struct am_result_set *set, struct am_arena *arena,
                    struct am_track_scenes *out);

#endif
