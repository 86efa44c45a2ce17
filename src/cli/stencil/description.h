/* SPDX-License-Identifier: MIT */
/* A stencil of the user's own, described in a few lines (doc/guide/own-stencil.md has the grammar):
 *
 *     stencil heat2d
 *     dimensions 2
 *     field u
 *     parameter r 0.2
 *     boundary periodic
 *     update u = u + r * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)
 *
 * Every field is updated by one line; the lines of a step are done one after the other over the
 * whole grid. Reading is pure: no file is opened here, and what is read is known to be possible,
 * that is, every name is defined, and no value is asked for that is gone or not made yet. */
#ifndef AM_CLI_STENCIL_DESCRIPTION_H
#define AM_CLI_STENCIL_DESCRIPTION_H

#include "cli/stencil/formula.h"

enum {
    AM_DESCRIPTION_NAMES_MAX = 16, /* fields, coefficients, parameters: each */
    AM_DESCRIPTION_NAME_MAX = 24,  /* letters, terminator included */
    AM_DESCRIPTION_TEXT_MAX = 64 * 1024,
};

enum am_boundary { AM_BOUNDARY_PERIODIC, AM_BOUNDARY_FIXED, AM_BOUNDARY_MIRROR };

struct am_description_name {
    const char *name;
    unsigned line;
    double start, noise; /* at step 0: start + noise times something from -1/2 to 1/2 */
    double value;        /* of a parameter */
    bool used;           /* a coefficient: by a formula */
};

struct am_description_names {
    struct am_description_name items[AM_DESCRIPTION_NAMES_MAX];
    size_t n;
};

/* One line `update`: a stage of every step. */
struct am_description_update {
    size_t field;
    struct am_formula formula;
    const char *text; /* as written */
    unsigned line;
};

struct am_description {
    const char *name;
    unsigned dimensions; /* 1 to 3 */
    struct am_description_names fields, coefficients, parameters;
    enum am_boundary boundary[3];
    double boundary_value[3]; /* of fixed sides */
    struct am_description_update updates[AM_DESCRIPTION_NAMES_MAX];
    size_t n_updates;
    unsigned radius; /* points that a stage looks away from its own, 1 or more */
    bool second;     /* some field needs its value of a step before: two levels of time */
    unsigned flops;  /* of one point and step, as the formulas are written; of constants none */
};

/* AM_E_USAGE with "FILE:LINE: ..." and the nearest valid word for what is wrong. */
enum am_status am_description_parse(const char *file, const char *text, struct am_arena *arena,
                                    struct am_description *out, struct am_err *err);

/* The place of a name among those of a kind, or -1. */
int am_description_find(const struct am_description_names *names, const char *name);

#endif
