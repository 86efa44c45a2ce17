/* SPDX-License-Identifier: MIT */
/* Prices of European options by the Black-Scholes formula: loops over arrays, one table an ISA. */
#ifndef AM_KERNELS_BLACKSCHOLES_H
#define AM_KERNELS_BLACKSCHOLES_H

#include <stddef.h>

/* Arrays of float or double, by the loop that gets them; no alignment beyond the element's. */
struct am_bs_args {
    const void *spot, *strike, *rate, *volatility, *time;
    void *call, *put;
    size_t begin, n; /* elements begin, begin + 1, ..., begin + n - 1 */
};

/* Prices of both kinds for every element. Each element's bits depend on its own inputs only, not on
 * its place. For spot / strike from 1e-3 to 1e3, volatility and time above 0, no infinities. */
typedef void am_bs_fn(const struct am_bs_args *args);
/* Where its time is spent: so many vectors from element i on, in loops with a pass per vector. */
enum { AM_BS_VECTORS = 32 }; /* of one call of the loops below, but for the last */

typedef void am_bs_vectors_fn(const struct am_bs_args *args, size_t i, size_t vectors);

enum am_bs_type { AM_BS_F32, AM_BS_F64, AM_BS_TYPES };

/* How the normal distribution is computed.
 *
 *     poly  the polynomial of Abramowitz and Stegun 26.2.17, good to 7.5e-8, as the thesis does it
 *     erf   to the precision of the type
 */
enum am_bs_cdf { AM_BS_POLY, AM_BS_ERF, AM_BS_CDFS };

/* Names by enumerator, ended by NULL. */
extern const char *const am_bs_types[];
extern const char *const am_bs_cdfs[];

struct am_bs_variant {
    const char *isa;
    am_bs_fn *fn[AM_BS_TYPES][AM_BS_CDFS];
    am_bs_vectors_fn *vectors[AM_BS_TYPES][AM_BS_CDFS]; /* NULL: not known */
    unsigned lanes[AM_BS_TYPES];
};

/* With functions of our own; NULL when unknown. */
const struct am_bs_variant *am_bs_find(const char *isa);
/* With those of glibc's libmvec (scalar: of libm); NULL when unknown, or built without. Its objects
 * are not among those of the other kernels: only apps link the library. */
const struct am_bs_variant *am_bs_find_mvec(const char *isa);
/* With those of SLEEF, likewise. */
const struct am_bs_variant *am_bs_find_sleef(const char *isa);

/* Operations of one option as the thesis counts them, whatever a variant really needs. */
enum { AM_BS_FLOPS = 153 };

#endif
