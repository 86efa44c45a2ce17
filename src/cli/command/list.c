/* SPDX-License-Identifier: MIT */
/* archmeter list: benches, axes, availability and why not. */
#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/setup.h"
#include "document/run.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 1024,
    JSON_DEPTH = 4,
    INDENT = 2,
    AXIS_INDENT = 6,
    READ_BY_PEOPLE = 4 /* columns; `list BENCH` has the rest */
};

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

/* Benches of one prefix stand together, whichever worker has them. */
struct rows {
    const struct am_catalogue *catalogue;
    struct am_table *table;
    const char *prefix;
    size_t prefix_len;
};

static size_t prefix_of(const struct am_bench *bench)
{
    return strcspn(bench->name, ".");
}

static void add_row(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    const struct rows *const rows = self;
    struct am_table *const t = rows->table;
    char axes[LINE_MAX_BYTES], metrics[LINE_MAX_BYTES];

    if (prefix_of(bench) != rows->prefix_len ||
        strncmp(bench->name, rows->prefix, rows->prefix_len) != 0)
        return;
    axis_line(bench, axes, sizeof(axes));
    metric_line(bench, metrics, sizeof(metrics));
    am_table_row(t);
    (void)am_table_textf(t, "%.*s", (int)rows->prefix_len, rows->prefix);
    am_table_text(t, bench->name)->tone = AM_TONE_STRONG;
    (void)am_table_text(t,
                        am_catalogue_is_named_only(rows->catalogue, bench->name) ? NULL : "quick");
    (void)am_table_text(t, bench->summary);
    if (t->n_columns <= READ_BY_PEOPLE)
        return;
    (void)am_table_textf(t, "%s", axes);
    (void)am_table_textf(t, "%s", metrics);
    (void)am_table_text(t, worker->name);
    (void)am_table_number(t, AM_FORM_COUNT, bench->version);
}

/* What there is to list. */
struct listing {
    const struct am_cli *cli;
    const struct am_catalogue *catalogue;
};

/* The rows of every prefix, in the order in which prefixes appear. */
struct prefixes {
    const struct listing *listing;
    struct am_table *table;
    struct am_strings seen;
    struct am_arena *arena;
};

static void add_prefix(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    struct prefixes *const p = self;
    const char *const prefix = am_arena_strndup(p->arena, bench->name, prefix_of(bench));

    (void)worker;
    if (!prefix || am_strings_have(&p->seen, prefix) || !am_strings_add(&p->seen, p->arena, prefix))
        return;
    each_bench(p->listing->catalogue, &p->listing->cli->opt->operands, add_row,
               &(struct rows){p->listing->catalogue, p->table, prefix, strlen(prefix)});
}

static void list_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {
        {.title = "family", .key = "family", .place = AM_PLACE_GROUP},
        {.title = "bench", .key = "bench"},
        {.title = "in", .key = "set"},
        {.title = "what it measures", .key = "what it measures", .flow = true},
        {.title = "axes", .key = "axes"},
        {.title = "metrics", .key = "metrics"},
        {.title = "worker", .key = "worker"},
        {.title = "version", .key = "version", .right = true}};
    const struct listing *const l = self;
    struct am_table *const t = am_block_table(
        b, columns, b->programs ? sizeof(columns) / sizeof(columns[0]) : READ_BY_PEOPLE);

    each_bench(l->catalogue, &l->cli->opt->operands, add_prefix,
               &(struct prefixes){.listing = l, .table = t, .arena = b->arena});
    if (t->n_rows == 0)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "no bench is available");
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "quick: measured by a bare `archmeter run`, as far as its minute allows; "
                       "`list BENCH` says the values of its axes.");
    for (size_t w = 0; w < l->catalogue->n; w++) {
        if (l->catalogue->workers[w].why_not)
            (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "worker %s is not available: %s",
                                l->catalogue->workers[w].name, l->catalogue->workers[w].why_not);
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

/* "random, local": the values of an axis that are as usable as the one at `from`, or not here for
 * the same reason; "" where an earlier one told it. */
static const char *alike(const struct am_axis *axis, size_t from, struct am_arena *arena)
{
    const char *const why = am_axis_why_not(axis, from);
    const char *names = "";

    for (size_t i = 0; axis->choices[i] && names; i++) {
        const char *const other = am_axis_why_not(axis, i), *const there =
                                                                am_axis_elsewhere(axis, i);

        if (!why != !other || (why && strcmp(why, other) != 0))
            continue;
        if (i < from)
            return "";
        names = am_arena_printf(arena, "%s%s%s%s%s%s", names, *names ? ", " : "", axis->choices[i],
                                !why && there ? " (worker " : "", !why && there ? there : "",
                                !why && there ? ")" : "");
    }
    return names ? names : "";
}

static void tell_choices(struct am_body *b, const struct am_axis *axis)
{
    for (size_t i = 0; axis->choices && axis->choices[i]; i++) {
        const char *const why = am_axis_why_not(axis, i), *const names = alike(axis, i, b->arena);

        if (!*names)
            continue;
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, why ? "not here: " : "usable: ", "%s%s%s", names,
                            why ? ": " : "", why ? why : "");
        b->items[b->n - 1].indent = AXIS_INDENT;
    }
}

static void tell_axis(struct am_body *b, const struct am_axis *axis)
{
    const char *const label =
        am_arena_printf(b->arena, "%s (%s%s%s): ", axis->name, kind_name(axis->kind),
                        axis->unit ? ", " : "", axis->unit ? axis->unit : "");
    struct am_block *block = am_block_add(b, AM_BLOCK_PARAGRAPH, label, axis->help);

    block->indent = INDENT;
    block->tone = AM_TONE_STRONG;
    block = am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "standard %s%s%s%s%s%s%s",
                          axis->dflt ? axis->dflt : "-", axis->quick ? "; quick " : "",
                          axis->quick ? axis->quick : "", axis->thorough ? "; thorough " : "",
                          axis->thorough ? axis->thorough : "", axis->tune ? "; tune " : "",
                          axis->tune ? axis->tune : "");
    block->indent = AXIS_INDENT;
    tell_choices(b, axis);
}

static void tell_bench(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    static const struct am_column columns[] = {{.title = "metric"},
                                               {.title = "unit"},
                                               {.title = "better"},
                                               {.title = "what it is", .flow = true}};
    struct am_body *const b = self;
    struct am_table *t;

    (void)am_block_add(b, AM_BLOCK_HEADING, bench->name, bench->summary);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "version %u, worker %s (%s)", bench->version,
                        worker->name, worker->program ? worker->program : "absent");
    (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Axes", "-p NAME=VALUES");
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++)
        tell_axis(b, &bench->axes[i]);
    (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Metrics", "the first is compared");
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->indent = INDENT;
    for (size_t i = 0; bench->metrics[i].name; i++) {
        const struct am_metric *const m = &bench->metrics[i];

        am_table_row(t);
        am_table_text(t, m->name)->tone = AM_TONE_STRONG;
        (void)am_table_text(t, m->unit);
        (void)am_table_text(t, am_better_name(m->better));
        (void)am_table_text(t, m->help);
    }
}

static void bench_blocks(struct am_body *b, const void *self)
{
    const struct listing *const l = self;

    each_bench(l->catalogue, &l->cli->opt->operands, tell_bench, b);
}

/* ---- JSON ---- */

static void json_axis(struct am_data *d, const struct am_axis *axis)
{
    am_data_object(d, NULL);
    am_data_text(d, "name", axis->name);
    am_data_text(d, "kind", kind_name(axis->kind));
    am_data_text(d, "unit", axis->unit);
    am_data_text(d, "standard", axis->dflt);
    am_data_text(d, "quick", axis->quick ? axis->quick : axis->dflt);
    am_data_text(d, "thorough", axis->thorough ? axis->thorough : axis->dflt);
    am_data_text(d, "tune", axis->tune);
    am_data_array(d, "choices");
    for (size_t i = 0; axis->choices && axis->choices[i]; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "name", axis->choices[i]);
        am_data_bool(d, "usable", am_axis_why_not(axis, i) == NULL);
        am_data_text(d, "reason", am_axis_why_not(axis, i));
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_text(d, "help", axis->help);
    am_data_object_end(d);
}

/* Where benches are told to. */
struct telling {
    const struct am_catalogue *catalogue;
    struct am_data *data;
};

static void json_bench(void *self, const struct am_worker *worker, const struct am_bench *bench)
{
    const struct telling *const telling = self;
    struct am_data *const d = telling->data;

    am_data_object(d, NULL);
    am_data_text(d, "name", bench->name);
    am_data_text(d, "summary", bench->summary);
    am_data_unsigned(d, "version", bench->version);
    am_data_text(d, "worker", worker->name);
    am_data_bool(d, "quick", !am_catalogue_is_named_only(telling->catalogue, bench->name));
    am_data_array(d, "axes");
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++)
        json_axis(d, &bench->axes[i]);
    am_data_array_end(d);
    am_data_array(d, "metrics");
    for (size_t i = 0; bench->metrics[i].name; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "name", bench->metrics[i].name);
        am_data_text(d, "unit", bench->metrics[i].unit);
        am_data_text(d, "better", am_better_name(bench->metrics[i].better));
        am_data_text(d, "help", bench->metrics[i].help);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_object_end(d);
}

static void list_data(struct am_data *d, const void *self)
{
    const struct listing *const l = self;

    am_data_array(d, "benches");
    each_bench(l->catalogue, &l->cli->opt->operands, json_bench,
               &(struct telling){l->catalogue, d});
    am_data_array_end(d);
    am_data_array(d, "workers");
    for (size_t w = 0; w < l->catalogue->n; w++) {
        const struct am_worker *const worker = &l->catalogue->workers[w];

        am_data_object(d, NULL);
        am_data_text(d, "name", worker->name);
        am_data_text(d, "program", worker->program);
        am_data_bool(d, "available", worker->why_not == NULL);
        am_data_text(d, "reason", worker->why_not);
        am_data_object_end(d);
    }
    am_data_array_end(d);
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
    /* Whoever names one bench, or a file, wants to know all of it. */
    const bool exact =
        cli->own.n > 0 || (patterns->n == 1 && am_strings_have(all, patterns->items[0]));
    const bool in_full = cli->style.format == AM_FORMAT_TABLE && exact;

    if (cli->opt->axis_names)
        each_bench(catalogue, patterns, put_axes, &(struct names){.arena = cli->arena});
    else if (cli->opt->names)
        each_bench(catalogue, patterns, put_name, NULL);
    else
        am_write(&(struct am_document){.self = &(struct listing){cli, catalogue},
                                       .blocks = in_full ? bench_blocks : list_blocks,
                                       .data = list_data,
                                       .depth = JSON_DEPTH},
                 &cli->style, cli->arena, stdout);
}

enum am_status am_cmd_list(struct am_cli *cli, struct am_err *err)
{
    struct names names = {.arena = cli->arena};
    struct am_setup setup = {0};
    enum am_status status;

    (void)am_setup_machine(cli, &setup, NULL); /* without a topology places have no reasons */
    status = am_setup_benches(cli, &setup, err);

    if (status == AM_OK) {
        each_bench(&setup.catalogue, &(struct am_strings){0}, collect_name, &names);
        status = am_check_patterns(&cli->opt->operands, names.list.items, names.list.n, err);
    }
    if (status == AM_OK)
        write_list(cli, &setup.catalogue, &names.list);
    am_setup_close(&setup);
    return status;
}
