/* SPDX-License-Identifier: MIT */
/* archmeter selftest: the instrument measured against itself. */
#include "evidence/evidence.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/measure.h"
#include "cli/run/selftest.h"
#include "cli/run/setup.h"
#include "core/stats/stats.h"
#include "model/compare.h"
#include "report/comparison.h"
#include "report/grid.h"
#include "report/json.h"
#include "document/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAUNCHES = 10 }; /* five per side with --aa */

static const double false_share_limit = 0.05;

/* ---- a place for measurements ---- */

/* A results file in a directory of its own, removed at the end; or the user's, kept. */
struct place {
    char dir[512], path[600];
    bool temporary;
};

static enum am_status place_open(struct place *place, const char *wanted, struct am_err *err)
{
    const char *tmp = getenv("TMPDIR");

    *place = (struct place){.temporary = !wanted};
    if (wanted) {
        (void)am_str_copy(place->path, sizeof(place->path), wanted);
        return AM_OK;
    }
    if (!am_str_format(place->dir, sizeof(place->dir), "%s/archmeter-selftest-XXXXXX",
                       tmp && *tmp ? tmp : "/tmp") ||
        !mkdtemp(place->dir)) {
        place->dir[0] = '\0';
        return am_fail(err, AM_E_SYS, "cannot create a temporary directory");
    }
    (void)am_str_format(place->path, sizeof(place->path), "%s/run.db", place->dir);
    return AM_OK;
}

static void place_close(const struct place *place)
{
    if (!place->temporary || !place->dir[0])
        return;
    (void)unlink(place->path);
    (void)rmdir(place->dir);
}

/* Measures the setup's plan into the place; the store stays open for reading. */
static enum am_status measure_into(struct am_cli *cli, struct am_setup *setup,
                                   const struct place *place, struct am_store **store_p,
                                   struct am_err *err)
{
    struct am_outcome outcome = {0};
    enum am_status status = am_measure_create(cli, setup, place->path, store_p, err);

    if (status == AM_OK)
        status = am_measure_run(cli, setup, *store_p, NULL, &outcome, err);
    if (status == AM_OK && outcome.interrupted)
        status = am_fail(err, AM_E_INTERRUPTED, "interrupted");
    if (status == AM_OK && outcome.ok == 0)
        status = am_fail(err, AM_E_ABSENT, "nothing could be measured");
    return status;
}

/* ---- the engine's own cost ---- */

struct figure {
    const char *name;
    double value, goal; /* seconds; goal 0: none */
    const char *how;
};

static bool is_over(const struct figure *f)
{
    return f->goal > 0 && !(f->value <= f->goal); /* NAN is over: it was not measured */
}

/* Time from spawn to the first sample, the smallest t0 of each launch. */
struct first_samples {
    int64_t launch[LAUNCHES * 4];
    double seconds[LAUNCHES * 4];
    size_t n;
};

static enum am_status note_first(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    struct first_samples *f = self;
    const double s = ((double)raw->sample.t0_ns - (double)raw->launch_started_ns) * 1e-9;
    size_t i = 0;

    (void)err;
    while (i < f->n && f->launch[i] != raw->launch_id)
        i++;
    if (i == sizeof(f->launch) / sizeof(f->launch[0]))
        return AM_OK;
    if (i == f->n) {
        f->launch[f->n] = raw->launch_id;
        f->seconds[f->n++] = s;
    } else if (s < f->seconds[i]) {
        f->seconds[i] = s;
    }
    return AM_OK;
}

/* Median of a metric of bench null over all its points and launches. */
static double null_median(const struct am_result_set *set, const char *metric)
{
    double medians[64];
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        for (size_t m = 0; m < set->results[i].n_metrics; m++) {
            struct am_summary s;

            if (strcmp(set->results[i].metrics[m].name, metric) == 0 &&
                am_summarise(&set->results[i].metrics[m].series, &s) && n < 64)
                medians[n++] = s.median;
        }
    }
    am_stats_sort(medians, n);
    return am_stats_median(medians, n);
}

static enum am_status measure_null(struct am_cli *cli, struct figure *beyond, struct figure *launch,
                                   struct am_err *err)
{
    const char *bench[] = {"null"};
    struct am_options options = *cli->opt;
    struct am_cli inner = *cli;
    struct am_setup setup = {0};
    struct am_store *store = NULL;
    struct place place = {0};
    struct am_result_set set = {0};
    struct first_samples first = {0};
    enum am_status status;

    options.operands = (struct am_strings){.items = bench, .n = 1};
    options.launches = (struct am_counts){LAUNCHES, LAUNCHES};
    inner.opt = &options;
    status = place_open(&place, options.output, err);
    if (status == AM_OK)
        status = am_setup_open(&inner, &setup, err);
    if (status == AM_OK)
        status = am_setup_plan(&inner, &setup, err);
    if (status == AM_OK)
        status = measure_into(&inner, &setup, &place, &store, err);
    if (status == AM_OK)
        status = am_evidence_load(store, NULL, cli->arena, &set, err);
    if (status == AM_OK)
        status = am_store_each_sample(store, NULL, note_first, &first, err);
    am_store_close(store);
    am_setup_close(&setup);
    place_close(&place);
    beyond->value = null_median(&set, "beyond_clock");
    am_stats_sort(first.seconds, first.n);
    launch->value = am_stats_median(first.seconds, first.n);
    return status;
}

/* Scaled for people, exact seconds in CSV. */
static void seconds_text(enum am_format format, double seconds, char *buf, size_t cap)
{
    if (format == AM_FORMAT_CSV)
        am_units_exact(seconds, buf, cap);
    else
        am_units_value(seconds, "s", buf, cap);
}

static void write_figures(struct am_cli *cli, const struct figure *figures, size_t n)
{
    struct am_grid g;

    am_grid_init(&g, cli->arena);
    am_grid_column(&g, "what", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "measured", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "goal", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "verdict", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "how", AM_ALIGN_LEFT, 1);
    for (size_t i = 0; i < n; i++) {
        char value[AM_UNITS_MAX], goal[AM_UNITS_MAX] = "";

        seconds_text(cli->style.format, figures[i].value, value, sizeof(value));
        if (figures[i].goal > 0)
            seconds_text(cli->style.format, figures[i].goal, goal, sizeof(goal));
        am_grid_row(&g);
        am_grid_cell(&g, figures[i].name);
        am_grid_paint(&g, value, AM_PAINT_STRONG);
        am_grid_cell(&g, goal);
        am_grid_paint(&g,
                      figures[i].goal <= 0   ? ""
                      : is_over(&figures[i]) ? "over"
                                             : "ok",
                      is_over(&figures[i]) ? AM_PAINT_BAD : AM_PAINT_GOOD);
        am_grid_cell(&g, figures[i].how);
        if (is_over(&figures[i]))
            cli->exit_code = AM_EXIT_FINDINGS;
    }
    (void)am_grid_write(&g, &cli->style, 0, stdout);
}

static void json_figures(struct am_cli *cli, const struct figure *figures, size_t n)
{
    struct am_json j;

    am_json_init(&j, stdout, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_array(&j, "figures");
    for (size_t i = 0; i < n; i++) {
        am_json_object(&j, NULL);
        am_json_string(&j, "name", figures[i].name);
        am_json_number(&j, "seconds", figures[i].value);
        am_json_number(&j, "goal", figures[i].goal > 0 ? figures[i].goal : NAN);
        am_json_bool(&j, "ok", !is_over(&figures[i]));
        am_json_object_end(&j);
        if (is_over(&figures[i]))
            cli->exit_code = AM_EXIT_FINDINGS;
    }
    am_json_array_end(&j);
    am_json_object_end(&j);
}

static enum am_status engine(struct am_cli *cli, struct am_err *err)
{
    enum { OVERHEAD, RESOLUTION, BEYOND, LAUNCH, STORE, N };
    struct figure figures[N] = {
        [OVERHEAD] = {"clock reading", NAN, 0, "median of back-to-back readings"},
        [RESOLUTION] = {"clock resolution", NAN, 0, "smallest step seen"},
        [BEYOND] = {"empty batch beyond the clock", NAN, 30e-9, "bench null, median of launches"},
        [LAUNCH] = {"launch", NAN, 20e-3, "spawn to first sample of bench null, median"},
        [STORE] = {"10,000 samples stored", NAN, 1, "100 launches, a commit each"},
    };
    struct am_clock clock;
    struct place place = {0};
    enum am_status status;

    if (cli->opt->operands.n)
        return am_fail(err, AM_E_USAGE, "selftest takes patterns with --aa only");
    am_clock_init(&clock);
    figures[OVERHEAD].value = (double)clock.overhead_ns * 1e-9;
    figures[RESOLUTION].value = (double)clock.resolution_ns * 1e-9;
    status = measure_null(cli, &figures[BEYOND], &figures[LAUNCH], err);
    if (status == AM_OK)
        status = place_open(&place, NULL, err);
    if (status == AM_OK)
        status = am_selftest_store(place.path, &figures[STORE].value, err);
    place_close(&place);
    if (status != AM_OK)
        return status;
    if (cli->style.format == AM_FORMAT_JSON)
        json_figures(cli, figures, N);
    else
        write_figures(cli, figures, N);
    return AM_OK;
}

/* ---- A against A ---- */

static void report_aa(struct am_cli *cli, const struct am_comparison_view *view)
{
    const struct am_comparison *c = view->comparison;
    const size_t wrong = c->count[AM_VERDICT_FASTER] + c->count[AM_VERDICT_SLOWER];
    const double share = c->n ? (double)wrong / (double)c->n : NAN;

    char figure[128];

    am_report_comparison(view, &cli->style, cli->arena, stdout);
    (void)am_str_format(figure, sizeof(figure),
                        "share of verdicts other than same/inconclusive: %zu of %zu = %.1f %%",
                        wrong, c->n, share * 100);
    if (cli->style.format == AM_FORMAT_TABLE)
        (void)printf("\n%s\n", figure);
    else
        am_log(AM_LOG_INFO, "%s", figure);
    if (!(share <= false_share_limit))
        cli->exit_code = c->n ? AM_EXIT_FINDINGS : AM_EXIT_INCONCLUSIVE;
}

/* Even rounds are A, odd ones B: a disturbance that comes and goes meets both. */
static enum am_status compare_rounds(struct am_cli *cli, struct am_store *store, struct am_err *err)
{
    const struct am_compare_settings settings = {.delta = cli->opt->delta, .level = 0.95};
    struct am_result_set a = {0}, b = {0};
    struct am_comparison comparison = {0};
    enum am_status status = am_evidence_load(
        store, &(struct am_filter){.round_mod = 2, .round_rem = 0}, cli->arena, &a, err);

    if (status == AM_OK)
        status = am_evidence_load(store, &(struct am_filter){.round_mod = 2, .round_rem = 1},
                                  cli->arena, &b, err);
    if (status == AM_OK)
        status = am_compare(&a, &b, &settings, cli->arena, &comparison, err);
    if (status == AM_OK)
        report_aa(cli, &(struct am_comparison_view){.comparison = &comparison,
                                                    .settings = &settings,
                                                    .a = &a,
                                                    .b = &b,
                                                    .name_a = "even rounds",
                                                    .name_b = "odd rounds",
                                                    .changes_only = true});
    return status;
}

static enum am_status against_itself(struct am_cli *cli, struct am_err *err)
{
    struct am_setup setup = {0};
    struct am_store *store = NULL;
    struct place place = {0};
    enum am_status status = am_setup_open(cli, &setup, err);

    if (status == AM_OK)
        status = am_setup_plan(cli, &setup, err);
    if (status == AM_OK)
        status = place_open(&place, cli->opt->output, err);
    if (status == AM_OK)
        status = measure_into(cli, &setup, &place, &store, err);
    if (status == AM_OK)
        status = compare_rounds(cli, store, err);
    am_store_close(store);
    am_setup_close(&setup);
    place_close(&place);
    return status;
}

enum am_status am_cmd_selftest(struct am_cli *cli, struct am_err *err)
{
    const struct am_options *const given = cli->opt;
    struct am_options options = *given;
    enum am_status status;

    /* A fixed number of launches per side and no budget: both sides must be treated alike. */
    if (options.profile < 0)
        options.profile = AM_PROFILE_QUICK;
    if (!options.launches.min)
        options.launches = (struct am_counts){LAUNCHES, LAUNCHES};
    if (options.budget_s < 0)
        options.budget_s = 0;
    cli->opt = &options;
    status = options.aa ? against_itself(cli, err) : engine(cli, err);
    cli->opt = given;
    return status;
}
