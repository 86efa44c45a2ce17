/* SPDX-License-Identifier: MIT */
/* archmeter show, export: what a results file holds. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "report/results.h"
#include "report/samples.h"

#include <stdio.h>

enum am_status am_cmd_show(struct am_cli *cli, struct am_err *err)
{
    const struct am_words patterns = am_operands_from(cli->opt, 1);
    struct am_result_set set = {0};
    const enum am_status status =
        am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);

    if (status == AM_OK)
        am_report_results(&set, &cli->style, cli->arena, stdout);
    return status;
}

static enum am_status export_samples(const struct am_cli *cli, FILE *out, struct am_err *err)
{
    const struct am_words patterns = am_operands_from(cli->opt, 1);
    struct am_store *store = NULL;
    size_t written = 0;
    enum am_status status = am_store_open(cli->opt->operands.items[0], false, &store, err);

    if (status == AM_OK)
        status = am_report_samples(store, patterns.items, patterns.n, cli->style.format, out,
                                   &written, err);
    am_store_close(store);
    if (status == AM_OK && written == 0) {
        struct am_result_set set = {0};

        /* tells a name that is no bench of this run from a bench without samples */
        status = am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);
    }
    if (status == AM_OK && written == 0)
        am_log(AM_LOG_WARN, "there are no samples");
    return status;
}

static enum am_status export_results(struct am_cli *cli, FILE *out, struct am_err *err)
{
    const struct am_words patterns = am_operands_from(cli->opt, 1);
    struct am_result_set set = {0};
    const enum am_status status =
        am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);

    if (status == AM_OK)
        am_report_results(&set, &cli->style, cli->arena, out);
    return status;
}

enum am_status am_cmd_export(struct am_cli *cli, struct am_err *err)
{
    struct am_output output;
    enum am_status status, closed;

    if (cli->opt->output)
        cli->style = (struct am_style){.format = cli->style.format, .utf8 = true};
    status = am_output_open(&output, cli->opt->output, cli->arena, err);
    if (status != AM_OK)
        return status;
    status = cli->opt->raw_samples ? export_samples(cli, output.file, err)
                                   : export_results(cli, output.file, err);
    closed = am_output_close(&output, status == AM_OK, err);
    return status != AM_OK ? status : closed;
}
