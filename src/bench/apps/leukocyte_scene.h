/* SPDX-License-Identifier: MIT */
/* What app.leukocyte tracks: frames in memory, where cells begin, and where they must end. */
#ifndef AM_BENCH_APPS_LEUKOCYTE_SCENE_H
#define AM_BENCH_APPS_LEUKOCYTE_SCENE_H

#include "app/leukocyte/image.h"
#include "base/status.h"
#include "kernels/mgvf.h"

#include <stddef.h>
#include <stdint.h>

enum {
    AM_SCENE_CHECKED = 2, /* cells that the plain reference follows, too */
    AM_SCENE_FRAMES_MAX = 99,
    AM_SCENE_CELLS_MAX = 256,
};

#define AM_SCENE_SYNTHETIC "synthetic"

struct am_scene_setup {
    const char *video;                /* AM_SCENE_SYNTHETIC, or a file */
    size_t cells;                     /* 0: all there are */
    size_t frames;                    /* that cells are followed into, behind the first */
    enum am_mgvf_heaviside heaviside; /* of the reference */
    uint64_t bytes_max;
};

/* Zero-initialise. */
struct am_scene {
    size_t width, height, cells, frames;
    uint8_t *pixels;         /* frames + 1 pictures */
    struct am_centre *start; /* one per cell */
    /* Of cell i in frame t at [t * cells + i]: where it is (NULL: not known), and where it was
     * found in the latest iteration, which those who track write; frame 0 is the start. */
    struct am_centre *truth, *found;
    /* Where the reference ends with some of the cells. */
    struct am_centre reference[AM_SCENE_CHECKED];
};

/* A synthetic video is the same for every launch: times depend on what is seen. A file's cells are
 * detected; one of a single frame is shifted by 2 px per frame. AM_E_ABSENT when it has fewer cells
 * or frames, or is too large. */
enum am_status am_scene_open(struct am_scene *scene, const struct am_scene_setup *setup,
                             struct am_err *err);
void am_scene_close(struct am_scene *scene); /* accepts a half-built one */

const uint8_t *am_scene_frame(const struct am_scene *scene, size_t t); /* 0 to frames */

/* Judges where all cells were found in the last frame: within 1 px of the truth, and those that the
 * reference followed within `tolerance` of it. The residual is the greatest distance to the
 * reference. */
enum am_status am_scene_check(const struct am_scene *scene, double tolerance, double *residual,
                              struct am_err *err);

#endif
