/* SPDX-License-Identifier: MIT */
/* The machine model in words: what was measured of each part beside what the system states, where
 * the two disagree, and what follows for programs. */
#ifndef AM_REPORT_MODEL_H
#define AM_REPORT_MODEL_H

#include "base/arena.h"
#include "family/family.h"
#include "model/facts.h"
#include "model/roofline.h"
#include "report/style.h"
#include "store/store.h"

#include <stdio.h>

struct am_model_view {
    const struct am_result_set *set;
    const struct am_facts *facts;
    const struct am_guidelines *guidelines;
    const struct am_roofline *roofline;
};

/* Table, md, tex: the model; json: facts, guidelines and ceilings; csv: the facts. */
void am_report_model(const struct am_model_view *view, const struct am_style *style,
                     struct am_arena *arena, FILE *out);

#endif
