/* SPDX-License-Identifier: MIT */
/* Parts of a product by our own kernels and one thread: what `explain` accounts for its time by. */
#ifndef AM_BENCH_APPS_NEAR_GEMM_NEAR_H
#define AM_BENCH_APPS_NEAR_GEMM_NEAR_H

#include "bench/apps/gemm.h"

/* Keeps the micro-kernel with the results; of matrices of few rows measures packing, and
 * the micro-kernel on near slivers and on packed panels. All blocks are prepared; C is spoilt. */
void am_gemm_parts_tell(struct am_gemm_state *state, const struct am_ctx *ctx, size_t n);

#endif
