/* SPDX-License-Identifier: MIT */
/* mem.stanza: bandwidth of contiguous pieces with gaps between them, out of memory. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"
#include "bench/cpu/scattered.h"
#include "core/bench/bench.h"
#include "kernels/handoff.h"
#include "kernels/stream.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum axis_index { LENGTH, JUMP, SIZE, ISA, PAGES, ON };

enum {
    STAGGER_BYTES = 21 * 64, /* no two arrays agree in their low 12 bits */
    ARRAYS = 3,
};

static const double factor = 3;

struct stanza {
    const struct am_clock *clock;
    am_stream_fn *fn;
    size_t n;        /* elements of an array, gaps included */
    size_t length;   /* of a stanza */
    size_t step;     /* from the beginning of one to that of the next */
    size_t line;     /* bytes of a cache line */
    uint64_t passes; /* run so far */
    double *arrays[ARRAYS];
    struct am_memory memory;
};

/* What no kernel writes. */
static const double untouched = -1;

static size_t count(const struct stanza *w)
{
    return (w->n - w->length) / w->step + 1;
}

/* Bytes from the beginning of one array to that of the next. */
static size_t pitch(const struct stanza *w)
{
    const size_t pages = (w->n * sizeof(double) + AM_PAGE_BYTES - 1) / AM_PAGE_BYTES;

    return (pages + 1) * AM_PAGE_BYTES + STAGGER_BYTES;
}

/* All three arrays, and nothing after the last: pages that nobody writes are nobody's. */
static size_t span(const struct stanza *w)
{
    return (ARRAYS - 1) * pitch(w) + w->n * sizeof(double);
}

static void fill(struct stanza *w)
{
    for (size_t k = 0; k < ARRAYS; k++)
        w->arrays[k] = (double *)(void *)(w->memory.base + k * pitch(w));
    for (size_t i = 0; i < w->n; i++)
        w->arrays[0][i] = untouched;
    for (size_t i = 0; i < w->n; i++)
        w->arrays[1][i] = am_scattered_b(i);
    for (size_t i = 0; i < w->n; i++)
        w->arrays[2][i] = am_scattered_c(i);
}

static enum am_status choose(struct stanza *w, const struct am_value *point, struct am_err *err)
{
    const int64_t n = point[SIZE].i / (int64_t)(ARRAYS * sizeof(double));
    const struct am_stream_variant *v;
    const enum am_status s = am_axes_find_stream(point[ISA].name, &v, err);

    if (s != AM_OK)
        return s;
    if (point[LENGTH].i < 1 || point[LENGTH].i > n)
        return am_fail(err, AM_E_ABSENT, "length %lld: an array has %lld elements",
                       (long long)point[LENGTH].i, (long long)n);
    if (point[JUMP].i < 0 || point[JUMP].i > n)
        return am_fail(err, AM_E_ABSENT, "jump %lld: an array has %lld elements",
                       (long long)point[JUMP].i, (long long)n);
    w->fn = v->fn[AM_STREAM_triad][0];
    w->n = (size_t)n;
    w->length = (size_t)point[LENGTH].i;
    w->step = w->length + (size_t)point[JUMP].i;
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct stanza *const w = state;
    enum am_status s = choose(w, point, err);

    if (s == AM_OK)
        s = am_memory_allowed(span(w), ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_memory_map(&w->memory, span(w), (enum am_pages)point[PAGES].i, err);
    if (s != AM_OK)
        return s;
    w->clock = ctx->clock;
    w->line = am_chasing_line();
    fill(w);
    work->ops = (double)count(w);
    work->bytes_read = 2.0 * (double)(count(w) * w->length * sizeof(double));
    work->bytes_written = (double)(count(w) * w->length * sizeof(double));
    return am_memory_check(&w->memory, err);
}

/* All of it, gaps too: a prefetcher may have fetched those. */
static void flush(const struct stanza *w)
{
    for (size_t at = 0; at < span(w); at += w->line)
        am_line_flush(w->memory.base + at);
    am_line_fence();
}

/* Each pass starts with all caches cold; only the passes are timed. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct stanza *const w = state;
    struct am_stream_args args = {
        .a = w->arrays[0],
        .b = w->arrays[1],
        .c = w->arrays[2],
        .s = factor,
        .n = w->length,
        .step = w->step,
        .passes = count(w),
    };

    (void)err;
    for (; iters; iters--) {
        uint64_t begin;

        flush(w);
        begin = w->clock->now_ns(w->clock->self);
        w->fn(&args);
        am_line_fence(); /* stores under way count as not yet written */
        batch->elapsed_ns += w->clock->now_ns(w->clock->self) - begin;
        w->passes++;
    }
    return AM_OK;
}

static double expected(const struct stanza *w, size_t i)
{
    const bool inside = i % w->step < w->length && i / w->step < count(w);

    return inside && w->passes ? am_scattered_b(i) + factor * am_scattered_c(i) : untouched;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct stanza *const w = state;

    *residual = 0;
    if (!w->passes)
        return am_fail(err, AM_E_WRONG, "no pass was made");
    for (size_t i = 0; i < w->n; i++) {
        const double want = expected(w, i), got = w->arrays[0][i];

        if (memcmp(&got, &want, sizeof(got)) != 0) {
            *residual = fabs(got - want);
            return am_fail(err, AM_E_WRONG,
                           "element %zu, place %zu of stanza %zu: %.17g, not %.17g", i, i % w->step,
                           i / w->step, got, want);
        }
    }
    return AM_OK;
}

static void finish(void *state)
{
    am_memory_unmap(&((struct stanza *)state)->memory);
}

static const struct am_axis axes[] = {
    [LENGTH] = {.name = "length",
                .kind = AM_AXIS_INT,
                .dflt = "1:1048576:*2",
                .quick = "1,128,8192,131072",
                .help = "elements (f64) of a stanza"},
    [JUMP] = {.name = "jump",
              .kind = AM_AXIS_INT,
              .dflt = "2048",
              .thorough = "512,2048,8192",
              .help = "elements passed over after each stanza"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "128M",
              .quick = "32M",
              .help = "bytes of the three arrays together, gaps included"},
    [ISA] = AM_AXIS_ISA(.dflt = "widest", .help = "instruction set of the loop"),
    [PAGES] = AM_AXIS_PAGES(.dflt = "any", .thorough = "small,huge"),
    [ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE,
     "bytes of the elements read and written; no gaps, no write-allocate traffic"},
    {"stanza_time", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time of one stanza with its jump"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_stanza = {
    .name = "mem.stanza",
    .summary = "triad over pieces with gaps between, caches flushed: what prefetching needs",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct stanza),
    .fixed_iters = 1,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
