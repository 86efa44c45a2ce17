/* SPDX-License-Identifier: MIT */
/* The parts of the family of coherence: which CPUs are alike is found in a file of its own. */
#ifndef AM_FAMILY_COHERENCE_H
#define AM_FAMILY_COHERENCE_H

#include "family/family.h"

/* What the system states of a pair of CPUs, as the metric `distance` of a result tells; -1 where it
 * does not. */
enum { AM_RELATION_CORE = 1, AM_RELATIONS = 5 };
int am_coherence_relation(const struct am_result *result);

/* coherence_groups.c: groups, group_ratio. */
am_derive_fn am_coherence_derive_groups;

#endif
