/* SPDX-License-Identifier: MIT */
/* The last word of a tuner: whether fresh visits show a gain. */
#include "conductor/tune_duel.h"

#include "core/stats/change.h"

#include <math.h>
#include <string.h>

/* One test per tuned point; of a hundred points that cannot be tuned one is kept for nothing. */
struct doubt {
    size_t rounds; /* of the look */
    double p, p_rank;
};
static const struct doubt whole = {.p = 0.01, .p_rank = 0.05};
/* Their sums are those of one test. The last row is for whatever the duel ends with. */
static const struct doubt looks[] = {
    {AM_DUEL_LEAST, 0.002, 0.016}, {7, 0.003, 0.017}, {AM_DUEL_MOST, 0.005, 0.017}};
enum { LOOKS = sizeof(looks) / sizeof(looks[0]) };

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

static struct am_duel_verdict judge(const struct am_duel *duel, enum am_better better,
                                    const struct doubt *doubt)
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
    v.better = v.gain > 0 && c.p <= doubt->p && c.p_rank <= doubt->p_rank;
    return v;
}

struct am_duel_verdict am_duel_judge(const struct am_duel *duel, enum am_better better)
{
    return judge(duel, better, &whole);
}

struct am_duel_verdict am_duel_look(const struct am_duel *duel, enum am_better better)
{
    size_t at = 0;

    while (at + 1 < LOOKS && looks[at].rounds != duel->n)
        at++;
    return judge(duel, better, &looks[at]);
}

static bool is_look(size_t rounds)
{
    for (size_t i = 0; i < LOOKS; i++) {
        if (looks[i].rounds == rounds)
            return true;
    }
    return false;
}

bool am_duel_is_over(const struct am_duel *duel, enum am_better better)
{
    const struct am_duel_verdict v = am_duel_look(duel, better);

    return duel->n >= AM_DUEL_MOST || (is_look(duel->n) && (v.better || v.bounds.hi < 0));
}
