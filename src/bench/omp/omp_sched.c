/* SPDX-License-Identifier: MIT */
/* omp.sched: overhead of a loop's schedule. */
#include "bench/omp/check.h"
#include "bench/omp/delay.h"
#include "bench/omp/overhead.h"
#include "bench/omp/runtime.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { SCHEDULE, CHUNK, BODY, SHAPE, COMMON };

/* How the work of a loop is spread over its iterations; the mean is `body` for each. */
enum shape { EVEN, RAMP, RANDOM, SPIKES, SHAPES };
static const char *const shapes[SHAPES + 1] = {
    [EVEN] = "even", [RAMP] = "ramp", [RANDOM] = "random", [SPIKES] = "spikes"};

enum {
    ITERATIONS = 1024, /* of a loop, for each thread: the paper's number */
    CHECKED = 3,       /* loops under observation */
    BODY_MAX = 1000000,
    SPIKE_EVERY = 64, /* iterations of which one takes half of all the work */
};

struct sched {
    struct am_omp omp;
    uint32_t *cycles; /* of each iteration, all threads together */
    uint32_t
        *shared;    /* what one thread has of them when they are divided perfectly, in ITERATIONS */
    int chunk;      /* 0: none given */
    int iterations; /* of a loop, all threads together */
    int tasks;      /* for num_tasks */
    struct am_overhead overhead;
    struct am_omp_check check;
    unsigned char *hits; /* how often each iteration was done under observation */
};

static inline void body(struct sched *s, size_t i)
{
    am_delay(s->cycles[i]);
    if (s->check.on) {
        am_check_work(&s->check);
        s->hits[i]++;
    }
}

/* Behind loop j, from 0: its barrier lets nobody pass before all iterations are done. */
static void joined(struct sched *s, uint64_t j)
{
    if (s->check.on)
        am_check_joined(&s->check, (j + 1) * (uint64_t)s->iterations);
}

#define PRAGMA(text) _Pragma(#text)

/* One function a schedule: the clause must stand in the program, because `schedule(runtime)` would
 * take another way through the library. */
#define LOOP(name, clauses)                                                                        \
    static void name(void *self, uint64_t n)                                                       \
    {                                                                                              \
        struct sched *const s = self;                                                              \
        const int iterations = s->iterations, chunk = s->chunk;                                    \
                                                                                                   \
        (void)chunk;                                                                               \
        PRAGMA(omp parallel)                                                                       \
        for (uint64_t j = 0; j < n; j++) {                                                         \
            int end = iterations;                                                                  \
                                                                                                   \
            __asm__ volatile("" : "+r"(end)); /* or gcc divides the loop once for all of them */   \
            PRAGMA(omp for clauses)                                                                \
            for (int i = 0; i < end; i++)                                                          \
                body(s, (size_t)i);                                                                \
            joined(s, j);                                                                          \
        }                                                                                          \
    }

/* One thread makes the tasks of a loop; all of them run them at the barrier of `single`. */
#define TASKLOOP(name, clauses)                                                                    \
    static void name(void *self, uint64_t n)                                                       \
    {                                                                                              \
        struct sched *const s = self;                                                              \
        const uint64_t iterations = (uint64_t)s->iterations; /* as clang counts */                 \
        const int chunk = s->chunk, tasks = s->tasks;                                              \
                                                                                                   \
        (void)chunk, (void)tasks;                                                                  \
        PRAGMA(omp parallel)                                                                       \
        for (uint64_t j = 0; j < n; j++) {                                                         \
            PRAGMA(omp single)                                                                     \
            {                                                                                      \
                PRAGMA(omp taskloop clauses)                                                       \
                for (uint64_t i = 0; i < iterations; i++)                                          \
                    body(s, i);                                                                    \
            }                                                                                      \
            joined(s, j);                                                                          \
        }                                                                                          \
    }

LOOP(by_runtime, schedule(runtime))
LOOP(monotonic_static_plain, schedule(monotonic : static))
LOOP(monotonic_static_chunk, schedule(monotonic : static, chunk))
LOOP(static_plain, schedule(static))
LOOP(static_chunk, schedule(static, chunk))
LOOP(dynamic_plain, schedule(dynamic))
LOOP(dynamic_chunk, schedule(dynamic, chunk))
LOOP(guided_plain, schedule(guided))
LOOP(guided_chunk, schedule(guided, chunk))
LOOP(auto_plain, schedule(auto))
LOOP(monotonic_dynamic_plain, schedule(monotonic : dynamic))
LOOP(monotonic_dynamic_chunk, schedule(monotonic : dynamic, chunk))
LOOP(nonmonotonic_dynamic_plain, schedule(nonmonotonic : dynamic))
LOOP(nonmonotonic_dynamic_chunk, schedule(nonmonotonic : dynamic, chunk))
LOOP(monotonic_guided_plain, schedule(monotonic : guided))
LOOP(monotonic_guided_chunk, schedule(monotonic : guided, chunk))
LOOP(nonmonotonic_guided_plain, schedule(nonmonotonic : guided))
LOOP(nonmonotonic_guided_chunk, schedule(nonmonotonic : guided, chunk))
TASKLOOP(taskloop_plain, )
TASKLOOP(taskloop_grainsize, grainsize(chunk))
TASKLOOP(taskloop_num_tasks, num_tasks(tasks))

enum schedule {
    STATIC,
    DYNAMIC,
    GUIDED,
    AUTO,
    MONOTONIC_DYNAMIC,
    NONMONOTONIC_DYNAMIC,
    MONOTONIC_GUIDED,
    NONMONOTONIC_GUIDED,
    TASKLOOP_GRAINSIZE,
    TASKLOOP_NUM_TASKS,
    MONOTONIC_STATIC,
    RUNTIME_STATIC,
    RUNTIME_DYNAMIC,
    RUNTIME_GUIDED,
    SCHEDULES
};

static const char *const schedules[SCHEDULES + 1] = {
    [STATIC] = "static",
    [DYNAMIC] = "dynamic",
    [GUIDED] = "guided",
    [AUTO] = "auto",
    [MONOTONIC_DYNAMIC] = "monotonic_dynamic",
    [NONMONOTONIC_DYNAMIC] = "nonmonotonic_dynamic",
    [MONOTONIC_GUIDED] = "monotonic_guided",
    [NONMONOTONIC_GUIDED] = "nonmonotonic_guided",
    [TASKLOOP_GRAINSIZE] = "taskloop_grainsize",
    [TASKLOOP_NUM_TASKS] = "taskloop_num_tasks",
    [MONOTONIC_STATIC] = "monotonic_static",
    [RUNTIME_STATIC] = "runtime_static",
    [RUNTIME_DYNAMIC] = "runtime_dynamic",
    [RUNTIME_GUIDED] = "runtime_guided",
};

/* Without and with a chunk; NULL where OpenMP has no such thing. */
static const struct {
    am_overhead_fn *plain, *chunked;
    omp_sched_t kind; /* of schedule(runtime), told to the runtime; 0: in the clause */
} loops[SCHEDULES] = {
    [STATIC] = {static_plain, static_chunk, 0},
    [DYNAMIC] = {dynamic_plain, dynamic_chunk, 0},
    [GUIDED] = {guided_plain, guided_chunk, 0},
    [AUTO] = {auto_plain, NULL, 0},
    [MONOTONIC_DYNAMIC] = {monotonic_dynamic_plain, monotonic_dynamic_chunk, 0},
    [NONMONOTONIC_DYNAMIC] = {nonmonotonic_dynamic_plain, nonmonotonic_dynamic_chunk, 0},
    [MONOTONIC_GUIDED] = {monotonic_guided_plain, monotonic_guided_chunk, 0},
    [NONMONOTONIC_GUIDED] = {nonmonotonic_guided_plain, nonmonotonic_guided_chunk, 0},
    [TASKLOOP_GRAINSIZE] = {taskloop_plain, taskloop_grainsize, 0},
    [TASKLOOP_NUM_TASKS] = {NULL, taskloop_num_tasks, 0},
    [MONOTONIC_STATIC] = {monotonic_static_plain, monotonic_static_chunk, 0},
    [RUNTIME_STATIC] = {by_runtime, by_runtime, omp_sched_static},
    [RUNTIME_DYNAMIC] = {by_runtime, by_runtime, omp_sched_dynamic},
    [RUNTIME_GUIDED] = {by_runtime, by_runtime, omp_sched_guided},
};

/* What one thread does of a loop that is divided perfectly. */
static void reference(void *self, uint64_t n)
{
    struct sched *const s = self;

    for (uint64_t j = 0; j < n; j++) {
        for (size_t i = 0; i < ITERATIONS; i++)
            am_delay(s->shared[i]);
    }
}

/* ---- the work of iterations ---- */

/* The same for every launch: schedules are compared on the same loop. */
static uint64_t scattered(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Cycles of iteration i of n, whose mean is `mean`. */
static uint64_t cycles_of(enum shape shape, uint64_t i, uint64_t n, uint64_t mean)
{
    switch (shape) {
    case RAMP: return 2 * mean * i / (n - 1);
    case RANDOM: return scattered(i) % (2 * mean + 1);
    case SPIKES: return i % SPIKE_EVERY ? mean / 2 : mean / 2 + SPIKE_EVERY * (mean - mean / 2);
    default: return mean;
    }
}

/* Fills the cycles of all iterations, and of one thread's share of them: what the groups of as many
 * iterations as threads come to, remainders carried on. */
static enum am_status spread_work(struct sched *s, enum shape shape, uint64_t mean,
                                  struct am_err *err)
{
    const size_t n = (size_t)s->iterations, threads = (size_t)s->omp.threads;
    uint64_t rest = 0;

    s->cycles = calloc(n, sizeof(*s->cycles));
    s->shared = calloc(ITERATIONS, sizeof(*s->shared));
    if (!s->cycles || !s->shared)
        return am_fail(err, AM_E_NOMEM, "no memory for the work of %zu iterations", n);
    for (size_t i = 0; i < n; i++) {
        s->cycles[i] = (uint32_t)cycles_of(shape, i, n, mean);
        rest += s->cycles[i];
        if (i % threads == threads - 1) {
            s->shared[i / threads] = (uint32_t)(rest / threads);
            rest %= threads;
        }
    }
    return AM_OK;
}

/* ---- points ---- */

static bool is_guided(int schedule)
{
    return strstr(schedules[schedule], "guided") != NULL;
}

/* A guided loop ends with chunks of the stated size: where a thread's share has few of them, those
 * who get none wait for the others, which is the loop's imbalance and no cost of the schedule. */
static enum am_status check_guided(const struct am_value *point, struct am_err *err)
{
    const int64_t chunk = point[CHUNK].i, threads = point[COMMON + AM_OMP_THREADS].i;

    if (is_guided((int)point[SCHEDULE].i) && point[SHAPE].i == EVEN && threads > 1 &&
        chunk > ITERATIONS / threads)
        return am_fail(err, AM_E_ABSENT,
                       "chunks of %lld for %lld threads: the last ones would show imbalance, not "
                       "the schedule",
                       (long long)chunk, (long long)threads);
    return AM_OK;
}

static enum am_status check_point(const struct am_value *point, struct am_err *err)
{
    const int64_t chunk = point[CHUNK].i, cycles = point[BODY].i;
    const int schedule = (int)point[SCHEDULE].i;

    if (chunk < 0 || chunk > ITERATIONS)
        return am_fail(err, AM_E_ABSENT, "chunk %lld: a thread has %d iterations", (long long)chunk,
                       ITERATIONS);
    if (cycles < 0 || cycles > BODY_MAX)
        return am_fail(err, AM_E_ABSENT, "a body of %lld cycles", (long long)cycles);
    if (chunk ? !loops[schedule].chunked : !loops[schedule].plain)
        return am_fail(err, AM_E_ABSENT, "%s %s", schedules[schedule],
                       chunk ? "takes no chunk" : "needs a chunk");
    return check_guided(point, err);
}

/* Every iteration of every loop is done once, and before the loop ends. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct sched *const s = state;
    const struct am_check_promise promise = {.works = CHECKED * (uint64_t)s->iterations};
    enum am_status status;

    memset(s->hits, 0, (size_t)s->iterations);
    am_check_begin(&s->check);
    s->overhead.construct(s, CHECKED);
    status = am_check_end(&s->check, &promise, residual, err);
    for (int i = 0; i < s->iterations && status == AM_OK; i++) {
        if (s->hits[i] == CHECKED)
            continue;
        *residual = 1;
        status = am_fail(err, AM_E_WRONG, "iteration %d was done %d times in %d loops", i,
                         s->hits[i], CHECKED);
    }
    return status;
}

/* Whether the runtime keeps to the schedule at all: libomp 14 does not know clang 14's monotonic
 * static, and lets every thread do the whole loop. */
static enum am_status try_schedule(struct sched *s, int schedule, struct am_err *err)
{
    struct am_err story = {0};
    double residual;

    if (schedule != MONOTONIC_STATIC || verify(s, &residual, &story) == AM_OK)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT, "this runtime breaks %s: %s", schedules[schedule], story.text);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct sched *const s = state;
    enum am_status status = check_point(point, err);

    if (status == AM_OK)
        status = am_omp_open(&s->omp, ctx, point + COMMON, err);
    if (status != AM_OK)
        return status;
    s->chunk = (int)point[CHUNK].i;
    s->iterations = ITERATIONS * s->omp.threads;
    s->tasks = s->chunk ? (s->iterations + s->chunk - 1) / s->chunk : 0;
    s->hits = calloc((size_t)s->iterations, sizeof(*s->hits));
    if (!s->hits)
        return am_fail(err, AM_E_NOMEM, "no memory to count %d iterations", s->iterations);
    if (loops[point[SCHEDULE].i].kind)
        omp_set_schedule(loops[point[SCHEDULE].i].kind, s->chunk);
    s->overhead = (struct am_overhead){
        .construct = s->chunk ? loops[point[SCHEDULE].i].chunked : loops[point[SCHEDULE].i].plain,
        .reference = reference,
        .units = 1,
    };
    work->ops = 1;
    status = spread_work(s, (enum shape)point[SHAPE].i, (uint64_t)point[BODY].i, err);
    return status == AM_OK ? try_schedule(s, (int)point[SCHEDULE].i, err) : status;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct sched *const s = state;

    (void)err;
    am_overhead_run(&s->overhead, s, s->omp.clock, iters, batch, NULL);
    return AM_OK;
}

static void finish(void *state)
{
    struct sched *const s = state;

    free(s->hits);
    free(s->cycles);
    free(s->shared);
}

static const struct am_axis axes[] = {
    [SCHEDULE] = {.name = "schedule",
                  .kind = AM_AXIS_NAME,
                  .dflt = "static,dynamic,guided,auto,monotonic_dynamic,taskloop_grainsize,"
                          "taskloop_num_tasks",
                  .quick = "static,dynamic,guided",
                  .thorough = "all",
                  .choices = schedules,
                  .help = "how the iterations are given to the threads"},
    [CHUNK] = {.name = "chunk",
               .kind = AM_AXIS_INT,
               .dflt = "0,1,4,16,64,256,1024",
               .quick = "0,1,16",
               .thorough = "0,1:1024:*2",
               .help = "iterations given at once; 0: none stated. num_tasks is the quotient"},
    [BODY] = {.name = "body",
              .kind = AM_AXIS_INT,
              .unit = "cycle",
              .dflt = "100",
              .help = "work of an iteration, in the mean"},
    [SHAPE] = {.name = "shape",
               .kind = AM_AXIS_NAME,
               .dflt = "even",
               .choices = shapes,
               .help = "ramp: it rises from nothing to twice the mean; random: anything up to "
                       "that; spikes: one iteration of 64 has half of the work"},
    [COMMON + AM_OMP_RUNTIME] = AM_OMP_RUNTIME_AXIS,
    /* All CPUs, as in the paper: the sweep is over chunks. */
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

static const struct am_metric metrics[] = {AM_OVERHEAD_METRIC_ROWS, {.name = NULL}};

const struct am_bench am_bench_omp_sched = {
    .name = "omp.sched",
    .summary = "overhead of OpenMP's loop schedules, 1024 iterations per thread",
    .version = 2,
    .target = AM_OVERHEAD_TARGET,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .systematic = am_overhead_systematic,
    .state_size = sizeof(struct sched),
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
