/* SPDX-License-Identifier: MIT */
/* The visits of a tuner: launches, their storing, and what they were worth. */
#include "conductor/tune_visits.h"

#include "conductor/tune_candidates.h"

#include <math.h>

enum {
    GROUP_MAX = 16, /* points of a launch, whatever a bench allows */
};

double am_tune_elapsed(const struct am_tune_run *t)
{
    return (double)(am_launcher_now(&t->launcher) - t->start_ns) * 1e-9;
}

bool am_tune_interrupted(const struct am_tune_run *t)
{
    const volatile sig_atomic_t *const flag = t->tuner->conductor->interrupted;

    return flag && *flag;
}

bool am_tune_over_budget(const struct am_tune_run *t)
{
    return t->tuner->budget_s > 0 && am_tune_elapsed(t) >= t->tuner->budget_s;
}

enum am_status am_tune_launch(struct am_tune_run *t, const struct am_point *const *points, size_t n,
                              struct am_arena *arena, struct am_launch *record, struct am_err *err)
{
    enum am_status s =
        am_launcher_run(&t->launcher, points, n, t->tuner->round, arena, record, err);

    if (s != AM_OK || record->n_visits == 0)
        return s;
    t->tuner->round++;
    t->out->launches++;
    return am_store_put_launch(t->tuner->conductor->store, record, err);
}

/* Puts those into the store that are not there yet. */
static enum am_status store_new(struct am_tune_run *t, const size_t *batch, size_t n,
                                struct am_err *err)
{
    const struct am_conductor *const conductor = t->tuner->conductor;
    const struct am_worker *const worker =
        am_catalogue_worker(conductor->catalogue, t->asked->bench);
    struct am_point *fresh[GROUP_MAX];
    size_t n_new = 0;

    for (size_t i = 0; i < n; i++) {
        if (t->known[batch[i]]->point.id == 0)
            fresh[n_new++] = &t->known[batch[i]]->point;
    }
    return n_new ? am_store_add_points(conductor->store, worker->name, fresh, n_new, err) : AM_OK;
}

/* What is left: of the budget, or of all candidates. */
static double eta(const struct am_tune_run *t)
{
    const double each = t->good ? t->good_s / (double)t->good : 0;

    if (t->tuner->budget_s > 0)
        return fmax(0, t->tuner->budget_s - am_tune_elapsed(t));
    return each * (double)(t->out->candidates - am_search_visited(t->search));
}

static void tell(const struct am_tune_run *t, const struct am_tune_try *c, const struct am_visit *v)
{
    const struct am_conductor *const conductor = t->tuner->conductor;
    const struct am_progress p = {.point = &c->point,
                                  .launches_done = t->out->launches,
                                  .points_done = am_search_visited(t->search),
                                  .points = t->out->candidates,
                                  .visits_done = am_search_visited(t->search),
                                  .visits_left = t->out->candidates - am_search_visited(t->search),
                                  .visits = 1,
                                  .visits_wanted = 1,
                                  .value = c->value,
                                  .metric = t->metric,
                                  .precision = NAN,
                                  .round = t->tuner->round,
                                  .elapsed_s = am_tune_elapsed(t),
                                  .eta_s = eta(t),
                                  .state = v->state,
                                  .reason = v->reason};

    if (conductor->progress)
        conductor->progress(conductor->progress_self, &p);
}

enum am_better am_tune_better(const struct am_tune_run *t)
{
    return t->asked->bench->metrics[t->metric].better;
}

double am_tune_value(const struct am_tune_run *t, const struct am_visit *v)
{
    return t->metric ? am_tune_visit_middle(v, t->metric)
                     : am_tune_visit_value(v, am_tune_better(t));
}

/* Energy of other work says nothing; operations are counted, else what is computed. */
static bool does_same(const struct am_tune_run *t, const struct am_visit *v)
{
    const double own = t->work.ops > 0 ? t->work.ops : t->work.flops;
    const double other = t->work.ops > 0 ? v->work.ops : v->work.flops;

    return !t->metric || fabs(own - other) <= 1e-6 * own;
}

static void take_visit(struct am_tune_run *t, struct am_tune_try *c, const struct am_visit *v,
                       double seconds)
{
    const enum am_better better = am_tune_better(t);
    const double value = am_tune_value(t, v);

    c->state = v->state == AM_POINT_OK && !does_same(t, v) ? AM_POINT_SKIP : v->state;
    c->calm = v->state != AM_POINT_OK || am_tune_is_calm(v);
    if (isnan(c->value) || (better == AM_HIGHER ? value > c->value : value < c->value))
        c->value = value;
    t->out->skipped += c->state == AM_POINT_SKIP;
    t->out->failed += v->state == AM_POINT_FAIL;
    if (v->state == AM_POINT_OK) {
        t->good_s += seconds;
        t->good++;
    }
    tell(t, c, v);
}

/* Candidates from the first that one process can measure. */
static size_t gather(const struct am_tune_run *t, const size_t *batch, size_t n,
                     const struct am_point **points)
{
    const size_t allowed = t->asked->bench->points_per_launch;
    size_t most = allowed ? allowed : 1, count = 0;

    if (most > GROUP_MAX)
        most = GROUP_MAX;
    while (count < n && count < most) {
        const struct am_point *const next = &t->known[batch[count]]->point;

        if (count && (!am_point_same_environment(points[0], next) ||
                      am_point_threads(points[0]) != am_point_threads(next)))
            break;
        points[count++] = next;
    }
    return count;
}

enum am_status am_tune_visit(struct am_tune_run *t, const size_t *batch, size_t n, size_t *done,
                             struct am_err *err)
{
    enum am_status s = AM_OK;

    *done = 0;
    while (s == AM_OK && *done < n && !am_tune_interrupted(t) && !am_tune_over_budget(t)) {
        const struct am_point *points[GROUP_MAX];
        const size_t count = gather(t, batch + *done, n - *done, points);
        struct am_arena arena = {0};
        struct am_launch record = {0};
        double seconds;

        s = store_new(t, batch + *done, count, err);
        if (s == AM_OK)
            s = am_tune_launch(t, points, count, &arena, &record, err);
        seconds = (double)(record.ended_ns - record.started_ns) * 1e-9;
        for (size_t i = 0; s == AM_OK && i < record.n_visits; i++)
            take_visit(t, t->known[batch[*done + i]], &record.visits[i],
                       seconds / (double)record.n_visits);
        *done += s == AM_OK ? record.n_visits : 0;
        am_arena_fini(&arena);
    }
    return s;
}
