/* SPDX-License-Identifier: MIT */
/* archmeter list: benches, axes, availability and why not. */
#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/setup.h"
#include "report/grid.h"
#include "report/json.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, JSON_PRETTY = 4 };

typedef void bench_fn(void *self, const struct am_worker *worker, const struct am_bench *bench);

static void each_bench(const struct am_catalogue *catalogue, const struct am_strings *patterns,
                       bench_fn *fn, void *self)
{
    for (size_t w = 0; w < catalogue->n; w++) {
        for (size_t b = 0; b < catalogue->workers[w].n; b++) {
            if (am_catalogue_is_first(catalogue, &catalogue->workers[w].benches[b]) &&
                am_patterns_match(patterns, catalogue->workers[w].benches[b].name))
                fn(self, &catalogue->workers[w], &catalogue->workers[w].benches[b]);
        }
    }
}

/* "op type isa": the axes' names, or the metrics'. */
static void axis_line(const struct am_bench *bench, char *buf, size_t cap)
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++) {
        (void)am_str_format(buf + used, cap - used, "%s%s", i ? " " : "", bench->axes[i].name);
        used = strlen(buf);
    }
}

static void metric_line(const struct am_bench *bench, char *buf, size_t cap)
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; bench->metrics[i].name; i++) {
        (void)am_str_format(buf + used, cap - used, "%s%s", i ? " " : "", bench->metrics[i].name);
        used = strlen(buf);
    }
}

static void add_row(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    struct am_grid *g = self;
    char axes[LINE_MAX_BYTES], metrics[LINE_MAX_BYTES];

    axis_line(bench, axes, sizeof(axes));
    metric_line(bench, metrics, sizeof(metrics));
    am_grid_row(g);
    am_grid_paint(g, bench->name, AM_PAINT_STRONG);
    am_grid_cell(g, bench->summary);
    am_grid_cell(g, axes);
    am_grid_cell(g, metrics);
    am_grid_cell(g, worker->name);
    am_grid_cellf(g, "%u", bench->version);
}

static void write_rows(const struct am_cli *cli, const struct am_catalogue *catalogue)
{
    struct am_grid g;

    am_grid_init(&g, cli->arena);
    am_grid_column(&g, "bench", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "what it measures", AM_ALIGN_LEFT, 0);
    am_grid_flow(&g);
    am_grid_column(&g, "axes", AM_ALIGN_LEFT, 1);
    am_grid_column(&g, "metrics", AM_ALIGN_LEFT, 2);
    am_grid_column(&g, "worker", AM_ALIGN_LEFT, 3);
    am_grid_column(&g, "version", AM_ALIGN_RIGHT, 4);
    each_bench(catalogue, &cli->opt->operands, add_row, &g);
    if (g.n_rows || cli->style.format != AM_FORMAT_TABLE)
        (void)am_grid_write(&g, &cli->style, 0, stdout);
    else
        (void)printf("no bench is available\n");
    if (cli->style.format != AM_FORMAT_TABLE)
        return;
    for (size_t w = 0; w < catalogue->n; w++) {
        if (catalogue->workers[w].why_not)
            (void)printf("worker %s is not available: %s\n", catalogue->workers[w].name,
                         catalogue->workers[w].why_not);
    }
}

/* ---- one bench in full ---- */

static const char *kind_name(enum am_axis_kind kind)
{
    static const char *const names[] = {[AM_AXIS_INT] = "count",
                                        [AM_AXIS_SIZE] = "bytes",
                                        [AM_AXIS_REAL] = "number",
                                        [AM_AXIS_NAME] = "name"};

    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

static void write_axis(const struct am_style *style, const struct am_axis *axis)
{
    (void)printf("  %s%s%s  (%s%s%s)  %s\n", am_style_on(style, AM_PAINT_STRONG), axis->name,
                 am_style_off(style, AM_PAINT_STRONG), kind_name(axis->kind),
                 axis->unit ? ", " : "", axis->unit ? axis->unit : "",
                 axis->help ? axis->help : "");
    (void)printf("      standard %s", axis->dflt ? axis->dflt : "-");
    if (axis->quick)
        (void)printf("   quick %s", axis->quick);
    if (axis->thorough)
        (void)printf("   thorough %s", axis->thorough);
    if (axis->tune)
        (void)printf("   tune %s", axis->tune);
    (void)printf("\n");
    for (size_t i = 0; axis->choices && axis->choices[i]; i++) {
        const char *why = am_axis_why_not(axis, i);

        const char *there = am_axis_elsewhere(axis, i);

        (void)printf("      %-14s %s%s%s\n", axis->choices[i], why ? "not here: " : "usable",
                     why     ? why
                     : there ? ", by worker "
                             : "",
                     !why && there ? there : "");
    }
}

static void write_bench(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    const struct am_cli *cli = self;

    (void)printf("%s%s%s  %s\nversion %u, worker %s (%s)\n\nAxes (-p NAME=VALUES):\n",
                 am_style_on(&cli->style, AM_PAINT_STRONG), bench->name,
                 am_style_off(&cli->style, AM_PAINT_STRONG), bench->summary, bench->version,
                 worker->name, worker->program ? worker->program : "absent");
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++)
        write_axis(&cli->style, &bench->axes[i]);
    (void)printf("\nMetrics (the first is compared):\n");
    for (size_t i = 0; bench->metrics[i].name; i++) {
        const struct am_metric *m = &bench->metrics[i];

        (void)printf("  %-16s %-12s %s is better; %s\n", m->name, m->unit,
                     am_better_name(m->better), m->help ? m->help : "");
    }
}

/* ---- JSON ---- */

static void json_axis(struct am_json *j, const struct am_axis *axis)
{
    am_json_object(j, NULL);
    am_json_string(j, "name", axis->name);
    am_json_string(j, "kind", kind_name(axis->kind));
    am_json_string(j, "unit", axis->unit);
    am_json_string(j, "standard", axis->dflt);
    am_json_string(j, "quick", axis->quick ? axis->quick : axis->dflt);
    am_json_string(j, "thorough", axis->thorough ? axis->thorough : axis->dflt);
    am_json_string(j, "tune", axis->tune);
    am_json_array(j, "choices");
    for (size_t i = 0; axis->choices && axis->choices[i]; i++) {
        am_json_object(j, NULL);
        am_json_string(j, "name", axis->choices[i]);
        am_json_bool(j, "usable", am_axis_why_not(axis, i) == NULL);
        am_json_string(j, "reason", am_axis_why_not(axis, i));
        am_json_object_end(j);
    }
    am_json_array_end(j);
    am_json_string(j, "help", axis->help);
    am_json_object_end(j);
}

static void json_bench(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    struct am_json *j = self;

    am_json_object(j, NULL);
    am_json_string(j, "name", bench->name);
    am_json_string(j, "summary", bench->summary);
    am_json_unsigned(j, "version", bench->version);
    am_json_string(j, "worker", worker->name);
    am_json_array(j, "axes");
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++)
        json_axis(j, &bench->axes[i]);
    am_json_array_end(j);
    am_json_array(j, "metrics");
    for (size_t i = 0; bench->metrics[i].name; i++) {
        am_json_object(j, NULL);
        am_json_string(j, "name", bench->metrics[i].name);
        am_json_string(j, "unit", bench->metrics[i].unit);
        am_json_string(j, "better", am_better_name(bench->metrics[i].better));
        am_json_string(j, "help", bench->metrics[i].help);
        am_json_object_end(j);
    }
    am_json_array_end(j);
    am_json_object_end(j);
}

static void write_json(const struct am_cli *cli, const struct am_catalogue *catalogue)
{
    struct am_json j;

    am_json_init(&j, stdout, JSON_PRETTY);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_array(&j, "benches");
    each_bench(catalogue, &cli->opt->operands, json_bench, &j);
    am_json_array_end(&j);
    am_json_array(&j, "workers");
    for (size_t w = 0; w < catalogue->n; w++) {
        am_json_object(&j, NULL);
        am_json_string(&j, "name", catalogue->workers[w].name);
        am_json_string(&j, "program", catalogue->workers[w].program);
        am_json_bool(&j, "available", catalogue->workers[w].why_not == NULL);
        am_json_string(&j, "reason", catalogue->workers[w].why_not);
        am_json_object_end(&j);
    }
    am_json_array_end(&j);
    am_json_object_end(&j);
}

/* ---- the command ---- */

static void put_name(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    (void)self;
    (void)worker;
    (void)printf("%s\n", bench->name);
}

/* Names in the order met. */
struct names {
    struct am_strings list;
    struct am_arena *arena;
};

/* Every axis once, however many benches have it. */
static void put_axes(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    struct names *const seen = self;

    (void)worker;
    for (size_t a = 0; bench->axes && bench->axes[a].name; a++) {
        if (!am_strings_have(&seen->list, bench->axes[a].name) &&
            am_strings_add(&seen->list, seen->arena, bench->axes[a].name))
            (void)printf("%s\n", bench->axes[a].name);
    }
}

static void collect_name(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    struct names *const names = self;

    (void)worker;
    (void)am_strings_add(&names->list, names->arena, bench->name);
}

static void write_list(struct am_cli *cli, const struct am_catalogue *catalogue,
                       const struct am_strings *all)
{
    const struct am_strings *patterns = &cli->opt->operands;
    const bool exact = patterns->n == 1 && am_strings_have(all, patterns->items[0]);

    if (cli->opt->axis_names)
        each_bench(catalogue, patterns, put_axes, &(struct names){.arena = cli->arena});
    else if (cli->opt->names)
        each_bench(catalogue, patterns, put_name, NULL);
    else if (cli->style.format == AM_FORMAT_JSON)
        write_json(cli, catalogue);
    else if (cli->style.format == AM_FORMAT_TABLE && exact)
        each_bench(catalogue, patterns, write_bench, cli);
    else
        write_rows(cli, catalogue);
}

enum am_status am_cmd_list(struct am_cli *cli, struct am_err *err)
{
    struct names names = {.arena = cli->arena};
    struct am_setup setup = {0};
    enum am_status status = am_setup_benches(cli, &setup, err);

    if (status == AM_OK) {
        each_bench(&setup.catalogue, &(struct am_strings){0}, collect_name, &names);
        status = am_check_patterns(&cli->opt->operands, names.list.items, names.list.n, err);
    }
    if (status == AM_OK)
        write_list(cli, &setup.catalogue, &names.list);
    am_setup_close(&setup);
    return status;
}
