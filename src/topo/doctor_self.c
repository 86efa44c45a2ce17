/* SPDX-License-Identifier: MIT */
/* doctor: this program's build and environment, and the noise that it meets when it runs. */
#include "topo/doctor_check.h"

#include "base/clock.h"
#include "base/text.h"
#include "topo/build.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

extern char **environ;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum am_level am_check_build_optimisation(struct am_exam *e)
{
    const struct am_build *b = am_build_facts();

    return am_exam_say(e, b->optimized ? AM_LEVEL_OK : AM_LEVEL_ERROR, "%s (%s)", b->type,
                       b->flags);
}

enum am_level am_check_build_assertions(struct am_exam *e)
{
    return am_exam_say(e, AM_LEVEL_OK, "%s", am_build_facts()->assertions ? "on" : "off");
}

enum am_level am_check_build_sanitizers(struct am_exam *e)
{
    const char *names = am_build_sanitizers();

    return am_exam_say(e, names ? AM_LEVEL_ERROR : AM_LEVEL_OK, "%s", names ? names : "none");
}

/* Variables that change how many threads run, where they run, or which code runs. */
enum am_level am_check_build_environment(struct am_exam *e)
{
    static const char *const patterns[] = {
        "OMP_*=*",         "GOMP_*=*",     "KMP_*=*",          "LIBOMP_*=*",
        "*_NUM_THREADS=*", "LD_PRELOAD=*", "GLIBC_TUNABLES=*", "MALLOC_*=*",
    };
    struct am_text found;
    enum am_level level;

    am_text_init(&found, 1 << 12);
    for (char **v = environ; v && *v; v++) {
        bool hit = false;

        for (size_t i = 0; i < COUNT(patterns) && !hit; i++)
            hit = am_glob_match(patterns[i], *v);
        if (hit)
            am_text_addf(&found, "%s%s", found.len ? " " : "", *v);
    }
    level = am_exam_say(e, am_exam_warn_if(found.len > 0), "%s",
                        found.len ? am_text_str(&found) : "none set");
    am_text_fini(&found);
    return level;
}

/* One quantum of work and one look at the clock decide what counts as a detour. */
static const uint64_t quantum_ns = 100000;
static const uint64_t gap_ns = 1000;     /* far above a reading, below any interrupt with work */
static const double slow_quantum = 1.05; /* of the median */
static const double detour_share_max = 0.01;
static const double probe_longest_s = 10;

/* Dependent additions: no memory, no branch to mispredict, one clock speed. */
static void work(uint64_t rounds)
{
    uint64_t x = rounds;

    for (uint64_t i = 0; i < rounds; i++)
        __asm__ volatile("" : "+r"(x));
}

static uint64_t timed_work(uint64_t rounds)
{
    const uint64_t start = am_now_ns();

    work(rounds);
    return am_now_ns() - start;
}

static uint64_t calibrate(void)
{
    uint64_t rounds = 1000;

    while (rounds < (uint64_t)1 << 40 && timed_work(rounds) < quantum_ns)
        rounds *= 2;
    return rounds;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Share of the time by which quanta exceed the median one. The median, not the shortest: the core
 * clock may drift, and that is another check's business. */
static double quantum_share(struct am_arena *arena, uint64_t span_ns)
{
    const size_t cap = (size_t)(span_ns / quantum_ns) + 1;
    uint64_t *times = am_arena_array(arena, cap, sizeof(*times));
    const uint64_t rounds = calibrate(), start = am_now_ns();
    double median, total = 0, lost = 0;
    size_t n = 0;

    while (times && n < cap && am_now_ns() - start < span_ns)
        times[n++] = timed_work(rounds);
    if (n == 0)
        return 0;
    qsort(times, n, sizeof(*times), by_value);
    median = (double)times[n / 2];
    for (size_t i = 0; i < n; i++) {
        total += (double)times[i];
        if ((double)times[i] > slow_quantum * median)
            lost += (double)times[i] - median;
    }
    return lost / total;
}

/* Share of the time in gaps between two readings of the clock; the longest gap in ns. */
static double gap_share(uint64_t span_ns, uint64_t *longest)
{
    const uint64_t start = am_now_ns();
    uint64_t last = start, lost = 0;

    *longest = 0;
    while (last - start < span_ns) {
        const uint64_t now = am_now_ns(), gap = now - last;

        if (gap > gap_ns)
            lost += gap;
        if (gap > *longest)
            *longest = gap;
        last = now;
    }
    return (double)lost / (double)(last - start);
}

enum am_level am_check_noise_detour(struct am_exam *e)
{
    const double wanted = e->request->noise_probe_s;
    const double span_s = wanted < probe_longest_s ? wanted : probe_longest_s;
    const uint64_t half_ns = (uint64_t)(span_s * 0.5e9);
    struct rusage before, after;
    uint64_t longest;
    double quanta, gaps;

    if (!(wanted > 0))
        return am_exam_say(e, AM_LEVEL_UNKNOWN, "not probed");
    (void)getrusage(RUSAGE_SELF, &before);
    quanta = quantum_share(e->arena, half_ns);
    gaps = gap_share(half_ns, &longest);
    (void)getrusage(RUSAGE_SELF, &after);
    return am_exam_say(e, am_exam_warn_if(quanta > detour_share_max || gaps > detour_share_max),
                       "%.2f %% of work quanta, %.2f %% in timer gaps, longest %.0f us, "
                       "%ld involuntary switches",
                       100 * quanta, 100 * gaps, (double)longest / 1e3,
                       after.ru_nivcsw - before.ru_nivcsw);
}
