/* SPDX-License-Identifier: MIT */
/* Facts: what a run's measurements say about the machine. The one interface by which results feed
 * the machine model; every fact has a unit, a value, an interval and its evidence. */
#ifndef AM_MODEL_FACTS_H
#define AM_MODEL_FACTS_H

#include "base/arena.h"
#include "core/stats/stats.h"
#include "evidence/evidence.h"
#include "family/fact.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds a fact; texts are kept by pointer and must live as long as the arena (use
 * am_arena_printf). False when memory is refused. */
bool am_facts_add(struct am_facts *facts, const struct am_fact *fact);
/* The fact with this id, or NULL. */
const struct am_fact *am_facts_find(const struct am_facts *facts, const char *id);

/* A deriver looks at the results of its bench and adds what they show; it adds nothing when the run
 * lacks what it needs. One row in the table of facts.c each. */
typedef void am_old_derive_fn(const struct am_result_set *set, struct am_facts *facts);

/* Runs every deriver, in the table's order. */
void am_facts_derive(const struct am_result_set *set, struct am_arena *arena,
                     struct am_facts *facts);

/* ---- for derivers ---- */

/* Value and interval of a ratio of medians; the interval holds with what both leave of certainty.
 */
void am_fact_set_ratio(struct am_fact *fact, const struct am_summary *over,
                       const struct am_summary *under);
/* Summary of a metric; false when the result is not ok or lacks it. */
/* Of old: am_result_metric() has it settled. */
bool am_result_summary(const struct am_result *result, const char *metric, struct am_summary *out);

#endif
