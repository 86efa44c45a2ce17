/* SPDX-License-Identifier: MIT */
/* Operands of narrow multiply-adds, and where their sums must be: whole numbers all the way, so
 * that no order and no rounding of the hardware's makes a difference. */
#include "base/rng.h"
#include "kernels/dot/dot.h"

#include <math.h>
#include <string.h>

#if defined(__aarch64__)
/* Bytes of a scalable vector: rdvl, as bytes, for assemblers that do not know it. */
static size_t scalable_bytes(void)
{
    uint64_t n;

    __asm__(".arch armv8.2-a+sve\n\trdvl %0, #1" : "=r"(n));
    return n;
}
#else
static size_t scalable_bytes(void)
{
    return 0;
}
#endif

enum { TILE_ROWS = 16, TILE_BYTES = 1024, ROW_BYTES = 64, MATRIX_SIDE = 2 };

static const struct {
    size_t bytes;
    bool whole; /* a type of integers */
} types[AM_DOT_TYPES] = {
    [AM_DOT_U8] = {1, true},   [AM_DOT_I8] = {1, true},    [AM_DOT_I16] = {2, true},
    [AM_DOT_I32] = {4, true},  [AM_DOT_BF16] = {2, false}, [AM_DOT_F16] = {2, false},
    [AM_DOT_F32] = {4, false}, [AM_DOT_F64] = {8, false},
};

static size_t vector_bytes(const struct am_dot_form *form)
{
    return form->bytes ? form->bytes : scalable_bytes();
}

size_t am_dot_streams(const struct am_dot_form *form)
{
    if (form->shape == AM_DOT_TILE)
        return AM_DOT_TILES;
    return form->bytes == AM_DOT_WIDE_BYTES ? AM_DOT_WIDE_STREAMS : AM_DOT_STREAMS;
}

size_t am_dot_sums(const struct am_dot_form *form)
{
    return vector_bytes(form) / types[form->sum].bytes;
}

size_t am_dot_products(const struct am_dot_form *form)
{
    switch (form->shape) {
    case AM_DOT_LANES: return types[form->sum].bytes / types[form->a].bytes;
    case AM_DOT_MATRIX: return vector_bytes(form) / MATRIX_SIDE / types[form->a].bytes;
    case AM_DOT_TILE: return ROW_BYTES / types[form->a].bytes;
    }
    return 0;
}

/* ---- elements ---- */

/* Half precision of a number that it holds exactly, and back; no infinities, no subnormals. */
static uint16_t half_of(double x)
{
    int exponent;
    const double part = frexp(fabs(x), &exponent); /* 1/2 to 1 */
    const unsigned sign = signbit(x) ? 0x8000 : 0;

    if (!(fabs(x) > 0))
        return (uint16_t)sign;
    return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 | ((unsigned)(part * 2048) & 0x3ff));
}

static double of_half(uint16_t h)
{
    const double size = (h & 0x7fff) == 0 ? 0 : ldexp(1024 + (h & 0x3ff), (h >> 10 & 31) - 25);

    return h & 0x8000 ? -size : size;
}

static uint16_t bfloat_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static float of_bfloat(uint16_t h)
{
    const uint32_t bits = (uint32_t)h << 16;
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static void put(enum am_dot_element type, unsigned char *at, size_t i, double value)
{
    const int64_t whole = (int64_t)value;
    const float single = (float)value;
    const uint16_t half = type == AM_DOT_BF16 ? bfloat_of(single) : half_of(value);
    unsigned char *const to = at + i * types[type].bytes;

    if (types[type].whole)
        memcpy(to, &whole,
               types[type].bytes); /* the low bytes: both architectures have them first */
    else if (type == AM_DOT_F32)
        memcpy(to, &single, sizeof(single));
    else if (type == AM_DOT_F64)
        memcpy(to, &value, sizeof(value));
    else
        memcpy(to, &half, sizeof(half));
}

static double get(enum am_dot_element type, const unsigned char *at, size_t i)
{
    const unsigned char *const from = at + i * types[type].bytes;
    uint64_t bits = 0;
    float single;
    double value;

    memcpy(&bits, from, types[type].bytes);
    switch (type) {
    case AM_DOT_U8: return (double)(uint8_t)bits;
    case AM_DOT_I8: return (double)(int8_t)bits;
    case AM_DOT_I16: return (double)(int16_t)bits;
    case AM_DOT_I32: return (double)(int32_t)bits;
    case AM_DOT_BF16: return (double)of_bfloat((uint16_t)bits);
    case AM_DOT_F16: return of_half((uint16_t)bits);
    case AM_DOT_F32: memcpy(&single, from, sizeof(single)); return (double)single;
    case AM_DOT_F64: memcpy(&value, from, sizeof(value)); return value;
    case AM_DOT_TYPES: break;
    }
    return NAN;
}

/* ---- operands ---- */

/* Integers: any that the type has. Others: small ones of either sign and no zeros: where a vector
 * has two lanes, a zero in each would hide how many steps were made. */
static void fill_source(enum am_dot_element type, struct am_rng *rng, unsigned char *to)
{
    for (size_t i = 0; i < AM_DOT_SOURCE / types[type].bytes; i++) {
        if (types[type].whole)
            put(type, to, i, (double)(int64_t)am_rng_below(rng, 65536) - 32768);
        else
            put(type, to, i, ((double)am_rng_below(rng, 7) + 1) * (am_rng_below(rng, 2) ? -1 : 1));
    }
}

/* Half precision has whole numbers up to 2048 only. Products are 1 or -1, and sums begin so far on
 * the other side of zero that AM_DOT_STEPS of them stay exact. */
static void fill_halves(const struct am_dot_form *form, struct am_rng *rng,
                        struct am_dot_operands *out)
{
    const size_t lanes = am_dot_sums(form);

    for (size_t i = 0; i < lanes; i++) {
        const double scale = ldexp(1, (int)am_rng_below(rng, 5) - 2);
        const double sign = am_rng_below(rng, 2) ? -1 : 1;

        put(AM_DOT_F16, out->a, i, scale);
        put(AM_DOT_F16, out->b, i, sign / scale);
        for (size_t s = 0; s < am_dot_streams(form); s++)
            put(AM_DOT_F16, out->sums, s * lanes + i,
                -sign * (2047 - (double)am_rng_below(rng, 48)));
    }
}

static void fill_tiles(unsigned char *config)
{
    const uint16_t row_bytes = ROW_BYTES;

    config[0] = 1; /* the palette; then eight tiles' bytes of a row from 16 on, rows from 48 on */
    for (size_t i = 0; i < 8; i++) {
        memcpy(config + 16 + 2 * i, &row_bytes, sizeof(row_bytes));
        config[48 + i] = TILE_ROWS;
    }
}

void am_dot_fill(const struct am_dot_form *form, uint64_t seed, struct am_dot_operands *out)
{
    const size_t n = am_dot_streams(form) * am_dot_sums(form);
    struct am_rng rng;

    memset(out, 0, sizeof(*out));
    am_rng_seed(&rng, seed, 0);
    if (form->shape == AM_DOT_TILE)
        fill_tiles(out->tiles);
    if (form->sum == AM_DOT_F16) {
        fill_halves(form, &rng, out);
        return;
    }
    fill_source(form->a, &rng, out->a);
    fill_source(form->b, &rng, out->b);
    for (size_t i = 0; i < n; i++)
        put(form->sum, out->sums, i, (double)(int64_t)am_rng_below(&rng, 2001) - 1000);
}

/* ---- reference ---- */

/* Where the k-th product of an element finds its factors. */
struct factors {
    const unsigned char *a, *b;
    size_t at_a, at_b;
};

static struct factors factors_of(const struct am_dot_form *form, const struct am_dot_operands *in,
                                 size_t i, size_t k)
{
    const size_t products = am_dot_products(form), sums = am_dot_sums(form);
    const size_t stream = i / sums, lane = i % sums;
    struct factors f = {in->a, in->b, lane * products + k, lane * products + k};

    if (form->shape == AM_DOT_MATRIX) { /* rows of a, and of b as well */
        f.at_a = lane % 4 / MATRIX_SIDE * products + lane / 4 * 2 * products + k;
        f.at_b = lane % MATRIX_SIDE * products + lane / 4 * 2 * products + k;
    } else if (form->shape == AM_DOT_TILE) { /* b: as many rows together as fill four bytes */
        const size_t row = lane / TILE_ROWS, column = lane % TILE_ROWS;
        const size_t together = types[form->sum].bytes / types[form->b].bytes;

        f.a += stream / 2 * TILE_BYTES;
        f.b += stream % 2 * TILE_BYTES;
        f.at_a = row * products + k;
        f.at_b = k / together * products + column * together + k % together;
    }
    return f;
}

/* What a step adds to an element; a whole number below 2^53. */
static double added(const struct am_dot_form *form, const struct am_dot_operands *in, size_t i)
{
    double sum = 0;

    for (size_t k = 0; k < am_dot_products(form); k++) {
        const struct factors f = factors_of(form, in, i, k);

        sum += get(form->a, f.a, f.at_a) * get(form->b, f.b, f.at_b);
    }
    return sum;
}

static bool is_right(const struct am_dot_form *form, double start, double step, uint64_t steps,
                     double got)
{
    if (types[form->sum].whole) /* it wraps */
        return (uint32_t)(int64_t)got ==
               (uint32_t)(int64_t)start + (uint32_t)steps * (uint32_t)(int64_t)step;
    return fabs(got - (start + (double)steps * step)) <= 0;
}

size_t am_dot_wrong(const struct am_dot_form *form, const struct am_dot_operands *in,
                    const unsigned char *out, uint64_t steps)
{
    const size_t n = am_dot_streams(form) * am_dot_sums(form);

    for (size_t i = 0; i < n; i++) {
        if (!is_right(form, get(form->sum, in->sums, i), added(form, in, i), steps,
                      get(form->sum, out, i)))
            return i;
    }
    return SIZE_MAX;
}
