/* SPDX-License-Identifier: MIT */
/* The executors task:POLICY: a block is a task of our own runtime. One task creates all blocks of a
 * round and waits for them; a loop that is run from inside a block spawns children of that block.
 */
#include "runtime/executor.h"
#include "base/text.h"
#include "runtime/task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NAP_NS = 100 }; /* what Nanos++ 0.7a sleeps; the kernel adds some 50 us */

struct engine {
    struct am_tasks *tasks;
    struct am_task_graph *graph; /* NULL: no blocks with dependencies so far */
    size_t *before;              /* room for those of one block */
};

/* Blocks and how often, as one argument of a task. */
struct rounds {
    struct engine *engine;
    const struct am_blocks *blocks;
    uint64_t times;
};

struct idling {
    uint64_t spins, sleep_ns;
};

static const struct idling idling_of[] = {
    [AM_WAIT_DEFAULT] = {AM_TASK_SPINS, 0},    /* Nanos++ 0.6 */
    [AM_WAIT_ACTIVE] = {UINT64_MAX - 1, 0},    /* in effect never pauses */
    [AM_WAIT_PASSIVE] = {0, NAP_NS},           /* sleeps at once */
    [AM_WAIT_YIELD] = {1, 0},                  /* NX_SPINS=1 */
    [AM_WAIT_SLEEP] = {AM_TASK_SPINS, NAP_NS}, /* Nanos++ 0.7a */
};

/* The policy stands behind the colon of the name. */
static enum am_task_policy policy_of(const struct am_executor *kind)
{
    const int i = am_name_index(am_task_policy_names, AM_NAMES_ENDED, strchr(kind->name, ':') + 1);

    assert(i >= 0); /* the executors at the end of this file are ours */
    return (enum am_task_policy)i;
}

static void close_engine(void *self)
{
    struct engine *const engine = self;

    if (!engine)
        return;
    am_tasks_free(engine->tasks);
    am_task_graph_free(engine->graph);
    free(engine->before);
    free(engine);
}

static enum am_status open_engine(const struct am_executor *kind,
                                  const struct am_executor_setup *setup, void **self_p,
                                  struct am_err *err)
{
    const struct idling *const idling = &idling_of[setup->wait];
    const struct am_task_setup how = {
        .policy = policy_of(kind),
        .threads = setup->threads,
        .cpus = setup->cpus,
        .cpu_count = setup->cpu_count,
        .throttle = AM_TASK_THROTTLE,
        .spins = idling->spins,
        .sleep_ns = idling->sleep_ns,
    };
    struct engine *const engine = calloc(1, sizeof(*engine));
    enum am_status s;

    if (!engine)
        return am_fail(err, AM_E_NOMEM, "no memory for an executor");
    s = am_tasks_new(&how, &engine->tasks, err);
    if (s != AM_OK) {
        close_engine(engine);
        return s;
    }
    *self_p = engine;
    return AM_OK;
}

static enum am_status prepare(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    struct engine *const engine = self;

    if (!blocks->before)
        return AM_OK;
    am_task_graph_free(engine->graph);
    engine->graph = NULL;
    free(engine->before);
    engine->before = calloc(blocks->before_max ? blocks->before_max : 1, sizeof(*engine->before));
    if (!engine->before)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu dependencies", blocks->before_max);
    return am_task_graph_new(blocks->count, blocks->count * blocks->before_max, &engine->graph,
                             err);
}

static void run_block(struct am_task *self, void *arg, size_t index)
{
    const struct am_blocks *const blocks = arg;

    (void)self;
    blocks->run(blocks->app, index);
}

static void spawn_graph(struct am_task *self, const struct rounds *r)
{
    const struct am_blocks *const blocks = r->blocks;
    const struct engine *const engine = r->engine;

    am_task_graph_reset(engine->graph);
    for (size_t i = 0; i < blocks->count; i++) {
        const size_t n = blocks->before(blocks->app, i, engine->before);

        am_task_spawn_after(self, engine->graph, run_block, (void *)blocks, i, engine->before, n);
    }
}

static void spawn_loop(struct am_task *self, const struct am_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        am_task_spawn(self, run_block, (void *)blocks, i);
}

static void run_rounds(struct am_task *self, void *arg, size_t index)
{
    const struct rounds *const r = arg;

    (void)index;
    for (uint64_t left = r->times; left; left--) {
        if (r->blocks->before)
            spawn_graph(self, r);
        else
            spawn_loop(self, r->blocks);
        am_task_wait(self);
    }
}

static void run(void *self, const struct am_blocks *blocks, uint64_t times)
{
    struct engine *const engine = self;
    struct rounds r = {.engine = engine, .blocks = blocks, .times = times};
    struct am_task *const outer = am_tasks_current(engine->tasks);

    if (outer)
        run_rounds(outer, &r, 0); /* a loop inside a block: waits for the block's own children */
    else
        am_tasks_run(engine->tasks, run_rounds, &r);
}

static void count(void *self, struct am_executor_counts *counts)
{
    const struct engine *const engine = self;

    am_tasks_count(engine->tasks, counts);
}

#define TASK_EXECUTOR(policy)                                                                      \
    const struct am_executor am_executor_task_##policy = {                                         \
        .name = "task:" #policy,                                                                   \
        .open = open_engine,                                                                       \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .count = count,                                                                            \
        .close = close_engine,                                                                     \
    }

TASK_EXECUTOR(default);
TASK_EXECUTOR(bf);
TASK_EXECUTOR(dbf);
TASK_EXECUTOR(wf);
