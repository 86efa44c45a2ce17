/* SPDX-License-Identifier: MIT */
/* cpu.branch: cycles of a branch whose pattern is random and comes round after a period. While the
 * core remembers the pattern, a step costs what it does without a branch; beyond that half of the
 * branches are foretold wrongly. */
#include "base/rng.h"
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "kernels/branch.h"

#include <stdlib.h>

enum axis_index { PERIOD, ON };
enum { PERIOD_MAX = 1 << 22 };

struct branches {
    unsigned char *bytes;
    uint64_t period, steps, seen;
};

/* As many branches are taken as not, but for one of an odd period: shuffled, not drawn. */
static void draw(struct branches *b, uint64_t seed)
{
    struct am_rng rng;

    am_rng_seed(&rng, seed, b->period);
    for (uint64_t i = 0; i < b->period; i++)
        b->bytes[i] = i % 2;
    for (uint64_t i = b->period - 1; i > 0; i--) {
        const uint64_t other = am_rng_below(&rng, i + 1);
        const unsigned char byte = b->bytes[i];

        b->bytes[i] = b->bytes[other];
        b->bytes[other] = byte;
    }
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct branches *const b = state;

    if (point[PERIOD].i < 1 || point[PERIOD].i > PERIOD_MAX)
        return am_fail(err, AM_E_ABSENT, "a period of %lld: 1 to %d", (long long)point[PERIOD].i,
                       PERIOD_MAX);
    b->period = (uint64_t)point[PERIOD].i;
    b->bytes = malloc(b->period);
    if (!b->bytes)
        return am_fail(err, AM_E_NOMEM, "a pattern of %llu", (unsigned long long)b->period);
    draw(b, ctx->seed);
    work->ops = 1;
    return AM_OK;
}

static void run(void *state, uint64_t iters)
{
    struct branches *const b = state;

    b->seen = am_branch_follow(b->bytes, b->period, iters);
    b->steps = iters;
}

static uint64_t ones(const struct branches *b, uint64_t n)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += b->bytes[i];
    return sum;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct branches *const b = state;
    const uint64_t expected =
        b->steps / b->period * ones(b, b->period) + ones(b, b->steps % b->period);

    *residual = b->seen == expected ? 0 : 1;
    if (b->seen == expected)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "%llu branches of %llu were not taken, not %llu",
                   (unsigned long long)b->seen, (unsigned long long)b->steps,
                   (unsigned long long)expected);
}

static void finish(void *state)
{
    free(((struct branches *)state)->bytes);
}

static const struct am_axis axes[] = {
    [PERIOD] = {.name = "period",
                .kind = AM_AXIS_INT,
                .dflt = "1,4,16:1048576:*2",
                .quick = "1,16:1048576:*4",
                .help = "branches after which the pattern comes round; 1 is always the same"},
    [ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP, "per step: the branch, and the loop's"},
    {.name = NULL},
};

const struct am_bench am_bench_cpu_branch = {
    .name = "cpu.branch",
    .summary = "cycles of a branch by the length of its pattern",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct branches),
    .points_per_launch = 16,
    .named_only = true,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
