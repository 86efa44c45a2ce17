/* SPDX-License-Identifier: MIT */
/* archmeter model: what a run's measurements say about its machine. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/setup.h"
#include "document/facts.h"
#include "document/model.h"
#include "model/facts.h"
#include "model/roofline.h"
#include "write/write.h"

#include <stdio.h>

enum am_status am_cmd_model(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings all = {0};
    struct am_result_set set = {0};
    struct am_facts facts = {0};
    struct am_guidelines guidelines;
    struct am_roofline roofline;
    const struct am_facts_view of_facts = {&set, &facts};
    const struct am_model_view of_model = {&set, &facts, &guidelines, &roofline};
    const bool only_facts = cli->opt->facts && cli->style.format != AM_FORMAT_JSON;
    const struct am_document document =
        only_facts ? am_document_facts(&of_facts) : am_document_model(&of_model);
    const enum am_status status = am_load_file(cli, cli->opt->operands.items[0], &all, &set, err);

    if (status != AM_OK)
        return status;
    am_facts_derive(&set, cli->arena, &facts);
    guidelines = am_families_guide(&facts, cli->arena);
    am_roofline_build(&set, &facts, cli->arena, &roofline);
    am_write(&document, &cli->style, cli->arena, stdout);
    if (facts.n == 0 && facts.n_remarks == 0)
        am_log(AM_LOG_WARN, "this run measured nothing that a fact could be derived from");
    return AM_OK;
}
