/* SPDX-License-Identifier: MIT */
/* The conductor: interleaved rounds of launches until every point has its reason to stop. */
#include "conductor/conductor.h"

#include "base/rng.h"
#include "conductor/collect.h"
#include "conductor/launch.h"
#include "conductor/schedule.h"
#include "conductor/sharing.h"
#include "conductor/visited.h"
#include "core/stats/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    JUDGED_FROM = 40, /* visits after which it is known whether a machine is busy throughout */
};

struct run {
    const struct am_conductor *c;
    const struct am_plan_settings *set;
    struct am_visited *points; /* parallel to plan->points */
    struct am_stop *stops;     /* of this round, not yet stored */
    size_t n_stops, n_stopped, n_visits;
    size_t n_visits_disturbed;
    size_t n_samples, n_disturbed;
    size_t *order;      /* of this round; then scratch for as many */
    struct am_due *due; /* parallel to points; as the latest block began */
    uint64_t start_ns;
    double spent_before_s; /* by earlier invocations of this run */
    double fitted_s;       /* when r->due was found to fit */
    struct am_launcher launcher;
    struct am_looks looks; /* when a point may stop for its precision */
    struct am_outcome *outcome;
    unsigned round;
    bool failed; /* a launch, where one ends the run */
};

static double elapsed(const struct run *r)
{
    return r->spent_before_s + (double)(am_launcher_now(&r->launcher) - r->start_ns) * 1e-9;
}

static bool interrupted(const struct run *r)
{
    return r->c->interrupted && *r->c->interrupted;
}

/* No more launches, whatever is still open. */
static bool ends_here(const struct run *r)
{
    return r->failed || interrupted(r);
}

static void stop(struct run *r, size_t i, enum am_stop_reason reason)
{
    if (r->points[i].stopped)
        return;
    r->points[i].stopped = true;
    r->n_stopped++;
    r->stops[r->n_stops++] =
        (struct am_stop){.point_id = r->c->plan->points[i].id, .reason = reason};
}

static enum am_status store_stops(struct run *r, struct am_err *err)
{
    enum am_status s = AM_OK;

    if (r->n_stops)
        s = am_store_put_stops(r->c->store, r->stops, r->n_stops, err);
    r->n_stops = 0;
    return s;
}

static void consider_stop(struct run *r, size_t i)
{
    const enum am_stop_reason reason =
        am_visited_stop(&r->points[i], r->set, &r->looks, &r->c->plan->points[i]);

    if (reason != AM_STOP_OPEN)
        stop(r, i, reason);
}

/* Seconds of each visit of a launch of `whole` seconds: up to the end of its last sample, the last
 * one with the rest. Equal parts where the stamps tell nothing of the kind. */
static void part_time(const struct am_launch *l, double whole, double *parts)
{
    uint64_t before = l->started_ns;
    double left = whole;
    bool told = true;

    for (size_t i = 0; i < l->n_visits; i++) {
        const struct am_visit *const v = &l->visits[i];
        const uint64_t end = v->n_samples ? v->samples[v->n_samples - 1].t1_ns : before;
        const bool last = i + 1 == l->n_visits;

        parts[i] = last ? left : (double)(end - before) * 1e-9;
        told = told && end >= before && parts[i] >= 0 && parts[i] <= left;
        left -= parts[i];
        before = end;
    }
    for (size_t i = 0; !told && i < l->n_visits; i++)
        parts[i] = whole / (double)l->n_visits;
}

/* Repeats are worth their time while undisturbed launches can be had. Where most are disturbed the
 * machine is busy throughout: with a budget, other points would go without launches for them. */
static unsigned repeats_allowed(const struct run *r)
{
    const bool in_vain = r->set->budget_s > 0 && r->n_visits >= JUDGED_FROM &&
                         2 * r->n_visits_disturbed > r->n_visits;

    return in_vain ? 0 : r->set->repeats;
}

/* `behind`: another point was visited before it in the same process. */
static void note_visit(struct run *r, size_t i, const struct am_visit *v, uint32_t busy,
                       double seconds, bool behind)
{
    struct am_visited *p = &r->points[i];

    r->n_visits_disturbed += am_visited_note(p, repeats_allowed(r), v, busy);
    r->failed = r->failed || (r->c->ends_at_failure && v->state == AM_POINT_FAIL);
    p->next_round = r->round + 1;
    p->seconds += seconds;
    p->behind += behind;
    p->seconds_behind += behind ? seconds : 0;
    r->n_visits++;
    r->n_samples += v->n_samples;
    for (size_t k = 0; k < v->n_samples; k++)
        r->n_disturbed += v->samples[k].labels != 0;
    consider_stop(r, i);
}

/* Brings r->due up to date; what fits is left as it is. */
static void look_ahead(const struct run *r)
{
    for (size_t i = 0; i < r->c->plan->n; i++) {
        const struct am_visited *p = &r->points[i];
        struct am_due *due = &r->due[i];

        due->worth = r->c->plan->points[i].worth;
        due->least = r->c->plan->points[i].least;
        due->visits = p->visits;
        due->next = p->repeats + (unsigned)am_looks_next(&r->looks, p->visits - p->repeats);
        due->spent_s = p->seconds;
        due->behind = p->behind;
        due->spent_behind_s = p->seconds_behind;
        due->stopped = p->stopped;
        due->guess_s = am_schedule_guess(r->c->plan, &r->c->plan->points[i]);
        due->start_s = fmin(r->c->plan->points[i].start_s, due->guess_s);
    }
    am_schedule_expect(r->due, r->c->plan->n);
}

/* What the plan still needs, of what fits into it. */
static void tell_ahead(const struct run *r, struct am_progress *p)
{
    look_ahead(r);
    p->eta_s = am_schedule_left(r->due, r->c->plan->n, r->set->min_launches, &p->visits_left);
    if (r->set->budget_s > 0)
        p->eta_s = fmin(p->eta_s, fmax(0, r->set->budget_s - p->elapsed_s));
}

/* Launches that the point will have, as far as that is known. */
static unsigned wanted(const struct run *r, size_t i)
{
    const struct am_visited *const p = &r->points[i];
    const unsigned least = am_point_least(r->c->plan, &r->c->plan->points[i]);

    return p->stopped || p->visits >= least ? p->visits : least;
}

static void tell(const struct run *r, size_t i, const struct am_visit *v)
{
    const double now = elapsed(r);
    struct am_progress p = {
        .point = &r->c->plan->points[i],
        .launches_done = r->outcome->launches,
        .visits_done = r->n_visits,
        .points_done = r->n_stopped,
        .points = r->c->plan->n,
        .round = r->round,
        .first_point = r->c->plan->points,
        .elapsed_s = now,
        .visits = r->points[i].visits,
        .visits_wanted = wanted(r, i),
        .samples = r->n_samples,
        .samples_disturbed = r->n_disturbed,
        .state = v->state,
        .reason = v->reason,
    };

    if (!r->c->progress)
        return;
    tell_ahead(r, &p);
    p.value = am_visited_median(&r->points[i]);
    p.precision = am_looks_precision(r->points[i].medians, r->points[i].n_medians);
    r->c->progress(r->c->progress_self, &p);
}

/* Launches `n` points (indices in `group`) in one process and stores what came of it. *visited is
 * how many of them, from the first, now have a visit. */
static enum am_status launch_group(struct run *r, const size_t *group, size_t n, size_t *visited,
                                   struct am_err *err)
{
    struct am_arena arena = {0};
    struct am_launch record = {0};
    const double before = elapsed(r);
    const struct am_point **points = am_arena_array(&arena, n, sizeof(*points));
    enum am_status s = points ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for a launch");

    for (size_t i = 0; s == AM_OK && i < n; i++)
        points[i] = &r->c->plan->points[group[i]];
    if (s == AM_OK)
        s = am_launcher_run(&r->launcher, points, n, r->round, &arena, &record, err);
    *visited = s == AM_OK ? record.n_visits : 0;
    if (s == AM_OK && record.n_visits)
        s = am_store_put_launch(r->c->store, &record, err);
    if (s == AM_OK && record.n_visits) {
        double parts[AM_SHARING_MAX]; /* no group is larger */

        part_time(&record, elapsed(r) - before, parts); /* with that of starting and storing */
        r->outcome->launches++;
        for (size_t i = 0; i < record.n_visits; i++)
            note_visit(r, group[i], &record.visits[i], am_visit_busy(&record, i), parts[i], i > 0);
        for (size_t i = 0; i < record.n_visits; i++)
            tell(r, group[i], &record.visits[i]);
    }
    am_arena_fini(&arena);
    return s;
}

/* Stops a point whose next visit would end too late. One visit is made in any case, though setting
 * up may have used up the time. */
static bool over_budget(struct run *r, size_t i)
{
    const bool over =
        r->set->budget_s > 0 && r->n_visits && elapsed(r) + r->due[i].each_s > r->set->budget_s;

    if (over)
        stop(r, i, AM_STOP_BUDGET);
    r->outcome->budget_spent |= over;
    return over;
}

/* Finds out what fits into the time that is left; without a budget everything does. */
static void fit(struct run *r)
{
    const double budget = r->set->budget_s;
    const double at_least_s = r->n_visits ? 0 : 1e-3; /* for the first visit */

    look_ahead(r);
    r->fitted_s = elapsed(r);
    for (size_t i = 0; budget <= 0 && i < r->c->plan->n; i++)
        r->due[i].fits = true;
    if (budget > 0)
        (void)am_schedule_fit(r->due, r->c->plan->n, r->set->min_launches,
                              fmax(budget - r->fitted_s, at_least_s), AM_SCHEDULE_RESERVE * budget);
}

/* Costs become known on the way: a point that fitted when the block began may not fit any more. */
static bool still_fits(struct run *r, size_t i)
{
    if (r->set->budget_s > 0 && elapsed(r) > r->fitted_s + r->set->budget_s / AM_SCHEDULE_FITS)
        fit(r);
    return r->due[i].fits;
}

/* Chooses the points of the next block: without a budget all that are open, else those of the class
 * whose turn it is. False when the time suffices for none. */
static bool choose(struct run *r)
{
    const double budget = r->set->budget_s;
    const size_t n = r->c->plan->n;
    unsigned turn = 0;

    fit(r);
    if (budget > 0 && !am_schedule_turn(r->due, n, r->set->min_launches, &turn))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct am_due *due = &r->due[i];

        r->points[i].chosen = !due->stopped && due->fits &&
                              (budget <= 0 || am_schedule_class(due, r->set->min_launches) == turn);
    }
    return true;
}

/* Puts twins side by side, the one that the shuffle had first in front. The n points of the order
 * wait; `scratch` has room for them. */
static void join_twins(struct run *r, size_t n, size_t *scratch)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t first = r->order[i], twin = r->c->plan->points[first].twin;

        if (!r->points[first].waits)
            continue;
        r->points[first].waits = false;
        scratch[k++] = first;
        if (twin && r->points[twin - 1].waits) {
            r->points[twin - 1].waits = false;
            scratch[k++] = twin - 1;
        }
    }
    memcpy(r->order, scratch, n * sizeof(*scratch));
}

/* The points of this block of rounds that lack a visit in it, shuffled by (seed, first round), in
 * the first round those of most worth before others: whoever interrupts early has them. A
 * resumed block goes on where it was cut. `end` is the first round behind the block. */
static size_t order_block(struct run *r, uint64_t end)
{
    const size_t n = r->c->plan->n;
    const unsigned first = r->round;
    struct am_rng rng;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        r->order[i] = i;
    am_rng_seed(&rng, r->set->seed, r->round);
    am_rng_shuffle(&rng, r->order, n);
    for (size_t i = 0; i < n; i++) {
        struct am_visited *p = &r->points[r->order[i]];

        p->waits = p->chosen && !p->stopped && p->next_round < end;
        if (p->waits)
            r->order[kept++] = r->order[i];
    }
    if (first == 0)
        am_schedule_sort(r->due, r->order, kept);
    join_twins(r, kept, r->order + n);
    return kept;
}

/* Of the first `visited` points, those that have launches left in the block stay in front; returns
 * how many of them go. */
static size_t pass_on(const struct run *r, size_t *order, size_t visited, uint64_t end)
{
    size_t gone = visited;

    for (size_t i = visited; i-- > 0;) {
        const struct am_visited *p = &r->points[order[i]];

        if (!p->stopped && p->next_round < end) {
            const size_t t = order[--gone];

            order[gone] = order[i];
            order[i] = t;
        }
    }
    return gone;
}

/* Launches order[0] and what shares its process; returns how many of the order have a visit. */
static enum am_status launch_next(struct run *r, size_t *order, size_t n, size_t *visited,
                                  struct am_err *err)
{
    size_t *const group = r->order + r->c->plan->n; /* the scratch behind the order */
    const struct am_sharing sharing = {
        .catalogue = r->c->catalogue,
        .plan = r->c->plan,
        .due = r->due,
        .points = r->points,
        .round = r->round,
        .left_s = r->set->budget_s - elapsed(r),
    };
    const size_t own = am_sharing_gather(&sharing, order, n);
    enum am_status s;

    memcpy(group, order, own * sizeof(*group));
    s = launch_group(r, group, am_sharing_ride(&sharing, group, own), visited, err);
    if (*visited > own)
        *visited = own;
    return s;
}

/* Plays `interleave` rounds, each point having its launches of them in a row. */
static enum am_status play_block(struct run *r, struct am_err *err)
{
    const uint64_t length = r->set->interleave ? r->set->interleave : 1;
    const uint64_t first = r->round - r->round % length, end = first + length;
    size_t n, *order = r->order;
    enum am_status s = AM_OK;

    r->round = (unsigned)first;
    n = order_block(r, end);
    while (n && s == AM_OK && !ends_here(r)) {
        size_t visited, gone;

        if (!still_fits(r, order[0]) || over_budget(r, order[0])) {
            order++; /* what does not fit may fit again; what is over stopped there */
            n--;
            continue;
        }
        r->round = r->points[order[0]].next_round;
        s = launch_next(r, order, n, &visited, err);
        if (interrupted(r))
            break; /* a launch cut short has no visit: resume repeats it */
        /* Points of the group that a crash kept from their turn are launched again. */
        gone = pass_on(r, order, visited, end);
        order += gone;
        n -= gone;
    }
    if (s == AM_OK)
        s = store_stops(r, err);
    return s;
}

/* Takes over what an earlier invocation measured. */
static enum am_status take_over(struct run *r, const struct am_resume *resume, struct am_err *err)
{
    struct am_arena arena = {0};
    struct am_result_set set = {0};
    enum am_status s = am_store_load(r->c->store, &(struct am_filter){0}, &arena, &set, err);
    size_t visits = 0;

    if (s == AM_OK && (resume->n != r->c->plan->n || set.n != resume->n))
        s = am_fail(err, AM_E_STORE, "the stored plan has %zu points, the rebuilt one %zu",
                    resume->n, r->c->plan->n);
    for (size_t i = 0; s == AM_OK && i < resume->n; i++) {
        am_visited_take_over(&r->points[i], r->set, &resume->points[i], &set.results[i]);
        r->n_stopped += r->points[i].stopped;
        visits += r->points[i].visits;
    }
    /* Each point's own times are not at hand; the mean serves the budget and the ETA as well. */
    for (size_t i = 0; visits && i < resume->n; i++)
        r->points[i].seconds = r->points[i].visits * resume->spent_s / (double)visits;
    am_arena_fini(&arena);
    r->spent_before_s = resume->spent_s;
    r->n_visits = visits;
    return s;
}

/* The round to begin with: the first in which a chosen point lacks its visit. */
static unsigned first_round(const struct run *r)
{
    unsigned round = UINT32_MAX;

    for (size_t i = 0; i < r->c->plan->n; i++) {
        if (r->points[i].chosen && r->points[i].next_round < round)
            round = r->points[i].next_round;
    }
    return round;
}

static void count_outcome(struct run *r)
{
    size_t others = 0, others_ok = 0;

    for (size_t i = 0; i < r->c->plan->n; i++) {
        const struct am_visited *p = &r->points[i];
        const bool other = !am_bench_is_standard(r->c->plan->points[i].bench);

        others += other;
        others_ok += other && p->worked;

        r->outcome->cut +=
            p->worked && p->n_medians < am_point_least(r->c->plan, &r->c->plan->points[i]);
        if (p->worked)
            r->outcome->ok++;
        else if (p->skipped)
            r->outcome->skipped++;
        else if (p->failures)
            r->outcome->failed++;
        else
            r->outcome->open++;
        r->outcome->repeated += p->repeats;
    }
    r->outcome->asked = others ? others_ok : r->outcome->ok;
    r->outcome->elapsed_s = elapsed(r);
    r->outcome->interrupted = interrupted(r);
    r->outcome->ended_at_failure = r->failed;
}

/* Time is up: what is still open has no more. */
static void stop_all(struct run *r)
{
    r->outcome->budget_spent = true;
    for (size_t i = 0; i < r->c->plan->n; i++)
        stop(r, i, AM_STOP_BUDGET);
}

static enum am_status play(struct run *r, const struct am_resume *resume, struct am_err *err)
{
    enum am_status s = resume ? take_over(r, resume, err) : AM_OK;

    for (size_t i = 0; resume && s == AM_OK && i < r->c->plan->n; i++)
        consider_stop(r, i);
    while (s == AM_OK && r->n_stopped < r->c->plan->n && !ends_here(r)) {
        if (!choose(r)) {
            stop_all(r);
            break;
        }
        r->round = first_round(r);
        s = play_block(r, err);
    }
    if (s == AM_OK)
        s = store_stops(r, err);
    return s;
}

enum am_status am_conductor_run(const struct am_conductor *c, const struct am_resume *resume,
                                struct am_outcome *outcome, struct am_err *err)
{
    const size_t n = c->plan->n;
    struct run r = {.c = c, .set = &c->plan->settings, .outcome = outcome};
    enum am_status s = am_launcher_init(&r.launcher, c, err);

    *outcome = (struct am_outcome){0};
    r.looks = am_looks_of(r.set->min_launches, r.set->max_launches);
    r.start_ns = c->origin_ns ? c->origin_ns : am_launcher_now(&r.launcher);
    r.points = calloc(n ? n : 1, sizeof(*r.points));
    r.stops = calloc(n ? n : 1, sizeof(*r.stops));
    r.order = calloc(n ? 2 * n : 1, sizeof(*r.order));
    r.due = calloc(n ? n : 1, sizeof(*r.due));
    if (s == AM_OK && !(r.points && r.stops && r.order && r.due))
        s = am_fail(err, AM_E_NOMEM, "no memory for the run");
    if (s == AM_OK)
        s = play(&r, resume, err);
    if (r.points)
        count_outcome(&r);
    for (size_t i = 0; r.points && i < n; i++)
        c->plan->points[i].took_s =
            r.points[i].visits ? r.points[i].seconds / r.points[i].visits : 0;
    for (size_t i = 0; r.points && i < n; i++)
        free(r.points[i].medians);
    am_launcher_fini(&r.launcher);
    free(r.points);
    free(r.stops);
    free(r.order);
    free(r.due);
    return s;
}
