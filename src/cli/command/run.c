/* SPDX-License-Identifier: MIT */
/* archmeter run, resume: measure, store, show. */
#include "evidence/evidence.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/own/own.h"
#include "cli/run/against.h"
#include "cli/run/comparing.h"
#include "cli/trust/consent.h"
#include "cli/run/cost_file.h"
#include "cli/run/experiment.h"
#include "cli/run/measure.h"
#include "cli/run/meters.h"
#include "cli/run/page.h"
#include "cli/run/quiet.h"
#include "cli/words/remember.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "cli/run/timing.h"
#include "conductor/schedule.h"
#include "conductor/replan.h"
#include "conductor/sides.h"
#include "document/results.h"
#include "document/run.h"
#include "document/units.h"
#include "model/circumstances.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

/* What is about to be done, and how long it takes, before the first launch. */
static void tell_plan(const struct am_cli *cli, const struct am_plan *plan)
{
    bool *const fits = am_arena_array(cli->arena, plan->n + 1, sizeof(*fits));
    const double seconds = am_schedule_estimate(plan, fits);
    const bool quick = plan->settings.profile == AM_PROFILE_QUICK && cli->opt->operands.n == 0 &&
                       !cli->opt->against;
    char about[AM_UNITS_MAX], beyond[AM_UNITS_MAX] = "";
    size_t left_out = 0;

    for (size_t i = 0; fits && i < plan->n; i++)
        left_out += !fits[i];
    am_units_duration(seconds, about, sizeof(about));
    if (left_out)
        (void)am_str_format(beyond, sizeof(beyond), "; %zu of less worth do not fit", left_out);
    am_log(AM_LOG_INFO, "%s%zu point%s, about %s%s%s", quick ? "the quick set: " : "",
           plan->n - left_out, plan->n - left_out == 1 ? "" : "s", about, beyond,
           quick ? " (--standard measures more)" : "");
}

/* The plan by the options, or that of an earlier run. */
static enum am_status make_plan(const struct am_cli *cli, struct am_setup *setup,
                                struct am_err *err)
{
    return cli->opt->against ? am_against_plan(cli, setup, err) : am_setup_plan(cli, setup, err);
}

/* A run against a base ends with the comparison in place of its results. */
static enum am_status show_against(struct am_cli *cli, const char *path,
                                   const struct am_outcome *outcome, struct am_err *err)
{
    struct am_pair pair = {0};
    struct am_comparison comparison = {0};
    const struct am_strings all = {0};
    enum am_status status =
        am_against_two_sides(cli->opt)
            ? am_pair_within(cli, path, AM_SIDE_AXIS "=" AM_SIDE_BASE "," AM_SIDE_NEW, &all, &pair,
                             err)
            : am_pair_files(cli, cli->opt->against, path, &cli->opt->operands, &pair, err);

    if (status == AM_OK)
        status = am_pair_judge(cli, &pair, &comparison, err);
    if (status != AM_OK)
        return status;
    am_pair_show(cli, &pair, &comparison);
    (void)fflush(stdout); /* before the hints; main looks for errors */
    am_measure_tell(cli, path, outcome);
    return AM_OK;
}

static enum am_status show_run(struct am_cli *cli, struct am_store *store, const char *path,
                               const struct am_outcome *outcome, struct am_err *err)
{
    const bool compares = cli->opt->against || am_against_two_sides(cli->opt);

    return compares && outcome->ok && !outcome->interrupted
               ? show_against(cli, path, outcome, err)
               : am_measure_report(cli, store, path, outcome, err);
}

/* Everything that can be wrong with the words is found before the file is created. */
enum am_status am_cmd_run(struct am_cli *cli, struct am_err *err)
{
    struct am_setup setup = {.begun_ns = am_now_ns()};
    struct am_store *store = NULL;
    struct am_outcome outcome = {0};
    char name[64];
    const char *path =
        cli->opt->output ? cli->opt->output : am_measure_default_path(name, sizeof(name));
    enum am_status status;

    if (cli->opt->dry_run)
        return am_cmd_plan(cli, err);
    status = am_measure_check_path(path, err);
    if (status == AM_OK)
        status = am_setup_open(cli, &setup, err);
    if (status == AM_OK)
        status = am_setup_energy(cli, &setup, err);
    if (status == AM_OK)
        status = am_setup_counters(cli, &setup, err);
    if (status == AM_OK)
        status = make_plan(cli, &setup, err);
    if (status == AM_OK)
        am_setup_stretch(cli, &setup, &setup.plan.settings);
    if (status == AM_OK)
        tell_plan(cli, &setup.plan);
    if (status == AM_OK)
        status = am_quiet_begin(cli, &setup, setup.plan.settings.budget_s, err);
    if (status == AM_OK)
        status = am_measure_create(cli, &setup, path, &store, err);
    if (status == AM_OK)
        status = am_measure_run(cli, &setup, store, NULL, &outcome, err);
    if (status == AM_OK)
        am_setup_learn_costs(cli, &setup);
    if (status == AM_OK)
        status = show_run(cli, store, path, &outcome, err);
    am_store_close(store);
    am_setup_close(&setup);
    return status == AM_OK && cli->opt->report ? am_page_beside(cli, path, err) : status;
}

/* ---- resume ---- */

static enum am_status rebuild_point(const struct am_catalogue *catalogue,
                                    const struct am_resume_point *state, struct am_arena *arena,
                                    struct am_point *point, struct am_err *err)
{
    const struct am_stored_point stored = {state->worker, state->bench, state->version,
                                           state->text};
    const enum am_status status = am_replan_point(catalogue, &stored, arena, point, err);

    point->id = state->point_id;
    return status;
}

static enum am_status rebuild_plan(const struct am_resume *resume, struct am_arena *arena,
                                   struct am_setup *setup, struct am_err *err)
{
    struct am_plan *plan = &setup->plan;
    enum am_status status = AM_OK;

    *plan = (struct am_plan){.settings = resume->run.settings};
    plan->points = am_arena_array(arena, resume->n + 1, sizeof(*plan->points));
    if (!plan->points)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", resume->n);
    plan->cap = resume->n;
    for (; plan->n < resume->n && status == AM_OK; plan->n++)
        status = rebuild_point(&setup->catalogue, &resume->points[plan->n], arena,
                               &plan->points[plan->n], err);
    if (status == AM_OK)
        am_sides_pair(plan);
    return status;
}

static size_t count_open(const struct am_resume *resume)
{
    size_t n = 0;

    for (size_t i = 0; i < resume->n; i++)
        n += resume->points[i].stop_reason == AM_STOP_OPEN;
    return n;
}

/* Visits of a search are no series of launches: more of them would be compared with nothing. */
static bool was_tuned(const struct am_resume *resume)
{
    for (size_t i = 0; i < resume->n; i++) {
        if (resume->points[i].stop_reason == AM_STOP_TUNED)
            return true;
    }
    return false;
}

/* Points that ended for their number of launches, or by their precision, have more to come. What
 * the run was begun with stays as it is: it is sealed. Whoever asks for a number has it whatever
 * budget the run had. */
static enum am_status ask_for_more(const struct am_counts *wanted, struct am_resume *resume,
                                   struct am_err *err)
{
    struct am_plan_settings *const set = &resume->run.settings;

    if (wanted->min == 0)
        return AM_OK;
    if (was_tuned(resume))
        return am_fail(err, AM_E_USAGE,
                       "--launches: the file is one of archmeter tune, which visits a candidate as "
                       "often as its search needs; archmeter run BENCH --launches %u measures with "
                       "the values that it found",
                       wanted->max);
    if (wanted->max < set->max_launches)
        return am_fail(err, AM_E_USAGE,
                       "--launches %u: points of this run had up to %u; launches can be added and "
                       "not taken away",
                       wanted->max, set->max_launches);
    set->min_launches = wanted->min;
    set->max_launches = wanted->max;
    set->budget_s = 0;
    for (size_t i = 0; i < resume->n; i++) {
        struct am_resume_point *const point = &resume->points[i];
        const enum am_stop_reason why = point->stop_reason;
        const size_t up_to = why == AM_STOP_TARGET ? wanted->min : wanted->max;

        if ((why == AM_STOP_TARGET || why == AM_STOP_MAX_LAUNCHES || why == AM_STOP_OUT_OF_REACH ||
             why == AM_STOP_BUDGET) &&
            point->n_rounds < up_to)
            point->stop_reason = AM_STOP_OPEN;
    }
    return AM_OK;
}

/* Nothing is left to measure. A run killed between its last launch and its end is ended now; any
 * other file stays as it is. */
static enum am_status show_complete(struct am_cli *cli, struct am_store *store, const char *path,
                                    const struct am_resume *resume, struct am_err *err)
{
    struct am_result_set set = {0};
    const struct am_document document = am_document_results(&set);
    enum am_status status = AM_OK;

    if (resume->run.state != AM_RUN_DONE)
        status = am_store_end_run(store, AM_RUN_DONE, err);
    if (status == AM_OK)
        status = am_evidence_load(store, &(struct am_filter){.check = true}, cli->arena, &set, err);
    if (status != AM_OK)
        return status;
    am_load_warn(path, &set.seal);
    am_write(&document, &cli->style, cli->arena, stdout);
    am_log(AM_LOG_INFO, "the run is complete; there was nothing left to measure");
    return AM_OK;
}

/* Values are stored in the order of the metrics: a meter more or less would give them wrong names.
 */
static enum am_status check_metrics(const struct am_result_set *stored, const struct am_plan *plan,
                                    struct am_err *err)
{
    for (size_t i = 0; i < plan->n && i < stored->n; i++) {
        const struct am_result *const r = &stored->results[i];
        const struct am_metric *const now = plan->points[i].bench->metrics;
        size_t same = 0;

        while (same < r->n_metrics && now[same].name &&
               strcmp(now[same].name, r->metrics[same].name) == 0)
            same++;
        if (same < r->n_metrics || now[same].name)
            return am_fail(err, AM_E_ABSENT,
                           "%s: the run was begun with metric \"%s\", and now there is \"%s\": "
                           "the meters or counters are not the same",
                           r->bench, same < r->n_metrics ? r->metrics[same].name : "(none)",
                           now[same].name ? now[same].name : "(none)");
    }
    return AM_OK;
}

/* Launches of two machines, or of a simulated one, are no series: no median is of either. */
static enum am_status check_machine(const struct am_cli *cli, const struct am_setup *setup,
                                    const char *path, const struct am_result_set *stored,
                                    struct am_err *err)
{
    struct am_kvs here = {0};

    am_machine_describe(setup->topo, &setup->root, cli->arena, &here);
    if (!am_kvs_get(&stored->machine, "key") || /* of several, merged */
        (am_machine_same(&stored->machine, &here) &&
         stored->run.synthetic == setup->root.synthetic))
        return AM_OK;
    return am_fail(err, AM_E_ABSENT,
                   "%s: was measured on another machine%s: %s; this one is %s%s. A run has one "
                   "machine: begin another here, and compare both",
                   path, stored->run.synthetic ? " (simulated)" : "",
                   am_machine_line(&stored->machine, cli->arena),
                   am_machine_line(&here, cli->arena), setup->root.synthetic ? " (simulated)" : "");
}

/* The options that the run was begun with, where the command line does not say otherwise. */
static enum am_status recall(struct am_cli *cli, const struct am_result_set *stored,
                             struct am_err *err)
{
    struct am_options *const opt = am_arena_alloc(cli->arena, sizeof(*opt));

    if (!opt)
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    *opt = *cli->opt;
    am_options_recall(&stored->settings, opt);
    cli->opt = opt;
    return AM_OK;
}

/* What the file would have run here: its experiment's programs, and its meters. */
static enum am_status ask(const struct am_cli *cli, const char *path, const struct am_kvs *settings,
                          struct am_err *err)
{
    struct am_consent consent = {.file = path};
    const enum am_status s = am_consent_settings(&consent, settings, cli->arena, err);

    return s == AM_OK ? am_consent_get(cli, &consent, err) : s;
}

/* Rebuilds the stored plan and measures what it lacks. */
static enum am_status go_on(struct am_cli *cli, struct am_store *store, const char *path,
                            const struct am_resume *resume, struct am_err *err)
{
    struct am_setup setup = {0};
    struct am_outcome outcome = {0};
    struct am_result_set stored = {0};
    enum am_status status =
        am_evidence_load(store, &(struct am_filter){.check = true}, cli->arena, &stored, err);

    if (status == AM_OK)
        am_load_warn(path, &stored.seal);
    if (status == AM_OK)
        status = recall(cli, &stored, err);
    if (status == AM_OK)
        status = ask(cli, path, &stored.settings, err);
    if (status == AM_OK)
        status = am_experiment_recall(&stored.settings, err);
    if (status == AM_OK)
        status = am_own_recall(cli, &stored.settings, err);
    if (status == AM_OK)
        status = am_setup_open(cli, &setup, err);
    if (status == AM_OK)
        status = check_machine(cli, &setup, path, &stored, err);
    if (status == AM_OK)
        status = am_setup_energy(cli, &setup, err);
    if (status == AM_OK)
        status = am_setup_counters(cli, &setup, err);
    if (status == AM_OK)
        status = rebuild_plan(resume, cli->arena, &setup, err);
    if (status == AM_OK)
        am_setup_costs(cli, &setup);
    if (status == AM_OK)
        setup.ends_at_failure = am_timing_ends_at_failure(&stored.settings);
    if (status == AM_OK)
        status = am_experiment_order(&stored.settings, &setup.plan, cli->arena, err);
    if (status == AM_OK)
        am_quiet_recall(&stored.settings, &setup.plan.settings);
    if (status == AM_OK)
        status = check_metrics(&stored, &setup.plan, err);
    if (status == AM_OK)
        status = am_store_end_run(store, AM_RUN_RUNNING, err);
    if (status == AM_OK)
        status = am_measure_idle(cli, &setup, store, "resumed", err);
    if (status == AM_OK)
        status = am_measure_run(cli, &setup, store, resume, &outcome, err);
    if (status == AM_OK)
        status = show_run(cli, store, path, &outcome, err);
    am_setup_close(&setup);
    return status;
}

enum am_status am_cmd_resume(struct am_cli *cli, struct am_err *err)
{
    const char *path = cli->opt->operands.items[0];
    struct am_store *store = NULL;
    struct am_resume resume = {0};
    enum am_status status = am_runs_resolve(path, cli->arena, &path, err);

    if (status == AM_OK)
        status = am_store_open(path, true, &store, err);
    if (status == AM_OK)
        status = am_store_load_resume(store, cli->arena, &resume, err);
    if (status == AM_OK)
        status = ask_for_more(&cli->opt->launches, &resume, err);
    if (status == AM_OK && was_tuned(&resume) && count_open(&resume) > 0)
        am_log(AM_LOG_WARN, "the file is one of archmeter tune: what it had begun is measured, but "
                            "its search does not go on; archmeter tune begins it again");
    if (status == AM_OK && count_open(&resume) == 0)
        status = show_complete(cli, store, path, &resume, err);
    else if (status == AM_OK)
        status = go_on(cli, store, path, &resume, err);
    am_store_close(store);
    return status;
}
