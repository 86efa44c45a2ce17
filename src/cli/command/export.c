/* SPDX-License-Identifier: MIT */
/* archmeter export: results, raw samples and figures for other programs. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/output.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "document/figure/figure.h"
#include "document/results.h"
#include "document/samples.h"
#include "model/facts.h"
#include "store/verify.h"
#include "write/plot/figure_svg.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

/* Samples on their way to a stream. */
struct stream {
    FILE *out;
    enum am_format format;
    const struct am_strings *patterns;
    struct am_samples samples;
    size_t written;
    bool closed; /* whoever reads the pipe has seen enough: no failure, and nothing more is written
                  */
};

static enum am_status write_sample(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    struct stream *const s = self;

    if (!am_patterns_match(s->patterns, raw->bench))
        return AM_OK;
    am_samples_put(&s->samples, raw);
    if (s->format == AM_FORMAT_CSV)
        am_write_csv_rows(&s->samples.table, s->out);
    else
        am_write_json_rows(&s->samples.table, s->out);
    s->written++;
    if (!ferror(s->out))
        return AM_OK;
    s->closed = s->out == stdout && am_output_is_closed();
    return s->closed ? AM_E_SYS : am_fail(err, AM_E_SYS, "cannot write the samples");
}

static enum am_status write_samples(struct am_store *store, struct stream *s,
                                    struct am_arena *arena, struct am_err *err)
{
    const char *const pattern = s->patterns->n == 1 ? s->patterns->items[0] : NULL;
    enum am_status status;

    if (s->format != AM_FORMAT_CSV && s->format != AM_FORMAT_JSON)
        return am_fail(err, AM_E_USAGE, "--samples needs --format csv or --format json");
    am_samples_begin(&s->samples, arena);
    if (s->format == AM_FORMAT_CSV)
        am_write_csv_head(&s->samples.table, s->out);
    status = am_store_each_sample(store, pattern, write_sample, s, err);
    return s->closed ? AM_OK : status;
}

static enum am_status export_samples(const struct am_cli *cli, FILE *out, struct am_err *err)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_store *store = NULL;
    const char *file;
    struct am_seal seal;
    struct stream stream = {.out = out, .format = cli->style.format, .patterns = &patterns};
    enum am_status status = am_runs_resolve(cli->opt->operands.items[0], cli->arena, &file, err);

    if (status == AM_OK)
        status = am_store_open(file, false, &store, err);
    if (status == AM_OK)
        am_store_seal(store, cli->arena, &seal);
    if (status == AM_OK)
        am_load_warn(file, &seal);
    if (status == AM_OK)
        status = write_samples(store, &stream, cli->arena, err);
    am_store_close(store);
    if (status == AM_OK && stream.written == 0) {
        struct am_result_set set = {0};

        /* tells a name that is no bench of this run from a bench without samples */
        status = am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);
    }
    if (status == AM_OK && stream.written == 0)
        am_log(AM_LOG_WARN, "there are no samples");
    return status;
}

static enum am_status export_results(struct am_cli *cli, FILE *out, struct am_err *err)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_result_set set = {0};
    const struct am_document document = am_document_results(&set);
    const enum am_status status =
        am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);

    if (status == AM_OK)
        am_write(&document, &cli->style, cli->arena, out);
    return status;
}

/* ---- figures ---- */

enum { SVG_LIMIT = 64 << 20 };

static void list_figures(const struct am_figures *figures, FILE *out)
{
    for (size_t i = 0; i < figures->n; i++) {
        if (am_figure_is_drawn(&figures->items[i]))
            (void)fprintf(out, "%-20s %s\n", am_figure_name(&figures->items[i]),
                          am_figure_title(&figures->items[i]));
    }
}

static enum am_status write_figure(const struct am_figures *figures, const char *name, FILE *out,
                                   struct am_err *err)
{
    const char *nearest;
    const struct am_figure *const figure = am_figures_find(figures, name, &nearest);
    struct am_text svg;
    enum am_status status = AM_OK;

    if (!figure)
        return am_fail(err, AM_E_USAGE, "this run has no figure \"%s\"%s%s%s; --svg list names all",
                       name, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                       nearest ? "\"" : "");
    if (!am_figure_is_drawn(figure))
        return am_fail(err, AM_E_USAGE, "\"%s\" is a table: export it with --format", name);
    am_text_init(&svg, SVG_LIMIT);
    am_figure_svg(figure, &svg);
    if (svg.overflow)
        status = am_fail(err, AM_E_LIMIT, "the figure is larger than %d MiB", SVG_LIMIT >> 20);
    else
        (void)fwrite(am_text_str(&svg), 1, svg.len, out);
    am_text_fini(&svg);
    return status;
}

static enum am_status export_svg(const struct am_cli *cli, FILE *out, struct am_err *err)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_result_set set = {0};
    struct am_facts facts = {0};
    struct am_figures figures = {0};
    const struct am_figure_source source = {.set = &set, .facts = &facts, .arena = cli->arena};
    enum am_status status = am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);

    if (status != AM_OK)
        return status;
    am_facts_derive(&set, cli->arena, &facts);
    status = am_figures_make(&source, &figures, err);
    if (status == AM_OK && strcmp(cli->opt->svg, "list") == 0)
        list_figures(&figures, out);
    else if (status == AM_OK)
        status = write_figure(&figures, cli->opt->svg, out, err);
    return status;
}

enum am_status am_cmd_export(struct am_cli *cli, struct am_err *err)
{
    struct am_output output;
    enum am_status status, closed;

    if (cli->opt->output)
        cli->style = (struct am_style){.format = cli->style.format, .utf8 = true};
    status = am_output_open(&output, cli->opt->output, cli->opt->force, cli->arena, err);
    if (status != AM_OK)
        return status;
    if (cli->opt->svg)
        status = export_svg(cli, output.file, err);
    else
        status = cli->opt->raw_samples ? export_samples(cli, output.file, err)
                                       : export_results(cli, output.file, err);
    closed = am_output_close(&output, status == AM_OK, err);
    return status != AM_OK ? status : closed;
}
