/* SPDX-License-Identifier: MIT */
/* Black-Scholes loops: prices against long double, every length around vectors and steps, and each
 * element the same wherever it stands. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/blackscholes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INPUTS = 5, OUTPUTS = 2, ARRAYS = INPUTS + OUTPUTS, LONGEST = 80, MANY = 1100 };

struct bs_case {
    const struct am_bs_variant *v;
    enum am_bs_type type;
    enum am_bs_cdf cdf;
    size_t size; /* bytes of an element */
    struct guarded g[ARRAYS];
};

/* Spot, strike, rate, volatility, time: the ranges of PARSEC's options, and far beyond them. */
static const double usual[INPUTS][2] = {{40, 110}, {40, 110}, {0.02, 0.1}, {0.05, 0.65}, {0.05, 1}};
static const double wide[INPUTS][2] = {{1, 900}, {1, 900}, {0, 0.2}, {0.01, 1.5}, {0.001, 30}};

static double get(const struct bs_case *c, const void *array, size_t i)
{
    return c->type == AM_BS_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(const struct bs_case *c, void *array, size_t i, double x)
{
    if (c->type == AM_BS_F32)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

static long double normal(long double d)
{
    return erfcl(-d / sqrtl(2)) / 2;
}

static void reference(const double *in, long double *out)
{
    const long double s = in[0], k = in[1], r = in[2], vol = in[3], t = in[4];
    const long double d1 = (logl(s / k) + (r + vol * vol / 2) * t) / (vol * sqrtl(t));
    const long double d2 = d1 - vol * sqrtl(t), present = k * expl(-r * t);

    out[0] = s * normal(d1) - present * normal(d2);
    out[1] = present * normal(-d2) - s * normal(-d1);
}

/* Of a price, in parts of the greater of spot and strike. In f32 d1 itself is good to a few units
 * of its last place, times its own size. */
static double tolerance(const struct bs_case *c)
{
    static const double limits[AM_BS_TYPES][AM_BS_CDFS] = {
        [AM_BS_F32] = {[AM_BS_POLY] = 2e-6, [AM_BS_ERF] = 2e-6},
        [AM_BS_F64] = {[AM_BS_POLY] = 4e-7, [AM_BS_ERF] = 4e-15},
    };

    return limits[c->type][c->cdf];
}

static void fill(struct bs_case *c, const double ranges[INPUTS][2], size_t n, struct am_rng *rng)
{
    for (size_t k = 0; k < INPUTS; k++) {
        for (size_t i = 0; i < n; i++)
            put(c, c->g[k].at, i, ranges[k][0] + (ranges[k][1] - ranges[k][0]) * am_rng_unit(rng));
    }
}

static void call(const struct bs_case *c, size_t begin, size_t n)
{
    const struct am_bs_args args = {
        .spot = c->g[0].at,
        .strike = c->g[1].at,
        .rate = c->g[2].at,
        .volatility = c->g[3].at,
        .time = c->g[4].at,
        .call = c->g[5].at,
        .put = c->g[6].at,
        .begin = begin,
        .n = n,
    };

    c->v->fn[c->type][c->cdf](&args);
}

static void place(struct bs_case *c, size_t n, bool at_end)
{
    for (size_t k = 0; k < ARRAYS; k++) {
        if (at_end)
            (void)guarded_at_end(&c->g[k], n * c->size);
        else
            (void)guarded_at_start(&c->g[k], n * c->size, (k + n) % 5 * c->size);
    }
}

/* The greatest error of n prices, in parts of what they are made of. */
static double worst(const struct bs_case *c, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double in[INPUTS];
        long double out[OUTPUTS];

        for (size_t k = 0; k < INPUTS; k++)
            in[k] = get(c, c->g[k].at, i);
        reference(in, out);
        for (size_t k = 0; k < OUTPUTS; k++) {
            const long double scale = in[0] > in[1] ? in[0] : in[1];
            const double e = (double)(fabsl(get(c, c->g[INPUTS + k].at, i) - out[k]) / scale);

            most = e <= most ? most : e; /* NaN is the most */
        }
    }
    return most;
}

static void check_prices(struct bs_case *c, const char *what, const double ranges[INPUTS][2],
                         struct am_rng *rng)
{
    double error;

    place(c, MANY, false);
    fill(c, ranges, MANY, rng);
    call(c, 0, MANY);
    error = worst(c, MANY);
    kcheck_report(error <= tolerance(c), "%s %s %s, %s options: error %.2g of the price of a share",
                  c->v->isa, am_bs_types[c->type], am_bs_cdfs[c->cdf], what, error);
}

/* All prices at once, then in pieces that begin anywhere: bits must agree, and nothing outside a
 * piece change. Returns whether they do. */
static bool pieces_agree(struct bs_case *c, size_t n, struct am_rng *rng)
{
    static unsigned char whole[OUTPUTS][LONGEST * sizeof(double)];
    const size_t begin = n ? am_rng_below(rng, n) : 0;
    bool same = true;

    call(c, 0, n);
    for (size_t k = 0; k < OUTPUTS; k++) {
        memcpy(whole[k], c->g[INPUTS + k].at, n * c->size);
        memset(c->g[INPUTS + k].at, 0xff, n * c->size);
    }
    call(c, begin, n - begin);
    for (size_t i = 0; i < begin * c->size; i++)
        same = same && c->g[INPUTS].at[i] == 0xff && c->g[INPUTS + 1].at[i] == 0xff;
    for (size_t i = 0; i < begin; i++)
        call(c, i, 1);
    for (size_t k = 0; k < OUTPUTS; k++)
        same = same && memcmp(whole[k], c->g[INPUTS + k].at, n * c->size) == 0;
    for (size_t k = 0; k < ARRAYS; k++)
        same = same && guarded_intact(&c->g[k]);
    return same;
}

static void check_lengths(struct bs_case *c, struct am_rng *rng)
{
    size_t wrong = 0, cases = 0;

    for (size_t n = 0; n <= LONGEST; n++) {
        for (int at_end = 0; at_end < 2; at_end++, cases++) {
            place(c, n, at_end);
            fill(c, usual, n, rng);
            if (!pieces_agree(c, n, rng) && wrong++ == 0)
                printf("# first wrong: n %zu, %s of its pages\n", n, at_end ? "end" : "beginning");
        }
    }
    kcheck_report(wrong == 0, "%s %s %s: %zu cases, an element is the same wherever it stands",
                  c->v->isa, am_bs_types[c->type], am_bs_cdfs[c->cdf], cases);
}

void kcheck_blackscholes(const char *isa, struct am_rng *rng)
{
    static struct bs_case c;
    static char name[64];
    bool ready;

    c = (struct bs_case){.v = am_bs_find(isa)};
    ready = c.v && strcmp(c.v->isa, isa) == 0;
    for (size_t k = 0; k < ARRAYS && ready; k++)
        ready = guarded_new(&c.g[k], (MANY + 16) * sizeof(double));
    kcheck_report(ready, "%s has its row of Black-Scholes loops", isa);
    for (int i = 0; i < AM_BS_TYPES * AM_BS_CDFS && ready; i++) {
        c.type = (enum am_bs_type)(i / AM_BS_CDFS);
        c.cdf = (enum am_bs_cdf)(i % AM_BS_CDFS);
        c.size = c.type == AM_BS_F32 ? sizeof(float) : sizeof(double);
        (void)snprintf(name, sizeof(name), "%s %s %s", isa, am_bs_types[c.type], am_bs_cdfs[c.cdf]);
        guarded_charge(name);
        check_prices(&c, "usual", usual, rng);
        check_prices(&c, "far", wide, rng);
        check_lengths(&c, rng);
    }
    for (size_t k = 0; k < ARRAYS; k++)
        guarded_free(&c.g[k]);
}
