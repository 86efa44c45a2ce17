/* SPDX-License-Identifier: MIT */
/* omp.sched: overhead of a loop's schedule. */
#include "bench/omp/check.h"
#include "bench/omp/delay.h"
#include "bench/omp/overhead.h"
#include "bench/omp/runtime.h"

#include <stdlib.h>
#include <string.h>

enum axis_index { SCHEDULE, CHUNK, BODY, COMMON };

enum {
    ITERATIONS = 1024, /* of a loop, for each thread: the paper's number */
    CHECKED = 3,       /* loops under observation */
    BODY_MAX = 1000000,
};

struct sched {
    struct am_omp omp;
    uint64_t body;  /* cycles of an iteration */
    int chunk;      /* 0: none given */
    int iterations; /* of a loop, all threads together */
    int tasks;      /* for num_tasks */
    struct am_overhead overhead;
    struct am_omp_check check;
    unsigned char *hits; /* how often each iteration was done under observation */
};

static inline void body(struct sched *s, size_t i)
{
    am_delay(s->body);
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
            PRAGMA(omp for clauses)                                                                \
            for (int i = 0; i < iterations; i++)                                                   \
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
};

/* Without and with a chunk; NULL where OpenMP has no such thing. */
static const struct {
    am_overhead_fn *plain, *chunked;
} loops[SCHEDULES] = {
    [STATIC] = {static_plain, static_chunk},
    [DYNAMIC] = {dynamic_plain, dynamic_chunk},
    [GUIDED] = {guided_plain, guided_chunk},
    [AUTO] = {auto_plain, NULL},
    [MONOTONIC_DYNAMIC] = {monotonic_dynamic_plain, monotonic_dynamic_chunk},
    [NONMONOTONIC_DYNAMIC] = {nonmonotonic_dynamic_plain, nonmonotonic_dynamic_chunk},
    [MONOTONIC_GUIDED] = {monotonic_guided_plain, monotonic_guided_chunk},
    [NONMONOTONIC_GUIDED] = {nonmonotonic_guided_plain, nonmonotonic_guided_chunk},
    [TASKLOOP_GRAINSIZE] = {taskloop_plain, taskloop_grainsize},
    [TASKLOOP_NUM_TASKS] = {NULL, taskloop_num_tasks},
};

/* What one thread does of a loop that is divided perfectly. */
static void reference(void *self, uint64_t n)
{
    struct sched *const s = self;

    for (uint64_t j = 0; j < n; j++) {
        for (size_t i = 0; i < ITERATIONS; i++)
            body(s, i);
    }
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
    return AM_OK;
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
    s->body = (uint64_t)point[BODY].i;
    s->chunk = (int)point[CHUNK].i;
    s->iterations = ITERATIONS * s->omp.threads;
    s->tasks = s->chunk ? (s->iterations + s->chunk - 1) / s->chunk : 0;
    s->hits = calloc((size_t)s->iterations, sizeof(*s->hits));
    if (!s->hits)
        return am_fail(err, AM_E_NOMEM, "no memory to count %d iterations", s->iterations);
    s->overhead = (struct am_overhead){
        .construct = s->chunk ? loops[point[SCHEDULE].i].chunked : loops[point[SCHEDULE].i].plain,
        .reference = reference,
        .units = 1,
    };
    work->ops = 1;
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct sched *const s = state;

    (void)err;
    am_overhead_run(&s->overhead, s, s->omp.clock, iters, batch, NULL);
    return AM_OK;
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

static void finish(void *state)
{
    struct sched *const s = state;

    free(s->hits);
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
              .help = "work of an iteration"},
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
    .version = 1,
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
