/* SPDX-License-Identifier: MIT */
/* archmeter selftest: the instrument measured against itself. */
#include "evidence/evidence.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/aa.h"
#include "cli/run/measure.h"
#include "cli/run/scratch.h"
#include "cli/run/selftest.h"
#include "cli/run/setup.h"
#include "core/stats/stats.h"
#include "write/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAUNCHES = 10 }; /* five per side with --aa */

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
    struct am_scratch place = {0};
    struct am_result_set set = {0};
    struct first_samples first = {0};
    enum am_status status;

    options.operands = (struct am_strings){.items = bench, .n = 1};
    options.launches = (struct am_counts){LAUNCHES, LAUNCHES};
    inner.opt = &options;
    status = am_scratch_open(&place, options.output, err);
    if (status == AM_OK)
        status = am_setup_open(&inner, &setup, err);
    if (status == AM_OK)
        status = am_setup_plan(&inner, &setup, err);
    if (status == AM_OK)
        status = am_scratch_measure(&inner, &setup, &place, &store, err);
    if (status == AM_OK)
        status = am_evidence_load(store, NULL, cli->arena, &set, err);
    if (status == AM_OK)
        status = am_store_each_sample(store, NULL, note_first, &first, err);
    am_store_close(store);
    am_setup_close(&setup);
    am_scratch_close(&place);
    beyond->value = null_median(&set, "beyond_clock");
    am_stats_sort(first.seconds, first.n);
    launch->value = am_stats_median(first.seconds, first.n);
    return status;
}

struct figures {
    const struct figure *items;
    size_t n;
};

static void engine_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {
        {.title = "what", .key = "what"},
        {.title = "measured", .key = "measured", .right = true},
        {.title = "goal", .key = "goal", .right = true},
        {.title = "verdict", .key = "verdict"},
        {.title = "how", .key = "how", .rank = 1}};
    const struct figures *const all = self;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < all->n; i++) {
        const struct figure *const f = &all->items[i];

        am_table_row(t);
        (void)am_table_text(t, f->name);
        am_table_quantity(t, AM_FORM_QUANTITY, f->value, "s")->tone = AM_TONE_STRONG;
        if (f->goal > 0)
            (void)am_table_quantity(t, AM_FORM_QUANTITY, f->goal, "s");
        else
            (void)am_table_text(t, NULL);
        am_table_text(t, f->goal <= 0 ? NULL
                         : is_over(f) ? "over"
                                      : "ok")
            ->tone = is_over(f) ? AM_TONE_BAD : AM_TONE_GOOD;
        (void)am_table_text(t, f->how);
    }
}

static void engine_data(struct am_data *d, const void *self)
{
    const struct figures *const all = self;

    am_data_array(d, "figures");
    for (size_t i = 0; i < all->n; i++) {
        const struct figure *const f = &all->items[i];

        am_data_object(d, NULL);
        am_data_text(d, "name", f->name);
        am_data_number(d, "seconds", f->value);
        am_data_number(d, "goal", f->goal > 0 ? f->goal : NAN);
        am_data_bool(d, "ok", !is_over(f));
        am_data_object_end(d);
    }
    am_data_array_end(d);
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
    struct am_scratch place = {0};
    enum am_status status;

    if (cli->opt->operands.n)
        return am_fail(err, AM_E_USAGE, "selftest takes patterns with --aa only");
    am_clock_init(&clock);
    figures[OVERHEAD].value = (double)clock.overhead_ns * 1e-9;
    figures[RESOLUTION].value = (double)clock.resolution_ns * 1e-9;
    status = measure_null(cli, &figures[BEYOND], &figures[LAUNCH], err);
    if (status == AM_OK)
        status = am_scratch_open(&place, NULL, err);
    if (status == AM_OK)
        status = am_selftest_store(place.path, &figures[STORE].value, err);
    am_scratch_close(&place);
    if (status != AM_OK)
        return status;
    am_write(&(struct am_document){.self = &(struct figures){figures, N},
                                   .blocks = engine_blocks,
                                   .data = engine_data},
             &cli->style, cli->arena, stdout);
    for (size_t i = 0; i < N; i++) {
        if (is_over(&figures[i]))
            cli->exit_code = AM_EXIT_FINDINGS;
    }
    return AM_OK;
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
    status = options.aa ? am_aa(cli, err) : engine(cli, err);
    cli->opt = given;
    return status;
}
