/* SPDX-License-Identifier: MIT */
/* What all benches share: metric rules and their arithmetic. */
#include "core/bench/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define AM_RULE_NAME(id, name) [id] = (name),
static const char *const rule_names[AM_RULE_COUNT] = {AM_RULE_MAP(AM_RULE_NAME)};
#undef AM_RULE_NAME

enum { SAID_TEXT_MAX = 512 };

typedef void said_fn(void *self, const char *name, const char *text);

/* A text that is too long is cut. */
static void say(const struct am_ctx *ctx, said_fn *to, const char *name, const char *fmt,
                va_list ap)
{
    char text[SAID_TEXT_MAX];

    if (!to)
        return;
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    to(ctx->said_self, name, text);
}

void am_ctx_note(const struct am_ctx *ctx, const char *key, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(ctx, ctx->note, key, fmt, ap);
    va_end(ap);
}

void am_ctx_chosen(const struct am_ctx *ctx, const char *name, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(ctx, ctx->chosen, name, fmt, ap);
    va_end(ap);
}

void am_ctx_propose(const struct am_ctx *ctx, const char *axis, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(ctx, ctx->propose, axis, fmt, ap);
    va_end(ap);
}

void am_ctx_attach(const struct am_ctx *ctx, const char *name, const char *type, const void *data,
                   size_t n)
{
    if (ctx->attach)
        ctx->attach(ctx->said_self, name, type, data, n);
}

void am_ctx_window(const struct am_ctx *ctx, uint64_t begin_ns, uint64_t end_ns)
{
    if (ctx->window)
        ctx->window(ctx->said_self, begin_ns, end_ns);
}

size_t am_metric_count(const struct am_metric *metrics)
{
    size_t n = 0;

    while (metrics[n].name)
        n++;
    return n;
}

enum am_timed_by am_bench_timed(const struct am_bench *bench)
{
    if (bench->run)
        return AM_TIMED_BATCH;
    return bench->run_timed ? AM_TIMED_OWN : bench->timed;
}

bool am_bench_is_standard(const struct am_bench *bench)
{
    const struct am_systematic *const stated =
        am_systematic_find(bench->systematic, bench->metrics[0].name);

    return stated && stated->standard;
}

const char *am_rule_name(enum am_rule rule)
{
    return (unsigned)rule < AM_RULE_COUNT ? rule_names[rule] : "unknown";
}

enum am_rule am_rule_find(const char *name, size_t len)
{
    for (unsigned i = 0; i < AM_RULE_COUNT; i++) {
        if (strlen(rule_names[i]) == len && memcmp(rule_names[i], name, len) == 0)
            return (enum am_rule)i;
    }
    return AM_RULE_COUNT;
}

/* The quantities of one batch that the rules are made of. */
struct quantities {
    double seconds, cycles, iters;
    double flops, bytes, ops; /* of the whole batch */
    double clock_s;           /* one clock reading */
    double clock_ratio;       /* of the fastest thread over the slowest */
};

static double apply(enum am_rule rule, const struct quantities *q, double own)
{
    switch (rule) {
    case AM_RULE_FLOP_RATE: return q->flops / q->seconds;
    case AM_RULE_BYTE_RATE: return q->bytes / q->seconds;
    case AM_RULE_OP_RATE: return q->ops / q->seconds;
    case AM_RULE_TIME_PER_OP: return q->seconds / q->ops;
    case AM_RULE_TIME_PER_ITER: return q->seconds / q->iters;
    case AM_RULE_TIME_BEYOND_CLOCK: return q->seconds - q->clock_s;
    case AM_RULE_CYCLES_PER_OP: return q->cycles / q->ops;
    case AM_RULE_FLOPS_PER_CYCLE: return q->flops / q->cycles;
    case AM_RULE_BYTES_PER_CYCLE: return q->bytes / q->cycles;
    case AM_RULE_CLOCK_RATIO: return q->clock_ratio;
    case AM_RULE_OWN:
    case AM_RULE_COUNT: break;
    }
    return own;
}

void am_bench_derive(const struct am_metric *metrics, const struct am_work *work,
                     const struct am_clock *clock, struct am_sample *sample)
{
    const double iters = (double)sample->iters;
    const double seconds = (double)sample->elapsed_ns * 1e-9;
    const struct quantities q = {
        .seconds = seconds,
        .cycles = seconds * 0.5 * (sample->hz_before + sample->hz_after),
        .iters = iters,
        .flops = work->flops * iters,
        .bytes = (work->bytes_read + work->bytes_written) * iters,
        .ops = work->ops * iters,
        .clock_s = (double)clock->overhead_ns * 1e-9,
        .clock_ratio = sample->hz_most / sample->hz_least,
    };

    for (size_t i = 0; metrics[i].name; i++)
        sample->values[i] = apply(metrics[i].rule, &q, sample->values[i]);
}
