/* SPDX-License-Identifier: MIT */
/* The last word of a tuner: whether fresh visits show a gain. */
#include "conductor/tune_duel.h"

#include "core/stats/change.h"

#include <math.h>
#include <string.h>

/* One test per tuned point; of a hundred points that cannot be tuned one is kept for nothing. */
static const double doubt = 0.01, rank_doubt = 0.05;

bool am_duel_other_first(size_t round)
{
    return round % 2 == 1;
}

static double median_of(const double *values, size_t n)
{
    double sorted[AM_DUEL_MOST];

    memcpy(sorted, values, n * sizeof(*sorted));
    am_stats_sort(sorted, n);
    return n ? am_stats_median(sorted, n) : NAN;
}

struct am_duel_verdict am_duel_judge(const struct am_duel *duel, enum am_better better)
{
    struct am_duel_verdict v = {.own = median_of(duel->own, duel->n),
                                .other = median_of(duel->other, duel->n),
                                .gain = NAN,
                                .bounds = {NAN, NAN, NAN}};
    const struct am_change c = am_change_of(duel->own, duel->n, duel->other, duel->n, 0);
    const double turn = better == AM_HIGHER ? 1 : -1;

    if (duel->n < AM_DUEL_LEAST || isnan(c.d))
        return v;
    v.gain = expm1(turn * c.d);
    v.bounds = (struct am_interval){expm1(fmin(turn * c.lo, turn * c.hi)),
                                    expm1(fmax(turn * c.lo, turn * c.hi)), 0.95};
    v.better = v.gain > 0 && c.p <= doubt && c.p_rank <= rank_doubt;
    return v;
}
