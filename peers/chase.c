/* SPDX-License-Identifier: MIT */
/* An independent pointer chase to compare mem.latency with: shares no code with archmeter. Prints
 * nanoseconds per load, the median of SAMPLES.
 *
 * usage: chase BYTES random|local
 *
 * random: one cycle over all lines in random order. local: a random cycle through each window of 64
 * pages, one window after the other. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* A batch is far shorter than a scheduler's time slice: most of them are not interrupted, and the
 * median is of one that was not. */
enum { LINE = 64, WINDOW = 64 * 4096, SAMPLES = 201, BATCH_NS = 200000, HUGE_PAGE = 2 << 20 };

static uint64_t state = 88172645463325252u;

/* xorshift64 */
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Sattolo: one cycle through lines first .. first + n - 1, as successor of each. */
static void sattolo(size_t *next, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        next[first + i] = first + i;
    for (size_t i = n; i-- > 1;) {
        const size_t k = (size_t)(next_random() % i), line = next[first + i];

        next[first + i] = next[first + k];
        next[first + k] = line;
    }
}

/* One cycle of cycles: where a window's closes, it goes on to the next window instead. */
static void make_cycle(size_t *next, size_t lines, size_t per_window)
{
    size_t enter = 0;

    for (size_t first = 0; first < lines; first += per_window)
        sattolo(next, first, lines - first < per_window ? lines - first : per_window);
    for (size_t first = 0; first + per_window < lines; first += per_window) {
        const size_t other = first + per_window, line = next[enter];

        next[enter] = next[other];
        next[other] = line;
        enter = other;
    }
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void **chase(void **p, size_t loads)
{
    for (; loads >= 8; loads -= 8) {
        p = *p, p = *p, p = *p, p = *p;
        p = *p, p = *p, p = *p, p = *p;
    }
    return p;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
    const size_t bytes = argc == 3 ? strtoull(argv[1], NULL, 10) : 0, lines = bytes / LINE;
    const size_t mapped = (bytes / HUGE_PAGE + 2) * HUGE_PAGE;
    size_t *const next = malloc((lines + 1) * sizeof(*next)), loads = 1 << 9;
    char *const raw =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *base;
    double sample[SAMPLES];
    void **p;

    if (lines < 2 || !next || raw == MAP_FAILED)
        return 2;
    base = raw + (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    (void)madvise(base, bytes, MADV_HUGEPAGE);
    state ^= (uint64_t)now_ns();
    memset(base, 0, bytes); /* pages in address order */
    make_cycle(next, lines, strcmp(argv[2], "local") == 0 ? WINDOW / LINE : lines);
    for (size_t i = 0; i < lines; i++)
        *(void **)(base + i * LINE) = base + next[i] * LINE;
    p = chase((void **)base, loads);
    for (double took = 0; took < BATCH_NS; loads *= 2) {
        const double start = now_ns();

        p = chase(p, loads);
        took = now_ns() - start;
    }
    for (int i = 0; i < SAMPLES; i++) {
        const double start = now_ns();

        p = chase(p, loads);
        sample[i] = (now_ns() - start) / (double)loads;
    }
    qsort(sample, SAMPLES, sizeof(*sample), ascending);
    printf("%.4f %s\n", sample[SAMPLES / 2], p ? "ns" : "broken");
    return 0;
}
