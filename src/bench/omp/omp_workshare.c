/* SPDX-License-Identifier: MIT */
/* omp.workshare: WORKSHARE and PARALLEL WORKSHARE, the paper's rows that only Fortran has. */
#include "bench/omp/overhead.h"
#include "bench/omp/runtime.h"
#include "bench/omp/workshare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { CONSTRUCT, COMMON };

enum {
    CHECK_REPS = 5,  /* before the values meet at the fixed point, where all look alike */
    CHECK_PARTS = 3, /* elements per thread when checked: shared out, not one each by chance */
};

struct workshare {
    struct am_omp omp;
    struct am_overhead overhead;
    double *array; /* an element per thread, as in the paper; more when checked */
    double one;    /* of the reference */
};

static size_t checked_elements(const struct workshare *w)
{
    return CHECK_PARTS * (size_t)w->omp.threads + 1;
}

static void run_inside(void *self, uint64_t n)
{
    struct workshare *const w = self;

    am_workshare_inside(w->omp.threads, (int64_t)n, w->array);
}

static void run_parallel(void *self, uint64_t n)
{
    struct workshare *const w = self;

    am_workshare_parallel(w->omp.threads, (int64_t)n, w->array);
}

static void run_serial(void *self, uint64_t n)
{
    am_workshare_serial(1, (int64_t)n, &((struct workshare *)self)->one);
}

static const struct {
    am_overhead_fn *run;
    void (*on)(int64_t n, int64_t reps, double *a);
} constructs[] = {
    {run_inside, am_workshare_inside},
    {run_parallel, am_workshare_parallel},
};

static const char *const names[] = {"workshare", "parallel_workshare", NULL};

/* Far from each other, so that an element that was left out or done twice shows. */
static double start(size_t i)
{
    return 0.25 * (double)(i + 1);
}

/* Both sides are compiled from the same expression: bits agree. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct workshare *const w = state;
    const size_t n = checked_elements(w);
    size_t k = 0;

    *residual = 0;
    while (constructs[k].run != w->overhead.construct)
        k++;
    for (size_t i = 0; i < n; i++)
        w->array[i] = start(i);
    constructs[k].on((int64_t)n, CHECK_REPS, w->array);
    for (size_t i = 0; i < n; i++) {
        double want = start(i);

        am_workshare_serial(1, CHECK_REPS, &want);
        *residual = fmax(*residual, fabs(want - w->array[i]));
        if (memcmp(&want, &w->array[i], sizeof(want)) != 0)
            return am_fail(err, AM_E_WRONG, "%s: element %zu is %.17g, not %.17g", names[k], i,
                           w->array[i], want);
    }
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct workshare *const w = state;
    const enum am_status s = am_omp_open(&w->omp, ctx, point + COMMON, err);

    if (s != AM_OK)
        return s;
    w->array = calloc(checked_elements(w), sizeof(*w->array));
    if (!w->array)
        return am_fail(err, AM_E_NOMEM, "an array of %zu", checked_elements(w));
    w->overhead = (struct am_overhead){
        .construct = constructs[point[CONSTRUCT].i].run, .reference = run_serial, .units = 1};
    work->ops = 1;
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct workshare *const w = state;

    (void)err;
    am_overhead_run(&w->overhead, w, w->omp.clock, iters, batch, NULL);
    return AM_OK;
}

static void finish(void *state)
{
    free(((struct workshare *)state)->array);
}

static const struct am_axis axes[] = {
    [CONSTRUCT] = {.name = "construct",
                   .kind = AM_AXIS_NAME,
                   .dflt = "all",
                   .choices = names,
                   .help = "an array assignment shared out inside a region, or with its region"},
    AM_OMP_AXIS_ROWS(COMMON),
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {
    AM_OVERHEAD_METRIC_ROWS,
    {.name = NULL},
};

const struct am_bench am_bench_omp_workshare = {
    .name = "omp.workshare",
    .summary = "Fortran's WORKSHARE and PARALLEL WORKSHARE: an array assignment shared out",
    .version = 1,
    .target = AM_OVERHEAD_TARGET,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .systematic = am_overhead_systematic,
    .state_size = sizeof(struct workshare),
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
