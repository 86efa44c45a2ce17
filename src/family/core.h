/* SPDX-License-Identifier: MIT */
/* Parts of the family of cores that stand in files of their own. */
#ifndef AM_FAMILY_CORE_H
#define AM_FAMILY_CORE_H

#include "family/family.h"

/* core.peak{type,isa,threads} (core_peaks.c). */
void am_core_derive_peaks(const struct am_deriving *d);

#endif
