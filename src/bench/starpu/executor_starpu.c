/* SPDX-License-Identifier: MIT */
/* The executors starpu:POLICY: a block is a task of StarPU, created and submitted by the thread
 * that runs the benchmark. */
#include "bench/starpu/executor_starpu.h"

#include "bench/starpu/engine.h"

#include <assert.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

/* What a task of StarPU gets. */
struct call {
    const struct am_blocks *blocks;
    size_t block;
};

struct engine {
    struct starpu_codelet codelet;
    struct starpu_perfmodel model; /* how long a block takes: only dm and dmda ask */
    struct call *calls;            /* one per block of the run at hand */
    size_t calls_max;
    struct starpu_task *tasks; /* of blocks that wait for others; NULL: none so far */
    struct starpu_task **found;
    size_t *before;
    uint64_t executed;
};

static void run_call(void *buffers[], void *arg)
{
    const struct call *const call = arg;

    (void)buffers;
    call->blocks->run(call->blocks->app, call->block);
}

static void close_engine(void *self)
{
    struct engine *const engine = self;

    if (!engine)
        return;
    am_starpu_stop();
    free(engine->calls);
    free(engine->tasks);
    free(engine->found);
    free(engine->before);
    free(engine);
}

static enum am_status open_engine(const struct am_executor *kind,
                                  const struct am_executor_setup *setup, void **self_p,
                                  struct am_err *err)
{
    const struct am_starpu_setup how = {.policy = strchr(kind->name, ':') + 1,
                                        .threads = setup->threads,
                                        .cpus = setup->cpus,
                                        .cpu_count = setup->cpu_count};
    struct engine *const engine = calloc(1, sizeof(*engine));
    enum am_status s;

    if (!engine)
        return am_fail(err, AM_E_NOMEM, "no memory for an executor");
    s = am_starpu_start(&how, err);
    if (s != AM_OK) {
        free(engine);
        return s;
    }
    engine->model = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = "archmeter"};
    starpu_codelet_init(&engine->codelet);
    engine->codelet.cpu_funcs[0] = run_call;
    engine->codelet.model = &engine->model;
    *self_p = engine;
    return AM_OK;
}

static bool have_calls(struct engine *engine, size_t n)
{
    struct call *more;

    if (n <= engine->calls_max)
        return true;
    more = realloc(engine->calls, n * sizeof(*more));
    if (!more)
        return false;
    engine->calls = more;
    engine->calls_max = n;
    return true;
}

static enum am_status prepare(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    struct engine *const engine = self;
    const size_t n = blocks->count ? blocks->count : 1;
    const size_t most = blocks->before_max ? blocks->before_max : 1;

    if (!have_calls(engine, n))
        return am_fail(err, AM_E_NOMEM, "no memory for %zu blocks", n);
    if (!blocks->before)
        return AM_OK;
    free(engine->tasks);
    free(engine->found);
    free(engine->before);
    engine->tasks = calloc(n, sizeof(*engine->tasks));
    engine->found = calloc(most, sizeof(struct starpu_task *));
    engine->before = calloc(most, sizeof(*engine->before));
    if (!engine->tasks || !engine->found || !engine->before)
        return am_fail(err, AM_E_NOMEM, "no memory for dependencies of %zu blocks", n);
    return AM_OK;
}

static void describe(struct engine *engine, struct starpu_task *task,
                     const struct am_blocks *blocks, size_t i)
{
    engine->calls[i] = (struct call){.blocks = blocks, .block = i};
    task->cl = &engine->codelet;
    task->cl_arg = &engine->calls[i];
}

/* It refuses only what nobody can run, and there are workers on CPUs. */
static void submit(struct starpu_task *task)
{
    const int refused = starpu_task_submit(task);

    assert(!refused);
    (void)refused;
}

static void submit_loop(struct engine *engine, const struct am_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        struct starpu_task *const task = starpu_task_create();

        describe(engine, task, blocks, i);
        submit(task);
    }
    (void)starpu_task_wait_for_all();
}

/* Tasks that are kept until all have ended: others may name them after their end. */
static void submit_graph(struct engine *engine, const struct am_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        struct starpu_task *const task = &engine->tasks[i];
        const size_t n = blocks->before(blocks->app, i, engine->before);

        starpu_task_init(task);
        task->destroy = 0;
        describe(engine, task, blocks, i);
        for (size_t k = 0; k < n; k++)
            engine->found[k] = &engine->tasks[engine->before[k]];
        starpu_task_declare_deps_array(task, (unsigned)n, engine->found);
        submit(task);
    }
    (void)starpu_task_wait_for_all();
    for (size_t i = 0; i < blocks->count; i++)
        starpu_task_clean(&engine->tasks[i]);
}

/* A task cannot wait for others: a loop inside a block stays with its worker. */
static void run_inside(const struct am_blocks *blocks, uint64_t times)
{
    for (; times; times--) {
        for (size_t i = 0; i < blocks->count; i++)
            blocks->run(blocks->app, i);
    }
}

static void run(void *self, const struct am_blocks *blocks, uint64_t times)
{
    struct engine *const engine = self;

    if (starpu_worker_get_id() >= 0 || !have_calls(engine, blocks->count)) {
        run_inside(blocks, times);
        return;
    }
    engine->executed += times * blocks->count;
    am_starpu_wake();
    for (; times; times--) {
        if (blocks->before)
            submit_graph(engine, blocks);
        else
            submit_loop(engine, blocks);
    }
    am_starpu_sleep();
}

/* Every task waits in a queue. Which were stolen the library does not tell. */
static void count(void *self, struct am_executor_counts *counts)
{
    const struct engine *const engine = self;

    *counts =
        (struct am_executor_counts){.executed = engine->executed, .deferred = engine->executed};
}

#define EXECUTOR(policy)                                                                           \
    {                                                                                              \
        .name = "starpu:" policy, .flat = true, .open = open_engine, .prepare = prepare,           \
        .run = run, .count = count, .close = close_engine                                          \
    }

/* Parallel to am_starpu_policies. */
static const struct am_executor executors[] = {
    EXECUTOR("eager"), EXECUTOR("prio"),          EXECUTOR("random"),
    EXECUTOR("ws"),    EXECUTOR("lws"),           EXECUTOR("dm"),
    EXECUTOR("dmda"),  EXECUTOR("modular-eager"), EXECUTOR("modular-ws"),
};
const struct am_executor *const am_starpu_executors[] = {
    &executors[0], &executors[1], &executors[2], &executors[3], &executors[4],
    &executors[5], &executors[6], &executors[7], &executors[8], NULL,
};

const char *am_starpu_executor_why_not(const char *name)
{
    return am_starpu_policy_why_not(strchr(name, ':') + 1);
}

static const char *const runtimes[] = {"starpu", NULL};
static const char *const bindings[] = {"close", NULL};
static const char *const places[] = {"cores", NULL};
static const char *const waits[] = {"default", NULL};

static const struct am_axis axes[] = {
    {.name = "executor",
     .dflt = "starpu:eager,starpu:lws,starpu:dmda",
     .quick = "starpu:lws",
     .thorough = "usable",
     .why_not = am_starpu_executor_why_not},
    {.name = "runtime", .choices = runtimes, .help = "whose threads run the blocks"},
    {.name = "binding", .dflt = "all", .choices = bindings},
    {.name = "places", .dflt = "all", .choices = places},
    {.name = "wait", .dflt = "all", .choices = waits, .help = "StarPU's idle workers spin"},
    {.name = NULL},
};

const struct am_executor_set am_starpu_set = {.list = am_starpu_executors, .axes = axes};
