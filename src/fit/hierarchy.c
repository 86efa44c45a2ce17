/* SPDX-License-Identifier: MIT */
/* From fitted steps to levels: merging, naming, weighing, capacities and memory. */
#include "fit/hierarchy.h"

#include "fit/rises.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The share of weight that a number of levels needs to be decided. */
static const double decided_weight = 0.9;
/* Fits that make two levels of one rise may weigh so much: no cache is exactly of our shape. */
static const double odd_weight = 0.25;
/* Smallest L1 in use: where the smallest set is larger an inner cache may be missing. */
static const double first_max = 16 * 1024;
/* No cache that one core sees is as slow, or (one core's part of it) as large. */
static const double memory_ns = 90, memory_bytes = 768.0 * 1048576, memory_span = 2;
/* Real caches are no exact policy: a statement this far from the interval still agrees. */
static const double policy = 1.4;
/* Sizes further apart than this, with latency rising that much between them, may hide a level. */
static const double gap_sizes = 4, gap_rise = 2.25;
/* Between two sizes the curve is the model's guess: this part of their distance stays unknown. */
static const double between_sizes = 0.5;
/* hi / lo of a capacity that can still agree with something. */
static const double wide = 2;

enum { LOCAL_MIN = 20 }; /* sizes of a curve in page-local order */

/* ---- the data ---- */

struct study {
    struct am_hierarchy *out;
    struct am_arena *arena;
    struct am_rises_input in; /* x, y, sigma and launches of every size */
    double *sigma;            /* those of `in`, widened by the misfit */
    struct am_steps fits[AM_STEPS_MAX];
    struct am_steps local; /* the best fit of page-local order, if it has sizes enough */
    double weight[AM_STEPS_MAX];
    size_t n_fits, best;
    struct am_rises rises; /* of the best fit */
};

static void because(struct study *st, const char *text)
{
    if (text && st->out->n_why < AM_HIERARCHY_WHY_MAX)
        st->out->why[st->out->n_why++] = text;
}

static const char *bytes_text(struct study *st, double log_size)
{
    const double bytes = exp(log_size);
    const bool small = bytes < 1048576;
    const char *const text = am_arena_printf(st->arena, "%.3g %s", bytes / (small ? 1024 : 1048576),
                                             small ? "KiB" : "MiB");

    return text ? text : "?";
}

/* ---- fits and their weights ---- */

/* What the richest fit leaves unexplained widens all errors. */
static double misfit(const struct study *st, double *scratch)
{
    const struct am_rises_input *const in = &st->in;
    const double n = (double)in->n, params = 1 + 4 * (double)st->n_fits;

    if (in->n <= 8)
        return 1;
    for (size_t i = 0; i < in->n; i++)
        scratch[i] =
            fabs(in->y[i] - am_steps_at(&st->fits[st->n_fits - 1], in->x[i])) / st->sigma[i];
    am_stats_sort(scratch, in->n);
    return fmin(
        fmax(1.4826 * am_stats_median(scratch, in->n) * sqrt(n / fmax(n - params, n / 4)), 1), 3);
}

static bool fit_all(struct study *st)
{
    struct am_rises_input *const in = &st->in;
    struct am_steps_data data = {in->x, in->y, st->sigma, in->n};
    double *const scratch = am_arena_array(st->arena, in->n, sizeof(*scratch));
    double kappa, least = INFINITY, sum = 0;

    st->n_fits = scratch ? am_steps_fit(&data, st->fits) : 0;
    if (st->n_fits == 0)
        return false;
    kappa = misfit(st, scratch);
    for (size_t i = 0; i < in->n; i++)
        st->sigma[i] *= kappa;
    for (size_t k = 0; k < st->n_fits; k++) {
        const double params = fmin(1 + 4 * ((double)k + 1), (double)in->n + 2);

        if (kappa > 1)
            am_steps_improve(&st->fits[k], &data, 15, SIZE_MAX);
        st->weight[k] = st->fits[k].loss + params * log((double)in->n);
        if (st->weight[k] < least) {
            least = st->weight[k];
            st->best = k;
        }
    }
    for (size_t k = 0; k < st->n_fits; k++)
        sum += st->weight[k] = exp(-0.5 * (st->weight[k] - least));
    for (size_t k = 0; k < st->n_fits; k++)
        st->weight[k] /= sum;
    return true;
}

/* Page-local order by itself: its rises are caches, for it hardly needs translation. Sizes that
 * were only looked at again, around a rise, make no curve. */
static void fit_local(struct study *st, const struct am_hierarchy_input *input)
{
    const struct am_hierarchy_input own = {
        .points = input->local, .n = input->n_local, .ns_per_unit = input->ns_per_unit};
    struct am_steps fits[AM_STEPS_MAX];
    struct am_rises_input in;
    struct am_steps_data data;
    double least = INFINITY;
    size_t n;

    if (input->n_local < LOCAL_MIN || !am_rises_centre(&own, st->arena, &in) || in.n < LOCAL_MIN)
        return;
    data = (struct am_steps_data){in.x, in.y, in.sigma, in.n};
    n = am_steps_fit(&data, fits);
    for (size_t k = 0; k < n; k++) {
        const double bic = fits[k].loss + (5 + 4 * (double)k) * log((double)in.n);

        if (bic < least) {
            least = bic;
            st->local = fits[k];
            st->in.local_fit = &st->local;
        }
    }
}

/* ---- the number of levels ---- */

static void tell_rises(struct study *st)
{
    for (size_t i = 0; i < st->rises.n; i++) {
        const struct am_rise *const r = &st->rises.items[i];
        const char *const at = bytes_text(st, r->quarter);

        if (r->kind == AM_RISE_DOUBTFUL)
            because(st,
                    am_arena_printf(st->arena,
                                    "a rise of %.2f x at %s is neither creep nor clearly a level",
                                    r->after / r->before, at));
        if (r->may_hide || r->two_levels)
            because(st, am_arena_printf(st->arena,
                                        r->two_levels
                                            ? "the rise at %s has the shape of two levels"
                                            : "the rise at %s is so wide that it may hide a level",
                                        at));
        if (r->hardly_parts)
            because(st, am_arena_printf(st->arena, "two rises near %s hardly part", at));
    }
}

/* Innermost levels before the first rise that is in doubt. */
static size_t levels_before_doubt(const struct am_rises *rises)
{
    size_t n = 0;

    for (size_t i = 0; i < rises->n; i++) {
        const struct am_rise *const r = &rises->items[i];

        if (r->kind == AM_RISE_DOUBTFUL || r->may_hide || r->two_levels || r->hardly_parts)
            return n;
        n += r->kind == AM_RISE_LEVEL;
    }
    return n;
}

/* Weighs what every fit says of the number of levels. */
static void count_levels(struct study *st)
{
    double by_count[AM_STEPS_MAX + 1] = {0}, doubtful = 0, odd = 0, below = 0;
    size_t k = 0;

    for (size_t i = 0; i < st->n_fits; i++) {
        struct am_rises rises;

        if (st->weight[i] < 1e-4)
            continue;
        am_rises_of(&st->fits[i], &st->in, &rises);
        by_count[am_rises_levels(&rises)] += st->weight[i];
        doubtful += am_rises_doubtful(&rises) ? st->weight[i] : 0;
        odd += am_rises_odd(&rises) ? st->weight[i] : 0;
    }
    am_rises_of(&st->fits[st->best], &st->in, &st->rises);
    st->out->n = am_rises_levels(&st->rises);
    st->out->sure = levels_before_doubt(&st->rises);
    if (by_count[st->out->n] < decided_weight) {
        because(st, "other numbers of levels fit nearly as well");
        st->out->sure = 0;
    }
    if (doubtful > 1 - decided_weight || odd > odd_weight) {
        tell_rises(st);
        if (st->out->n_why == 0) {
            because(st, "a fit nearly as good has a doubtful rise");
            st->out->sure = 0;
        }
    }
    while (k < AM_STEPS_MAX && (below += by_count[k]) <= 0.05)
        k++;
    st->out->at_least = k;
}

static void look_for_gaps(struct study *st)
{
    const struct am_rises_input *const in = &st->in;

    if (in->x[0] > log(first_max) + 1e-9)
        because(st, "the smallest set is above 16 KiB: an inner cache may be missing");
    for (size_t i = 0; i + 1 < in->n; i++) {
        if (in->x[i + 1] - in->x[i] <= log(gap_sizes) * 1.001 ||
            in->y[i + 1] - in->y[i] <= log(gap_rise))
            continue;
        st->out->gaps = true;
        because(st, am_arena_printf(st->arena, "nothing was measured between %s and %s",
                                    bytes_text(st, in->x[i]), bytes_text(st, in->x[i + 1])));
    }
}

/* How many earlier sizes are slower than size j by 15 % beyond both errors. */
static size_t slower_before(const struct study *st, size_t j)
{
    size_t n = 0;

    for (size_t i = 0; i < j; i++)
        n += st->in.y[i] - 2 * st->sigma[i] > st->in.y[j] + 2 * st->sigma[j] + 0.15;
    return n;
}

/* A larger set that is faster, or many sizes off the curve: the machine changed meanwhile. */
static void look_for_change(struct study *st)
{
    const size_t n = st->in.n;
    size_t falls = 0, wild = 0;

    for (size_t j = 0; j < n; j++) {
        falls += slower_before(st, j) >= (n <= 12 ? 1 : 2);
        wild +=
            fabs(st->in.y[j] - am_steps_at(&st->fits[st->best], st->in.x[j])) > 5 * st->sigma[j];
    }
    if (n <= 12 ? falls > 0 : (double)falls > 0.2 * (double)n)
        because(st, "larger sets were faster: the machine changed meanwhile");
    if ((double)wild > 0.1 * (double)n)
        because(st, am_arena_printf(st->arena, "%zu of %zu sizes fit no hierarchy", wild, n));
}

/* ---- memory ---- */

static const struct am_rise *last_level(const struct study *st)
{
    const struct am_rise *last = NULL;

    for (size_t i = 0; i < st->rises.n; i++)
        last = st->rises.items[i].kind == AM_RISE_LEVEL ? &st->rises.items[i] : last;
    return last;
}

/* First size behind the rise; with `done` the first at which 85 % of it is over. n: none. */
static size_t behind(const struct study *st, const struct am_rise *r, bool done)
{
    const double level = log(r->before + 0.85 * (r->after - r->before));
    size_t i = 0;

    while (i < st->in.n && (st->in.x[i] <= r->quarter ||
                            (done && am_steps_at(&st->fits[st->best], st->in.x[i]) <= level)))
        i++;
    return i;
}

static void find_memory(struct study *st)
{
    struct am_hierarchy *const out = st->out;
    const struct am_rises_input *const in = &st->in;
    const struct am_rise *const r = last_level(st);
    double *const tail = am_arena_array(st->arena, in->n, sizeof(*tail));
    size_t first, n;
    double span, ns;
    bool falls;

    if (!r || !tail)
        return;
    first = behind(st, r, true);
    out->memory_at_least = first == in->n;
    first = out->memory_at_least ? behind(st, r, false) : first;
    n = in->n - first;
    if (n == 0) {
        because(st, "the curve still climbs at the largest set");
        return;
    }
    memcpy(tail, in->y + first, n * sizeof(*tail));
    am_stats_sort(tail, n);
    out->memory = exp(am_stats_median(tail, n));
    out->memory_lo = INFINITY;
    for (size_t i = first; i < in->n; i++) {
        out->memory_lo = fmin(out->memory_lo, exp(in->y[i] - st->sigma[i]));
        out->memory_hi = fmax(out->memory_hi, exp(in->y[i] + st->sigma[i]));
    }
    span = exp(in->x[in->n - 1] - in->x[first]);
    ns = out->memory * in->ns_per_unit;
    out->memory_at_least |= span < 2;
    falls = in->y[in->n - 1] < in->y[first] - 0.2;
    out->has_memory = !falls && (ns >= memory_ns ||
                                 (span >= memory_span && exp(in->x[in->n - 1]) >= memory_bytes));
    out->memory_doubted = !falls && !out->has_memory && span >= 2;
    if (falls)
        because(st, "the largest sets were faster than smaller ones");
    else if (!out->has_memory)
        because(st, am_arena_printf(st->arena, "the last plateau may be a cache: %.3g ns up to %s",
                                    ns, bytes_text(st, in->x[in->n - 1])));
}

/* ---- capacities and latencies ---- */

/* The fitted curve at its flattest place between two sizes. */
static void find_latency(const struct study *st, double from, const struct am_rise *r,
                         struct am_hierarchy_cache *c)
{
    enum { PLACES = 200 };
    const struct am_steps *const fit = &st->fits[st->best];
    double at = from, least = INFINITY, weight = 0, value;

    for (int i = 0; i <= PLACES; i++) {
        const double x = from + (r->quarter - from) * i / PLACES;
        const double slope = am_steps_slope(fit, x);

        if (slope < least) {
            least = slope;
            at = x;
        }
    }
    value = am_steps_at(fit, at);
    for (size_t i = 0; i < st->in.n; i++) {
        if (st->in.x[i] >= from && st->in.x[i] < r->quarter &&
            fabs(am_steps_at(fit, st->in.x[i]) - value) < 0.12)
            weight += 1 / (st->sigma[i] * st->sigma[i]);
    }
    c->latency = exp(value);
    c->no_plateau = !(weight > 0) || least >= 0.35;
    c->latency_lo = c->latency * exp(-2 * (weight > 0 ? 1 / sqrt(weight) : 0.3));
    c->latency_hi = c->latency * exp(2 * (weight > 0 ? 1 / sqrt(weight) : 0.3));
}

/* The step of the fit that makes most of a rise. */
static size_t highest_step(const struct am_steps *fit, const struct am_rise *r)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < fit->n; i++) {
        const double place = fit->items[i].place;

        if (place >= r->first - 1e-9 && place <= r->last + 1e-9 &&
            (best == SIZE_MAX || fit->items[i].height > fit->items[best].height))
            best = i;
    }
    return best;
}

/* How far the step's place can move to one side before the loss tells; a profile of it. */
static double reach(const struct study *st, size_t step, double side)
{
    const struct am_steps_data data = {st->in.x, st->in.y, st->sigma, st->in.n};
    const double limit = 3.84 * (1 + 6.0 / (double)st->in.n);
    struct am_steps base = st->fits[st->best];
    const double place = base.items[step].place, loss = base.loss;
    double edge = 0, by = 0.03;

    for (;;) {
        struct am_steps moved = base;

        moved.items[step].place = place + side * (edge + by);
        if (moved.items[step].place < data.x[0] || moved.items[step].place > data.x[data.n - 1])
            return edge + by;
        am_steps_improve(&moved, &data, 8, step);
        if (moved.loss - loss > limit)
            return edge + 0.5 * by;
        base = moved;
        edge += by;
        by = fmin(by * 1.5, 0.25);
    }
}

/* The part of a rise that is done at size i, by what was measured there. */
static double done_at(const struct study *st, const struct am_rise *r, size_t i)
{
    return (exp(st->in.y[i]) - r->before) / (r->after - r->before);
}

/* Sizes that clearly held and clearly missed bound the capacity from both sides; where nothing was
 * measured between them it is nowhere known better. The best policy loses a tenth at 1.11 of the
 * capacity, colours lose half of the loads at 0.96. */
static void bound_capacity(const struct study *st, const struct am_rise *r, double *lo, double *hi)
{
    static const double held_early = 0.105, lost_late = 0.04; /* logarithms */
    const struct am_rises_input *const in = &st->in;
    double held = in->x[0] - 0.7, lost = in->x[in->n - 1] + 0.7;
    bool within = false;

    for (size_t i = 0; i < in->n; i++) {
        if (done_at(st, r, i) < 0.1 && in->x[i] < r->quarter)
            held = fmax(held, in->x[i]);
        if (done_at(st, r, i) > 0.5 && in->x[i] > r->quarter)
            lost = fmin(lost, in->x[i]);
    }
    for (size_t i = 0; i < in->n; i++)
        within |= in->x[i] > held && in->x[i] < lost && done_at(st, r, i) >= 0.1 &&
                  done_at(st, r, i) <= 0.5;
    if (!within) {
        *lo = fmin(*lo, held);
        *hi = fmax(*hi, lost);
    }
    for (size_t i = 0; i + 1 < in->n; i++) {
        const double guess = between_sizes * (in->x[i + 1] - in->x[i]);

        if (in->x[i] > r->capacity || in->x[i + 1] < r->capacity)
            continue;
        *lo = fmin(*lo, r->capacity - guess);
        *hi = fmax(*hi, r->capacity + guess);
    }
    *lo = fmin(fmax(*lo, held - (within ? held_early : 0)), r->capacity);
    *hi = fmax(fmin(*hi, lost + (within ? lost_late : 0)), r->capacity);
}

static void find_capacity(const struct study *st, double from, const struct am_rise *r,
                          struct am_hierarchy_cache *c)
{
    const size_t step = highest_step(&st->fits[st->best], r);
    double lo = r->capacity, hi = r->capacity;

    if (step != SIZE_MAX) {
        lo -= reach(st, step, -1);
        hi += reach(st, step, 1);
    }
    bound_capacity(st, r, &lo, &hi);
    if (r->steps > 1 && !am_rises_is_translation(&st->in, r->clear))
        lo = fmin(lo, r->clear);
    c->varies = am_rises_varies(&st->in, r->quarter) && am_rises_share(&st->in, r, from, &lo, &hi);
    c->size = exp(r->capacity);
    c->lo = exp(lo);
    c->hi = exp(hi);
    c->resolved = c->hi <= 1.01 * wide * c->lo; /* one octave of a ladder, rounding allowed */
}

static void measure_levels(struct study *st)
{
    double from = st->in.x[0];
    size_t n = 0;

    for (size_t i = 0; i < st->rises.n; i++) {
        const struct am_rise *const r = &st->rises.items[i];

        if (r->kind != AM_RISE_LEVEL)
            continue;
        find_latency(st, from, r, &st->out->caches[n]);
        find_capacity(st, from, r, &st->out->caches[n++]);
        from = r->quarter;
    }
}

bool am_hierarchy_find(const struct am_hierarchy_input *input, struct am_arena *arena,
                       struct am_hierarchy *out)
{
    struct study st = {.out = out, .arena = arena};
    size_t doubts;

    *out = (struct am_hierarchy){0};
    if (!am_rises_centre(input, arena, &st.in)) {
        because(&st, "fewer than three sizes were measured");
        return false;
    }
    st.sigma = st.in.sigma;
    if (!fit_all(&st))
        return false;
    fit_local(&st, input);
    count_levels(&st);
    doubts = out->n_why;
    look_for_gaps(&st);
    look_for_change(&st);
    if (out->n_why > doubts) /* these concern every level */
        out->sure = 0;
    find_memory(&st);
    measure_levels(&st);
    out->decided = out->n_why == 0 && out->has_memory;
    return true;
}

/* ---- against what is stated ---- */

/* Pairs stated and seen sizes in their order: the least sum of log ratios, where leaving one out
 * costs log 4. */
static void pair_up(const struct am_hierarchy *seen, const double *stated, size_t n,
                    struct am_claim *out)
{
    static const double skip = 1.386294361119891; /* log 4 */
    double cost[AM_STEPS_MAX + 1][AM_HIERARCHY_STATED_MAX + 1] = {{0}};
    size_t i = seen->n, j = n;

    for (size_t a = 0; a <= seen->n; a++) {
        for (size_t b = 0; b <= n; b++) {
            const double left = a ? cost[a - 1][b] + skip : INFINITY;
            const double up = b ? cost[a][b - 1] + skip : INFINITY;
            const double both =
                a && b
                    ? cost[a - 1][b - 1] +
                          fmin(fabs(log(stated[b - 1] / seen->caches[a - 1].size)), 2 * skip - 0.01)
                    : INFINITY;

            cost[a][b] = a || b ? fmin(both, fmin(left, up)) : 0;
        }
    }
    while (i && j) {
        const double pair =
            cost[i - 1][j - 1] +
            fmin(fabs(log(stated[j - 1] / seen->caches[i - 1].size)), 2 * skip - 0.01);

        if (pair <= cost[i][j] + 1e-12)
            out[--j].cache = --i;
        else if (cost[i - 1][j] + skip <= cost[i][j] + 1e-12)
            i--;
        else
            j--;
    }
}

/* Whether every stated cache agrees with one that was seen, and no other was. */
static bool all_agree(const struct am_hierarchy *seen, const struct am_claim *claims, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (claims[i].verdict != AM_CLAIM_AGREES)
            return false;
    }
    return n > 0 && n == seen->n;
}

void am_hierarchy_judge(struct am_hierarchy *seen, const double *stated, size_t n,
                        struct am_claim *out)
{
    n = n < AM_HIERARCHY_STATED_MAX ? n : AM_HIERARCHY_STATED_MAX;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct am_claim){AM_CLAIM_NOT_SEEN, SIZE_MAX};
    if (seen->decided && n == seen->n) {
        for (size_t i = 0; i < n; i++) /* as many as there are: each is of its own level */
            out[i].cache = i;
    } else {
        pair_up(seen, stated, n, out);
    }
    for (size_t i = 0; i < n; i++) {
        const struct am_hierarchy_cache *const c =
            out[i].cache == SIZE_MAX ? NULL : &seen->caches[out[i].cache];
        const bool inside = c && stated[i] >= c->lo / policy && stated[i] <= c->hi * policy;

        if (!c)
            continue;
        out[i].verdict = AM_CLAIM_UNDECIDED;
        if (!inside && (seen->decided || (c->resolved && !seen->gaps)))
            out[i].verdict = AM_CLAIM_DENIED;
        else if (inside && (c->resolved || (c->varies && c->hi <= 2 * wide * c->lo)))
            out[i].verdict = AM_CLAIM_AGREES;
    }
    if (seen->memory_doubted && all_agree(seen, out, n)) {
        seen->n_why--;
        seen->has_memory = true;
        seen->decided = seen->n_why == 0;
    }
}
