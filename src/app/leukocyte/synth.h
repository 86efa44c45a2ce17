/* SPDX-License-Identifier: MIT */
/* Synthetic videos of a vessel with bright cells that roll along it: pictures whose true places are
 * known, for tests and for machines without a video. */
#ifndef AM_APP_LEUKOCYTE_SYNTH_H
#define AM_APP_LEUKOCYTE_SYNTH_H

#include "app/leukocyte/image.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_SYNTH_WIDTH = 640, AM_SYNTH_HEIGHT = 480 };

struct am_synth_setup {
    size_t cells;  /* up to 50 */
    size_t frames; /* 1 to 100: cells stay in the picture for these */
    double speed;  /* pixels per frame of the fastest, 0 to 4; the slowest have a quarter of it */
    double noise;  /* standard deviation of grey values, 0 to 50 */
    uint64_t seed;
};

/* 36 cells, 10 frames, 2 px per frame, noise 3, seed 1. */
extern const struct am_synth_setup am_synth_defaults;

struct am_synth;

/* AM_E_USAGE for values out of range; AM_E_LIMIT when that many cells found no place. */
enum am_status am_synth_new(const struct am_synth_setup *setup, struct am_synth **synth_p,
                            struct am_err *err);
void am_synth_free(struct am_synth *synth); /* accepts NULL */

/* Frame t as AM_SYNTH_HEIGHT rows of AM_SYNTH_WIDTH pixels. Frames may be asked for in any order;
 * each has the same bytes whenever it is asked for. */
void am_synth_frame(const struct am_synth *synth, size_t t, uint8_t *pixels);
/* Centre and radius of a cell in frame t. */
struct am_centre am_synth_centre(const struct am_synth *synth, size_t t, size_t cell);
double am_synth_radius(const struct am_synth *synth, size_t cell);

#endif
