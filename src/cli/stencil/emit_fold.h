/* SPDX-License-Identifier: MIT */
/* The part of a stencil's folds that depends on its formula: rows of vectors whose lanes lie beside
 * each other along y and z. The rest is fold.c.txt. */
#ifndef AM_CLI_STENCIL_EMIT_FOLD_H
#define AM_CLI_STENCIL_EMIT_FOLD_H

#include "base/text.h"
#include "cli/stencil/description.h"

/* Three dimensions, and points that read more rows of points than rows of folded vectors. */
bool am_emit_has_folds(const struct am_description *d);
/* NAME_FOLD_ENDS and NAME_fold_made. */
void am_emit_fold_constants(const struct am_description *d, struct am_text *out);
/* Functions of all updates and their table NAME_fold_updates. */
void am_emit_fold_updates(const struct am_description *d, struct am_text *out);

#endif
