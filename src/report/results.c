/* SPDX-License-Identifier: MIT */
/* Results in their chosen format, and the formats that are for programs: JSON and CSV. */
#include "report/results.h"

#include "base/text.h"
#include "report/grid.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { JSON_SCHEMA = 1, JSON_PRETTY = 3, PARAMS_MAX = 64 };

void am_report_results(const struct am_result_set *set, const struct am_style *style,
                       struct am_arena *arena, FILE *out)
{
    if (style->format == AM_FORMAT_JSON)
        am_report_results_json(set, out);
    else if (style->format == AM_FORMAT_CSV)
        am_report_results_csv(set, arena, out);
    else
        am_report_results_text(set, style, arena, out);
}

static const char *fact(const struct am_kvs *facts, const char *key)
{
    const char *value = am_kvs_get(facts, key);

    return value ? value : "unknown";
}

void am_report_machine_line(const struct am_kvs *machine, char *buf, size_t cap)
{
    const char *packages = fact(machine, "packages");
    const char *cores = fact(machine, "cores"), *threads = fact(machine, "threads");

    (void)am_str_format(buf, cap, "%s, %s%s%s core%s, %s thread%s, %s GiB",
                        fact(machine, "model_name"), strcmp(packages, "1") == 0 ? "" : packages,
                        strcmp(packages, "1") == 0 ? "" : " packages, ", cores,
                        strcmp(cores, "1") == 0 ? "" : "s", threads,
                        strcmp(threads, "1") == 0 ? "" : "s", fact(machine, "memory_gib"));
}

const char *am_better_name(enum am_better better)
{
    return better == AM_LOWER ? "lower" : "higher";
}

/* ---- JSON ---- */

static void json_settings(struct am_json *j, const struct am_plan_settings *s)
{
    am_json_object(j, "settings");
    am_json_unsigned(j, "min_launches", s->min_launches);
    am_json_unsigned(j, "max_launches", s->max_launches);
    am_json_number(j, "target", s->target);
    am_json_number(j, "budget_s", s->budget_s);
    am_json_number(j, "launch_limit_s", s->launch_limit_s);
    am_json_unsigned(j, "min_batch_ns", s->sampler.min_batch_ns);
    am_json_unsigned(j, "max_point_ns", s->sampler.max_point_ns);
    am_json_unsigned(j, "warmup", s->sampler.warmup);
    am_json_unsigned(j, "samples", s->sampler.samples);
    am_json_unsigned(j, "extra", s->sampler.extra);
    am_json_number(j, "drift_limit", s->sampler.drift_limit);
    am_json_object_end(j);
}

void am_json_run(struct am_json *j, const char *key, const struct am_result_set *set)
{
    const struct am_run_info *run = &set->run;
    char seed[AM_UNITS_MAX];

    /* as text: 64 bits do not survive readers that keep numbers as doubles */
    (void)am_str_format(seed, sizeof(seed), "%llu", (unsigned long long)run->settings.seed);
    am_json_object(j, key);
    am_json_string(j, "name", run->name);
    am_json_string(j, "version", run->version);
    am_json_string(j, "command", run->command);
    am_json_string(j, "started", run->started);
    am_json_string(j, "ended", run->ended);
    am_json_string(j, "state", am_run_states[run->state]);
    am_json_string(j, "label", run->label);
    am_json_bool(j, "synthetic", run->synthetic);
    am_json_string(j, "profile", am_profile_name(run->settings.profile));
    am_json_string(j, "seed", seed);
    am_json_unsigned(j, "launches", set->launches);
    json_settings(j, &run->settings);
    am_json_object_end(j);
}

void am_json_facts(struct am_json *j, const char *key, const struct am_kvs *facts)
{
    am_json_object(j, key);
    for (size_t i = 0; i < facts->n; i++)
        am_json_string(j, facts->items[i].key, facts->items[i].value);
    am_json_object_end(j);
}

static void json_param(struct am_json *j, const struct am_result_param *param)
{
    const size_t len = strlen(param->text);
    int64_t i;
    double r;

    if ((param->kind == AM_AXIS_INT || param->kind == AM_AXIS_SIZE) &&
        am_parse_i64(param->text, len, &i))
        am_json_integer(j, param->name, i);
    else if (param->kind == AM_AXIS_REAL && am_parse_f64(param->text, len, &r))
        am_json_number(j, param->name, r);
    else
        am_json_string(j, param->name, param->text);
}

void am_json_point(struct am_json *j, const char *key, const struct am_result *result)
{
    am_json_object(j, key);
    for (size_t i = 0; i < result->n_params; i++)
        json_param(j, &result->params[i]);
    am_json_object_end(j);
}

void am_json_findings(struct am_json *j, const char *key, const struct am_findings *findings)
{
    am_json_array(j, key);
    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *f = &findings->items[i];

        am_json_object(j, NULL);
        am_json_string(j, "id", f->id);
        am_json_string(j, "area", f->area);
        am_json_string(j, "level", am_level_name(f->level));
        am_json_string(j, "value", f->value);
        am_json_string(j, "effect", f->effect);
        am_json_string(j, "remedy", f->remedy);
        am_json_object_end(j);
    }
    am_json_array_end(j);
}

static void json_metric(struct am_json *j, const struct am_result_metric *metric)
{
    struct am_summary s;

    if (!am_summarise(&metric->series, &s))
        s = (struct am_summary){NAN, {NAN, NAN, 0}, NAN, NAN, NAN, NAN,  NAN,
                                NAN, NAN,           0,   0,   0,   false};
    am_json_object(j, metric->name);
    am_json_string(j, "unit", metric->unit);
    am_json_string(j, "better", am_better_name(metric->better));
    am_json_number(j, "median", s.median);
    am_json_array(j, "ci");
    am_json_number(j, NULL, s.ci.lo);
    am_json_number(j, NULL, s.ci.hi);
    am_json_array_end(j);
    am_json_number(j, "coverage", s.ci.coverage);
    am_json_number(j, "min", s.min);
    am_json_number(j, "max", s.max);
    am_json_number(j, "p5", s.p5);
    am_json_number(j, "p95", s.p95);
    am_json_number(j, "mad", s.mad);
    am_json_number(j, "within", s.within);
    am_json_number(j, "between", s.between);
    am_json_unsigned(j, "launches", s.launches);
    am_json_unsigned(j, "samples", s.samples);
    am_json_unsigned(j, "disturbed", s.disturbed);
    am_json_bool(j, "bimodal", s.bimodal);
    am_json_object_end(j);
}

static void json_result(struct am_json *j, const struct am_result *r)
{
    am_json_object(j, NULL);
    am_json_string(j, "bench", r->bench);
    am_json_unsigned(j, "version", r->version);
    am_json_string(j, "worker", r->worker);
    am_json_point(j, "point", r);
    am_json_string(j, "state", am_point_states[r->state]);
    am_json_string(j, "reason", r->reason);
    am_json_string(j, "stop_reason", am_stop_reason_word(r->stop_reason));
    am_json_unsigned(j, "failures", r->failures);
    am_json_number(j, "residual", r->residual);
    am_json_object(j, "metrics");
    for (size_t i = 0; r->state == AM_POINT_OK && i < r->n_metrics; i++)
        json_metric(j, &r->metrics[i]);
    am_json_object_end(j);
    am_json_object_end(j);
}

static void json_failures(struct am_json *j, const struct am_result_set *set)
{
    am_json_array(j, "failures");
    for (size_t i = 0; i < set->n_failures; i++) {
        const struct am_failure *f = &set->failures[i];

        am_json_object(j, NULL);
        am_json_string(j, "bench", f->bench);
        am_json_string(j, "point", f->text);
        am_json_unsigned(j, "round", f->round);
        am_json_string(j, "kind", am_failure_kinds[f->kind]);
        am_json_string(j, "reason", f->reason);
        am_json_string(j, "output", f->output);
        am_json_object_end(j);
    }
    am_json_array_end(j);
}

/* Of merged files only. */
static void json_nodes(struct am_json *j, const struct am_nodes *nodes)
{
    if (nodes->n == 0)
        return;
    am_json_array(j, "nodes");
    for (size_t i = 0; i < nodes->n; i++) {
        const struct am_node *const node = &nodes->items[i];

        am_json_object(j, NULL);
        am_json_string(j, "name", node->name);
        am_json_string(j, "state", am_node_states[node->state]);
        am_json_string(j, "reason", node->reason);
        am_json_unsigned(j, "points", node->points);
        am_json_unsigned(j, "ok", node->ok);
        am_json_facts(j, "facts", &node->facts);
        am_json_object_end(j);
    }
    am_json_array_end(j);
}

void am_report_results_json(const struct am_result_set *set, FILE *out)
{
    struct am_json j;

    am_json_init(&j, out, JSON_PRETTY);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", JSON_SCHEMA);
    am_json_run(&j, "run", set);
    am_json_facts(&j, "machine", &set->machine);
    am_json_facts(&j, "environment", &set->environment);
    am_json_facts(&j, "settings", &set->settings);
    am_json_facts(&j, "build", &set->build);
    am_json_findings(&j, "findings", &set->findings);
    json_nodes(&j, &set->nodes);
    am_json_array(&j, "results");
    for (size_t i = 0; i < set->n; i++)
        json_result(&j, &set->results[i]);
    am_json_array_end(&j);
    json_failures(&j, set);
    am_json_object_end(&j);
}

/* ---- CSV: one row a point and metric, values in SI units ---- */

/* Names of all axes in the set, in order of appearance. */
static size_t axis_names(const struct am_result_set *set, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        for (size_t p = 0; p < set->results[i].n_params; p++) {
            const char *name = set->results[i].params[p].name;
            size_t k = 0;

            while (k < n && strcmp(names[k], name) != 0)
                k++;
            if (k == n && n < PARAMS_MAX)
                names[n++] = name;
        }
    }
    return n;
}

static void csv_params(struct am_grid *g, const struct am_result *r, const char *const *names,
                       size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *text = NULL;

        for (size_t p = 0; p < r->n_params; p++) {
            if (strcmp(r->params[p].name, names[k]) == 0)
                text = r->params[p].text;
        }
        am_grid_cell(g, text);
    }
}

static void csv_summary(struct am_grid *g, const struct am_result_metric *metric)
{
    struct am_summary s;

    am_grid_cell(g, metric->name);
    am_grid_cell(g, metric->unit);
    am_grid_cell(g, am_better_name(metric->better));
    if (!am_summarise(&metric->series, &s))
        return;
    const double numbers[] = {s.median, s.ci.lo, s.ci.hi, s.ci.coverage, s.min,    s.max,
                              s.p5,     s.p95,   s.mad,   s.within,      s.between};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        am_grid_number(g, numbers[i]);
    am_grid_cellf(g, "%zu", s.launches);
    am_grid_cellf(g, "%zu", s.samples);
    am_grid_cellf(g, "%zu", s.disturbed);
    am_grid_cell(g, s.bimodal ? "1" : "0");
}

static void csv_row(struct am_grid *g, const struct am_result *r, const char *const *names,
                    size_t n, const struct am_result_metric *metric)
{
    am_grid_row(g);
    am_grid_cell(g, r->bench);
    am_grid_cellf(g, "%u", r->version);
    csv_params(g, r, names, n);
    am_grid_cell(g, am_point_states[r->state]);
    am_grid_cell(g, r->reason);
    am_grid_cell(g, am_stop_reason_word(r->stop_reason));
    if (metric)
        csv_summary(g, metric);
}

void am_report_results_csv(const struct am_result_set *set, struct am_arena *arena, FILE *out)
{
    static const char *const before[] = {"bench", "version"};
    static const char *const after[] = {
        "state", "reason", "stop_reason", "metric",   "unit",    "better",    "median",
        "ci_lo", "ci_hi",  "coverage",    "min",      "max",     "p5",        "p95",
        "mad",   "within", "between",     "launches", "samples", "disturbed", "bimodal"};
    const struct am_style style = {.format = AM_FORMAT_CSV};
    const char *names[PARAMS_MAX];
    const size_t n = axis_names(set, names);
    struct am_grid g;

    am_grid_init(&g, arena);
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        am_grid_column(&g, before[i], AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < n; i++) {
        char title[AM_NAME_MAX + 8];

        (void)am_str_format(title, sizeof(title), "point.%s", names[i]);
        am_grid_column(&g, title, AM_ALIGN_LEFT, 0);
    }
    for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
        am_grid_column(&g, after[i], AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *r = &set->results[i];
        const bool measured = r->state == AM_POINT_OK && r->n_metrics > 0;

        for (size_t m = 0; m < (measured ? r->n_metrics : 1); m++)
            csv_row(&g, r, names, n, measured ? &r->metrics[m] : NULL);
    }
    (void)am_grid_write(&g, &style, 0, out);
}
