/* SPDX-License-Identifier: MIT */
/* Motion gradient vector flow of one sub-image: its edge map, smoothed along the direction that the
 * blood flows in, by Jacobi steps until it changes no more.
 *
 * am_mgvf_solve() takes and gives dense fields of doubles; inside, two padded copies of the element
 * type of the loop are stepped in turn. The loop is a kernel (kernels/mgvf.h) or the plain
 * reference that all kernels are compared with.
 *
 * A loop with a layout of its own (form lanes) steps one copy in place where all rows are one band:
 * the field drifts by a row per step through the memory of both copies and is moved back when it
 * meets its beginning. Several steps are a pass over its rows (mgvf_pass.h), as long as all of them
 * are sure to change enough. As long as a part of the rows changes by more than the limit, the
 * whole does, too: one row in four is counted at first, more when that is nearly too little. Where
 * it was too little after all, the field begins anew with all rows counted, step by step. So the
 * iterations are those of a loop that always counts all. */
#ifndef AM_APP_LEUKOCYTE_MGVF_H
#define AM_APP_LEUKOCYTE_MGVF_H

#include "app/leukocyte/wide.h"
#include "runtime/executor.h"
#include "base/status.h"
#include "kernels/mgvf.h"

#include <stdbool.h>
#include <stddef.h>

/* One way to compute a step. */
struct am_mgvf_loop {
    am_mgvf_fn *fn;
    enum am_mgvf_type type; /* of the elements that fn gets */
    /* Bytes of am_mgvf_step.scratch, aligned to AM_MGVF_ALIGN; NULL: none. Each problem has its
     * own, which is zeroed once, when it is made. */
    size_t (*scratch)(size_t rows, size_t columns);
    /* Form lanes: its layout, and what steps fields of less than columns_min columns. Others have
     * NULL and 0. */
    am_mgvf_pack_fn *pack;
    am_mgvf_unpack_fn *unpack;
    am_mgvf_change_fn *change;
    am_mgvf_fn *narrow;
    size_t columns_min, block, lanes;
    enum am_leuko_width wide; /* form lanes: what else a frame needs may have its ISA, too */
};

/* The loop of that form for an ISA of this architecture. */
struct am_mgvf_loop am_mgvf_loop_of(const char *isa, enum am_mgvf_form form,
                                    enum am_mgvf_type type);

struct am_mgvf_setup {
    double mu;      /* smoothness against faithfulness to the edge map */
    double lambda;  /* the step is 1 / lambda: at least 8 mu + 1 */
    double epsilon; /* width of the Heaviside function */
    double stop;    /* ends when the mean |change| of a step is not above it */
    size_t limit;   /* of iterations */
    /* Form lanes, all rows one band: the most steps of a pass (mgvf_pass.h), up to
     * AM_MGVF_PASS_MAX; 0: one */
    size_t together;
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
