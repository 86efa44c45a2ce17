/* SPDX-License-Identifier: MIT */
/* The adapter of OpenCilk on a stand-in for its keywords: what every executor must do, and what it
 * refuses. No OpenCilk is here; this tests the adapter, not the runtime. */
#include "bench/opencilk/executors.h"
#include "executor_fixture.h"

#include <cilk/cilk_api.h>

enum { WORKERS = 2 };

unsigned __cilkrts_get_nworkers(void)
{
    return WORKERS;
}

int __cilkrts_running_on_workers(void)
{
    return 0;
}

static size_t after_first(const void *app, size_t block, size_t *before)
{
    (void)app;
    before[0] = 0;
    return block > 0;
}

static void nothing(void *app, size_t block)
{
    (void)app, (void)block;
}

static void check_refusals(const int *cpus, size_t cpu_count)
{
    const struct am_executor *const tasks = am_opencilk_executors[1];
    const struct am_blocks ordered = {
        .count = 3, .run = nothing, .before = after_first, .before_max = 1};
    struct am_executor_setup setup = {.threads = 3, .cpus = cpus, .cpu_count = cpu_count};
    struct am_err err = {0};
    void *self = NULL;

    ok(tasks->open(tasks, &setup, &self, &err) == AM_E_ABSENT && !self &&
           strstr(err.text, "2 workers, not 3"),
       "another number of threads than of workers: %s", err.text);
    setup.threads = WORKERS;
    err = (struct am_err){0};
    if (!ok(tasks->open(tasks, &setup, &self, &err) == AM_OK, "as many as there are %s", err.text))
        return;
    ok(tasks->prepare(self, &ordered, &err) == AM_E_ABSENT && strstr(err.text, "no dependencies"),
       "blocks that wait for others: %s", err.text);
    tasks->close(self);
}

int main(void)
{
    int cpus[2];
    const size_t cpu_count = bx_cpus(cpus, 2);

    for (size_t e = 0; am_opencilk_executors[e]; e++)
        ex_check(am_opencilk_executors[e], WORKERS, AM_WAIT_DEFAULT, cpus, cpu_count);
    check_refusals(cpus, cpu_count);
    return tap_done();
}
