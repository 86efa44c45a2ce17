/* SPDX-License-Identifier: MIT */
/* ocl.arith without a device: operations, types, operands, and what the chains must come to. */
#include "bench/ocl/units/arith.h"

#include "base/rng.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BODY_INSTRUCTIONS = 256, /* about; 4 to 16 KB of code on all devices known */
    UNROLL_MIN = 8,
    UNROLL_MAX = 256,
};

const char *const am_arith_ops[] = {"add", "sub", "mul", "div", "mad", "fma", "muladd", NULL};
const char *const am_arith_types[] = {"float", "double", "half", "int", NULL};

static const struct {
    const char *define;
    double count;
    bool fused; /* has r, and a quadratic form */
    bool two;   /* whole numbers need two values a chain */
} ops[AM_ARITH_OPS] = {
    [AM_ARITH_ADD] = {"OP_ADD", 1, false, true},      [AM_ARITH_SUB] = {"OP_SUB", 1, false, true},
    [AM_ARITH_MUL] = {"OP_MUL", 1, false, true},      [AM_ARITH_DIV] = {"OP_DIV", 1, false, false},
    [AM_ARITH_MAD] = {"OP_MAD", 2, true, false},      [AM_ARITH_FMA] = {"OP_FMA", 2, true, false},
    [AM_ARITH_MULADD] = {"OP_MULADD", 2, true, true},
};

static const struct {
    const char *name; /* OpenCL's; whole numbers wrap only when unsigned */
    size_t bytes;
    double eps;
    double grow; /* by which a product grows in two steps, so that no chain comes to rest */
} types[AM_ARITH_TYPES] = {
    [AM_ARITH_FLOAT] = {"float", 4, FLT_EPSILON, 4 * FLT_EPSILON},
    [AM_ARITH_DOUBLE] = {"double", 8, DBL_EPSILON, 4 * FLT_EPSILON},
    [AM_ARITH_HALF] = {"half", 2, 0x1p-10, 0},
    [AM_ARITH_INT] = {"uint", 4, 0, 0},
};

double am_arith_count(enum am_arith_op op)
{
    return ops[op].count;
}

size_t am_arith_bytes(enum am_arith_type type)
{
    return types[type].bytes;
}

const char *am_arith_refusal(enum am_arith_op op, enum am_arith_type type, bool quadratic)
{
    if (type == AM_ARITH_INT && (op == AM_ARITH_MAD || op == AM_ARITH_FMA))
        return "is not defined for int; muladd is";
    if (quadratic && !ops[op].fused)
        return "has no quadratic form";
    return NULL;
}

unsigned am_arith_unroll(unsigned chains, unsigned width, unsigned native)
{
    const unsigned lanes = native ? native : 1;
    const unsigned instructions = chains * (width > lanes ? width / lanes : 1);
    unsigned unroll = UNROLL_MAX;

    while (unroll > UNROLL_MIN && unroll * instructions > BODY_INSTRUCTIONS)
        unroll /= 2;
    return unroll;
}

/* A constant operand of whole numbers would be combined with that of the next step, as the law
 * allows: x*p+r, x*q+r becomes x*(p*q)+s. */
static bool has_two(const struct am_arith_shape *s)
{
    return s->type == AM_ARITH_INT && ops[s->op].two && !s->quadratic;
}

double am_arith_rival_limit(const struct am_arith_shape *s)
{
    if (s->quadratic || s->type == AM_ARITH_INT)
        return 0;
    if (s->op == AM_ARITH_DIV)
        return 1.5; /* the rival also adds */
    return s->op == AM_ARITH_MAD || s->op == AM_ARITH_MULADD ? 1.15 : 0;
}

bool am_arith_options(const struct am_arith_shape *s, char *buf, size_t cap)
{
    return am_str_format(buf, cap, "-DTYPE=%s -DWIDTH=%u -DCHAINS=%u -DUNROLL=%u -D%s%s%s%s",
                         types[s->type].name, s->width, s->chains, s->unroll, ops[s->op].define,
                         s->quadratic ? " -DQUADRATIC" : "", has_two(s) ? " -DTWO" : "",
                         s->type == AM_ARITH_HALF ? " -DHALF" : "");
}

/* ---- binary16 ---- */

enum { HALF_BIAS = 15, HALF_FRACTION = 10, HALF_INFINITY = 0x7c00, HALF_SIGN = 0x8000 };

uint16_t am_arith_to_half(double x)
{
    const uint16_t sign = signbit(x) ? HALF_SIGN : 0;
    int exponent;
    double fraction; /* in [1, 2) */
    long scaled;

    if (x == 0) /* NOLINT: exact */
        return sign;
    fraction = 2 * frexp(fabs(x), &exponent);
    exponent -= 1;
    if (exponent < -14)
        return sign;                                /* chains never come here: flushed */
    scaled = lrint(ldexp(fraction, HALF_FRACTION)); /* to nearest even */
    if (scaled == 2 << HALF_FRACTION) {
        scaled /= 2;
        exponent++;
    }
    if (exponent > HALF_BIAS)
        return (uint16_t)(sign | HALF_INFINITY);
    return (uint16_t)(sign | (unsigned)(exponent + HALF_BIAS) << HALF_FRACTION |
                      ((unsigned)scaled & ((1u << HALF_FRACTION) - 1)));
}

double am_arith_from_half(uint16_t bits)
{
    const int exponent = bits >> HALF_FRACTION & 0x1f;
    const double fraction = bits & ((1 << HALF_FRACTION) - 1);
    double x;

    if (exponent == 0x1f)
        x = fraction > 0 ? NAN : INFINITY;
    else if (exponent == 0)
        x = ldexp(fraction, -14 - HALF_FRACTION);
    else
        x = ldexp(fraction + (1 << HALF_FRACTION), exponent - HALF_BIAS - HALF_FRACTION);
    return bits & HALF_SIGN ? -x : x;
}

/* ---- operands and seeds ---- */

static void put(enum am_arith_type type, void *array, size_t i, double x)
{
    const float narrow = (float)x;
    const uint16_t half = type == AM_ARITH_HALF ? am_arith_to_half(x) : 0;
    const uint32_t whole = type == AM_ARITH_INT ? (uint32_t)x : 0;
    const void *const from[AM_ARITH_TYPES] = {[AM_ARITH_FLOAT] = &narrow,
                                              [AM_ARITH_DOUBLE] = &x,
                                              [AM_ARITH_HALF] = &half,
                                              [AM_ARITH_INT] = &whole};

    memcpy((char *)array + i * types[type].bytes, from[type], types[type].bytes);
}

double am_arith_element(enum am_arith_type type, const void *array, size_t i)
{
    const char *const at = (const char *)array + i * types[type].bytes;
    union {
        float narrow;
        double wide;
        uint16_t half;
        uint32_t whole;
    } u;

    memcpy(&u, at, types[type].bytes);
    switch (type) {
    case AM_ARITH_FLOAT: return (double)u.narrow;
    case AM_ARITH_HALF: return am_arith_from_half(u.half);
    case AM_ARITH_INT: return (double)u.whole;
    default: return u.wide;
    }
}

/* Whole numbers: odd, so that products never become zero; quotients stay between 2^16 and 2^24. */
static const double whole_operands[3] = {4294967279.0, 4294967291.0, 2654435769.0};

void am_arith_operands(const struct am_arith_shape *s, void *operands)
{
    const double back = (1 + types[s->type].grow) / 1.0625, drift = 0x1p-7;
    const double ragged = 11 * types[s->type].eps; /* every step is rounded: see is_exact() */
    const double table[AM_ARITH_OPS][3] = {
        [AM_ARITH_ADD] = {0.765625 + ragged, -0.75 + ragged / 3, 0},
        [AM_ARITH_SUB] = {3 + ragged, 3.015625 - ragged / 3, 0},
        [AM_ARITH_MUL] = {1.0625, back, 0},
        [AM_ARITH_DIV] = {1.5, 1.5 + 0x1p-18, 1},
        [AM_ARITH_MAD] = {1.0625, 1 / 1.0625, drift + ragged},
        [AM_ARITH_FMA] = {1.0625, 1 / 1.0625, drift + ragged},
        [AM_ARITH_MULADD] = {1.0625, 1 / 1.0625, drift + ragged},
    };
    const bool whole = s->type == AM_ARITH_INT;

    for (size_t i = 0; i < 3; i++)
        put(s->type, operands, i, whole ? whole_operands[i] : table[s->op][i]);
    if (s->quadratic && !whole && s->op != AM_ARITH_DIV)
        put(s->type, operands, 2, -1.8); /* never comes to rest, and stays within 1.8 */
    put(s->type, operands, 3, whole ? 2 : 0x1p-8);
}

void am_arith_seeds(const struct am_arith_shape *s, uint64_t seed, void *seeds)
{
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < (size_t)s->chains * s->width; i++) {
        const double k = (double)am_rng_below(&rng, 64);

        put(s->type, seeds, i, s->type == AM_ARITH_INT ? 257 + 2 * k : 1 + k * 0x1p-8);
    }
}

/* ---- the reference ---- */

/* One rounding from double is exact for + - * / of narrower types. */
static double rounded(enum am_arith_type type, double x)
{
    if (type == AM_ARITH_FLOAT)
        return (double)(float)x;
    return type == AM_ARITH_HALF ? am_arith_from_half(am_arith_to_half(x)) : x;
}

/* a*b+c, rounded once or twice. */
static double fused(enum am_arith_type type, bool twice, double x, double y, double z)
{
    if (twice)
        return rounded(type, rounded(type, x * y) + z);
    if (type == AM_ARITH_FLOAT)
        return (double)fmaf((float)x, (float)y, (float)z);
    return rounded(type, fma(x, y, z));
}

static double step_real(const struct am_arith_shape *s, bool twice, double x, double k, double r)
{
    switch (s->op) {
    case AM_ARITH_ADD: return rounded(s->type, x + k);
    case AM_ARITH_SUB: return rounded(s->type, k - x);
    case AM_ARITH_MUL: return rounded(s->type, x * k);
    case AM_ARITH_DIV:
        k = rounded(s->type, k / x);
        return s->quadratic ? rounded(s->type, k + r) : k;
    default: return fused(s->type, twice, x, s->quadratic ? x : k, r);
    }
}

static uint32_t step_whole(const struct am_arith_shape *s, uint32_t x, uint32_t k, uint32_t r)
{
    switch (s->op) {
    case AM_ARITH_ADD: return x + k;
    case AM_ARITH_SUB: return x - k; /* k - x twice would be found out */
    case AM_ARITH_MUL: return x * k;
    case AM_ARITH_DIV: return k / x;
    default: return x * (s->quadratic ? x : k) + r;
    }
}

static double chain_real(const struct am_arith_shape *s, bool twice, const double *c, double x,
                         uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i += 2) {
        x = step_real(s, twice, x, c[0], c[2]);
        x = step_real(s, twice, x, c[1], c[2]);
    }
    return x;
}

static uint32_t chain_whole(const struct am_arith_shape *s, const double *c, uint32_t x,
                            uint64_t steps)
{
    const uint32_t p = (uint32_t)c[0], q = (uint32_t)c[1], r = (uint32_t)c[2];
    uint32_t y = 2 * x + 1;

    for (uint64_t i = 0; i < steps && !has_two(s); i += 2) {
        x = step_whole(s, x, p, r);
        x = step_whole(s, x, q, r);
    }
    for (uint64_t i = 0; i < steps && has_two(s); i += 2) {
        x = step_whole(s, x, y, r);
        y = step_whole(s, y, x, r);
    }
    return has_two(s) ? x + y : x;
}

double am_arith_expected(const struct am_arith_shape *s, const struct am_arith_data *data,
                         size_t item, size_t lane, uint64_t steps)
{
    double c[AM_ARITH_OPERANDS], real = 0;
    uint32_t whole = 0;

    for (size_t i = 0; i < AM_ARITH_OPERANDS; i++)
        c[i] = am_arith_element(s->type, data->operands, i);
    for (size_t k = 0; k < s->chains; k++) {
        const double x = am_arith_element(s->type, data->seeds, k * s->width + lane) +
                         c[3] * (double)(item % AM_ARITH_SPREAD);

        if (s->type == AM_ARITH_INT)
            whole += chain_whole(s, c, (uint32_t)x, steps);
        else
            real = rounded(s->type, real + chain_real(s, data->twice, c, x, steps));
    }
    return s->type == AM_ARITH_INT ? (double)whole : real;
}

/* Operations that IEEE 754 and OpenCL define to the last bit, and those that are rounded once or
 * twice per step, each of which is compared. With operands whose every step is rounded, a compiler
 * that has combined steps, as if numbers were real, ends elsewhere. */
double am_arith_tolerance(const struct am_arith_shape *s, uint64_t steps)
{
    const double eps = types[s->type].eps;

    if (s->op == AM_ARITH_DIV && s->type != AM_ARITH_INT) /* OpenCL allows 2.5 ulp */
        return fmin(0.25, eps * (32 + 3 * (double)steps));
    return 0;
}

bool am_arith_may_round_twice(const struct am_arith_shape *s)
{
    return s->type != AM_ARITH_INT && (s->op == AM_ARITH_MAD || s->op == AM_ARITH_MULADD);
}
