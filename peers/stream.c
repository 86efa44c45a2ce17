/* SPDX-License-Identifier: MIT */
/* Loops over arrays as STREAM and pmbw have them. Plain C: the compiler chooses instructions and
 * unrolling (gcc uses no non-temporal stores). Scans: a pointer that runs over the array in steps
 * of sixteen accesses of 64, 128 or 256 bits, spelled out. Shares no code with archmeter.
 *
 * usage: stream KERNEL BYTES    (read, write, copy, scale, add, triad, and on x86-64 read, write,
 * copy with .scan64, .scan128, .scan256; bytes of all arrays together)
 * Prints the median and the best of the batches, bytes per second as STREAM counts them; exit code
 * 3: this build has no such kernel. */
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

/* pmbw's unrolled pointer loops. The offsets of sixteen accesses of W bytes are those of the
 * assembler's repetition; every array is a multiple of 512 bytes long. */
#if defined(__x86_64__)
#define SIXTEEN(W, ACCESS)                                                                         \
    ".set offset, 0\n\t.rept 16\n\t" ACCESS ".set offset, offset + " #W "\n\t.endr\n\t"

#define SCAN(NAME, W, ACCESS, SAVE)                                                                \
    static void NAME(double s)                                                                     \
    {                                                                                              \
        const char *from = (const char *)b, *to = (const char *)a;                                 \
        const char *const end = to + n * sizeof(double);                                           \
                                                                                                   \
        (void)s;                                                                                   \
        __asm__ volatile("1:\n\t" SIXTEEN(W, ACCESS) "add $16 * " #W ", %0\n\t"                    \
                                                     "add $16 * " #W ", %1\n\tcmp %2, %0\n\tjb 1b" \
                         : "+r"(to), "+r"(from)                                                    \
                         : "r"(end)                                                                \
                         : SAVE, "cc", "memory");                                                  \
    }

SCAN(read_scan64, 8, "mov offset(%0), %%rax\n\t", "rax")
SCAN(write_scan64, 8, "mov %%rax, offset(%0)\n\t", "rax")
SCAN(copy_scan64, 8, "mov offset(%1), %%rax\n\tmov %%rax, offset(%0)\n\t", "rax")
SCAN(read_scan128, 16, "movdqa offset(%0), %%xmm0\n\t", "xmm0")
SCAN(write_scan128, 16, "movdqa %%xmm0, offset(%0)\n\t", "xmm0")
SCAN(copy_scan128, 16, "movdqa offset(%1), %%xmm0\n\tmovdqa %%xmm0, offset(%0)\n\t", "xmm0")
#endif
#if defined(__AVX__)
SCAN(read_scan256, 32, "vmovdqa offset(%0), %%ymm0\n\t", "xmm0")
SCAN(write_scan256, 32, "vmovdqa %%ymm0, offset(%0)\n\t", "xmm0")
SCAN(copy_scan256, 32, "vmovdqa offset(%1), %%ymm0\n\tvmovdqa %%ymm0, offset(%0)\n\t", "xmm0")
#endif

static const struct {
    const char *name;
    void (*loop)(double);
    unsigned arrays, bytes; /* bytes counted for an element */
} kernels[] = {
    {"read", loop_read, 1, 8},
    {"write", loop_write, 1, 8},
    {"copy", loop_copy, 2, 16},
    {"scale", loop_scale, 2, 16},
    {"add", loop_add, 3, 24},
    {"triad", loop_triad, 3, 24},
#if defined(__x86_64__)
    {"read.scan64", read_scan64, 1, 8},
    {"write.scan64", write_scan64, 1, 8},
    {"copy.scan64", copy_scan64, 2, 16},
    {"read.scan128", read_scan128, 1, 8},
    {"write.scan128", write_scan128, 1, 8},
    {"copy.scan128", copy_scan128, 2, 16},
#endif
#if defined(__AVX__)
    {"read.scan256", read_scan256, 1, 8},
    {"write.scan256", write_scan256, 1, 8},
    {"copy.scan256", copy_scan256, 2, 16},
#endif
};

static int by_value(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;

    return (p > q) - (p < q);
}

/* Copies must have copied: what a scan leaves out would count as speed. */
static int copied(void)
{
    return memcmp(a, b, n * sizeof(double)) == 0;
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
        return 3;
    n = strtoull(argv[2], NULL, 10) / sizeof(double) / kernels[k].arrays;
    n -= n % 64; /* whole steps of the widest scan */
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
    if (strncmp(argv[1], "copy", 4) == 0 && !copied())
        return 1;
    qsort(rates, BATCHES, sizeof(rates[0]), by_value);
    printf("%.6e %.6e\n", rates[BATCHES / 2], rates[BATCHES - 1]);
    return 0;
}
