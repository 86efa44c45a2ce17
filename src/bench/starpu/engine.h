/* SPDX-License-Identifier: MIT */
/* StarPU, started and stopped: one at a time in a process, it keeps its state to itself. */
#ifndef AM_BENCH_STARPU_ENGINE_H
#define AM_BENCH_STARPU_ENGINE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Words of policies in the order of the axis, ended by NULL; not every StarPU has all. */
extern const char *const am_starpu_policies[];
/* NULL when this StarPU has the policy. */
const char *am_starpu_policy_why_not(const char *policy);

struct am_starpu_setup {
    const char *policy;
    size_t threads;  /* its workers on CPUs; the caller's thread only submits. 0: none */
    const int *cpus; /* worker i belongs on cpus[i % cpu_count] */
    size_t cpu_count;
    bool opencl; /* and one OpenCL device, whatever kind it is of */
};

/* AM_E_ABSENT refuses the setup. Workers wait asleep until am_starpu_wake(). */
enum am_status am_starpu_start(const struct am_starpu_setup *setup, struct am_err *err);
/* Idle workers spin: they are kept asleep outside of runs. */
void am_starpu_wake(void);
void am_starpu_sleep(void);
/* From asleep. */
void am_starpu_stop(void);

#endif
