/* SPDX-License-Identifier: MIT */
/* omp.task: what tasks cost, each with the share that was queued and the share that moved. */
#include "bench/omp/runtime.h"
#include "bench/omp/task.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { CONSTRUCT, TASKS, BODY, PRIORITIES, COMMON };

enum { IGNORED, RESPECTED }; /* choices of the axis `priorities` */

enum metric_index {
    THREAD_OVERHEAD = AM_OVERHEAD_METRICS,
    DEFERRED_SHARE,
    STOLEN_SHARE,
};

enum {
    CHECK_ROUNDS = 3,
    TASKS_MAX = 1 << 20,
    BODY_CYCLES_MAX = 100000000,
};

static const char *const priorities[] = {[IGNORED] = "ignored", [RESPECTED] = "respected", NULL};
static const char *const priority_values[] = {[IGNORED] = "0", [RESPECTED] = "8"};

struct task {
    struct am_omp omp;
    struct am_overhead overhead;
    struct am_omp_task_job *job;
    struct am_task_thread *records; /* of the team, aside, alone */
    uint64_t tasks;                 /* of one round */
    uint64_t asked;                 /* rounds since the records were cleared */
    size_t crew;                    /* threads that run tasks */
};

/* `self` of the overhead's functions is the state: rounds are counted on the way. */

static void run_construct(void *self, uint64_t n)
{
    struct task *const x = self;

    x->asked += n;
    am_task_run(x->job, n);
}

static void run_frame(void *self, uint64_t n)
{
    (void)n;
    am_task_run(((struct task *)self)->job, 0);
}

static void run_serial(void *self, uint64_t n)
{
    am_task_serial(((struct task *)self)->job, n);
}

/* What a batch did, all threads together. */
struct totals {
    uint64_t made, ran, by[AM_TASK_PATHS], disorder;
};

static struct totals sum(const struct task *x)
{
    struct totals t = {0};

    for (size_t i = 0; i < x->job->threads; i++) {
        struct am_task_thread *const r = &x->job->all[i];

        t.made += r->made;
        t.disorder += atomic_load(&r->disorder);
        for (size_t p = 0; p < AM_TASK_PATHS; p++) {
            const uint64_t n = atomic_load(&r->ran[p]);

            t.by[p] += n;
            t.ran += n;
        }
    }
    return t;
}

static void clear(struct task *x)
{
    memset(x->records, 0, (2 * x->job->threads + 1) * sizeof(*x->records));
    x->asked = 0;
}

/* Every task asked for was made and ran once, in the construct's way and order. */
static enum am_status check(const struct task *x, const struct totals *t, struct am_err *err)
{
    static const char *const ways[AM_TASK_PATHS] = {[AM_TASK_INLINE] = "on the spot",
                                                    [AM_TASK_DEFERRED] = "by their maker later",
                                                    [AM_TASK_STOLEN] = "by another thread"};
    const struct am_task_construct *const c = x->job->construct;
    const unsigned long long want = x->asked * x->tasks;

    if (x->job->stuck)
        return am_fail(err, AM_E_WRONG, "%s: waited in vain for tasks that run %s", c->name,
                       ways[c->path]);
    if (!want || t->made != want || t->ran != want)
        return am_fail(err, AM_E_WRONG, "%s: %llu tasks made and %llu run, not %llu", c->name,
                       (unsigned long long)t->made, (unsigned long long)t->ran, want);
    if (c->pure && t->by[c->path] != want)
        return am_fail(err, AM_E_WRONG, "%s: %llu of %llu tasks ran %s", c->name,
                       (unsigned long long)t->by[c->path], want, ways[c->path]);
    if (t->disorder)
        return am_fail(err, AM_E_WRONG, "%s: %llu tasks out of order, or sums that are wrong",
                       c->name, (unsigned long long)t->disorder);
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct task *const x = state;
    struct totals t;

    clear(x);
    x->job->ordered = true;
    run_construct(x, CHECK_ROUNDS);
    x->job->ordered = false;
    t = sum(x);
    *residual = (double)t.disorder;
    return check(x, &t, err);
}

/* What a round of `tasks` tasks per thread comes to, in whole units. */
static void shape(struct task *x, const struct am_task_construct *c, uint64_t tasks)
{
    struct am_omp_task_job *const job = x->job;
    const size_t others = job->threads - 1;
    uint64_t unit = c->tasks, works = c->works;

    x->crew = c->crew == AM_TASK_ALL ? job->threads : c->crew == AM_TASK_FIRST ? 1 : others;
    if (!unit)
        unit = works = x->crew < AM_TASK_BATCH ? AM_TASK_BATCH / x->crew : 1;
    job->batch = unit * x->crew;
    job->units = tasks > unit ? tasks / unit : 1;
    job->works = job->units * works;
    job->bare = job->units * (unit - works);
    x->tasks = job->units * unit * (c->lends ? 1 : x->crew);
}

static enum am_status allocate(struct task *x, struct am_err *err)
{
    const size_t threads = (size_t)x->omp.threads;

    x->job = aligned_alloc(AM_TASK_LINES_BYTES, sizeof(*x->job));
    x->records =
        aligned_alloc(AM_TASK_LINES_BYTES, (2 * threads + 1) * sizeof(struct am_task_thread));
    if (!x->job || !x->records)
        return am_fail(err, AM_E_NOMEM, "records of %zu threads", threads);
    memset(x->job, 0, sizeof(*x->job));
    x->job->threads = threads;
    x->job->all = x->records;
    x->job->aside = x->records + threads;
    x->job->alone = x->records + 2 * threads;
    return AM_OK;
}

static enum am_status refuse(const struct am_task_construct *c, const struct am_value *point,
                             struct am_err *err)
{
    if (point[BODY].i < 0 || point[BODY].i > BODY_CYCLES_MAX)
        return am_fail(err, AM_E_ABSENT, "body %lld: from 0 to %d cycles", (long long)point[BODY].i,
                       BODY_CYCLES_MAX);
    if (point[TASKS].i < 1 || point[TASKS].i > TASKS_MAX)
        return am_fail(err, AM_E_ABSENT, "tasks %lld: from 1 to %d", (long long)point[TASKS].i,
                       TASKS_MAX);
    if ((c->crew == AM_TASK_OTHERS || c->several) && point[COMMON + AM_OMP_THREADS].i < 2)
        return am_fail(err, AM_E_ABSENT, "%s needs a second thread", c->name);
    if (c->ranks && point[PRIORITIES].i == IGNORED)
        return am_fail(err, AM_E_ABSENT, "%s has nothing to show where they are ignored", c->name);
    return AM_OK;
}

/* A way that the runtime never goes with this team is an answer, not an error: libomp runs the
 * tasks of a single thread on the spot. */
static enum am_status look_at_way(struct task *x, struct am_err *err)
{
    const struct am_task_construct *const c = x->job->construct;
    struct am_err story = {0};
    struct totals t;

    clear(x);
    run_construct(x, 1);
    t = sum(x);
    if (!c->pure || check(x, &t, &story) == AM_OK)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT, "%s", story.text);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct task *const x = state;
    const struct am_task_construct *const c = &am_task_constructs[point[CONSTRUCT].i];
    enum am_status s = refuse(c, point, err);

    if (s == AM_OK)
        s = am_omp_open(&x->omp, ctx, point + COMMON, err);
    if (s == AM_OK)
        s = allocate(x, err);
    if (s != AM_OK)
        return s;
    am_ctx_chosen(ctx, "priorities", "%s",
                  priorities[omp_get_max_task_priority() > 0 ? RESPECTED : IGNORED]);
    x->job->construct = c;
    x->job->delay = (uint64_t)point[BODY].i;
    x->job->priority_max = omp_get_max_task_priority();
    x->job->clock = ctx->clock;
    shape(x, c, (uint64_t)point[TASKS].i);
    x->overhead = (struct am_overhead){.construct = run_construct,
                                       .reference = run_serial,
                                       .beside = run_frame,
                                       .units = (double)x->tasks};
    work->ops = (double)x->tasks;
    return look_at_way(x, err);
}

/* A task's time leaves out what surrounds the rounds, which is measured beside it; so does the
 * batch's, or a slow surrounding would pass for enough work. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct task *const x = state;
    struct am_overhead_times times;
    struct totals t;
    double each, overhead;

    clear(x);
    am_overhead_run(&x->overhead, x, x->omp.clock, iters, batch, &times);
    t = sum(x);
    each = times.construct - times.beside;
    overhead = each - times.reference;
    batch->elapsed_ns = (uint64_t)fmax(0, 1e9 * each * (double)(iters * x->tasks));
    batch->values[AM_OVERHEAD] = overhead;
    batch->values[AM_OVERHEAD_CYCLES] = overhead * times.hz;
    batch->values[AM_OVERHEAD_TIME] = each;
    batch->values[THREAD_OVERHEAD] = overhead * (double)x->crew;
    batch->values[DEFERRED_SHARE] =
        (double)(t.by[AM_TASK_DEFERRED] + t.by[AM_TASK_STOLEN]) / (double)t.ran;
    batch->values[STOLEN_SHARE] = (double)t.by[AM_TASK_STOLEN] / (double)t.ran;
    return check(x, &t, err);
}

static void finish(void *state)
{
    struct task *const x = state;

    free(x->job);
    free(x->records);
}

static const struct am_axis axes[] = {
    [CONSTRUCT] = {.name = "construct",
                   .kind = AM_AXIS_NAME,
                   .dflt = "all",
                   .quick = "parallel_task,master_task,conditional_task,task_wait,branch_tree,"
                            "depend_chain,task_inline,task_deferred,task_stolen",
                   .choices = am_task_names,
                   .help = "how tasks are made and waited for; task_inline, task_deferred and "
                           "task_stolen split the cost by how a task comes to run"},
    [TASKS] = {.name = "tasks",
               .kind = AM_AXIS_INT,
               .dflt = "1024",
               .help = "made by each thread before all are waited for, at least one unit: decides "
                       "how many find room in the queue"},
    [BODY] = {.name = "body",
              .kind = AM_AXIS_INT,
              .unit = "cycle",
              .dflt = "300",
              .help = "work of a task, in cycles"},
    [PRIORITIES] = {.name = "priorities",
                    .kind = AM_AXIS_NAME,
                    .dflt = "respected",
                    .choices = priorities,
                    .env = "OMP_MAX_TASK_PRIORITY",
                    .env_values = priority_values,
                    .help = "whether the runtime looks at the priorities of tasks"},
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
    [THREAD_OVERHEAD] = {"thread_overhead", "s", AM_LOWER, AM_RULE_OWN,
                         "time that the working threads together spend on a task beyond its work"},
    [DEFERRED_SHARE] = {"deferred_share", "", AM_HIGHER, AM_RULE_OWN,
                        "share of the tasks that were queued; the rest ran on the spot"},
    [STOLEN_SHARE] = {"stolen_share", "", AM_HIGHER, AM_RULE_OWN,
                      "share of the tasks that another thread than their maker ran"},
    {.name = NULL},
};

const struct am_bench am_bench_omp_task = {
    .name = "omp.task",
    .summary = "tasks: overhead of each, split into run on the spot, queued and stolen",
    .version = 1,
    .target = AM_OVERHEAD_TARGET,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .systematic = am_overhead_systematic,
    .state_size = sizeof(struct task),
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
