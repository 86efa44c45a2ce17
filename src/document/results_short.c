/* SPDX-License-Identifier: MIT */
/* A bench in short: how many points it has, how good they are, and which are the slowest. */
#include "document/results.h"

#include <math.h>

enum { SLOWEST = 8, INDENT = 2 };

/* How slow a point is beside others of its bench; -INFINITY where it was not measured. */
static double slowness(const struct am_result *r)
{
    const struct am_result_metric *const m = r->n_metrics ? &r->metrics[0] : NULL;

    if (r->state != AM_POINT_OK || !m || !m->has_summary || isnan(m->summary.median))
        return -INFINITY;
    return m->better == AM_LOWER ? m->summary.median : -m->summary.median;
}

static void pick_slowest(const struct am_result *first, size_t n, bool *picked)
{
    for (size_t k = 0; k < SLOWEST; k++) {
        size_t slowest = n;

        for (size_t i = 0; i < n; i++) {
            if (!picked[i] && isfinite(slowness(&first[i])) &&
                (slowest == n || slowness(&first[i]) > slowness(&first[slowest])))
                slowest = i;
        }
        if (slowest < n)
            picked[slowest] = true;
    }
}

const bool *am_results_pick(struct am_body *b, const struct am_result *first, size_t n)
{
    bool *const picked = am_arena_array(b->arena, n, sizeof(*picked));
    size_t grades[AM_GRADES] = {0}, measured = 0, unfinished = 0;

    b->broken |= !picked;
    if (!picked)
        return NULL;
    pick_slowest(first, n, picked);
    for (size_t i = 0; i < n; i++) {
        if (isfinite(slowness(&first[i]))) {
            grades[first[i].metrics[0].grading.grade]++;
            measured++;
        }
        unfinished += first[i].stop_reason == AM_STOP_OPEN;
    }
    am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                  "%zu points, %zu measured: %zu of grade A, %zu B, %zu C (concludes nothing)%s%s",
                  n, measured, grades[AM_GRADE_A], grades[AM_GRADE_B], grades[AM_GRADE_C],
                  unfinished ? am_arena_printf(b->arena, "; %zu unfinished", unfinished) : "",
                  measured > SLOWEST ? ". The slowest:" : "")
        ->indent = INDENT;
    return picked;
}
