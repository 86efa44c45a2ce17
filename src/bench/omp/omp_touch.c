/* SPDX-License-Identifier: MIT */
/* omp.touch: who touches memory first, and what that costs then and later.
 *
 * A page comes to be when it is first written, by the thread that writes it: on machines with
 * several memory nodes it lies where that thread runs. A program that fills its arrays on one
 * thread pays for all page faults in a row, and its team then works on the memory of one node. Here
 * an array is mapped, touched by one thread or by the team, and then summed by the team in the same
 * parts. An iteration is one array, so that every touch is a first one. */
#include "bench/omp/runtime.h"

#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum axis_index { BY, SIZE, COMMON };
enum metric_index { TOUCH, PER_PAGE, USE, USE_RATE };

static const int64_t bytes_max = INT64_C(1) << 36;

struct touching {
    struct am_omp omp;
    bool team; /* all threads touch, each its own part */
    size_t bytes, page;
    double sum;      /* of what the team found */
    uint64_t arrays; /* since the last look at the sum */
};

static uint64_t now(const struct touching *t)
{
    return t->omp.clock->now_ns(t->omp.clock->self);
}

/* The first value of every page is 1. */
static void touch(const struct touching *t, double *values)
{
    const size_t pages = t->bytes / t->page, step = t->page / sizeof(*values);

    if (t->team) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < pages; i++)
            values[i * step] = 1;
    } else {
        for (size_t i = 0; i < pages; i++)
            values[i * step] = 1;
    }
}

static double add_up(const struct touching *t, const double *values)
{
    const size_t n = t->bytes / sizeof(*values);
    double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* One array from its mapping to its end; adds the two times, in ns. */
static enum am_status pass(struct touching *t, uint64_t *touch_ns, uint64_t *use_ns,
                           struct am_err *err)
{
    double *const values = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t t0, t1;

    if (values == MAP_FAILED)
        return am_fail(err, AM_E_SYS, "cannot map %zu bytes", t->bytes);
    t0 = now(t);
    touch(t, values);
    t1 = now(t);
    t->sum += add_up(t, values);
    *use_ns += now(t) - t1;
    *touch_ns += t1 - t0;
    t->arrays++;
    (void)munmap(values, t->bytes);
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct touching *const t = state;
    const double n = (double)iters, pages = (double)(t->bytes / t->page);
    uint64_t touch_ns = 0, use_ns = 0;

    for (uint64_t i = 0; i < iters; i++) {
        const enum am_status s = pass(t, &touch_ns, &use_ns, err);

        if (s != AM_OK)
            return s;
    }
    batch->elapsed_ns = touch_ns + use_ns;
    batch->values[TOUCH] = (double)touch_ns * 1e-9 / n;
    batch->values[PER_PAGE] = (double)touch_ns * 1e-9 / (n * pages);
    batch->values[USE] = (double)use_ns * 1e-9 / n;
    batch->values[USE_RATE] = n * (double)t->bytes / ((double)(use_ns ? use_ns : 1) * 1e-9);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct touching *const t = state;
    const int64_t bytes = point[SIZE].i;

    t->page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes < (int64_t)t->page || bytes > bytes_max || (uint64_t)bytes > ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "%lld bytes: from a page to the memory that may be used",
                       (long long)bytes);
    t->team = point[BY].i == 1;
    t->bytes = (size_t)bytes / t->page * t->page;
    work->ops = 1;
    work->bytes_read = (double)t->bytes;
    return am_omp_open(&t->omp, ctx, point + COMMON, err);
}

/* Every page of every array was touched once, and seen by the team. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct touching *const t = state;
    uint64_t touch_ns = 0, use_ns = 0;
    const enum am_status s = pass(t, &touch_ns, &use_ns, err);
    const double want = (double)(t->bytes / t->page) * (double)t->arrays;

    *residual = t->sum - want;
    if (s == AM_OK && (t->sum < want || t->sum > want))
        return am_fail(err, AM_E_WRONG, "the sum over %llu arrays is %g in place of %g",
                       (unsigned long long)t->arrays, t->sum, want);
    t->sum = 0;
    t->arrays = 0;
    return s;
}

static const char *const by[] = {"one", "team", NULL};

static const struct am_axis axes[] = {
    [BY] = {.name = "by",
            .kind = AM_AXIS_NAME,
            .dflt = "all",
            .choices = by,
            .help = "who writes every page first: the first thread, or each its own part"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .dflt = "64M",
              .quick = "16M",
              .help = "of the array"},
    AM_OMP_AXIS_ROWS(COMMON),
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {
    [TOUCH] = {"touch", "s", AM_LOWER, AM_RULE_OWN, "the first write to every page of the array"},
    [PER_PAGE] = {"per_page", "s", AM_LOWER, AM_RULE_OWN, "the same over the pages"},
    [USE] = {"use", "s", AM_LOWER, AM_RULE_OWN, "the team's sum over the array afterwards"},
    [USE_RATE] = {"use_rate", "B/s", AM_HIGHER, AM_RULE_OWN, "bytes that it reads per time"},
    {.name = NULL},
};

const struct am_bench am_bench_omp_touch = {
    .name = "omp.touch",
    .summary = "first touch of an array by one thread or by the team, and its use by the team",
    .version = 1,
    .target = 0.05,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct touching),
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
};
