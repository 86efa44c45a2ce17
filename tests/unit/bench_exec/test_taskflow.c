/* SPDX-License-Identifier: MIT */
/* The executors of Taskflow: what every executor must do, and where its threads run. */
#include "bench/taskflow/executors.h"
#include "executor_fixture.h"

#include <sched.h>

/* Which CPUs a loop of long blocks was seen on. */
struct seen {
    _Atomic unsigned elsewhere;
    const int *cpus;
    size_t cpu_count;
};

static void look(void *app, size_t block)
{
    struct seen *const s = app;
    const int here = sched_getcpu();
    bool known = false;

    (void)block;
    for (size_t i = 0; i < s->cpu_count; i++)
        known = known || s->cpus[i] == here;
    s->elsewhere += !known;
}

static void check_places(const int *cpus, size_t cpu_count)
{
    const struct am_executor_setup setup = {
        .threads = 2, .cpus = cpus, .cpu_count = cpu_count, .wait = AM_WAIT_DEFAULT};
    struct seen seen = {.cpus = cpus, .cpu_count = cpu_count};
    const struct am_blocks blocks = {.count = 2000, .app = &seen, .run = look};
    cpu_set_t before, after;
    struct am_err err = {0};
    void *self = NULL;

    (void)sched_getaffinity(0, sizeof(before), &before);
    if (!ok(am_taskflow_executors[0]->open(am_taskflow_executors[0], &setup, &self, &err) == AM_OK,
            "two threads on one list of CPUs (%s)", err.text))
        return;
    am_taskflow_executors[0]->run(self, &blocks, 3);
    am_taskflow_executors[0]->close(self);
    (void)sched_getaffinity(0, sizeof(after), &after);
    ok(seen.elsewhere == 0, "blocks run on the CPUs that were given");
    ok(CPU_EQUAL(&before, &after), "the caller's affinity is as before");
}

static void check_refusal(const int *cpus, size_t cpu_count)
{
    const struct am_executor_setup none = {.threads = 0, .cpus = cpus, .cpu_count = cpu_count};
    struct am_err err = {0};
    void *self = NULL;

    ok(am_taskflow_executors[0]->open(am_taskflow_executors[0], &none, &self, &err) == AM_E_LIMIT &&
           !self,
       "no threads: %s", err.text);
}

int main(void)
{
    static const size_t threads[] = {1, 2, 4};
    int cpus[2];
    const size_t cpu_count = bx_cpus(cpus, 2);

    for (size_t e = 0; am_taskflow_executors[e]; e++) {
        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
            ex_check(am_taskflow_executors[e], threads[i], AM_WAIT_DEFAULT, cpus, cpu_count);
    }
    check_places(cpus, 1);
    check_refusal(cpus, cpu_count);
    return tap_done();
}
