/* SPDX-License-Identifier: MIT */
/* What no core of an architecture can exceed: a result beyond it is a mistake of the measurement.
 */
#ifndef AM_BENCH_SHARED_BOUND_H
#define AM_BENCH_SHARED_BOUND_H

#include "kernels/flops.h"

#include <stddef.h>

/* Per cycle of one thread; 0 where no bound is certain (AArch64: cores differ too much). */

/* Operations on vectors of `vec_bytes`. */
double am_bound_flops(enum am_flops_op op, enum am_flops_type type, size_t vec_bytes);

/* Bytes of a loop that reads and writes these bytes for an element of its arrays. */
double am_bound_bytes(double bytes_read, double bytes_written, size_t vec_bytes);

#endif
