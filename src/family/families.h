/* SPDX-License-Identifier: MIT */
/* The families, one file each; family.c lists them in their order. */
#ifndef AM_FAMILY_FAMILIES_H
#define AM_FAMILY_FAMILIES_H

#include "family/family.h"

extern const struct am_family am_family_core, am_family_memory, am_family_coherence;
extern const struct am_family am_family_openmp, am_family_opencl, am_family_tasks;
extern const struct am_family am_family_stencil, am_family_leukocyte, am_family_energy;
extern const struct am_family am_family_network, am_family_claims, am_family_programs;

#endif
