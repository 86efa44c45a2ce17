/* SPDX-License-Identifier: MIT */
/* Programs whose bottleneck is known, to see whether `archmeter time --sensitivity` finds it.
 *
 *     cc -O3 -march=native -o depends examples/depends.c
 *     archmeter time --sensitivity './depends triad'      streams through memory: bandwidth
 *     archmeter time --sensitivity './depends chase 8'    a chain of loads through 8 MiB: the cache
 *     archmeter time --sensitivity './depends chase 256'  through 256 MiB: memory's latency
 *     archmeter time --sensitivity './depends loop'       multiplications in registers: the core
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

/* Large pages: small ones would measure the translation of addresses. */
static void *memory(size_t bytes)
{
    void *const p = aligned_alloc(HUGE_PAGE, bytes);

    if (!p)
        exit(2);
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static void triad(void)
{
    enum { N = 4 << 20, PASSES = 96 }; /* three arrays of 32 MiB */
    double *const a = memory(N * sizeof(double)), *const b = memory(N * sizeof(double));
    double *const c = memory(N * sizeof(double));

    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < N; i++)
            a[i] = b[i] + 3 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory");
    }
}

/* Every line once per round, in an order that no prefetcher guesses. */
static void chase(size_t bytes, uint64_t steps)
{
    const size_t n = bytes / LINE;
    char *const base = memory(bytes);
    size_t *const order = memory((n * sizeof(*order) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    uint64_t seed = 1;
    char *p = base;

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 0; i--) { /* Sattolo: one cycle through all */
        size_t k, kept = order[i];

        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
        k = (size_t)(seed >> 33) % i;
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < n; i++)
        *(char **)(base + order[i] * LINE) = base + order[(i + 1) % n] * LINE;
    for (; steps > 0; steps--)
        p = *(char **)p;
    __asm__ volatile("" : : "r"(p));
}

static void loop(void)
{
    uint64_t x = 1;

    for (uint64_t i = 0; i < UINT64_C(200000000); i++) {
        x = x * 3 + i;
        __asm__ volatile("" : "+r"(x));
    }
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    const long mib = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

    if (strcmp(what, "triad") == 0)
        triad();
    else if (strcmp(what, "chase") == 0 && mib > 1 && mib <= 4096)
        chase((size_t)mib << 20, 4000000);
    else if (strcmp(what, "loop") == 0)
        loop();
    else
        return fprintf(stderr, "usage: depends triad | chase MIB (2 to 4096) | loop\n"), 2;
    return 0;
}
