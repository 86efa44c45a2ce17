/* SPDX-License-Identifier: MIT */
/* Black-Scholes as blocks: some thousand distinct options, repeated, so that a reference of all of
 * them is quickly made. */
#include "app/blackscholes/blackscholes.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum {
    DISTINCT = 4093, /* a prime: no block of a power of two looks like another */
    INPUTS = 5,
    PRICES = 2,
    LINE_BYTES = 64,
    STAGGER_BYTES = 5 * LINE_BYTES, /* arrays of a power of two do not share their sets */
};

/* Spot, strike, rate, volatility, time: PARSEC's options lie in these ranges. */
static const double ranges[INPUTS][2] = {
    {42, 100}, {40, 110}, {0.0275, 0.1}, {0.05, 0.65}, {0.05, 1}};

struct am_bs {
    struct am_bs_setup setup;
    struct am_bs_args args; /* of the whole */
    void *memory;
    void *distinct[INPUTS]; /* options in the element type */
    double reference[PRICES][DISTINCT];
};

size_t am_bs_element(enum am_bs_type type)
{
    return type == AM_BS_F32 ? sizeof(float) : sizeof(double);
}

double am_bs_bytes(enum am_bs_type type, size_t n)
{
    return (double)AM_BS_ARRAYS * (double)am_bs_element(type) * (double)n;
}

static double get(enum am_bs_type type, const void *array, size_t i)
{
    return type == AM_BS_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(enum am_bs_type type, void *array, size_t i, double x)
{
    if (type == AM_BS_F32)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

static long double normal(long double d)
{
    return erfcl(-d / sqrtl(2)) / 2;
}

static void set_reference(struct am_bs *bs, size_t i)
{
    const enum am_bs_type type = bs->setup.type;
    const long double s = get(type, bs->distinct[0], i), k = get(type, bs->distinct[1], i);
    const long double r = get(type, bs->distinct[2], i), vol = get(type, bs->distinct[3], i);
    const long double t = get(type, bs->distinct[4], i);
    const long double deviation = vol * sqrtl(t), present = k * expl(-r * t);
    const long double d1 = (logl(s / k) + (r + vol * vol / 2) * t) / deviation;
    const long double d2 = d1 - deviation;

    bs->reference[0][i] = (double)(s * normal(d1) - present * normal(d2));
    bs->reference[1][i] = (double)(present * normal(-d2) - s * normal(-d1));
}

static void choose_options(struct am_bs *bs)
{
    struct am_rng rng;

    am_rng_seed(&rng, bs->setup.seed, 0);
    for (size_t i = 0; i < DISTINCT; i++) {
        for (size_t k = 0; k < INPUTS; k++)
            put(bs->setup.type, bs->distinct[k], i,
                ranges[k][0] + (ranges[k][1] - ranges[k][0]) * am_rng_unit(&rng));
        set_reference(bs, i);
    }
}

/* Bytes from the beginning of one array to that of the next. */
static size_t pitch(const struct am_bs_setup *setup)
{
    const size_t bytes = setup->n * am_bs_element(setup->type);

    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + STAGGER_BYTES;
}

static bool get_memory(struct am_bs *bs)
{
    const size_t step = pitch(&bs->setup);
    unsigned char *const base = aligned_alloc(LINE_BYTES, AM_BS_ARRAYS * step);

    bs->memory = base;
    for (size_t k = 0; k < INPUTS; k++) {
        bs->distinct[k] = calloc(DISTINCT, am_bs_element(bs->setup.type));
        if (!bs->distinct[k])
            return false;
    }
    if (!base)
        return false;
    bs->args = (struct am_bs_args){
        .spot = base,
        .strike = base + step,
        .rate = base + 2 * step,
        .volatility = base + 3 * step,
        .time = base + 4 * step,
        .call = base + 5 * step,
        .put = base + 6 * step,
        .n = bs->setup.n,
    };
    return true;
}

enum am_status am_bs_new(const struct am_bs_setup *setup, struct am_bs **bs_p, struct am_err *err)
{
    struct am_bs *const bs = calloc(1, sizeof(*bs));

    if (setup->n == 0 || setup->block == 0 || setup->n > SIZE_MAX / 128) {
        free(bs);
        return am_fail(err, AM_E_LIMIT, "%zu options in blocks of %zu", setup->n, setup->block);
    }
    if (bs)
        bs->setup = *setup;
    if (!bs || !get_memory(bs)) {
        am_bs_free(bs);
        return am_fail(err, AM_E_NOMEM, "no memory for %zu options", setup->n);
    }
    choose_options(bs);
    *bs_p = bs;
    return AM_OK;
}

void am_bs_free(struct am_bs *bs)
{
    if (!bs)
        return;
    for (size_t k = 0; k < INPUTS; k++)
        free(bs->distinct[k]);
    free(bs->memory);
    free(bs);
}

struct am_bs_args am_bs_part(const struct am_bs *bs, size_t block)
{
    struct am_bs_args args = bs->args;
    const size_t left = bs->setup.n - block * bs->setup.block;

    args.begin = block * bs->setup.block;
    args.n = left < bs->setup.block ? left : bs->setup.block;
    return args;
}

static void fill_block(void *app, size_t block)
{
    const struct am_bs *const bs = app;
    const enum am_bs_type type = bs->setup.type;
    const struct am_bs_args args = am_bs_part(bs, block);
    void *const inputs[INPUTS] = {(void *)args.spot, (void *)args.strike, (void *)args.rate,
                                  (void *)args.volatility, (void *)args.time};

    for (size_t i = args.begin; i < args.begin + args.n; i++) {
        for (size_t k = 0; k < INPUTS; k++)
            put(type, inputs[k], i, get(type, bs->distinct[k], i % DISTINCT));
        put(type, args.call, i, NAN);
        put(type, args.put, i, NAN);
    }
}

static void price_block(void *app, size_t block)
{
    const struct am_bs *const bs = app;
    const struct am_bs_args args = am_bs_part(bs, block);

    bs->setup.fn(&args);
}

static struct am_blocks blocks(struct am_bs *bs, void (*run)(void *app, size_t block))
{
    return (struct am_blocks){
        .count = (bs->setup.n + bs->setup.block - 1) / bs->setup.block, .app = bs, .run = run};
}

struct am_blocks am_bs_filling(struct am_bs *bs)
{
    return blocks(bs, fill_block);
}

struct am_blocks am_bs_pricing(struct am_bs *bs)
{
    return blocks(bs, price_block);
}

void am_bs_spoil(struct am_bs *bs)
{
    for (size_t begin = 0; begin < bs->setup.n; begin += bs->setup.block) {
        const size_t last = begin + am_bs_part(bs, begin / bs->setup.block).n - 1;

        put(bs->setup.type, bs->args.call, begin, NAN);
        put(bs->setup.type, bs->args.put, last, NAN);
    }
}

/* Of a price. PARSEC allows 1e-4 for its options; those are as great as ours. */
static double tolerance(const struct am_bs_setup *setup)
{
    static const double limits[AM_BS_TYPES][AM_BS_CDFS] = {
        [AM_BS_F32] = {[AM_BS_POLY] = 1e-4, [AM_BS_ERF] = 1e-4},
        [AM_BS_F64] = {[AM_BS_POLY] = 3e-5, [AM_BS_ERF] = 1e-12},
    };

    return limits[setup->type][setup->cdf];
}

enum am_status am_bs_check(const struct am_bs *bs, double *residual, struct am_err *err)
{
    const void *const prices[PRICES] = {bs->args.call, bs->args.put};
    size_t wrong = 0, first = 0;

    *residual = 0;
    for (size_t i = 0; i < bs->setup.n; i++) {
        for (size_t k = 0; k < PRICES; k++) {
            const double e =
                fabs(get(bs->setup.type, prices[k], i) - bs->reference[k][i % DISTINCT]);

            if (!(e <= tolerance(&bs->setup)) && wrong++ == 0) /* NaN too */
                first = i;
            if (e > *residual)
                *residual = e;
        }
    }
    if (!wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: %zu of %zu prices; option %zu: call %.9g, put %.9g",
                   wrong, PRICES * bs->setup.n, first, get(bs->setup.type, prices[0], first),
                   get(bs->setup.type, prices[1], first));
}
