/* SPDX-License-Identifier: MIT */
/* A line of points before and after its steps, for whoever holds it (processors, devices, ranks):
 * what it begins with, and whether windows of it are what the reference makes of that. */
#ifndef AM_BENCH_APPS_STENCIL_CHECK_H
#define AM_BENCH_APPS_STENCIL_CHECK_H

#include "base/status.h"
#include "kernels/stencil.h"

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
    size_t n, steps; /* steps: of one iteration from the start */
    double r, tolerance;
    uint64_t seed; /* of which points are looked at */
    const void *self;
    double (*value)(const void *self, size_t point);
    /* Points where layouts go wrong, `seams` of them: looked at first. */
    size_t seams;
    size_t (*seam)(const void *self, size_t i);
};

/* AM_E_WRONG when a point has left the range of the start, which no step does. */
enum am_status am_stencil_look(const struct am_stencil_view *view, struct am_err *err);
/* AM_E_WRONG unless windows of points agree with the reference. */
enum am_status am_stencil_compare(const struct am_stencil_view *view, double *residual,
                                  struct am_err *err);

#endif
