/* SPDX-License-Identifier: MIT */
/* Coefficients of the stencil's forms, rounded so that a step neither adds to the sum of the state
 * nor takes from it. Forms that scale let the state grow by a known factor per step and shrink it
 * again after some (`rescale_every`): what they gain is one operation per point. */
#ifndef AM_APP_STENCIL_FORMS_H
#define AM_APP_STENCIL_FORMS_H

#include "base/status.h"
#include "kernels/stencil.h"

#include <stddef.h>

struct am_stencil_coefs {
    double side, centre; /* as kernels take them, values of the element type */
    long double growth;  /* what a step multiplies the sum of the state by: 1 in the paper's form */
    size_t rescale_every; /* steps; SIZE_MAX: never */
};

/* AM_E_ABSENT where r is none of 0 < r <= 1/2, or the form cannot have it: one step alone would
 * leave the type's range. */
enum am_status am_stencil_coefs(enum am_stencil_form form, enum am_stencil_type type, double r,
                                struct am_stencil_coefs *coefs, struct am_err *err);

/* The same for a grid where a point has so many neighbours, 2 in each dimension, and 0 < r <= 1 /
 * neighbours. */
enum am_status am_stencil_coefs_in(unsigned neighbours, enum am_stencil_form form,
                                   enum am_stencil_type type, double r,
                                   struct am_stencil_coefs *coefs, struct am_err *err);

/* The factor that undoes `steps` steps of growth. */
double am_stencil_shrink(const struct am_stencil_coefs *coefs, size_t steps);

/* The largest absolute value that the form takes: the rest of the type's range is for growth. */
double am_stencil_magnitude(enum am_stencil_form form, enum am_stencil_type type);

/* The cheapest form that is no less accurate than the paper's where r is about this. */
enum am_stencil_form am_stencil_form_for(double r);

/* An error that no right result exceeds after so many steps from values up to 1. */
double am_stencil_tolerance(enum am_stencil_type type, size_t steps);

#endif
