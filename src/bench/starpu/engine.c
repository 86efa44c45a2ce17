/* SPDX-License-Identifier: MIT */
/* StarPU, started for so many threads on their CPUs, and stopped. */
#include "bench/starpu/engine.h"

#include "base/text.h"

#include <limits.h>
#include <sched.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdlib.h>
#include <string.h>

const char *const am_starpu_policies[] = {
    "eager", "prio", "random", "ws", "lws", "dm", "dmda", "modular-eager", "modular-ws", NULL,
};

const char *am_starpu_policy_why_not(const char *policy)
{
    struct starpu_sched_policy *const *p = starpu_sched_get_predefined_policies();

    while (*p && strcmp((*p)->policy_name, policy) != 0)
        p++;
    return *p ? NULL : "this StarPU has no such policy";
}

/* Where it keeps its measurements of the bus, below .starpu: not among a user's own files. */
static void set_home(void)
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    char folder[PATH_MAX];

    if (cache && *cache)
        (void)setenv("STARPU_HOME", cache, 0);
    else if (home && *home && am_str_format(folder, sizeof(folder), "%s/.cache", home))
        (void)setenv("STARPU_HOME", folder, 0);
}

/* What has no field in its configuration. A user's own setting stays. */
static void set_environment(void)
{
    (void)setenv("STARPU_SILENT", "1", 0);
    (void)setenv("STARPU_WORKERS_NOBIND", "1", 0); /* we bind; its numbers of CPUs are not ours */
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 0); /* or it would not see PoCL */
    set_home();
}

/* On each of its CPU workers. */
static void bind_worker(void *arg)
{
    const struct am_starpu_setup *const setup = arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)setup->cpus[(size_t)starpu_worker_get_id() % setup->cpu_count], &set);
    (void)sched_setaffinity(0, sizeof(set), &set); /* unbound where that is refused */
}

static enum am_status check_workers(const struct am_starpu_setup *setup, struct am_err *err)
{
    if (starpu_cpu_worker_get_count() != setup->threads)
        return am_fail(err, AM_E_ABSENT, "StarPU started %u workers on CPUs instead of %zu",
                       starpu_cpu_worker_get_count(), setup->threads);
    if (setup->opencl && starpu_opencl_worker_get_count() == 0)
        return am_fail(err, AM_E_ABSENT, "StarPU found no OpenCL device");
    return AM_OK;
}

enum am_status am_starpu_start(const struct am_starpu_setup *setup, struct am_err *err)
{
    const char *const why_not = am_starpu_policy_why_not(setup->policy);
    struct starpu_conf conf;
    enum am_status s;

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "policy %s: %s", setup->policy, why_not);
    if (setup->threads > STARPU_MAXCPUS)
        return am_fail(err, AM_E_ABSENT, "%zu threads: this StarPU was built for up to %d CPUs",
                       setup->threads, STARPU_MAXCPUS);
    set_environment();
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.sched_policy_name = setup->policy;
    conf.ncpus = (int)setup->threads;
    conf.ncuda = 0;
    conf.nopencl = setup->opencl;
    conf.calibrate = 2; /* forget what other processes measured of the same code */
    if (starpu_init(&conf) != 0)
        return am_fail(err, AM_E_ABSENT, "StarPU finds nothing to run on");
    s = check_workers(setup, err);
    if (s == AM_OK && setup->threads)
        starpu_execute_on_each_worker(bind_worker, (void *)setup, STARPU_CPU);
    starpu_pause();
    if (s != AM_OK)
        am_starpu_stop();
    return s;
}

void am_starpu_wake(void)
{
    starpu_resume();
}

void am_starpu_sleep(void)
{
    starpu_pause();
}

void am_starpu_stop(void)
{
    starpu_resume(); /* who sleeps cannot be told to end */
    starpu_shutdown();
}
