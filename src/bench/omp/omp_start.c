/* SPDX-License-Identifier: MIT */
/* omp.start: what the first parallel region and the first task of a process cost. */
#include "bench/omp/runtime.h"

#include <omp.h>

enum axis_index { EVENT, COMMON };
enum event { REGION, TASK, EVENTS };
enum metric_index { FIRST, SECOND };

struct start {
    struct am_omp omp;
    uint64_t first_ns, second_ns;
    int ran; /* threads, or tasks, of the two */
    int expected;
};

/* The size is a clause: omp_set_num_threads() would already start a runtime that starts late. */
static void region(struct start *s, int threads)
{
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
        s->ran++;
    }
}

static void task(struct start *s, int threads)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp task
    {
#pragma omp atomic
        s->ran++;
    }
}

/* A task needs a region: the first task is measured in the second one. */
static void nothing(struct start *s, int threads)
{
    (void)s;
#pragma omp parallel num_threads(threads)
    {
    }
}

static const struct {
    void (*before)(struct start *s, int threads);
    void (*run)(struct start *s, int threads);
} events[EVENTS] = {[REGION] = {NULL, region}, [TASK] = {nothing, task}};

static uint64_t time_event(struct start *s, enum event event, int threads,
                           const struct am_clock *clock)
{
    const uint64_t t0 = clock->now_ns(clock->self);

    events[event].run(s, threads);
    return clock->now_ns(clock->self) - t0;
}

/* Measures at once: whatever looks at the runtime first would be the first. */
static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct start *const s = state;
    const enum event event = (enum event)point[EVENT].i;
    const int64_t threads = point[COMMON + AM_OMP_THREADS].i;

    work->ops = 1;
    if (threads >= 1 && (uint64_t)threads <= ctx->cpu_count) {
        if (events[event].before)
            events[event].before(s, (int)threads);
        s->first_ns = time_event(s, event, (int)threads, ctx->clock);
        s->second_ns = time_event(s, event, (int)threads, ctx->clock);
        s->expected = event == REGION ? 2 * (int)threads : 2;
    }
    return am_omp_open(&s->omp, ctx, point + COMMON, err);
}

/* A process has one first time: every sample of a launch tells the same. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    const struct start *const s = state;

    (void)iters;
    (void)err;
    batch->elapsed_ns = s->first_ns;
    batch->values[FIRST] = (double)s->first_ns * 1e-9;
    batch->values[SECOND] = (double)s->second_ns * 1e-9;
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct start *const s = state;

    *residual = s->ran - s->expected;
    if (s->ran != s->expected)
        return am_fail(err, AM_E_WRONG, "%d threads or tasks ran in place of %d", s->ran,
                       s->expected);
    return AM_OK;
}

static const char *const names[EVENTS + 1] = {[REGION] = "parallel", [TASK] = "task"};

static const struct am_axis axes[] = {
    [EVENT] = {.name = "event",
               .kind = AM_AXIS_NAME,
               .dflt = "all",
               .choices = names,
               .help = "parallel: the first region; task: a region with the first task"},
    AM_OMP_AXIS_ROWS(COMMON),
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {
    [FIRST] = {"first", "s", AM_LOWER, AM_RULE_OWN, "the first one of the process"},
    [SECOND] = {"second", "s", AM_LOWER, AM_RULE_OWN, "the one after it"},
    {.name = NULL},
};

const struct am_bench am_bench_omp_start = {
    .name = "omp.start",
    .summary = "the first OpenMP parallel region and the first task of a process",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct start),
    .fixed_iters = 1,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
};
