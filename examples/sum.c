/* SPDX-License-Identifier: MIT */
/* A small program for the example experiment: sums an array by strides until enough time has passed,
 * and prints how long one pass took and how many there were. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const size_t stride = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    double *const a = n ? malloc(n * sizeof(*a)) : NULL;
    double sum = 0, begin, took = 0;
    unsigned long passes = 0;

    if (!a || !stride || stride > n) {
        fprintf(stderr, "usage: sum ELEMENTS STRIDE\n");
        return 2;
    }
    for (size_t i = 0; i < n; i++)
        a[i] = (double)(i % 7);
    begin = now();
    while (took < 0.005) {
        for (size_t k = 0; k < stride; k++) {
            for (size_t i = k; i < n; i += stride)
                sum += a[i];
        }
        passes++;
        took = now() - begin;
    }
    printf("passes: %lu\n", passes);
    printf("pass took %.9g s, sum %.17g\n", took / (double)passes, sum / (double)passes);
    free(a);
    return 0;
}
