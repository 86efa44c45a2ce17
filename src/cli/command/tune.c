/* SPDX-License-Identifier: MIT */
/* archmeter tune: search, save, and what belongs to a file of saved values. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/own/own.h"
#include "cli/run/measure.h"
#include "cli/run/meters.h"
#include "cli/run/page.h"
#include "cli/run/progress.h"
#include "cli/run/quiet.h"
#include "cli/run/setup.h"
#include "cli/tune/show_tuned.h"
#include "cli/tune/tune_time.h"
#include "cli/tune/tuning_file.h"
#include "cli/tune/ways.h"
#include "conductor/tuner.h"
#include "document/units.h"
#include "family/roles.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 512, PARAMS_MAX = 256, FRONT_MAX = 64 };

static const double measure_s = 18;         /* for one point, with what else it takes below 20 s */
static const double measure_energy_s = 300; /* a visit takes seconds */

static const char no_place[] =
    "no place for the tuning file: give --tuning FILE, or set HOME or XDG_DATA_HOME";

/* ---- what is tuned ---- */

static bool has_tunables(const struct am_cli *cli, const struct am_bench *bench)
{
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++) {
        if (bench->axes[i].tune || (cli->opt->tune_for >= 0 && am_axis_is_way(bench->axes[i].name)))
            return true;
    }
    return false;
}

static const char *open_text(const struct am_axis *axis)
{
    return axis->kind == AM_AXIS_NAME ? "auto" : "0";
}

/* Index of the parameter for an axis; n when there is none. */
static size_t find_param(const struct am_param *params, size_t n, const char *axis)
{
    size_t i = 0;

    while (i < n && strcmp(params[i].axis, axis) != 0)
        i++;
    return i;
}

/* What may be tried on one tunable axis. */
static enum am_status values_of(const struct am_cli *cli, const struct am_setup *setup,
                                const struct am_axis *axis, const struct am_param *params,
                                struct am_values *out, struct am_err *err)
{
    const size_t given = find_param(params, cli->opt->params.n, axis->name);
    const char *const text = given < cli->opt->params.n ? params[given].values : axis->tune;
    const enum am_status s =
        am_axis_parse(axis, text, strlen(text), am_topo_symbols(setup->topo), cli->arena, out, err);

    return s == AM_E_PARSE || s == AM_E_LIMIT ? AM_E_USAGE : s;
}

/* A value that another worker measures, or that leaves the choice open, is no candidate. */
static bool is_candidate(const struct am_axis *axis, const struct am_value *value)
{
    if (axis->kind == AM_AXIS_NAME && value->i >= 0 && am_axis_elsewhere(axis, (size_t)value->i))
        return false;
    return !am_axis_is_open(axis, value);
}

/* Candidates, indexed as the axes. One that was given alone fixes the axis: the points of the plan
 * have it. */
static enum am_status candidates_of(const struct am_cli *cli, const struct am_setup *setup,
                                    const struct am_bench *bench, struct am_param *params,
                                    struct am_candidates *out, struct am_err *err)
{
    struct am_values ways[AM_AXES_MAX];
    enum am_status s = am_tune_ways(cli, setup, bench, params, ways, err);

    for (size_t i = 0; s == AM_OK && bench->axes[i].name; i++) {
        const struct am_axis *const axis = &bench->axes[i];
        const size_t given = cli->opt->params.n;
        struct am_values *const values = &out[i].values;
        size_t kept = 0;

        out[i] = (struct am_candidates){.given = find_param(params, given, axis->name) < given};
        if (ways[i].n)
            out[i] = (struct am_candidates){.values = ways[i], .given = true, .joint = true};
        if (!axis->tune)
            continue;
        s = values_of(cli, setup, axis, params, values, err);
        for (size_t k = 0; s == AM_OK && k < values->n; k++) {
            if (is_candidate(axis, &values->v[k]))
                values->v[kept++] = values->v[k];
        }
        if (s != AM_OK || (values->n == 1 && out[i].given))
            kept = 0;
        values->n = kept;
    }
    return s;
}

/* Where the search over ways begins: the last value, of numbers the greatest. */
static const char *last_text(const struct am_cli *cli, const struct am_values *values)
{
    char text[AM_VALUE_TEXT_MAX];
    const char *copy;

    am_value_text(&values->v[values->n - 1], text, sizeof(text));
    copy = am_arena_strdup(cli->arena, text);
    return copy ? copy : "";
}

/* The points of one worker's part: what is tuned is open, ways have one value, all else is as the
 * options say. */
static enum am_status add_part(const struct am_cli *cli, struct am_setup *setup,
                               const struct am_bench *bench, struct am_param *params,
                               struct am_err *err)
{
    struct am_param all[PARAMS_MAX + AM_AXES_MAX];
    struct am_values ways[AM_AXES_MAX];
    const size_t given = cli->opt->params.n;
    size_t n = given;
    enum am_status s = am_tune_ways(cli, setup, bench, params, ways, err);

    memcpy(all, params, given * sizeof(*all));
    for (size_t i = 0; s == AM_OK && bench->axes[i].name; i++) {
        const struct am_axis *const axis = &bench->axes[i];
        const size_t at = find_param(params, given, axis->name);
        struct am_values values = {0};

        if (ways[i].n)
            all[at < given ? at : n++] =
                (struct am_param){.axis = axis->name, .values = last_text(cli, &ways[i])};
        if (!axis->tune)
            continue;
        s = values_of(cli, setup, axis, params, &values, err);
        if (at == given)
            all[n++] = (struct am_param){.axis = axis->name, .values = open_text(axis)};
        else if (values.n > 1)
            all[at].values = open_text(axis);
    }
    if (s == AM_OK)
        s = am_own_check_variants(cli, bench->name, all, n, err);
    if (s == AM_OK)
        s = am_plan_add(&setup->plan, bench, all, n, am_topo_symbols(setup->topo), cli->arena, err);
    for (size_t i = 0; i < given; i++)
        params[i].used |= all[i].used;
    return s;
}

static enum am_status add_bench(const struct am_cli *cli, struct am_setup *setup, const char *name,
                                struct am_param *params, struct am_err *err)
{
    const struct am_catalogue *const c = &setup->catalogue;

    for (size_t w = 0; w < c->n; w++) {
        const struct am_bench *const bench = am_catalogue_find(c, c->workers[w].name, name);
        const enum am_status s =
            bench && has_tunables(cli, bench) ? add_part(cli, setup, bench, params, err) : AM_OK;

        if (s == AM_E_ABSENT)
            am_log(AM_LOG_WARN, "%s of worker %s is left out: %s", name, c->workers[w].name,
                   err->text);
        else if (s != AM_OK)
            return s == AM_E_PARSE || s == AM_E_LIMIT ? AM_E_USAGE : s;
        if (s == AM_E_ABSENT)
            *err = (struct am_err){0};
    }
    return AM_OK;
}

static enum am_status add_benches(const struct am_cli *cli, struct am_setup *setup,
                                  struct am_param *params, struct am_err *err)
{
    const char *names[NAMES_MAX];
    const size_t n = am_setup_names(&setup->catalogue, names, NAMES_MAX);
    enum am_status s = am_check_patterns(&cli->opt->operands, names, n, err);

    for (size_t i = 0; i < n && s == AM_OK; i++) {
        if (am_patterns_match(&cli->opt->operands, names[i]))
            s = add_bench(cli, setup, names[i], params, err);
    }
    return s;
}

/* Names the benches that could have been meant. */
static enum am_status nothing_to_tune(const struct am_cli *cli, const struct am_setup *setup,
                                      const char *what, struct am_err *err)
{
    const char *names[NAMES_MAX];
    const size_t n = am_setup_names(&setup->catalogue, names, NAMES_MAX);
    char text[256] = "";

    for (size_t i = 0; i < n; i++) {
        const size_t used = strlen(text);

        if (has_tunables(cli, am_catalogue_find(&setup->catalogue, NULL, names[i])))
            (void)am_str_format(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
                                names[i]);
    }
    return am_fail(err, AM_E_USAGE, "%s; benches with tunable axes: %s", what,
                   *text ? text : "none");
}

static enum am_status plan(const struct am_cli *cli, struct am_setup *setup,
                           struct am_param **params, struct am_err *err)
{
    enum am_status s;

    if (cli->opt->operands.n == 0)
        return nothing_to_tune(cli, setup, "name a bench", err);
    if (cli->opt->params.n > PARAMS_MAX)
        return am_fail(err, AM_E_USAGE, "more than %d parameters", PARAMS_MAX);
    setup->plan = (struct am_plan){.places = am_topo_places(setup->topo)};
    s = am_setup_settings(cli->opt, &setup->plan.settings, err);
    am_tuner_settings(&setup->plan.settings);
    setup->plan.settings.budget_s = 0; /* it is the points', and the tuner's business */
    if (s == AM_OK) {
        am_setup_stretch(cli, setup, &setup->plan.settings);
        am_tuner_spare_windows(&setup->plan.settings);
    }
    if (s == AM_OK)
        s = am_setup_params(cli->opt, cli->arena, params, err);
    if (s == AM_OK)
        s = add_benches(cli, setup, *params, err);
    if (s == AM_OK && setup->plan.n == 0)
        return nothing_to_tune(cli, setup, "nothing of what was named can be tuned here", err);
    return s == AM_OK ? am_setup_check_used(cli, setup, *params, err) : s;
}

/* ---- tuning ---- */

struct session {
    struct am_cli *cli;
    struct am_setup *setup;
    struct am_store *store;
    struct am_param *params;
    const char *file, *results, *machine;
    struct am_tune_row *rows;
    size_t n; /* rows that there are */
    struct am_progress_view view;
    struct am_tuner tuner;
};

static enum am_status put_entry(void *self, struct am_tuning *tuning, bool *changed,
                                struct am_err *err)
{
    return am_tuning_put(tuning, self, changed, err);
}

static enum am_status save(struct session *s, const struct am_tune_row *row, struct am_err *err)
{
    struct am_arena *const arena = s->cli->arena;
    char now[AM_UNITS_MAX];
    struct am_tuning_entry entry;
    struct am_kvs settings = {0};
    struct am_text line;
    enum am_status status =
        am_tuning_entry_of(s->machine, row->point, row->tuned.found, arena, &entry, err);

    if (status != AM_OK)
        return status;
    am_time_utc(now, sizeof(now));
    entry.mode = s->tuner.mode;
    entry.metric = row->point->bench->metrics[0].name;
    entry.value = row->tuned.value;
    entry.date = now;
    am_text_init(&line, AM_TUNING_BYTES_MAX);
    am_tuning_entry_text(&entry, &line);
    am_kvs_addf(&settings, arena, am_arena_printf(arena, "tuning.result.%zu", s->n), "%s",
                am_text_str(&line));
    am_text_fini(&line);
    status = am_store_put_settings(s->store, &settings, err);
    return status == AM_OK ? am_tuning_change(s->file, arena, put_entry, &entry, err) : status;
}

/* A run leaves no way open, and wants to be fast: what was found for another goal, or along with
 * ways, is told and not kept for it. */
static bool is_saved(const struct session *s, const struct am_tune_row *row)
{
    return s->cli->opt->tune_for <= AM_TUNE_TIME && row->tuned.joint == 0;
}

static void tell_row(const struct session *s, const struct am_tune_row *row)
{
    const struct am_metric *const metric = &row->point->bench->metrics[row->tuned.metric];
    char use[AM_POINT_TEXT_MAX], value[AM_UNITS_MAX];

    am_tune_choice(row, row->tuned.found, use, sizeof(use));
    am_units_value(row->tuned.value, metric->unit, value, sizeof(value));
    if (row->tuned.why_not)
        am_log(AM_LOG_INFO, "%zu/%zu  %s: %s", s->n, s->setup->plan.n, row->point->bench->name,
               row->tuned.why_not);
    else
        am_log(AM_LOG_INFO, "%zu/%zu  %s: %s%s%s, %s", s->n, s->setup->plan.n,
               row->point->bench->name, row->tuned.doubt ? row->tuned.doubt : "",
               row->tuned.doubt && *use ? "; " : "", use, value);
}

static enum am_status tune_points(struct session *s, struct am_err *err)
{
    enum am_status status = AM_OK;

    for (size_t i = 0; i < s->setup->plan.n && status == AM_OK && !*s->cli->interrupted; i++) {
        const struct am_point *const point = &s->setup->plan.points[i];
        struct am_tune_row *const row = &s->rows[s->n++];
        struct am_candidates candidates[AM_AXES_MAX];

        row->point = point;
        status = candidates_of(s->cli, s->setup, point->bench, s->params, candidates, err);
        am_progress_begin(&s->view, s->cli->opt, s->cli->style.utf8);
        if (status == AM_OK)
            status = am_tuner_run(&s->tuner, point, candidates, s->cli->arena, &row->tuned, err);
        am_progress_end(&s->view);
        if (status == AM_OK && !row->tuned.why_not && !row->tuned.interrupted && row->tuned.kept &&
            is_saved(s, row))
            status = save(s, row, err);
        if (status == AM_OK)
            tell_row(s, row);
    }
    return status;
}

/* Candidates of all points, as far as they are known before the benches propose theirs. */
static enum am_status count_candidates(struct session *s, double *count, struct am_err *err)
{
    enum am_status status = AM_OK;

    *count = 0;
    for (size_t i = 0; i < s->setup->plan.n && status == AM_OK; i++) {
        const struct am_bench *const bench = s->setup->plan.points[i].bench;
        struct am_candidates candidates[AM_AXES_MAX];
        double all = 1;

        status = candidates_of(s->cli, s->setup, bench, s->params, candidates, err);
        for (size_t k = 0; status == AM_OK && bench->axes[k].name; k++)
            all *= candidates[k].values.n ? (double)candidates[k].values.n : 1;
        *count += all;
    }
    return status;
}

static void set_exit_code(const struct session *s)
{
    size_t good = 0, bad = 0;

    for (size_t i = 0; i < s->n; i++) {
        good += s->rows[i].tuned.why_not == NULL && !s->rows[i].tuned.interrupted;
        bad += s->rows[i].tuned.broken;
    }
    if (*s->cli->interrupted)
        s->cli->exit_code = AM_EXIT_INTERRUPTED;
    else if (good == 0)
        s->cli->exit_code = AM_EXIT_UNMEASURED;
    else
        s->cli->exit_code = bad ? AM_EXIT_FINDINGS : AM_EXIT_DONE;
}

/* Of one point; 0 for any time. */
static double budget_of(const struct am_cli *cli, const struct am_setup *setup)
{
    if (cli->opt->budget_s >= 0)
        return cli->opt->budget_s;
    if (cli->opt->tune_mode != AM_TUNE_MEASURE)
        return 0;
    return setup->energy ? measure_energy_s : measure_s;
}

static enum am_status measure(struct session *s, struct am_err *err)
{
    struct am_cli *const cli = s->cli;
    struct am_conductor conductor = {.catalogue = &s->setup->catalogue,
                                     .root = &s->setup->root,
                                     .topo = s->setup->topo,
                                     .plan = &s->setup->plan,
                                     .interrupted = cli->interrupted,
                                     .progress = am_progress_show,
                                     .progress_self = &s->view};
    enum am_status status, ended;
    double candidates = 0;

    am_kvs_add(&s->setup->settings, cli->arena, "tuning.mode", am_tune_modes[cli->opt->tune_mode]);
    am_kvs_add(&s->setup->settings, cli->arena, "tuning.file", s->file);
    if (cli->opt->tune_for >= 0)
        am_kvs_add(&s->setup->settings, cli->arena, "tuning.for",
                   am_tune_goals[cli->opt->tune_for]);
    status = am_measure_create(cli, s->setup, s->results, &s->store, err);
    if (status != AM_OK)
        return status;
    conductor.store = s->store;
    conductor.energy = s->setup->energy;
    s->tuner = (struct am_tuner){
        .conductor = &conductor,
        .mode = (enum am_tune_mode)cli->opt->tune_mode,
        .budget_s = budget_of(cli, s->setup),
        .weighs_parts = cli->opt->tune_for >= 0,
        .metric = s->setup->energy
                      ? am_energy_rig_metric(s->setup->energy, am_tune_goals[cli->opt->tune_for],
                                             cli->arena)
                      : NULL};
    if (!(s->tuner.budget_s > 0))
        status = count_candidates(s, &candidates, err);
    if (status == AM_OK) {
        am_tune_tell_time(&s->setup->plan, &s->tuner, candidates);
        status = tune_points(s, err);
    }
    ended = am_store_end_run(s->store,
                             status != AM_OK     ? AM_RUN_FAILED
                             : *cli->interrupted ? AM_RUN_INTERRUPTED
                                                 : AM_RUN_DONE,
                             err);
    am_store_close(s->store);
    return status != AM_OK ? status : ended;
}

static enum am_status change_nothing(void *self, struct am_tuning *tuning, bool *changed,
                                     struct am_err *err)
{
    (void)self, (void)tuning, (void)err;
    *changed = true;
    return AM_OK;
}

/* Where nothing was worth saving, the file that a later run names is there all the same. */
static enum am_status leave_file(const struct session *s, struct am_err *err)
{
    if (*s->cli->interrupted || access(s->file, F_OK) == 0)
        return AM_OK;
    return am_tuning_change(s->file, s->cli->arena, change_nothing, NULL, err);
}

/* Time and energy of all that was tried, as the results file has them. */
static enum am_status find_front(const struct session *s, struct am_tune_outcome *out,
                                 struct am_err *err)
{
    struct am_arena *const arena = s->cli->arena;
    struct am_result_set *const set = am_arena_alloc(arena, sizeof(*set));
    struct am_energy_way *const front = am_arena_array(arena, FRONT_MAX, sizeof(*front));
    enum am_status status;

    if (!set || !front)
        return am_fail(err, AM_E_NOMEM, "no memory for the outcome");
    status = am_load_file(s->cli, s->results, &(struct am_strings){0}, set, err);
    if (status == AM_OK) {
        out->n_front = am_energy_front(set, arena, front, FRONT_MAX);
        out->front = front;
    }
    return status;
}

static enum am_status tune(struct am_cli *cli, struct am_setup *setup, const char *file,
                           struct am_err *err)
{
    struct am_param *params = NULL;
    struct am_tuning before;
    char name[AM_UNITS_MAX];
    struct session s = {.cli = cli, .setup = setup, .file = file};
    struct am_tune_outcome outcome;
    enum am_status status = plan(cli, setup, &params, err);

    /* A file that cannot be changed is found out before anything is measured for it. */
    if (status == AM_OK)
        status = am_tuning_load(file, false, cli->arena, &before, err);
    if (status != AM_OK)
        return status;
    s.params = params;
    s.results = cli->opt->output ? cli->opt->output : am_measure_default_path(name, sizeof(name));
    s.machine = am_tuning_machine(setup, cli->arena);
    s.rows = am_arena_array(cli->arena, setup->plan.n, sizeof(*s.rows));
    if (!s.rows || !s.machine)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", setup->plan.n);
    status = am_quiet_begin(cli, setup, budget_of(cli, setup) * (double)setup->plan.n, err);
    if (status == AM_OK)
        status = measure(&s, err);
    if (status == AM_OK)
        status = leave_file(&s, err);
    if (status != AM_OK)
        return status;
    outcome =
        (struct am_tune_outcome){.rows = s.rows, .n = s.n, .file = file, .results = s.results};
    if (setup->energy)
        status = find_front(&s, &outcome, err);
    if (status != AM_OK)
        return status;
    am_tune_show(cli, &outcome);
    (void)fflush(stdout);
    set_exit_code(&s);
    am_log(AM_LOG_INFO, "\ntuning:  %s\nresults: %s", file, s.results);
    return cli->opt->report ? am_page_beside(cli, s.results, err) : AM_OK;
}

/* ---- the file itself ---- */

static enum am_status list_entries(const struct am_cli *cli, const struct am_setup *setup,
                                   const char *file, struct am_err *err)
{
    struct am_tuning tuning;
    const enum am_status s =
        am_tuning_load(file, cli->opt->tuning != NULL, cli->arena, &tuning, err);

    if (s == AM_OK)
        am_tune_show_entries(cli, &tuning, am_tuning_machine(setup, cli->arena));
    return s;
}

static enum am_status forget_entries(void *self, struct am_tuning *tuning, bool *changed,
                                     struct am_err *err)
{
    const char *const *const pattern = self;
    const size_t n = am_tuning_forget(tuning, *pattern);

    (void)err;
    *changed = n > 0;
    am_log(AM_LOG_INFO, "%zu entr%s forgotten", n, n == 1 ? "y" : "ies");
    return AM_OK;
}

static enum am_status merge_entries(void *self, struct am_tuning *tuning, bool *changed,
                                    struct am_err *err)
{
    const struct am_tuning *const other = self;
    enum am_status s = AM_OK;
    size_t taken = 0;

    for (size_t i = 0; i < other->n && s == AM_OK; i++) {
        bool kept = false;

        s = am_tuning_put(tuning, &other->entries[i], &kept, err);
        taken += kept;
    }
    *changed = taken > 0;
    if (s == AM_OK)
        am_log(AM_LOG_INFO, "%zu of %zu entries taken over", taken, other->n);
    return s;
}

static enum am_status merge(const struct am_cli *cli, const char *file, struct am_err *err)
{
    struct am_tuning other;
    const enum am_status s = am_tuning_load(cli->opt->merge, true, cli->arena, &other, err);

    return s == AM_OK ? am_tuning_change(file, cli->arena, merge_entries, &other, err) : s;
}

enum am_status am_cmd_tune(struct am_cli *cli, struct am_err *err)
{
    struct am_options *const opt = am_arena_alloc(cli->arena, sizeof(*opt));
    const char *const file = am_tuning_path(cli);
    struct am_setup setup = {0};
    enum am_status s;

    if (!opt)
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    *opt = *cli->opt;
    if (opt->profile < 0)
        opt->profile = AM_PROFILE_QUICK;
    if (am_tune_take_topic(opt, cli->arena, err) != AM_OK)
        return AM_E_NOMEM;
    opt->energy = opt->tune_for > AM_TUNE_TIME;
    cli->opt = opt;
    if (opt->tuning_list + (opt->forget != NULL) + (opt->merge != NULL) > 1)
        return am_fail(err, AM_E_USAGE, "--list, --forget and --merge exclude each other");
    if ((opt->forget || opt->merge) && opt->operands.n)
        return am_fail(err, AM_E_USAGE, "--forget and --merge take no bench");
    if (!file)
        return am_fail(err, AM_E_USAGE, "%s", no_place);
    if (opt->forget)
        return am_tuning_change(file, cli->arena, forget_entries, &opt->forget, err);
    if (opt->merge)
        return merge(cli, file, err);
    s = opt->tuning_list ? am_setup_machine(cli, &setup, err) : am_setup_open(cli, &setup, err);
    if (s == AM_OK && !opt->tuning_list)
        s = am_setup_energy(cli, &setup, err);
    if (s == AM_OK)
        s = opt->tuning_list ? list_entries(cli, &setup, file, err) : tune(cli, &setup, file, err);
    am_setup_close(&setup);
    return s;
}
