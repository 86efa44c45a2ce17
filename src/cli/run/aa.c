/* SPDX-License-Identifier: MIT */
/* A against A: within a run, between runs, and with planted effects. */
#include "cli/run/aa.h"

#include "base/log.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/run/measure.h"
#include "cli/run/scratch.h"
#include "cli/run/setup.h"
#include "document/comparison.h"
#include "document/units.h"
#include "evidence/evidence.h"
#include "model/compare.h"
#include "model/plant.h"
#include "model/side.h"
#include "write/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    RUNS_DEFAULT = 6, /* three per side: fewer decide nothing */
    RUNS_MAX = 100,
    SENTENCES = 1024,
};
static const double found_least = 0.9; /* of rows planted with what they say they would show */
static const double blind_most = 0.5;  /* of rows that could not show a doubling */
static const double planted[] = {1.05, 1.1, 2};

/* Everything of one self-test; sets live in the program's arena. */
struct aa {
    struct am_cli *cli;
    struct am_setup setup;
    size_t n_runs;
    struct am_result_set *runs;
    struct am_result_set even, odd; /* rounds of the first run */
    size_t wrong, rows;             /* faster or slower, of so many judged */
    bool failed, blind;
    struct am_text sentences;
};

/* ---- measuring ---- */

/* Where run i goes: the user's file (the first), a file of the record, or a temporary one. */
static enum am_status open_place(struct aa *aa, size_t i, struct am_scratch *place,
                                 struct am_err *err)
{
    const struct am_options *const opt = aa->cli->opt;
    const char *wanted = i == 0 ? opt->output : NULL;
    char started[AM_UNITS_MAX];

    if (!wanted && opt->record) {
        if (mkdir(opt->record, 0777) != 0 && errno != EEXIST)
            return am_fail(err, AM_E_SYS, "folder \"%s\"", opt->record);
        am_time_utc(started, sizeof(started));
        wanted = am_arena_printf(aa->cli->arena, "%s/aa-%s-%zu.db", opt->record, started, i);
    }
    return am_scratch_open(place, wanted, err);
}

/* The first run has twice the launches: its even rounds are compared with its odd ones. */
static void set_launches(struct aa *aa, size_t i, unsigned launches)
{
    struct am_plan_settings *const set = &aa->setup.plan.settings;

    set->min_launches = set->max_launches = i == 0 ? launches : (launches + 1) / 2;
    set->seed = aa->cli->opt->seed.given ? aa->cli->opt->seed.value + i : am_rng_entropy();
}

/* Even rounds are A, odd ones B: a disturbance that comes and goes meets both. */
static enum am_status load_rounds(struct aa *aa, struct am_store *store, struct am_err *err)
{
    const enum am_status status = am_evidence_load(
        store, &(struct am_filter){.round_mod = 2, .round_rem = 0}, aa->cli->arena, &aa->even, err);

    if (status != AM_OK)
        return status;
    return am_evidence_load(store, &(struct am_filter){.round_mod = 2, .round_rem = 1},
                            aa->cli->arena, &aa->odd, err);
}

static enum am_status measure_run(struct aa *aa, size_t i, struct am_err *err)
{
    struct am_scratch place = {0};
    struct am_store *store = NULL;
    enum am_status status = open_place(aa, i, &place, err);

    if (status == AM_OK)
        status = am_scratch_measure(aa->cli, &aa->setup, &place, &store, err);
    if (status == AM_OK && i == 0)
        status = load_rounds(aa, store, err);
    if (status == AM_OK)
        status = am_evidence_load(store, NULL, aa->cli->arena, &aa->runs[i], err);
    am_store_close(store);
    am_scratch_close(&place);
    return status;
}

/* ---- comparing ---- */

static const struct am_compare_settings *settings_of(const struct aa *aa, enum am_basis basis,
                                                     struct am_compare_settings *out)
{
    *out =
        (struct am_compare_settings){.delta = aa->cli->opt->delta, .level = 0.95, .basis = basis};
    return out;
}

static void note_false(struct aa *aa, const struct am_comparison *c, const char *what)
{
    const size_t wrong = c->count[AM_VERDICT_FASTER] + c->count[AM_VERDICT_SLOWER];

    am_text_addf(&aa->sentences, "%s: faster or slower, which must be false: %zu of %zu rows. ",
                 what, wrong, c->n);
    aa->wrong += wrong;
    aa->rows += c->n;
    aa->failed |= wrong > 0;
}

static size_t count_blind(const struct am_comparison *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += !(c->rows[i].seen <= 1);
    return n;
}

/* Plants effects into the comparison and says how many of them are found. */
static enum am_status plant(struct aa *aa, const struct am_result_set *a,
                            const struct am_result_set *b,
                            const struct am_compare_settings *settings,
                            const struct am_comparison *c, struct am_err *err)
{
    const size_t blind = count_blind(c);
    struct am_planted own = {0}, fixed;
    enum am_status status = am_plant(a, b, settings, c, 0, &own, err);

    am_text_add(&aa->sentences, "Planted and found:");
    for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]) && status == AM_OK; i++) {
        status = am_plant(a, b, settings, c, planted[i], &fixed, err);
        if (status == AM_OK)
            am_text_addf(&aa->sentences, " %.0f %% in %zu of %zu,", 100 * (planted[i] - 1),
                         fixed.found, fixed.rows);
    }
    am_text_addf(
        &aa->sentences,
        " twice what a row says it would show in %zu of %zu; %zu of %zu rows could not show "
        "a doubling.",
        own.found, own.rows, blind, c->n);
    aa->failed |= (double)own.found < found_least * (double)own.rows;
    aa->blind |= (double)blind > blind_most * (double)c->n;
    return status;
}

static void show(struct aa *aa, const struct am_comparison_view *of)
{
    struct am_comparison_view view = *of;
    struct am_document document = am_document_comparison(&view);

    view.changes_only = true;
    view.last = am_arena_strdup(aa->cli->arena, am_text_str(&aa->sentences));
    am_write(&document, &aa->cli->style, aa->cli->arena, stdout);
    if (aa->cli->style.format != AM_FORMAT_TABLE && view.last)
        am_log(AM_LOG_INFO, "%s", view.last);
}

/* In the order of time A B B A A B B A ...: both sides have as many, or A one more. */
static unsigned side_of(size_t i)
{
    return (unsigned)((i + 1) / 2 % 2);
}

static enum am_status unite_runs(const struct aa *aa, unsigned which, struct am_result_set *out,
                                 struct am_err *err)
{
    struct am_side side = {.runs = am_arena_array(aa->cli->arena, aa->n_runs, sizeof(*side.runs))};

    if (!side.runs)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu runs", aa->n_runs);
    for (size_t i = 0; i < aa->n_runs; i++) {
        if (side_of(i) == which)
            side.runs[side.n++] = aa->runs[i];
    }
    return am_side_unite(&side, aa->cli->arena, out, err);
}

/* Rounds of the first run. Where that is all, effects are planted here. */
static enum am_status compare_rounds(struct aa *aa, struct am_err *err)
{
    struct am_compare_settings settings;
    struct am_comparison c = {0};
    enum am_status status =
        am_compare(&aa->even, &aa->odd, settings_of(aa, AM_BASIS_WITHIN_RUN, &settings),
                   aa->cli->arena, &c, err);

    if (status == AM_OK)
        note_false(aa, &c, "Within one run, even rounds against odd ones");
    if (status != AM_OK || aa->n_runs > 1)
        return status;
    status = plant(aa, &aa->even, &aa->odd, &settings, &c, err);
    if (status == AM_OK)
        show(aa, &(struct am_comparison_view){.comparison = &c,
                                              .settings = &settings,
                                              .a = &aa->even,
                                              .b = &aa->odd,
                                              .name_a = "even rounds",
                                              .name_b = "odd rounds"});
    return status;
}

static enum am_status compare_runs(struct aa *aa, struct am_err *err)
{
    struct am_compare_settings settings;
    struct am_comparison c = {0};
    struct am_result_set a, b;
    enum am_status status = unite_runs(aa, 0, &a, err);

    if (status == AM_OK)
        status = unite_runs(aa, 1, &b, err);
    if (status == AM_OK)
        status =
            am_compare(&a, &b, settings_of(aa, AM_BASIS_RUNS, &settings), aa->cli->arena, &c, err);
    if (status == AM_OK) {
        note_false(aa, &c, "Between runs, in turns");
        status = plant(aa, &a, &b, &settings, &c, err);
    }
    if (status == AM_OK)
        show(aa, &(struct am_comparison_view){.comparison = &c,
                                              .settings = &settings,
                                              .a = &a,
                                              .b = &b,
                                              .name_a = "runs 1, 4, 5, ...",
                                              .name_b = "runs 2, 3, 6, ..."});
    return status;
}

static enum am_status measure_all(struct aa *aa, struct am_err *err)
{
    const unsigned launches = aa->setup.plan.settings.max_launches;
    enum am_status status = AM_OK;

    aa->runs = am_arena_array(aa->cli->arena, aa->n_runs, sizeof(*aa->runs));
    if (!aa->runs)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu runs", aa->n_runs);
    for (size_t i = 0; i < aa->n_runs && status == AM_OK; i++) {
        am_log(AM_LOG_INFO, "run %zu of %zu", i + 1, aa->n_runs);
        set_launches(aa, i, launches);
        status = measure_run(aa, i, err);
    }
    return status;
}

enum am_status am_aa(struct am_cli *cli, struct am_err *err)
{
    const struct am_number runs = cli->opt->runs;
    struct aa aa = {.cli = cli, .n_runs = runs.given ? (size_t)runs.value : RUNS_DEFAULT};
    enum am_status status;

    if (aa.n_runs > RUNS_MAX || aa.n_runs == 0 || (aa.n_runs > 1 && aa.n_runs < RUNS_DEFAULT))
        return am_fail(err, AM_E_USAGE,
                       "--runs must be 1, or from %d to %d: three per side are "
                       "the least that shows anything",
                       RUNS_DEFAULT, RUNS_MAX);
    am_text_init(&aa.sentences, SENTENCES);
    status = am_setup_open(cli, &aa.setup, err);
    if (status == AM_OK)
        status = am_setup_plan(cli, &aa.setup, err);
    if (status == AM_OK)
        status = measure_all(&aa, err);
    if (status == AM_OK)
        status = compare_rounds(&aa, err);
    if (status == AM_OK && aa.n_runs > 1)
        status = compare_runs(&aa, err);
    am_setup_close(&aa.setup);
    am_text_fini(&aa.sentences);
    if (status == AM_OK)
        cli->exit_code = aa.rows == 0 ? AM_EXIT_INCONCLUSIVE
                         : aa.failed  ? AM_EXIT_FINDINGS
                         : aa.blind   ? AM_EXIT_INCONCLUSIVE
                                      : AM_EXIT_DONE;
    return status;
}
