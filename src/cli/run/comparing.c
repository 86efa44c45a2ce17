/* SPDX-License-Identifier: MIT */
/* Loading, judging and showing two sides. */
#include "cli/run/comparing.h"

#include "cli/own/own.h"
#include "cli/run/record.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "document/comparison.h"
#include "family/timed.h"
#include "model/between.h"
#include "model/side.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double level = 0.95;

/* ---- two files ---- */

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

enum am_status am_pair_files(const struct am_cli *cli, const char *word_a, const char *word_b,
                             const struct am_strings *patterns, struct am_pair *pair,
                             struct am_err *err)
{
    struct am_side a = {0}, b = {0};
    enum am_status status = load_side(cli, word_a, patterns, &a, &pair->name_a, err);

    if (status == AM_OK)
        status = load_side(cli, word_b, patterns, &b, &pair->name_b, err);
    if (status == AM_OK && strcmp(word_b, "latest") == 0 && strcmp(pair->name_a, pair->name_b) == 0)
        status = am_fail(err, AM_E_USAGE, "compare needs another run: %s is the latest itself",
                         pair->name_a);
    if (status == AM_OK)
        status = am_side_basis(&a, &b, &pair->basis, err);
    if (status == AM_OK)
        status = am_side_unite(&a, cli->arena, &pair->a, err);
    if (status == AM_OK)
        status = am_side_unite(&b, cli->arena, &pair->b, err);
    if (status == AM_OK && pair->basis == AM_BASIS_ONE_RUN)
        status = am_record_load(cli, &pair->a, &pair->b, &pair->record, err);
    return status;
}

/* ---- one run ---- */

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
static enum am_status narrow(const struct am_cli *cli, const char *between, struct am_pair *pair,
                             struct am_err *err)
{
    char *text = am_arena_strdup(cli->arena, between);
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

enum am_status am_pair_within(const struct am_cli *cli, const char *run, const char *between,
                              const struct am_strings *patterns, struct am_pair *pair,
                              struct am_err *err)
{
    const char *path = NULL;
    enum am_status status = am_runs_resolve(run, cli->arena, &path, err);

    if (status == AM_OK)
        status = am_load_file(cli, path, patterns, &pair->a, err);
    pair->b = pair->a;
    pair->name_a = pair->name_b = path;
    pair->basis = AM_BASIS_WITHIN_RUN;
    return status == AM_OK ? narrow(cli, between, pair, err) : status;
}

/* ---- rows ---- */

/* Programs of the user's, which may meet a busy neighbour one more than the other; the sides of a
 * bench of ours are one program but for what is compared. */
static bool is_users(const struct am_result_set *set)
{
    return am_own_has(&set->settings) || am_timed_is(set);
}

enum am_status am_pair_judge(const struct am_cli *cli, struct am_pair *pair,
                             struct am_comparison *out, struct am_err *err)
{
    pair->settings = (struct am_compare_settings){.delta = cli->opt->delta,
                                                  .level = level,
                                                  .basis = pair->basis,
                                                  .all_metrics = cli->opt->all_metrics,
                                                  .graded = pair->basis == AM_BASIS_WITHIN_RUN &&
                                                            is_users(&pair->b),
                                                  .record = &pair->record};
    return am_compare(&pair->a, &pair->b, &pair->settings, cli->arena, out, err);
}

void am_pair_show(const struct am_cli *cli, const struct am_pair *pair,
                  const struct am_comparison *comparison)
{
    const struct am_comparison_view view = {.comparison = comparison,
                                            .settings = &pair->settings,
                                            .a = &pair->a,
                                            .b = &pair->b,
                                            .name_a = pair->name_a,
                                            .name_b = pair->name_b};
    const struct am_document document = am_document_comparison(&view);

    am_write(&document, &cli->style, cli->arena, stdout);
}
