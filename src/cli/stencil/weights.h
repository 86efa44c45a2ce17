/* SPDX-License-Identifier: MIT */
/* An update as a sum of weighted neighbours: what a description must be for its steps to be made by
 * waves, that is with rows in registers, and in place where the neighbours lie along the axes.
 *
 * That is so of one field without coefficients that differ from point to point, of first order in
 * time or, in two and three dimensions, of second; in one dimension the row has to be a ring. */
#ifndef AM_CLI_STENCIL_WEIGHTS_H
#define AM_CLI_STENCIL_WEIGHTS_H

#include "cli/stencil/description.h"

enum { AM_WEIGHTS_MAX = 6 * AM_FORMULA_REACH_MAX + 1, AM_WEIGHT_TEXT = 160 };

struct am_weight {
    int at[3];
    size_t value; /* which of the values it has */
};

struct am_weights {
    struct am_weight items[AM_WEIGHTS_MAX];
    char values[AM_WEIGHTS_MAX + 1]
               [AM_WEIGHT_TEXT]; /* C expressions of parameters, all different */
    size_t n, n_values;
    int reach;    /* points along x, 1 or more */
    int left;     /* how many of them lie to the left: 0 to reach */
    int before;   /* which value the step before is multiplied by; -1: it is not read */
    bool corners; /* some neighbours lie along no axis */
    bool turns;   /* one of both: steps are not made in place, two arrays take turns */
};

/* False: waves cannot make these steps. */
bool am_weights_find(const struct am_description *d, struct am_weights *out);

/* The weight of a place, or NULL. */
const struct am_weight *am_weights_at(const struct am_weights *w, int x, int y, int z);

#endif
