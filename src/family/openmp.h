/* SPDX-License-Identifier: MIT */
/* The parts of the family of OpenMP that live in files of their own. */
#ifndef AM_FAMILY_OPENMP_H
#define AM_FAMILY_OPENMP_H

#include "family/family.h"

extern const struct am_guideline_rule am_openmp_guidelines[]; /* guides/openmp_guides.c */

/* How overheads grow with the team, with chunks and with arrays, and after which gap regions cost
 * more (omp/growth.c). */
void am_openmp_derive_growth(const struct am_deriving *d);
void am_openmp_derive_chunks(const struct am_deriving *d);
void am_openmp_derive_sizes(const struct am_deriving *d);
void am_openmp_derive_gaps(const struct am_deriving *d);

#endif
