/* SPDX-License-Identifier: MIT */
/* OpenCilk's keywords behind C functions. Compiled by OpenCilk's clang (-fopencilk), by no other
 * but in tests, where a header stands in for its keywords. */
#include "bench/opencilk/engine.h"

#include <stdlib.h>

#include <cilk/cilk.h>
#include <cilk/cilk_api.h>

struct am_opencilk {
    uint64_t executed;
};

enum am_status am_opencilk_open(const struct am_executor_setup *setup,
                                struct am_opencilk **engine_p, struct am_err *err)
{
    const unsigned workers = __cilkrts_get_nworkers();

    if (workers != setup->threads)
        return am_fail(err, AM_E_ABSENT,
                       "OpenCilk has %u workers, not %zu (CILK_NWORKERS, or the CPUs of this "
                       "process)",
                       workers, setup->threads);
    *engine_p = calloc(1, sizeof(**engine_p));
    return *engine_p ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for OpenCilk's engine");
}

void am_opencilk_close(struct am_opencilk *engine)
{
    free(engine);
}

enum am_status am_opencilk_make_graph(struct am_opencilk *engine, const struct am_blocks *blocks,
                                      struct am_err *err)
{
    (void)engine;
    return blocks->before
               ? am_fail(err, AM_E_ABSENT, "OpenCilk's spawned calls know no dependencies")
               : AM_OK;
}

/* A loop that is run from inside a block has its rounds counted with that block. */
static void count(struct am_opencilk *engine, const struct am_blocks *blocks, uint64_t times,
                  int inside)
{
    if (!inside)
        engine->executed += times * blocks->count;
}

void am_opencilk_run_for(struct am_opencilk *engine, const struct am_blocks *blocks, uint64_t times)
{
    const int inside = __cilkrts_running_on_workers();

    for (uint64_t left = times; left; left--) {
        cilk_for(size_t i = 0; i < blocks->count; i++) blocks->run(blocks->app, i);
    }
    count(engine, blocks, times, inside);
}

static void spawn_all(const struct am_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        cilk_spawn blocks->run(blocks->app, i);
    cilk_sync;
}

void am_opencilk_run_tasks(struct am_opencilk *engine, const struct am_blocks *blocks,
                           uint64_t times)
{
    const int inside = __cilkrts_running_on_workers();

    for (uint64_t left = times; left; left--)
        spawn_all(blocks);
    count(engine, blocks, times, inside);
}

uint64_t am_opencilk_executed(const struct am_opencilk *engine)
{
    return engine->executed;
}
