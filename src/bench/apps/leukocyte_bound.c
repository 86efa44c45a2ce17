/* SPDX-License-Identifier: MIT */
/* Bounds of an update: what units complete, and what a loop gets that only moves the same data. */
#include "bench/apps/leukocyte_bound.h"

#include "kernels/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES = 64,
    TRIES = 12, /* what disturbs a probe only makes it longer */
    ARRAYS = 3,
    LINE_BYTES = 64,
    LINE_DOUBLES = LINE_BYTES / sizeof(double),
};

static void measure_units(const char *isa, enum am_mgvf_type type, const struct am_clock *clock,
                          struct am_leuko_bound *bound)
{
    const enum am_flops_type element = type == AM_MGVF_F32 ? AM_FLOPS_F32 : AM_FLOPS_F64;
    unsigned sums = AM_MGVF_SUMS;
    struct am_ports ports;

    am_ports_measure(isa, element, clock, &ports);
    if (!ports.fuses)
        sums += AM_MGVF_FUSED;
    bound->extremes = am_ports_place_extremes(&ports);
    bound->units = am_ports_cycles_with(&ports, AM_MGVF_PRODUCTS, sums, AM_MGVF_EXTREMES) /
                   am_mgvf_find(isa)->lanes[type];
}

/* a = b + c over as many bytes as edge map and both fields have. */
static double cache_cycles(const char *isa, size_t doubles, double *memory,
                           const struct am_clock *clock)
{
    struct am_stream_args args = {.a = memory,
                                  .b = memory + doubles,
                                  .c = memory + 2 * doubles,
                                  .n = doubles,
                                  .passes = PASSES};
    double best = 0;

    for (int i = 0; i < TRIES; i++) {
        const double hz = am_clock_core_hz(clock);
        const uint64_t begin = clock->now_ns(clock->self);
        double cycles;

        am_stream_find(isa)->fn[AM_STREAM_add][0](&args);
        cycles = (double)(clock->now_ns(clock->self) - begin) * 1e-9 * hz / PASSES;
        if (i == 0 || cycles < best)
            best = cycles;
    }
    return best;
}

enum am_status am_leuko_bound_measure(const char *isa, enum am_mgvf_type type, size_t pixels,
                                      const struct am_clock *clock, struct am_leuko_bound *bound,
                                      struct am_err *err)
{
    const size_t bytes = pixels * (type == AM_MGVF_F32 ? sizeof(float) : sizeof(double));
    const size_t doubles = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_DOUBLES;
    double *const memory = aligned_alloc(LINE_BYTES, ARRAYS * doubles * sizeof(double));

    if (!memory)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu bytes", ARRAYS * bytes);
    memset(memory, 0, ARRAYS * doubles * sizeof(double));
    measure_units(isa, type, clock, bound);
    bound->cache = cache_cycles(isa, doubles, memory, clock) / (double)pixels;
    free(memory);
    return AM_OK;
}

const char *am_leuko_bound_extremes(const struct am_leuko_bound *bound)
{
    static const char *const words[] = {
        [AM_PORTS_EXTREMES_UNKNOWN] = "minimum and maximum on any unit",
        [AM_PORTS_EXTREMES_ON_ADDERS] = "minimum and maximum on the adders",
        [AM_PORTS_EXTREMES_APART] = "minimum and maximum beside the adders",
    };

    return words[bound->extremes];
}

double am_leuko_bound_cycles(const struct am_leuko_bound *bound)
{
    return fmax(bound->units, bound->cache);
}
