/* SPDX-License-Identifier: MIT */
/* Formulas as C: the rows that a kernel calculates at once, and the update of the reference. They
 * differ in how a value of a field is written. */
#ifndef AM_CLI_STENCIL_EMIT_FORMULA_H
#define AM_CLI_STENCIL_EMIT_FORMULA_H

#include "base/text.h"
#include "cli/stencil/description.h"

/* Functions of all updates, for 1, 2 and 4 rows, and their table NAME_rows. */
void am_emit_rows(const struct am_description *d, struct am_text *out);
/* NAME_TYPED_update(): one point of any stage. */
void am_emit_reference(const struct am_description *d, struct am_text *out);
/* Part of a formula that has numbers and parameters only. */
void am_emit_constant(const struct am_description *d, const struct am_formula *formula, int index,
                      struct am_text *out);
/* A whole formula, with values as `value` writes them; `self` is the writer's own. */
typedef void am_emit_value_fn(const void *self, const struct am_description *d,
                              const struct am_formula_node *node, struct am_text *out);
void am_emit_formula(const struct am_description *d, const struct am_formula *formula,
                     am_emit_value_fn *value, const void *self, struct am_text *out);
/* The formula of several rows in step: each sum of it is a variable, of one row after the other,
 * and the results are r__0, r__1, ... What rows share is read at about the same time, so that it
 * stays in registers. Operations and their order are those of the formula. */
struct am_emit_rows {
    am_emit_value_fn *value;
    const void *selves; /* one per row, `size` bytes each */
    size_t size;
    int n;
};
void am_emit_in_step(const struct am_description *d, const struct am_formula *formula,
                     const struct am_emit_rows *rows, struct am_text *out);

#endif
