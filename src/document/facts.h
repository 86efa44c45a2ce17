/* SPDX-License-Identifier: MIT */
/* Facts of a machine: tables by family, cards of what everybody asks for, the tree for programs. */
#ifndef AM_DOCUMENT_FACTS_H
#define AM_DOCUMENT_FACTS_H

#include "document/document.h"
#include "family/family.h"
#include "model/facts.h"

struct am_facts_view {
    const struct am_result_set *set;
    const struct am_facts *facts;
};

/* Every fact with interval, grade, claim and evidence. */
struct am_document am_document_facts(const struct am_facts_view *view);

/* ---- parts of other documents ---- */

/* One table per family with its title. With `left` (one per fact) only those that are left, and in
 * brief: without claim and evidence. */
void am_facts_tables(struct am_body *b, const struct am_facts *facts, const bool *left);
/* One table of those that deny what is stated. */
void am_facts_denied(struct am_body *b, const struct am_facts *facts);
/* What could not be concluded. */
void am_facts_remarks(struct am_body *b, const struct am_facts *facts);
/* The headline entries of all families that the facts can fill. */
void am_facts_cards(struct am_body *b, const struct am_facts *facts);
void am_data_facts(struct am_data *d, const struct am_facts *facts);

/* "31.4 KiB", "3.7 GHz", "12"; "32-64 KiB" of a size that is open between the two by more than the
 * best grade allows; "-" when not finite. */
void am_fact_value(const struct am_fact *fact, char *buf, size_t cap);
/* Half of its interval relative to the value; 0 where it has none. */
double am_fact_precision(const struct am_fact *fact);
/* The next cell of a row: the value with its grade, and the interval. */
struct am_table_cell *am_table_fact(struct am_table *table, const struct am_fact *fact);
/* Where no interval stands beside it: as am_fact_value() has it. */
struct am_table_cell *am_table_fact_alone(struct am_table *table, const struct am_fact *fact);
struct am_table_cell *am_table_fact_interval(struct am_table *table, const struct am_fact *fact);
/* What is claimed, in the form of the value where it is a number of bytes; "" when nothing is. */
const char *am_fact_claim(const struct am_fact *fact, struct am_arena *arena);

#endif
