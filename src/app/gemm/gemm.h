/* SPDX-License-Identifier: MIT */
/* The application matrix product: C = A B of square matrices, cut into tiles.
 *
 * The same work comes as blocks of two kinds: am_gemm_products() has a block per product of two
 * tiles, each of which waits for the one before it on the same tile of C; am_gemm_tiles() has a
 * block per tile of C, for executors without dependencies. Who multiplies two tiles is given by the
 * setup: our own kernels, or a BLAS library (gemm_blas.h). am_gemm_check() needs n^2 operations,
 * not n^3. */
#ifndef AM_APP_GEMM_H
#define AM_APP_GEMM_H

#include "runtime/executor.h"
#include "base/status.h"
#include "kernels/gemm.h"

#include <stddef.h>
#include <stdint.h>

/* Who multiplies tiles. `workspace` has workspace_bytes, NULL when that is 0, and belongs to the
 * call. */
struct am_gemm_multiplier {
    void (*multiply)(const void *self, const struct am_gemm_args *args, void *workspace);
    const void *self;
    size_t workspace_bytes;
};

struct am_gemm_setup {
    struct am_gemm_multiplier multiplier;
    enum am_gemm_type type;
    size_t n;       /* rows and columns of each matrix */
    size_t tile;    /* rows and columns of a tile, 1 to n; the last may have fewer */
    size_t threads; /* that run blocks at the same time */
    uint64_t seed;
};

struct am_gemm; /* three matrices */

enum { AM_GEMM_TILE_MIN = 32, AM_GEMM_TILE_MAX = 1024, AM_GEMM_N_MAX = 1 << 17 };

/* The thesis's block rule: the greatest b from 32 to 1024 with (n / b)^2 >= threads; n itself where
 * that is less than 32. */
size_t am_gemm_tile_of_thesis(size_t n, size_t threads);

double am_gemm_bytes(const struct am_gemm_setup *setup); /* of everything */

/* Memory without pages yet: who fills a tile decides where it lies. */
enum am_status am_gemm_new(const struct am_gemm_setup *setup, struct am_gemm **gemm_p,
                           struct am_err *err);
void am_gemm_free(struct am_gemm *gemm); /* accepts NULL */

/* Random A and B, and no C. */
struct am_blocks am_gemm_filling(struct am_gemm *gemm);
/* The thesis's tasks: every product of two tiles, each waiting for the one before it on the same
 * tile of C. The first of a tile overwrites what was there. */
struct am_blocks am_gemm_products(struct am_gemm *gemm);
/* The same work as a plain loop: all products of a tile of C in one block. */
struct am_blocks am_gemm_tiles(struct am_gemm *gemm);
/* Where the matrices of one tile are, for who makes C otherwise (gemm_shared.h). */
struct am_gemm_args am_gemm_whole(const struct am_gemm *gemm);

/* Elements that are no numbers, one in each tile: what is not computed again is noticed. */
void am_gemm_spoil(struct am_gemm *gemm);
/* AM_E_WRONG unless C x = A (B x) for a random x (Freivalds), and some elements agree with a
 * reference in long double. `residual` is the greatest error in parts of what is allowed. */
enum am_status am_gemm_check(const struct am_gemm *gemm, double *residual, struct am_err *err);
/* Writes C to n by n numbers, by rows. */
void am_gemm_copy(const struct am_gemm *gemm, double *c);

#endif
