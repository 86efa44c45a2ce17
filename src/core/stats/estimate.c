/* SPDX-License-Identifier: MIT */
/* Errors from intervals, and changes between values that have such. */
#include "core/stats/estimate.h"

#include "core/stats/student.h"

#include <math.h>
#include <stdlib.h>

static const double level = 0.05;
static const double least_se = 5e-4; /* equal values are no proof of a spread of zero */
static const double normal_df = 100; /* from here on Student's law is the normal one */

bool am_estimate_of(double value, const struct am_interval *ci, size_t launches,
                    struct am_estimate *out)
{
    double z;

    if (launches < AM_CHANGE_LEAST || !(ci->coverage > 0.5 && ci->coverage < 1) ||
        !(ci->lo > 0 && ci->lo <= value && value <= ci->hi) || isinf(ci->hi))
        return false;
    z = am_student_quantile((1 - ci->coverage) / 2, normal_df);
    *out = (struct am_estimate){
        .log = log(value),
        .se = fmax(log(ci->hi / ci->lo) / 2 / z, least_se),
        .df = (double)launches - 1,
        .lo = log(ci->lo),
        .hi = log(ci->hi),
    };
    return isfinite(out->log) && isfinite(out->se);
}

/* ---- others together ---- */

/* The median of one number per estimate; sorts `scratch`. */
static double middle(double *scratch, size_t n)
{
    am_stats_sort(scratch, n);
    return am_stats_median(scratch, n);
}

static double deviation(const struct am_estimate *others, size_t n, double centre, double *scratch)
{
    static const double to_sigma = 1.4826; /* of a normal law, from the median deviation */

    if (n == 2)
        return fabs(others[0].log - others[1].log) / sqrt(2);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(others[i].log - centre);
    return to_sigma * middle(scratch, n);
}

bool am_estimate_of_others(const struct am_estimate *others, size_t n, struct am_estimate *out)
{
    double *const scratch = calloc(n + 1, sizeof(*scratch));
    double typical, spread, among, own;

    if (!scratch)
        return false;
    for (size_t i = 0; i < n; i++)
        scratch[i] = others[i].log;
    out->log = middle(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = others[i].se;
    typical = middle(scratch, n);
    spread = n > 1 ? deviation(others, n, out->log, scratch) : 0;
    free(scratch);
    among = spread * spread * (1 + 1 / (double)n); /* of a further one among them */
    own = typical * typical / (double)n;
    out->se = sqrt(among + own);
    out->df = (among + own) * (among + own) /
              (own * own / others[0].df + (n > 1 ? among * among / (double)(n - 1) : 0));
    out->lo = fmin(out->log - spread, out->log - (others[0].log - others[0].lo));
    out->hi = fmax(out->log + spread, out->log + (others[0].hi - others[0].log));
    if (n == 1)
        *out = others[0];
    return true;
}

/* ---- changes ---- */

struct am_change am_change_of_estimates(const struct am_estimate *a, const struct am_estimate *b,
                                        double delta)
{
    const double va = a->se * a->se, vb = b->se * b->se, v = va + vb;
    struct am_change c = {.d = b->log - a->log, .se = sqrt(v), .margin = log1p(delta)};
    const double apart = c.d > 0 ? b->lo - a->hi : a->lo - b->hi;
    double half;

    c.df = v * v / (va * va / a->df + vb * vb / b->df);
    c.p = am_student_tail((fabs(c.d) - c.margin) / c.se, c.df) +
          am_student_tail((fabs(c.d) + c.margin) / c.se, c.df);
    c.p = fmin(c.p, 1);
    c.p_same = am_student_tail((c.margin - fabs(c.d)) / c.se, c.df);
    c.p_rank = apart > c.margin ? 0 : 1;
    half = am_student_quantile(level / 2, c.df) * c.se;
    c.lo = c.d - half;
    c.hi = c.d + half;
    return c;
}
