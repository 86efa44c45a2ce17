/* SPDX-License-Identifier: MIT */
/* The hooks of app.blackscholes: they know blocks and an executor, not which. */
#include "bench/apps/blackscholes.h"

#include "base/text.h"

/* By the axis `variant`. */
static const struct variant {
    const struct am_bs_variant *(*find)(const char *isa);
    const char *missing;
} variants[] = {
    {am_bs_find, NULL},
    {am_bs_find_mvec, "built without libmvec; glibc 2.35 or later has it on x86-64"},
    {am_bs_find_sleef, "built without SLEEF; on Debian install libsleef-dev"},
};
const char *const am_bs_variants[] = {"own", "libmvec", "sleef", NULL};

const char *am_bs_variant_why_not(const char *name)
{
    const int i = am_name_index(am_bs_variants, AM_NAMES_ENDED, name);

    if (i < 0)
        return "no such variant";
    return variants[i].find("scalar") ? NULL : variants[i].missing;
}

const struct am_metric am_bs_metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
     "153 operations an option, as the thesis counts them"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "for all options once"},
    {"options_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "options, both prices of each"},
    {.name = NULL},
};

static enum am_status choose_fn(const struct am_value *point, am_bs_fn **fn_p, struct am_err *err)
{
    const char *const isa = point[AM_BS_ISA].name, *const variant = point[AM_BS_VARIANT].name;
    const char *const why_not = am_isa_why_not(isa), *const no_variant =
                                                         am_bs_variant_why_not(variant);

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "isa %s: %s", isa, why_not);
    if (no_variant)
        return am_fail(err, AM_E_ABSENT, "variant %s: %s", variant, no_variant);
    *fn_p = variants[point[AM_BS_VARIANT].i].find(isa)->fn[point[AM_BS_TYPE].i][point[AM_BS_NX].i];
    return AM_OK;
}

static enum am_status make_options(struct am_bs_state *state, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_err *err)
{
    const int64_t n = point[AM_BS_N].i, block = point[AM_BS_TASK_SIZE].i;
    struct am_bs_setup setup = {
        .type = (enum am_bs_type)point[AM_BS_TYPE].i,
        .cdf = (enum am_bs_cdf)point[AM_BS_NX].i,
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

enum am_status am_bs_prepare(struct am_bs_state *state, const struct am_executor *const *executors,
                             const struct am_ctx *ctx, const struct am_value *point,
                             struct am_work *work, struct am_err *err)
{
    const double n = (double)point[AM_BS_N].i;
    struct am_blocks filling;
    enum am_status s;

    s = make_options(state, ctx, point, err);
    if (s == AM_OK)
        s = am_apps_open(&state->engine, executors, ctx, point[AM_BS_EXECUTOR].name,
                         point + AM_BS_COMMON, err);
    if (s != AM_OK)
        return s;
    state->pricing = am_bs_pricing(state->bs);
    s = state->engine.executor->prepare(state->engine.self, &state->pricing, err);
    if (s != AM_OK)
        return s;
    filling = am_bs_filling(state->bs);
    state->engine.executor->run(state->engine.self, &filling, 1);
    work->ops = n;
    work->flops = AM_BS_FLOPS * n;
    work->bytes_read = 5 * n * (double)am_bs_element((enum am_bs_type)point[AM_BS_TYPE].i);
    work->bytes_written = 2 * n * (double)am_bs_element((enum am_bs_type)point[AM_BS_TYPE].i);
    return AM_OK;
}

void am_bs_run(void *state, uint64_t iters)
{
    const struct am_bs_state *const w = state;

    w->engine.executor->run(w->engine.self, &w->pricing, iters);
}

/* Prices are spoilt when they have been judged: the next batch must make them again. */
enum am_status am_bs_verify(void *state, double *residual, struct am_err *err)
{
    const struct am_bs_state *const w = state;
    const enum am_status s = am_bs_check(w->bs, residual, err);

    if (s == AM_OK)
        am_bs_spoil(w->bs);
    return s;
}

void am_bs_finish(void *state)
{
    struct am_bs_state *const w = state;

    am_apps_close(&w->engine);
    am_bs_free(w->bs);
}
