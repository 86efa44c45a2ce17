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

/* A CPU's worth of time per second from which a launch is busy: a tenth of one CPU, or a hundredth
 * of all CPUs where that is more (a daemon on one of 256 CPUs is not on ours). Simulated in
 * doc/internals/grades.md. */
static const double cpus_least = 0.1, cpus_share = 0.01;
static const double memory_most = 0.05;    /* part of the time that a task waited for memory */
static const unsigned cpus_per_thread = 8; /* CPUs of the machine for which one thread is allowed */

static double cpus_allowed(const struct am_surroundings_scale *scale)
{
    return fmax(cpus_least, cpus_share * scale->cpus) + scale->grain_s / scale->seconds;
}

uint32_t am_surroundings_judge(const struct am_surroundings *s,
                               const struct am_surroundings_scale *scale)
{
    const double allowed = scale->seconds > 0 ? cpus_allowed(scale) : INFINITY;
    uint32_t labels = 0;

    if (s->others > allowed)
        labels |= AM_BUSY_OTHERS;
    if (s->steal > allowed)
        labels |= AM_BUSY_STEAL;
    if (s->pressure_memory > memory_most)
        labels |= AM_BUSY_MEMORY;
    if (s->runnable > scale->cpus / cpus_per_thread)
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
