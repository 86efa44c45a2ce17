/* SPDX-License-Identifier: MIT */
/* Judging what else a machine did. */
#include "core/measure/surroundings.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORD(id, bit, word, meaning) word,
#define MEANING(id, bit, word, meaning) meaning,
const char *const am_busy_words[] = {AM_BUSY_MAP(WORD)};
const char *const am_busy_meanings[] = {AM_BUSY_MAP(MEANING)};

/* CPU time per second, in CPUs, from which a launch is busy: a tenth of one CPU for other programs,
 * which may have found a CPU that is not ours, half of that for the hypervisor, which took ours; or
 * a hundredth of all CPUs where that is more (a daemon on one of 256 CPUs is not on ours). Counting
 * in ticks adds its grain. doc/internals/grades.md has the simulation. */
static const double others_least = 0.1, steal_least = 0.05, cpus_share = 0.01;
static const double memory_most = 0.05; /* part of the time that a task waited for memory */
/* A thread of the kernel that finishes our own writing is often there; one of a busy program shows
 * by its CPU time. */
static const double threads_least = 1;
static const unsigned cpus_per_thread = 8; /* CPUs of the machine for which one thread is allowed */

static double allowed(double least, const struct am_surroundings_scale *scale)
{
    if (!(scale->seconds > 0))
        return INFINITY;
    return fmax(least, cpus_share * scale->cpus) + scale->grain_s / scale->seconds;
}

uint32_t am_surroundings_judge(const struct am_surroundings *s,
                               const struct am_surroundings_scale *scale)
{
    uint32_t labels = 0;

    if (s->others > allowed(others_least, scale))
        labels |= AM_BUSY_OTHERS;
    if (s->steal > allowed(steal_least, scale))
        labels |= AM_BUSY_STEAL;
    if (s->pressure_memory > memory_most)
        labels |= AM_BUSY_MEMORY;
    if (s->runnable > fmax(threads_least, scale->cpus / cpus_per_thread))
        labels |= AM_BUSY_RUNNABLE;
    return labels;
}

const char *am_surroundings_text(const struct am_surroundings *s, char *buf, size_t cap)
{
    const struct {
        uint32_t label;
        double number;
        const char *format;
    } rows[] = {
        {AM_BUSY_OTHERS, s->others, "other programs use %.2g CPUs"},
        {AM_BUSY_STEAL, s->steal, "the hypervisor takes %.2g CPUs"},
        {AM_BUSY_MEMORY, 100 * s->pressure_memory, "tasks wait for memory %.0f %% of the time"},
        {AM_BUSY_RUNNABLE, s->runnable, "%.0f other threads are ready to run"},
    };

    buf[0] = '\0';
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char part[80];
        const size_t used = strlen(buf);

        if (!(s->labels & rows[i].label))
            continue;
        (void)snprintf(part, sizeof(part), rows[i].format, rows[i].number);
        (void)am_str_format(buf + used, cap - used, "%s%s", used ? ", " : "", part);
    }
    return buf;
}
