/* SPDX-License-Identifier: MIT */
/* The machine's activity from /proc. */
#include "topo/activity.h"

#include "base/text.h"
#include "topo/probe.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Of /proc/self/stat, counted from the bracket that ends the name. */
    OWN_FIRST = 12, /* user time; system time and those of ended children follow */
    OWN_TIMES = 4,
    TICKS_ROUNDED = 3, /* that all the counters together may be off, besides one per busy CPU */
    STAT_CAP = 1024,
    PATH_CAP = 32,
};

/* The number `index` blanks behind the beginning of the text. */
static bool number_at(const char *text, int index, uint64_t *out)
{
    while (index-- > 0) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return am_parse_u64(text, strcspn(text, " \n"), out);
}

/* The name stands in brackets and may hold anything. */
static bool read_own(const struct am_fsroot *root, const char *path, uint64_t *ticks)
{
    char text[STAT_CAP];
    const char *name_end;

    *ticks = 0;
    if (am_fsroot_read(root, path, text, sizeof(text)) <= 0)
        return false;
    name_end = strrchr(text, ')');
    for (int i = 0; name_end && i < OWN_TIMES; i++) {
        uint64_t part;

        if (!number_at(name_end, OWN_FIRST + i, &part))
            return false;
        *ticks += part;
    }
    return name_end != NULL;
}

void am_activity_read(const struct am_fsroot *root, struct am_activity *out)
{
    static const char *const files[AM_PRESSURES] = {"proc/pressure/cpu", "proc/pressure/memory",
                                                    "proc/pressure/io"};
    struct am_probe_ticks ticks;

    *out = (struct am_activity){0};
    out->has_load = am_probe_load(root, &out->load, &out->runnable);
    out->has_ticks = am_probe_ticks(root, &ticks);
    if (out->has_ticks) {
        out->total = ticks.total;
        out->busy = ticks.busy;
        out->steal = ticks.steal;
    }
    out->has_own = read_own(root, "proc/self/stat", &out->own);
    for (int i = 0; i < AM_PRESSURES; i++)
        out->has_pressure[i] = am_probe_pressure(root, files[i], NULL, &out->waited[i]);
}

void am_activity_add_helper(const struct am_fsroot *root, pid_t helper, struct am_activity *out)
{
    char path[PATH_CAP];
    uint64_t ticks;

    (void)am_str_format(path, sizeof(path), "proc/%d/stat", (int)helper);
    if (out->has_own && read_own(root, path, &ticks))
        out->own += ticks;
}

/* NAN when one of the two is not known. A total that falls (a CPU went offline) has not risen. */
static double per_second(bool known, uint64_t before, uint64_t after, double unit, double seconds)
{
    if (!known || !(seconds > 0))
        return NAN;
    return after > before ? (double)(after - before) * unit / seconds : 0;
}

double am_activity_seconds(const struct am_activity *before, const struct am_activity *after,
                           unsigned cpus)
{
    const bool known = before->has_ticks && after->has_ticks && after->total > before->total;

    return known ? (double)(after->total - before->total) / (double)sysconf(_SC_CLK_TCK) / cpus : 0;
}

struct am_surroundings am_activity_between(const struct am_activity *before,
                                           const struct am_activity *after, double seconds,
                                           size_t worker_cpus, unsigned cpus)
{
    const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    const bool ticks = before->has_ticks && after->has_ticks;
    const bool own = before->has_own && after->has_own;
    const uint64_t fewer = before->runnable < after->runnable ? before->runnable : after->runnable;
    double pressure[AM_PRESSURES];
    struct am_surroundings s;

    for (int i = 0; i < AM_PRESSURES; i++)
        pressure[i] = per_second(before->has_pressure[i] && after->has_pressure[i],
                                 before->waited[i], after->waited[i], 1e-6, seconds);
    s = (struct am_surroundings){
        .load = before->has_load ? before->load : (double)NAN,
        .runnable = before->has_load && after->has_load ? (double)fewer : (double)NAN,
        .others = per_second(ticks && own, before->busy, after->busy, tick_s, seconds) -
                  per_second(ticks && own, before->own, after->own, tick_s, seconds),
        .steal = per_second(ticks, before->steal, after->steal, tick_s, seconds),
        .pressure_cpu = pressure[AM_PRESSURE_CPU],
        .pressure_memory = pressure[AM_PRESSURE_MEMORY],
        .pressure_io = pressure[AM_PRESSURE_IO],
    };
    s.labels =
        am_surroundings_judge(&s, &(struct am_surroundings_scale){
                                      .seconds = seconds,
                                      .grain_s = tick_s * (TICKS_ROUNDED + (double)worker_cpus),
                                      .cpus = cpus,
                                  });
    return s;
}
