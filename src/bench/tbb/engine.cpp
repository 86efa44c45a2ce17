/* SPDX-License-Identifier: MIT */
/* oneTBB as C functions. */
#include "bench/tbb/engine.h"

#include <sched.h>

#include <memory>
#include <new>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

namespace
{

/* Binds each thread that enters the arena to the CPU of its slot. */
class binder : public tbb::task_scheduler_observer
{
  public:
    binder(tbb::task_arena &arena, std::vector<int> cpus)
        : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus))
    {
        observe(true);
    }
    ~binder() override { observe(false); }
    binder(const binder &) = delete;
    binder &operator=(const binder &) = delete;

    void on_scheduler_entry(bool) override
    {
        const int slot = tbb::this_task_arena::current_thread_index();
        cpu_set_t set;

        if (slot < 0 || cpus_.empty())
            return;
        CPU_ZERO(&set);
        CPU_SET(static_cast<size_t>(cpus_[static_cast<size_t>(slot) % cpus_.size()]), &set);
        (void)sched_setaffinity(0, sizeof(set), &set);
    }

  private:
    std::vector<int> cpus_;
};

using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

/* Blocks and who waits for whom, as nodes that send each other messages. */
struct flow {
    tbb::flow::graph graph;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<size_t> roots;
};

} // namespace

struct am_tbb {
    explicit am_tbb(const struct am_executor_setup &setup)
        : limit(tbb::global_control::max_allowed_parallelism, setup.threads),
          arena(static_cast<int>(setup.threads)),
          binding(arena, std::vector<int>(setup.cpus, setup.cpus + setup.cpu_count))
    {
        CPU_ZERO(&home);
        (void)sched_getaffinity(0, sizeof(home), &home);
    }

    tbb::global_control limit;
    tbb::task_arena arena;
    binder binding;
    cpu_set_t home; /* the caller's affinity before */
    std::unique_ptr<flow> graph;
    bool running = false; /* a call now comes from inside a block */
    uint64_t executed = 0;
};

namespace
{

void loop_once(const struct am_blocks *blocks)
{
    tbb::parallel_for(size_t{0}, blocks->count,
                      [blocks](size_t i) { blocks->run(blocks->app, i); });
}

void tasks_once(const struct am_blocks *blocks)
{
    tbb::task_group group;

    for (size_t i = 0; i < blocks->count; i++)
        group.run([blocks, i] { blocks->run(blocks->app, i); });
    group.wait();
}

void graph_once(const flow &f)
{
    for (const size_t root : f.roots)
        (void)f.nodes[root]->try_put(tbb::flow::continue_msg());
    const_cast<tbb::flow::graph &>(f.graph).wait_for_all();
}

/* All rounds inside the arena: its threads stay between them. */
template <typename Once>
void run_all(struct am_tbb *engine, const struct am_blocks *blocks, uint64_t times, Once once)
{
    const auto all = [times, &once] {
        for (uint64_t left = times; left; left--)
            once();
    };

    if (engine->running) {
        all();
        return;
    }
    engine->running = true;
    engine->arena.execute(all);
    engine->running = false;
    engine->executed += times * blocks->count;
}

void fill(flow &f, const struct am_blocks *blocks)
{
    std::vector<size_t> before(blocks->before_max + 1);

    f.nodes.reserve(blocks->count);
    for (size_t i = 0; i < blocks->count; i++) {
        const size_t n = blocks->before(blocks->app, i, before.data());

        f.nodes.push_back(std::make_unique<node>(f.graph, [blocks, i](tbb::flow::continue_msg) {
            blocks->run(blocks->app, i);
            return tbb::flow::continue_msg();
        }));
        for (size_t k = 0; k < n; k++)
            tbb::flow::make_edge(*f.nodes[before[k]], *f.nodes[i]);
        if (n == 0)
            f.roots.push_back(i);
    }
}

} // namespace

enum am_status am_tbb_open(const struct am_executor_setup *setup, struct am_tbb **engine_p,
                           struct am_err *err)
{
    for (size_t i = 0; i < setup->cpu_count; i++) {
        if (setup->cpus[i] < 0 || setup->cpus[i] >= CPU_SETSIZE)
            return am_fail(err, AM_E_LIMIT, "CPU %d is outside 0 to %d", setup->cpus[i],
                           CPU_SETSIZE - 1);
    }
    try {
        *engine_p = new am_tbb(*setup);
    } catch (const std::bad_alloc &) {
        return am_fail(err, AM_E_NOMEM, "no memory for an executor");
    }
    return AM_OK;
}

void am_tbb_close(struct am_tbb *engine)
{
    if (!engine)
        return;
    (void)sched_setaffinity(0, sizeof(engine->home), &engine->home);
    engine->arena.execute([engine] { engine->graph.reset(); });
    (void)sched_setaffinity(0, sizeof(engine->home), &engine->home);
    delete engine;
}

void am_tbb_run_for(struct am_tbb *engine, const struct am_blocks *blocks, uint64_t times)
{
    run_all(engine, blocks, times, [blocks] { loop_once(blocks); });
}

void am_tbb_run_tasks(struct am_tbb *engine, const struct am_blocks *blocks, uint64_t times)
{
    if (blocks->before)
        run_all(engine, blocks, times, [engine] { graph_once(*engine->graph); });
    else
        run_all(engine, blocks, times, [blocks] { tasks_once(blocks); });
}

/* A graph belongs to the arena that it was made in. */
enum am_status am_tbb_make_graph(struct am_tbb *engine, const struct am_blocks *blocks,
                                 struct am_err *err)
{
    if (!blocks->before)
        return AM_OK;
    try {
        engine->arena.execute([engine, blocks] {
            engine->graph.reset();
            engine->graph = std::make_unique<flow>();
            fill(*engine->graph, blocks);
        });
    } catch (const std::bad_alloc &) {
        return am_fail(err, AM_E_NOMEM, "no memory for dependencies of %zu blocks", blocks->count);
    }
    return AM_OK;
}

uint64_t am_tbb_executed(const struct am_tbb *engine)
{
    return engine->executed;
}
