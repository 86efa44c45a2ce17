/* SPDX-License-Identifier: MIT */
/* Measured against bound, written out. */
#ifndef AM_REPORT_EXPLANATION_H
#define AM_REPORT_EXPLANATION_H

#include "base/arena.h"
#include "model/explain.h"
#include "report/style.h"

#include <stdio.h>

/* Every format; in JSON and CSV unscaled. */
void am_report_explanations(const struct am_result_set *set, const struct am_explanations *all,
                            const struct am_style *style, struct am_arena *arena, FILE *out);

#endif
