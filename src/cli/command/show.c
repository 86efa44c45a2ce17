/* SPDX-License-Identifier: MIT */
/* archmeter show: what a results file holds. */
#include "cli/cli.h"
#include "cli/omp/cost.h"
#include "cli/run/setup.h"
#include "cli/run/timing.h"
#include "document/provenance.h"
#include "document/results.h"
#include "family/omp/cost.h"
#include "family/timed.h"
#include "write/write.h"

#include <stdio.h>

enum am_status am_cmd_show(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_result_set set = {0};
    const bool all = patterns.n > 0 || cli->opt->verbose || cli->style.format != AM_FORMAT_TABLE;
    const struct am_document document = cli->opt->provenance ? am_document_provenance(&set)
                                        : all                ? am_document_results(&set)
                                                             : am_document_results_short(&set);
    const enum am_status status =
        am_load_file(cli, cli->opt->operands.items[0], &patterns, &set, err);

    if (status == AM_OK && !cli->opt->provenance && patterns.n == 0 &&
        (am_timed_is(&set) || am_omp_cost_is(&set))) {
        const bool table = cli->style.format == AM_FORMAT_TABLE;
        const enum am_status shown = am_omp_cost_is(&set) ? am_omp_cost_show(cli, &set, NULL, err)
                                                          : am_timing_show(cli, &set, NULL, err);

        if (shown != AM_OK || !table || !cli->opt->verbose)
            return shown;
    }
    if (status == AM_OK)
        am_write(&document, &cli->style, cli->arena, stdout);
    return status;
}
