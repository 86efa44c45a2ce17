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

#endif
