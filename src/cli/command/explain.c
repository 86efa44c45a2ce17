/* SPDX-License-Identifier: MIT */
/* archmeter explain: how near each point comes to what the machine can do, and what to try next; or
 * what another machine would do with it. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/machines.h"
#include "cli/run/setup.h"
#include "cli/run/timing.h"
#include "document/commands/sensitivity.h"
#include "document/explanation.h"
#include "document/machine/prediction.h"
#include "family/timed.h"
#include "model/circumstances.h"
#include "model/explain.h"
#include "model/predict.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

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

/* Refuses a pattern that matches no bench of any of the machines. */
static enum am_status check_names(const struct am_cli *cli, const struct am_machine_models *models,
                                  const struct am_strings *patterns, struct am_err *err)
{
    const char **names;
    size_t n = 0;

    for (size_t m = 0; m < models->n; m++)
        n += models->items[m].set.n;
    names = am_arena_array(cli->arena, n + 1, sizeof(*names));
    if (!names)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu results", n);
    n = 0;
    for (size_t m = 0; m < models->n; m++) {
        const struct am_result_set *const set = &models->items[m].set;

        for (size_t i = 0; i < set->n; i++)
            names[n++] = set->results[i].bench;
    }
    return am_check_patterns(patterns, names, n, err);
}

/* The analyses of the applications that the patterns name; returns how many. */
static size_t analyse(const struct am_cli *cli, const struct am_analysing *analysing,
                      struct am_analysis **out)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    size_t n, kept = 0;

    *out = am_arena_array(cli->arena, AM_ANALYSES_MAX, sizeof(**out));
    if (!*out)
        return 0;
    n = am_families_analyse(analysing, *out);
    for (size_t i = 0; i < n; i++) {
        if (am_patterns_match(&patterns, (*out)[i].bench))
            (*out)[kept++] = (*out)[i];
    }
    return kept;
}

/* By the ceilings of the run, or of another file of its machine; where that has none that conclude
 * anything, it may have what is known of the core all the same. */
static void explain_one(const struct am_cli *cli, const struct am_machine_model *m,
                        const struct am_machine_model *ceilings, struct am_explanation_view *view)
{
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_explanations *const all = am_arena_alloc(cli->arena, sizeof(*all));
    const struct am_analysing analysing = {
        .set = &m->set, .facts = &m->facts, .machine = &m->set.machine, .arena = cli->arena};
    const struct am_machine_model *const roofs = ceilings->roofline.n ? ceilings : m;
    const bool clocked = am_facts_only(&ceilings->facts, "core.clock", NULL) != NULL;
    struct am_analysis *analyses;

    *view = (struct am_explanation_view){
        .set = &m->set, .all = all, .ceilings = roofs == m ? NULL : roofs->name, .node = m->node};
    am_explain(&m->set, &roofs->facts, &roofs->roofline, cli->arena, all);
    select_points(all, &patterns);
    am_explain_core(&ceilings->set, clocked ? &ceilings->facts : &m->facts, &roofs->roofline,
                    cli->arena, all);
    view->n_analyses = analyse(cli, &analysing, &analyses);
    view->analyses = analyses;
}

/* Each machine by its own ceilings, or (NULL: not) by those of a model. */
static enum am_status explain_here(struct am_cli *cli, const struct am_machine_models *models,
                                   const struct am_machine_model *ceilings, struct am_err *err)
{
    struct am_explanation_view *const views =
        am_arena_array(cli->arena, models->n + 1, sizeof(*views));
    const struct am_document document = am_document_explanation(views);
    size_t points = 0, above = 0;

    if (!views)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu machines", models->n);
    for (size_t i = 0; i < models->n; i++) {
        explain_one(cli, &models->items[i], ceilings ? ceilings : &models->items[i], &views[i]);
        if (i > 0)
            views[i - 1].next = &views[i];
        points += views[i].all->n;
        above += views[i].all->above;
    }
    am_write(&document, &cli->style, cli->arena, stdout);
    if (points == 0)
        am_log(AM_LOG_WARN, "nothing here computes or moves bytes at a rate");
    if (above)
        cli->exit_code = AM_EXIT_FINDINGS;
    return AM_OK;
}

/* The models of --on, in their parts. */
struct held {
    const struct am_machine_model *run;
    const struct am_machine_model
        *here; /* has the ceilings of the run's machine: the run, or one of
                * --on where the run measured none or another machine is
                * named beside it; NULL: nobody has */
    const struct am_machine_model *there; /* another machine; NULL: none */
};

/* The points of one machine by the ceilings of another. */
static enum am_status predict(struct am_cli *cli, const struct held *held, struct am_err *err)
{
    const struct am_machine_model *const m = held->run, *const other = held->there;
    const struct am_machine_model *const here_by = held->here ? held->here : m;
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_explanations here, there;
    struct am_predictions all;
    struct am_prediction_view view = {.set = &m->set, .machine = other, .all = &all};
    const struct am_document document = am_document_prediction(&view);
    const struct am_analysing analysing = {.set = &m->set,
                                           .facts = &other->facts,
                                           .machine = &other->set.machine,
                                           .on = other->name,
                                           .arena = cli->arena};
    const struct am_predicting predicting = {
        .here = &here, .there = &there, .here_by = here_by, .machine = other, .arena = cli->arena};
    struct am_analysis *analyses;
    enum am_status s;

    am_explain(&m->set, &here_by->facts, &here_by->roofline, cli->arena, &here);
    am_explain_on(&m->set, &other->facts, &other->roofline, cli->arena, &there);
    select_points(&here, &patterns);
    select_points(&there, &patterns);
    s = am_predict(&predicting, &all, err);
    if (s != AM_OK)
        return s;
    view.n_analyses = analyse(cli, &analysing, &analyses);
    view.analyses = analyses;
    am_write(&document, &cli->style, cli->arena, stdout);
    if (all.n == 0)
        am_log(AM_LOG_WARN, "nothing here computes or moves bytes at a rate");
    if (!held->here)
        am_log(
            AM_LOG_WARN,
            "nothing is expected there: the run measured no ceilings of its own machine; give "
            "its model too (--on HERE --on THERE), made by: archmeter run, archmeter model -o HERE");
    return AM_OK;
}

/* Programs of which only that is known what they depend on. */
static enum am_status foresee(const struct am_cli *cli, const struct held *held, struct am_err *err)
{
    struct am_foresight_view view = {.set = &held->run->set, .machine = held->there};
    const struct am_document document = am_document_foresight(&view);
    struct am_sensitivity *items = NULL;
    struct am_foresight *foresights;
    enum am_status s = am_timing_sensitivity(cli, &held->run->set, &items, &view.n, err);

    foresights = am_arena_array(cli->arena, view.n + 1, sizeof(*foresights));
    if (s == AM_OK && !foresights)
        s = am_fail(err, AM_E_NOMEM, "no memory for %zu commands", view.n);
    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < view.n; i++)
        am_foresee(&items[i], held->here ? &held->here->facts : NULL, &held->there->facts,
                   cli->arena, &foresights[i]);
    view.items = foresights;
    am_write(&document, &cli->style, cli->arena, stdout);
    return AM_OK;
}

/* Says which model stands for which machine. */
static enum am_status hold(const struct am_cli *cli, struct held *held, struct am_err *err)
{
    const struct am_strings *const on = &cli->opt->on;
    struct am_machine_model *const models = am_arena_array(cli->arena, on->n, sizeof(*models));
    enum am_status s = models ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for %zu models", on->n);

    held->here = held->run->roofline.n ? held->run : NULL;
    for (size_t i = 0; i < on->n && s == AM_OK; i++) {
        s = am_load_machine(cli, on->items[i], NULL, &models[i], err);
        if (s != AM_OK)
            return s;
        if ((!held->here || held->here == held->run) &&
            am_machine_same(&held->run->set.machine, &models[i].set.machine))
            held->here = &models[i];
        else if (!held->there)
            held->there = &models[i];
        else
            s = am_fail(
                err, AM_E_USAGE,
                "%s and %s are both other machines than the run's: one prediction at a time",
                held->there->name, on->items[i]);
    }
    return s;
}

static enum am_status explain_on(struct am_cli *cli, const struct am_machine_models *models,
                                 struct am_err *err)
{
    struct held held = {.run = &models->items[0]};
    enum am_status s;

    if (models->n > 1)
        return am_fail(err, AM_E_USAGE,
                       "%s holds %zu machines; choose one by --node, for example --node %s",
                       cli->opt->operands.items[0], models->n, models->items[0].node);
    s = hold(cli, &held, err);
    if (s != AM_OK)
        return s;
    if (am_timed_is_sensitivity(&held.run->set))
        return held.there ? foresee(cli, &held, err)
                          : am_timing_show(cli, &held.run->set, NULL, err);
    return held.there ? predict(cli, &held, err) : explain_here(cli, models, held.here, err);
}

enum am_status am_cmd_explain(struct am_cli *cli, struct am_err *err)
{
    const char *const word = cli->opt->operands.items[0];
    const struct am_strings patterns = am_operands_from(cli->opt, 1);
    struct am_machine_models models;
    enum am_status s = am_load_machines(cli, word, cli->opt->node, &models, err);

    if (s == AM_OK && models.items[0].read)
        s = am_fail(err, AM_E_USAGE,
                    "%s is a machine model: it has no points to explain; explain RUN --on %s", word,
                    word);
    if (s == AM_OK)
        s = check_names(cli, &models, &patterns, err);
    if (s != AM_OK)
        return s;
    if (cli->opt->on.n == 0 && models.n == 1 && am_timed_is_sensitivity(&models.items[0].set))
        return am_timing_show(cli, &models.items[0].set, NULL, err);
    return cli->opt->on.n ? explain_on(cli, &models, err) : explain_here(cli, &models, NULL, err);
}
