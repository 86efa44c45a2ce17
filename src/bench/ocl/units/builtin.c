/* SPDX-License-Identifier: MIT */
/* The functions of ocl.builtin: the table, its references, errors in ulp, and the chain's step. */
#include "bench/ocl/units/builtin.h"

#include "base/rng.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Ranges wider than this are spread by magnitude. */
static const double decades_apart = 1e4;

/* Not a rounding error any more: so many times what is allowed, or, where nothing is, so many ulp
 * (a part in eight of a float). */
static const double wrong_multiple = 16, wrong_least = 16, wrong_unstated = 0x1p20;

static const long double pi = 3.14159265358979323846264338327950288L;

/* ---- references beyond the C library ---- */

static long double sinpi_of(long double x)
{
    const long double whole = rintl(x);
    const long double s = sinl(pi * (x - whole));

    return fmodl(whole, 2) != 0 ? -s : s;
}

static long double fract_of(long double x, bool wide, long double *p)
{
    const long double below_one = 1 - (wide ? DBL_EPSILON : FLT_EPSILON) / 2;

    *p = floorl(x);
    return fminl(x - *p, below_one);
}

static long double frexp_of(long double x, long double *p)
{
    int exponent;
    const long double r = frexpl(x, &exponent);

    *p = exponent;
    return r;
}

/* Quotients of the sampled ranges have less than the seven bits that are stated. */
static long double remquo_of(long double x, long double y, long double *p)
{
    const long double r = remainderl(x, y);

    *p = rintl((x - r) / y);
    return r;
}

static long double next_of(long double x, long double y, bool wide)
{
    return wide ? nextafter((double)x, (double)y) : nextafterf((float)x, (float)y);
}

/* ---- the table ---- */

#define F(NAME, group, result, chain, rx, ry, ulp, call, REFERENCE)                                \
    static long double reference_##NAME(const struct am_builtin_operands *in, bool wide,           \
                                        long double *p)                                            \
    {                                                                                              \
        const long double x = in->x, y = in->y, z = in->z;                                         \
        const int n = (int)in->y;                                                                  \
                                                                                                   \
        (void)x, (void)y, (void)z, (void)n, (void)wide, (void)p;                                   \
        return REFERENCE;                                                                          \
    }
#include "bench/ocl/units/builtin.inc"
#undef F

#define AT(n)                                                                                      \
    {                                                                                              \
        .exponent = (n)                                                                            \
    }
#define BELOW(n)                                                                                   \
    {                                                                                              \
        .exponent = (n), .negative = true                                                          \
    }
#define WITH(n, y)                                                                                 \
    {                                                                                              \
        .exponent = (n), .second = (y)                                                             \
    }
#define R(lo, hi)                                                                                  \
    {                                                                                              \
        (lo), (hi)                                                                                 \
    }
#define NONE                                                                                       \
    {                                                                                              \
        0, 0                                                                                       \
    }
#define ULP(a)                                                                                     \
    {                                                                                              \
        (a), (a)                                                                                   \
    }
#define ULP2(a, b)                                                                                 \
    {                                                                                              \
        (a), (b)                                                                                   \
    }
#define ANY                                                                                        \
    {                                                                                              \
        NAN, NAN                                                                                   \
    }

const struct am_builtin am_builtins[] = {
#define F(NAME, GROUP, RESULT, CHAIN, RX, RY, ALLOWED, CALL, REFERENCE)                            \
    {.name = #NAME,                                                                                \
     .group = GROUP,                                                                               \
     .result = AM_BUILTIN_##RESULT,                                                                \
     .chain = CHAIN,                                                                               \
     .x = RX,                                                                                      \
     .y = RY,                                                                                      \
     .allowed = ALLOWED,                                                                           \
     .call = #CALL,                                                                                \
     .reference = reference_##NAME},
#include "bench/ocl/units/builtin.inc"
#undef F
    {.name = NULL},
};

const char *const am_builtin_names[] = {
#define F(NAME, ...) #NAME,
#include "bench/ocl/units/builtin.inc"
#undef F
    NULL,
};

bool am_builtin_float_only(const struct am_builtin *b)
{
    return strncmp(b->name, "half_", 5) == 0 || strncmp(b->name, "native_", 7) == 0;
}

/* ---- operands and errors ---- */

/* `part` of the way through the range, as a value of the type. */
static double at(struct am_builtin_range range, double part, bool wide)
{
    double v = range.lo + part * (range.hi - range.lo);

    if (range.lo > 0 && range.hi > decades_apart * range.lo)
        v = range.lo * pow(range.hi / range.lo, part);
    return wide ? v : (double)(float)v;
}

struct am_builtin_operands am_builtin_sample(const struct am_builtin *b, bool wide, size_t i,
                                             size_t n)
{
    struct am_rng rng; /* bits down to the last: round operands have no rounding errors */

    am_rng_seed(&rng, i, n);
    return (struct am_builtin_operands){
        .x = at(b->x, ((double)i + am_rng_unit(&rng)) / (double)n, wide),
        .y = at(b->y, am_rng_unit(&rng), wide),
        .z = at(b->y, am_rng_unit(&rng), wide),
    };
}

static long double ulp_of(bool wide, long double value)
{
    const int digits = wide ? DBL_MANT_DIG : FLT_MANT_DIG;
    const int least = (wide ? DBL_MIN_EXP : FLT_MIN_EXP) - 1;
    const int exponent = fabsl(value) > 0 ? ilogbl(value) : least;

    return ldexpl(1, (exponent > least ? exponent : least) - digits + 1);
}

double am_builtin_ulps(bool wide, double got, long double want)
{
    if (!isfinite(got))
        return INFINITY;
    return (double)(fabsl(got - want) / ulp_of(wide, want));
}

/* Zero or normal in the type, with some distance from the end of its exponents. */
static bool is_plain(bool wide, long double v)
{
    const long double size = fabsl(v);

    return !(size > 0) ||
           (size >= (wide ? DBL_MIN : FLT_MIN) && size <= (wide ? DBL_MAX : FLT_MAX));
}

/* Where the specification states nothing, small results are held against 1. */
static bool is_wrong(double allowed, bool wide, double got, long double want)
{
    if (!isnan(allowed))
        return am_builtin_ulps(wide, got, want) > fmax(wrong_multiple * allowed, wrong_least);
    return !isfinite(got) ||
           fabsl(got - want) / ulp_of(wide, fmaxl(fabsl(want), 1)) > wrong_unstated;
}

double am_builtin_error(const struct am_builtin *b, bool wide, const struct am_builtin_operands *in,
                        const double got[2], bool *wrong)
{
    const bool two = b->result == AM_BUILTIN_REAL_REAL || b->result == AM_BUILTIN_REAL_INT;
    long double want[2] = {0, 0};
    double most = 0;

    *wrong = false;
    want[0] = b->reference(in, wide, &want[1]);
    for (int i = 0; i < 1 + two; i++) {
        if (!is_plain(wide, want[i]))
            continue;
        most = fmax(most, am_builtin_ulps(wide, got[i], want[i]));
        *wrong |= is_wrong(b->allowed[wide], wide, got[i], want[i]);
    }
    return most;
}

/* ---- the chain ---- */

static const uint64_t scatter = UINT64_C(0x9e3779b97f4a7c15);

uint64_t am_builtin_mask(bool wide)
{
    return wide ? UINT64_C(0x000fffffffffffff) : UINT64_C(0x007fffff);
}

uint64_t am_builtin_key(const struct am_builtin *b, bool wide)
{
    const double base = ldexp(1, b->chain.exponent);

    return am_builtin_bits(b->chain.negative ? -base : base, wide);
}

/* The kernels compute in the type's own width. */
static uint64_t cut(uint64_t v, bool wide)
{
    return wide ? v : (uint32_t)v;
}

uint64_t am_builtin_turn(uint64_t key, bool wide, uint32_t i)
{
    return key ^ (cut(i * scatter, wide) & am_builtin_mask(wide));
}

uint64_t am_builtin_start(uint64_t index, uint64_t key, uint64_t seed, bool wide)
{
    return (cut((index + seed) * scatter, wide) & am_builtin_mask(wide)) ^ key;
}

static uint64_t result_bits(const struct am_builtin *b, bool wide, const double got[2], double z)
{
    const float moved = (float)got[0] - (float)z;

    switch (b->result) {
    case AM_BUILTIN_REAL: break;
    case AM_BUILTIN_INT: return cut((uint64_t)(int64_t)got[0], wide);
    case AM_BUILTIN_REAL_REAL: return am_builtin_bits(got[0], wide) ^ am_builtin_bits(got[1], wide);
    case AM_BUILTIN_REAL_INT:
        return am_builtin_bits(got[0], wide) ^ cut((uint64_t)(int64_t)got[1], wide);
    case AM_BUILTIN_MOVED: return am_builtin_bits(wide ? got[0] - z : (double)moved, wide);
    }
    return am_builtin_bits(got[0], wide);
}

uint64_t am_builtin_next(const struct am_builtin *b, bool wide, const double got[2], double z,
                         uint64_t key)
{
    return (result_bits(b, wide, got, z) & am_builtin_mask(wide)) ^ key;
}

double am_builtin_value(uint64_t bits, bool wide)
{
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double value;

    memcpy(&narrow, &low, sizeof(narrow));
    memcpy(&value, &bits, sizeof(value));
    return wide ? value : (double)narrow;
}

uint64_t am_builtin_bits(double value, bool wide)
{
    const float narrow = (float)value;
    uint32_t low;
    uint64_t bits;

    memcpy(&low, &narrow, sizeof(low));
    memcpy(&bits, &value, sizeof(bits));
    return wide ? bits : low;
}
