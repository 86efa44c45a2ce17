/* SPDX-License-Identifier: MIT */
/* The pointer chase from within: its cycle visits every line once, in the pattern's order. */
#include "bench/cpu/mem_latency.c" /* its state is nobody else's business */
#include "tap.h"

enum { BYTES = 3 * WINDOW_BYTES + 5 * LINE_DEFAULT }; /* three windows and a piece of a fourth */

static bool start(struct latency *l, enum pattern pattern, uint64_t seed)
{
    static const int cpus[] = {0};
    const struct am_ctx ctx = {
        .cpus = cpus, .cpu_count = 1, .seed = seed, .memory_limit_bytes = UINT64_MAX};
    const struct am_value point[] = {
        [SIZE] = {.i = BYTES}, [PATTERN] = {.i = pattern}, [PAGES] = {.i = AM_PAGES_ANY}};
    struct am_work work = {0};
    struct am_err err = {0};

    *l = (struct latency){0};
    return ok(prepare(l, &ctx, point, &work, &err) == AM_OK, "%s is prepared %s", patterns[pattern],
              err.text);
}

static size_t line_of(const struct latency *l, const void *p)
{
    return (size_t)((const char *)p - l->memory.base) / l->line_bytes;
}

static void check_cycle(enum pattern pattern)
{
    struct latency l;
    unsigned char *seen;
    size_t visits = 0, crossings = 0, words = 0;
    const void *p;

    if (!start(&l, pattern, 7))
        return;
    seen = calloc(l.lines, 1);
    p = l.stop;
    do {
        const void *const next = *(const void *const *)p;

        visits += !seen[line_of(&l, p)]++;
        crossings += line_of(&l, p) * l.line_bytes / WINDOW_BYTES !=
                     line_of(&l, next) * l.line_bytes / WINDOW_BYTES;
        words |= (size_t)1 << (uintptr_t)p % l.line_bytes / sizeof(void *);
        p = next;
    } while (p != l.stop && visits < l.lines + 1 && seen[line_of(&l, p)] == 0);
    ok(visits == l.lines && p == l.stop, "%s: one cycle over all %zu lines", patterns[pattern],
       l.lines);
    ok(pattern == LOCAL ? crossings == 4 : crossings > l.lines / 4,
       "%s: %zu steps leave their window", patterns[pattern], crossings);
    ok(words == ((size_t)1 << l.line_bytes / sizeof(void *)) - 1,
       "%s: every word of a line is used by some", patterns[pattern]);
    free(seen);
    finish(&l);
}

static void check_verify(void)
{
    struct latency l;
    struct am_err err = {0};
    double residual = -1;

    if (!start(&l, RANDOM, 7))
        return;
    run(&l, 1000);
    ok(verify(&l, &residual, &err) == AM_OK && residual == 0, "a walk is right");
    *cell(&l, l.order[(l.at + 10) % l.lines]) = cell(&l, l.order[0]);
    run(&l, 100);
    ok(verify(&l, &residual, &err) == AM_E_WRONG && residual == 1 && err.text[0],
       "a walk over a broken cycle is noticed");
    finish(&l);
}

static void check_seed(void)
{
    struct latency a, b, c;
    bool same = true, other = false;

    if (!start(&a, RANDOM, 1) || !start(&b, RANDOM, 1) || !start(&c, RANDOM, 2))
        return;
    for (size_t i = 0; i < a.lines; i++) {
        same = same && a.order[i] == b.order[i];
        other = other || a.order[i] != c.order[i];
    }
    ok(same && other, "a seed repeats its cycle, another seed gives another");
    finish(&a);
    finish(&b);
    finish(&c);
}

int main(void)
{
    check_cycle(RANDOM);
    check_cycle(LOCAL);
    check_verify();
    check_seed();
    return tap_done();
}
