/* SPDX-License-Identifier: MIT */
/* Ways to do the same work, and the best of them over all workers. */
#include "cli/tune/ways.h"

#include "family/roles.h"

#include <math.h>
#include <string.h>

/* ---- what is searched ---- */

static bool is_among(const struct am_values *values, const struct am_value *value)
{
    for (size_t i = 0; i < values->n; i++) {
        if (am_value_same(&values->v[i], value))
            return true;
    }
    return false;
}

/* The different values that the plan's points have on one axis. */
static bool collect(const struct am_plan *plan, size_t axis, struct am_arena *arena,
                    struct am_values *out)
{
    out->v = am_arena_array(arena, plan->n + 1, sizeof(*out->v));
    for (size_t i = 0; out->v && i < plan->n; i++) {
        if (!is_among(out, &plan->points[i].values[axis]))
            out->v[out->n++] = plan->points[i].values[axis];
    }
    return out->v != NULL;
}

enum am_status am_tune_ways(const struct am_cli *cli, const struct am_setup *setup,
                            const struct am_bench *bench, struct am_param *params,
                            struct am_values *out, struct am_err *err)
{
    struct am_plan all = {.settings = setup->plan.settings, .places = setup->plan.places};
    enum am_status s = AM_OK;

    for (size_t i = 0; i < AM_AXES_MAX; i++)
        out[i] = (struct am_values){0};
    if (cli->opt->tune_for < 0)
        return AM_OK;
    s = am_plan_add(&all, bench, params, cli->opt->params.n, am_topo_symbols(setup->topo),
                    cli->arena, err);
    for (size_t i = 0; s == AM_OK && bench->axes[i].name; i++) {
        if (bench->axes[i].tune || !am_axis_is_way(bench->axes[i].name))
            continue;
        if (!collect(&all, i, cli->arena, &out[i]))
            s = am_fail(err, AM_E_NOMEM, "no memory for the ways to do it");
        if (out[i].n < 2)
            out[i].n = 0;
    }
    return s;
}

/* ---- what several workers found ---- */

/* Whether the two points ask for the same work: equal but for the ways. */
static bool same_work(const struct am_point *a, const struct am_point *b)
{
    const struct am_axis *const axes = a->bench->axes, *const others = b->bench->axes;

    if (strcmp(a->bench->name, b->bench->name) != 0)
        return false;
    for (size_t i = 0; axes[i].name; i++) {
        if (!others[i].name || strcmp(axes[i].name, others[i].name) != 0)
            return false;
        if (!axes[i].tune && !am_axis_is_way(axes[i].name) &&
            !am_value_same(&a->values[i], &b->values[i]))
            return false;
    }
    return true;
}

static bool is_better(const struct am_tune_row *a, const struct am_tune_row *b)
{
    const bool more = a->point->bench->metrics[a->tuned.metric].better == AM_HIGHER;

    return !b || (more ? a->tuned.value > b->tuned.value : a->tuned.value < b->tuned.value);
}

static struct am_duel_verdict judge(const struct am_tune_row *best, const struct am_tune_row *next)
{
    const struct am_tuned *const a = &best->tuned, *const b = &next->tuned;
    struct am_duel duel = {.n = a->n_fresh < b->n_fresh ? a->n_fresh : b->n_fresh};

    memcpy(duel.own, b->fresh, duel.n * sizeof(*duel.own));
    memcpy(duel.other, a->fresh, duel.n * sizeof(*duel.other));
    return am_duel_judge(&duel, best->point->bench->metrics[a->metric].better);
}

bool am_tune_weigh(const struct am_tune_row *rows, size_t n, bool *taken, struct am_tune_best *out)
{
    size_t first = 0;

    *out = (struct am_tune_best){.verdict = {.gain = NAN}};
    while (first < n && (taken[first] || rows[first].tuned.why_not))
        first++;
    for (size_t i = first; i < n; i++) {
        const struct am_tune_row *const row = &rows[i];

        if (taken[i] || row->tuned.why_not || !same_work(rows[first].point, row->point))
            continue;
        taken[i] = true;
        if (is_better(row, out->best)) {
            out->next = out->best;
            out->best = row;
        } else if (is_better(row, out->next)) {
            out->next = row;
        }
    }
    if (out->best && out->next)
        out->verdict = judge(out->best, out->next);
    return out->best != NULL;
}

/* ---- topics ---- */

static bool is_given(const struct am_strings *params, const char *param)
{
    const size_t axis = strcspn(param, "=") + 1;

    for (size_t i = 0; i < params->n; i++) {
        if (strncmp(params->items[i], param, axis) == 0)
            return true;
    }
    return false;
}

enum am_status am_tune_take_topic(struct am_options *opt, struct am_arena *arena,
                                  struct am_err *err)
{
    const struct am_topic *const topic =
        opt->operands.n == 1 ? am_topic_find(opt->operands.items[0]) : NULL;
    struct am_strings params = {0}, benches = {0};
    bool good = true;

    if (!topic)
        return AM_OK;
    for (size_t i = 0; good && i < opt->params.n; i++)
        good = am_strings_add(&params, arena, opt->params.items[i]);
    for (size_t i = 0; good && topic->params[i]; i++) {
        if (!is_given(&opt->params, topic->params[i]))
            good = am_strings_add(&params, arena, topic->params[i]);
    }
    if (!good || !am_strings_add(&benches, arena, topic->bench))
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    opt->params = params;
    opt->operands = benches;
    if (opt->tune_for < 0)
        opt->tune_for = AM_TUNE_TIME;
    return AM_OK;
}
