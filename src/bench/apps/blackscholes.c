/* SPDX-License-Identifier: MIT */
/* app.blackscholes: prices of European options. A block is a part of the options; blocks do not
 * wait for each other. Made by make_options(), filled by the executor itself, so that memory lies
 * where it is worked on. */
#include "app/blackscholes/blackscholes.h"

#include "base/text.h"
#include "bench/apps/apps.h"
#include "bench/shared/near.h"
#include "bench/shared/usable.h"
#include "bench/shared/walk.h"

#include <math.h>

/* Axes of a point, before those of am_apps_axis. */
enum axis { EXECUTOR, ISA, TYPE, NX, VARIANT, N, TASK_SIZE, COMMON /* am_apps_axis */ };

enum { SPLIT_N_MAX = 1 << 20 }; /* options that are priced some times more to tell their parts */

struct blackscholes {
    struct am_apps_engine engine;
    struct am_bs *bs;
    struct am_blocks pricing;
    double options;
    size_t element; /* bytes */
};

/* By the axis `variant`. */
static const struct variant {
    const struct am_bs_variant *(*find)(const char *isa);
    const char *missing;
} variants[] = {
    {am_bs_find, NULL},
    {am_bs_find_mvec, "built without libmvec; glibc 2.35 or later has it on x86-64"},
    {am_bs_find_sleef, "built without SLEEF; on Debian install libsleef-dev"},
};
static const char *const variant_names[] = {"own", "libmvec", "sleef", NULL};

static const char *variant_why_not(const char *name)
{
    const int i = am_name_index(variant_names, AM_NAMES_ENDED, name);

    if (i < 0)
        return "no such variant";
    return variants[i].find("scalar") ? NULL : variants[i].missing;
}

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
     "153 operations per option, as the thesis counts them"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "for all options once"},
    {"options_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "options, both prices of each"},
    {.name = NULL},
};

static enum am_status choose_fn(const struct am_value *point, am_bs_fn **fn_p, struct am_err *err)
{
    const char *const isa = point[ISA].name, *const variant = point[VARIANT].name;
    const char *const no_variant = variant_why_not(variant);
    const enum am_status s = am_usable_isa(isa, err);

    if (s != AM_OK)
        return s;
    if (no_variant)
        return am_fail(err, AM_E_ABSENT, "variant %s: %s", variant, no_variant);
    *fn_p = variants[point[VARIANT].i].find(isa)->fn[point[TYPE].i][point[NX].i];
    return AM_OK;
}

/* Some options of the first block, again and again. */
struct some {
    am_bs_vectors_fn *fn;
    struct am_bs_args args;
    size_t vectors;
    size_t element; /* bytes */
};

static void price_some(void *self)
{
    const struct some *const some = self;

    some->fn(&some->args, some->args.begin, some->vectors);
}

static void price_all(void *self)
{
    const struct blackscholes *const w = self;

    w->engine.executor->run(w->engine.self, &w->pricing, 1);
}

/* Five lines that are read, and two that are written. */
static void walk(const struct am_bs_args *a, size_t element)
{
    const char *const in[] = {a->spot, a->strike, a->rate, a->volatility, a->time};
    char *const out[] = {a->call, a->put};

    for (size_t at = a->begin * element; at < (a->begin + a->n) * element; at += AM_WALK_LINE) {
        for (size_t k = 0; k < sizeof(in) / sizeof(in[0]); k++)
            am_walk_read(in[k] + at);
        for (size_t k = 0; k < sizeof(out) / sizeof(out[0]); k++)
            am_walk_write(out[k] + at);
    }
}

static void walk_all(void *self)
{
    const struct blackscholes *const w = self;

    for (size_t block = 0; block < w->pricing.count; block++) {
        const struct am_bs_args args = am_bs_part(w->bs, block);

        walk(&args, w->element);
    }
}

static void walk_some(void *self)
{
    const struct some *const some = self;

    walk(&some->args, some->element);
}

/* Calls of the loops on options in the first-level cache. Half as many per call tell what a call
 * costs however many they are. */
static void tell_near(struct blackscholes *w, const struct am_ctx *ctx, am_bs_vectors_fn *vectors,
                      unsigned lanes)
{
    const struct am_bs_args first = am_bs_part(w->bs, 0);
    struct some some = {
        .fn = vectors, .args = first, .vectors = AM_BS_VECTORS / 2, .element = w->element};
    double all, half, whole, calls;

    some.args.n = (size_t)AM_BS_VECTORS * lanes;
    calls = w->options / (double)some.args.n;
    all = am_near_seconds(ctx->clock, price_all, w);
    half = am_near_seconds(ctx->clock, price_some, &some);
    some.vectors = AM_BS_VECTORS;
    whole = am_near_seconds(ctx->clock, price_some, &some);
    am_ctx_near(ctx, calls * whole / all, calls * fmin(fmax(2 * half - whole, 0), whole) / all);
    am_ctx_walk(ctx, am_near_seconds(ctx->clock, walk_all, w) / all,
                calls * am_near_seconds(ctx->clock, walk_some, &some) / all);
}

/* Every option goes through both loops of the kernel, a vector per pass. */
static void keep_code(struct blackscholes *w, const struct am_ctx *ctx,
                      const struct am_value *point)
{
    const struct am_bs_variant *const v = variants[point[VARIANT].i].find(point[ISA].name);
    am_bs_vectors_fn *const vectors = v->vectors[point[TYPE].i][point[NX].i];
    const unsigned lanes = v->lanes[point[TYPE].i];

    if (!vectors || point[COMMON + AM_APPS_THREADS].i != 1)
        return;
    am_ctx_code(ctx, (uintptr_t)vectors, w->options / lanes);
    if (point[N].i <= SPLIT_N_MAX && am_bs_part(w->bs, 0).n >= (size_t)AM_BS_VECTORS * lanes)
        tell_near(w, ctx, vectors, lanes);
}

static enum am_status make_options(struct blackscholes *state, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_err *err)
{
    const int64_t n = point[N].i, block = point[TASK_SIZE].i;
    struct am_bs_setup setup = {
        .type = (enum am_bs_type)point[TYPE].i,
        .cdf = (enum am_bs_cdf)point[NX].i,
        .seed = ctx->seed,
    };
    const enum am_status s = choose_fn(point, &setup.fn, err);

    if (s != AM_OK)
        return s;
    if (n < 1 || block < 1)
        return am_fail(err, AM_E_ABSENT, "%lld options in blocks of %lld", (long long)n,
                       (long long)block);
    if (am_bs_bytes(setup.type, (size_t)n) > (double)ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "%lld options are %g bytes, the limit is %llu",
                       (long long)n, am_bs_bytes(setup.type, (size_t)n),
                       (unsigned long long)ctx->memory_limit_bytes);
    setup.n = (size_t)n;
    setup.block = (size_t)block;
    return am_bs_new(&setup, &state->bs, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct blackscholes *const w = state;
    const double n = (double)point[N].i;
    struct am_blocks filling;
    enum am_status s;

    s = make_options(w, ctx, point, err);
    if (s == AM_OK)
        s = am_apps_open(&w->engine, ctx, point, err);
    if (s != AM_OK)
        return s;
    w->options = n;
    w->element = am_bs_element((enum am_bs_type)point[TYPE].i);
    w->pricing = am_bs_pricing(w->bs);
    s = w->engine.executor->prepare(w->engine.self, &w->pricing, err);
    if (s != AM_OK)
        return s;
    filling = am_bs_filling(w->bs);
    w->engine.executor->run(w->engine.self, &filling, 1);
    keep_code(w, ctx, point);
    am_ctx_chosen(ctx, "blocks", "%zu", w->pricing.count);
    work->ops = n;
    work->flops = AM_BS_FLOPS * n;
    work->bytes_read = 5 * n * (double)w->element;
    work->bytes_written = 2 * n * (double)w->element;
    return AM_OK;
}

static void run(void *state, uint64_t iters)
{
    const struct blackscholes *const w = state;

    w->engine.executor->run(w->engine.self, &w->pricing, iters);
}

/* Prices are spoilt when they have been judged: the next batch must make them again. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct blackscholes *const w = state;
    const enum am_status s = am_bs_check(w->bs, residual, err);

    if (s == AM_OK)
        am_bs_spoil(w->bs);
    return s;
}

static void finish(void *state)
{
    struct blackscholes *const w = state;

    am_apps_close(&w->engine);
    am_bs_free(w->bs);
}

static const struct am_axis axes[] = {
    [EXECUTOR] = {.name = "executor"},
    [ISA] = {.name = "isa"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .quick = "f32",
              .choices = am_bs_types,
              .help = "element type"},
    [NX] = {.name = "nx",
            .kind = AM_AXIS_NAME,
            .dflt = "erf",
            .choices = am_bs_cdfs,
            .help = "normal distribution: to the type's precision, or the thesis's polynomial"},
    [VARIANT] = {.name = "variant",
                 .kind = AM_AXIS_NAME,
                 .dflt = "own",
                 .thorough = "usable",
                 .choices = variant_names,
                 .why_not = variant_why_not,
                 .help = "whose exp, log and erf"},
    [N] = {.name = "n",
           .kind = AM_AXIS_INT,
           .dflt = "8K,1M",
           .quick = "64K",
           .thorough = "8K,1M,32M",
           .help = "options"},
    [TASK_SIZE] = {.name = "task_size",
                   .kind = AM_AXIS_INT,
                   .dflt = "256,2048",
                   .quick = "1024",
                   .thorough = "64:16384:*2",
                   .help = "options of a block"},
    {.name = NULL},
};

static const char *const quick[] = {"serial", "omp-for", NULL};

const struct am_app am_app_blackscholes = {
    .bench = {.name = "app.blackscholes",
              .summary = "prices of European options, block by block",
              .version = 1,
              .axes = axes,
              .metrics = metrics,
              .points_per_launch = 4,
              .state_size = sizeof(struct blackscholes),
              .prepare = prepare,
              .run = run,
              .verify = verify,
              .finish = finish},
    .quick = quick,
};
