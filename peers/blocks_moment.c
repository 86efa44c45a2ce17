/* SPDX-License-Identifier: MIT */
/* Probes of a moment, and which moments count: see blocks_moment.h. */
#include "blocks_moment.h"

#include <math.h>

double blocks_reading;

void blocks_time_reading(void)
{
    enum { TRIES = 1000 };

    blocks_reading = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t t0 = blocks_ticks();

        blocks_reading = fmin(blocks_reading, (double)(blocks_ticks() - t0));
    }
}

static __attribute__((noinline)) double time_chain(void)
{
    uint64_t n = CHAIN, x = 1;
    const uint64_t t0 = blocks_ticks();

    __asm__ volatile(".p2align 6\n1: .rept 1000\n add %1,%1\n .endr\n dec %0\n jnz 1b"
                     : "+r"(n), "+r"(x)::"cc");
    return (double)(blocks_ticks() - t0) - blocks_reading;
}

/* As many instructions per cycle as go through (nops of four bytes), and a jump per cycle. */
static __attribute__((noinline)) double time_front(void)
{
    uint64_t n = NOPS, jumps = JUMPS;
    const uint64_t t0 = blocks_ticks();

    __asm__ volatile(
        ".p2align 6\n1: .rept 1000\n .byte 0x0f,0x1f,0x40,0\n .endr\n dec %0\n jnz 1b\n"
        ".p2align 6\n2: dec %1\n jnz 2b"
        : "+r"(n), "+r"(jumps)::"cc");
    return (double)(blocks_ticks() - t0) - blocks_reading;
}

struct moment blocks_probe(void)
{
    const double chain = time_chain();

    return (struct moment){.chain = chain, .front = time_front() / chain};
}

/* What probes of the front end took, in bins of half a percent. Moments alone are the lowest heap
 * of these: it ends where the next 5 % hold less than a tenth of it, or at 12 %. */
enum { BINS = 2000, BINS_AHEAD = 10, BINS_IN_HEAP = 24, RARE = 20, SCARCE = 10 };
#define BIN 1.005
#define BIN_LEAST 0.01
static uint64_t bins[BINS];
struct moments blocks_moments = {.limit = INFINITY};

static uint64_t in_bins(int first, int n)
{
    uint64_t sum = 0;

    for (int i = first; i < first + n && i < BINS; i++)
        sum += bins[i];
    return sum;
}

/* The last bin of the heap that begins with one. */
static int end_of_heap(int first)
{
    int n = 1;

    while (n < BINS_IN_HEAP && in_bins(first + n, BINS_AHEAD) * SCARCE >= in_bins(first, n))
        n++;
    return first + n - 1;
}

/* A heap of less than a twentieth of the probes is an accident. */
void blocks_find_limit(void)
{
    for (int i = 0; i < BINS; i++) {
        const int last = bins[i] ? end_of_heap(i) : i;
        const uint64_t heap = in_bins(i, last - i + 1);

        if (heap * RARE >= blocks_moments.probes && heap > 0) {
            blocks_moments.least = BIN_LEAST * pow(BIN, i);
            blocks_moments.limit = BIN_LEAST * pow(BIN, last + 1);
            blocks_moments.alone = heap;
            return;
        }
    }
}

void blocks_note_front(double front)
{
    const double bin = log(front / BIN_LEAST) / log(BIN);

    if (bin >= 0 && bin < BINS)
        bins[(int)bin]++;
    if (++blocks_moments.probes % 1024 == 0)
        blocks_find_limit();
}

static double quantile(double share)
{
    int n = 1;

    while (n < BINS && (double)in_bins(0, n) < share * (double)blocks_moments.probes)
        n++;
    return BIN_LEAST * pow(BIN, n);
}

void blocks_tell_moments(FILE *file)
{
    static const double shares[] = {0.003, 0.03, 0.1, 0.3, 0.5, 0.9};
    const struct moments *const m = &blocks_moments;

    (void)fprintf(
        file, "%llu slices with a steady clock, %llu without; alone %llu, front end %.3f to %.3f\n",
        (unsigned long long)m->probes, (unsigned long long)m->unsteady,
        (unsigned long long)m->alone, m->least, m->limit);
    (void)fprintf(file, "front end, quantiles:");
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        (void)fprintf(file, " %g: %.3f", shares[i], quantile(shares[i]));
    (void)fprintf(file, "\n");
}
