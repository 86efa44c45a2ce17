/* SPDX-License-Identifier: MIT */
/* Effects planted into a comparison: whether the method finds what it says it would find.
 *
 * A comparison that finds nothing may be blind. So its rows are made slower one at a time, on side
 * B, and judged anew together with all others: what a method cannot find that way it would not find
 * in a program either. Nothing is measured, and the comparison stays as it is. */
#ifndef AM_MODEL_PLANT_H
#define AM_MODEL_PLANT_H

#include "model/compare.h"

enum { AM_PLANT_ROWS_MAX = 50 }; /* planted at most, spread over the rows */

struct am_planted {
    size_t rows, found; /* planted one by one; called slower, with or without a question mark */
};

/* `factor`: how many times as slow; 0: each row by twice (in logarithms) what it says it would have
 * shown with 90 %, and rows that could not show a doubling are left out. */
enum am_status am_plant(const struct am_result_set *a, const struct am_result_set *b,
                        const struct am_compare_settings *settings,
                        const struct am_comparison *comparison, double factor,
                        struct am_planted *out, struct am_err *err);

#endif
