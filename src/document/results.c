/* SPDX-License-Identifier: MIT */
/* Results for people: a table per bench with the axes that vary, every metric with its own spread,
 * the best value, counts, grade and notes; below it what was not measured and why; at the end what
 * the words mean. */
#include "document/results.h"

#include "base/text.h"
#include "document/nodes.h"
#include "document/points.h"
#include "document/run.h"
#include "document/units.h"
#include "evidence/standards.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where a terminal is narrow, higher ranks go first; spread, extremes and notes stay. */
enum rank { RANK_KEEP, RANK_GRADE, RANK_OTHER, RANK_OTHER_SPREAD, RANK_COUNT, RANK_BAR };

enum { LINE_BYTES = 1024, TABLE_INDENT = 2 };

/* The consecutive results of one bench. */
struct group {
    const struct am_result *first;
    size_t n, ok;
    const struct am_result *shape;  /* the first that has metrics, else the first */
    const struct am_points *points; /* in the arena: charts refer to it */
    double most;                    /* highest median of the primary metric: a full bar */
    const bool *picked;             /* the points that have a row; NULL: all */
};

/* What the footer has to explain. */
struct seen {
    double worst_coverage; /* of the intervals shown */
    uint32_t reasons;      /* of results of grade C */
    bool spread, disturbed, bimodal, max_launches, out_of_reach, negative, bounded;
    bool fixed; /* as many launches as were asked for: no target was worked for */
};

static struct seen nothing_seen(const struct am_result_set *set)
{
    const struct am_plan_settings *const settings = &set->run.settings;

    return (struct seen){.worst_coverage = 1,
                         .fixed = settings->min_launches == settings->max_launches};
}

static const struct am_result_metric *metric_of(const struct am_result *r, const char *name)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, name) == 0)
            return &r->metrics[i];
    }
    return NULL;
}

static struct group group_at(const struct am_result_set *set, size_t i, struct am_arena *arena)
{
    static const struct am_points none;
    struct group g = {.first = &set->results[i], .shape = &set->results[i]};
    struct am_points *const points = am_arena_alloc(arena, sizeof(*points));

    g.points = points ? points : &none;
    for (; i < set->n && am_points_together(g.first, &set->results[i]); i++) {
        const struct am_result *const r = &set->results[i];

        if (g.shape->n_metrics == 0)
            g.shape = r;
        if (points)
            am_points_add(points, r);
        g.n++;
        g.ok += r->state == AM_POINT_OK;
        if (r->state == AM_POINT_OK && r->n_metrics > 0 && r->metrics[0].has_summary)
            g.most = fmax(g.most, r->metrics[0].summary.median);
    }
    return g;
}

/* ---- which metrics stand together ---- */

/* The metrics of one table: the bench's own, or what was measured beside time ("energy:package",
 * "count:PAPI_L2_TCM"), which would make the first too wide. */
struct part {
    size_t metrics[AM_METRICS_MAX]; /* indices into the shape's */
    size_t n;
    const char *scope; /* heading, with the names before the colon as columns; NULL: whole names */
    bool own;
};

/* "package" of "energy:package"; NULL for the bench's own. */
static const char *scope_of(const struct am_result_metric *m)
{
    const char *const colon = strchr(m->name, ':');

    return colon ? colon + 1 : NULL;
}

/* A scope of its own table has several metrics; others stand together in one. */
static bool shares_scope(const struct am_result *shape, size_t i)
{
    const char *const scope = scope_of(&shape->metrics[i]);

    for (size_t k = 0; scope && k < shape->n_metrics; k++) {
        const char *const other = scope_of(&shape->metrics[k]);

        if (k != i && other && strcmp(scope, other) == 0)
            return true;
    }
    return false;
}

static bool has_values(const struct group *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct am_result_metric *const m = metric_of(&g->first[i], name);

        if (m && m->has_summary)
            return true;
    }
    return false;
}

static void take(struct part *p, const struct group *g, size_t i, bool always)
{
    if (p->n < AM_METRICS_MAX && (always || has_values(g, g->shape->metrics[i].name)))
        p->metrics[p->n++] = i;
}

/* The primary metric has its column even where nothing was measured. */
static struct part own_part(const struct group *g)
{
    struct part p = {.own = true};

    for (size_t i = 0; i < g->shape->n_metrics; i++) {
        if (i == 0 || !scope_of(&g->shape->metrics[i]))
            take(&p, g, i, i == 0);
    }
    return p;
}

/* Of the metrics beside time: those of one scope, or (NULL) those that share theirs with none. */
static struct part beside_part(const struct group *g, const char *scope)
{
    struct part p = {.scope = scope};

    for (size_t i = 1; i < g->shape->n_metrics; i++) {
        const char *const of = scope_of(&g->shape->metrics[i]);
        const bool shared = shares_scope(g->shape, i);

        if (of && (scope ? shared && strcmp(of, scope) == 0 : !shared))
            take(&p, g, i, false);
    }
    return p;
}

/* ---- one table ---- */

static void add_columns(struct am_table *t, const struct group *g, const struct part *p)
{
    am_points_columns(g->points, t);
    for (size_t i = 0; i < p->n; i++) {
        const struct am_result_metric *const m = &g->shape->metrics[p->metrics[i]];
        const size_t len = p->scope ? strcspn(m->name, ":") : strlen(m->name);
        const bool first = i == 0;

        am_table_column(t, (struct am_column){.title = am_arena_strndup(t->arena, m->name, len),
                                              .right = true,
                                              .rank = first ? RANK_KEEP : RANK_OTHER});
        am_table_column(t, (struct am_column){.title = "±",
                                              .right = true,
                                              .rank = first ? RANK_KEEP : RANK_OTHER_SPREAD});
        if (!first || !p->own)
            continue;
        am_table_column(
            t, (struct am_column){.title = m->better == AM_LOWER ? "min" : "max", .right = true});
        if (g->ok > 1 && g->most > 0)
            am_table_column(t, (struct am_column){.title = "", .rank = RANK_BAR});
    }
    if (!p->own)
        return;
    am_table_column(t, (struct am_column){.title = "count", .right = true, .rank = RANK_COUNT});
    am_table_column(t, (struct am_column){.title = "grade", .rank = RANK_GRADE});
    am_table_column(t, (struct am_column){.title = "notes", .flow = true});
}

static void add_spread(struct am_table *t, const struct am_summary *s, struct seen *seen)
{
    const double precision = s->launches > 1 ? am_summary_precision(s) : INFINITY;
    struct am_table_cell *const cell = am_table_number(t, AM_FORM_PRECISION, precision);

    cell->lo = (s->median - s->ci.lo) / fabs(s->median);
    cell->hi = (s->ci.hi - s->median) / fabs(s->median);
    if (!isfinite(precision))
        return;
    seen->spread = true;
    seen->worst_coverage = fmin(seen->worst_coverage, s->ci.coverage);
}

/* Of a time less a reference the extreme below zero is the sample whose reference was disturbed
 * most: no value of the construct. */
static double best_of(const struct am_result_metric *m, const struct am_summary *s)
{
    const double best = m->better == AM_LOWER ? s->min : s->max;

    return m->systematic.difference && best < 0 && s->median > 0 ? NAN : best;
}

static void add_metric(struct am_table *t, const struct group *g, const struct am_result_metric *m,
                       bool primary, struct seen *seen)
{
    const struct am_summary *const s = m->has_summary ? &m->summary : &am_summary_none;
    const bool bounded = isfinite(am_evidence_bound(&s->ci, m->unit));
    struct am_table_cell *const cell =
        am_table_known(t, AM_FORM_QUANTITY, s->median, &s->ci, m->unit);
    const double best = best_of(m, s);

    cell->tone = primary ? AM_TONE_STRONG : AM_TONE_PLAIN;
    cell->grade = m->grading.grade;
    seen->bounded |= bounded;
    if (bounded)
        (void)am_table_number(t, AM_FORM_PRECISION, NAN);
    else
        add_spread(t, s, seen);
    if (!primary)
        return;
    (void)am_table_quantity(t, AM_FORM_QUANTITY, bounded ? NAN : best, m->unit);
    if (g->ok > 1 && g->most > 0)
        (void)am_table_number(t, AM_FORM_BAR, s->median / g->most);
}

/* ---- notes ---- */

__attribute__((format(printf, 2, 3))) static void add_note(char *notes, const char *fmt, ...)
{
    const size_t used = strlen(notes);
    va_list ap;

    va_start(ap, fmt);
    (void)am_str_copy(notes + used, LINE_BYTES - used, used ? ", " : "");
    (void)vsnprintf(notes + strlen(notes), LINE_BYTES - strlen(notes), fmt, ap);
    va_end(ap);
}

/* Samples of every launch, used in the summary or not. */
static size_t samples_taken(const struct am_series *series)
{
    size_t n = 0;

    for (size_t i = 0; i < series->n; i++)
        n += series->launches[i].n;
    return n;
}

/* Surely below zero: what the interval leaves open is told by its bound. */
static bool is_negative(const struct am_result *r)
{
    const struct am_result_metric *const m = &r->metrics[0];

    return m->has_summary && m->summary.median < 0 &&
           !isfinite(am_evidence_bound(&m->summary.ci, m->unit));
}

static void add_notes(struct am_table *t, const struct am_result *r, const struct am_summary *s,
                      struct seen *seen)
{
    const bool used_up = seen->fixed && r->stop_reason == AM_STOP_MAX_LAUNCHES;
    char notes[LINE_BYTES] = "";

    if (is_negative(r))
        add_note(notes, "negative");
    if (s->bimodal)
        add_note(notes, "two modes");
    if (s->disturbed)
        add_note(notes, "%zu of %zu disturbed", s->disturbed, samples_taken(&r->metrics[0].series));
    if (r->failures)
        add_note(notes, "%zu launch%s failed", r->failures, r->failures == 1 ? "" : "es");
    if (r->stop_reason == AM_STOP_OPEN)
        add_note(notes, "unfinished");
    else if (r->stop_reason != AM_STOP_TARGET && !used_up)
        add_note(notes, "%s", am_stop_reasons[r->stop_reason]);
    seen->out_of_reach |= r->stop_reason == AM_STOP_OUT_OF_REACH;
    seen->max_launches |= r->stop_reason == AM_STOP_MAX_LAUNCHES && !used_up;
    seen->negative |= is_negative(r);
    seen->bimodal |= s->bimodal;
    seen->disturbed |= s->disturbed > 0;
    (void)am_table_textf(t, "%s", notes);
}

static void add_quality(struct am_table *t, const struct am_result *r, struct seen *seen)
{
    const struct am_result_metric *const m = &r->metrics[0];
    const struct am_summary *const s = m->has_summary ? &m->summary : &am_summary_none;

    (void)am_table_textf(t, "%zu/%zu", s->launches, s->samples);
    am_table_text(t, m->has_summary ? am_grade_names[m->grading.grade] : "")->grade =
        m->grading.grade;
    if (m->has_summary && m->grading.grade == AM_GRADE_C)
        seen->reasons |= m->grading.reasons;
    add_notes(t, r, s, seen);
}

static void add_table(struct am_body *b, const struct group *g, const struct part *p,
                      struct seen *seen)
{
    struct am_table *const t = am_block_table(b, NULL, 0);

    t->indent = TABLE_INDENT;
    t->tall = g->n > 24;
    add_columns(t, g, p);
    for (size_t i = 0; i < g->n; i++) {
        const struct am_result *const r = &g->first[i];

        if (r->state != AM_POINT_OK || r->n_metrics == 0 || (g->picked && !g->picked[i]))
            continue;
        am_table_row(t);
        am_points_cells(g->points, r, t);
        for (size_t k = 0; k < p->n; k++) {
            const struct am_result_metric *const shape = &g->shape->metrics[p->metrics[k]];
            const struct am_result_metric *const m = metric_of(r, shape->name);
            const struct am_result_metric absent = {.name = shape->name, .unit = shape->unit};

            add_metric(t, g, m ? m : &absent, k == 0 && p->own, seen);
        }
        if (p->own)
            add_quality(t, r, seen);
    }
}

/* What was measured beside time, below the bench's own table. */
static void add_beside(struct am_body *b, const struct group *g, struct seen *seen)
{
    const struct part rest = beside_part(g, NULL);

    for (size_t i = 1; i < g->shape->n_metrics; i++) {
        const char *const scope = scope_of(&g->shape->metrics[i]);
        const struct part p = beside_part(g, scope ? scope : "");

        if (!scope || p.n == 0 || p.metrics[0] != i)
            continue; /* a scope is written at the first of its metrics */
        (void)am_block_add(b, AM_BLOCK_SUBHEADING, g->first->bench, scope);
        add_table(b, g, &p, seen);
    }
    if (rest.n == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_SUBHEADING, g->first->bench, "beside time");
    add_table(b, g, &rest, seen);
}

/* ---- points without values ---- */

static bool same_reason(const struct am_result *a, const struct am_result *b)
{
    return a->state == b->state &&
           strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "") == 0;
}

/* Points that share state and reason are told in one line, at the first of them. */
static void tell_others(struct am_body *b, const struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct am_result *const r = &g->first[i];
        const char *label, *more = "";
        size_t k = 0, others = 0;

        while (k < i && !same_reason(r, &g->first[k]))
            k++;
        if (r->state == AM_POINT_OK || k < i)
            continue;
        for (k = i + 1; k < g->n; k++)
            others += same_reason(r, &g->first[k]);
        if (others)
            more = am_arena_printf(b->arena, " and %zu more", others);
        label = am_arena_printf(b->arena, "%s: ", am_point_states[r->state]);
        am_block_addf(b, AM_BLOCK_PARAGRAPH, label, "%s%s%s%s", r->text, more ? more : "",
                      r->reason ? ": " : "", r->reason ? r->reason : "")
            ->indent = TABLE_INDENT;
    }
}

static void add_group(struct am_body *b, const struct am_result_set *set, const struct group *g,
                      struct seen *seen)
{
    const struct part own = own_part(g);
    struct am_block *chart;

    if (g->ok > 0) {
        add_table(b, g, &own, seen);
        add_beside(b, g, seen);
    }
    chart = am_block_add(b, AM_BLOCK_CHART, NULL, NULL);
    chart->points = g->points;
    chart->results = g->first;
    chart->n = g->n;
    tell_others(b, g);
    for (size_t i = 0; i < g->n; i++)
        am_steady_blocks(b, &g->first[i], set);
}

/* A bench in short. */
static void add_short(struct am_body *b, const struct am_result_set *set, struct group *g,
                      struct seen *seen)
{
    const struct part own = own_part(g);

    g->picked = am_results_pick(b, g->first, g->n);
    if (g->picked && g->ok > 0)
        add_table(b, g, &own, seen);
    tell_others(b, g);
    am_block_addf(b, AM_BLOCK_PARAGRAPH, "all: ", "archmeter show %s %s",
                  set->run.name ? set->run.name : "FILE", g->first->bench)
        ->indent = TABLE_INDENT;
}

/* ---- the whole ---- */

static void tell_head(struct am_body *b, const struct am_result_set *set)
{
    const struct am_run_info *const run = &set->run;

    (void)am_block_add(b, AM_BLOCK_LINE, "machine", am_machine_line(&set->machine, b->arena));
    (void)am_block_addf(b, AM_BLOCK_LINE, "run", "%s%s  %s  %s profile, %zu launch%s, %s%s",
                        run->name ? run->name : "?", am_run_label(run, b->arena),
                        run->started ? run->started : "?", am_profile_name(run->settings.profile),
                        set->launches, set->launches == 1 ? "" : "es", am_run_states[run->state],
                        run->synthetic ? ", synthetic (not this machine)" : "");
    am_nodes_blocks(b, &set->nodes);
}

/* What the standards of known latency say of the run's cycles, where they say anything. */
static void tell_standards(struct am_body *b, const struct am_result_set *set)
{
    const char *const missed = am_standards_tell(set, b->arena);

    if (missed)
        am_block_addf(b, AM_BLOCK_PARAGRAPH, "cycles   ",
                      "%s: whatever counts cycles here concludes nothing", missed)
            ->tone = AM_TONE_BAD;
}

static void tell_findings(struct am_body *b, const struct am_findings *findings)
{
    size_t unknown = 0;

    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *const f = &findings->items[i];
        const char *const level = am_level_name(f->level);

        unknown += f->level == AM_LEVEL_UNKNOWN;
        if (f->level == AM_LEVEL_WARN || f->level == AM_LEVEL_ERROR)
            am_block_addf(b, AM_BLOCK_PARAGRAPH, am_arena_printf(b->arena, "%-7s  ", level),
                          "%s: %s", f->id, f->value ? f->value : "")
                ->tone = am_level_tone(f->level);
    }
    if (unknown)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "unknown  ",
                            "%zu check%s could not look; see archmeter doctor", unknown,
                            unknown == 1 ? "" : "s");
}

static void tell_grades(struct am_body *b, uint32_t reasons)
{
    char text[LINE_BYTES];

    if (reasons)
        (void)am_block_addf(
            b, AM_BLOCK_PARAGRAPH, "grade: ",
            "A is fit to quote, B may support conclusions with its interval, C "
            "concludes nothing (here: %s).",
            am_grading_text((struct am_grading){AM_GRADE_C, reasons}, text, sizeof(text)));
}

static void tell_footer(struct am_body *b, const struct seen *seen)
{
    const struct {
        bool holds;
        const char *label, *text;
    } lines[] = {
        {seen->spread, "±: ",
         "half the 95 % confidence interval of the median of launch medians and the systematic "
         "uncertainty of the bench, relative to that median, or both sides of it where they "
         "differ; count: launches/samples used"},
        {seen->max_launches, "max-launches: ",
         "the interval was still wider than the target when the launches were used up."},
        {seen->bounded, "<: ",
         "not resolved from zero: the interval, with what may be wrong in every launch alike, "
         "holds zero, and ends here."},
        {seen->negative, "negative: ", "less than its reference took; shown as it was measured."},
        {seen->out_of_reach, "out-of-reach: ",
         "the launches differ so much that several times the number allowed would not bring the "
         "interval to the target."},
        {seen->disturbed, "disturbed: ",
         "samples during which something else ran or the clock changed; kept, re-measured, and "
         "left out of a launch's median where it has others."},
        {seen->bimodal, "two modes: ", "the values form two groups; the median may name neither."},
    };

    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (lines[i].holds)
            (void)am_block_add(b, AM_BLOCK_PARAGRAPH, lines[i].label, lines[i].text);
        if (i == 0 && seen->spread && seen->worst_coverage < 0.95)
            (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "±: ",
                                "where launches are few the interval is [min, max] and covers "
                                "less: %.1f %% at worst here",
                                seen->worst_coverage * 100);
    }
    tell_grades(b, seen->reasons);
}

static void tell_results(struct am_body *b, const struct am_result_set *set, bool in_short)
{
    struct seen seen = nothing_seen(set);

    if (b->programs) {
        am_results_rows(b, set);
        return;
    }
    tell_head(b, set);
    tell_findings(b, &set->findings);
    tell_standards(b, set);
    for (size_t i = 0; i < set->n;) {
        struct group g = group_at(set, i, b->arena);

        (void)am_block_add(b, AM_BLOCK_HEADING, g.first->bench,
                           am_points_shared(g.points, b->arena));
        if (in_short && g.n > AM_RESULTS_READ_MOST)
            add_short(b, set, &g, &seen);
        else
            add_group(b, set, &g, &seen);
        i += g.n;
    }
    if (set->n == 0)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "no results");
    tell_footer(b, &seen);
}

static void results_blocks(struct am_body *b, const void *self)
{
    tell_results(b, self, false);
}

static void short_blocks(struct am_body *b, const void *self)
{
    tell_results(b, self, true);
}

struct am_document am_document_results(const struct am_result_set *set)
{
    return (struct am_document){.self = set, .blocks = results_blocks, .data = am_results_data};
}

struct am_document am_document_results_short(const struct am_result_set *set)
{
    return (struct am_document){.self = set, .blocks = short_blocks, .data = am_results_data};
}

void am_results_folded(struct am_body *b, const struct am_result_set *set)
{
    struct seen seen = nothing_seen(set);

    for (size_t i = 0; i < set->n;) {
        const struct group g = group_at(set, i, b->arena);

        (void)am_block_add(
            b, AM_BLOCK_DETAILS,
            am_arena_printf(b->arena, "%s, %zu point%s", g.first->bench, g.n, g.n == 1 ? "" : "s"),
            NULL);
        am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, am_points_shared(g.points, b->arena))->tone =
            AM_TONE_MUTED;
        add_group(b, set, &g, &seen);
        (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
        i += g.n;
    }
    tell_footer(b, &seen);
}
