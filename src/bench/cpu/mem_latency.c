/* SPDX-License-Identifier: MIT */
/* mem.latency: time of one load that waits for the one before, along a random cycle of lines. */
#include "base/fsroot.h"
#include "base/rng.h"
#include "bench/cpu/memory.h"
#include "core/bench.h"
#include "kernels/chase.h"

#include <stdbool.h>
#include <stdlib.h>

enum axis_index { SIZE, PATTERN, PAGES };
enum pattern { RANDOM, LOCAL };

enum {
    LINE_DEFAULT = 64,
    WINDOW_BYTES = 64 * AM_PAGE_BYTES, /* of the local pattern: within reach of every first-level
                                          TLB that matters */
};

struct latency {
    struct am_memory memory;
    size_t line_bytes;
    size_t lines;
    uint32_t *order;  /* order[k]: the line visited as k-th */
    uint64_t mix;     /* decides the word of each line that holds its pointer */
    size_t at;        /* the walk stands on order[at] ... */
    const void *stop; /* ... and here, says the walk itself */
};

static size_t line_size(void)
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

/* Where line k of the memory holds its pointer: not always the first word, so that neither an
 * adjacent-word guess nor a fixed bank helps. */
static void **cell(const struct latency *l, size_t line)
{
    const size_t words = l->line_bytes / sizeof(void *);
    const uint64_t hash = (line ^ l->mix) * UINT64_C(0x9e3779b97f4a7c15);

    return (void **)(void *)(l->memory.base + line * l->line_bytes) + (hash >> 40) % words;
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

/* A random order of all lines is a random cycle, uniform among all, as Sattolo's is. */
static void order_random(struct latency *l, struct am_rng *rng)
{
    for (size_t i = 0; i < l->lines; i++)
        l->order[i] = (uint32_t)i;
    shuffle(rng, l->order, l->lines);
}

/* Windows in random order, the lines of each in random order. `windows` has room for all. */
static void order_local(struct latency *l, struct am_rng *rng, uint32_t *windows, size_t count)
{
    const size_t per_window = WINDOW_BYTES / l->line_bytes;
    size_t at = 0;

    for (size_t w = 0; w < count; w++)
        windows[w] = (uint32_t)w;
    shuffle(rng, windows, count);
    for (size_t w = 0; w < count; w++) {
        const size_t first = windows[w] * per_window;
        const size_t rest = l->lines - first;
        const size_t n = rest < per_window ? rest : per_window;

        for (size_t i = 0; i < n; i++)
            l->order[at + i] = (uint32_t)(first + i);
        shuffle(rng, l->order + at, n);
        at += n;
    }
}

static enum am_status make_order(struct latency *l, enum pattern pattern, uint64_t seed,
                                 struct am_err *err)
{
    const size_t per_window = WINDOW_BYTES / l->line_bytes;
    const size_t count = (l->lines + per_window - 1) / per_window;
    uint32_t *const windows = calloc(count, sizeof(*windows));
    struct am_rng rng;

    l->order = calloc(l->lines, sizeof(*l->order));
    if (!l->order || !windows) {
        free(windows);
        return am_fail(err, AM_E_NOMEM, "the order of %zu lines", l->lines);
    }
    am_rng_seed(&rng, seed, 0);
    l->mix = am_rng_u64(&rng);
    if (pattern == LOCAL)
        order_local(l, &rng, windows, count);
    else
        order_random(l, &rng);
    free(windows);
    return AM_OK;
}

/* In address order first: pages are then given in address order, as a program's would be. */
static void link_lines(struct latency *l)
{
    for (size_t i = 0; i < l->lines; i++)
        *cell(l, i) = NULL;
    for (size_t k = 0; k < l->lines; k++)
        *cell(l, l->order[k]) = cell(l, l->order[(k + 1) % l->lines]);
    l->at = 0;
    l->stop = cell(l, l->order[0]);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct latency *const l = state;
    const uint64_t size = (uint64_t)point[SIZE].i;
    enum am_status s;

    l->line_bytes = line_size();
    l->lines = (size_t)(size / l->line_bytes);
    if (point[SIZE].i < 0 || l->lines < 2 || l->lines > UINT32_MAX)
        return am_fail(err, AM_E_ABSENT, "size %lld: 2 to 2^32 lines of %zu bytes can be chased",
                       (long long)point[SIZE].i, l->line_bytes);
    s = am_memory_allowed(size + l->lines * sizeof(*l->order), ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_memory_map(&l->memory, l->lines * l->line_bytes, (enum am_pages)point[PAGES].i, err);
    if (s == AM_OK)
        s = make_order(l, (enum pattern)point[PATTERN].i, ctx->seed, err);
    if (s != AM_OK)
        return s;
    link_lines(l);
    work->ops = 1;
    work->bytes_read = sizeof(void *);
    return am_memory_check(&l->memory, err);
}

static void run(void *state, uint64_t iters)
{
    struct latency *const l = state;

    l->stop = am_chase(l->stop, iters);
    l->at = (size_t)((l->at + iters) % l->lines);
}

/* The cycle is kept twice: as pointers, and as the order they were made from. After any number of
 * steps both must stand on the same line. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct latency *const l = state;

    *residual = 0;
    if (l->stop != (const void *)cell(l, l->order[l->at])) {
        *residual = 1;
        return am_fail(err, AM_E_WRONG, "the walk over %zu lines ended on the wrong one", l->lines);
    }
    return AM_OK;
}

static void finish(void *state)
{
    struct latency *const l = state;

    am_memory_unmap(&l->memory);
    free(l->order);
}

static const char *const patterns[] = {"random", "local", NULL};

static const struct am_axis axes[] = {
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "4K:512M:*2",
              .quick = "l1/2,l2/2,l3/4,256M",
              .thorough = "4K:1G:*2,6K:768M:*2",
              .help = "working set, rounded down to lines"},
    [PATTERN] = {.name = "pattern",
                 .kind = AM_AXIS_NAME,
                 .dflt = "random,local",
                 .quick = "random",
                 .choices = patterns,
                 .help = "random: any line next, TLB misses included; local: all lines of a window "
                         "of 64 pages before the next window"},
    [PAGES] = {.name = "pages",
               .kind = AM_AXIS_NAME,
               .dflt = "any",
               .thorough = "small,huge",
               .choices = am_pages_names,
               .help = "any: huge pages where the system gives them; small, huge: only those"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time from one load to the next"},
    {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
     "the same by the core clock measured around the batch"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_latency = {
    .name = "mem.latency",
    .summary = "load latency by a random pointer chase",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct latency),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
