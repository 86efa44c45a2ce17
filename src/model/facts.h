/* SPDX-License-Identifier: MIT */
/* Facts: what a run's measurements say about the machine. The one interface by which results feed
 * the machine model; every fact has a unit, a value, an interval and its evidence. */
#ifndef AM_MODEL_FACTS_H
#define AM_MODEL_FACTS_H

#include "evidence/evidence.h"
#include "family/fact.h"

/* The facts of a run; of a merged file those of its first machine. */
void am_facts_derive(const struct am_result_set *set, struct am_arena *arena,
                     struct am_facts *facts);

#endif
