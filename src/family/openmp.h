/* SPDX-License-Identifier: MIT */
/* The parts of the family of OpenMP: its guidelines live in a file of their own. */
#ifndef AM_FAMILY_OPENMP_H
#define AM_FAMILY_OPENMP_H

#include "family/family.h"

extern const struct am_guideline_rule am_openmp_guidelines[]; /* guides/openmp_guides.c */

#endif
