/* SPDX-License-Identifier: MIT */
/* ocl.dot without a device: types, places of elements, products. */
#include "bench/ocl/units/dot.h"

#include "bench/ocl/host/passes.h"
#include "bench/ocl/units/arith.h"

#include <string.h>

const char *const am_dot_types[] = {"bf16", "f16", "tf32", "int8", "f64", NULL};
const char *const am_dot_ways[] = {"warp", "group", "item", "plain", NULL};
const struct am_dot_tile am_dot_tiles[AM_DOT_TILES] = {{2, 2}, {4, 4}, {8, 4}};

static const struct {
    size_t bytes, result_bytes;
    unsigned warp_k;           /* of one instruction of a warp */
    unsigned least;            /* capability from which on a warp has it */
    unsigned a_words, b_words; /* registers of a lane, of 4 bytes or of one double */
} types[AM_DOT_TYPES] = {
    [AM_DOT_BF16] = {2, 4, 16, 80, 4, 2}, [AM_DOT_F16] = {2, 4, 16, 80, 4, 2},
    [AM_DOT_TF32] = {4, 4, 8, 80, 4, 2},  [AM_DOT_INT8] = {1, 4, 32, 80, 4, 2},
    [AM_DOT_F64] = {8, 8, 16, 90, 8, 4},
};

enum {
    GROUP_CAPABILITY = 90,
    ITEM_CAPABILITY = 61, /* dp4a */
    LARGEST = 2,          /* operand */
};

static const char *refuse_items(enum am_dot_way way, enum am_dot_type type,
                                const struct am_dot_device *device)
{
    if (type != AM_DOT_INT8)
        return "single work-items multiply vectors of int8 only: ocl.arith has their numbers";
    if (way == AM_DOT_ITEM && !device->integer_dot && device->capability < ITEM_CAPABILITY)
        return "the device has no cl_khr_integer_dot_product";
    return NULL;
}

const char *am_dot_refusal(enum am_dot_way way, enum am_dot_type type,
                           const struct am_dot_device *device)
{
    const unsigned capability = device->capability;

    if (way == AM_DOT_ITEM || way == AM_DOT_PLAIN)
        return refuse_items(way, type, device);
    if (capability == 0)
        return "no instructions for matrices are known of this device";
    if (way == AM_DOT_GROUP && type == AM_DOT_F64)
        return "four warps together multiply no doubles";
    if (way == AM_DOT_GROUP && capability != GROUP_CAPABILITY)
        return "only devices of capability 9.0 have instructions of four warps";
    return capability < types[type].least ? "the device has no such instruction" : NULL;
}

size_t am_dot_element_bytes(enum am_dot_type type)
{
    return types[type].bytes;
}

size_t am_dot_result_bytes(enum am_dot_type type)
{
    return types[type].result_bytes;
}

/* Sums are exact below 2^24, those of whole numbers and doubles far beyond. */
static uint32_t exact_turns(const struct am_dot_shape *s)
{
    const bool wide = s->type == AM_DOT_INT8 || s->type == AM_DOT_F64;
    const uint32_t most = wide ? UINT32_C(1) << 30 : UINT32_C(1) << 23;
    uint32_t turns = most / (LARGEST * LARGEST * s->k);

    return turns < UINT32_C(1) << 20 ? turns : UINT32_C(1) << 20;
}

struct am_dot_shape am_dot_shape_of(enum am_dot_way way, enum am_dot_type type)
{
    struct am_dot_shape s = {.way = way, .type = type};

    if (way == AM_DOT_WARP) {
        const size_t word = type == AM_DOT_F64 ? sizeof(double) : sizeof(uint32_t);

        s.k = types[type].warp_k;
        s.rows = (size_t)AM_DOT_WARP_TILES * AM_DOT_WARP_ROWS;
        s.columns = (size_t)AM_DOT_WARP_TILES * AM_DOT_WARP_COLUMNS;
        s.accumulators = (size_t)AM_DOT_WARP_TILES * AM_DOT_WARP_TILES * AM_DOT_ACCUMULATORS;
        s.a_bytes = (size_t)AM_DOT_WARP_TILES * AM_DOT_LANES * types[type].a_words * word;
        s.b_bytes = (size_t)AM_DOT_WARP_TILES * AM_DOT_LANES * types[type].b_words * word;
        s.group = AM_DOT_LANES;
    } else {
        s.k = AM_DOT_STEPS * AM_DOT_STEP_BYTES / (unsigned)types[type].bytes;
        s.rows = (size_t)AM_DOT_GROUPS * AM_DOT_ROWS;
        s.columns = AM_DOT_COLUMNS;
        s.accumulators = AM_DOT_COLUMNS / 2;
        s.a_bytes = s.rows * AM_DOT_STEPS * AM_DOT_STEP_BYTES;
        s.b_bytes = s.columns * AM_DOT_STEPS * AM_DOT_STEP_BYTES;
        s.group = (size_t)AM_DOT_GROUPS * 4 * AM_DOT_LANES;
    }
    s.turns_max = exact_turns(&s);
    return s;
}

static int small(uint64_t seed, uint64_t at)
{
    uint64_t x = (at + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed;

    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (int)((x >> 40) % (2 * LARGEST + 1)) - LARGEST;
}

int am_dot_a(uint64_t seed, size_t row, size_t k)
{
    return small(seed, row * 1024 + k);
}

int am_dot_b(uint64_t seed, size_t k, size_t column)
{
    return small(~seed, column * 1024 + k);
}

/* ---- elements ---- */

static void put(enum am_dot_type type, unsigned char *to, int value)
{
    const float narrow = (float)value;
    const double wide = value;
    const int8_t whole = (int8_t)value;
    const uint16_t half = am_arith_to_half(wide);
    uint32_t bits;
    uint16_t upper;

    memcpy(&bits, &narrow, sizeof(bits));
    upper = (uint16_t)(bits >> 16); /* whole numbers this small lose nothing */
    switch (type) {
    case AM_DOT_BF16: memcpy(to, &upper, sizeof(upper)); break;
    case AM_DOT_F16: memcpy(to, &half, sizeof(half)); break;
    case AM_DOT_TF32: memcpy(to, &narrow, sizeof(narrow)); break;
    case AM_DOT_INT8: memcpy(to, &whole, sizeof(whole)); break;
    default: memcpy(to, &wide, sizeof(wide)); break;
    }
}

double am_dot_result(enum am_dot_type type, const void *at)
{
    union {
        float real;
        int32_t whole;
        double wide;
    } u;

    memcpy(&u, at, types[type].result_bytes);
    if (type == AM_DOT_F64)
        return u.wide;
    return type == AM_DOT_INT8 ? (double)u.whole : (double)u.real;
}

/* ---- a warp: lane l has row, or column, l / 4, and of k the places of l mod 4 ---- */

/* Register r of a lane holds `per` neighbours in k; A's registers alternate between two rows. */
static void pack_lane(const struct am_dot_shape *s, uint64_t seed, bool is_a, size_t tile,
                      size_t lane, unsigned char *to)
{
    const size_t bytes = types[s->type].bytes;
    const size_t per = s->type == AM_DOT_F64 ? 1 : sizeof(uint32_t) / bytes;
    const size_t words = is_a ? types[s->type].a_words : types[s->type].b_words;

    for (size_t r = 0; r < words; r++) {
        const size_t part = is_a ? r / 2 : r;

        for (size_t e = 0; e < per; e++) {
            const size_t k = lane % 4 * per + e + part * 4 * per;
            const size_t row = tile * AM_DOT_WARP_ROWS + lane / 4 + (is_a ? r % 2 * 8 : 0);
            const size_t column = tile * AM_DOT_WARP_COLUMNS + lane / 4;

            put(s->type, to + (r * per + e) * bytes,
                is_a ? am_dot_a(seed, row, k) : am_dot_b(seed, k, column));
        }
    }
}

static void pack_warp(const struct am_dot_shape *s, uint64_t seed, bool is_a, unsigned char *to)
{
    const size_t all = is_a ? s->a_bytes : s->b_bytes;
    const size_t each = all / AM_DOT_WARP_TILES / AM_DOT_LANES;

    for (size_t i = 0; i < (size_t)AM_DOT_WARP_TILES * AM_DOT_LANES; i++)
        pack_lane(s, seed, is_a, i / AM_DOT_LANES, i % AM_DOT_LANES, to + i * each);
}

/* ---- four warps: pieces of 8 rows by 16 bytes of k lie together, those of one k behind each
 * other, step behind step ---- */

static void pack_group(const struct am_dot_shape *s, uint64_t seed, bool is_a, unsigned char *to)
{
    const size_t bytes = types[s->type].bytes, per = 16 / bytes;
    const size_t lines = is_a ? AM_DOT_ROWS : s->columns, all = is_a ? s->rows : s->columns;
    const size_t tile = lines * AM_DOT_STEPS * AM_DOT_STEP_BYTES;

    for (size_t line = 0; line < all; line++) {
        for (size_t k = 0; k < s->k; k++) {
            const size_t at = line / lines * tile + k / per * lines * 16 + line % lines / 8 * 128 +
                              line % 8 * 16 + k % per * bytes;

            put(s->type, to + at, is_a ? am_dot_a(seed, line, k) : am_dot_b(seed, k, line));
        }
    }
}

void am_dot_pack(const struct am_dot_shape *s, uint64_t seed, void *a, void *b)
{
    void (*const pack)(const struct am_dot_shape *, uint64_t, bool, unsigned char *) =
        s->way == AM_DOT_WARP ? pack_warp : pack_group;

    pack(s, seed, true, a);
    pack(s, seed, false, b);
}

/* ---- products ---- */

/* The element of the result that an accumulator is. Of four accumulators, two are neighbours in a
 * row, and two more eight rows below. */
static void place(const struct am_dot_shape *s, size_t item, size_t i, size_t *row, size_t *column)
{
    const size_t lane = item % AM_DOT_LANES, warp = item / AM_DOT_LANES;
    const size_t tile = i / AM_DOT_ACCUMULATORS, part = i % AM_DOT_ACCUMULATORS;

    *row = lane / 4 + part / 2 * 8;
    *column = lane % 4 * 2 + part % 2;
    if (s->way == AM_DOT_WARP) {
        *row += tile / AM_DOT_WARP_TILES * AM_DOT_WARP_ROWS;
        *column += tile % AM_DOT_WARP_TILES * AM_DOT_WARP_COLUMNS;
    } else {
        *row += warp * 16; /* warps lie below each other, in tiles of 64 rows */
        *column += tile * 8;
    }
}

int64_t am_dot_product(const struct am_dot_shape *s, uint64_t seed, size_t item, size_t i)
{
    size_t row, column;
    int64_t sum = 0;

    place(s, item, i, &row, &column);
    for (size_t k = 0; k < s->k; k++)
        sum += (int64_t)am_dot_a(seed, row, k) * am_dot_b(seed, k, column);
    return sum;
}

/* ---- single work-items ---- */

int am_dot_items_way(enum am_dot_way way, const struct am_dot_device *device)
{
    return way == AM_DOT_PLAIN ? 0 : device->integer_dot ? 1 : 2;
}

static int32_t dot_of_bytes(uint32_t x, uint32_t y)
{
    int32_t sum = 0;

    for (unsigned i = 0; i < AM_DOT_BYTES; i++)
        sum += (int8_t)(x >> 8 * i & 0xff) * (int8_t)(y >> 8 * i & 0xff);
    return sum;
}

uint32_t am_dot_items_left(const struct am_dot_tile *tile, uint32_t key, size_t item,
                           uint32_t turns)
{
    const uint32_t first = key + (uint32_t)item * 64;
    uint32_t left = 0;

    for (uint32_t k = 0; k < tile->rows * tile->columns; k++) {
        const uint32_t column = k % tile->columns;
        const uint32_t x = am_ocl_pass_noise(first + k / tile->columns);
        const uint32_t step = am_ocl_pass_noise(first + 32 + column);
        uint32_t y = am_ocl_pass_noise(first + 16 + column), sum = 0;

        for (uint32_t i = 0; i < turns; i++) {
            y += step;
            sum += (uint32_t)dot_of_bytes(x, y);
        }
        left = left * 31 + sum;
    }
    return left;
}
