/* SPDX-License-Identifier: MIT */
/* From an earlier run, and what its side differs by, to a plan. */
#include "cli/run/against.h"

#include "base/log.h"
#include "base/rng.h"
#include "conductor/replan.h"
#include "conductor/sides.h"
#include "evidence/evidence.h"

#include <string.h>

/* ---- two sides ---- */

bool am_against_two_sides(const struct am_options *opt)
{
    return opt->against_build || opt->against_env.n;
}

enum am_status am_against_open(const struct am_cli *cli, struct am_setup *setup, struct am_err *err)
{
    const struct am_options *const opt = cli->opt;
    const struct am_side_request request = {.build = opt->against_build,
                                            .environment = opt->against_env};
    enum am_status status;

    if (!am_against_two_sides(opt))
        return AM_OK;
    if (opt->against_build && setup->simulated.path)
        return am_fail(err, AM_E_USAGE,
                       "a simulated machine has one build: --against-build says "
                       "nothing there");
    if (opt->energy || opt->counters)
        return am_fail(err, AM_E_USAGE,
                       "two sides are compared by their times: give --energy and "
                       "--counters to runs of their own");
    status = am_sides_open(&request, &setup->catalogue, cli->arena, err);
    if (status == AM_OK && opt->against_build)
        am_kvs_add(&setup->settings, cli->arena, "against.build", opt->against_build);
    for (size_t i = 0; status == AM_OK && i < opt->against_env.n; i++)
        am_kvs_add(&setup->settings, cli->arena, "against.env", opt->against_env.items[i]);
    return status;
}

enum am_status am_against_mirror(const struct am_cli *cli, struct am_setup *setup,
                                 struct am_err *err)
{
    struct am_err why = {0};
    size_t left_out = 0;
    enum am_status status;

    if (!setup->catalogue.base)
        return AM_OK;
    status = am_sides_mirror(&setup->plan, &setup->catalogue, cli->arena, &left_out, &why, err);
    if (status == AM_OK && left_out)
        am_log(AM_LOG_WARN, "%zu point%s left out: the base cannot measure %s: %s", left_out,
               left_out == 1 ? "" : "s", left_out == 1 ? "it" : "them", why.text);
    if (status == AM_OK && setup->plan.n == 0)
        status = am_fail(err, AM_E_ABSENT, "there is no point that both sides can measure");
    return status;
}

/* ---- points of an earlier run ---- */

/* The text of a point without its side. */
static const char *own_text(const struct am_result *r, struct am_arena *arena)
{
    const char *const side =
        am_result_param(r, AM_SIDE_AXIS) ? strstr(r->text, AM_SIDE_AXIS "=") : NULL;
    size_t len = side ? (size_t)(side - r->text) : 0;

    if (!side)
        return r->text;
    return am_arena_strndup(arena, r->text, len ? len - 1 : 0); /* without the blank */
}

/* Whether the plan has the point already. */
static bool is_planned(const struct am_plan *plan, const struct am_point *point)
{
    char text[AM_POINT_TEXT_MAX], other[AM_POINT_TEXT_MAX];

    am_point_text(point, text, sizeof(text));
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->points[i].bench != point->bench)
            continue;
        am_point_text(&plan->points[i], other, sizeof(other));
        if (strcmp(text, other) == 0)
            return true;
    }
    return false;
}

enum am_status am_against_add(const struct am_cli *cli, struct am_setup *setup,
                              const struct am_result *const *results, size_t n, struct am_err *err)
{
    struct am_plan *const plan = &setup->plan;
    struct am_err first = {0};
    size_t left_out = 0;

    plan->points = am_arena_array(cli->arena, n + 1, sizeof(*plan->points));
    if (!plan->points)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", n);
    plan->cap = n + 1;
    for (size_t i = 0; i < n; i++) {
        const struct am_result *const r = results[i];
        const struct am_stored_point stored = {r->worker, r->bench, r->version,
                                               own_text(r, cli->arena)};
        struct am_err why = {0};
        const enum am_status status = stored.text
                                          ? am_replan_point(&setup->catalogue, &stored, cli->arena,
                                                            &plan->points[plan->n], &why)
                                          : am_fail(&why, AM_E_NOMEM, "no memory");

        if (status == AM_OK)
            plan->n += !is_planned(plan, &plan->points[plan->n]);
        else if (left_out++ == 0)
            first = why;
    }
    if (left_out)
        am_log(AM_LOG_WARN, "%zu point%s left out: %s", left_out, left_out == 1 ? "" : "s",
               first.text);
    if (plan->n == 0)
        return am_fail(err, AM_E_ABSENT, "nothing of the earlier run can be measured here now: %s",
                       left_out ? first.text : "it has no results");
    return AM_OK;
}

/* Results that were measured, and not by the base of a run with two sides. */
static const struct am_result **measured(const struct am_result_set *set, struct am_arena *arena,
                                         size_t *n)
{
    const struct am_result **const out = am_arena_array(arena, set->n + 1, sizeof(*out));

    *n = 0;
    for (size_t i = 0; out && i < set->n; i++) {
        if (set->results[i].state == AM_POINT_OK &&
            !am_result_is(&set->results[i], AM_SIDE_AXIS, AM_SIDE_BASE))
            out[(*n)++] = &set->results[i];
    }
    return out;
}

enum am_status am_against_plan(const struct am_cli *cli, struct am_setup *setup, struct am_err *err)
{
    struct am_result_set base = {0};
    const struct am_result **results;
    size_t n = 0;
    enum am_status status = am_load_file(cli, cli->opt->against, &cli->opt->operands, &base, err);

    if (status == AM_OK && cli->opt->params.n)
        status = am_fail(err, AM_E_USAGE, "--against takes the points of %s: -p has no place there",
                         cli->opt->against);
    if (status != AM_OK)
        return status;
    results = measured(&base, cli->arena, &n);
    if (!results)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", base.n);
    setup->plan = (struct am_plan){.settings = base.run.settings};
    setup->plan.settings.seed = am_rng_entropy();
    status = am_setup_override(cli->opt, &setup->plan.settings, err);
    if (status == AM_OK)
        status = am_against_add(cli, setup, results, n, err);
    return status == AM_OK ? am_against_mirror(cli, setup, err) : status;
}
