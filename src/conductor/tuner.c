/* SPDX-License-Identifier: MIT */
/* The tuner: asks the bench what it would choose, then a search what to measure, until it knows. */
#include "conductor/tuner.h"

#include "base/array.h"
#include "conductor/tune_candidates.h"
#include "conductor/tune_duel.h"
#include "conductor/tune_visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void am_tuner_settings(struct am_plan_settings *set)
{
    const uint64_t ms = 1000000;

    set->min_launches = set->max_launches = 1;
    set->sampler.min_batch_ns = 4 * ms;
    set->sampler.max_point_ns = 300 * ms;
    set->sampler.warmup = 1;
    set->sampler.samples = 3;
    set->sampler.extra = 2;
}

void am_tuner_spare_windows(struct am_plan_settings *set)
{
    static const uint64_t long_ns = 1000000000;

    if (set->sampler.min_batch_ns < long_ns)
        return;
    set->sampler.samples = 1;
    set->sampler.extra = 0; /* what is disturbed is visited again */
}

/* ---- one launch ---- */

static double score_of(const struct am_tune_run *t, double value)
{
    return am_tune_better(t) == AM_HIGHER ? value : -value;
}

static bool stop_point(struct am_tune_run *t, int64_t id, enum am_point_state state)
{
    static const enum am_stop_reason reasons[AM_POINT_STATES] = {[AM_POINT_OK] = AM_STOP_TUNED,
                                                                 [AM_POINT_SKIP] = AM_STOP_SKIP,
                                                                 [AM_POINT_FAIL] = AM_STOP_FAIL};

    struct am_stop *const stop = AM_ARRAY_ADD(NULL, t->stops, t->n_stops, t->cap_stops);

    if (stop)
        *stop = (struct am_stop){.point_id = id, .reason = reasons[state]};
    return stop;
}

/* ---- what the bench itself chooses ---- */

/* What it chose, and what it proposes to try; candidates that the user gave stand. */
static enum am_status read_said(struct am_tune_run *t, const struct am_visit *v, struct am_err *err)
{
    const struct am_axis *const axes = t->asked->bench->axes;
    const struct am_symbol *const symbols = am_topo_symbols(t->tuner->conductor->topo);
    struct am_err why = {0};
    enum am_status s = AM_OK;

    t->out->model = t->out->found = am_tune_model(t->asked, &v->chosen, t->arena);
    if (!t->out->model)
        return am_fail(err, AM_E_NOMEM, "no memory for the tuner");
    for (size_t i = 0; s == AM_OK && axes[i].name; i++) {
        t->values[i] = t->given[i].values;
        if (t->values[i].n && !t->given[i].given)
            s = am_tune_candidates(&axes[i], &v->proposed, symbols, t->arena, &t->values[i], &why);
    }
    if (s != AM_E_PARSE)
        return s == AM_OK ? s : am_fail(err, s, "%s", why.text);
    t->out->why_not = am_arena_strdup(t->arena, why.text);
    t->out->broken = true;
    return AM_OK;
}

/* Measures the point as it was asked for; the bench says what it chose. */
static enum am_status ask_bench(struct am_tune_run *t, struct am_err *err)
{
    struct am_arena arena = {0};
    struct am_launch record = {0};
    enum am_status s = am_tune_launch(t, &t->asked, 1, &arena, &record, err);

    if (s == AM_OK && record.n_visits == 0) {
        t->out->interrupted = true;
        t->out->why_not = "interrupted";
    } else if (s == AM_OK) {
        const struct am_visit *const v = &record.visits[0];

        t->work = v->work;
        t->out->model_value = t->out->value = am_tune_value(t, v);
        t->good_s = (double)(record.ended_ns - record.started_ns) * 1e-9;
        t->good = 1;
        if (v->state != AM_POINT_OK)
            t->out->why_not = am_arena_strdup(t->arena, v->reason ? v->reason : "failed");
        else if (!isfinite(t->out->value))
            t->out->why_not = am_tune_why_no_value(v, t->arena);
        t->out->broken = t->out->why_not && v->state != AM_POINT_SKIP;
        s = read_said(t, v, err);
        if (s == AM_OK && !stop_point(t, t->asked->id, v->state))
            s = am_fail(err, AM_E_NOMEM, "no memory for the tuner");
    }
    am_arena_fini(&arena);
    return s;
}

/* ---- the space ---- */

/* Dimensions of all open axes that have candidates; `lists` are theirs, `start` the model's. */
static enum am_status make_space(struct am_tune_run *t, struct am_values *lists, size_t *start,
                                 struct am_err *err)
{
    const struct am_axis *const axes = t->asked->bench->axes;

    *start = 0;
    for (size_t i = 0; axes[i].name; i++) {
        const size_t d = t->space.n;

        if ((!am_axis_is_open(&axes[i], &t->asked->values[i]) && !t->given[i].joint) ||
            t->values[i].n == 0)
            continue;
        if (d == AM_SEARCH_DIMENSIONS_MAX)
            return am_fail(err, AM_E_USAGE, "%s: more than %d axes to tune at once; fix some by -p",
                           t->asked->bench->name, AM_SEARCH_DIMENSIONS_MAX);
        if (!am_tune_values(&t->values[i], &t->out->model[i], t->arena, &lists[d]))
            return am_fail(err, AM_E_NOMEM, "no memory for the tuner");
        t->axis_of[d] = i;
        t->space.dimensions[d].n = lists[d].n;
        t->space.dimensions[d].ordered = axes[i].kind != AM_AXIS_NAME;
        *start = *start * lists[d].n + am_tune_index(&lists[d], &t->out->model[i]);
        t->space.n++;
    }
    t->out->candidates = t->space.n ? am_search_count(&t->space) : 0;
    if (t->space.n && t->out->candidates == 0)
        return am_fail(err, AM_E_USAGE, "%s: more than %d candidates; give fewer values by -p",
                       t->asked->bench->name, AM_SEARCH_CANDIDATES_MAX);
    return AM_OK;
}

/* ---- visits ---- */

/* The point of a candidate; NULL without memory. */
static struct am_tune_try *think_of(struct am_tune_run *t, const struct am_values *lists,
                                    size_t number)
{
    const size_t axes = am_axis_count(t->asked->bench->axes);
    struct am_tune_try *const c = am_arena_alloc(t->arena, sizeof(*c));
    struct am_value *const values = am_arena_array(t->arena, axes + 1, sizeof(*values));
    size_t rest = number;

    if (!c || !values)
        return NULL;
    memcpy(values, t->asked->values, axes * sizeof(*values));
    for (size_t d = t->space.n; d-- > 0;) {
        values[t->axis_of[d]] = lists[d].v[rest % lists[d].n];
        rest /= lists[d].n;
    }
    c->point = (struct am_point){.bench = t->asked->bench, .values = values};
    t->known[number] = c;
    return c;
}

/* The candidate with its point. The one that leaves all open, as asked for, is stored already. */
static struct am_tune_try *candidate_of(struct am_tune_run *t, const struct am_values *lists,
                                        size_t number)
{
    struct am_tune_try *const c = t->known[number] ? t->known[number] : think_of(t, lists, number);
    bool open = true;

    for (size_t d = 0; c && d < t->space.n; d++)
        open = open &&
               am_value_same(&c->point.values[t->axis_of[d]], &t->asked->values[t->axis_of[d]]);
    if (c && open)
        c->point.id = t->asked->id;
    return c;
}

/* Visits a batch, and once more those of which no sample was undisturbed, if visits are repeated at
 * all; then tells the search. */
static enum am_status visit_batch(struct am_tune_run *t, const struct am_values *lists,
                                  const size_t *batch, size_t n, struct am_err *err)
{
    const bool repeats = t->tuner->conductor->plan->settings.repeats > 0;
    size_t *const again = calloc(n + 1, sizeof(*again));
    size_t n_again = 0, done, repeated;
    enum am_status s = again ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for the tuner");

    for (size_t i = 0; s == AM_OK && i < n; i++) {
        struct am_tune_try *const c = candidate_of(t, lists, batch[i]);

        if (!c)
            s = am_fail(err, AM_E_NOMEM, "no memory for the tuner");
        else
            c->value = NAN;
    }
    if (s == AM_OK)
        s = am_tune_visit(t, batch, n, &done, err);
    for (size_t i = 0; s == AM_OK && repeats && i < done; i++) {
        if (!t->known[batch[i]]->calm)
            again[n_again++] = batch[i];
    }
    if (s == AM_OK)
        s = am_tune_visit(t, again, n_again, &repeated, err);
    for (size_t i = 0; s == AM_OK && i < done; i++) {
        const struct am_tune_try *const c = t->known[batch[i]];

        /* one visit with a wrong result outweighs any that was right */
        am_search_tell(t->search, batch[i], c->state == AM_POINT_OK ? score_of(t, c->value) : NAN);
    }
    free(again);
    return s;
}

/* Visits that there is time for, by what those so far took, less those that are kept for the last
 * comparison. */
static size_t affordable(const struct am_tune_run *t)
{
    enum { KEPT = 2 * AM_DUEL_LEAST };
    const double left = t->tuner->budget_s - am_tune_elapsed(t);
    const double each = t->good ? t->good_s / (double)t->good : 0;

    if (!(t->tuner->budget_s > 0))
        return SIZE_MAX;
    if (!(left > KEPT * each) || !(each > 0))
        return 0;
    return left / each < 1e9 ? (size_t)(left / each) - KEPT : SIZE_MAX;
}

static enum am_status climb(struct am_tune_run *t, const struct am_values *lists, size_t *batch,
                            struct am_err *err)
{
    enum am_status s = AM_OK;
    size_t n = am_search_next(t->search, affordable(t), batch);

    while (s == AM_OK && n) {
        s = visit_batch(t, lists, batch, n, err);
        if (am_tune_interrupted(t) || am_tune_over_budget(t))
            break;
        n = am_search_next(t->search, affordable(t), batch);
    }
    t->out->interrupted = am_tune_interrupted(t);
    t->out->budget_spent = n > 0 && am_tune_over_budget(t);
    return s;
}

/* ---- whether the best is better ---- */

/* One visit of a candidate that was visited before; NAN when it fails or there is no time for it.
 */
static enum am_status visit_again(struct am_tune_run *t, size_t number, double *value,
                                  struct am_err *err)
{
    struct am_tune_try *const c = t->known[number];
    size_t done;
    enum am_status s;

    c->value = NAN;
    s = am_tune_visit(t, &number, 1, &done, err);
    *value = s == AM_OK && done ? c->value : NAN;
    return s;
}

/* The bench's own choice and the best candidate in turns. */
static enum am_status compare(struct am_tune_run *t, size_t own, size_t best, struct am_duel *duel,
                              struct am_err *err)
{
    enum am_status s = AM_OK;
    bool good = true;

    while (s == AM_OK && good && !am_duel_is_over(duel, am_tune_better(t))) {
        double *const own_at = &duel->own[duel->n], *const best_at = &duel->other[duel->n];
        const bool swap = am_duel_other_first(duel->n);

        s = visit_again(t, swap ? best : own, swap ? best_at : own_at, err);
        good = s == AM_OK && isfinite(swap ? *best_at : *own_at);
        if (good)
            s = visit_again(t, swap ? own : best, swap ? own_at : best_at, err);
        good = good && s == AM_OK && isfinite(swap ? *own_at : *best_at);
        duel->n += good;
    }
    return s;
}

static void keep_fresh(struct am_tuned *out, const double *values, size_t n)
{
    memcpy(out->fresh, values, n * sizeof(*values));
    out->n_fresh = n;
}

/* Fresh visits of the bench's own choice, where nothing was better: for comparisons with what other
 * workers found. */
static enum am_status visit_own(struct am_tune_run *t, size_t own, struct am_err *err)
{
    enum am_status s = AM_OK;
    bool good = true;

    for (size_t i = 0; i < AM_DUEL_LEAST && good && s == AM_OK; i++) {
        s = visit_again(t, own, &t->out->fresh[i], err);
        good = s == AM_OK && isfinite(t->out->fresh[i]);
        t->out->n_fresh += good;
    }
    return s;
}

/* Keeps the best where fresh visits show it to be better; else the bench's own choice stands. */
static void take_verdict(struct am_tune_run *t, size_t best, const struct am_duel *duel)
{
    const struct am_duel_verdict v = am_duel_look(duel, am_tune_better(t));

    t->out->gain = v.gain;
    t->out->gain_bounds = v.bounds;
    if (v.better) {
        t->out->found = t->known[best]->point.values;
        t->out->value = v.other;
        t->out->model_value = v.own;
        t->out->kept = true;
        keep_fresh(t->out, duel->other, duel->n);
        return;
    }
    t->out->found = t->out->model;
    keep_fresh(t->out, duel->own, duel->n);
    if (duel->n)
        t->out->value = t->out->model_value = v.own;
    t->out->doubt = t->out->interrupted ? "interrupted: the bench's own choice stands"
                    : duel->n < AM_DUEL_LEAST
                        ? "too little time to show a gain (--budget): the bench's own choice stands"
                        : "no gain was shown: the bench's own choice stands";
}

static enum am_status take_outcome(struct am_tune_run *t, size_t start, struct am_err *err)
{
    struct am_duel duel = {.n = 0};
    enum am_status s = AM_OK;
    size_t best;
    double score;

    t->out->visited = am_search_visited(t->search);
    if (t->out->visited <= 1) {
        t->out->doubt =
            t->out->candidates > 1
                ? "too little time to try anything (--budget): the bench's own choice stands"
                : "there is nothing to try but the bench's own choice";
        return s;
    }
    if (!am_search_best(t->search, &best, &score)) {
        t->out->why_not = "no candidate could be measured";
        t->out->broken = true;
        return s;
    }
    if (!isfinite(am_search_score(t->search, start)) && t->known[start]->state == AM_POINT_OK) {
        t->out->why_not = "the meters have no number for where the search begins";
        t->out->broken = true;
        return s;
    }
    if (!isfinite(am_search_score(t->search, start))) {
        t->out->found =
            t->known[best]->point.values; /* the own choice fails: any other is better */
        t->out->value = score_of(t, score);
        t->out->kept = true;
        return s;
    }
    t->out->value = t->out->model_value = score_of(t, am_search_score(t->search, start));
    if (best == start) {
        if (am_search_has_other(t->search, start))
            t->out->doubt = "nothing tried was better than the bench's own choice";
        else
            t->out->why_not = "nothing but the bench's own choice can be measured";
        return t->tuner->weighs_parts ? visit_own(t, start, err) : s;
    }
    if (!t->out->interrupted)
        s = compare(t, start, best, &duel, err);
    t->out->interrupted = am_tune_interrupted(t);
    if (s == AM_OK)
        take_verdict(t, best, &duel);
    return s;
}

static bool stop_candidates(struct am_tune_run *t)
{
    bool good = true;

    for (size_t i = 0; good && t->known && i < t->out->candidates; i++) {
        if (t->known[i] && t->known[i]->point.id && t->known[i]->point.id != t->asked->id)
            good = stop_point(t, t->known[i]->point.id, t->known[i]->state);
    }
    return good;
}

static enum am_status search(struct am_tune_run *t, struct am_err *err)
{
    struct am_values lists[AM_SEARCH_DIMENSIONS_MAX] = {{0}};
    size_t *const batch = calloc(AM_SEARCH_BATCH_MAX, sizeof(*batch));
    size_t start;
    enum am_status s = make_space(t, lists, &start, err);

    if (s == AM_OK && t->space.n == 0) {
        t->out->why_not = "nothing of it can be tuned";
        free(batch);
        return AM_OK;
    }
    if (s == AM_OK) {
        t->known = am_arena_array(t->arena, t->out->candidates, sizeof(struct am_tune_try *));
        t->search = am_search_new(&t->space, start, t->tuner->mode == AM_TUNE_PATIENT);
        if (!t->known || !t->search || !batch)
            s = am_fail(err, AM_E_NOMEM, "no memory for the tuner");
    }
    if (s == AM_OK)
        s = climb(t, lists, batch, err);
    if (s == AM_OK)
        s = take_outcome(t, start, err);
    if (s == AM_OK && !stop_candidates(t))
        s = am_fail(err, AM_E_NOMEM, "no memory for the tuner");
    am_search_free(t->search);
    free(batch);
    return s;
}

/* Whether anything that was left open has a value now. */
static bool has_choice(const struct am_tune_run *t)
{
    const struct am_axis *const axes = t->asked->bench->axes;

    for (size_t i = 0; axes[i].name; i++) {
        if (am_axis_is_open(&axes[i], &t->asked->values[i]) &&
            !am_axis_is_open(&axes[i], &t->out->found[i]))
            return true;
    }
    return false;
}

static enum am_status find_metric(const struct am_tuner *tuner, const struct am_bench *bench,
                                  size_t *metric, struct am_err *err)
{
    *metric = 0;
    while (tuner->metric && bench->metrics[*metric].name &&
           strcmp(bench->metrics[*metric].name, tuner->metric) != 0)
        (*metric)++;
    return bench->metrics[*metric].name
               ? AM_OK
               : am_fail(err, AM_E_ABSENT, "%s has no metric %s", bench->name, tuner->metric);
}

enum am_status am_tuner_run(struct am_tuner *tuner, const struct am_point *point,
                            const struct am_candidates *candidates, struct am_arena *arena,
                            struct am_tuned *out, struct am_err *err)
{
    struct am_tune_run t = {
        .tuner = tuner, .asked = point, .given = candidates, .arena = arena, .out = out};
    enum am_status s = am_launcher_init(&t.launcher, tuner->conductor, err);

    if (tuner->simulated_ns)
        t.launcher.simulated_ns = tuner->simulated_ns;
    t.start_ns = am_launcher_now(&t.launcher);
    *out = (struct am_tuned){.model_value = NAN, .value = NAN, .gain = NAN};
    for (size_t i = 0; point->bench->axes[i].name; i++)
        out->joint |= (uint64_t)candidates[i].joint << i;
    if (s == AM_OK)
        s = find_metric(tuner, point->bench, &t.metric, err);
    out->metric = t.metric;
    out->kept = tuner->mode == AM_TUNE_ESTIMATE; /* which asks only, and compares nothing */
    if (s == AM_OK)
        s = ask_bench(&t, err);
    if (s == AM_OK && !out->why_not && tuner->mode != AM_TUNE_ESTIMATE)
        s = search(&t, err);
    if (s == AM_OK && tuner->mode == AM_TUNE_ESTIMATE && !out->why_not && !has_choice(&t))
        out->why_not = "the bench does not say what it chooses";
    if (s == AM_OK && t.n_stops)
        s = am_store_put_stops(tuner->conductor->store, t.stops, t.n_stops, err);
    out->elapsed_s = am_tune_elapsed(&t);
    tuner->simulated_ns = t.launcher.simulated_ns;
    am_launcher_fini(&t.launcher);
    free(t.stops);
    return s;
}
