/* SPDX-License-Identifier: MIT */
/* The overhead of a construct, measured in slices that alternate with its reference. */
#include "bench/omp/overhead.h"

#include "core/stats/stats.h"

#include <stdbool.h>

/* Slices of one batch. The middle one counts, so that an interrupt costs a slice and not the batch;
 * few, because the parallel region around a slice must not count. */
enum { SLICES = 5 };

const struct am_systematic am_overhead_systematic[] = {
    {.metric = "overhead", .pieces = SLICES, .difference = "time"},
    {.metric = "overhead_cycles", .pieces = SLICES, .difference = "time"},
    {.metric = "time", .pieces = SLICES},
    {.metric = "reference", .pieces = SLICES},
    {.metric = "thread_overhead", .pieces = SLICES, .difference = "time"},
    {.metric = "beyond_parallel", .pieces = SLICES, .difference = "time"},
    {.metric = "beyond_parallel_cycles", .pieces = SLICES, .difference = "time"},
    {.metric = "plain_overhead", .pieces = SLICES, .difference = "time"},
    {.metric = NULL},
};

/* The order within even slices; odd ones are mirrored, so that a drift falls on all alike. */
enum part { REFERENCE, CONSTRUCT, BESIDE, PARTS };

/* What the slices of a batch took. */
struct slices {
    size_t n;
    double each[PARTS][SLICES]; /* nanoseconds of an iteration */
    uint64_t construct_ns;      /* all of it */
};

static uint64_t time_slice(am_overhead_fn *fn, void *self, const struct am_clock *clock, uint64_t n)
{
    const uint64_t t0 = clock->now_ns(clock->self);
    uint64_t t;

    fn(self, n);
    t = clock->now_ns(clock->self) - t0;
    return t > clock->overhead_ns ? t - clock->overhead_ns : 0;
}

/* One more slice, n iterations of every part. */
static void add_slice(const struct am_overhead *o, void *self, const struct am_clock *clock,
                      uint64_t n, struct slices *slices)
{
    am_overhead_fn *const fns[PARTS] = {o->reference, o->construct, o->beside};
    const bool mirrored = slices->n % 2 == 1;

    for (size_t i = 0; i < PARTS; i++) {
        const size_t part = mirrored ? PARTS - 1 - i : i;
        uint64_t took;

        if (!fns[part])
            continue;
        if (part != REFERENCE)
            fns[part](self, 1); /* wakes threads that fell asleep during the reference */
        took = time_slice(fns[part], self, clock, n);
        slices->each[part][slices->n] = (double)took / (double)n;
        slices->construct_ns += part == CONSTRUCT ? took : 0;
    }
    slices->n++;
}

/* Seconds of a directive. */
static double middle(struct slices *slices, enum part part, double units)
{
    am_stats_sort(slices->each[part], slices->n);
    return am_stats_median(slices->each[part], slices->n) * 1e-9 / units;
}

void am_overhead_run(const struct am_overhead *o, void *self, const struct am_clock *clock,
                     uint64_t iters, struct am_batch *batch, struct am_overhead_times *times)
{
    const size_t n_slices = iters < SLICES ? (size_t)iters : SLICES;
    struct slices slices = {0};
    struct am_overhead_times t = {.hz = 0.5 * am_clock_core_hz(clock)};

    for (uint64_t left = iters; left;) {
        const uint64_t n = left / (n_slices - slices.n);

        add_slice(o, self, clock, n, &slices);
        left -= n;
    }
    t.hz += 0.5 * am_clock_core_hz(clock);
    t.reference = middle(&slices, REFERENCE, o->units);
    t.construct = middle(&slices, CONSTRUCT, o->units);
    t.beside = middle(&slices, BESIDE, o->units);
    batch->elapsed_ns = slices.construct_ns;
    batch->values[AM_OVERHEAD] = t.construct - t.reference;
    batch->values[AM_OVERHEAD_CYCLES] = (t.construct - t.reference) * t.hz;
    batch->values[AM_OVERHEAD_TIME] = t.construct;
    batch->values[AM_OVERHEAD_REFERENCE] = t.reference;
    if (times)
        *times = t;
}
