/* SPDX-License-Identifier: MIT */
/* From rows that look changed to fresh launches of both sides, and to verdicts. */
#include "cli/run/rerun.h"

#include "base/log.h"
#include "base/rng.h"
#include "cli/own/own.h"
#include "cli/run/against.h"
#include "cli/run/measure.h"
#include "cli/run/scratch.h"
#include "conductor/sides.h"
#include "evidence/evidence.h"
#include "model/between.h"
#include "model/circumstances.h"
#include "model/pairs.h"
#include "topo/topo.h"

#include <string.h>

/* ---- whether it can be done ---- */

/* What this program would store of its workers and of the machine. */
struct here {
    struct am_kvs machine;
    struct am_result_set set; /* its build only */
};

static void describe_here(const struct am_cli *cli, const struct am_setup *setup,
                          const struct am_pair *pair, struct here *here)
{
    am_machine_describe(setup->topo, &setup->root, cli->arena, &here->machine);
    am_measure_workers(cli, &setup->catalogue, NULL, &here->set.build);
    am_own_build(&pair->b.settings, cli->arena, &here->set.build); /* recalled: am_rerun() */
}

/* What is measured again. */
struct task {
    const struct am_pair *pair;
    /* The sides differ by the code of the user's own benches only: of other rows, pairs would
     * compare a build with itself. */
    bool own_only;
};

/* Why the rows cannot be measured again; NULL when they can. */
static const char *why_not(const struct am_cli *cli, const struct task *task,
                           const struct here *here)
{
    const struct am_pair *const pair = task->pair;

    if (!am_machine_same(&pair->a.machine, &here->machine) ||
        !am_machine_same(&pair->b.machine, &here->machine))
        return "not measured again: the runs are of another machine than this one";
    if (!am_record_same_workers(&pair->b, &here->set))
        return "not measured again: B was not measured by the workers of this program; start the "
               "one that measured it";
    if (!am_against_two_sides(cli->opt) && !am_record_same_workers(&pair->a, &here->set))
        return "not measured again: A was measured by another build; --against-build DIR says "
               "where its workers are";
    if (task->own_only && !am_own_same_worker(&pair->a.build, &here->set.build))
        return "not measured again: A's files were measured by another build; --against-build DIR "
               "says where its workers are";
    return NULL;
}

/* ---- measuring ---- */

static bool is_wanted(const struct task *task, const struct am_comparison_row *row)
{
    return am_row_is_open(row) && (!task->own_only || am_own_measured(row->b->worker));
}

static size_t count_wanted(const struct task *task, const struct am_comparison *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += is_wanted(task, &c->rows[i]);
    return n;
}

static const struct am_result **open_results(const struct task *task, const struct am_comparison *c,
                                             struct am_arena *arena, size_t *n)
{
    const struct am_result **const out = am_arena_array(arena, c->n + 1, sizeof(*out));

    *n = 0;
    for (size_t i = 0; out && i < c->n; i++) {
        if (is_wanted(task, &c->rows[i]))
            out[(*n)++] = c->rows[i].b;
    }
    return out;
}

/* As B was measured, with as many launches as the sign test needs, and no stop before. */
static enum am_status plan_again(const struct am_cli *cli, struct am_setup *setup,
                                 const struct task *task, const struct am_comparison *c,
                                 struct am_err *err)
{
    size_t n = 0;
    const struct am_result **const results = open_results(task, c, cli->arena, &n);
    struct am_plan_settings *const set = &setup->plan.settings;
    enum am_status status;

    if (!results)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu rows", c->n);
    setup->plan = (struct am_plan){.settings = task->pair->b.run.settings};
    set->seed = am_rng_entropy();
    set->budget_s = 0;
    set->min_launches = set->max_launches = (unsigned)am_pairs_needed(n);
    status = am_against_add(cli, setup, results, n, err);
    return status == AM_OK ? am_against_mirror(cli, setup, err) : status;
}

static enum am_status decide(const struct am_cli *cli, const struct am_result_set *fresh,
                             const struct am_pair *pair, struct am_comparison *c,
                             struct am_err *err)
{
    struct am_result_set a = {0}, b = {0};
    enum am_status status;

    if (!am_against_two_sides(cli->opt))
        return am_pairs_refresh(fresh, &pair->settings, c, err);
    status = am_results_where(fresh, AM_SIDE_AXIS, AM_SIDE_BASE, cli->arena, &a, err);
    if (status == AM_OK)
        status = am_results_where(fresh, AM_SIDE_AXIS, AM_SIDE_NEW, cli->arena, &b, err);
    return status == AM_OK ? am_pairs_decide(&a, &b, &pair->settings, c, err) : status;
}

static enum am_status measure_again(struct am_cli *cli, struct am_setup *setup,
                                    const struct task *task, struct am_comparison *c,
                                    struct am_err *err)
{
    struct am_scratch place = {0};
    struct am_store *store = NULL;
    struct am_result_set fresh = {0};
    enum am_status status = plan_again(cli, setup, task, c, err);

    if (status == AM_OK)
        status = am_scratch_open(&place, cli->opt->output, err);
    if (status == AM_OK)
        status = am_scratch_measure(cli, setup, &place, &store, err);
    if (status == AM_OK)
        status = am_evidence_load(store, NULL, cli->arena, &fresh, err);
    if (status == AM_OK)
        status = decide(cli, &fresh, task->pair, c, err);
    am_store_close(store);
    am_scratch_close(&place);
    return status;
}

/* Opens what the rows are measured with. `reason`: why they are not, though all is here. */
static enum am_status open_again(struct am_cli *cli, struct am_setup *setup, struct task *task,
                                 const char **reason, struct am_err *err)
{
    const bool two_sides = am_against_two_sides(cli->opt);
    struct here here = {0};
    enum am_status status =
        am_own_recall_sides(cli, &task->pair->a.settings, &task->pair->b.settings, err);

    task->own_only = !two_sides && am_against_two_sides(cli->opt);
    if (status == AM_OK)
        status = am_setup_open(cli, setup, err);
    if (status != AM_OK)
        return status;
    describe_here(cli, setup, task->pair, &here);
    *reason = why_not(cli, task, &here);
    return AM_OK;
}

enum am_status am_rerun(struct am_cli *cli, struct am_pair *pair, struct am_comparison *c,
                        struct am_err *err)
{
    struct task task = {.pair = pair};
    struct am_setup setup = {0};
    const char *reason = NULL;
    enum am_status status;
    size_t rows;

    if (pair->basis == AM_BASIS_WITHIN_RUN)
        return am_fail(err, AM_E_USAGE,
                       "both sides of one run are interleaved already: measure it with more "
                       "--launches");
    if (am_comparison_open(c) == 0)
        return AM_OK;
    status = open_again(cli, &setup, &task, &reason, err);
    rows = count_wanted(&task, c);
    if (status == AM_OK && !reason && rows == 0)
        reason = "not measured again: the open rows are of benches that did not change";
    if (status == AM_OK && reason)
        am_kvs_add(&c->remarks, cli->arena, "not_measured_again", reason);
    else if (status == AM_OK)
        status = measure_again(cli, &setup, &task, c, err);
    if (status == AM_OK && !reason)
        am_kvs_addf(
            &c->remarks, cli->arena, "measured_again", "%zu row%s measured again: %s", rows,
            rows == 1 ? "" : "s",
            am_basis_text(am_against_two_sides(cli->opt) ? AM_BASIS_PAIRS : AM_BASIS_AGAIN));
    am_setup_close(&setup);
    if (status == AM_E_ABSENT) { /* a question that stays open, not a failure to compare */
        am_kvs_addf(&c->remarks, cli->arena, "not_measured_again", "not measured again: %s",
                    err->text);
        *err = (struct am_err){0};
        status = AM_OK;
    }
    return status;
}
