/* SPDX-License-Identifier: MIT */
/* Facts: made, offered, withheld, and found again. */
#include "family/fact.h"

#include "base/array.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ID_BYTES = 1024, REASON_BYTES = 256, REMARK_BYTES = 600 };

const char *const am_fact_kinds[AM_FACT_KINDS] = {
    [AM_FACT_TYPICAL] = "typical", [AM_FACT_CAPABILITY] = "capability"};

/* ---- making ---- */

/* The fewer of both; 0 is "not known". */
static size_t fewer(size_t a, size_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

struct am_fact am_fact_of(const struct am_pick *pick, struct am_arena *arena)
{
    const struct am_summary *const s = &pick->metric->summary;
    struct am_fact fact = {
        .unit = pick->metric->unit,
        .value = s->median,
        .ci = s->ci,
        .evidence = am_arena_printf(arena, "%s %s", pick->result->bench, pick->result->text),
    };

    am_fact_rest_on(&fact, pick);
    return fact;
}

/* Makes a ratio of the fact; the interval holds with what both leave of certainty. */
static void divide(struct am_fact *fact, const struct am_fact *by)
{
    fact->unit = "";
    fact->value /= by->value;
    fact->ci = (struct am_interval){fact->ci.lo / by->ci.hi, fact->ci.hi / by->ci.lo,
                                    fmax(fact->ci.coverage + by->ci.coverage - 1, 0)};
    fact->grading = am_grading_worse(fact->grading, by->grading);
    fact->launches = fewer(fact->launches, by->launches);
}

struct am_fact am_fact_of_ratio(const struct am_pick *over, const struct am_pick *under,
                                struct am_arena *arena)
{
    const struct am_fact b = am_fact_of(under, arena);
    struct am_fact fact = am_fact_of(over, arena);

    divide(&fact, &b);
    am_fact_rest_on(&fact, under);
    fact.evidence = am_arena_printf(arena, "%s %s over %s", over->result->bench, over->result->text,
                                    under->result->text);
    return fact;
}

struct am_fact am_fact_over(const struct am_fact *over, const struct am_fact *under,
                            struct am_arena *arena)
{
    struct am_fact fact = *over;

    divide(&fact, under);
    fact.id = NULL;
    fact.claimed = NULL;
    fact.contradicts = false;
    fact.evidence = am_arena_printf(arena, "%s over %s", over->id, under->id);
    for (size_t i = 0; i < under->n_points && fact.n_points < AM_FACT_POINTS_MAX; i++)
        fact.points[fact.n_points++] = under->points[i];
    return fact;
}

struct am_fact am_fact_of_middle(const struct am_picks *picks, struct am_arena *arena)
{
    double *const medians = am_arena_array(arena, picks->n + 1, sizeof(*medians));
    struct am_fact fact = {.unit = picks->n ? picks->items[0].metric->unit : "", .value = NAN};

    for (size_t i = 0; medians && i < picks->n; i++) {
        medians[i] = picks->items[i].metric->summary.median;
        am_fact_rest_on(&fact, &picks->items[i]);
    }
    if (!medians || picks->n == 0)
        return fact;
    am_stats_sort(medians, picks->n);
    fact.value = am_stats_median(medians, picks->n);
    fact.ci = picks->n == 1 ? picks->items[0].metric->summary.ci
                            : am_stats_median_interval(medians, picks->n, 0.95);
    fact.evidence = am_arena_printf(arena, "%s, median of %zu results",
                                    picks->items[0].result->bench, picks->n);
    return fact;
}

struct am_fact am_fact_of_knee(const struct am_picks *curve, double share, struct am_arena *arena)
{
    const struct am_pick *const peak = am_picks_best(curve);
    const double limit = peak ? share * peak->metric->summary.median : NAN;
    struct am_fact fact = {.unit = "", .value = NAN, .ci = {1, NAN, NAN}};
    size_t at = 0, sure;

    if (curve->n < 2 || !(limit > 0)) /* below zero no place reaches its own share */
        return fact;
    while (curve->items[at].metric->summary.median < limit) {
        if (curve->items[at].metric->summary.ci.hi < limit)
            fact.ci.lo = curve->items[at].x + 1;
        at++;
    }
    for (sure = at; sure + 1 < curve->n; sure++) {
        if (curve->items[sure].metric->summary.ci.lo >= limit)
            break;
    }
    fact.value = curve->items[at].x;
    fact.ci.hi = curve->items[sure].x;
    am_fact_rest_on(&fact, &curve->items[at]);
    am_fact_rest_on(&fact, peak);
    fact.evidence = am_arena_printf(arena, "the least within %.0f %% of %s %s", 100 * (1 - share),
                                    peak->result->bench, peak->result->text);
    return fact;
}

struct am_fact am_fact_of_difference(double times, const struct am_pick *from,
                                     const struct am_pick *less, struct am_arena *arena)
{
    static const struct am_grading unresolved = {AM_GRADE_B, 1u << AM_REASON_ZERO};
    const struct am_summary *const b = &less->metric->summary;
    struct am_fact fact = am_fact_of(from, arena);

    am_fact_scale(&fact, times);
    fact.value -= b->median;
    fact.ci = (struct am_interval){fact.ci.lo - b->ci.hi, fact.ci.hi - b->ci.lo,
                                   fmax(fact.ci.coverage + b->ci.coverage - 1, 0)};
    fact.evidence = am_arena_printf(arena, "%s %s less %s", from->result->bench, from->result->text,
                                    less->result->text);
    am_fact_rest_on(&fact, less);
    if (fact.ci.lo <= 0 && fact.ci.hi >= 0)
        fact.grading = am_grading_worse(fact.grading, unresolved);
    return fact;
}

void am_fact_scale(struct am_fact *fact, double factor)
{
    fact->value *= factor;
    fact->ci.lo *= factor;
    fact->ci.hi *= factor;
}

void am_fact_rest_on(struct am_fact *fact, const struct am_pick *pick)
{
    fact->grading = am_grading_worse(fact->grading, pick->metric->grading);
    fact->launches = fewer(fact->launches, pick->metric->summary.launches);
    if (fact->n_points < AM_FACT_POINTS_MAX)
        fact->points[fact->n_points++] = pick->result->point_id;
}

void am_fact_label(struct am_fact *fact, struct am_arena *arena, const char *key,
                   enum am_axis_kind kind, const char *text)
{
    const char *const copy = am_arena_strdup(arena, text);

    if (copy && fact->n_labels < AM_FACT_LABELS_MAX)
        fact->labels[fact->n_labels++] = (struct am_result_param){key, kind, copy};
}

void am_fact_label_axes(struct am_fact *fact, const struct am_result *result, const char *axes)
{
    for (size_t i = 0; i < result->n_params; i++) {
        if (am_names_hold(axes, result->params[i].name) && fact->n_labels < AM_FACT_LABELS_MAX)
            fact->labels[fact->n_labels++] = result->params[i];
    }
}

/* ---- offering ---- */

static const char *print_id(const struct am_fact *fact, struct am_arena *arena)
{
    struct am_text text;
    const char *id;

    am_text_init(&text, ID_BYTES);
    am_text_addf(&text, "%s.%s", fact->family, fact->name);
    for (size_t i = 0; i < fact->n_labels; i++)
        am_text_addf(&text, "%s%s=%s", i ? "," : "{", fact->labels[i].name, fact->labels[i].text);
    if (fact->n_labels)
        am_text_add(&text, "}");
    id = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return id;
}

/* Texts are the arena's. */
static void add_remark(struct am_facts *facts, const struct am_remark *remark)
{
    struct am_remark *added;

    for (size_t i = 0; i < facts->n_remarks; i++) {
        if (strcmp(facts->remarks[i].text, remark->text) == 0)
            return;
    }
    added = AM_ARRAY_ADD(facts->arena, facts->remarks, facts->n_remarks, facts->cap_remarks);
    if (added)
        *added = *remark;
}

void am_facts_remark(struct am_facts *facts, const char *fmt, ...)
{
    char text[REMARK_BYTES];
    struct am_remark remark = {0};
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    remark.text = am_arena_strdup(facts->arena, text);
    if (remark.text)
        add_remark(facts, &remark);
}

static void withhold(struct am_facts *facts, const struct am_fact *fact)
{
    char reasons[REASON_BYTES];
    const char *const why =
        am_arena_strdup(facts->arena, am_grading_text(fact->grading, reasons, sizeof(reasons)));
    const struct am_remark remark = {
        .text = am_arena_printf(facts->arena, "%s is not concluded: %s", fact->id, why ? why : ""),
        .about = fact->id,
        .why = why};

    if (remark.text && remark.why)
        add_remark(facts, &remark);
}

static bool is_there(const struct am_facts *facts, const struct am_fact *fact)
{
    for (size_t i = 0; i < facts->n; i++) {
        if (am_fact_alike(&facts->items[i], fact, NULL))
            return true;
    }
    return false;
}

static const char place_label[] = "on";

/* Whether a fact is of the place that is meant where a question names none. */
static bool is_meant(const struct am_facts *facts, const struct am_fact *fact)
{
    const char *const on = am_fact_text(fact, place_label);

    return facts->on ? on && strcmp(on, facts->on) == 0 : !on;
}

/* Whether the conditions say something of the place. */
static bool names_place(const char *where)
{
    for (const char *p = where ? strstr(where, place_label) : NULL; p;
         p = strstr(p + 1, place_label)) {
        const bool begins = p == where || p[-1] == ' ' || p[-1] == '!';

        if (begins && strchr("?!=<> ", p[sizeof(place_label) - 1])) /* the end counts, too */
            return true;
    }
    return false;
}

void am_facts_offer(struct am_facts *facts, struct am_fact fact)
{
    struct am_fact *added;

    fact.family = facts->family;
    if (!fact.family || !fact.name || !fact.what || !fact.evidence || !isfinite(fact.value))
        return;
    assert(!facts->names || am_names_hold(facts->names, fact.name)); /* the reference has them */
    if (facts->on && !am_fact_text(&fact, place_label))
        am_fact_label(&fact, facts->arena, place_label, AM_AXIS_NAME, facts->on);
    fact.id = print_id(&fact, facts->arena);
    if (!fact.id || is_there(facts, &fact))
        return;
    if (fact.grading.grade == AM_GRADE_C) {
        withhold(facts, &fact);
        return;
    }
    added = AM_ARRAY_ADD(facts->arena, facts->items, facts->n, facts->cap);
    if (added)
        *added = fact;
}

/* The same rate with the most threads (`most`), or with one; NULL when there is none. */
static const struct am_fact *find_threads(const struct am_facts *facts, const struct am_fact *like,
                                          bool most)
{
    const struct am_fact *found = NULL;

    for (size_t i = 0; i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];
        const double n = am_fact_number(f, "threads");

        if (!am_fact_alike(f, like, "threads") || (most ? !(n > 1) : !(n <= 1)))
            continue;
        if (!found || n > am_fact_number(found, "threads"))
            found = f;
    }
    return found;
}

void am_facts_offer_speedups(struct am_facts *facts, const char *name)
{
    const size_t n = facts->n;

    for (size_t i = 0; i < n; i++) {
        const struct am_fact *const many = &facts->items[i];
        const struct am_fact *one;
        struct am_fact fact;

        if (strcmp(many->family, facts->family) != 0 || strcmp(many->name, name) != 0 ||
            !is_meant(facts, many) || find_threads(facts, many, true) != many)
            continue;
        one = find_threads(facts, many, false);
        if (!one)
            continue;
        fact = am_fact_over(many, one, facts->arena);
        fact.name = "speedup";
        fact.what = "rate of these threads over that of one";
        fact.kind = AM_FACT_TYPICAL;
        am_facts_offer(facts, fact);
    }
}

/* ---- asking ---- */

bool am_fact_is(const struct am_fact *fact, const char *name)
{
    const size_t n = strlen(fact->family);

    return strncmp(name, fact->family, n) == 0 && name[n] == '.' &&
           strcmp(name + n + 1, fact->name) == 0;
}

const struct am_fact *am_facts_next(const struct am_facts *facts, const char *name,
                                    const char *where, const struct am_fact *after)
{
    for (size_t i = after ? (size_t)(after - facts->items) + 1 : 0; i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];

        if (am_fact_is(f, name) && (names_place(where) || is_meant(facts, f)) &&
            am_where_matches(where, f->labels, f->n_labels))
            return f;
    }
    return NULL;
}

const struct am_fact *am_facts_only(const struct am_facts *facts, const char *name,
                                    const char *where)
{
    const struct am_fact *const f = am_facts_next(facts, name, where, NULL);

    return f && !am_facts_next(facts, name, where, f) ? f : NULL;
}

static const struct am_fact *extreme(const struct am_facts *facts, const char *name,
                                     const char *where, double sign)
{
    const struct am_fact *best = NULL;

    for (const struct am_fact *f = am_facts_next(facts, name, where, NULL); f;
         f = am_facts_next(facts, name, where, f)) {
        if (!best || sign * f->value > sign * best->value)
            best = f;
    }
    return best;
}

const struct am_fact *am_facts_most(const struct am_facts *facts, const char *name,
                                    const char *where)
{
    return extreme(facts, name, where, 1);
}

const struct am_fact *am_facts_least(const struct am_facts *facts, const char *name,
                                     const char *where)
{
    return extreme(facts, name, where, -1);
}

double am_facts_value(const struct am_facts *facts, const char *name, const char *where)
{
    const struct am_fact *const f = am_facts_only(facts, name, where);

    return f ? f->value : NAN;
}

static const struct am_result_param *label_of(const struct am_fact *fact, const char *key)
{
    for (size_t i = 0; i < fact->n_labels; i++) {
        if (strcmp(fact->labels[i].name, key) == 0)
            return &fact->labels[i];
    }
    return NULL;
}

const char *am_fact_text(const struct am_fact *fact, const char *key)
{
    const struct am_result_param *const label = label_of(fact, key);

    return label ? label->text : NULL;
}

double am_fact_number(const struct am_fact *fact, const char *key)
{
    const char *const text = am_fact_text(fact, key);
    double value;

    return text && am_parse_f64(text, strlen(text), &value) ? value : NAN;
}

/* Whether every label of `a` outside `except` is in `b` with the same value. */
static bool covers(const struct am_fact *a, const struct am_fact *b, const char *except)
{
    for (size_t i = 0; i < a->n_labels; i++) {
        if (!am_names_hold(except, a->labels[i].name) &&
            !am_param_same(&a->labels[i], label_of(b, a->labels[i].name)))
            return false;
    }
    return true;
}

bool am_fact_alike(const struct am_fact *a, const struct am_fact *b, const char *except)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->name, b->name) == 0 &&
           covers(a, b, except) && covers(b, a, except);
}

bool am_fact_is_decided(const struct am_fact *fact)
{
    static const double least = 0.8; /* what two intervals of five launches leave */

    return isnan(fact->ci.coverage) || fact->ci.coverage >= least;
}

enum am_fact_side am_fact_side(const struct am_fact *fact, double limit)
{
    if (!am_fact_is_decided(fact))
        return AM_SIDE_OPEN;
    return fact->ci.lo > limit ? AM_SIDE_ABOVE : fact->ci.hi < limit ? AM_SIDE_BELOW : AM_SIDE_OPEN;
}

enum am_fact_side am_facts_side(const struct am_fact *a, const struct am_fact *b, double limit)
{
    return a->ci.lo > limit * b->ci.hi   ? AM_SIDE_ABOVE
           : a->ci.hi < limit * b->ci.lo ? AM_SIDE_BELOW
                                         : AM_SIDE_OPEN;
}
