/* SPDX-License-Identifier: MIT */
/* Pointer chases over a working set: cells, their order, the walk and its check. */
#include "bench/cpu/chasing.h"

#include "base/fsroot.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
    LINE_DEFAULT = 64,
    WINDOW_BYTES = 64 * AM_PAGE_BYTES, /* of the local pattern: within reach of every first-level
                                          TLB that matters */
};

const char *const am_chase_patterns[] = {
    [AM_CHASE_RANDOM] = "random", [AM_CHASE_LOCAL] = "local", [AM_CHASE_PAGE] = "page",
    [AM_CHASE_STRIDE] = "stride", [AM_CHASE_PAIR] = "pair",   NULL,
};

const struct am_metric am_chasing_metrics[] = {
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time from one load to the next"},
    {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
     "the same by the core clock measured around the batch"},
    {.name = NULL},
};

size_t am_chasing_line(void)
{
    struct am_fsroot root;
    uint64_t bytes = 0;

    if (am_fsroot_open(&root, NULL, NULL) != AM_OK)
        return LINE_DEFAULT;
    (void)am_fsroot_read_u64(&root, "sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size",
                             &bytes);
    am_fsroot_close(&root);
    return bytes >= 16 && bytes <= AM_PAGE_BYTES && (bytes & (bytes - 1)) == 0 ? (size_t)bytes
                                                                               : LINE_DEFAULT;
}

/* Where cell k holds its pointer: not always the first word, so that neither an adjacent-word guess
 * nor a fixed bank helps. */
static void **cell(const struct am_chasing *c, size_t k)
{
    const uint64_t hash = (k ^ c->mix) * UINT64_C(0x9e3779b97f4a7c15);

    return (void **)(void *)(c->memory.base + k * c->stride) + (hash >> 40) % c->words;
}

static void shuffle(struct am_rng *rng, uint32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)am_rng_below(rng, i);
        const uint32_t item = items[k];

        items[k] = items[i - 1];
        items[i - 1] = item;
    }
}

static bool order_ascending(struct am_chasing *c, struct am_rng *rng)
{
    (void)rng;
    for (size_t i = 0; i < c->cells; i++)
        c->order[i] = (uint32_t)i;
    return true;
}

/* A random order of all cells is a random cycle, uniform among all, as Sattolo's is. */
static bool order_random(struct am_chasing *c, struct am_rng *rng)
{
    (void)order_ascending(c, rng);
    shuffle(rng, c->order, c->cells);
    return true;
}

/* Groups of `per_group` neighbours in random order, the cells of each in random order. */
static bool order_groups(struct am_chasing *c, struct am_rng *rng, size_t per_group)
{
    const size_t count = (c->cells + per_group - 1) / per_group;
    uint32_t *const groups = calloc(count, sizeof(*groups));
    size_t at = 0;

    if (!groups)
        return false;
    for (size_t g = 0; g < count; g++)
        groups[g] = (uint32_t)g;
    shuffle(rng, groups, count);
    for (size_t g = 0; g < count; g++) {
        const size_t first = groups[g] * per_group;
        const size_t rest = c->cells - first;
        const size_t n = rest < per_group ? rest : per_group;

        for (size_t i = 0; i < n; i++)
            c->order[at + i] = (uint32_t)(first + i);
        shuffle(rng, c->order + at, n);
        at += n;
    }
    free(groups);
    return true;
}

static bool order_local(struct am_chasing *c, struct am_rng *rng)
{
    const size_t per_window = WINDOW_BYTES / c->stride;

    return order_groups(c, rng, per_window ? per_window : 1);
}

static bool order_pairs(struct am_chasing *c, struct am_rng *rng)
{
    return order_groups(c, rng, 2);
}

static enum am_status make_order(struct am_chasing *c, uint64_t seed, struct am_err *err)
{
    static bool (*const make[])(struct am_chasing *, struct am_rng *) = {
        [AM_CHASE_RANDOM] = order_random, [AM_CHASE_LOCAL] = order_local,
        [AM_CHASE_PAGE] = order_random,   [AM_CHASE_STRIDE] = order_ascending,
        [AM_CHASE_PAIR] = order_pairs,
    };
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    c->mix = am_rng_u64(&rng);
    c->order = calloc(c->cells, sizeof(*c->order));
    if (!c->order || !make[c->pattern](c, &rng))
        return am_fail(err, AM_E_ABSENT, "the system gives no memory for the order of %zu cells",
                       c->cells);
    return AM_OK;
}

static size_t start_of(const struct am_chasing *c, size_t chain)
{
    return c->cells / c->chains * chain;
}

/* In address order first: pages are then given in address order, as a program's would be. */
static void link_cells(struct am_chasing *c)
{
    for (size_t i = 0; i < c->cells; i++)
        *cell(c, i) = NULL;
    for (size_t k = 0; k < c->cells; k++)
        *cell(c, c->order[k]) = cell(c, c->order[(k + 1) % c->cells]);
    for (size_t i = 0; i < c->chains; i++)
        c->at[i] = cell(c, c->order[start_of(c, i)]);
}

/* Patterns whose distances are the point hold the pointer in the first word of the cell. */
static size_t words_of(enum am_chase_pattern pattern, size_t stride)
{
    const size_t line = am_chasing_line();

    if (pattern == AM_CHASE_STRIDE || pattern == AM_CHASE_PAIR)
        return 1;
    if (pattern == AM_CHASE_PAGE)
        return AM_PAGE_BYTES / sizeof(void *);
    return (stride < line ? stride : line) / sizeof(void *);
}

static enum am_status adopt(struct am_chasing *c, const struct am_chasing_spec *spec,
                            struct am_err *err)
{
    const int64_t stride = spec->pattern == AM_CHASE_PAGE ? AM_PAGE_BYTES : spec->stride;
    const int64_t word = (int64_t)sizeof(void *);

    if (stride < word || stride % word != 0)
        return am_fail(err, AM_E_ABSENT, "stride %lld: cells are a multiple of %lld bytes apart",
                       (long long)stride, (long long)word);
    if (spec->chains < 1 || spec->chains > AM_CHASE_CHAINS_MAX)
        return am_fail(err, AM_E_ABSENT, "chains %lld: 1 to %d can be followed",
                       (long long)spec->chains, AM_CHASE_CHAINS_MAX);
    if (spec->size / stride < spec->chains || spec->size / stride > UINT32_MAX)
        return am_fail(err, AM_E_ABSENT,
                       "size %lld: %lld to 2^32 cells of %lld bytes can be chased",
                       (long long)spec->size, (long long)spec->chains, (long long)stride);
    c->pattern = spec->pattern;
    c->stride = (size_t)stride;
    c->words = words_of(spec->pattern, c->stride);
    c->cells = (size_t)(spec->size / stride);
    c->chains = (size_t)spec->chains;
    return AM_OK;
}

enum am_status am_chasing_prepare(struct am_chasing *c, const struct am_ctx *ctx,
                                  const struct am_chasing_spec *spec, struct am_work *work,
                                  struct am_err *err)
{
    enum am_status s = adopt(c, spec, err);

    if (s == AM_OK)
        s = am_memory_allowed((uint64_t)spec->size + c->cells * sizeof(*c->order),
                              ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_memory_map(&c->memory, c->cells * c->stride, spec->pages, err);
    if (s == AM_OK)
        s = make_order(c, ctx->seed, err);
    if (s != AM_OK)
        return s;
    link_cells(c);
    work->ops = (double)c->chains;
    work->bytes_read = (double)(c->chains * sizeof(void *));
    return am_memory_check(&c->memory, err);
}

void am_chasing_run(void *state, uint64_t iters)
{
    struct am_chasing *const c = state;

    am_chase_many[c->chains](c->at, iters);
    c->steps = (size_t)((c->steps + iters) % c->cells);
}

/* The cycle is kept twice: as pointers, and as the order they were made from. After any number of
 * steps both must stand on the same cells. */
enum am_status am_chasing_verify(void *state, double *residual, struct am_err *err)
{
    const struct am_chasing *const c = state;

    *residual = 0;
    for (size_t i = 0; i < c->chains; i++) {
        const size_t k = (start_of(c, i) + c->steps) % c->cells;

        if (c->at[i] != (const void *)cell(c, c->order[k])) {
            *residual = 1;
            return am_fail(err, AM_E_WRONG, "walk %zu over %zu cells ended on the wrong one", i,
                           c->cells);
        }
    }
    return AM_OK;
}

void am_chasing_finish(void *state)
{
    struct am_chasing *const c = state;

    am_hwswitch_restore(&c->prefetchers);
    am_memory_unmap(&c->memory);
    free(c->order);
}
