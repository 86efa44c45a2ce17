/* SPDX-License-Identifier: MIT */
/* archmeter compare, check: two runs side by side, and the same as a gate. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/setup.h"
#include "model/compare.h"
#include "report/comparison.h"

#include <stdio.h>

/* Which files are compared: A is the base, B what is judged. */
struct sides {
    const char *a, *b;
    struct am_words patterns;
};

static enum am_status compare_files(const struct am_cli *cli, const struct sides *sides,
                                    struct am_comparison *out, struct am_err *err)
{
    static const double level = 0.95;
    const struct am_compare_settings settings = {
        .delta = cli->opt->delta, .level = level, .all_metrics = cli->opt->all_metrics};
    struct am_result_set a = {0}, b = {0};
    enum am_status status = am_load_file(cli, sides->a, &sides->patterns, &a, err);

    if (status == AM_OK)
        status = am_load_file(cli, sides->b, &sides->patterns, &b, err);
    if (status == AM_OK)
        status = am_compare(&a, &b, &settings, cli->arena, out, err);
    if (status == AM_OK)
        am_report_comparison(&(struct am_comparison_view){.comparison = out,
                                                          .settings = &settings,
                                                          .a = &a,
                                                          .b = &b,
                                                          .name_a = sides->a,
                                                          .name_b = sides->b},
                             &cli->style, cli->arena, stdout);
    return status;
}

enum am_status am_cmd_compare(struct am_cli *cli, struct am_err *err)
{
    const struct sides sides = {.a = cli->opt->operands.items[0],
                                .b = cli->opt->operands.items[1],
                                .patterns = am_operands_from(cli->opt, 2)};
    struct am_comparison comparison = {0};
    const enum am_status status = compare_files(cli, &sides, &comparison, err);

    if (status == AM_OK && comparison.n == 0) {
        am_log(AM_LOG_WARN, "the runs have no point in common that both measured");
        cli->exit_code = AM_EXIT_INCONCLUSIVE;
    }
    return status;
}

static enum am_exit gate(const struct am_comparison *c, enum am_fail_on fail_on)
{
    if (c->count[AM_VERDICT_SLOWER])
        return AM_EXIT_FINDINGS;
    if (c->n == c->count[AM_VERDICT_INCONCLUSIVE])
        return AM_EXIT_INCONCLUSIVE; /* nothing was shown at all */
    if (fail_on >= AM_FAIL_ON_INCONCLUSIVE && c->count[AM_VERDICT_INCONCLUSIVE])
        return AM_EXIT_INCONCLUSIVE;
    if (fail_on >= AM_FAIL_ON_MISSING && c->n_missing)
        return AM_EXIT_INCONCLUSIVE;
    return AM_EXIT_DONE;
}

enum am_status am_cmd_check(struct am_cli *cli, struct am_err *err)
{
    const struct am_words *operands = &cli->opt->operands;
    const char *base = cli->opt->against;
    struct sides sides = {.a = base, .b = operands->items[0]};
    struct am_comparison comparison = {0};
    enum am_status status;

    if (!base && operands->n < 2)
        return am_fail(err, AM_E_USAGE, "check needs BASE and NEW, or NEW --against BASE");
    if (!base) {
        sides.a = operands->items[0];
        sides.b = operands->items[1];
    }
    sides.patterns = am_operands_from(cli->opt, base ? 1 : 2);
    status = compare_files(cli, &sides, &comparison, err);
    if (status != AM_OK)
        return status;
    cli->exit_code = gate(&comparison, (enum am_fail_on)cli->opt->fail_on);
    am_log(AM_LOG_INFO, "check: %s: %zu slower, %zu of %zu undecided, %zu missing",
           cli->exit_code == AM_EXIT_DONE       ? "passed"
           : cli->exit_code == AM_EXIT_FINDINGS ? "failed"
                                                : "not decided",
           comparison.count[AM_VERDICT_SLOWER], comparison.count[AM_VERDICT_INCONCLUSIVE],
           comparison.n, comparison.n_missing);
    return AM_OK;
}
