/* SPDX-License-Identifier: MIT */
/* The stencil on executors: however many sub-domains and threads, the same bits. */
#ifndef AM_TESTS_STENCIL_FIXTURE_H
#define AM_TESTS_STENCIL_FIXTURE_H

#include "app/stencil/turns.h"
#include "bench_fixture.h"
#include "kernels/isa.h"

#include <stdio.h>

enum {
    SX_PAGE_BYTES = 4096,
    SX_THREADS_MAX = 16,
    SX_STEPS = 37,
    SX_DEPTH = 9,
    SX_POINTS_MAX = 2048
};

/* A stencil with its memory and blocks. */
struct sx_grid {
    struct am_stencil st;
    struct am_stencil_turns turns;
    void *memory;
};

static inline bool sx_open(struct sx_grid *g, const struct am_stencil_spec *spec, const double *x)
{
    struct am_err err = {0};
    size_t bytes;

    *g = (struct sx_grid){0};
    if (am_stencil_bytes(spec, &bytes, &err) != AM_OK)
        return false;
    g->memory = aligned_alloc(SX_PAGE_BYTES, bytes);
    memset(g->memory, 0xff, bytes); /* NaN: never a result */
    return am_stencil_init(&g->st, spec, g->memory, &err) == AM_OK &&
           am_stencil_turns_init(&g->turns, &g->st, SX_STEPS, x, &err) == AM_OK;
}

static inline void sx_close(struct sx_grid *g)
{
    am_stencil_turns_fini(&g->turns);
    free(g->memory);
}

/* Two iterations by blocks; an odd number of steps, so that arrays change places. */
static inline bool sx_run(const struct am_executor *kind, size_t threads,
                          const struct am_stencil_spec *spec, const double *x, double *got)
{
    int cpu = 0;
    struct am_executor_setup setup = {.threads = threads, .cpus = &cpu, .cpu_count = 1};
    struct am_err err = {0};
    struct sx_grid g;
    void *self = NULL;
    bool done = false;

    (void)bx_cpus(&cpu, 1);
    if (sx_open(&g, spec, x) && kind->open(kind, &setup, &self, &err) == AM_OK) {
        const struct am_blocks filling = am_stencil_filling(&g.turns);
        const struct am_blocks stepping = am_stencil_stepping(&g.turns);

        done = kind->prepare(self, &stepping, &err) == AM_OK;
        kind->run(self, &filling, 1);
        kind->run(self, &stepping, 2 * am_stencil_rounds(&g.turns));
        am_stencil_turns_settle(&g.turns);
        am_stencil_store(&g.st, got);
    }
    kind->close(self);
    sx_close(&g);
    return done;
}

static inline bool sx_reference(struct am_stencil_spec spec, const double *x, double *want)
{
    struct am_err err = {0};
    struct sx_grid g;
    bool done;

    spec.parts = 1;
    done = sx_open(&g, &spec, x) && am_stencil_load(&g.st, x, &err) == AM_OK;
    if (done) {
        am_stencil_run(&g.st, SX_STEPS);
        am_stencil_run(&g.st, SX_STEPS);
        am_stencil_store(&g.st, want);
    }
    sx_close(&g);
    return done;
}

/* With r = 1/4 all that rescaling multiplies by are powers of two: exact, whenever it is done. */
static inline void sx_check(const struct am_executor *kind, size_t threads, size_t parts, size_t n)
{
    static const enum am_stencil_method methods[] = {AM_STENCIL_BY_AUTO, AM_STENCIL_BY_PREFETCH,
                                                     AM_STENCIL_BY_SKEW, AM_STENCIL_BY_SLICE};
    double x[SX_POINTS_MAX], want[SX_POINTS_MAX], got[SX_POINTS_MAX];
    bool same = true;

    for (size_t i = 0; i < n; i++)
        x[i] = (double)(i * 2654435761 % 1000003) / 1000003;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]) * 2; i++) {
        const struct am_stencil_spec spec = {.kernels = am_stencil_find(am_isa_names[1]),
                                             .method = methods[i / 2],
                                             .form = i % 2 ? AM_STENCIL_scaled : AM_STENCIL_paper,
                                             .type = AM_STENCIL_F64,
                                             .n = n,
                                             .r = 0.25,
                                             .depth = SX_DEPTH,
                                             .width = 5,
                                             .parts = parts};

        memset(got, 0xff, sizeof(got));
        same = sx_reference(spec, x, want) && sx_run(kind, threads, &spec, x, got) &&
               memcmp(want, got, n * sizeof(*got)) == 0 && same;
    }
    ok(same, "%s: %zu threads, %zu sub-domains of %zu points: the bits of one thread", kind->name,
       threads, parts, n);
}

/* Threads 1 to 16, fewer points than that too. */
static inline void sx_check_all(const struct am_executor *kind)
{
    static const size_t points[] = {7, 480, 997, 1920};
    const bool serial = strcmp(kind->name, "serial") == 0;

    for (size_t parts = 1; parts <= SX_THREADS_MAX; parts++)
        sx_check(kind, serial ? 1 : parts, parts, points[parts % 4]);
}

#endif
