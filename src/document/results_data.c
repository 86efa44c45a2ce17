/* SPDX-License-Identifier: MIT */
/* Results for programs: the tree, and a flat table with one row per point and metric. Values are in
 * SI units. */
#include "document/findings.h"
#include "document/results.h"
#include "document/run.h"
#include "document/verification.h"
#include "evidence/evidence.h"

#include <math.h>
#include <string.h>

enum { PARAMS_MAX = 100 };

/* ---- the tree ---- */

static const struct am_summary *summary_of(const struct am_result_metric *m)
{
    return m->has_summary ? &m->summary : &am_summary_none;
}

/* NAN where there is a bound in its place. */
static double median_of(const struct am_summary *s, const char *unit)
{
    return isfinite(am_evidence_bound(&s->ci, unit)) ? (double)NAN : s->median;
}

static void tell_metric(struct am_data *d, const struct am_result_metric *m)
{
    const struct am_summary *const s = summary_of(m);

    am_data_object(d, m->name);
    am_data_text(d, "unit", m->unit);
    am_data_text(d, "better", am_better_name(m->better));
    am_data_number(d, "median", median_of(s, m->unit));
    am_data_number(d, "bound", am_evidence_bound(&s->ci, m->unit));
    am_data_range(d, "ci", s->ci.lo, s->ci.hi);
    am_data_number(d, "coverage", s->ci.coverage);
    am_data_number(d, "systematic", s->systematic);
    am_data_number(d, "min", s->min);
    am_data_number(d, "max", s->max);
    am_data_number(d, "p5", s->p5);
    am_data_number(d, "p95", s->p95);
    am_data_number(d, "mad", s->mad);
    am_data_number(d, "within", s->within);
    am_data_number(d, "between", s->between);
    am_data_unsigned(d, "launches", s->launches);
    am_data_unsigned(d, "samples", s->samples);
    am_data_unsigned(d, "disturbed", s->disturbed);
    am_data_bool(d, "bimodal", s->bimodal);
    if (m->has_summary)
        am_data_grading(d, m->grading);
    am_data_object_end(d);
}

static void tell_result(struct am_data *d, const struct am_result *r)
{
    am_data_object(d, NULL);
    am_data_text(d, "bench", r->bench);
    am_data_unsigned(d, "version", r->version);
    am_data_text(d, "worker", r->worker);
    am_data_point(d, "point", r);
    am_data_text(d, "state", am_point_states[r->state]);
    am_data_text(d, "reason", r->reason);
    am_data_text(d, "stop_reason", am_stop_reason_word(r->stop_reason));
    am_data_unsigned(d, "failures", r->failures);
    am_data_number(d, "residual", r->residual);
    am_data_object(d, "metrics");
    for (size_t i = 0; r->state == AM_POINT_OK && i < r->n_metrics; i++)
        tell_metric(d, &r->metrics[i]);
    am_data_object_end(d);
    am_data_object_end(d);
}

static void tell_failures(struct am_data *d, const struct am_result_set *set)
{
    am_data_array(d, "failures");
    for (size_t i = 0; i < set->n_failures; i++) {
        const struct am_failure *const f = &set->failures[i];

        am_data_object(d, NULL);
        am_data_text(d, "bench", f->bench);
        am_data_text(d, "point", f->text);
        am_data_unsigned(d, "round", f->round);
        am_data_text(d, "kind", am_failure_kinds[f->kind]);
        am_data_text(d, "reason", f->reason);
        am_data_text(d, "output", f->output);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

/* Of merged files only. */
static void tell_nodes(struct am_data *d, const struct am_nodes *nodes)
{
    if (nodes->n == 0)
        return;
    am_data_array(d, "nodes");
    for (size_t i = 0; i < nodes->n; i++) {
        const struct am_node *const node = &nodes->items[i];

        am_data_object(d, NULL);
        am_data_text(d, "name", node->name);
        am_data_text(d, "state", am_node_states[node->state]);
        am_data_text(d, "reason", node->reason);
        am_data_unsigned(d, "points", node->points);
        am_data_unsigned(d, "ok", node->ok);
        am_data_pairs(d, "facts", &node->facts);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

void am_results_data(struct am_data *d, const void *self)
{
    const struct am_result_set *const set = self;

    am_data_run(d, "run", set);
    am_data_machine(d, &set->machine);
    am_data_pairs(d, "environment", &set->environment);
    am_data_pairs(d, "settings", &set->settings);
    am_data_seal(d, &set->seal);
    am_data_pairs(d, "build", &set->build);
    am_data_findings(d, &set->findings);
    tell_nodes(d, &set->nodes);
    am_data_array(d, "results");
    for (size_t i = 0; i < set->n; i++)
        tell_result(d, &set->results[i]);
    am_data_array_end(d);
    tell_failures(d, set);
}

/* ---- the flat table ---- */

/* Names of all axes in the set, in order of appearance. */
static size_t axis_names(const struct am_result_set *set, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        for (size_t p = 0; p < set->results[i].n_params; p++) {
            const char *const name = set->results[i].params[p].name;
            size_t k = 0;

            while (k < n && strcmp(names[k], name) != 0)
                k++;
            if (k == n && n < PARAMS_MAX)
                names[n++] = name;
        }
    }
    return n;
}

static void add_metric(struct am_table *t, const struct am_result_metric *m)
{
    const struct am_summary *const s = summary_of(m);
    const double numbers[] = {median_of(s, m->unit),
                              am_evidence_bound(&s->ci, m->unit),
                              s->ci.lo,
                              s->ci.hi,
                              s->ci.coverage,
                              s->systematic,
                              s->min,
                              s->max,
                              s->p5,
                              s->p95,
                              s->mad,
                              s->within,
                              s->between};
    const size_t counts[] = {s->launches, s->samples, s->disturbed, s->bimodal};

    (void)am_table_text(t, m->name);
    (void)am_table_text(t, m->unit);
    (void)am_table_text(t, am_better_name(m->better));
    for (size_t i = 0; m->has_summary && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        (void)am_table_number(t, AM_FORM_NUMBER, numbers[i]);
    for (size_t i = 0; m->has_summary && i < sizeof(counts) / sizeof(counts[0]); i++)
        (void)am_table_number(t, AM_FORM_COUNT, (double)counts[i]);
    if (m->has_summary)
        (void)am_table_text(t, am_grade_names[m->grading.grade]);
}

static void add_row(struct am_table *t, const struct am_result *r, const char *const *names,
                    size_t n, const struct am_result_metric *metric)
{
    am_table_row(t);
    (void)am_table_text(t, r->bench);
    (void)am_table_number(t, AM_FORM_COUNT, r->version);
    for (size_t k = 0; k < n; k++) {
        const struct am_result_param *param = NULL;

        for (size_t p = 0; p < r->n_params; p++)
            param = strcmp(r->params[p].name, names[k]) == 0 ? &r->params[p] : param;
        (void)am_table_param(t, param ? param->kind : AM_AXIS_NAME, param ? param->text : NULL);
    }
    (void)am_table_text(t, am_point_states[r->state]);
    (void)am_table_text(t, r->reason);
    (void)am_table_text(t, am_stop_reason_word(r->stop_reason));
    if (metric)
        add_metric(t, metric);
}

void am_results_rows(struct am_body *b, const struct am_result_set *set)
{
    static const struct am_column before[] = {{.key = "bench"}, {.key = "version"}};
    static const struct am_column after[] = {
        {.key = "state"},   {.key = "reason"},    {.key = "stop_reason"}, {.key = "metric"},
        {.key = "unit"},    {.key = "better"},    {.key = "median"},      {.key = "bound"},
        {.key = "ci_lo"},   {.key = "ci_hi"},     {.key = "coverage"},    {.key = "systematic"},
        {.key = "min"},     {.key = "max"},       {.key = "p5"},          {.key = "p95"},
        {.key = "mad"},     {.key = "within"},    {.key = "between"},     {.key = "launches"},
        {.key = "samples"}, {.key = "disturbed"}, {.key = "bimodal"},     {.key = "grade"}};
    const char *names[PARAMS_MAX];
    const size_t n = axis_names(set, names);
    struct am_table *const t = am_block_table(b, before, sizeof(before) / sizeof(before[0]));

    for (size_t i = 0; i < n; i++)
        am_table_column(t,
                        (struct am_column){.key = am_arena_printf(b->arena, "point.%s", names[i])});
    am_table_columns(t, after, sizeof(after) / sizeof(after[0]));
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const bool measured = r->state == AM_POINT_OK && r->n_metrics > 0;

        for (size_t m = 0; m < (measured ? r->n_metrics : 1); m++)
            add_row(t, r, names, n, measured ? &r->metrics[m] : NULL);
    }
}
