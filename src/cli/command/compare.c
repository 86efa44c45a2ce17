/* SPDX-License-Identifier: MIT */
/* archmeter compare, check: two runs side by side, and the same as a gate. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "document/comparison.h"
#include "model/between.h"
#include "model/compare.h"
#include "model/side.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Which files are compared: A is the base, B what is judged. */
struct sides {
    const char *a, *b;
    struct am_strings patterns;
};

static const double level = 0.95;

/* Two loaded sets by their names, and what comparing them can show. */
struct pair {
    struct am_result_set a, b;
    const char *name_a, *name_b;
    enum am_basis basis;
};

static enum am_status compare_sets(const struct am_cli *cli, const struct pair *pair,
                                   struct am_comparison *out, struct am_err *err)
{
    const struct am_compare_settings settings = {.delta = cli->opt->delta,
                                                 .level = level,
                                                 .basis = pair->basis,
                                                 .all_metrics = cli->opt->all_metrics};
    const struct am_comparison_view view = {.comparison = out,
                                            .settings = &settings,
                                            .a = &pair->a,
                                            .b = &pair->b,
                                            .name_a = pair->name_a,
                                            .name_b = pair->name_b};
    const struct am_document document = am_document_comparison(&view);
    const enum am_status status = am_compare(&pair->a, &pair->b, &settings, cli->arena, out, err);

    if (status == AM_OK)
        am_write(&document, &cli->style, cli->arena, stdout);
    return status;
}

/* The runs of a side: a file or run by name, or several parted by commas. */
static enum am_status load_side(const struct am_cli *cli, const char *word,
                                const struct am_strings *patterns, struct am_side *side,
                                const char **name, struct am_err *err)
{
    char *rest = am_arena_strdup(cli->arena, word), *one;
    size_t most = 1;

    for (const char *c = word; *c; c++)
        most += *c == ',';
    side->runs = am_arena_array(cli->arena, most, sizeof(*side->runs));
    if (!rest || !side->runs)
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    if (access(word, F_OK) == 0) { /* a file whose name has a comma */
        one = rest;
        rest = NULL;
    } else {
        one = strsep(&rest, ",");
    }
    for (*name = NULL; one; one = rest ? strsep(&rest, ",") : NULL) {
        const char *path = NULL;
        enum am_status status = am_runs_resolve(one, cli->arena, &path, err);

        if (status == AM_OK)
            status = am_load_file(cli, path, patterns, &side->runs[side->n++], err);
        if (status != AM_OK)
            return status;
        *name = *name ? am_arena_printf(cli->arena, "%s, %s", *name, path) : path;
    }
    return *name ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for the options");
}

static enum am_status compare_files(const struct am_cli *cli, const struct sides *sides,
                                    struct am_comparison *out, struct am_err *err)
{
    struct pair pair = {0};
    struct am_side a = {0}, b = {0};
    enum am_status status = load_side(cli, sides->a, &sides->patterns, &a, &pair.name_a, err);

    if (status == AM_OK)
        status = load_side(cli, sides->b, &sides->patterns, &b, &pair.name_b, err);
    if (status == AM_OK && strcmp(sides->b, "latest") == 0 && strcmp(pair.name_a, pair.name_b) == 0)
        status = am_fail(err, AM_E_USAGE, "compare needs another run: %s is the latest itself",
                         pair.name_a);
    if (status == AM_OK)
        status = am_side_basis(&a, &b, &pair.basis, err);
    if (status == AM_OK)
        status = am_side_unite(&a, cli->arena, &pair.a, err);
    if (status == AM_OK)
        status = am_side_unite(&b, cli->arena, &pair.b, err);
    return status == AM_OK ? compare_sets(cli, &pair, out, err) : status;
}

/* One "AXIS=A,B", taken apart in place. */
static enum am_status split_between(char *text, char **a, char **b, struct am_err *err)
{
    char *const equals = strchr(text, '=');
    char *const comma = equals ? strchr(equals, ',') : NULL;

    if (!comma || equals == text || comma == equals + 1 || !comma[1])
        return am_fail(err, AM_E_USAGE, "--between \"%s\" is not AXIS=A,B", text);
    *equals = *comma = '\0';
    *a = equals + 1;
    *b = comma + 1;
    return AM_OK;
}

/* Narrows the two sides by each of the axes that --between names, parted by blanks: what differs in
 * one may differ in another of necessity, as executors and their runtimes do. */
static enum am_status narrow(const struct am_cli *cli, struct pair *pair, struct am_err *err)
{
    char *text = am_arena_strdup(cli->arena, cli->opt->between);
    enum am_status status = AM_OK;
    char *axis;

    if (!text)
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    while (status == AM_OK && (axis = strsep(&text, " ")) != NULL) {
        const struct am_result_set all_a = pair->a, all_b = pair->b;
        char *a = NULL, *b = NULL;

        status = split_between(axis, &a, &b, err);
        if (status == AM_OK)
            status = am_results_where(&all_a, axis, a, cli->arena, &pair->a, err);
        if (status == AM_OK)
            status = am_results_where(&all_b, axis, b, cli->arena, &pair->b, err);
        if (status == AM_OK) {
            pair->name_a = am_arena_printf(cli->arena, "%s %s=%s", pair->name_a, axis, a);
            pair->name_b = am_arena_printf(cli->arena, "%s %s=%s", pair->name_b, axis, b);
        }
    }
    return status;
}

/* One run, two values of one axis, or of several. */
static enum am_status compare_within(const struct am_cli *cli, struct am_comparison *out,
                                     struct am_err *err)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct pair pair = {0};
    const char *path = NULL;
    enum am_status status = am_runs_resolve(cli->opt->operands.items[0], cli->arena, &path, err);

    if (status == AM_OK)
        status = am_load_file(cli, path, &patterns, &pair.a, err);
    pair.b = pair.a;
    pair.name_a = pair.name_b = path;
    pair.basis = AM_BASIS_WITHIN_RUN;
    if (status == AM_OK)
        status = narrow(cli, &pair, err);
    return status == AM_OK ? compare_sets(cli, &pair, out, err) : status;
}

enum am_status am_cmd_compare(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings *const operands = &cli->opt->operands;
    struct am_comparison comparison = {0};
    enum am_status status;

    if (cli->opt->between) {
        status = compare_within(cli, &comparison, err);
    } else if (operands->n < 2) {
        status =
            am_fail(err, AM_E_USAGE, "compare needs A and B, or one run and --between AXIS=A,B");
    } else {
        const struct sides sides = {.a = operands->items[0],
                                    .b = operands->items[1],
                                    .patterns = am_operands_from(cli->opt, 2)};

        status = compare_files(cli, &sides, &comparison, err);
    }
    if (status == AM_OK && comparison.n == 0) {
        am_log(AM_LOG_WARN, "there is no point in common that both sides measured");
        cli->exit_code = AM_EXIT_INCONCLUSIVE;
    }
    return status;
}

/* What was flagged as slower never passes; what was shown as slower fails. */
static enum am_exit gate(const struct am_comparison *c, enum am_fail_on fail_on)
{
    const size_t open = c->count[AM_VERDICT_SUSPECT] + c->count[AM_VERDICT_UNDECIDED];

    if (c->count[AM_VERDICT_SLOWER])
        return AM_EXIT_FINDINGS;
    if (c->count[AM_VERDICT_MAYBE_SLOWER] || c->slower_suspects)
        return AM_EXIT_INCONCLUSIVE;
    if (c->n == open)
        return AM_EXIT_INCONCLUSIVE; /* nothing was shown at all */
    if (fail_on >= AM_FAIL_ON_INCONCLUSIVE && open)
        return AM_EXIT_INCONCLUSIVE;
    if (fail_on >= AM_FAIL_ON_MISSING && c->n_missing)
        return AM_EXIT_INCONCLUSIVE;
    return AM_EXIT_DONE;
}

enum am_status am_cmd_check(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings *operands = &cli->opt->operands;
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
    am_log(AM_LOG_INFO,
           "check: %s: %zu slower, %zu slower?, %zu suspects that look slower, %zu of %zu "
           "undecided, %zu missing",
           cli->exit_code == AM_EXIT_DONE       ? "passed"
           : cli->exit_code == AM_EXIT_FINDINGS ? "failed"
                                                : "not decided",
           comparison.count[AM_VERDICT_SLOWER], comparison.count[AM_VERDICT_MAYBE_SLOWER],
           comparison.slower_suspects, comparison.count[AM_VERDICT_UNDECIDED], comparison.n,
           comparison.n_missing);
    return AM_OK;
}
