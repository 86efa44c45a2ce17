/* SPDX-License-Identifier: MIT */
/* Curves that climb in steps: monotone fit, plateaus, crossings. */
#include "fit/curve.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two places this far apart tell whether the curve climbs. */
static const double window = 1.5;
/* Places further apart tell nothing of what lies between. */
static const double gap_max = 4;
/* Steepest slope of a plateau in log-log. A cache that is overrun climbs with a slope of 0.7 to far
 * above 1; within a shared cache, or memory beyond the reach of a TLB, it creeps with 0.1 to 0.3.
 */
static const double slope_max = 0.4;

/* Less than this between other levels is no level. */
static const double span_min = 1.9;

bool am_curve_add(struct am_curve *curve, struct am_arena *arena, struct am_curve_point point)
{
    const double values[] = {point.x, point.best, point.typical, point.worst};
    struct am_curve_point *added;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (!isfinite(values[i]) || values[i] <= 0)
            return true;
    }
    added = AM_ARRAY_ADD(arena, curve->points, curve->n, curve->cap);
    if (added)
        *added = point;
    return added != NULL;
}

static int by_x(const void *a, const void *b)
{
    const double x = ((const struct am_curve_point *)a)->x;
    const double y = ((const struct am_curve_point *)b)->x;

    return (x > y) - (x < y);
}

static double *value_of(struct am_curve *curve, size_t i, size_t offset)
{
    return (double *)(void *)((char *)&curve->points[i] + offset);
}

/* Pool adjacent violators: a value below those before it is pooled with them, at the median of what
 * they were, until none is. `was` and `scratch` have room for n doubles each. */
static void make_monotone(struct am_curve *curve, size_t offset, double *was, double *scratch)
{
    for (size_t i = 0; i < curve->n; i++)
        was[i] = *value_of(curve, i, offset);
    for (size_t i = 1; i < curve->n; i++) {
        double pooled = was[i];
        size_t first = i;

        while (first > 0 && *value_of(curve, first - 1, offset) > pooled) {
            const double above = *value_of(curve, first - 1, offset);

            while (first > 0 && *value_of(curve, first - 1, offset) >= above)
                first--;
            memcpy(scratch, was + first, (i - first + 1) * sizeof(*was));
            am_stats_sort(scratch, i - first + 1);
            pooled = am_stats_median(scratch, i - first + 1);
        }
        for (size_t k = first; k <= i; k++)
            *value_of(curve, k, offset) = pooled;
    }
}

bool am_curve_settle(struct am_curve *curve)
{
    static const size_t offsets[] = {
        offsetof(struct am_curve_point, best),
        offsetof(struct am_curve_point, typical),
        offsetof(struct am_curve_point, worst),
    };
    double *room;

    if (curve->n == 0)
        return true;
    qsort(curve->points, curve->n, sizeof(*curve->points), by_x);
    room = calloc(curve->n, 2 * sizeof(*room));
    if (!room)
        return false;
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        make_monotone(curve, offsets[i], room, room + curve->n);
    free(room);
    return true;
}

/* The first place at least a window beyond i, or n. */
static size_t beyond(const struct am_curve *curve, size_t i)
{
    size_t k = i + 1;

    while (k < curve->n && curve->points[k].x < window * curve->points[i].x)
        k++;
    return k;
}

static bool is_flat(const struct am_curve *curve, size_t i, size_t k)
{
    const struct am_curve_point *const a = &curve->points[i], *const b = &curve->points[k];

    return b->x <= gap_max * a->x && log(b->best / a->best) < slope_max * log(b->x / a->x);
}

/* Settled values are sorted already. */
static void measure(const struct am_curve *curve, struct am_plateau *p)
{
    const struct am_curve_point *const points = curve->points;
    const size_t upper = (p->first + p->last + 1) / 2, lower = (p->first + p->last) / 2;

    p->level = 0.5 * (points[lower].best + points[upper].best);
    p->typical = 0.5 * (points[lower].typical + points[upper].typical);
    p->lo = points[p->first].best;
    p->hi = points[p->last].typical;
}

static void add_plateau(const struct am_curve *curve, struct am_plateaus *all, double ratio,
                        struct am_plateau p)
{
    struct am_plateau *const before = all->n ? &all->items[all->n - 1] : NULL;

    measure(curve, &p);
    if (before && p.level < ratio * before->level) {
        before->last = p.last;
        measure(curve, before);
        return;
    }
    if (all->n < AM_CURVE_LEVELS_MAX)
        all->items[all->n++] = p;
}

static void drop_pauses(const struct am_curve *curve, struct am_plateaus *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct am_plateau *const p = &all->items[i];
        const bool end = i == 0 || i + 1 == all->n;

        if (end || curve->points[p->last].x > span_min * curve->points[p->first].x)
            all->items[kept++] = *p;
    }
    all->n = kept;
}

/* The last place of the plateau that begins at i and reaches k at least. */
static size_t end_of(const struct am_curve *curve, size_t i, size_t k)
{
    size_t from = i, last = k;

    while ((k = beyond(curve, from + 1)) < curve->n && is_flat(curve, from + 1, k)) {
        from++;
        last = k;
    }
    while (last + 1 < curve->n && is_flat(curve, from + 1, last + 1))
        last++;
    return last;
}

struct am_plateaus am_curve_plateaus(const struct am_curve *curve, double ratio)
{
    struct am_plateaus all = {.n = 0};
    size_t i = 0, k;

    while ((k = beyond(curve, i)) < curve->n) {
        if (is_flat(curve, i, k)) {
            const size_t last = end_of(curve, i, k);

            add_plateau(curve, &all, ratio, (struct am_plateau){.first = i, .last = last});
            i = last;
        } else {
            i++;
        }
    }
    drop_pauses(curve, &all);
    return all;
}

static double interpolate(double x0, double y0, double x1, double y1, double y)
{
    return y1 > y0 ? x0 * pow(x1 / x0, (y - y0) / (y1 - y0)) : x1;
}

/* Where one of the three values passes the level; NAN when it does not. */
static double passes(const struct am_curve *curve, size_t offset, double level, size_t *after)
{
    const char *const base = (const char *)curve->points + offset;
    double before = 0;

    for (size_t i = 0; i < curve->n; i++) {
        const double here =
            *(const double *)(const void *)(base + i * sizeof(struct am_curve_point));

        *after = i;
        if (here >= level)
            return i == 0 ? NAN
                          : interpolate(curve->points[i - 1].x, before, curve->points[i].x, here,
                                        level);
        before = here;
    }
    return NAN;
}

bool am_curve_crossing(const struct am_curve *curve, double level, enum am_curve_side side,
                       double *x, struct am_interval *bounds)
{
    static const size_t offsets[] = {
        [AM_CURVE_BEST] = offsetof(struct am_curve_point, best),
        [AM_CURVE_TYPICAL] = offsetof(struct am_curve_point, typical),
    };
    size_t after = 0, unused;

    *x = passes(curve, offsets[side], level, &after);
    if (!isfinite(*x))
        return false;
    *bounds = (struct am_interval){curve->points[after - 1].x, curve->points[after].x, NAN};
    if (side == AM_CURVE_TYPICAL) {
        const size_t worst = offsetof(struct am_curve_point, worst);

        bounds->lo = fmin(bounds->lo, passes(curve, worst, level, &unused));
        bounds->hi = fmax(bounds->hi, passes(curve, offsets[AM_CURVE_BEST], level, &unused));
    }
    return true;
}

double am_curve_at(const struct am_curve *curve, double x)
{
    const struct am_curve_point *const p = curve->points;
    size_t i = 0;

    if (curve->n == 0)
        return NAN;
    while (i < curve->n && p[i].x < x)
        i++;
    if (i == 0)
        return p[0].typical;
    if (i == curve->n)
        return p[curve->n - 1].typical;
    return p[i - 1].typical +
           (p[i].typical - p[i - 1].typical) * log(x / p[i - 1].x) / log(p[i].x / p[i - 1].x);
}
