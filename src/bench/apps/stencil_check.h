/* SPDX-License-Identifier: MIT */
/* A line of points before and after its steps, for whoever holds it (processors, devices, ranks):
 * what it begins with, and whether windows of it are what the reference makes of that.
 *
 * What a right result may be off by is measured: by as much as a plain loop of the same type is off
 * in the same windows, and a few times that. The bound by counting roundings alone is hundreds of
 * times wider after some hundred steps, and would not notice a step too few. Where the arithmetic
 * is that of the paper, every method and instruction set computes the bits of the plain loop: there
 * no error at all is allowed beside it. */
#ifndef AM_BENCH_APPS_STENCIL_CHECK_H
#define AM_BENCH_APPS_STENCIL_CHECK_H

#include "base/status.h"
#include "kernels/stencil.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of point i at step 0: in [0, 1), so that the state tends to 1/2 and not to numbers too small to
 * be fast. */
double am_stencil_start(size_t i);
/* n of them, as values of the type. */
void am_stencil_start_all(enum am_stencil_type type, void *x, size_t n);

/* Who holds the points, and what they have been through. */
struct am_stencil_view {
    enum am_stencil_type type;
    size_t n, steps;     /* steps: of one iteration from the start */
    double r, tolerance; /* by counting: never exceeded */
    bool sharp;          /* held to what a plain loop of the type is off by, too */
    bool exact;          /* and to its very bits: the paper's form has them in every method */
    bool fuses;          /* that loop has a fused multiply-add, as the result's has */
    /* Whose plain loop makes all points once more, as many as a second or two allow; NULL: points
     * beside seams and some between them are all that is compared. */
    const struct am_stencil_variant *kernels;
    uint64_t seed; /* of which points are looked at */
    const void *self;
    double (*value)(const void *self, size_t point);
    /* Points where layouts go wrong, `seams` of them: all are looked at, unless the reference would
     * take longer than a second or two for them; then as many as it can, others with each seed. */
    size_t seams;
    size_t (*seam)(const void *self, size_t i);
    /* Of a line that several processes hold, the points that are here, whose ends are seams that
     * are always looked at; `own` 0: all are here. */
    size_t first, own;
};

/* Whether a form is held to a plain loop's error at that r: it is no less accurate. */
bool am_stencil_is_sharp(enum am_stencil_form form, double r);

/* What a right result may be off by after so many steps: `tolerance`, or less where a plain loop in
 * one dimension is off by less. For grids whose points are compared otherwise. */
enum am_status am_stencil_allowed(const struct am_stencil_view *view, double *allowed,
                                  struct am_err *err);

/* AM_E_WRONG when a point has left the range of the start, which no step does. */
enum am_status am_stencil_look(const struct am_stencil_view *view, struct am_err *err);
/* AM_E_WRONG unless windows of points agree with the reference. */
enum am_status am_stencil_compare(const struct am_stencil_view *view, double *residual,
                                  struct am_err *err);

#endif
