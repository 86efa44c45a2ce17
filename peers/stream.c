/* SPDX-License-Identifier: MIT */
/* Loops over arrays in plain C, as STREAM and pmbw write them: the compiler chooses instructions
 * and unrolling (gcc uses no non-temporal stores). Shares no code with archmeter.
 *
 * usage: stream KERNEL BYTES    (read, write, copy, scale, add, triad; bytes of all arrays
 * together) Prints the median and the best of the batches, bytes a second as STREAM counts them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BATCHES = 21, BATCH_NS = 5000000, ALIGN = 2 << 20, STAGGER = 21 * 64 / sizeof(double) };

static double *a, *b, *c;
static size_t n;
static volatile uint64_t sink;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void loop_read(double s)
{
    const uint64_t *const x = (const uint64_t *)(const void *)a;
    uint64_t sum = 0;

    (void)s;
    for (size_t i = 0; i < n; i++)
        sum ^= x[i];
    sink = sum;
}

static void loop_write(double s)
{
    for (size_t i = 0; i < n; i++)
        a[i] = s;
}

static void loop_copy(double s)
{
    double *restrict to = a;

    (void)s;
    for (size_t i = 0; i < n; i++)
        to[i] = b[i];
}

static void loop_scale(double s)
{
    double *restrict to = a;

    for (size_t i = 0; i < n; i++)
        to[i] = s * b[i];
}

static void loop_add(double s)
{
    double *restrict to = a;

    (void)s;
    for (size_t i = 0; i < n; i++)
        to[i] = b[i] + c[i];
}

static void loop_triad(double s)
{
    double *restrict to = a;

    for (size_t i = 0; i < n; i++)
        to[i] = b[i] + s * c[i];
}

static const struct {
    const char *name;
    void (*loop)(double);
    unsigned arrays, bytes; /* bytes counted for an element */
} kernels[] = {
    {"read", loop_read, 1, 8},    {"write", loop_write, 1, 8}, {"copy", loop_copy, 2, 16},
    {"scale", loop_scale, 2, 16}, {"add", loop_add, 3, 24},    {"triad", loop_triad, 3, 24},
};

static int by_value(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;

    return (p > q) - (p < q);
}

static double *array(void)
{
    const size_t bytes = (n + STAGGER * 4) * sizeof(double) + ALIGN;
    double *const p = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);

    if (!p)
        exit(1);
    madvise(p, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < n + STAGGER * 4; i++)
        p[i] = (double)(i % 1024);
    return p;
}

static uint64_t batch(void (*loop)(double), uint64_t passes)
{
    const uint64_t begin = now_ns();

    for (uint64_t i = 0; i < passes; i++) {
        loop(3);
        __asm__ volatile("" ::: "memory");
    }
    return now_ns() - begin;
}

int main(int argc, char **argv)
{
    size_t k = 0;
    uint64_t passes = 1;
    double rates[BATCHES];

    if (argc != 3)
        return 2;
    while (k < sizeof(kernels) / sizeof(kernels[0]) && strcmp(kernels[k].name, argv[1]) != 0)
        k++;
    if (k == sizeof(kernels) / sizeof(kernels[0]))
        return 2;
    n = strtoull(argv[2], NULL, 10) / sizeof(double) / kernels[k].arrays;
    if (n == 0)
        return 2;
    a = array();
    b = array() + STAGGER;
    c = array() + 2 * STAGGER;
    while (batch(kernels[k].loop, passes) < BATCH_NS)
        passes *= 2;
    for (int i = 0; i < BATCHES; i++)
        rates[i] = (double)kernels[k].bytes * (double)n * (double)passes * 1e9 /
                   (double)batch(kernels[k].loop, passes);
    qsort(rates, BATCHES, sizeof(rates[0]), by_value);
    printf("%.6e %.6e\n", rates[BATCHES / 2], rates[BATCHES - 1]);
    return 0;
}
