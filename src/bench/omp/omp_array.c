/* SPDX-License-Identifier: MIT */
/* omp.array: what data-sharing clauses cost when they are applied to arrays. */
#include "bench/omp/array.h"
#include "bench/omp/delay.h"
#include "bench/omp/runtime.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { CLAUSE, ELEMENTS, COMMON };

enum metric_index {
    BEYOND = AM_OVERHEAD_METRICS,
    BEYOND_CYCLES,
    PLAIN,
};

enum {
    DELAY_CYCLES = 300, /* of the order of a parallel region */
    CHECK_REPS = 3,     /* what an earlier repetition left must not look right */
    LINES_BYTES = 128,  /* two lines: neighbours are fetched in pairs */
};

/* Who filled an array, besides the threads or iterations 0, 1, ... */
enum { ORIGINAL = 1000003, MADE_ONCE };

/* What was found by one thread, or about one iteration of a loop. */
struct record {
    _Alignas(LINES_BYTES) uint64_t bodies; /* the work was done */
    uint64_t seens;
    uint64_t wrong; /* elements */
};

/* A checked run of a clause. The job is the first member: hooks get from it to the rest. */
struct check {
    struct am_array_job job;
    size_t elements;
    uint64_t salt; /* another one each repetition */
    struct record *records;
};

struct array {
    struct am_omp omp;
    struct am_overhead overhead;
    struct am_array_job job;
    enum am_array_clause clause;
    const struct am_array_size *size;
    struct record *records; /* one per thread */
};

/* Hooks of a timed run. */

static void spend(struct am_array_job *job, size_t who, double *a)
{
    (void)who;
    am_delay(job->delay);
    a[0] += 1;
}

static void nothing(struct am_array_job *job, size_t who, double *a)
{
    (void)job;
    (void)who;
    (void)a;
}

/* Hooks of a checked run. */

/* Integers from 1 to 1024, scattered: sums are exact, and no displacement looks right. */
static double pattern(const struct check *c, size_t who, size_t i)
{
    const uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15 + (uint64_t)who * 0xc2b2ae3d27d4eb4f +
                       c->salt * 0x165667b19e3779f9;

    return (double)(((x ^ x >> 29) * 0xbf58476d1ce4e5b9) >> 54) + 1;
}

static void fill(const struct check *c, size_t who, double *a)
{
    for (size_t i = 0; i < c->elements; i++)
        a[i] = pattern(c, who, i);
}

static uint64_t count_wrong(const struct check *c, size_t who, const double *a)
{
    uint64_t wrong = 0;

    for (size_t i = 0; i < c->elements; i++) {
        const double want = pattern(c, who, i);

        wrong += memcmp(&a[i], &want, sizeof(want)) != 0;
    }
    return wrong;
}

static struct record *mine(const struct check *c)
{
    return &c->records[omp_get_thread_num()];
}

/* Own storage: nobody else's values turn up in it once all have written theirs. */
static void fill_own(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    fill(c, (size_t)omp_get_thread_num(), a);
    mine(c)->bodies++;
#pragma omp barrier
}

static void find_own(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    mine(c)->wrong += count_wrong(c, (size_t)omp_get_thread_num(), a);
    mine(c)->seens++;
}

static void find_original(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    mine(c)->wrong += count_wrong(c, ORIGINAL, a);
    mine(c)->bodies++;
}

static void find_original_fill_own(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    mine(c)->wrong += count_wrong(c, ORIGINAL, a);
    fill_own(job, who, a);
}

static void fill_iteration(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    fill(c, who, a);
    c->records[who].bodies++; /* one thread has this iteration */
}

static void fill_once(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    fill(c, MADE_ONCE, a);
    c->records[0].bodies++; /* one thread at a time: the construct says so */
}

static void find_once(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    mine(c)->wrong += count_wrong(c, MADE_ONCE, a);
    mine(c)->seens++;
}

/* Copies begin with the neutral element. */
static void add_own(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    for (size_t i = 0; i < c->elements; i++) {
        mine(c)->wrong += fpclassify(a[i]) != FP_ZERO;
        a[i] += pattern(c, (size_t)omp_get_thread_num(), i);
    }
    mine(c)->bodies++;
}

static void saw(struct am_array_job *job, size_t who, double *a)
{
    const struct check *const c = (const struct check *)(const void *)job;

    (void)who;
    (void)a;
    mine(c)->seens++;
}

/* Another salt for the next repetition. */
static void renew(struct check *c, double *original)
{
    c->salt++;
    fill(c, ORIGINAL, original);
}

static void left_untouched(struct am_array_job *job, size_t who, double *a)
{
    struct check *const c = (struct check *)(void *)job;

    (void)who;
    c->records[0].wrong += count_wrong(c, ORIGINAL, a);
    renew(c, a);
}

static void left_last(struct am_array_job *job, size_t who, double *a)
{
    struct check *const c = (struct check *)(void *)job;

    (void)who;
    c->records[0].wrong += count_wrong(c, job->threads - 1, a);
    renew(c, a);
}

static void left_sum(struct am_array_job *job, size_t who, double *a)
{
    struct check *const c = (struct check *)(void *)job;

    (void)who;
    for (size_t i = 0; i < c->elements; i++) {
        double want = pattern(c, ORIGINAL, i);

        for (size_t t = 0; t < job->threads; t++)
            want += pattern(c, t, i);
        c->records[0].wrong += memcmp(&a[i], &want, sizeof(want)) != 0;
    }
    renew(c, a);
}

static const char *const clauses[] = {
    [AM_ARRAY_PRIVATE] = "private",
    [AM_ARRAY_FIRSTPRIVATE] = "firstprivate",
    [AM_ARRAY_LASTPRIVATE] = "lastprivate",
    [AM_ARRAY_COPYIN] = "copyin",
    [AM_ARRAY_COPYPRIVATE] = "copyprivate",
    [AM_ARRAY_REDUCTION] = "reduction",
    [AM_ARRAY_CLAUSES] = NULL,
};

/* What each clause promises, as hooks that look whether it is kept. */
static const struct {
    am_array_hook *body, *seen, *left;
} promises[AM_ARRAY_CLAUSES] = {
    [AM_ARRAY_PRIVATE] = {fill_own, find_own, left_untouched},
    [AM_ARRAY_FIRSTPRIVATE] = {find_original_fill_own, find_own, left_untouched},
    [AM_ARRAY_LASTPRIVATE] = {fill_iteration, saw, left_last},
    [AM_ARRAY_COPYIN] = {find_original, saw, left_untouched},
    [AM_ARRAY_COPYPRIVATE] = {fill_once, find_once, left_untouched},
    [AM_ARRAY_REDUCTION] = {add_own, saw, left_sum},
};

/* Every thread did its share: a single does it once for all, a loop's iterations are numbered. */
static enum am_status check_counts(const struct array *x, struct am_err *err)
{
    uint64_t seens = 0;

    for (size_t t = 0; t < x->job.threads; t++) {
        const uint64_t want = x->clause == AM_ARRAY_COPYPRIVATE && t > 0 ? 0 : CHECK_REPS;

        if (x->records[t].bodies != want)
            return am_fail(err, AM_E_WRONG, "%s: %llu bodies of thread or iteration %zu, not %llu",
                           clauses[x->clause], (unsigned long long)x->records[t].bodies, t,
                           (unsigned long long)want);
        seens += x->records[t].seens;
    }
    if (seens != CHECK_REPS * x->job.threads)
        return am_fail(err, AM_E_WRONG, "%s: copies were looked at %llu times, not %llu",
                       clauses[x->clause], (unsigned long long)seens,
                       (unsigned long long)(CHECK_REPS * x->job.threads));
    return AM_OK;
}

/* Runs the clause under hooks that look at every element of every copy. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct array *const x = state;
    double *const original =
        x->clause == AM_ARRAY_COPYIN ? x->size->threadwise() : x->size->original;
    struct check c = {
        .job = {.body = promises[x->clause].body,
                .seen = promises[x->clause].seen,
                .left = promises[x->clause].left,
                .threads = x->job.threads},
        .elements = x->size->elements,
        .records = x->records,
    };
    uint64_t wrong = 0;

    memset(x->records, 0, x->job.threads * sizeof(*x->records));
    renew(&c, original);
    x->overhead.construct(&c.job, CHECK_REPS);
    for (size_t t = 0; t < x->job.threads; t++)
        wrong += x->records[t].wrong;
    *residual = (double)wrong;
    if (wrong)
        return am_fail(err, AM_E_WRONG, "%s: %llu elements are not what the clause promises",
                       clauses[x->clause], (unsigned long long)wrong);
    return check_counts(x, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct array *const x = state;
    enum am_status s;

    x->clause = (enum am_array_clause)point[CLAUSE].i;
    x->size = am_array_find(point[ELEMENTS].i);
    if (!x->size)
        return am_fail(err, AM_E_ABSENT,
                       "elements %lld: clauses take constant sizes, and compiled are 1, 3, 9, ..., "
                       "59049",
                       (long long)point[ELEMENTS].i);
    s = am_omp_open(&x->omp, ctx, point + COMMON, err);
    if (s != AM_OK)
        return s;
    x->job = (struct am_array_job){.body = spend,
                                   .seen = nothing,
                                   .left = nothing,
                                   .threads = (size_t)x->omp.threads,
                                   .delay = DELAY_CYCLES};
    x->overhead = (struct am_overhead){.construct = x->size->clauses[x->clause],
                                       .reference = am_array_serial,
                                       .beside = am_array_plain(x->clause),
                                       .units = 1};
    x->records = aligned_alloc(LINES_BYTES, x->job.threads * sizeof(*x->records));
    if (!x->records)
        return am_fail(err, AM_E_NOMEM, "records of %zu threads", x->job.threads);
    work->ops = 1;
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct array *const x = state;
    struct am_overhead_times t;

    (void)err;
    am_overhead_run(&x->overhead, &x->job, x->omp.clock, iters, batch, &t);
    batch->values[BEYOND] = t.construct - t.beside;
    batch->values[BEYOND_CYCLES] = (t.construct - t.beside) * t.hz;
    batch->values[PLAIN] = t.beside - t.reference;
    return AM_OK;
}

static void finish(void *state)
{
    free(((struct array *)state)->records);
}

static const struct am_axis axes[] = {
    [CLAUSE] = {.name = "clause",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = clauses,
                .help = "applied to an array of f64: of a parallel region, of its loop "
                        "(lastprivate), of a single in it (copyprivate)"},
    [ELEMENTS] = {.name = "elements",
                  .kind = AM_AXIS_INT,
                  .dflt = "1:59049:*9",
                  .quick = "1,729,59049",
                  .thorough = "1:59049:*3",
                  .help = "of the array: powers of three"},
    [COMMON + AM_OMP_RUNTIME] = AM_OMP_RUNTIME_AXIS,
    [COMMON + AM_OMP_THREADS] = {.name = "threads",
                                 .kind = AM_AXIS_INT,
                                 .dflt = "cpus",
                                 .thorough = "1:cpus",
                                 .help = "size of the team"},
    [COMMON + AM_OMP_BINDING] = AM_OMP_BINDING_AXIS,
    [COMMON + AM_OMP_PLACES] = AM_OMP_PLACES_AXIS,
    [COMMON + AM_OMP_WAIT] = AM_OMP_WAIT_AXIS,
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {
    AM_OVERHEAD_METRIC_ROWS,
    [BEYOND] = {"beyond_parallel", "s", AM_LOWER, AM_RULE_OWN,
                "time beyond the same construct without the clause, measured in turn with it"},
    [BEYOND_CYCLES] = {"beyond_parallel_cycles", "cycle", AM_LOWER, AM_RULE_OWN,
                       "the same by the core clock"},
    [PLAIN] = {"plain_overhead", "s", AM_LOWER, AM_RULE_OWN,
               "overhead of the construct without the clause"},
    {.name = NULL},
};

const struct am_bench am_bench_omp_array = {
    .name = "omp.array",
    .summary = "data-sharing clauses applied to arrays: overhead against size and threads",
    .version = 1,
    .target = AM_OVERHEAD_TARGET,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .systematic = am_overhead_systematic,
    .state_size = sizeof(struct array),
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
