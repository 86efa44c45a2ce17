/* SPDX-License-Identifier: MIT */
/* Blocks of waves on near rows. */
#ifndef AM_BENCH_APPS_NEAR_WAVE_NEAR_H
#define AM_BENCH_APPS_NEAR_WAVE_NEAR_H

#include "bench/apps/near/stencil_near.h"

/* As am_stencil_parts_measure(), of waves. The grid is left alone: a block has memory of its own.
 */
void am_wave_parts_measure(const struct am_stencil_grid *grid, size_t steps,
                           const struct am_clock *clock, struct am_stencil_parts *parts);

#endif
