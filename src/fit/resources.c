/* SPDX-License-Identifier: MIT */
/* Resources of a core: starts, their comparison, intervals. The descent is in resources_descent.c.
 */
#include "fit/resources.h"

#include "fit/ports.h"
#include "fit/resources_descent.h"
#include "fit/resources_pairs.h"

#include <math.h>
#include <string.h>

/* Two columns are one resource when they differ by less than this share of their sum. */
static const double alike = 0.35;
/* Squared deviations by which a weight's interval may raise the loss: two standard deviations. */
static const double two_sigma = 4;

enum { STARTS_MAX = 16 };

struct start {
    double *w; /* kinds x resources */
    size_t resources;
    double loss;
};

static double weight_of(const struct start *s, size_t kind, size_t r)
{
    return s->w[kind * s->resources + r];
}

/* How much two resources differ: 0 the same, 1 nothing in common. */
static double distance(const struct start *a, size_t r, const struct start *b, size_t q,
                       size_t kinds)
{
    double apart = 0, all = 0;

    for (size_t c = 0; c < kinds; c++) {
        const double x = weight_of(a, c, r), y = weight_of(b, c, q);

        apart += fabs(x - y);
        all += fmax(x, y);
    }
    return all > 0 ? apart / all : 0;
}

/* The resource of `other` that is most like r of `best`; `resources` of it when none is alike. */
static size_t partner(const struct start *best, size_t r, const struct start *other, size_t kinds)
{
    size_t found = other->resources;
    double least = alike;

    for (size_t q = 0; q < other->resources; q++) {
        const double d = distance(best, r, other, q, kinds);

        if (d < least) {
            least = d;
            found = q;
        }
    }
    return found;
}

static bool keep_start(const struct am_resources_descent *d, struct am_arena *arena,
                       struct start *out)
{
    const size_t kinds = d->input->kinds;

    out->resources = d->resources;
    out->loss = am_resources_loss(d);
    out->w = am_arena_array(arena, kinds * d->resources, sizeof(*out->w));
    for (size_t c = 0; out->w && c < kinds; c++) {
        for (size_t r = 0; r < d->resources; r++)
            out->w[c * d->resources + r] = am_resources_descent_weight(d, c, r);
    }
    return out->w != NULL;
}

/* ---- intervals ---- */

static void widen(struct am_resources_weight *w, double value)
{
    w->lo = fmin(w->lo, value);
    w->hi = fmax(w->hi, value);
}

/* What equally good starts found in place of the best's resource r; false when one of them has no
 * such resource. */
static bool widen_by(const struct start *best, size_t r, const struct start *other, size_t kinds,
                     struct am_resources_weight *weights)
{
    const size_t q = partner(best, r, other, kinds);

    if (q == other->resources)
        return false;
    for (size_t c = 0; c < kinds; c++)
        widen(&weights[c * best->resources + r], weight_of(other, c, q));
    return true;
}

static void judge(const struct am_resources_descent *d, struct am_resources_model *out)
{
    const double near = fmax(0.01, 2 * d->input->noise);

    for (size_t i = 0; i < d->input->n; i++) {
        const double e = fabs(am_resources_descent_cycles(d, i) / d->input->mixes[i].cycles - 1);

        out->error += e / (double)d->input->n;
        out->within += (e <= near) / (double)d->input->n;
    }
}

static bool has_others(const struct am_resources_descent *d, size_t kind, size_t r)
{
    for (size_t c = 0; c < d->input->kinds; c++) {
        if (c != kind && am_resources_descent_weight(d, c, r) > 0)
            return true;
    }
    return false;
}

/* By the measurements, all other weights fixed; down to zero where a resource of its own would do
 * as well for the class. */
static void find_range(const struct am_resources_descent *d, size_t kind, size_t r, double more,
                       struct am_resources_weight *w)
{
    w->value = am_resources_descent_weight(d, kind, r);
    am_resources_descent_range(d, kind, r, more, &w->lo, &w->hi);
    widen(w, w->value);
    if (r > 0 && w->lo > 0 && has_others(d, kind, r) &&
        am_resources_descent_split(d, kind, r) <= more)
        w->lo = 0;
}

/* The descent holds the best start's weights again. */
static bool conclude(const struct am_resources_descent *d, const struct start *starts, size_t n,
                     size_t best, struct am_resources_model *out)
{
    const size_t kinds = d->input->kinds, resources = d->resources;
    const double variance =
        fmax(d->input->noise * d->input->noise, am_resources_loss(d) / (double)d->input->n);
    /* A sum of n squares scatters by sqrt(2 n) variances: within twice that a start is as good. */
    const double limit = starts[best].loss + 2 * sqrt(2 * (double)d->input->n) * variance;
    struct am_resources_weight *const weights =
        am_arena_array(d->arena, kinds * resources, sizeof(*weights));
    bool *const certain = am_arena_array(d->arena, resources, sizeof(*certain));

    if (!weights || !certain)
        return false;
    for (size_t r = 0; r < resources; r++) {
        certain[r] = true;
        am_resources_descent_hold(d, r);
        for (size_t c = 0; c < kinds; c++)
            find_range(d, c, r, two_sigma * variance, &weights[c * resources + r]);
    }
    for (size_t s = 0; s < n; s++) {
        bool same = starts[s].resources == resources;

        if (starts[s].loss > limit)
            continue;
        for (size_t r = 0; r < resources; r++) {
            const bool has = widen_by(&starts[best], r, &starts[s], kinds, weights);

            certain[r] = certain[r] && has;
            same = same && has;
        }
        out->equal++;
        out->as_best += same;
    }
    out->weights = weights;
    out->certain = certain;
    return true;
}

bool am_resources_fit(const struct am_resources_input *input, struct am_arena *arena,
                      struct am_resources_model *out)
{
    const unsigned wanted = input->starts < 1            ? 1
                            : input->starts > STARTS_MAX ? STARTS_MAX
                                                         : input->starts;
    struct am_resources_descent d;
    struct start starts[STARTS_MAX];
    size_t best = 0;

    *out = (struct am_resources_model){.kinds = input->kinds, .starts = wanted};
    if (input->n == 0 || input->kinds == 0 || !am_resources_descent_init(&d, input, arena))
        return false;
    for (unsigned s = 0; s < wanted; s++) {
        am_resources_descend(&d, s);
        if (!keep_start(&d, arena, &starts[s]))
            return false;
        best = starts[s].loss < starts[best].loss ? s : best;
    }
    am_resources_descent_set(&d, starts[best].w, starts[best].resources);
    am_resources_descent_polish(&d);
    if (!keep_start(&d, arena, &starts[best]))
        return false;
    out->resources = d.resources;
    judge(&d, out);
    return conclude(&d, starts, wanted, best, out);
}

/* ---- beyond ports ---- */

enum {
    TESTED = 4
}; /* every so many mixes test further resources instead of helping to find them */
/* Further resources are kept where they take this share of the ports' error away. Each is a list of
 * weights that nothing ties together: mixes can be explained a little better by chance, and loops
 * of programs, which are no such mixes, are then predicted far too long. */
static const double earned = 0.25;

/* The mixes that find further resources, or those that test them. */
static bool every_few(const struct am_resources_input *input, bool tests, struct am_arena *arena,
                      struct am_resources_input *out)
{
    struct am_resources_mix *const mixes = am_arena_array(arena, input->n, sizeof(*mixes));

    *out = *input;
    out->mixes = mixes;
    out->n = 0;
    for (size_t i = 0; mixes && i < input->n; i++) {
        if ((i % TESTED == TESTED - 1) == tests)
            mixes[out->n++] = input->mixes[i];
    }
    return mixes && out->n > 0;
}

/* Mean absolute relative error of mixes. */
static double error_of(const struct am_resources_input *input, const struct start *s)
{
    double sum = 0;

    for (size_t i = 0; i < input->n; i++) {
        const struct am_resources_mix *const mix = &input->mixes[i];
        double most = 0;

        for (size_t r = 0; r < s->resources; r++) {
            double load = 0;

            for (size_t k = 0; k < mix->n; k++)
                load += mix->uses[k].n * weight_of(s, mix->uses[k].kind, r);
            most = fmax(most, load);
        }
        sum += fabs(most / mix->cycles - 1) / (double)input->n;
    }
    return sum;
}

/* Further resources for what no schedule of ports explains, where they earn it; false when memory
 * is refused. */
static bool go_beyond(const struct am_resources_input *input, struct am_arena *arena,
                      struct start *start)
{
    struct am_resources_input finding, testing;
    struct am_resources_descent d;
    struct start extended;

    if (!every_few(input, false, arena, &finding) || !every_few(input, true, arena, &testing))
        return true; /* too few to tell */
    if (!am_resources_descent_init(&d, &finding, arena))
        return false;
    am_resources_descent_set(&d, start->w, start->resources);
    am_resources_descent_extend(&d);
    if (!keep_start(&d, arena, &extended))
        return false;
    if (error_of(&testing, &extended) <= (1 - earned) * error_of(&testing, start))
        *start = extended;
    return true;
}

/* A model of ports that are found, and of what is beyond them. */
static bool from_ports(const struct am_resources_input *input,
                       const struct am_portsets_model *ports, struct am_arena *arena,
                       struct am_resources_model *out)
{
    struct am_resources_descent d;
    struct start start = {.w = NULL};

    *out = (struct am_resources_model){.kinds = input->kinds, .starts = 1, .wide = input->wide};
    start.resources = am_portsets_columns(input, ports, arena, &start.w);
    if (start.resources == 0 || !am_resources_pairs_add(input, arena, &start.w, &start.resources) ||
        !go_beyond(input, arena, &start) || !am_resources_descent_init(&d, input, arena))
        return false;
    am_resources_descent_set(&d, start.w, start.resources);
    start.loss = am_resources_loss(&d);
    out->resources = d.resources;
    out->movable = ports->movable;
    judge(&d, out);
    return conclude(&d, &start, 1, 0, out);
}

bool am_resources_fit_ports(const struct am_resources_input *input, struct am_arena *arena,
                            struct am_resources_model *out)
{
    struct am_resources_model *const wide = am_arena_alloc(arena, sizeof(*wide));
    struct am_resources_input without, with;
    struct am_portsets_modes modes = {.apart = false};

    if (!wide || !(am_portsets_has_wide(input) ? am_portsets_fit_modes(input, arena, &modes)
                                               : am_portsets_fit(input, arena, &modes.narrow)))
        return false;
    if (!modes.apart)
        return from_ports(input, &modes.narrow, arena, out);
    if (!am_portsets_choose(input, false, arena, &without) ||
        !am_portsets_choose(input, true, arena, &with) ||
        !from_ports(&without, &modes.narrow, arena, out) ||
        !from_ports(&with, &modes.wide, arena, wide))
        return false;
    out->beside_wide = wide;
    return true;
}

const struct am_resources_model *am_resources_beside(const struct am_resources_model *model,
                                                     const struct am_resources_use *uses, size_t n)
{
    for (size_t i = 0; model->beside_wide && i < n; i++) {
        if (model->wide[uses[i].kind])
            return model->beside_wide;
    }
    return model;
}

const struct am_resources_weight *am_resources_weight(const struct am_resources_model *model,
                                                      size_t kind, size_t resource)
{
    return &model->weights[kind * model->resources + resource];
}

double am_resources_cycles(const struct am_resources_model *model,
                           const struct am_resources_use *uses, size_t n, size_t *resource)
{
    const struct am_resources_model *const own = am_resources_beside(model, uses, n);
    double most = 0;

    for (size_t r = 0; r < own->resources; r++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            sum += uses[i].n * am_resources_weight(own, uses[i].kind, r)->value;
        if (resource && (r == 0 || sum > most))
            *resource = r;
        most = fmax(most, sum);
    }
    return most;
}

bool am_resources_is_decided(const struct am_resources_weight *weight, double alone)
{
    return weight->hi - weight->lo <= fmax(0.1 * alone, 0.01);
}
