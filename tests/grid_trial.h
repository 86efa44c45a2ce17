/* SPDX-License-Identifier: MIT */
/* Random states of grids of two and three dimensions, with what they should become. */
#ifndef AM_TESTS_GRID_TRIAL_H
#define AM_TESTS_GRID_TRIAL_H

#include "app/stencil/grid.h"
#include "app/stencil/grid_reference.h"
#include "base/rng.h"
#include "kernels/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_PAGE_BYTES = 4096 };

/* One problem with its reference. */
struct trial {
    struct am_grid_spec spec;
    struct am_stencil_grid grid;
    void *memory, *x; /* x: values of the element type */
    long double *want;
    size_t points;
};

static inline double value(const struct trial *t, size_t i)
{
    return t->spec.type == AM_STENCIL_F32 ? (double)((const float *)t->x)[i]
                                          : ((const double *)t->x)[i];
}

static inline void set_value(const struct trial *t, size_t i, double v)
{
    if (t->spec.type == AM_STENCIL_F32)
        ((float *)t->x)[i] = (float)v;
    else
        ((double *)t->x)[i] = v;
}

/* The state is random at step 0; `want` is the state after `steps`. */
static inline bool trial_begin(struct trial *t, const struct am_grid_spec *spec, size_t steps,
                               struct am_rng *rng)
{
    struct am_err err = {0};
    long double *other;
    size_t bytes;

    *t = (struct trial){.spec = *spec, .points = spec->n[0] * spec->n[1] * spec->n[2]};
    if (am_grid_bytes(spec, &bytes, &err) != AM_OK)
        return false;
    t->memory = aligned_alloc(TRIAL_PAGE_BYTES, bytes);
    t->x = malloc(t->points * sizeof(double));
    t->want = malloc(t->points * sizeof(*t->want));
    other = malloc(t->points * sizeof(*other));
    memset(t->memory, 0xff, bytes); /* NaN: never a result */
    for (size_t i = 0; i < t->points; i++) {
        set_value(t, i, 2 * am_rng_unit(rng) - 1);
        t->want[i] = value(t, i);
    }
    am_grid_reference(t->want, other, spec->dim, spec->n, steps, spec->r,
                      spec->fixed ? spec->wall : NULL);
    free(other);
    return am_stencil_grid_init(&t->grid, spec, t->memory, &err) == AM_OK &&
           am_grid_load(&t->grid, t->x, &err) == AM_OK;
}

/* The largest difference from the reference; NaN counts as infinite, as does a point that is not
 * where am_grid_value() says. */
static inline double trial_error(struct trial *t)
{
    const size_t *const n = t->spec.n;
    double worst = 0;

    memset(t->x, 0xff, t->points * (t->spec.type == AM_STENCIL_F32 ? 4 : 8));
    am_grid_store(&t->grid, t->x);
    for (size_t i = 0; i < t->points; i++) {
        const size_t at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
        const double off = fabs((double)(value(t, i) - t->want[i]));

        if (!(off <= worst))
            worst = isnan(off) ? INFINITY : off;
        if (am_grid_value(&t->grid, at) != value(t, i))
            worst = INFINITY;
    }
    return worst;
}

static inline void trial_end(struct trial *t)
{
    free(t->memory);
    free(t->x);
    free(t->want);
}

/* The plainest set that is sure to be there, but with several lanes. */
static inline struct am_grid_spec some_spec(unsigned dim)
{
    return (struct am_grid_spec){.kernels = am_grid_find(am_isa_names[1]),
                                 .dim = dim,
                                 .method = AM_STENCIL_BY_SLICE,
                                 .form = AM_STENCIL_scaled,
                                 .type = AM_STENCIL_F64,
                                 .n = {23, 19, dim == 2 ? 1 : 17},
                                 .r = 0.12,
                                 .depth = 5,
                                 .tile = {7, 6, 3},
                                 .parts = 3};
}

#endif
