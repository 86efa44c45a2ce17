/* SPDX-License-Identifier: MIT */
/* The functions of ocl.builtin: how each is called, where it is valid, what it must give. */
#ifndef AM_BENCH_OCL_BUILTIN_H
#define AM_BENCH_OCL_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order is that of -DRESULT in kernels/builtin.cl. */
enum am_builtin_result {
    AM_BUILTIN_REAL,
    AM_BUILTIN_INT,
    AM_BUILTIN_REAL_REAL, /* a second result in p */
    AM_BUILTIN_REAL_INT,  /* a second result in e */
    AM_BUILTIN_MOVED,     /* real; in the chain less the third operand */
};

/* Operands of the timed chain: [2^exponent, 2^(exponent+1)), or the same below zero. */
struct am_builtin_chain {
    int exponent;
    bool negative;
    double second; /* the second operand; 0: the chain's previous operand */
};

struct am_builtin_range {
    double lo, hi; /* lo == hi: the operand is not used */
};

struct am_builtin_operands {
    double x, y, z; /* values of the type */
};

/* The true result for operands of the type (`wide`: double, else float); *second where there is
 * one. */
typedef long double am_builtin_fn(const struct am_builtin_operands *in, bool wide,
                                  long double *second);

struct am_builtin {
    const char *name; /* NULL ends the table */
    int group;        /* benchmark of the paper's Table 1; 0: not in it */
    enum am_builtin_result result;
    struct am_builtin_chain chain;
    struct am_builtin_range x, y; /* where the error is looked for; z as y */
    double allowed[2];            /* ulp by the specification, float and double; NAN: not stated */
    const char *call;             /* OpenCL C, may contain spaces */
    am_builtin_fn *reference;
};

extern const struct am_builtin am_builtins[];
extern const char *const am_builtin_names[]; /* ended by NULL: the choices of the axis */

/* half_ and native_ functions have no form for double. */
bool am_builtin_float_only(const struct am_builtin *b);

/* Operands i of n: x in part i of its range, y and z anywhere in theirs; by magnitude in ranges of
 * more than four decades. The same in every run, so that errors can be compared. */
struct am_builtin_operands am_builtin_sample(const struct am_builtin *b, bool wide, size_t i,
                                             size_t n);

/* How far `got` is from `want` in units of the last place of `want` in the type. INFINITY for what
 * is no number. */
double am_builtin_ulps(bool wide, double got, long double want);

/* Largest error of the two results in ulp; 0 where the true result is no normal number of the type,
 * which no domain should contain. *wrong: so far off that it is another function. */
double am_builtin_error(const struct am_builtin *b, bool wide, const struct am_builtin_operands *in,
                        const double got[2], bool *wrong);

/* The step between two calls of a chain: (bits of the results & mask) ^ key, as the kernels do it.
 */
uint64_t am_builtin_mask(bool wide);
uint64_t am_builtin_key(const struct am_builtin *b, bool wide); /* exponent and sign */
/* The key of turn i of the loop, from 1. */
uint64_t am_builtin_turn(uint64_t key, bool wide, uint32_t i);
/* The bits of a chain's first operand; `index` counts chains and, within them, components. */
uint64_t am_builtin_start(uint64_t index, uint64_t key, uint64_t seed, bool wide);
/* The next operand's bits after results `got` for third operand z. */
uint64_t am_builtin_next(const struct am_builtin *b, bool wide, const double got[2], double z,
                         uint64_t key);

double am_builtin_value(uint64_t bits, bool wide); /* the number that the bits mean */
uint64_t am_builtin_bits(double value, bool wide); /* and back */

#endif
