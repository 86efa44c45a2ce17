/* SPDX-License-Identifier: MIT */
/* omp.target: what a target region and the mapping of an array cost, on the host or on a device.
 *
 * On the host a target region is the code of the program behind the runtime's decision where to run
 * it; nothing is copied. On a device a region is a launch, and arrays travel. A compiler that makes
 * no code for devices may leave the constructs out altogether: their cost is none then. Where a
 * region really ran is asked inside of it. */
#include "bench/omp/overhead.h"
#include "bench/omp/runtime.h"

#include <omp.h>
#include <stdlib.h>

enum axis_index { CONSTRUCT, PLACE, SIZE, COMMON };

enum { CHECKED = 10 /* repetitions under observation */ };
static const int64_t bytes_max = INT64_C(1) << 32;

struct target {
    struct am_omp omp;
    struct am_overhead overhead;
    double *values;
    size_t n;
    int device;
    bool teams;   /* every value is worked on, not the first alone */
    bool works;   /* constructs that only map do not */
    int off_host; /* regions under observation that ran elsewhere */
};

/* What no compiler sees through: values may have changed. */
static void touch(const double *values)
{
    __asm__ volatile("" ::"r"(values) : "memory");
}

/* ---- constructs ---- */

#if AM_OMP_FOREIGN
#define region NULL
#define region_nowait NULL
#define region_teams NULL
#define map_both NULL
#define update NULL
#else

static void region(void *self, uint64_t n)
{
    struct target *const t = self;
    double *const values = t->values;
    const size_t count = t->n;
    int elsewhere = 0;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp target device(t->device) map(tofrom : values [0:count], elsewhere)
        {
            values[0] += 1;
            elsewhere += !omp_is_initial_device();
        }
        touch(values);
    }
    t->off_host += elsewhere;
}

#if (defined(__clang__) && __clang_major__ < 16) || (defined(__GNUC__) && !defined(__clang__))
/* libomp 14 ends the program by an assertion on its helper threads; libgomp 12 uses memory of its
 * threads that it has freed, which MALLOC_PERTURB_ makes a crash of every run. */
#define region_nowait NULL
#else
static void region_nowait(void *self, uint64_t n)
{
    struct target *const t = self;
    double *const values = t->values;
    const size_t count = t->n;
    int elsewhere = 0;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp target nowait device(t->device) map(tofrom : values [0:count], elsewhere)
        {
            values[0] += 1;
            elsewhere += !omp_is_initial_device();
        }
#pragma omp taskwait
        touch(values);
    }
    t->off_host += elsewhere;
}
#endif

static void region_teams(void *self, uint64_t n)
{
    struct target *const t = self;
    double *const values = t->values;
    const size_t count = t->n;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp target teams distribute parallel for device(t->device) map(tofrom : values [0:count])
        for (size_t i = 0; i < count; i++)
            values[i] += 1;
        touch(values);
    }
}

static void map_both(void *self, uint64_t n)
{
    const struct target *const t = self;
    double *const values = t->values;
    const size_t count = t->n;

    (void)count;
    for (uint64_t j = 0; j < n; j++) {
#pragma omp target data device(t->device) map(tofrom : values [0:count])
        touch(values);
    }
}

/* The array is there all the while: it goes there and comes back. */
static void update(void *self, uint64_t n)
{
    const struct target *const t = self;
    double *const values = t->values;
    const size_t count = t->n;

    (void)count;
#pragma omp target data device(t->device) map(alloc : values [0:count])
    for (uint64_t j = 0; j < n; j++) {
#pragma omp target update device(t->device) to(values [0:count])
        touch(values);
#pragma omp target update device(t->device) from(values [0:count])
        touch(values);
    }
}

#endif

/* ---- references ---- */

static void add_one(void *self, uint64_t n)
{
    const struct target *const t = self;

    for (uint64_t j = 0; j < n; j++) {
        t->values[0] += 1;
        touch(t->values);
    }
}

/* One thread's share of all values. */
static void add_share(void *self, uint64_t n)
{
    const struct target *const t = self;
    const size_t share = t->n / (size_t)t->omp.threads;

    for (uint64_t j = 0; j < n; j++) {
        for (size_t i = 0; i < share; i++)
            t->values[i] += 1;
        touch(t->values);
    }
}

static void nothing(void *self, uint64_t n)
{
    const struct target *const t = self;

    for (uint64_t j = 0; j < n; j++)
        touch(t->values);
}

static const struct {
    const char *name;
    am_overhead_fn *construct, *reference;
    bool works, teams;
} rows[] = {
    {"region", region, add_one, true, false},       {"nowait", region_nowait, add_one, true, false},
    {"teams", region_teams, add_share, true, true}, {"data", map_both, nothing, false, false},
    {"update", update, nothing, false, false},
};
static const char *const constructs[] = {"region", "nowait", "teams", "data", "update", NULL};

/* ---- points ---- */

static const char *const places[] = {"host", "device", NULL};

static enum am_status choose_device(struct target *t, bool host, struct am_err *err)
{
    if (!host && omp_get_num_devices() < 1)
        return am_fail(err, AM_E_ABSENT,
                       "this runtime sees no device: it, or its compiler, is made without them");
    t->device = host ? omp_get_initial_device() : omp_get_default_device();
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct target *const t = state;
    const int64_t bytes = point[SIZE].i;
    enum am_status s;

    if (bytes < (int64_t)sizeof(*t->values) || bytes > bytes_max)
        return am_fail(err, AM_E_ABSENT, "%lld bytes: from %zu to %lld", (long long)bytes,
                       sizeof(*t->values), (long long)bytes_max);
    if (!rows[point[CONSTRUCT].i].construct)
        return am_fail(err, AM_E_ABSENT,
                       AM_OMP_FOREIGN ? "%s: this library has no target regions for gcc's code"
                                      : "%s breaks the runtime of this worker's compiler",
                       rows[point[CONSTRUCT].i].name);
    s = am_omp_open(&t->omp, ctx, point + COMMON, err);
    if (s == AM_OK)
        s = choose_device(t, point[PLACE].i == 0, err);
    if (s != AM_OK)
        return s;
    t->n = (size_t)bytes / sizeof(*t->values);
    t->values = calloc(t->n, sizeof(*t->values));
    if (!t->values)
        return am_fail(err, AM_E_NOMEM, "no memory for %lld bytes", (long long)bytes);
    t->works = rows[point[CONSTRUCT].i].works;
    t->teams = rows[point[CONSTRUCT].i].teams;
    t->overhead = (struct am_overhead){.construct = rows[point[CONSTRUCT].i].construct,
                                       .reference = rows[point[CONSTRUCT].i].reference,
                                       .units = 1};
    work->ops = 1;
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct target *const t = state;

    (void)err;
    am_overhead_run(&t->overhead, t, t->omp.clock, iters, batch, NULL);
    return AM_OK;
}

/* Every value has what the regions added, and regions ran where they were asked to. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct target *const t = state;
    const bool away = t->device != omp_get_initial_device();
    size_t wrong = 0;

    for (size_t i = 0; i < t->n; i++)
        t->values[i] = (double)i;
    t->off_host = 0;
    t->overhead.construct(t, CHECKED);
    for (size_t i = 0; i < t->n; i++) {
        const double added = t->works && (t->teams || i == 0) ? CHECKED : 0;

        wrong += t->values[i] < (double)i + added || t->values[i] > (double)i + added;
    }
    *residual = (double)wrong;
    if (wrong)
        return am_fail(err, AM_E_WRONG, "%zu of %zu values are wrong", wrong, t->n);
    if (t->works && !t->teams && (t->off_host > 0) != away)
        return am_fail(err, AM_E_WRONG, "%d of %d regions ran elsewhere than on the host",
                       t->off_host, CHECKED);
    return AM_OK;
}

static void finish(void *state)
{
    struct target *const t = state;

    free(t->values);
}

static const struct am_axis axes[] = {
    [CONSTRUCT] = {.name = "construct",
                   .kind = AM_AXIS_NAME,
                   .dflt = "all",
                   .quick = "region,data",
                   .choices = constructs,
                   .help = "region: one thread adds to a mapped array; nowait: the same, then "
                           "taskwait; teams: all threads, all elements; data: mapping alone; "
                           "update: to there and back"},
    [PLACE] = {.name = "place",
               .kind = AM_AXIS_NAME,
               .dflt = "all",
               .choices = places,
               .help = "where regions run; device: the runtime's default one"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .dflt = "64,64K,4M",
              .quick = "64K",
              .help = "of the array that is mapped"},
    AM_OMP_AXIS_ROWS(COMMON),
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {AM_OVERHEAD_METRIC_ROWS, {.name = NULL}};

const struct am_bench am_bench_omp_target = {
    .name = "omp.target",
    .summary = "overhead of OpenMP's target regions and mappings, on the host or a device",
    .version = 1,
    .target = AM_OVERHEAD_TARGET,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .systematic = am_overhead_systematic,
    .state_size = sizeof(struct target),
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
