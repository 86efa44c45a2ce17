/* SPDX-License-Identifier: MIT */
/* OpenMP overheads by hand, as the EPCC paper of 2004 has them: shares no code with archmeter.
 * Prints the overhead of one directive in nanoseconds, a line a measurement.
 *
 * usage: omp_byhand barrier|parallel|for|critical|atomic_add_f64|dynamic_1 DELAY_NS [MEASUREMENTS]
 *
 * The team is that of OMP_NUM_THREADS. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERSPERTHR = 1024 };

static const double test_time = 2e-3; /* seconds that a measurement lasts at least */
static long delaylength;
static volatile double shared;

static _Thread_local float
    sum; /* carried from delay to delay: no core can begin the next one early */

static void __attribute__((noinline)) delay(long length)
{
    float a = sum;

    for (long i = 0; i < length; i++)
        a += (float)i;
    sum = a > 1e9f ? 0 : a;
}

static void reference(long innerreps)
{
    for (long j = 0; j < innerreps; j++)
        delay(delaylength);
}

static void barrier(long innerreps)
{
#pragma omp parallel
    for (long j = 0; j < innerreps; j++) {
        delay(delaylength);
#pragma omp barrier
    }
}

static void parallel(long innerreps)
{
    for (long j = 0; j < innerreps; j++) {
#pragma omp parallel
        delay(delaylength);
    }
}

static void for_loop(long innerreps)
{
#pragma omp parallel
    for (long j = 0; j < innerreps; j++) {
#pragma omp for
        for (int i = 0; i < omp_get_num_threads(); i++)
            delay(delaylength);
    }
}

static void critical(long innerreps)
{
#pragma omp parallel
    for (long j = 0; j < innerreps / omp_get_num_threads(); j++) {
#pragma omp critical
        delay(delaylength);
    }
}

static void atomic_reference(long innerreps)
{
    for (long j = 0; j < innerreps; j++)
        shared += 1;
}

static void atomic(long innerreps)
{
#pragma omp parallel
    for (long j = 0; j < innerreps / omp_get_num_threads(); j++) {
#pragma omp atomic
        shared += 1;
    }
}

static void dynamic_reference(long innerreps)
{
    reference(innerreps * ITERSPERTHR);
}

static void dynamic(long innerreps)
{
#pragma omp parallel
    for (long j = 0; j < innerreps; j++) {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < ITERSPERTHR * omp_get_num_threads(); i++)
            delay(delaylength);
    }
}

static const struct {
    const char *name;
    void (*construct)(long innerreps), (*reference)(long innerreps);
} tests[] = {
    {"barrier", barrier, reference},
    {"parallel", parallel, reference},
    {"for", for_loop, reference},
    {"critical", critical, reference},
    {"atomic_add_f64", atomic, atomic_reference},
    {"dynamic_1", dynamic, dynamic_reference},
};

static double seconds(void (*fn)(long), long innerreps)
{
    const double start = omp_get_wtime();

    fn(innerreps);
    return omp_get_wtime() - start;
}

static double best_of(int tries, void (*fn)(long), long innerreps)
{
    double best = seconds(fn, innerreps);

    for (int i = 1; i < tries; i++) {
        const double t = seconds(fn, innerreps);

        best = t < best ? t : best;
    }
    return best; /* other work on the machine only adds */
}

/* Doubling from the size of the team, so that the team divides it, until the test time is reached.
 */
static long choose_innerreps(void (*fn)(long))
{
    long innerreps = omp_get_max_threads();

    while (best_of(5, fn, innerreps) < test_time)
        innerreps *= 2;
    return innerreps;
}

/* A delay of `wanted` seconds. */
static void choose_delay(double wanted)
{
    while (best_of(20, reference, 1000) / 1000 < wanted)
        delaylength += 1 + delaylength / 50;
}

int main(int argc, char **argv)
{
    const int measurements = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 20;
    size_t t = 0;

    while (argc > 2 && t < sizeof(tests) / sizeof(tests[0]) && strcmp(tests[t].name, argv[1]) != 0)
        t++;
    if (argc < 3 || t == sizeof(tests) / sizeof(tests[0]) || measurements < 1) {
        fprintf(stderr, "usage: omp_byhand CONSTRUCT DELAY_NS [MEASUREMENTS]\n");
        return 2;
    }
    choose_delay(strtod(argv[2], NULL) * 1e-9);
    const long innerreps = choose_innerreps(tests[t].construct);
    for (int i = 0; i < measurements; i++) {
        const double ts = seconds(tests[t].reference, innerreps);
        const double tp = seconds(tests[t].construct, innerreps);

        printf("%.6g\n", (tp - ts) / (double)innerreps * 1e9);
    }
    return 0;
}
