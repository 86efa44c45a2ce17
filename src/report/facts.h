/* SPDX-License-Identifier: MIT */
/* The facts that a run shows of its machine, written out. */
#ifndef AM_REPORT_FACTS_H
#define AM_REPORT_FACTS_H

#include "base/arena.h"
#include "model/facts.h"
#include "report/style.h"
#include "store/store.h"

#include <stdio.h>

/* Every format; table, md and tex are for people: values scaled, groups apart. */
void am_report_facts(const struct am_result_set *set, const struct am_facts *facts,
                     const struct am_style *style, struct am_arena *arena, FILE *out);

#endif
