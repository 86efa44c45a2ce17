/* SPDX-License-Identifier: MIT */
/* The ranges of axes: from the marks of all panels that are looked at together. */
#include "document/figure/range.h"

#include <math.h>

struct range {
    double lo, hi;
};

/* What the marks span; `positive` is the part that a logarithm can show. */
struct span {
    struct range all, positive;
};

static const struct range nothing = {INFINITY, -INFINITY};

static void include(struct span *s, double value)
{
    if (!isfinite(value))
        return;
    s->all = (struct range){fmin(s->all.lo, value), fmax(s->all.hi, value)};
    if (value > 0)
        s->positive = (struct range){fmin(s->positive.lo, value), fmax(s->positive.hi, value)};
}

static void include_marks(const struct am_plot *plot, struct span *x, struct span *y)
{
    for (size_t s = 0; s < plot->n; s++) {
        for (size_t i = 0; i < plot->series[s].n; i++) {
            const struct am_plot_mark *const m = &plot->series[s].marks[i];

            include(x, m->x);
            include(y, m->y);
            include(y, m->lo);
            include(y, m->hi);
        }
    }
}

static const double pad = 0.04; /* of the range, so that no mark lies on the frame */

static struct range log_range(struct range r)
{
    double grow = 1.5;

    if (r.lo > r.hi)
        return (struct range){1, 10};
    if (r.hi > r.lo)
        grow = pow(r.hi / r.lo, pad);
    return (struct range){r.lo / grow, r.hi * grow};
}

/* With `zero` the axis begins there, so that lengths show proportions, unless all values are far
 * from it and close to each other. */
static struct range linear_range(struct range r, bool zero)
{
    if (r.lo > r.hi)
        return (struct range){0, 1};
    if (zero && r.lo > 0 && r.lo < 0.75 * r.hi)
        r.lo = 0;
    if (!(r.hi > r.lo)) {
        const double half = r.hi > 0 || r.hi < 0 ? fabs(r.hi) / 4 : 0.5;

        return (struct range){r.lo - half, r.hi + half};
    }
    if (zero && !(r.lo < 0) && !(r.lo > 0))
        return (struct range){0, r.hi * (1 + pad)};
    return (struct range){r.lo - pad * (r.hi - r.lo), r.hi + pad * (r.hi - r.lo)};
}

static void set_range(struct am_plot_axis *axis, const struct span *span, bool zero)
{
    struct range r;

    if (axis->lo < axis->hi)
        return;
    if (axis->scale == AM_SCALE_NAMES)
        r = (struct range){-0.5, (double)axis->n_names - 0.5};
    else if (axis->scale == AM_SCALE_LINEAR)
        r = linear_range(span->all, zero);
    else
        r = log_range(span->positive);
    axis->lo = r.lo;
    axis->hi = r.hi;
}

/* A logarithm that cannot show every mark is not offered. */
static void set_other(struct am_plot *plot, const struct span *y)
{
    const bool from_log = plot->y.scale != AM_SCALE_LINEAR;
    struct range r;

    if (plot->other_lo < plot->other_hi || (!from_log && !(y->all.lo > 0)) || y->all.lo > y->all.hi)
        return;
    r = from_log ? linear_range(y->all, true) : log_range(y->positive);
    plot->other_lo = r.lo;
    plot->other_hi = r.hi;
}

void am_plot_share(struct am_plot *const *plots, size_t n)
{
    struct span x = {nothing, nothing}, y = {nothing, nothing};

    for (size_t i = 0; i < n; i++)
        include_marks(plots[i], &x, &y);
    for (size_t i = 0; i < n; i++) {
        set_range(&plots[i]->x, &x, false);
        set_range(&plots[i]->y, &y, true);
        set_other(plots[i], &y);
    }
}
