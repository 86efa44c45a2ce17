/* SPDX-License-Identifier: MIT */
/* The pointer chases from within: each cycle visits every cell once, in its pattern's order. */
#include "bench/cpu/chasing.c" /* how cells are placed is nobody else's business */
#include "tap.h"

#include <string.h>

enum { BYTES = 3 * WINDOW_BYTES + 5 * LINE_DEFAULT }; /* three windows and a piece of a fourth */

static bool start(struct am_chasing *c, struct am_chasing_spec spec, uint64_t seed)
{
    static const int cpus[] = {0};
    const struct am_ctx ctx = {
        .cpus = cpus, .cpu_count = 1, .seed = seed, .memory_limit_bytes = UINT64_MAX};
    struct am_work work = {0};
    struct am_err err = {0};

    *c = (struct am_chasing){0};
    return ok(am_chasing_prepare(c, &ctx, &spec, &work, &err) == AM_OK &&
                  work.ops == (double)spec.chains,
              "%s, stride %lld, %lld chains: prepared %s", am_chase_patterns[spec.pattern],
              (long long)spec.stride, (long long)spec.chains, err.text);
}

static size_t offset_of(const struct am_chasing *c, const void *p)
{
    return (size_t)((const char *)p - c->memory.base);
}

/* What one round along the pointers shows. */
struct walk {
    size_t visits;        /* of cells not visited before */
    bool closed;          /* came back to where it began after the last of them */
    size_t leaves_window; /* steps from one window to another */
    size_t neighbours;    /* steps to the cell before or after in memory */
    size_t ascending;     /* steps to the cell after */
    uint64_t words;       /* bit i: some line holds its pointer in word i */
};

static struct walk walk_once(const struct am_chasing *c)
{
    struct walk w = {0};
    unsigned char *const seen = calloc(c->cells, 1);
    const void *p = c->at[0];

    while (seen && !seen[offset_of(c, p) / c->stride]) {
        const void *const next = *(const void *const *)p;
        const size_t a = offset_of(c, p), b = offset_of(c, next);

        seen[a / c->stride] = 1;
        w.visits++;
        w.leaves_window += a / WINDOW_BYTES != b / WINDOW_BYTES;
        w.ascending += b / c->stride == a / c->stride + 1;
        w.neighbours += (b / c->stride ^ a / c->stride) == 1;
        w.words |= UINT64_C(1) << a % 64 / sizeof(void *);
        p = next;
    }
    w.closed = p == c->at[0];
    free(seen);
    return w;
}

static const struct {
    enum am_chase_pattern pattern;
    int64_t stride;
    uint64_t words; /* of a line that are used */
} cycles[] = {
    {AM_CHASE_RANDOM, 64, 0xff}, {AM_CHASE_RANDOM, 16, 0xff}, {AM_CHASE_RANDOM, 4096, 0xff},
    {AM_CHASE_LOCAL, 64, 0xff},  {AM_CHASE_PAGE, 64, 0xff},   {AM_CHASE_STRIDE, 64, 0x01},
    {AM_CHASE_STRIDE, 24, 0xff}, {AM_CHASE_PAIR, 128, 0x01},  {AM_CHASE_PAIR, 8, 0xff},
};

static void check_cycle(size_t i)
{
    const enum am_chase_pattern pattern = cycles[i].pattern;
    const char *const name = am_chase_patterns[pattern];
    struct am_chasing c;
    struct walk w;

    if (!start(&c, (struct am_chasing_spec){BYTES, cycles[i].stride, 1, pattern, AM_PAGES_ANY}, 7))
        return;
    w = walk_once(&c);
    ok(c.cells == (size_t)BYTES / c.stride, "%s: a cell every %zu bytes", name, c.stride);
    ok(w.visits == c.cells && w.closed, "%s: one cycle over all %zu cells", name, c.cells);
    ok(w.words == cycles[i].words, "%s: words %#llx of a line are used", name,
       (unsigned long long)w.words);
    if (pattern == AM_CHASE_LOCAL)
        ok(w.leaves_window == 4, "local: %zu steps leave their window", w.leaves_window);
    if (pattern == AM_CHASE_RANDOM)
        ok(w.leaves_window > c.cells / 4, "random: %zu steps leave their window", w.leaves_window);
    if (pattern == AM_CHASE_STRIDE)
        ok(w.ascending == c.cells - 1, "stride: all steps but the last ascend");
    if (pattern == AM_CHASE_PAIR)
        ok(w.neighbours >= c.cells / 2 && w.neighbours < c.cells / 2 + c.cells / 16,
           "pair: every other step, and hardly more, goes to the neighbour (%zu of %zu)",
           w.neighbours, c.cells);
    am_chasing_finish(&c);
}

static void check_pages_differ(void)
{
    struct am_chasing c;
    size_t same = 0;

    if (!start(&c, (struct am_chasing_spec){1 << 20, 64, 1, AM_CHASE_PAGE, AM_PAGES_SMALL}, 7))
        return;
    for (size_t k = 0; k + 1 < c.cells; k++)
        same +=
            offset_of(&c, cell(&c, k)) % 4096 / 64 == offset_of(&c, cell(&c, k + 1)) % 4096 / 64;
    ok(c.cells == 256 && same < 24, "page: neighbours' cells lie on different lines (%zu alike)",
       same);
    am_chasing_finish(&c);
}

static void check_verify(int64_t chains)
{
    struct am_chasing c;
    struct am_err err = {0};
    double residual = -1;

    if (!start(&c, (struct am_chasing_spec){BYTES, 64, chains, AM_CHASE_RANDOM, AM_PAGES_ANY}, 7))
        return;
    am_chasing_run(&c, 1000);
    ok(am_chasing_verify(&c, &residual, &err) == AM_OK && residual == 0, "a walk is right");
    *cell(&c, c.order[(start_of(&c, c.chains - 1) + c.steps + 10) % c.cells]) =
        cell(&c, c.order[0]);
    am_chasing_run(&c, 100);
    ok(am_chasing_verify(&c, &residual, &err) == AM_E_WRONG && residual == 1 && err.text[0],
       "a walk of the last chain over a broken cycle is noticed");
    am_chasing_finish(&c);
}

static void check_seed(void)
{
    const struct am_chasing_spec spec = {BYTES, 64, 1, AM_CHASE_RANDOM, AM_PAGES_ANY};
    struct am_chasing a, b, c;
    bool same = true, other = false;

    if (!start(&a, spec, 1) || !start(&b, spec, 1) || !start(&c, spec, 2))
        return;
    for (size_t i = 0; i < a.cells; i++) {
        same = same && a.order[i] == b.order[i];
        other = other || a.order[i] != c.order[i];
    }
    ok(same && other, "a seed repeats its cycle, another seed gives another");
    am_chasing_finish(&a);
    am_chasing_finish(&b);
    am_chasing_finish(&c);
}

static const struct {
    struct am_chasing_spec spec;
    const char *reason;
} refused[] = {
    {{32, 64, 1, AM_CHASE_RANDOM, AM_PAGES_ANY}, "cells of 64 bytes"},
    {{-1, 64, 1, AM_CHASE_RANDOM, AM_PAGES_ANY}, "cells of 64 bytes"},
    {{4095, 64, 1, AM_CHASE_PAGE, AM_PAGES_ANY}, "cells of 4096 bytes"},
    {{4096, 4, 1, AM_CHASE_STRIDE, AM_PAGES_ANY}, "stride 4"},
    {{4096, 12, 1, AM_CHASE_STRIDE, AM_PAGES_ANY}, "stride 12"},
    {{4096, 0, 1, AM_CHASE_STRIDE, AM_PAGES_ANY}, "stride 0"},
    {{4096, -64, 1, AM_CHASE_STRIDE, AM_PAGES_ANY}, "stride -64"},
    {{4096, 64, 0, AM_CHASE_RANDOM, AM_PAGES_ANY}, "chains 0"},
    {{4096, 64, 33, AM_CHASE_RANDOM, AM_PAGES_ANY}, "chains 33"},
    {{512, 64, 9, AM_CHASE_RANDOM, AM_PAGES_ANY}, "9 to 2^32 cells"},
    {{INT64_MAX, 8, 1, AM_CHASE_RANDOM, AM_PAGES_ANY}, "2^32 cells"},
    {{1 << 20, 64, 1, AM_CHASE_RANDOM, AM_PAGES_ANY}, "the limit is 65536"},
};

static void check_refused(size_t i)
{
    const struct am_ctx ctx = {.seed = 1, .memory_limit_bytes = 65536};
    struct am_chasing c = {0};
    struct am_work work = {0};
    struct am_err err = {0};

    ok(am_chasing_prepare(&c, &ctx, &refused[i].spec, &work, &err) == AM_E_ABSENT &&
           strstr(err.text, refused[i].reason),
       "refused: %s", err.text);
    am_chasing_finish(&c);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
        check_cycle(i);
    check_pages_differ();
    check_verify(1);
    check_verify(7);
    check_verify(32);
    check_seed();
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        check_refused(i);
    return tap_done();
}
