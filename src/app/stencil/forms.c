/* SPDX-License-Identifier: MIT */
/* Coefficients of the stencil's forms.
 *
 * Coefficients rounded one by one do not add up to one, and the state grows or shrinks by that
 * error with every step. So only one of them is rounded, and the other follows from it: what is
 * left of the error is a slightly different r, which matters less the smoother the state becomes.
 */
#include "app/stencil/forms.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

struct range {
    int bits; /* of exponent, that growth may use */
    int max;  /* exponent below which values must be */
    double epsilon;
};

static const struct range ranges[AM_STENCIL_TYPES] = {
    [AM_STENCIL_F32] = {96, FLT_MAX_EXP - 2 - 96, FLT_EPSILON},
    [AM_STENCIL_F64] = {960, DBL_MAX_EXP - 2 - 960, DBL_EPSILON},
};

static double rounded(enum am_stencil_type type, double x)
{
    return type == AM_STENCIL_F32 ? (double)(float)x : x;
}

/* The multiple of a quarter of an epsilon nearest to r: then 1 less 2, 4 or 6 of them needs no
 * rounding. */
static void set_paper(unsigned neighbours, enum am_stencil_type type, double r,
                      struct am_stencil_coefs *c)
{
    const double grain = ranges[type].epsilon / 4;
    const double side = rounded(type, nearbyint(r / grain) * grain);

    c->side = side > 0 ? side : rounded(type, r);
    c->centre = rounded(type, 1 - neighbours * c->side);
    c->growth = 1;
}

static void set_scaled(unsigned neighbours, enum am_stencil_type type, double r,
                       struct am_stencil_coefs *c)
{
    c->side = 1;
    c->centre = rounded(type, fmax(0, 1 - neighbours * r) / r);
    c->growth =
        neighbours + (long double)c->centre; /* wider: an error here comes back every step */
}

static void set_centred(unsigned neighbours, enum am_stencil_type type, double r,
                        struct am_stencil_coefs *c)
{
    c->side = rounded(type, r / fmax(0, 1 - neighbours * r));
    c->centre = 1;
    c->growth = 1 + neighbours * (long double)c->side;
}

enum am_status am_stencil_coefs_in(unsigned neighbours, enum am_stencil_form form,
                                   enum am_stencil_type type, double r,
                                   struct am_stencil_coefs *coefs, struct am_err *err)
{
    static void (*const set[AM_STENCIL_FORMS])(unsigned, enum am_stencil_type, double,
                                               struct am_stencil_coefs *) = {
        [AM_STENCIL_paper] = set_paper,
        [AM_STENCIL_scaled] = set_scaled,
        [AM_STENCIL_centred] = set_centred,
    };
    double steps;

    if (!(r > 0 && r <= 1.0 / neighbours))
        return am_fail(err, AM_E_ABSENT, "r is above 0 and at most %g, not %g", 1.0 / neighbours,
                       r);
    set[form](neighbours, type, r, coefs);
    steps = (double)ranges[type].bits / (double)log2l(coefs->growth); /* infinite: no growth */
    if (!(steps >= 1))
        return am_fail(err, AM_E_ABSENT, "form %s: one step with r = %g leaves the range of %s",
                       am_stencil_forms[form], r, am_stencil_types[type]);
    coefs->rescale_every = steps < 0x1p40 ? (size_t)steps : SIZE_MAX;
    return AM_OK;
}

enum am_status am_stencil_coefs(enum am_stencil_form form, enum am_stencil_type type, double r,
                                struct am_stencil_coefs *coefs, struct am_err *err)
{
    return am_stencil_coefs_in(2, form, type, r, coefs, err);
}

/* By squares: every pass asks, and powl() takes as long as a hundred vectors. What they round by is
 * far below what the result is rounded by, for as many steps as the range of a type has. */
double am_stencil_shrink(const struct am_stencil_coefs *coefs, size_t steps)
{
    long double power = 1, square = coefs->growth;

    if (!(coefs->growth > 1))
        return 1;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            power *= square;
        square *= square;
    }
    return (double)(1 / power);
}

double am_stencil_magnitude(enum am_stencil_form form, enum am_stencil_type type)
{
    if (form == AM_STENCIL_paper)
        return type == AM_STENCIL_F32 ? FLT_MAX / 4 : DBL_MAX / 4;
    return ldexp(1, ranges[type].max);
}

/* For smaller r the sides are small beside the centre, and added to it one by one. Measured against
 * the reference over 1000 steps; the test of this module repeats it. */
enum am_stencil_form am_stencil_form_for(double r)
{
    return r >= 0.05 ? AM_STENCIL_scaled : AM_STENCIL_paper;
}

/* Each step rounds three times at most, by half an epsilon of what is at most 1, and no error grows
 * later on. What r is off by adds as much again. */
double am_stencil_tolerance(enum am_stencil_type type, size_t steps)
{
    return ranges[type].epsilon * (4 + 3 * (double)steps);
}
