/* SPDX-License-Identifier: MIT */
/* Which variants the bench of a described stencil has, and why it lacks the others. */
#ifndef AM_CLI_STENCIL_VARIANTS_H
#define AM_CLI_STENCIL_VARIANTS_H

#include "base/text.h"
#include "cli/stencil/description.h"

/* "plain,tiled,wave,device", parted by `between`; those on devices only where they are wanted. */
void am_variants_list(const struct am_description *d, bool devices, const char *between,
                      struct am_text *out);
/* Why a variant that others have is none of this description; NULL: it has it, or nobody does. */
const char *am_variant_lacks(const struct am_description *d, const char *variant);

#endif
