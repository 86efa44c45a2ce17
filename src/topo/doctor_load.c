/* SPDX-License-Identifier: MIT */
/* doctor: other work on the machine, and limits on the CPUs that this process may use. */
#include "topo/doctor_check.h"

#include "topo/probe.h"

#include <inttypes.h>
#include <time.h>

/* Thresholds: what moves a median by about one per cent when it lands on a measuring CPU. */
static const double load_per_cpu_max = 0.05, load_always_fine = 0.5;
static const double pressure_max = 1.0; /* per cent of the last 10 s */
static const double steal_max = 0.01;
static const long steal_window_ns = 250000000; /* 25 ticks of each CPU */

static unsigned usable(const struct am_exam *e)
{
    return e->shape ? e->shape->usable : 1;
}

enum am_level am_check_load_average(struct am_exam *e)
{
    const double scaled = load_per_cpu_max * usable(e);
    const double most = scaled > load_always_fine ? scaled : load_always_fine;
    double load;
    uint64_t others;

    if (!am_probe_load(e->root, &load, &others))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(load > most), "%.2f over the last minute, %u CPUs", load,
                       usable(e));
}

enum am_level am_check_load_pressure(struct am_exam *e)
{
    double percent;

    if (!am_probe_pressure(e->root, "proc/pressure/cpu", &percent, NULL))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(percent > pressure_max),
                       "tasks waited for a CPU %.2f %% of the last 10 s", percent);
}

enum am_level am_check_load_runnable(struct am_exam *e)
{
    double load;
    uint64_t others;

    if (!am_probe_load(e->root, &load, &others))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(others > usable(e) / 8), "%" PRIu64 " other threads",
                       others);
}

/* Share of ticks stolen since boot and, on this machine, in a window of our own. One tick alone is
 * the counter's grain and not a finding. */
enum am_level am_check_load_steal(struct am_exam *e)
{
    const struct timespec window = {.tv_nsec = steal_window_ns};
    struct am_probe_ticks then, later;
    double boot, now = 0;

    if (!am_probe_ticks(e->root, &then) || then.total == 0)
        return am_exam_absent(e);
    boot = (double)then.steal / (double)then.total;
    if (e->root->synthetic)
        return am_exam_say(e, am_exam_warn_if(boot > steal_max), "%.2f %% since boot", 100 * boot);
    (void)nanosleep(&window, NULL);
    if (!am_probe_ticks(e->root, &later))
        return am_exam_absent(e);
    if (later.total > then.total && later.steal > then.steal + 1)
        now = (double)(later.steal - then.steal) / (double)(later.total - then.total);
    return am_exam_say(e, am_exam_warn_if(boot > steal_max || now > steal_max),
                       "%.2f %% since boot, %.2f %% now", 100 * boot, 100 * now);
}

enum am_level am_check_limits_quota(struct am_exam *e)
{
    double cpus;

    if (!am_probe_cpu_quota(e->root, &cpus))
        return am_exam_absent(e);
    if (cpus <= 0)
        return am_exam_say(e, AM_LEVEL_OK, "none");
    return am_exam_say(e, cpus < usable(e) ? AM_LEVEL_ERROR : AM_LEVEL_OK,
                       "%.3g CPUs of time for %u CPUs", cpus, usable(e));
}

enum am_level am_check_limits_throttled(struct am_exam *e)
{
    uint64_t times;

    if (!am_probe_throttled(e->root, &times))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(times > 0), "stopped %" PRIu64 " times by the quota",
                       times);
}

static bool count_of(const struct am_exam *e, const char *path, unsigned *count)
{
    char list[AM_PROBE_CAP];

    return am_probe_line(e->root, path, list, sizeof(list)) && am_probe_cpulist(list, count);
}

enum am_level am_check_limits_cpuset(struct am_exam *e)
{
    char list[AM_PROBE_CAP];
    unsigned allowed, online;

    if (!am_probe_cpuset(e->root, list, sizeof(list)) || !am_probe_cpulist(list, &allowed) ||
        !count_of(e, "sys/devices/system/cpu/online", &online))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(allowed < online), "%s: %u of %u online CPUs", list,
                       allowed, online);
}

enum am_level am_check_limits_affinity(struct am_exam *e)
{
    if (!e->shape)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(e->shape->usable < e->shape->threads),
                       "%u of %u online CPUs", e->shape->usable, e->shape->threads);
}

/* Not the kernel's `offline` list: it also names slots that no CPU was ever put into. */
enum am_level am_check_limits_offline(struct am_exam *e)
{
    unsigned present, online;

    if (!count_of(e, "sys/devices/system/cpu/present", &present) ||
        !count_of(e, "sys/devices/system/cpu/online", &online))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(online < present), "%u of %u present CPUs are online",
                       online, present);
}
