/* SPDX-License-Identifier: MIT */
/* archmeter explain: how near each point comes to what the machine can do, and what to try next. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/setup.h"
#include "document/explanation.h"
#include "model/explain.h"
#include "model/facts.h"
#include "model/roofline.h"
#include "write/write.h"

#include <stdio.h>

/* Keeps what the patterns name: ceilings come from the whole run, rows from a part of it. */
static void select_points(struct am_explanations *all, const struct am_strings *patterns)
{
    size_t kept = 0;

    all->above = all->unexplained = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (!am_patterns_match(patterns, all->items[i].result->bench))
            continue;
        all->above += all->items[i].above;
        all->unexplained += all->items[i].why_not != NULL;
        all->items[kept++] = all->items[i];
    }
    all->n = kept;
}

static enum am_status check_names(const struct am_cli *cli, const struct am_result_set *set,
                                  const struct am_strings *patterns, struct am_err *err)
{
    const char **const names = am_arena_array(cli->arena, set->n + 1, sizeof(*names));

    if (!names)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu results", set->n);
    for (size_t i = 0; i < set->n; i++)
        names[i] = set->results[i].bench;
    return am_check_patterns(patterns, names, set->n, err);
}

enum am_status am_cmd_explain(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings all = {0}, patterns = am_operands_from(cli->opt, 1);
    struct am_result_set set = {0};
    struct am_facts facts = {0};
    struct am_roofline roofline;
    struct am_explanations explanations;
    const struct am_explanation_view view = {&set, &explanations};
    const struct am_document document = am_document_explanation(&view);
    enum am_status status = am_load_file(cli, cli->opt->operands.items[0], &all, &set, err);

    if (status == AM_OK)
        status = check_names(cli, &set, &patterns, err);
    if (status != AM_OK)
        return status;
    am_facts_derive(&set, cli->arena, &facts);
    am_roofline_build(&set, &facts, cli->arena, &roofline);
    am_explain(&set, &facts, &roofline, cli->arena, &explanations);
    select_points(&explanations, &patterns);
    am_write(&document, &cli->style, cli->arena, stdout);
    if (explanations.n == 0)
        am_log(AM_LOG_WARN, "nothing here computes or moves bytes at a rate");
    if (explanations.above)
        cli->exit_code = AM_EXIT_FINDINGS;
    return AM_OK;
}
