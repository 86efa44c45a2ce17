/* SPDX-License-Identifier: MIT */
/* What a program has to do with an export: sizes, arrays, a line for each field, coefficient and
 * parameter, the calls. */
#ifndef AM_CLI_STENCIL_EMIT_ADVICE_H
#define AM_CLI_STENCIL_EMIT_ADVICE_H

#include "base/text.h"
#include "cli/stencil/emit.h"

/* Of each of the loops (enum am_emit_loop). */
void am_emit_advise(const struct am_description *d, const struct am_emit_shape *shape,
                    unsigned loops, struct am_text *out);

#endif
