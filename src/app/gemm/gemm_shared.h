/* SPDX-License-Identifier: MIT */
/* One product of whole matrices, by threads that share what they pack.
 *
 * The product is cut into stages: so many rows of C by so many steps of its sums. In a stage blocks
 * of columns pack their part of B, which nobody else needs, and multiply; a sliver of A is packed
 * by the first of them that comes to it, and each begins with another one. So there is no time in
 * which everybody packs, everything is packed once per stage, whoever does it, and a thread that
 * was held up leaves its blocks to the others. Two panels are in use at a time: a block of columns
 * goes on to the next stage while others are in this one. The order of additions is that of one
 * thread: the same bits. Blocks wait for each other (struct am_blocks): an executor with
 * dependencies is needed.
 */
#ifndef AM_APP_GEMM_SHARED_H
#define AM_APP_GEMM_SHARED_H

#include "base/status.h"
#include "kernels/gemm.h"
#include "runtime/executor.h"

struct am_gemm_shared_setup {
    const struct am_gemm_kernel *kernel;
    struct am_gemm_blocking blocking; /* at most */
    struct am_gemm_args args;         /* whole matrices, not empty */
    size_t threads;
};

struct am_gemm_shared;

enum am_status am_gemm_shared_new(const struct am_gemm_shared_setup *setup,
                                  struct am_gemm_shared **shared_p, struct am_err *err);
void am_gemm_shared_free(struct am_gemm_shared *shared); /* accepts NULL */

struct am_blocks am_gemm_shared_blocks(struct am_gemm_shared *shared);
double
am_gemm_shared_bytes(const struct am_gemm_shared_setup *setup); /* packed panels and blocks */
size_t am_gemm_shared_stages(const struct am_gemm_shared *shared);

#endif
