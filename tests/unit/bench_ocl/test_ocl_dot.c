/* SPDX-License-Identifier: MIT */
/* ocl.dot without a device: operands are packed as the instructions read them. The places are
 * stated here a second time, from the instructions' side: a register of a lane, an address by
 * descriptor. */
#include "bench/ocl/host/passes.h"
#include "bench/ocl/units/arith.h"
#include "bench/ocl/units/dot.h"
#include "tap.h"

#include <stdlib.h>

enum { SEED = 4711 };

static double element(enum am_dot_type type, const unsigned char *at)
{
    uint16_t half;
    uint32_t bits = 0;
    float narrow;
    double wide;
    int8_t whole;

    memcpy(&half, at, sizeof(half));
    memcpy(&wide, at, type == AM_DOT_F64 ? sizeof(wide) : 0);
    memcpy(&whole, at, sizeof(whole));
    if (type == AM_DOT_TF32)
        memcpy(&bits, at, sizeof(bits));
    else
        bits = (uint32_t)half << 16;
    memcpy(&narrow, &bits, sizeof(narrow));
    switch (type) {
    case AM_DOT_F16: return am_arith_from_half(half);
    case AM_DOT_INT8: return whole;
    case AM_DOT_F64: return wide;
    default: return (double)narrow;
    }
}

/* Where an instruction of a warp looks for element (line, k) of a tile. Registers of 32 bits hold
 * several neighbours in k; lines 8 to 15 of A are in its odd registers. */
static size_t warp_place(const struct am_dot_shape *s, bool is_a, size_t line, size_t k)
{
    const size_t bytes = am_dot_element_bytes(s->type);
    const size_t word = s->type == AM_DOT_F64 ? 8 : 4, per = word / bytes;
    const size_t words = (is_a ? s->a_bytes : s->b_bytes) / 2 / 32 / word;
    const size_t lines = is_a ? 16 : 8;
    const size_t lane = line % 8 * 4 + k / per % 4;
    const size_t part = k / per / 4;
    const size_t r = is_a ? 2 * part + line % lines / 8 : part;

    return ((line / lines * 32 + lane) * words + r) * word + k % per * bytes;
}

/* Where one of four warps finds it: a descriptor per step of 32 bytes, from which neighbours in k
 * lie 16 bytes of every line apart, and groups of eight lines 128 bytes. */
static size_t group_place(const struct am_dot_shape *s, bool is_a, size_t line, size_t k)
{
    const size_t bytes = am_dot_element_bytes(s->type), lines = is_a ? 64 : 256;
    const size_t step = k * bytes / 32, half = k * bytes % 32 / 16;

    return line / lines * (lines * 128) + step * lines * 32 + half * (lines * 16) +
           line % lines / 8 * 128 + line % 8 * 16 + k * bytes % 16;
}

/* Every element is where the instruction looks. */
static size_t misplaced(const struct am_dot_shape *s)
{
    size_t (*const place)(const struct am_dot_shape *, bool, size_t, size_t) =
        s->way == AM_DOT_WARP ? warp_place : group_place;
    unsigned char *const a = calloc(1, s->a_bytes + 8), *const b = calloc(1, s->b_bytes + 8);
    size_t wrong = 0;

    am_dot_pack(s, SEED, a, b);
    for (size_t k = 0; k < s->k; k++) {
        for (size_t row = 0; row < s->rows; row++)
            wrong += element(s->type, a + place(s, true, row, k)) != am_dot_a(SEED, row, k);
        for (size_t column = 0; column < s->columns; column++)
            wrong += element(s->type, b + place(s, false, column, k)) != am_dot_b(SEED, k, column);
    }
    free(a);
    free(b);
    return wrong;
}

/* Accumulators of a group are all elements of the product, each once. */
static bool covers(const struct am_dot_shape *s)
{
    int64_t sum = 0, want = 0;

    for (size_t item = 0; item < s->group; item++) {
        for (size_t i = 0; i < s->accumulators; i++)
            sum += am_dot_product(s, SEED, item, i);
    }
    for (size_t k = 0; k < s->k; k++) {
        int64_t rows = 0, columns = 0;

        for (size_t row = 0; row < s->rows; row++)
            rows += am_dot_a(SEED, row, k);
        for (size_t column = 0; column < s->columns; column++)
            columns += am_dot_b(SEED, k, column);
        want += rows * columns;
    }
    return sum == want && s->group * s->accumulators == s->rows * s->columns;
}

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static void check_text(enum am_dot_type type)
{
    const struct am_dot_shape s = am_dot_shape_of(AM_DOT_GROUP, type);
    struct am_text text;

    am_text_init(&text, 1 << 20);
    am_dot_text(&s, &text);
    ok(!text.overflow && count(am_text_str(&text), "wgmma.mma_async") == AM_DOT_STEPS &&
           count(am_text_str(&text), "st.global") == s.accumulators &&
           count(am_text_str(&text), "{") == count(am_text_str(&text), "}") &&
           s.a_bytes + s.b_bytes <= 48 * 1024,
       "%s: %zu bytes of text, %zu of shared memory", am_dot_types[type], text.len,
       s.a_bytes + s.b_bytes);
    am_text_fini(&text);
}

static bool has(enum am_dot_way way, enum am_dot_type type, unsigned capability, bool integer_dot)
{
    return !am_dot_refusal(way, type, &(struct am_dot_device){capability, integer_dot});
}

static void check_refusals(void)
{
    ok(!has(AM_DOT_WARP, AM_DOT_BF16, 0, true), "of other devices no matrix units are known");
    ok(has(AM_DOT_WARP, AM_DOT_BF16, 80, false), "capability 8.0 multiplies bf16");
    ok(!has(AM_DOT_WARP, AM_DOT_F64, 86, false), "but no doubles in this shape");
    ok(!has(AM_DOT_GROUP, AM_DOT_INT8, 100, false) && has(AM_DOT_GROUP, AM_DOT_INT8, 90, false),
       "four warps together do it on 9.0 only");
    ok(!has(AM_DOT_GROUP, AM_DOT_F64, 90, false), "and not for doubles");
    ok(has(AM_DOT_PLAIN, AM_DOT_INT8, 0, false) && !has(AM_DOT_PLAIN, AM_DOT_F16, 90, true),
       "every device multiplies bytes");
    ok(has(AM_DOT_ITEM, AM_DOT_INT8, 0, true) && has(AM_DOT_ITEM, AM_DOT_INT8, 61, false) &&
           !has(AM_DOT_ITEM, AM_DOT_INT8, 60, false),
       "with instructions for it where there are some");
}

/* The kernel's rule once more, turn by turn with all sums at hand. */
static uint32_t left_by(const struct am_dot_tile *tile, uint32_t key, uint32_t item, uint32_t turns)
{
    uint32_t sums[256] = {0}, y[16], left = 0;

    for (uint32_t c = 0; c < tile->columns; c++)
        y[c] = am_ocl_pass_noise(key + item * 64 + 16 + c);
    for (uint32_t i = 0; i < turns; i++) {
        for (uint32_t c = 0; c < tile->columns; c++) {
            y[c] += am_ocl_pass_noise(key + item * 64 + 32 + c);
            for (uint32_t r = 0; r < tile->rows; r++) {
                const uint32_t x = am_ocl_pass_noise(key + item * 64 + r);

                for (unsigned b = 0; b < 32; b += 8) {
                    const int p = (int)(x >> b & 0xff), q = (int)(y[c] >> b & 0xff);
                    const int product = (p > 127 ? p - 256 : p) * (q > 127 ? q - 256 : q);

                    sums[r * tile->columns + c] += (uint32_t)product;
                }
            }
        }
    }
    for (uint32_t k = 0; k < tile->rows * tile->columns; k++)
        left = left * 31 + sums[k];
    return left;
}

static void check_items(void)
{
    for (size_t i = 0; i < AM_DOT_TILES; i++) {
        const struct am_dot_tile *const t = &am_dot_tiles[i];

        ok(am_dot_items_left(t, SEED, 9, 1000) == left_by(t, SEED, 9, 1000) &&
               am_dot_items_left(t, SEED, 9, 1000) != am_dot_items_left(t, SEED, 9, 999),
           "what a work-item with %u by %u operands leaves", t->rows, t->columns);
    }
}

int main(void)
{
    check_refusals();
    check_items();
    for (int way = 0; way < AM_DOT_WAYS; way++) {
        for (int type = 0; type < AM_DOT_TYPES; type++) {
            const struct am_dot_shape s =
                am_dot_shape_of((enum am_dot_way)way, (enum am_dot_type)type);

            if (!has(s.way, s.type, 90, false) || s.way > AM_DOT_GROUP)
                continue;
            ok(misplaced(&s) == 0, "%s by a %s: every operand is where it is looked for",
               am_dot_types[type], am_dot_ways[way]);
            ok(covers(&s), "its accumulators are the product");
            ok(s.turns_max > 1000 && (s.type == AM_DOT_INT8 || s.type == AM_DOT_F64 ||
                                      4.0 * s.k * s.turns_max <= 0x1p24),
               "sums stay exact up to %u turns", s.turns_max);
            if (s.way == AM_DOT_GROUP)
                check_text(s.type);
        }
    }
    return tap_done();
}
