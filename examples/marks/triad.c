/* SPDX-License-Identifier: MIT */
/* Marked regions in C with OpenMP: a triad and a sum over arrays, each thread marking its part.
 *
 *     cc -O2 -fopenmp -I include -o triad examples/marks/triad.c
 *     archmeter profile -- ./triad 4000000 20
 */
#include <archmeter/mark.h>

#include <stdio.h>
#include <stdlib.h>

static void triad(double *a, const double *b, const double *c, long n)
{
#pragma omp parallel
    {
        long mine = 0;

        am_mark_begin("triad");
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            a[i] = b[i] + 3 * c[i];
            mine++;
        }
        am_mark_end_work("triad", 2.0 * (double)mine, 16.0 * (double)mine, 8.0 * (double)mine);
    }
}

static double sum(const double *a, long n)
{
    double total = 0;

#pragma omp parallel
    {
        double part = 0;
        long mine = 0;

        am_mark_begin("sum");
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            part += a[i];
            mine++;
        }
        am_mark_end_work("sum", (double)mine, 8.0 * (double)mine, 0);
#pragma omp atomic
        total += part;
    }
    return total;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 4000000;
    const long passes = argc > 2 ? strtol(argv[2], NULL, 10) : 20;
    double *const a = malloc((size_t)n * sizeof(*a)), *const b = malloc((size_t)n * sizeof(*b));
    double *const c = malloc((size_t)n * sizeof(*c));
    double total = 0;

    if (n < 1 || !a || !b || !c)
        return 2;
    am_mark_begin("fill");
    for (long i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = 1;
        c[i] = 2;
    }
    am_mark_end("fill");
    for (long i = 0; i < passes; i++) {
        am_mark_begin("pass");
        triad(a, b, c, n);
        total += sum(a, n);
        am_mark_end("pass");
    }
    printf("%.17g\n", total);
    free(a);
    free(b);
    free(c);
    return 0;
}
