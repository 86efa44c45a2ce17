/* SPDX-License-Identifier: MIT */
/* Pairs of facts, their changes, verdicts over all of them. */
#include "model/differ.h"

#include "base/array.h"
#include "core/stats/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_LEAST = 3, DECIDING_OTHERS = 3 };

const char *am_difference_word(enum am_verdict verdict)
{
    static const char *const words[AM_VERDICT_COUNT] = {
        [AM_VERDICT_SAME] = "same",
        [AM_VERDICT_FASTER] = "different",
        [AM_VERDICT_SLOWER] = "different",
        [AM_VERDICT_MAYBE_FASTER] = "different?",
        [AM_VERDICT_MAYBE_SLOWER] = "different?",
        [AM_VERDICT_SUSPECT] = "suspect",
        [AM_VERDICT_UNDECIDED] = "undecided",
    };

    return (unsigned)verdict < AM_VERDICT_COUNT && words[verdict] ? words[verdict] : "unknown";
}

bool am_difference_is_one(const struct am_difference *row)
{
    return am_verdict_direction(row->verdict) != 0 || row->verdict == AM_VERDICT_SUSPECT;
}

struct differing {
    const struct am_machine_models *models;
    const struct am_compare_settings *settings;
    struct am_arena *arena;
    struct am_differences *out;
    size_t cap;
};

static const struct am_fact *find(const struct am_machine_model *m, const struct am_fact *like)
{
    for (size_t i = 0; i < m->facts.n; i++) {
        if (am_fact_alike(&m->facts.items[i], like, NULL))
            return &m->facts.items[i];
    }
    return NULL;
}

/* Whether no other fact of its kind has more threads. */
static bool is_of_all_threads(const struct am_machine_model *m, const struct am_fact *fact)
{
    const double threads = am_fact_number(fact, "threads");

    for (size_t i = 0; threads > 1 && i < m->facts.n; i++) {
        const struct am_fact *const f = &m->facts.items[i];

        if (am_fact_alike(f, fact, "threads") && am_fact_number(f, "threads") > threads)
            return false;
    }
    return threads > 1;
}

/* Of a fact of all threads of one machine: that of all threads of the other. NULL: none. */
static const struct am_fact *find_of_all(const struct am_machine_model *m,
                                         const struct am_machine_model *other,
                                         const struct am_fact *fact)
{
    for (size_t i = 0; is_of_all_threads(m, fact) && i < other->facts.n; i++) {
        const struct am_fact *const f = &other->facts.items[i];

        if (am_fact_alike(f, fact, "threads") && is_of_all_threads(other, f) && !find(m, f))
            return f;
    }
    return NULL;
}

static bool estimate(const struct am_fact *f, struct am_estimate *out)
{
    return am_estimate_of(f->value, &f->ci, f->launches, out);
}

/* ---- by bounds ---- */

/* The ends of an interval, or the value where it has none. */
static struct am_interval bounds_of(const struct am_fact *f)
{
    const bool has = f->ci.lo <= f->value && f->value <= f->ci.hi;

    return (struct am_interval){has ? f->ci.lo : f->value, has ? f->ci.hi : f->value, NAN};
}

static double over(double a, double b)
{
    return a > 0 && b > 0 ? a / b : NAN;
}

/* Apart by more than delta of the larger: they may differ. Both within delta: the same. */
static void judge_bounds(struct am_difference *row, double delta)
{
    const struct am_interval a = bounds_of(row->base), b = bounds_of(row->fact);
    const double scale = fmax(fmax(fabs(a.lo), fabs(a.hi)), fmax(fabs(b.lo), fabs(b.hi)));
    const double gap = fmax(b.lo - a.hi, a.lo - b.hi), span = fmax(b.hi, a.hi) - fmin(b.lo, a.lo);

    row->by_bounds = true;
    row->p = NAN;
    row->ratio = over(row->fact->value, row->base->value);
    row->lo = over(b.lo, a.hi);
    row->hi = over(b.hi, a.lo);
    if (!am_fact_is_decided(row->base) || !am_fact_is_decided(row->fact))
        row->verdict = AM_VERDICT_UNDECIDED;
    else if (gap > delta * scale)
        row->verdict = b.lo > a.hi ? AM_VERDICT_MAYBE_SLOWER : AM_VERDICT_MAYBE_FASTER;
    else
        row->verdict = span <= delta * scale ? AM_VERDICT_SAME : AM_VERDICT_UNDECIDED;
}

/* ---- rows ---- */

static struct am_difference *add_row(struct differing *d, const struct am_difference *row)
{
    struct am_difference *const added = AM_ARRAY_ADD(d->arena, d->out->rows, d->out->n, d->cap);

    if (added)
        *added = *row;
    return added;
}

static bool measure(struct differing *d, const struct am_estimate *a, struct am_difference row)
{
    struct am_estimate b;

    if (!a || !estimate(row.fact, &b)) {
        judge_bounds(&row, d->settings->delta);
    } else {
        row.change = am_change_of_estimates(a, &b, d->settings->delta);
        row.p = row.change.p;
        row.ratio = exp(row.change.d);
        row.lo = exp(row.change.lo);
        row.hi = exp(row.change.hi);
        d->out->n_judged++;
    }
    return add_row(d, &row) != NULL;
}

/* Every fact of the first that the other has too. */
static bool pair_with_first(struct differing *d, size_t model)
{
    const struct am_machine_model *const first = &d->models->items[0];
    const struct am_machine_model *const other = &d->models->items[model];
    size_t shared = 0;

    for (size_t i = 0; i < first->facts.n; i++) {
        const struct am_fact *const base = &first->facts.items[i];
        const struct am_fact *const same = find(other, base);
        const struct am_fact *const fact = same ? same : find_of_all(first, other, base);
        struct am_estimate a;

        if (!fact)
            continue;
        shared++;
        if (!measure(d, estimate(base, &a) ? &a : NULL,
                     (struct am_difference){
                         .model = model, .base = base, .fact = fact, .against = base->value}))
            return false;
    }
    d->out->missing += first->facts.n + other->facts.n - 2 * shared;
    return true;
}

/* ---- nodes ---- */

/* A fact of one machine that can be estimated; sorted, those of the same labels stand together. */
struct held {
    const struct am_fact *fact;
    size_t model;
    struct am_estimate estimate;
};

static int by_id(const void *x, const void *y)
{
    const struct held *const a = x, *const b = y;
    const int order = strcmp(a->fact->id, b->fact->id);

    return order ? order : a->model < b->model ? -1 : a->model > b->model;
}

/* All facts of all machines; NULL when memory is refused. Those that have bounds alone are left
 * out: each machine's model tells them. */
static struct held *gather(const struct differing *d, size_t *n)
{
    struct held *all;
    size_t most = 0;

    for (size_t i = 0; i < d->models->n; i++)
        most += d->models->items[i].facts.n;
    all = am_arena_array(d->arena, most + 1, sizeof(*all));
    *n = 0;
    for (size_t i = 0; all && i < d->models->n; i++) {
        const struct am_facts *const facts = &d->models->items[i].facts;

        for (size_t k = 0; k < facts->n; k++) {
            all[*n] = (struct held){.fact = &facts->items[k], .model = i};
            *n += estimate(all[*n].fact, &all[*n].estimate);
        }
    }
    if (all)
        qsort(all, *n, sizeof(*all), by_id);
    return all;
}

/* One fact on n machines: each against the others. `scratch` has room for n estimates. */
static bool hold_against_others(struct differing *d, const struct held *held, size_t n,
                                struct am_estimate *scratch)
{
    for (size_t i = 0; i < n; i++) {
        struct am_difference row = {.model = held[i].model,
                                    .base = held[i ? 0 : 1].fact,
                                    .fact = held[i].fact,
                                    .others = n - 1};
        struct am_estimate together;
        size_t k = 0;

        for (size_t other = 0; other < n; other++) {
            if (other != i)
                scratch[k++] = held[other].estimate;
        }
        if (!am_estimate_of_others(scratch, k, &together))
            return false;
        row.against = exp(together.log);
        if (!measure(d, &together, row))
            return false;
    }
    return true;
}

static bool hold_all(struct differing *d)
{
    size_t n, many = 0;
    struct held *const all = gather(d, &n);
    struct am_estimate *const scratch =
        am_arena_array(d->arena, d->models->n + 1, sizeof(*scratch));
    bool fine = all && scratch;

    for (size_t i = 0; fine && i < n; i += many) {
        for (many = 1; i + many < n && strcmp(all[i].fact->id, all[i + many].fact->id) == 0;)
            many++;
        if (many >= NODES_LEAST)
            fine = hold_against_others(d, &all[i], many, scratch);
    }
    return fine;
}

/* By machine, the largest difference first. */
static int by_effect(const void *x, const void *y)
{
    const struct am_difference *const a = x, *const b = y;
    const double da = fabs(a->change.d), db = fabs(b->change.d);

    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    return (da < db) - (da > db);
}

/* ---- verdicts ---- */

static enum am_verdict judge(const struct differing *d, const struct am_difference *row)
{
    const enum am_basis basis =
        row->others >= DECIDING_OTHERS ? AM_BASIS_WITHIN_RUN : AM_BASIS_ONE_RUN;

    return am_verdict_of(&row->change, row->p, row->change.p_rank <= 0, basis, d->settings->level);
}

static enum am_status settle(struct differing *d, struct am_err *err)
{
    struct am_differences *const out = d->out;
    double *const p = calloc(out->n + 1, sizeof(*p));

    if (!p)
        return am_fail(err, AM_E_NOMEM, "no memory to compare");
    for (size_t i = 0; i < out->n; i++)
        p[i] = out->rows[i].p;
    am_stats_holm(p, out->n);
    for (size_t i = 0; i < out->n; i++) {
        struct am_difference *const row = &out->rows[i];

        row->p = p[i];
        if (!row->by_bounds)
            row->verdict = judge(d, row);
        out->count[row->verdict]++;
    }
    free(p);
    return AM_OK;
}

static struct differing begin(const struct am_machine_models *models,
                              const struct am_compare_settings *settings, struct am_arena *arena,
                              struct am_differences *out)
{
    *out = (struct am_differences){
        .models = models, .delta = settings->delta, .level = settings->level};
    return (struct differing){.models = models, .settings = settings, .arena = arena, .out = out};
}

enum am_status am_models_differ(const struct am_machine_models *models,
                                const struct am_compare_settings *settings, struct am_arena *arena,
                                struct am_differences *out, struct am_err *err)
{
    struct differing d = begin(models, settings, arena, out);

    for (size_t i = 1; i < models->n; i++) {
        if (!pair_with_first(&d, i))
            return am_fail(err, AM_E_NOMEM, "no memory to compare");
    }
    return settle(&d, err);
}

enum am_status am_nodes_differ(const struct am_machine_models *models,
                               const struct am_compare_settings *settings, struct am_arena *arena,
                               struct am_differences *out, struct am_err *err)
{
    struct differing d = begin(models, settings, arena, out);

    enum am_status s;

    if (models->n < NODES_LEAST)
        return am_models_differ(models, settings, arena, out, err);
    if (!hold_all(&d))
        return am_fail(err, AM_E_NOMEM, "no memory to compare");
    s = settle(&d, err);
    if (s == AM_OK && out->n)
        qsort(out->rows, out->n, sizeof(*out->rows), by_effect);
    return s;
}
