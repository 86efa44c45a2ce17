/* SPDX-License-Identifier: MIT */
/* Counts of a wave's blocks, times what streams of loads and stores cost. */
#include "bench/apps/wave_bound.h"

#include "app/stencil/wave.h"
#include "kernels/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    L1_BYTES = 8 << 10, /* smaller than every first-level cache */
    NEAR_MAX = 4 << 20, /* of what is under way: larger probes take long */
    FAR_MAX = 64 << 20, /* likewise, of the grid */
    PROBE_BYTES = 4 << 20 /* that one try of a small array moves */,
    TRIES = 8, /* what disturbs a probe only makes it longer */
};

/* ---- counts ---- */

/* Rows of a block along y and, in three dimensions, planes: of the largest blocks, as they are most
 * of all. */
struct am_wave_needs am_wave_needs_of(const struct am_grid_spec *spec)
{
    const struct am_wave_variant *const waves = am_wave_find(spec->kernels->isa);
    const double lanes = waves->lanes[spec->type];
    const double element = spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    const double depth = (double)spec->depth, row = (double)spec->n[0] * element;
    const double strip = fmin((double)spec->tile[0], (double)spec->n[1]), vector = lanes * element;
    struct am_wave_needs needs = {.stores = 1};
    double around, under_way;

    if (spec->dim == 2) {
        around = 2 / strip; /* the rows above and below a block */
        needs.loads = 1 + around;
        needs.near_bytes = vector * needs.loads;
        needs.far_bytes = 2 * vector / depth;
        under_way = 2 * depth + strip;
    } else {
        const double planes = waves->planes, deep = waves->deep;

        needs.loads = 1 + 2 / planes + 2 / deep;
        /* rows beside a block may still be in the first-level cache, planes are not */
        needs.near_bytes = vector * (1 + 2 / planes);
        needs.far_bytes = 2 * vector / depth * (1 + 2 * depth / strip);
        under_way = (2 * depth + planes) * (strip + 2);
    }
    needs.footprint = (size_t)(under_way * row);
    return needs;
}

/* ---- probes ---- */

/* Cycles per byte of a stream over an array, the least of several tries. */
static double stream_cycles(const char *isa, enum am_stream_kernel kernel, double *array,
                            size_t bytes, const struct am_clock *clock)
{
    struct am_stream_args args = {.a = array,
                                  .b = array,
                                  .c = array,
                                  .s = 1,
                                  .n = bytes / sizeof(double),
                                  .passes = 1 + PROBE_BYTES / bytes};
    const double moved = (double)args.n * sizeof(double) * (double)args.passes;
    double best = INFINITY;

    for (int i = 0; i < TRIES; i++) {
        const double hz = am_clock_core_hz(clock);
        const uint64_t begin = clock->now_ns(clock->self);

        am_stream_find(isa)->fn[kernel][0](&args);
        best = fmin(best, (double)(clock->now_ns(clock->self) - begin) * 1e-9 * hz / moved);
    }
    return best;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum am_status am_wave_bound_measure(const struct am_grid_spec *spec, void *grid, size_t bytes,
                                     const struct am_clock *clock, struct am_wave_bound *bound,
                                     struct am_err *err)
{
    const struct am_wave_needs needs = am_wave_needs_of(spec);
    const char *const isa = spec->kernels->isa;
    const double element = spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    const double vector = spec->kernels->lanes[spec->type] * element;
    /* half of it: what just does not fit a cache is still there in part */
    const size_t near = least(needs.footprint / 2 + L1_BYTES, NEAR_MAX) / LINE_BYTES * LINE_BYTES;
    double *const memory = aligned_alloc(LINE_BYTES, near);

    if (!memory)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu bytes", near);
    memset(memory, 0, near);
    bound->loads =
        needs.loads * vector * stream_cycles(isa, AM_STREAM_read, memory, L1_BYTES, clock);
    bound->stores =
        needs.stores * vector * stream_cycles(isa, AM_STREAM_write, memory, L1_BYTES, clock);
    bound->near = needs.near_bytes * stream_cycles(isa, AM_STREAM_read, memory, near, clock);
    free(memory);
    bound->far =
        needs.far_bytes * stream_cycles(isa, AM_STREAM_read, grid, least(bytes, FAR_MAX), clock);
    return AM_OK;
}

/* ---- what follows ---- */

double am_wave_bound_least(const struct am_wave_bound *b)
{
    return fmax(fmax(fmax(b->units, b->loads), fmax(b->stores, b->near)), b->far);
}

double am_wave_bound_apart(const struct am_wave_bound *b)
{
    return fmax(b->units, fmax(b->loads, b->stores) + b->near + b->far);
}

const char *am_wave_bound_part(const struct am_wave_bound *b)
{
    const struct {
        double cycles;
        const char *name;
    } parts[] = {{b->units, "arithmetic units"},
                 {b->loads, "loads"},
                 {b->stores, "stores"},
                 {b->near, "caches"},
                 {b->far, "where the grid lies"}};
    size_t most = 0;

    for (size_t i = 1; i < sizeof(parts) / sizeof(*parts); i++) {
        if (parts[i].cycles > parts[most].cycles)
            most = i;
    }
    return parts[most].name;
}
