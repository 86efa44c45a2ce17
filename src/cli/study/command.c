/* SPDX-License-Identifier: MIT */
/* archmeter study: a paper's tables, figures and claims on this machine. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/experiment.h"
#include "cli/study/study.h"
#include "cli/trust/consent.h"
#include "core/bench/plan.h"

#include <string.h>

static enum am_status load_form(const struct am_cli *cli, const struct am_symbol *symbols,
                                bool quick, struct am_spec *out, struct am_err *err)
{
    const char *path;
    enum am_status s = am_study_find(cli, cli->opt->operands.items[1], &path, err);

    if (s == AM_OK)
        s = am_experiment_load(path, symbols, quick, cli->arena, out, err);
    if (s == AM_OK && !out->study)
        s = am_fail(err, AM_E_USAGE,
                    "%s:1:1: no study: its first line is \"study NAME\" (archmeter experiment runs "
                    "such a file)",
                    path);
    return s;
}

static enum am_status load(const struct am_cli *cli, const struct am_symbol *symbols,
                           struct am_spec *out, struct am_err *err)
{
    return load_form(cli, symbols, cli->opt->profile == AM_PROFILE_QUICK, out, err);
}

static enum am_status ask(const struct am_cli *cli, const struct am_spec *spec, struct am_err *err)
{
    struct am_consent consent = {.file = cli->opt->operands.items[1]};

    am_consent_experiment(&consent, spec, cli->arena);
    return am_consent_get(cli, &consent, err);
}

static enum am_status run(struct am_cli *cli, struct am_err *err)
{
    return am_experiment_run(cli, &(struct am_experiment_way){.load = load, .ask = ask}, err);
}

static enum am_status plan(struct am_cli *cli, struct am_err *err)
{
    struct am_options *const opt = am_arena_alloc(cli->arena, sizeof(*opt));

    if (!opt)
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    *opt = *cli->opt;
    opt->dry_run = true;
    cli->opt = opt;
    return run(cli, err);
}

/* One form, planned on this machine. */
static enum am_status check_form(const struct am_cli *given, struct am_setup *setup, bool quick,
                                 struct am_err *err)
{
    struct am_options opt = *given->opt;
    struct am_cli form = *given;
    const struct am_cli *const cli = &form;
    struct am_spec spec;
    enum am_status s;

    opt.profile = quick ? AM_PROFILE_QUICK : AM_PROFILE_STANDARD;
    form.opt = &opt;
    s = load_form(cli, am_topo_symbols(setup->topo), quick, &spec, err);

    if (s == AM_OK)
        s = am_experiment_publish(spec.flat, err);
    if (s == AM_OK)
        s = am_setup_benches(cli, setup, err);
    if (s == AM_OK)
        s = am_experiment_plan(cli, setup, &spec, err);
    if (s == AM_OK)
        am_log(AM_LOG_INFO, "%s: the %s form has %zu points, %zu tables and figures, %zu claims",
               spec.study->name, quick ? "quick" : "full", setup->plan.n, spec.study->n_items,
               spec.study->n_claims);
    return s;
}

static enum am_status check(struct am_cli *cli, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (int quick = 1; quick >= 0 && s == AM_OK; quick--) {
        struct am_setup setup = {0};

        s = am_setup_machine(cli, &setup, err);
        if (s == AM_OK)
            s = check_form(cli, &setup, quick == 1, err);
        am_setup_close(&setup);
    }
    return s;
}

static enum am_status show(struct am_cli *cli, struct am_err *err)
{
    return am_study_show(cli, cli->opt->operands.items[1], err);
}

static const struct {
    const char *word;
    enum am_status (*run)(struct am_cli *cli, struct am_err *err);
    const char *of;
} actions[] = {
    {"run", run, "a study"},
    {"plan", plan, "a study"},
    {"check", check, "a study"},
    {"show", show, "a results file"},
};
enum { ACTIONS = sizeof(actions) / sizeof(*actions) };

/* Numbers above zero: what they are for is not known here. */
static enum am_status check_given(const struct am_options *opt, struct am_err *err)
{
    for (size_t i = 0; i < opt->given.n; i++) {
        const char *const pair = opt->given.items[i], *const value = strchr(pair, '=') + 1;
        double number;

        if (!am_parse_f64(value, strlen(value), &number) || !(number > 0))
            return am_fail(err, AM_E_USAGE, "--given %s: write NAME=NUMBER, a number above 0",
                           pair);
    }
    return AM_OK;
}

enum am_status am_cmd_study(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings *const operands = &cli->opt->operands;
    const char *words[ACTIONS];
    const char *near;

    if (check_given(cli->opt, err) != AM_OK)
        return AM_E_USAGE;
    if (operands->n == 0)
        return am_study_list(cli, err);
    for (size_t i = 0; i < ACTIONS; i++) {
        words[i] = actions[i].word;
        if (strcmp(operands->items[0], actions[i].word) != 0)
            continue;
        if (operands->n != 2)
            return am_fail(err, AM_E_USAGE, "study %s takes %s", actions[i].word, actions[i].of);
        return actions[i].run(cli, err);
    }
    near = am_nearest(operands->items[0], words, ACTIONS);
    return am_fail(
        err, AM_E_USAGE,
        "\"%s\": a study is run, planned, checked or shown (run, plan, check, show)%s%s%s",
        operands->items[0], near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}
