/* SPDX-License-Identifier: MIT */
/* Facts: what a run's measurements say about the machine. The one interface by which results feed
 * the machine model; every fact has a unit, a value, an interval and its evidence. */
#ifndef AM_MODEL_FACTS_H
#define AM_MODEL_FACTS_H

#include "base/arena.h"
#include "core/stats/stats.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

struct am_fact {
    const char *id;   /* stable and dotted: "cache.l1d.size", "cpu.flops.f64.avx2.peak" */
    const char *what; /* one phrase for a person */
    const char *unit; /* SI, unscaled; "" for a count */
    double value;
    struct am_interval ci; /* of the value; lo == hi == value where it is exact by construction */
    const char *evidence;  /* bench, points and rule it was derived from, in words */
    const char *claimed;   /* what the OS or CPUID states, as text; NULL when it states nothing */
    bool contradicts;      /* the measurement does not agree with the claim */
};

struct am_facts {
    struct am_fact *items;
    size_t n, cap;
    struct am_arena *arena; /* texts live there */
};

/* Adds a fact; texts are kept by pointer and must live as long as the arena (use
 * am_arena_printf). False when memory is refused. */
bool am_facts_add(struct am_facts *facts, const struct am_fact *fact);
/* The fact with this id, or NULL. */
const struct am_fact *am_facts_find(const struct am_facts *facts, const char *id);

/* A deriver looks at the results of its bench and adds what they show; it adds nothing when the run
 * lacks what it needs. One row in the table of facts.c each. */
typedef void am_derive_fn(const struct am_result_set *set, struct am_facts *facts);

/* Runs every deriver, in the table's order. */
void am_facts_derive(const struct am_result_set *set, struct am_arena *arena,
                     struct am_facts *facts);

/* ---- for derivers ---- */

/* The value of a parameter of a result as a number (INT, SIZE, REAL); NAN when it has none. */
double am_result_number(const struct am_result *result, const char *param);
/* The text of a parameter; NULL when the result has no such parameter. */
const char *am_result_text(const struct am_result *result, const char *param);
/* False when the interval says nothing: of one launch, or of two that share little certainty. */
bool am_fact_is_decided(const struct am_fact *fact);
/* Adds a fact unless it lacks a text, is no number, or is there already. */
void am_facts_offer(struct am_facts *facts, struct am_fact fact);
/* Value and interval of a ratio of medians; the interval holds with what both leave of certainty.
 */
void am_fact_set_ratio(struct am_fact *fact, const struct am_summary *over,
                       const struct am_summary *under);
/* Summary of a metric; false when the result is not ok or lacks it. */
bool am_result_summary(const struct am_result *result, const char *metric, struct am_summary *out);

#endif
