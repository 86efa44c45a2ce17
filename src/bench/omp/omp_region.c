/* SPDX-License-Identifier: MIT */
/* omp.region: a parallel region as programs meet it.
 *
 * The other benches repeat a construct as fast as it goes, on threads that are awake and have equal
 * work. Here every region is timed alone: after a serial gap during which the team may have fallen
 * asleep, with work that differs from thread to thread, with more threads than CPUs, with a team
 * that is made of teams or had another size before. Regions of one batch give a median and a tail,
 * since a program waits for the slowest of its regions as well.
 *
 * The reference is the work of the thread that has most of it, timed in the same batch on one
 * thread; with several threads per CPU, of all threads of a CPU. */
#include "bench/omp/check.h"
#include "bench/omp/delay.h"
#include "bench/omp/runtime.h"
#include "core/stats/stats.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { TEAM, GAP, WORK, IMBALANCE, CROWD, REGIONS, SPIN, COMMON };
enum metric_index { TIME, OVERHEAD, OVERHEAD_CYCLES, REFERENCE, P99, WORST, LOST, MEAN };

enum {
    GAP_US_MAX = 1000000,
    WORK_MAX = 100000000,
    CROWD_MAX = 16,
    REGIONS_MAX = 100000,
    CHECKED = 10,   /* regions under observation */
    OUTER = 2,      /* threads of the team that makes the nested ones */
    GAP_STEP = 200, /* cycles between two looks at the clock */
};

struct region {
    struct am_omp omp;
    struct am_omp_check check;
    void (*run)(struct region *r);
    void (*before)(struct region *r); /* ahead of the gap, not timed; NULL: nothing */
    uint64_t gap_ns;
    uint64_t *cycles;        /* work of each thread */
    uint64_t most, balanced; /* cycles of a CPU: with most work, and if all had the same */
    size_t regions;
    double *times; /* seconds of the regions of a batch */
};

static void work(struct region *r, int thread)
{
    am_delay(r->cycles[thread]);
    if (r->check.on)
        am_check_work(&r->check);
}

/* ---- teams ---- */

static void run_fixed(struct region *r)
{
#pragma omp parallel
    work(r, omp_get_thread_num());
}

static void run_nested(struct region *r)
{
    const int inner = r->omp.threads / OUTER;

#pragma omp parallel num_threads(OUTER)
    {
        const int first = omp_get_thread_num() * inner;

#pragma omp parallel num_threads(inner)
        work(r, first + omp_get_thread_num());
    }
}

static void run_half(struct region *r)
{
    (void)r;
#pragma omp parallel num_threads(r->omp.threads / 2)
    am_delay(GAP_STEP);
}

enum team { FIXED, RESIZED, NESTED, TEAMS };
static const struct {
    void (*run)(struct region *r);
    void (*before)(struct region *r);
    int least; /* threads */
} teams[TEAMS] = {
    [FIXED] = {run_fixed, NULL, 1},
    [RESIZED] = {run_fixed, run_half, 2},
    [NESTED] = {run_nested, NULL, 2 * OUTER},
};
static const char *const team_names[TEAMS + 1] = {
    [FIXED] = "fixed", [RESIZED] = "resized", [NESTED] = "nested"};

/* ---- a batch ---- */

static uint64_t now(const struct region *r)
{
    return r->omp.clock->now_ns(r->omp.clock->self);
}

static double seconds_since(const struct region *r, uint64_t t0)
{
    const uint64_t t = now(r) - t0;

    return (double)(t > r->omp.clock->overhead_ns ? t - r->omp.clock->overhead_ns : 0) * 1e-9;
}

/* A serial part of the program: the first thread works, the others wait as their runtime likes. */
static void pass_gap(const struct region *r)
{
    const uint64_t t0 = now(r);

    while (now(r) - t0 < r->gap_ns)
        am_delay(GAP_STEP);
}

/* The middle time of the most work of a CPU; its share of half of the batch. */
static double time_reference(struct region *r)
{
    const size_t n = (r->regions + 1) / 2;

    for (size_t i = 0; i < n; i++) {
        const uint64_t t0 = now(r);

        am_delay(r->most);
        r->times[i] = seconds_since(r, t0);
    }
    am_stats_sort(r->times, n);
    return am_stats_median(r->times, n);
}

static void time_regions(struct region *r)
{
    for (size_t i = 0; i < r->regions; i++) {
        uint64_t t0;

        if (r->before)
            r->before(r);
        pass_gap(r);
        t0 = now(r);
        r->run(r);
        r->times[i] = seconds_since(r, t0);
    }
}

/* Iterations are batches of regions. Half of the reference is timed before them, half behind. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct region *const r = state;
    double hz = 0.5 * am_clock_core_hz(r->omp.clock);
    double reference = 0.5 * time_reference(r), time, total = 0;

    (void)err;
    (void)iters; /* one by the descriptor */
    r->run(r);   /* the first of a batch finds a team that had nothing to do for long */
    time_regions(r);
    am_stats_sort(r->times, r->regions);
    time = am_stats_median(r->times, r->regions);
    for (size_t i = 0; i < r->regions; i++)
        total += r->times[i];
    batch->values[P99] = am_stats_quantile(r->times, r->regions, 0.99);
    batch->values[WORST] = r->times[r->regions - 1];
    reference += 0.5 * time_reference(r);
    hz += 0.5 * am_clock_core_hz(r->omp.clock);
    batch->elapsed_ns = (uint64_t)(total * 1e9);
    batch->values[TIME] = time;
    batch->values[OVERHEAD] = time - reference;
    batch->values[OVERHEAD_CYCLES] = (time - reference) * hz;
    batch->values[REFERENCE] = reference;
    batch->values[LOST] = time - (r->most ? reference * (double)r->balanced / (double)r->most : 0);
    batch->values[MEAN] = total / (double)r->regions - reference;
    return AM_OK;
}

/* ---- points ---- */

/* Work rises evenly from the first thread to the last: with 50 % from half of the mean to one and a
 * half of it. Threads that share a CPU are neighbours, as runtimes place them whether close or
 * spread; unbound ones the system may place otherwise. */
static void spread_work(struct region *r, uint64_t mean, double imbalance, int threads)
{
    const int team = r->omp.threads;

    for (int i = 0; i < team; i++) {
        const double place = team > 1 ? 2.0 * i / (team - 1) - 1 : 0;

        r->cycles[i] = (uint64_t)llround((double)mean * (1 + imbalance * place));
    }
    r->balanced = mean * (uint64_t)(team / threads);
    for (int cpu = 0; cpu < threads; cpu++) {
        uint64_t sum = 0;

        for (int i = cpu * (team / threads); i < (cpu + 1) * (team / threads); i++)
            sum += r->cycles[i];
        r->most = sum > r->most ? sum : r->most;
    }
}

static enum am_status check_range(const struct am_value *point, struct am_err *err)
{
    static const struct {
        enum axis_index axis;
        const char *name;
        int64_t least, most;
    } ranges[] = {
        {GAP, "gap", 0, GAP_US_MAX},          {WORK, "work", 0, WORK_MAX},
        {IMBALANCE, "imbalance", 0, 100},     {CROWD, "crowd", 1, CROWD_MAX},
        {REGIONS, "regions", 1, REGIONS_MAX},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
        const int64_t value = point[ranges[i].axis].i;

        if (value < ranges[i].least || value > ranges[i].most)
            return am_fail(err, AM_E_ABSENT, "%s=%lld: from %lld to %lld", ranges[i].name,
                           (long long)value, (long long)ranges[i].least, (long long)ranges[i].most);
    }
    return AM_OK;
}

static enum am_status check_team_shape(const struct region *r, const struct am_value *point,
                                       struct am_err *err)
{
    const int team = r->omp.threads, least = teams[point[TEAM].i].least;

    if (team < least)
        return am_fail(err, AM_E_ABSENT, "team=%s needs %d threads", team_names[point[TEAM].i],
                       least);
    if (point[TEAM].i == NESTED && team % OUTER)
        return am_fail(err, AM_E_ABSENT, "%d teams of %d threads cannot be equal", OUTER, team);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *stated, struct am_err *err)
{
    struct region *const r = state;
    enum am_status s = check_range(point, err);

    if (s == AM_OK)
        s = am_omp_open_crowd(&r->omp, ctx, point + COMMON, (int)point[CROWD].i, err);
    if (s == AM_OK)
        s = check_team_shape(r, point, err);
    if (s != AM_OK)
        return s;
    r->run = teams[point[TEAM].i].run;
    r->before = teams[point[TEAM].i].before;
    r->gap_ns = (uint64_t)point[GAP].i * 1000;
    r->regions = (size_t)point[REGIONS].i;
    r->cycles = calloc((size_t)r->omp.threads, sizeof(*r->cycles));
    r->times = calloc(r->regions, sizeof(*r->times));
    if (!r->cycles || !r->times)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu regions", r->regions);
    spread_work(r, (uint64_t)point[WORK].i, (double)point[IMBALANCE].i / 100,
                (int)point[COMMON + AM_OMP_THREADS].i);
    if (point[TEAM].i == NESTED)
        omp_set_max_active_levels(2);
    stated->ops = (double)r->regions;
    return AM_OK;
}

/* Every thread does its work once per region, and no region ends before. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct region *const r = state;
    const uint64_t team = (uint64_t)r->omp.threads;
    const struct am_check_promise promise = {.works = CHECKED * team};

    am_check_begin(&r->check);
    for (uint64_t i = 1; i <= CHECKED; i++) {
        r->run(r);
        am_check_joined(&r->check, i * team);
    }
    return am_check_end(&r->check, &promise, residual, err);
}

static void finish(void *state)
{
    struct region *const r = state;

    free(r->cycles);
    free(r->times);
}

/* ---- the descriptor ---- */

/* Here the runtime's own defaults are a choice among others: what a program gets that sets nothing,
 * and what a tuner begins with. */
static const char *const bindings[] = {"auto", "close", "spread", "none", NULL};
static const char *const binding_values[] = {NULL, "close", "spread", "false"};
static const char *const places[] = {"auto", "cores", "threads", "sockets", NULL};
static const char *const place_values[] = {NULL, "cores", "threads", "sockets"};
static const char *const waits[] = {"auto", "active", "passive", NULL};
static const char *const wait_values[] = {NULL, "active", "passive"};
static const char *const spins[] = {"auto", "none", "short", "long", "endless", NULL};

static const struct am_axis axes[] = {
    [TEAM] = {.name = "team",
              .kind = AM_AXIS_NAME,
              .dflt = "fixed",
              .thorough = "all",
              .choices = team_names,
              .help = "resized: half the team had a region before; nested: two threads make a "
                      "region each"},
    [GAP] = {.name = "gap",
             .kind = AM_AXIS_INT,
             .unit = "us",
             .dflt = "0,10,100,1000,10000",
             .quick = "0,1000",
             .key = AM_KEY_CLASS,
             .help = "serial time before each region"},
    [WORK] = {.name = "work",
              .kind = AM_AXIS_INT,
              .unit = "cycle",
              .dflt = "3000",
              .key = AM_KEY_CLASS,
              .help = "work of a thread in a region, in the mean"},
    [IMBALANCE] = {.name = "imbalance",
                   .kind = AM_AXIS_INT,
                   .unit = "%",
                   .dflt = "0",
                   .thorough = "0,10,50,100",
                   .help = "how much more than the mean the last thread works, and how much less "
                           "the first"},
    [CROWD] = {.name = "crowd",
               .kind = AM_AXIS_INT,
               .dflt = "1",
               .thorough = "1,2",
               .help = "threads per CPU; more than one: of all CPUs"},
    [REGIONS] = {.name = "regions",
                 .kind = AM_AXIS_INT,
                 .dflt = "100",
                 .key = AM_KEY_FREE,
                 .help = "regions of a batch, from which its tail is taken"},
    [SPIN] = {.name = "spin",
              .kind = AM_AXIS_NAME,
              .dflt = "auto",
              .choices = spins,
              .env = AM_OMP_SPIN_VARIABLE,
              .env_values = am_omp_spin_values,
              .tune = "none,short,long,endless",
              .help = "how long threads spin before they sleep (KMP_BLOCKTIME 0, 1, 200, infinite "
                      "ms; GOMP_SPINCOUNT 0, 10000, 30000000, infinite)"},
    [COMMON + AM_OMP_RUNTIME] = AM_OMP_RUNTIME_AXIS,
    [COMMON + AM_OMP_THREADS] = {.name = "threads",
                                 .kind = AM_AXIS_INT,
                                 .dflt = "cpus",
                                 .thorough = "1:cpus",
                                 .help = "size of the team, divided by crowd"},
    [COMMON +
        AM_OMP_BINDING] = {.name = "binding",
                           .kind = AM_AXIS_NAME,
                           .dflt = "auto",
                           .choices = bindings,
                           .env = "OMP_PROC_BIND",
                           .env_values = binding_values,
                           .tune = "close,spread,none",
                           .help = "how threads are bound to places; auto: the runtime's way"},
    [COMMON + AM_OMP_PLACES] = {.name = "places",
                                .kind = AM_AXIS_NAME,
                                .dflt = "auto",
                                .choices = places,
                                .env = "OMP_PLACES",
                                .env_values = place_values,
                                .help =
                                    "what a place is; auto: as the runtime likes. libgomp binds "
                                    "threads wherever places are stated"},
    [COMMON + AM_OMP_WAIT] = {.name = "wait",
                              .kind = AM_AXIS_NAME,
                              .dflt = "auto",
                              .choices = waits,
                              .env = "OMP_WAIT_POLICY",
                              .env_values = wait_values,
                              .tune = "active,passive",
                              .help = "how threads wait; auto: the runtime's way"},
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_OWN, "time of a region, the median of a batch"},
    [OVERHEAD] = {"overhead", "s", AM_LOWER, AM_RULE_OWN,
                  "the same beyond the work of the CPU that has most of it"},
    [OVERHEAD_CYCLES] = {"overhead_cycles", "cycle", AM_LOWER, AM_RULE_OWN,
                         "the same by the core clock measured around it"},
    [REFERENCE] = {"reference", "s", AM_LOWER, AM_RULE_OWN,
                   "that work on one thread, in the same batch"},
    [P99] = {"p99", "s", AM_LOWER, AM_RULE_OWN, "time that 99 % of a batch's regions keep below"},
    [WORST] = {"worst", "s", AM_LOWER, AM_RULE_OWN, "time of the slowest region of a batch"},
    [LOST] = {"lost", "s", AM_LOWER, AM_RULE_OWN,
              "time of a region beyond its work divided perfectly, imbalance included"},
    [MEAN] = {"overhead_mean", "s", AM_LOWER, AM_RULE_OWN,
              "overhead by the mean of a batch in place of its median: what a program pays per "
              "region, slow ones included"},
    {.name = NULL},
};

static const struct am_systematic systematic[] = {
    {.metric = "time", .pieces = 100},
    {.metric = "reference", .pieces = 100},
    {.metric = "overhead", .pieces = 100, .difference = "time"},
    {.metric = "overhead_cycles", .pieces = 100, .difference = "time"},
    {.metric = "lost", .pieces = 100, .difference = "time"},
    {.metric = "overhead_mean", .pieces = 100, .difference = "time"},
    {.metric = NULL},
};

const struct am_bench am_bench_omp_region = {
    .name = "omp.region",
    .summary = "a parallel region after a gap, with imbalance, crowded, nested; its tail",
    .version = 1,
    .target = 0.05,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = sizeof(struct region),
    .fixed_iters = 1,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
