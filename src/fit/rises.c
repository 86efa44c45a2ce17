/* SPDX-License-Identifier: MIT */
/* Rises: what the launches of each size say, and how fitted steps are grouped and named. */
#include "fit/rises.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 601 };

/* How far the shape itself may be off, relative; noise where a size says nothing of its own. */
static const double shape_error = 0.02, noise_unknown = 0.05;
/* Launches that the pooled noise counts as. */
static const double pool_launches = 3;

/* Rises of this factor are levels, below that one creep; between, doubtful. */
static const double level_ratio = 1.5, creep_ratio = 1.33;
/* A page walk costs about one more access of the same level, two at most: a greater rise is no
 * creep. */
static const double local_ratio = 2.5, local_ratio_fitted = 3;
/* Steps nearer than `apart` are one rise; nearer than `same` also one cache: sweeps do not part
 * such sizes, and nobody builds two caches of them. */
static const double apart = 2, same = 1.3;
/* Least slope between two steps over the lesser peak: above, one rise; above the other, hardly two.
 */
static const double dip_merges = 0.6, dip_splits = 0.4;
/* A rise that takes more than this factor of sizes from 10 % to 80 % may hide a level. */
static const double width_max = 8;
/* Sizes further apart than `sparse` leave a rise's shape to the model: it fits one cache with a
 * long tail to two that are near each other. Random replacement and page colours take 2.2 there. */
static const double sparse = 1.5, width_max_sparse = 3;
/* Page colours alone make no slower onset: a cache has this many ways at least. Asked of rises with
 * room for two levels. */
static const double ways_least = 2, onset_ratio = 6;
static const double memory_ns = 90;
/* Launches vary where their spread is that many times the usual one, and at least this. */
static const double vary_times = 3, vary_least = 0.15;

/* ---- launches ---- */

static int by_size(const void *a, const void *b)
{
    const struct am_hierarchy_point *const x = *(const struct am_hierarchy_point *const *)a;
    const struct am_hierarchy_point *const y = *(const struct am_hierarchy_point *const *)b;

    return (x->size > y->size) - (x->size < y->size);
}

/* Logs of the positive launches of a size, sorted; how many. */
static size_t take_launches(const struct am_hierarchy_point *p, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (p->values[i] > 0 && isfinite(p->values[i]))
            out[n++] = log(p->values[i]);
    }
    am_stats_sort(out, n);
    return n;
}

static double deviation(const double *v, size_t n)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        mean += v[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

/* Median of those that are numbers; `none` when there are none. */
static double median_known(const double *v, size_t n, double *scratch, double none)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (isfinite(v[i]))
            scratch[k++] = v[i];
    }
    am_stats_sort(scratch, k);
    return k ? am_stats_median(scratch, k) : none;
}

static bool allocate(struct am_rises_input *in, struct am_arena *arena, size_t n)
{
    in->x = am_arena_array(arena, n, sizeof(double));
    in->y = am_arena_array(arena, n, sizeof(double));
    in->sigma = am_arena_array(arena, n, sizeof(double));
    in->spread = am_arena_array(arena, n, sizeof(double));
    in->values = am_arena_array(arena, n, sizeof(double *));
    in->launches = am_arena_array(arena, n, sizeof(size_t));
    return in->x && in->y && in->sigma && in->spread && in->values && in->launches;
}

/* Errors of the medians: the size's own noise, drawn to the noise of all where launches are few. */
static void set_errors(struct am_rises_input *in, const double *own, double *scratch)
{
    in->pool = fmax(median_known(own, in->n, scratch, noise_unknown), 1e-3);
    in->quiet = median_known(in->spread, in->n, scratch, 0);
    for (size_t i = 0; i < in->n; i++) {
        const double n = (double)in->launches[i], s = isfinite(own[i]) ? own[i] : in->pool;
        const double variance =
            (pool_launches * in->pool * in->pool + (n - 1) * s * s) / (pool_launches + n - 1);

        in->sigma[i] = sqrt(1.57 * variance / n + shape_error * shape_error);
    }
}

bool am_rises_centre(const struct am_hierarchy_input *input, struct am_arena *arena,
                     struct am_rises_input *in)
{
    const struct am_hierarchy_point **const order =
        am_arena_array(arena, input->n + 1, sizeof(*order));
    double *const own = am_arena_array(arena, input->n + 1, sizeof(*own));
    double *scratch;
    size_t most = 0;

    *in = (struct am_rises_input){
        .ns_per_unit = input->ns_per_unit, .local = input->local, .n_local = input->n_local};
    if (!order || !own || !allocate(in, arena, input->n + 1))
        return false;
    for (size_t i = 0; i < input->n; i++) {
        order[i] = &input->points[i];
        most = input->points[i].n > most ? input->points[i].n : most;
    }
    qsort(order, input->n, sizeof(*order), by_size);
    scratch = am_arena_array(arena, most + input->n + 1, sizeof(*scratch));
    for (size_t i = 0; scratch && i < input->n; i++) {
        double *const v = am_arena_array(arena, order[i]->n + 1, sizeof(*v));
        const size_t n = v && order[i]->size > 0 ? take_launches(order[i], v) : 0;

        if (n == 0)
            continue;
        in->x[in->n] = log(order[i]->size);
        in->y[in->n] = am_stats_median(v, n);
        in->values[in->n] = v;
        in->launches[in->n] = n;
        own[in->n] = deviation(v, n);
        in->spread[in->n] =
            n > 1 ? 1.4826 * am_stats_mad(v, n, scratch) * sqrt((double)n / (double)(n - 1)) : NAN;
        in->n++;
    }
    if (!scratch || in->n < 3 || in->n > AM_STEPS_POINTS_MAX)
        return false;
    set_errors(in, own, scratch);
    return true;
}

bool am_rises_varies(const struct am_rises_input *in, double at)
{
    double first = -1, second = -1;

    for (size_t i = 0; i < in->n; i++) {
        const double s = in->spread[i];

        if (fabs(in->x[i] - at) >= log(3) || in->launches[i] < 3 || !(s > second))
            continue;
        second = s > first ? first : s;
        first = fmax(first, s);
    }
    return second > fmax(vary_times * in->quiet, vary_least);
}

/* Share of the launches of two sizes that lie on one side of a value. */
static double share_beyond(const struct am_rises_input *in, size_t a, double value, bool above)
{
    size_t n = 0, all = 0;

    for (size_t i = a; i < a + 2; i++) {
        for (size_t k = 0; k < in->launches[i]; k++)
            n += above ? in->values[i][k] > value : in->values[i][k] < value;
        all += in->launches[i];
    }
    return (double)n / (double)all;
}

bool am_rises_share(const struct am_rises_input *in, const struct am_rise *r, double from,
                    double *lo, double *hi)
{
    static const double part = 0.3;
    const double quarter = log(0.75 * r->before + 0.25 * r->after);
    const double noise = fmax(2 * in->pool, 0.05), reach = log(8);
    const double least = fmax(from + 0.2, r->quarter - reach);
    double a = *lo, b = *hi;

    for (size_t i = 0; i + 1 < in->n; i++) {
        if (in->x[i] <= least || in->x[i + 1] >= r->quarter + reach)
            continue;
        if (in->x[i] < r->quarter && share_beyond(in, i, quarter + noise, true) >= part)
            a = fmin(a, in->x[i]);
        if (in->x[i + 1] > r->quarter && share_beyond(in, i, quarter - noise, false) >= part)
            b = fmax(b, in->x[i + 1]);
    }
    if (b - a <= log(1.3))
        return false;
    *lo = a;
    *hi = b;
    return true;
}

/* ---- the fitted curve, tabulated ---- */

struct table {
    double x[GRID], y[GRID], slope[GRID];
};

static void tabulate(const struct am_steps *fit, const struct am_rises_input *in, struct table *t)
{
    const double lo = in->x[0] - 0.7, hi = in->x[in->n - 1] + 0.7;

    for (int i = 0; i < GRID; i++) {
        t->x[i] = lo + (hi - lo) * i / (GRID - 1);
        t->y[i] = am_steps_at(fit, t->x[i]);
        t->slope[i] = am_steps_slope(fit, t->x[i]);
    }
}

/* Extremes of the slope between two places; 0 when the table has none there. */
static double slope_between(const struct table *t, double a, double b, bool least)
{
    double best = least ? INFINITY : 0;

    for (int i = 0; i < GRID; i++) {
        if (t->x[i] >= a && t->x[i] <= b)
            best = least ? fmin(best, t->slope[i]) : fmax(best, t->slope[i]);
    }
    return isfinite(best) ? best : 0;
}

/* Where the rising curve first reaches a value. */
static double place_of(const struct table *t, double value)
{
    int i = 0;

    while (i < GRID - 1 && t->y[i] < log(value))
        i++;
    return t->x[i];
}

/* ---- grouping ---- */

/* How deep the curve flattens between a rise and the next step: 0 fully, 1 not at all. */
static double dip_between(const struct table *t, const struct am_rise *a, const struct am_rise *b)
{
    const double peak = fmin(slope_between(t, a->first - 0.25, a->last + 0.25, false),
                             slope_between(t, b->first - 0.25, b->last + 0.25, false));

    return peak > 0 ? slope_between(t, a->last, b->first, true) / peak : 1;
}

static bool is_level(const struct am_rise *r)
{
    return r->after / r->before >= level_ratio;
}

/* One cache has one shape, which a single step describes. Two steps that are levels each are two
 * caches of nearly the same size, or one that behaves as none we know: the rise may hide a level.
 */
static void merge_into(struct am_rise *a, const struct am_rise *b)
{
    a->two_levels |= is_level(a) && is_level(b) && b->first - a->last > log(same);
    if (b->height > a->height) {
        a->height = b->height;
        a->ways = b->ways;
        a->capacity = b->capacity;
    }
    a->clear = isnan(a->clear) ? b->clear : a->clear;
    a->after = b->after;
    a->last = b->last;
    a->steps++;
}

static struct am_rise rise_of(const struct am_step *step, double base, double before)
{
    const double height = exp(base + step->height);

    return (struct am_rise){.before = before,
                            .after = before + height,
                            .first = step->place,
                            .last = step->place,
                            .steps = 1,
                            .capacity = step->place,
                            .ways = exp(step->ways),
                            .clear = height > (creep_ratio - 1) * before ? step->place : NAN,
                            .height = height};
}

/* Whether the step is part of the rise before it. What begins as slow as memory is a rise of its
 * own, unless it is so near that both are one. */
static bool belongs(const struct am_rises_input *in, const struct am_rise *before,
                    const struct am_rise *r, double dip)
{
    if (r->first - before->last < log(apart))
        return true;
    return dip > dip_merges && r->before * in->ns_per_unit < memory_ns;
}

static void group(const struct am_steps *fit, const struct am_rises_input *in,
                  const struct table *t, struct am_rises *out)
{
    double level = exp(fit->base);

    *out = (struct am_rises){0};
    for (size_t i = 0; i < fit->n; i++) {
        const struct am_rise r = rise_of(&fit->items[i], fit->base, level);
        struct am_rise *const before = out->n ? &out->items[out->n - 1] : NULL;
        double dip;

        level = r.after;
        if (r.after / r.before <= 1.02)
            continue;
        dip = before ? dip_between(t, before, &r) : 0;
        if (before && belongs(in, before, &r, dip)) {
            merge_into(before, &r);
            continue;
        }
        if (before)
            before->hardly_parts = dip > dip_splits;
        out->items[out->n++] = r;
    }
}

/* ---- naming ---- */

/* The latency of page-local order nearest to a size; NAN without any within a factor of two. */
static double local_at(const struct am_rises_input *in, double x)
{
    double best = log(2), value = NAN;

    for (size_t i = 0; i < in->n_local; i++) {
        double launches[64];
        const struct am_hierarchy_point p = {in->local[i].size, in->local[i].values,
                                             in->local[i].n < 64 ? in->local[i].n : 64};
        const double away = p.size > 0 ? fabs(log(p.size) - x) : INFINITY;
        const size_t n = away < best ? take_launches(&p, launches) : 0;

        if (n) {
            best = away;
            value = exp(am_stats_median(launches, n));
        }
    }
    return value;
}

/* Rise of page-local order between two sizes; NAN when it cannot be used: local order is never
 * slower than random, unless it was disturbed. */
static double local_rise(const struct am_steps *fit, const struct am_rises_input *in, double a,
                         double b)
{
    const double x = local_at(in, a), y = local_at(in, b);

    if (!isfinite(x) || !isfinite(y) || x > 1.15 * exp(am_steps_at(fit, a)))
        return NAN;
    return y / x;
}

/* How much the fitted page-local order grows near a place: 1 where it has no step there. */
static double local_growth(const struct am_steps *fit, double at)
{
    double level = exp(fit->base), growth = 1;

    for (size_t i = 0; i < fit->n; i++) {
        const double height = exp(fit->base + fit->items[i].height);

        if (fabs(fit->items[i].place - at) < log(apart))
            growth *= (level + height) / level;
        level += height;
    }
    return growth;
}

bool am_rises_is_translation(const struct am_rises_input *in, double at)
{
    return in->local_fit && local_growth(in->local_fit, at) <= creep_ratio;
}

/* The flattest places before and after a rise, within the sizes measured. */
static void flats_around(const struct table *t, const struct am_rises_input *in,
                         const struct am_rises *all, size_t k, double *before, double *after)
{
    const struct am_rise *const r = &all->items[k];
    const double lo = k ? all->items[k - 1].quarter : t->x[0];
    const double hi = k + 1 < all->n ? all->items[k + 1].quarter : t->x[GRID - 1];
    const double done = log(r->before + 0.85 * (r->after - r->before));
    double least1 = INFINITY, least2 = INFINITY;

    *before = r->quarter - 0.7;
    *after = hi;
    for (int i = 0; i < GRID; i++) {
        if (t->x[i] >= lo && t->x[i] <= r->quarter && t->slope[i] < least1) {
            least1 = t->slope[i];
            *before = t->x[i];
        }
        if (t->x[i] >= r->quarter && t->x[i] <= hi && t->y[i] >= done && t->slope[i] < least2) {
            least2 = t->slope[i];
            *after = t->x[i];
        }
    }
    *after = fmin(*after, in->x[in->n - 1]);
    *before = fmin(fmax(*before, in->x[0]), *after - 0.1);
}

/* What page-local order says of a rise that translation might explain. */
static void look_again(const struct am_steps *fit, const struct am_rises_input *in,
                       const struct table *t, struct am_rises *all, size_t k)
{
    struct am_rise *const r = &all->items[k];
    const double ratio = r->after / r->before;
    double before, after, rise;

    if (r->kind == AM_RISE_CREEP || ratio >= (in->local_fit ? local_ratio_fitted : local_ratio))
        return;
    flats_around(t, in, all, k, &before, &after);
    rise = in->local_fit ? local_growth(in->local_fit, r->capacity)
                         : local_rise(fit, in, before, after);
    if (isnan(rise))
        return;
    if (rise <= creep_ratio && log(fmax(rise, 1)) < 0.5 * log(ratio)) {
        r->kind = AM_RISE_CREEP;
        r->explained = true;
    } else if (r->kind == AM_RISE_DOUBTFUL && rise >= creep_ratio) {
        r->kind = AM_RISE_LEVEL;
    }
}

/* Whether two neighbouring sizes are far apart somewhere between two places. */
static bool is_sparse(const struct am_rises_input *in, double from, double to)
{
    for (size_t i = 0; i + 1 < in->n; i++) {
        if (in->x[i + 1] > from && in->x[i] < to && in->x[i + 1] - in->x[i] > log(sparse))
            return true;
    }
    return false;
}

/* A rise that is wider than one cache makes it. Launches that differ make one wide as well. */
static bool is_too_wide(const struct am_rises_input *in, const struct table *t,
                        const struct am_rise *r)
{
    const double height = r->after - r->before;
    const double from = place_of(t, r->before + 0.1 * height);
    const double to = place_of(t, r->before + 0.8 * height);

    if (r->after / r->before < level_ratio * level_ratio)
        return false;
    return to - from > log(width_max) ||
           (to - from > log(width_max_sparse) && is_sparse(in, from, to) &&
            !am_rises_varies(in, r->quarter));
}

static void name(const struct am_steps *fit, const struct am_rises_input *in, const struct table *t,
                 struct am_rises *all)
{
    for (size_t k = 0; k < all->n; k++) {
        struct am_rise *const r = &all->items[k];
        const double ratio = r->after / r->before, height = r->after - r->before;
        const bool slow = r->ways < ways_least;

        r->quarter = place_of(t, r->before + 0.25 * height);
        r->may_hide = is_too_wide(in, t, r) ||
                      (ratio >= onset_ratio && slow && !am_rises_varies(in, r->quarter));
        r->kind = ratio >= level_ratio   ? AM_RISE_LEVEL
                  : ratio <= creep_ratio ? AM_RISE_CREEP
                                         : AM_RISE_DOUBTFUL;
        if (r->kind != AM_RISE_CREEP && r->before * in->ns_per_unit >= memory_ns) {
            r->kind = AM_RISE_CREEP; /* what follows memory is translation */
            r->explained = true;
        }
    }
    for (size_t k = 0; k < all->n; k++)
        look_again(fit, in, t, all, k);
}

/* Two creeps in a row that together would be a level are doubtful, unless something explains them.
 */
static void doubt_pairs(const struct am_steps *fit, const struct am_rises_input *in,
                        struct am_rises *all)
{
    for (size_t k = 0; k + 1 < all->n; k++) {
        struct am_rise *const a = &all->items[k], *const b = &all->items[k + 1];
        double rise;

        a->hardly_parts &= a->kind == AM_RISE_LEVEL && b->kind == AM_RISE_LEVEL;
        if (a->kind != AM_RISE_CREEP || b->kind != AM_RISE_CREEP || a->explained || b->explained ||
            b->after / a->before < level_ratio || b->first - a->last >= log(4))
            continue;
        rise = local_rise(fit, in, a->first - 0.7, b->last + 0.7);
        if (isnan(rise) || rise > creep_ratio)
            a->kind = b->kind = AM_RISE_DOUBTFUL;
    }
}

void am_rises_of(const struct am_steps *fit, const struct am_rises_input *in, struct am_rises *out)
{
    struct table t;

    tabulate(fit, in, &t);
    group(fit, in, &t, out);
    name(fit, in, &t, out);
    doubt_pairs(fit, in, out);
}

size_t am_rises_levels(const struct am_rises *rises)
{
    size_t n = 0;

    for (size_t i = 0; i < rises->n; i++)
        n += rises->items[i].kind == AM_RISE_LEVEL;
    return n;
}

bool am_rises_doubtful(const struct am_rises *rises)
{
    for (size_t i = 0; i < rises->n; i++) {
        const struct am_rise *const r = &rises->items[i];

        if (r->kind == AM_RISE_DOUBTFUL || r->hardly_parts ||
            (r->may_hide && r->kind == AM_RISE_LEVEL))
            return true;
    }
    return false;
}

bool am_rises_odd(const struct am_rises *rises)
{
    for (size_t i = 0; i < rises->n; i++) {
        if (rises->items[i].two_levels && rises->items[i].kind == AM_RISE_LEVEL)
            return true;
    }
    return false;
}
