/* SPDX-License-Identifier: MIT */
/* Time: the monotonic raw clock with its measured cost, and the core clock by a dependent chain. */
#include "base/clock.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

enum {
    OVERHEAD_SAMPLES = 201,
    OVERHEAD_READS = 8, /* readings per sample, so that a 1 ns step does not round the cost away */
    CHAIN_ADDS = 64,    /* adds in the unrolled body; the loop's own branch hides behind them */
    CHAIN_LOOPS = 512,  /* 32768 adds: about 10 us at 3 GHz */
    CHAIN_PROBES = 3,
};

uint64_t am_now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t real_now(void *self)
{
    (void)self;
    return am_now_ns();
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void am_clock_init(struct am_clock *c)
{
    uint64_t cost[OVERHEAD_SAMPLES];
    uint64_t step = UINT64_MAX;

    *c = (struct am_clock){.name = "monotonic-raw", .now_ns = real_now};
    for (size_t i = 0; i < OVERHEAD_SAMPLES; i++) {
        const uint64_t t0 = c->now_ns(c->self);
        uint64_t t = t0;

        for (int k = 0; k < OVERHEAD_READS; k++) {
            const uint64_t next = c->now_ns(c->self);

            if (next > t && next - t < step)
                step = next - t;
            t = next;
        }
        cost[i] = t - t0;
    }
    qsort(cost, OVERHEAD_SAMPLES, sizeof(cost[0]), by_value);
    c->overhead_ns = (cost[OVERHEAD_SAMPLES / 2] + OVERHEAD_READS / 2) / OVERHEAD_READS;
    c->resolution_ns = step == UINT64_MAX ? 0 : step;
}

/* Sixty-four adds, each waiting for the one before: one core cycle each on every x86-64 and AArch64
 * core known to us. The operand is a register: recent cores fold chains of small immediates. */
#if defined(__x86_64__)
#define ADD_CHAIN(x, y)                                                                            \
    __asm__ volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+r"(x) : "r"(y) : "cc")
#elif defined(__aarch64__)
#define ADD_CHAIN(x, y) __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(x) : "r"(y))
#else
#error "no dependent add chain for this architecture"
#endif

static void add_chain(unsigned loops)
{
    uint64_t x = 1, y = 3;

    for (unsigned i = 0; i < loops; i++)
        ADD_CHAIN(x, y);
}

double am_clock_probe_s(double hz)
{
    return hz > 0 ? (double)CHAIN_ADDS * CHAIN_LOOPS / hz : (double)INFINITY;
}

double am_clock_core_hz(const struct am_clock *c)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < CHAIN_PROBES; i++) {
        const uint64_t t0 = c->now_ns(c->self);
        uint64_t t;

        add_chain(CHAIN_LOOPS);
        t = c->now_ns(c->self) - t0;
        if (t < best)
            best = t;
    }
    if (best <= c->overhead_ns || best == UINT64_MAX)
        return 0;
    return (double)CHAIN_ADDS * CHAIN_LOOPS * 1e9 / (double)(best - c->overhead_ns);
}
