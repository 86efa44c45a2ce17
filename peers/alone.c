/* SPDX-License-Identifier: MIT */
/* Tells whether a CPU has its core for itself: prints the time of many `nop`s over that of a chain
 * of additions, the median of pairs.
 *
 * usage: alone CPU
 *
 * The chain takes one cycle per addition whoever shares the core. `nop`s go through the front end
 * as many per cycle as it has room for: who works on the core's other thread, a stranger of another
 * guest perhaps, takes up to half of these slots, and the quotient rises by as much. A pair counts
 * where the chain took the same time before and behind it: then nothing interrupted it and the
 * clock was steady. Prints 0 where nothing can be told. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 60, KEPT_MIN = 5, TURNS = 100 };
#if defined(__x86_64__)
#define ADDITION "add %0, %0" /* a number in its place some cores add while they rename */
#elif defined(__aarch64__)
#define ADDITION "add %0, %0, %0"
#else
#define ADDITION "" /* nothing is added, which tells that nothing is known */
#endif
#define STEADY 0.02 /* by which the chains around a pair may differ */

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_chain(void)
{
    const double begin = seconds();
    uint64_t x = 1;

    __asm__ volatile(".rept 8000\n\t" ADDITION "\n\t.endr" : "+r"(x) : : "cc");
    return x == 0 ? seconds() - begin : 0; /* doubled 64 times and more */
}

static double time_nops(void)
{
    const double begin = seconds();

    for (volatile int i = 0; i < TURNS; i++)
        __asm__ volatile(".rept 160\n\tnop\n\t.endr");
    return seconds() - begin;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double kept[PAIRS], before = 0;
    cpu_set_t set;
    unsigned long cpu;
    char *end;
    int n = 0;

    if (argc != 2)
        return 2;
    cpu = strtoul(argv[1], &end, 10);
    if (end == argv[1] || *end || cpu >= CPU_SETSIZE)
        return 2;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        return 1;
    before = time_chain();
    for (int i = 0; i < PAIRS; i++) {
        const double nops = time_nops(), after = time_chain();

        if (before > 0 && fabs(after / before - 1) < STEADY)
            kept[n++] = nops / after;
        before = after;
    }
    qsort(kept, (size_t)n, sizeof(kept[0]), by_value);
    printf("%.4f\n", n < KEPT_MIN ? 0 : kept[n / 2]);
    return 0;
}
