/* SPDX-License-Identifier: MIT */
/* FFTW as one calls it: a complex transform of N points, out of place, by FFTW's own threads.
 * Shares no code with archmeter; peers/apps.py compiles and runs it, with -DF32 for single
 * precision.
 *
 *     fftw_threads N THREADS estimate|measure     prints flop/s, the median of batches
 */
#include <fftw3.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(F32)
#define X(name) fftwf_##name
typedef float real;
#else
#define X(name) fftw_##name
typedef double real;
#endif

enum { BATCHES = 9, BATCH_NS = 20000000 };

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int in_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double measure(X(plan) plan, double n)
{
    double rates[BATCHES];
    long long begin, times = 1, took = 0;

    for (; took < BATCH_NS; times *= 2) {
        begin = now_ns();
        for (long long i = 0; i < times; i++)
            X(execute)(plan);
        took = now_ns() - begin;
    }
    times /= 2;
    for (int b = 0; b < BATCHES; b++) {
        begin = now_ns();
        for (long long i = 0; i < times; i++)
            X(execute)(plan);
        rates[b] = 5 * n * log2(n) * (double)times / (double)(now_ns() - begin) * 1e9;
    }
    qsort(rates, BATCHES, sizeof(rates[0]), in_order);
    return rates[BATCHES / 2];
}

/* The whole word as a number above 0; 0 when it is none. */
static int number_of(const char *word)
{
    char *end;
    const long n = strtol(word, &end, 10);

    return *word && !*end && n > 0 && n < INT_MAX ? (int)n : 0;
}

int main(int argc, char **argv)
{
    const int n = argc == 4 ? number_of(argv[1]) : 0, threads = argc == 4 ? number_of(argv[2]) : 0;
    const unsigned how =
        argc == 4 && strcmp(argv[3], "measure") == 0 ? FFTW_MEASURE : FFTW_ESTIMATE;
    X(complex) * in, *out;
    X(plan) plan;

    if (n < 2 || threads < 1) {
        fprintf(stderr, "usage: fftw_threads N THREADS estimate|measure\n");
        return 2;
    }
    if (!X(init_threads)())
        return 3;
    X(plan_with_nthreads)(threads);
    in = X(malloc)((size_t)n * sizeof(*in));
    out = X(malloc)((size_t)n * sizeof(*out));
    plan = in && out ? X(plan_dft_1d)(n, in, out, FFTW_FORWARD, how) : NULL;
    if (!plan)
        return 3;
    for (int i = 0; i < n; i++) {
        in[i][0] = (real)(2 * drand48() - 1);
        in[i][1] = (real)(2 * drand48() - 1);
    }
    printf("%.6e\n", measure(plan, n));
    return 0;
}
