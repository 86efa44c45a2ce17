/* SPDX-License-Identifier: MIT */
/* Taskflow as C functions. */
#include "bench/taskflow/engine.h"

#include <sched.h>

#include <exception>
#include <memory>
#include <vector>

#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

namespace
{

/* Binds each thread to its CPU when it begins. */
class binder : public tf::WorkerInterface
{
  public:
    explicit binder(std::vector<int> cpus) : cpus_(std::move(cpus))
    {
    }

    void scheduler_prologue(tf::Worker &worker) override
    {
        cpu_set_t set;

        if (cpus_.empty())
            return;
        CPU_ZERO(&set);
        CPU_SET(static_cast<size_t>(cpus_[worker.id() % cpus_.size()]), &set);
        (void)sched_setaffinity(0, sizeof(set), &set);
    }
    void scheduler_epilogue(tf::Worker &, std::exception_ptr) override
    {
    }

  private:
    std::vector<int> cpus_;
};

} // namespace

struct am_taskflow {
    explicit am_taskflow(const struct am_executor_setup &setup)
        : executor(setup.threads, tf::make_worker_interface<binder>(
                                      std::vector<int>(setup.cpus, setup.cpus + setup.cpu_count)))
    {
    }

    tf::Executor executor;
    tf::Taskflow graph;
    const struct am_blocks *made = nullptr; /* those of the graph, and what they were then */
    struct am_blocks made_of = {};
    uint64_t executed = 0;
};

namespace
{

/* Blocks of other work may lie where those of the graph lay. */
bool has_graph(const struct am_taskflow *engine, const struct am_blocks *blocks)
{
    const struct am_blocks &made = engine->made_of;

    return engine->made == blocks && made.count == blocks->count && made.app == blocks->app &&
           made.run == blocks->run && made.before == blocks->before;
}

void fill_loop(tf::Taskflow &flow, const struct am_blocks *blocks)
{
    (void)flow.for_each_index(size_t{0}, blocks->count, size_t{1},
                              [blocks](size_t i) { blocks->run(blocks->app, i); });
}

void fill_tasks(tf::Taskflow &flow, const struct am_blocks *blocks)
{
    std::vector<size_t> before(blocks->before_max + 1);
    std::vector<tf::Task> tasks;

    tasks.reserve(blocks->count);
    for (size_t i = 0; i < blocks->count; i++) {
        const size_t n = blocks->before ? blocks->before(blocks->app, i, before.data()) : 0;

        tasks.push_back(flow.emplace([blocks, i] { blocks->run(blocks->app, i); }));
        for (size_t k = 0; k < n; k++)
            tasks[before[k]].precede(tasks[i]);
    }
}

/* From inside a block its thread helps; else the caller waits. */
void run_flow(struct am_taskflow *engine, tf::Taskflow &flow, size_t blocks, uint64_t times)
{
    if (engine->executor.this_worker_id() >= 0) {
        for (uint64_t left = times; left; left--)
            engine->executor.corun(flow);
        return;
    }
    engine->executor.run_n(flow, times).wait();
    engine->executed += times * blocks;
}

} // namespace

enum am_status am_taskflow_open(const struct am_executor_setup *setup,
                                struct am_taskflow **engine_p, struct am_err *err)
{
    for (size_t i = 0; i < setup->cpu_count; i++) {
        if (setup->cpus[i] < 0 || setup->cpus[i] >= CPU_SETSIZE)
            return am_fail(err, AM_E_LIMIT, "CPU %d is outside 0 to %d", setup->cpus[i],
                           CPU_SETSIZE - 1);
    }
    try {
        *engine_p = new am_taskflow(*setup);
    } catch (const std::exception &e) {
        return am_fail(err, AM_E_NOMEM, "no executor: %s", e.what());
    }
    return AM_OK;
}

void am_taskflow_close(struct am_taskflow *engine)
{
    delete engine;
}

enum am_status am_taskflow_make_graph(struct am_taskflow *engine, const struct am_blocks *blocks,
                                      struct am_err *err)
{
    try {
        engine->made = nullptr;
        engine->graph.clear();
        fill_tasks(engine->graph, blocks);
        engine->made = blocks;
        engine->made_of = *blocks;
    } catch (const std::exception &e) {
        return am_fail(err, AM_E_NOMEM, "no graph of %zu blocks: %s", blocks->count, e.what());
    }
    return AM_OK;
}

void am_taskflow_run_for(struct am_taskflow *engine, const struct am_blocks *blocks, uint64_t times)
{
    tf::Taskflow flow;

    fill_loop(flow, blocks);
    run_flow(engine, flow, blocks->count, times);
}

void am_taskflow_run_tasks(struct am_taskflow *engine, const struct am_blocks *blocks,
                           uint64_t times)
{
    tf::Taskflow flow;

    if (has_graph(engine, blocks)) {
        run_flow(engine, engine->graph, blocks->count, times);
        return;
    }
    fill_tasks(flow, blocks);
    run_flow(engine, flow, blocks->count, times);
}

uint64_t am_taskflow_executed(const struct am_taskflow *engine)
{
    return engine->executed;
}
