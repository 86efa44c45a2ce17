/* SPDX-License-Identifier: MIT */
/* The heat equation by plain loops, as anybody writes them: two arrays at their natural pitch, sides
 * that wrap around, whatever the compiler makes of it. Shares no code with archmeter.
 *
 * usage: stencil DIMENSIONS SIDE STEPS: prints updates per second, the best of batches that
 * take 1.5 s together. Compiled with -DREAL=double -O3 -march=native by stencil.py. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef REAL
#define REAL double
#endif

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void step_1(const REAL *restrict u, REAL *restrict v, long n, REAL r)
{
    for (long x = 1; x <= n; x++)
        v[x] = (1 - 2 * r) * u[x] + r * (u[x - 1] + u[x + 1]);
    v[0] = v[n];
    v[n + 1] = v[1];
}

static void step_2(const REAL *restrict u, REAL *restrict v, long n, REAL r)
{
    const long row = n + 2;

    for (long y = 1; y <= n; y++) {
        for (long x = 1; x <= n; x++) {
            const long i = y * row + x;

            v[i] = (1 - 4 * r) * u[i] + r * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]);
        }
        v[y * row] = v[y * row + n];
        v[y * row + n + 1] = v[y * row + 1];
    }
    memcpy(v, v + n * row, (size_t)row * sizeof(REAL));
    memcpy(v + (n + 1) * row, v + row, (size_t)row * sizeof(REAL));
}

static void step_3(const REAL *restrict u, REAL *restrict v, long n, REAL r)
{
    const long row = n + 2, plane = row * row;

    for (long z = 1; z <= n; z++) {
        REAL *const p = v + z * plane;

        for (long y = 1; y <= n; y++) {
            for (long x = 1; x <= n; x++) {
                const long i = z * plane + y * row + x;

                v[i] = (1 - 6 * r) * u[i] + r * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] +
                                                 u[i - plane] + u[i + plane]);
            }
            p[y * row] = p[y * row + n];
            p[y * row + n + 1] = p[y * row + 1];
        }
        memcpy(p, p + n * row, (size_t)row * sizeof(REAL));
        memcpy(p + (n + 1) * row, p + row, (size_t)row * sizeof(REAL));
    }
    memcpy(v, v + n * plane, (size_t)plane * sizeof(REAL));
    memcpy(v + (n + 1) * plane, v + plane, (size_t)plane * sizeof(REAL));
}

int main(int argc, char **argv)
{
    static void (*const steps_of[])(const REAL *restrict, REAL *restrict, long, REAL) = {step_1, step_2,
                                                                                       step_3};
    const long dim = argc == 4 ? atol(argv[1]) : 0, n = argc == 4 ? atol(argv[2]) : 0;
    const long steps = argc == 4 ? atol(argv[3]) : 0;
    double points = 1, elements = 1, best = 0, begin;
    REAL *u[2];

    if (dim < 1 || dim > 3 || n < 2 || steps < 1) {
        fprintf(stderr, "usage: stencil DIMENSIONS SIDE STEPS\n");
        return 2;
    }
    for (long d = 0; d < dim; d++) {
        points *= (double)n;
        elements *= (double)(n + 2);
    }
    for (int i = 0; i < 2; i++) {
        u[i] = malloc((size_t)elements * sizeof(REAL));
        if (!u[i])
            return 3;
        for (size_t k = 0; k < (size_t)elements; k++)
            u[i][k] = (REAL)(k * 2654435761u % 1000) / 1000;
    }
    begin = now();
    while (now() - begin < 1.5) {
        const double start = now();
        double rate, took;
        long times = 0;

        do {
            for (long s = 0; s < steps; s++)
                steps_of[dim - 1](u[s & 1], u[~s & 1], n, (REAL)(0.5 / (2 * (double)dim)));
            times++;
            took = now() - start;
        } while (took < 1e-3); /* clocks have their own steps */
        rate = points * (double)(steps * times) / took;
        best = rate > best ? rate : best;
    }
    printf("%.6g\n", best);
    free(u[0]);
    free(u[1]);
    return 0;
}
