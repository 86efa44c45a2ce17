/* SPDX-License-Identifier: MIT */
/* The executors of the worker `taskflow`: Taskflow's loops, and its tasks. */
#include "bench/taskflow/executors.h"

#include "bench/taskflow/engine.h"

static enum am_status open_engine(const struct am_executor *kind,
                                  const struct am_executor_setup *setup, void **self_p,
                                  struct am_err *err)
{
    struct am_taskflow *engine = NULL;
    enum am_status s;

    (void)kind;
    if (setup->threads == 0 || setup->threads > INT16_MAX)
        return am_fail(err, AM_E_LIMIT, "a team of %zu threads", setup->threads);
    s = am_taskflow_open(setup, &engine, err);
    *self_p = engine;
    return s;
}

static void close_engine(void *self)
{
    am_taskflow_close(self);
}

static enum am_status prepare_for(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    (void)self;
    return blocks->before ? am_fail(err, AM_E_ABSENT, "a loop of Taskflow knows no dependencies")
                          : AM_OK;
}

static enum am_status prepare_tasks(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    return am_taskflow_make_graph(self, blocks, err);
}

static void run_for(void *self, const struct am_blocks *blocks, uint64_t times)
{
    am_taskflow_run_for(self, blocks, times);
}

static void run_tasks(void *self, const struct am_blocks *blocks, uint64_t times)
{
    am_taskflow_run_tasks(self, blocks, times);
}

/* Which were stolen the library does not tell. */
static void count(void *self, struct am_executor_counts *counts)
{
    *counts = (struct am_executor_counts){.executed = am_taskflow_executed(self)};
}

static const struct am_executor executor_for = {
    .name = "taskflow:for",
    .open = open_engine,
    .prepare = prepare_for,
    .run = run_for,
    .count = count,
    .close = close_engine,
};

static const struct am_executor executor_task = {
    .name = "taskflow:task",
    .open = open_engine,
    .prepare = prepare_tasks,
    .run = run_tasks,
    .count = count,
    .close = close_engine,
};

const struct am_executor *const am_taskflow_executors[] = {&executor_for, &executor_task, NULL};

static const char *const runtimes[] = {"taskflow", NULL};
static const char *const bindings[] = {"close", NULL};
static const char *const places[] = {"cores", NULL};
static const char *const waits[] = {"default", NULL};

static const struct am_axis axes[] = {
    {.name = "runtime", .choices = runtimes, .help = "whose threads run the blocks"},
    {.name = "binding", .dflt = "all", .choices = bindings},
    {.name = "places", .dflt = "all", .choices = places},
    {.name = "wait",
     .dflt = "all",
     .choices = waits,
     .help = "Taskflow's idle threads look for work, then sleep"},
    {.name = NULL},
};

const struct am_executor_set am_taskflow_set = {.list = am_taskflow_executors, .axes = axes};
