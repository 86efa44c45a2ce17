/* SPDX-License-Identifier: MIT */
/* Motion gradient vector flow of one sub-image: its edge map, smoothed along the direction that the
 * blood flows in, by Jacobi steps until it changes no more.
 *
 * am_mgvf_solve() takes and gives dense fields of doubles; inside, two padded copies of the element
 * type of the loop are stepped in turn. The loop is a kernel (kernels/mgvf.h) or the plain
 * reference that all kernels are compared with. */
#ifndef AM_APP_LEUKOCYTE_MGVF_H
#define AM_APP_LEUKOCYTE_MGVF_H

#include "runtime/executor.h"
#include "base/status.h"
#include "kernels/mgvf.h"

#include <stddef.h>

/* One way to compute a step. */
struct am_mgvf_loop {
    am_mgvf_fn *fn;
    enum am_mgvf_type type; /* of the elements that fn gets */
    /* Bytes of am_mgvf_step.scratch, aligned to AM_MGVF_ALIGN; NULL: none. Each problem has its
     * own, which is zeroed once, when it is made. */
    size_t (*scratch)(size_t rows, size_t columns);
};

struct am_mgvf_setup {
    double mu;      /* smoothness against faithfulness to the edge map */
    double lambda;  /* the step is 1 / lambda: at least 8 mu + 1 */
    double epsilon; /* width of the Heaviside function */
    double stop;    /* ends when the mean |change| of a step is not above it */
    size_t limit;   /* of iterations */
    enum am_mgvf_heaviside heaviside;
    const struct am_mgvf_loop *loop; /* NULL: the plain reference of `heaviside`, in double */
};

#define AM_MGVF_DEFAULTS                                                                           \
    {                                                                                              \
        .mu = 0.5, .lambda = 5, .epsilon = 1e-10, .stop = 1e-5, .limit = 500,                      \
        .heaviside = AM_MGVF_MINMAX                                                                \
    }
extern const struct am_mgvf_setup am_mgvf_defaults;

/* The plain loops, by heaviside: what all others are held to. */
extern const struct am_mgvf_loop am_mgvf_reference[AM_MGVF_HEAVISIDES];

/* Rows of one problem as blocks of an executor: one parallel loop per iteration, which is also its
 * barrier. May be used from inside a block of the same executor. */
struct am_mgvf_bands {
    const struct am_executor *executor;
    void *self;   /* open */
    size_t count; /* bands of rows; more than there are rows are fewer */
};

struct am_mgvf; /* memory for one problem at a time */

/* For problems of up to rows_max x columns_max, both from 2 to 4096. */
enum am_status am_mgvf_new(const struct am_mgvf_setup *setup, size_t rows_max, size_t columns_max,
                           struct am_mgvf **mgvf_p, struct am_err *err);
void am_mgvf_free(struct am_mgvf *mgvf); /* accepts NULL */

/* Solves for the edge map `edge`, dense, row after row, values from 0 to 1; writes the field in the
 * same form. Returns the iterations. `bands` NULL: all rows at once, by the caller. The outcome and
 * the number of iterations are the same for any bands, bit by bit. */
size_t am_mgvf_solve(struct am_mgvf *mgvf, const double *edge, size_t rows, size_t columns,
                     const struct am_mgvf_bands *bands, double *field);

#endif
