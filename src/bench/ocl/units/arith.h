/* SPDX-License-Identifier: MIT */
/* ocl.arith without a device: operations, types, operands, and what the chains must come to. */
#ifndef AM_BENCH_OCL_ARITH_H
#define AM_BENCH_OCL_ARITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_arith_op {
    AM_ARITH_ADD,
    AM_ARITH_SUB,
    AM_ARITH_MUL,
    AM_ARITH_DIV,
    AM_ARITH_MAD,
    AM_ARITH_FMA,
    AM_ARITH_MULADD,
    AM_ARITH_OPS
};
enum am_arith_type { AM_ARITH_FLOAT, AM_ARITH_DOUBLE, AM_ARITH_HALF, AM_ARITH_INT, AM_ARITH_TYPES };
extern const char *const am_arith_ops[AM_ARITH_OPS + 1]; /* ended by NULL, like the next */
extern const char *const am_arith_types[AM_ARITH_TYPES + 1];

enum {
    AM_ARITH_CHAINS_MAX = 24,
    AM_ARITH_WIDTH_MAX = 16,
    AM_ARITH_OPERANDS = 4, /* p, q, r, spread */
    AM_ARITH_SPREAD = 16,  /* work-items whose start values differ */
};

/* What a kernel is compiled for. */
struct am_arith_shape {
    enum am_arith_op op;
    enum am_arith_type type;
    bool quadratic;
    unsigned width, chains, unroll;
};

double am_arith_count(enum am_arith_op op); /* operations of one step: 2 where two are fused */
size_t am_arith_bytes(enum am_arith_type type);

/* NULL when there is such a thing, else why not: fma of whole numbers, a quadratic sum. */
const char *am_arith_refusal(enum am_arith_op op, enum am_arith_type type, bool quadratic);

/* Operations whose results need not be exact to the last bit do not show whether a compiler has
 * combined steps. They have a rival: the same shape with `quadratic` set, x*x+r in place of x*p+r
 * or p/x+r in place of p/x, whose steps nobody can combine. How much slower it may be before the
 * other counts as combined; 0: needs none. */
double am_arith_rival_limit(const struct am_arith_shape *shape);

/* Steps of the loop's body: a power of two, for about as many machine instructions as fit any
 * instruction cache; `native` is the device's vector width, 0 unknown. */
unsigned am_arith_unroll(unsigned chains, unsigned width, unsigned native);

/* Build options. False when they do not fit. */
bool am_arith_options(const struct am_arith_shape *shape, char *buf, size_t cap);

/* Encodes in the element type: AM_ARITH_OPERANDS operands, chains x width seeds. */
void am_arith_operands(const struct am_arith_shape *shape, void *operands);
void am_arith_seeds(const struct am_arith_shape *shape, uint64_t seed, void *seeds);

/* Whether a step of the operation may be rounded once or twice, as the device has it. */
bool am_arith_may_round_twice(const struct am_arith_shape *shape);

/* What chains are computed from. */
struct am_arith_data {
    const void *operands, *seeds;
    bool twice; /* a*b+c is rounded twice per step */
};

/* The element that lane `lane` of work-item `item` must store after `steps` steps of each chain. */
double am_arith_expected(const struct am_arith_shape *shape, const struct am_arith_data *data,
                         size_t item, size_t lane, uint64_t steps);
double am_arith_element(enum am_arith_type type, const void *array, size_t i);
/* How far from it the device may be, relative to the expected element, after so many steps. */
double am_arith_tolerance(const struct am_arith_shape *shape, uint64_t steps);

/* IEEE binary16, round to nearest even; values here are normal or zero. */
uint16_t am_arith_to_half(double x);
double am_arith_from_half(uint16_t bits);

#endif
