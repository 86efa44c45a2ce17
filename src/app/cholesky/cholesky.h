/* SPDX-License-Identifier: MIT */
/* The application Cholesky factorisation: A = L L^T of a symmetric, positive definite matrix, cut
 * into tiles. Four kinds of tasks work on the tiles of the lower half, and each waits for those
 * that wrote what it needs: the usual example of dependences that are no loop.
 *
 *     factor(k)      tile (k,k) -> L                     waits for update(k,k-1)
 *     solve(i,k)     tile (i,k) -> L                     factor(k), product(i,k,k-1)
 *     update(i,k)    tile (i,i) less its share           solve(i,k), update(i,k-1)
 *     product(i,j,k) tile (i,j) less its share           solve(i,k), solve(j,k), product(i,j,k-1)
 *
 * A round begins from A again: the first task that writes a tile copies it from there. Kernels are
 * plain loops in f64: what is looked at is the order of tasks. */
#ifndef AM_APP_CHOLESKY_H
#define AM_APP_CHOLESKY_H

#include "base/status.h"
#include "runtime/executor.h"

enum am_cholesky_kind {
    AM_CHOLESKY_FACTOR,
    AM_CHOLESKY_SOLVE,
    AM_CHOLESKY_UPDATE,
    AM_CHOLESKY_PRODUCT,
    AM_CHOLESKY_KINDS,
};
extern const char *const am_cholesky_kinds[AM_CHOLESKY_KINDS];

enum { AM_CHOLESKY_N_MAX = 1 << 15, AM_CHOLESKY_TILES_MAX = 128 };

struct am_cholesky;

/* n is a multiple of tile. */
enum am_status am_cholesky_new(size_t n, size_t tile, uint64_t seed, struct am_cholesky **c_p,
                               struct am_err *err);
void am_cholesky_free(struct am_cholesky *c); /* accepts NULL */

struct am_blocks am_cholesky_blocks(struct am_cholesky *c);
double am_cholesky_flops(const struct am_cholesky *c);
enum am_cholesky_kind am_cholesky_kind_of(const struct am_cholesky *c, size_t task);

/* The longest way through the graph, when a task of each kind takes so long. */
double am_cholesky_critical(const struct am_cholesky *c, const double seconds[AM_CHOLESKY_KINDS]);

/* L that is no number anywhere: what is not computed again is noticed. */
void am_cholesky_spoil(struct am_cholesky *c);
/* AM_E_WRONG unless L (L^T x) = A x for a random x. Spoils L: what is not computed again is
 * noticed. `residual` is the greatest error in parts of what is allowed. */
enum am_status am_cholesky_check(struct am_cholesky *c, double *residual, struct am_err *err);

#endif
