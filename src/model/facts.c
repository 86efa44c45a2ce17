/* SPDX-License-Identifier: MIT */
/* Facts of a run: those of one machine, by the rules of all families. */
#include "model/facts.h"

#include "family/family.h"
#include "model/nodes.h"

void am_facts_derive(const struct am_result_set *set, struct am_arena *arena,
                     struct am_facts *facts)
{
    am_families_derive(am_nodes_first(set, arena), arena, facts);
}
