/* SPDX-License-Identifier: MIT */
/* Benches of an OpenMP worker through their hooks, on the runtime the program is linked with. */
#ifndef AM_TESTS_OMP_FIXTURE_H
#define AM_TESTS_OMP_FIXTURE_H

#include "bench/omp/runtime.h"
#include "bench_fixture.h"

#include <omp.h>

enum { OX_CPUS = 2, OX_WORDS = 256 };

/* CPUs 0 and 1, or one of them: their number counts, since the runtime places the threads. */
static inline struct am_ctx ox_context(void)
{
    static const int cpus[OX_CPUS] = {0, 1};
    static struct am_clock clock;
    const int procs = omp_get_num_procs(); /* the first thread itself is bound already */

    am_clock_init(&clock);
    return (struct am_ctx){
        .cpus = cpus, .cpu_count = procs < OX_CPUS ? (size_t)procs : OX_CPUS, .clock = &clock};
}

/* A visit as a worker makes it: run, verify, run longer, verify again. `own` are the values of the
 * bench's own axes. */
static inline enum am_status ox_visit(const struct am_bench *b, const char *own, int threads,
                                      const struct am_ctx *ctx, struct am_batch *batch,
                                      struct am_err *err)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    char words[OX_WORDS];
    double residual = 0;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    (void)snprintf(words, sizeof(words), "%s %s %d close cores default", own, am_omp_runtimes[0],
                   threads);
    bx_point(b, words, point);
    s = b->prepare(state, ctx, point, &work, err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 9; iters += 8) {
        s = b->run_timed(state, iters, batch, err);
        if (s == AM_OK)
            s = b->verify(state, &residual, err);
    }
    b->finish(state);
    free(state);
    return s;
}

/* Metric of a batch by its name; NAN when the bench has none of that name. */
static inline double ox_value(const struct am_bench *b, const struct am_batch *batch,
                              const char *name)
{
    for (size_t i = 0; b->metrics[i].name; i++) {
        if (strcmp(b->metrics[i].name, name) == 0)
            return batch->values[i];
    }
    return NAN;
}

static inline bool ox_all_finite(const struct am_bench *b, const struct am_batch *batch)
{
    bool finite = true;

    for (size_t i = 0; b->metrics[i].name; i++)
        finite = finite && isfinite(batch->values[i]);
    return finite;
}

/* A point that must be refused with a story in which `reason` stands. */
static inline void ox_refuses(const struct am_bench *b, const char *own, int threads,
                              const struct am_ctx *ctx, const char *reason)
{
    struct am_batch batch = {0};
    struct am_err err = {0};

    ok(ox_visit(b, own, threads, ctx, &batch, &err) == AM_E_ABSENT && strstr(err.text, reason),
       "%s %s of %d is refused: %s", b->name, own, threads, err.text);
}

#endif
