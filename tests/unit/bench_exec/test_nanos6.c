/* SPDX-License-Identifier: MIT */
/* The adapter of Nanos6 on a runtime that stands in for it (standin_nanos6/nanos6.c): what every
 * executor must do, dependences by data, and what it refuses. No Nanos6 is here; this tests the
 * adapter, not the runtime. */
#include "bench/nanos6/executors.h"
#include "executor_fixture.h"

enum { CPUS = 2 };

static void check_refusal(const int *cpus, size_t cpu_count)
{
    const struct am_executor *const tasks = am_nanos6_executors[0];
    const struct am_executor_setup setup = {
        .threads = CPUS + 1, .cpus = cpus, .cpu_count = cpu_count};
    struct am_err err = {0};
    void *self = NULL;

    ok(tasks->open(tasks, &setup, &self, &err) == AM_E_ABSENT && !self &&
           strstr(err.text, "2 CPUs, not 3"),
       "another number of threads than of CPUs: %s", err.text);
}

int main(void)
{
    int cpus[2];
    const size_t cpu_count = bx_cpus(cpus, 2);

    ok(!am_nanos6_executors[1], "tasks only: no loops of its own are offered");
    ex_check(am_nanos6_executors[0], CPUS, AM_WAIT_DEFAULT, cpus, cpu_count);
    ex_check(am_nanos6_executors[0], CPUS, AM_WAIT_DEFAULT, cpus, cpu_count);
    check_refusal(cpus, cpu_count);
    return tap_done();
}
