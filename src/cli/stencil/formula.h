/* SPDX-License-Identifier: MIT */
/* The right-hand side of an update: sums, differences, products and quotients of numbers, names and
 * values of fields at a point or beside it.
 *
 *     u + r * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)
 *
 * A name alone is the value at the point itself. u[1,0] lies one point further along x, in as many
 * numbers as there are dimensions. u.before is the value a step earlier, u.new the one that an
 * earlier line of the same step has made. Reading is pure and bounded: so many nodes, so deep. */
#ifndef AM_CLI_STENCIL_FORMULA_H
#define AM_CLI_STENCIL_FORMULA_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_FORMULA_NODES_MAX = 1024, AM_FORMULA_DEPTH_MAX = 64, AM_FORMULA_REACH_MAX = 8 };

enum am_formula_kind {
    AM_FORMULA_NUMBER,
    AM_FORMULA_NAME, /* of a parameter, a coefficient or a field */
    AM_FORMULA_NEGATE,
    AM_FORMULA_ADD,
    AM_FORMULA_SUBTRACT,
    AM_FORMULA_MULTIPLY,
    AM_FORMULA_DIVIDE,
};

enum am_formula_when { AM_FORMULA_NOW, AM_FORMULA_BEFORE, AM_FORMULA_NEW };

struct am_formula_node {
    enum am_formula_kind kind;
    const char *text; /* number as written, or name */
    enum am_formula_when when;
    int at[3];     /* points along x, y, z */
    bool beside;   /* offsets were written */
    size_t column; /* of the line, from 1: for messages */
    int left, right;
};

/* A tree by indices; the last node is its root. */
struct am_formula {
    struct am_formula_node *nodes;
    size_t n, cap;
};

/* Where a formula stands, for messages. */
struct am_formula_place {
    const char *file;
    const char *source; /* the file's text from the beginning of the line with its first letter's */
    unsigned line;      /* its number */
    size_t before;      /* letters of the source before the formula's first */
    unsigned dimensions; /* numbers between brackets */
};

/* Writes "FILE:LINE:COLUMN" of the letter so many behind the first. */
enum { AM_FORMULA_WHERE_MAX = 512 };
void am_formula_where(const struct am_formula_place *place, size_t behind,
                      char out[AM_FORMULA_WHERE_MAX]);

/* AM_E_USAGE with "FILE:LINE:COLUMN: ..." for whatever is wrong. */
enum am_status am_formula_parse(const char *text, const struct am_formula_place *place,
                                struct am_arena *arena, struct am_formula *out, struct am_err *err);

/* Operations that depend on the point: one per sign, unless all that it joins are numbers and names
 * for which `is_constant` is true. */
typedef bool am_formula_constant_fn(const void *self, const char *name);
unsigned am_formula_flops(const struct am_formula *formula, am_formula_constant_fn *is_constant,
                          const void *self);

#endif
