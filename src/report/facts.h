/* SPDX-License-Identifier: MIT */
/* The facts that a run shows of its machine, written out. */
#ifndef AM_REPORT_FACTS_H
#define AM_REPORT_FACTS_H

#include "base/arena.h"
#include "model/facts.h"
#include "report/json.h"
#include "report/style.h"
#include "store/store.h"

#include <stdio.h>

/* ---- one fact, for people ---- */

/* "31.4 KiB", "3.7 GHz", "12"; "-" when not finite. */
void am_fact_value(const struct am_fact *fact, char *buf, size_t cap);
/* "31.2 KiB .. 32 KiB", "exact", or "-" when there is none. */
void am_fact_interval(const struct am_fact *fact, char *buf, size_t cap);
/* In the form of the value where it is a number of bytes; "" when nothing is claimed. */
void am_fact_claim(const struct am_fact *fact, char *buf, size_t cap);

/* "facts": [...], unscaled. */
void am_json_fact_list(struct am_json *j, const struct am_facts *facts);

/* Every format; table, md and tex are for people: values scaled, groups apart. */
void am_report_facts(const struct am_result_set *set, const struct am_facts *facts,
                     const struct am_style *style, struct am_arena *arena, FILE *out);

#endif
