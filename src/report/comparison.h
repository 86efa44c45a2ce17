/* SPDX-License-Identifier: MIT */
/* A comparison of two runs, written out. */
#ifndef AM_REPORT_COMPARISON_H
#define AM_REPORT_COMPARISON_H

#include "base/arena.h"
#include "model/compare.h"
#include "report/style.h"

#include <stdio.h>

struct am_comparison_view {
    const struct am_comparison *comparison;
    const struct am_compare_settings *settings;
    const struct am_result_set *a, *b;
    const char *name_a, *name_b; /* what the sides are called in the text */
    bool changes_only;           /* leave out the rows whose verdict is `same` */
};

void am_report_comparison(const struct am_comparison_view *view, const struct am_style *style,
                          struct am_arena *arena, FILE *out);

#endif
