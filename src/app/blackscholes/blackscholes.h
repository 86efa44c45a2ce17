/* SPDX-License-Identifier: MIT */
/* The application Black-Scholes: prices of many European options.
 *
 * A block prices a run of neighbouring options; blocks share nothing and wait for nothing. Arrays
 * are mapped by am_bs_new() and get their pages when the blocks of am_bs_filling() write the
 * options: the thread that fills a block decides where it lies. am_bs_check() compares all prices
 * with a reference in long double; am_bs_spoil() destroys prices between two checks, so that a
 * block that did not run is found. */
#ifndef AM_APP_BLACKSCHOLES_H
#define AM_APP_BLACKSCHOLES_H

#include "runtime/executor.h"
#include "base/status.h"
#include "kernels/blackscholes.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_BS_ARRAYS = 7 }; /* five read, two written */

struct am_bs_setup {
    am_bs_fn *fn; /* prices options of this type */
    enum am_bs_type type;
    enum am_bs_cdf cdf;
    size_t n;     /* options */
    size_t block; /* options of a block; the last may have fewer */
    uint64_t seed;
};

struct am_bs; /* options and prices */

size_t am_bs_element(enum am_bs_type type); /* bytes of a number */
/* Bytes of all arrays. */
double am_bs_bytes(enum am_bs_type type, size_t n);

/* Memory without pages yet: who fills a block decides where it lies. */
enum am_status am_bs_new(const struct am_bs_setup *setup, struct am_bs **bs_p, struct am_err *err);
void am_bs_free(struct am_bs *bs); /* accepts NULL */

/* The work as blocks; they share nothing and wait for nothing. */
struct am_blocks am_bs_filling(struct am_bs *bs); /* options, and no prices */
struct am_blocks am_bs_pricing(struct am_bs *bs);

/* The arrays, and which of their elements are a block's: for who moves them elsewhere. */
struct am_bs_args am_bs_part(const struct am_bs *bs, size_t block);

/* Prices that are not prices, a few in each block: what is not computed again is noticed. */
void am_bs_spoil(struct am_bs *bs);
/* AM_E_WRONG unless every price agrees with a reference in long double, within what the type and
 * the distribution allow. `residual` is the greatest error. */
enum am_status am_bs_check(const struct am_bs *bs, double *residual, struct am_err *err);

#endif
