/* SPDX-License-Identifier: MIT */
/* More pairs of CPUs where those that were drawn are not alike. */
#include "cli/run/refine.h"

#include "base/array.h"
#include "base/log.h"
#include "evidence/evidence.h"
#include "family/coherence.h"
#include "topo/pairs.h"

#include <math.h>
#include <string.h>

enum {
    PASSES = 64, /* each settles one group of CPUs */
    MORE = 24,   /* pairs that a class gets */
};

/* One look at what was measured. */
struct look {
    const struct am_conductor *conductor;
    struct am_arena *arena;
    struct am_line_pairs pairs;
    uint64_t seed;
    struct am_plan more; /* points that are wanted */
};

static struct am_cpu_pair cpus_of(const struct am_line_pair *p)
{
    return (struct am_cpu_pair){p->from, p->to};
}

static bool is_of_class(const struct look *l, const struct am_line_pair *a,
                        const struct am_line_pair *b)
{
    return am_coherence_same_line(a->result, b->result) &&
           am_topo_pairs_alike(l->conductor->topo, cpus_of(a), cpus_of(b));
}

/* Whether an earlier pair has stood for the class already. */
static bool is_seen(const struct look *l, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (is_of_class(l, &l->pairs.items[k], &l->pairs.items[i]))
            return true;
    }
    return false;
}

/* Whether the pairs of the class of `first` deny that they are alike. */
static bool is_unlike(const struct look *l, const struct am_line_pair *first)
{
    double slow = 0, fast = INFINITY;

    for (size_t i = 0; i < l->pairs.n; i++) {
        const struct am_line_pair *const p = &l->pairs.items[i];

        if (!is_of_class(l, first, p))
            continue;
        slow = fmax(slow, p->lo);
        fast = fmin(fast, p->hi);
    }
    return am_coherence_differs(slow, fast);
}

static bool is_measured(const struct look *l, const struct am_line_pair *like,
                        struct am_cpu_pair pair)
{
    for (size_t i = 0; i < l->pairs.n; i++) {
        const struct am_line_pair *const p = &l->pairs.items[i];
        const bool same = (p->from == pair.from && p->to == pair.to) ||
                          (p->from == pair.to && p->to == pair.from);

        if (same && am_coherence_same_line(p->result, like->result))
            return true;
    }
    return false;
}

static const struct am_point *point_of(const struct am_plan *plan, int64_t id)
{
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->points[i].id == id)
            return &plan->points[i];
    }
    return NULL;
}

/* The point `like` with other CPUs. */
static bool add_point(struct look *l, const struct am_point *like, struct am_cpu_pair pair)
{
    const size_t axes = am_axis_count(like->bench->axes);
    struct am_value *const values = am_arena_array(l->arena, axes + 1, sizeof(*values));
    struct am_point *const added = AM_ARRAY_ADD(l->arena, l->more.points, l->more.n, l->more.cap);

    if (!values || !added)
        return false;
    memcpy(values, like->values, axes * sizeof(*values));
    values[am_axis_find(like->bench->axes, am_coherence_from)].i = pair.from;
    values[am_axis_find(like->bench->axes, am_coherence_to)].i = pair.to;
    *added = (struct am_point){.bench = like->bench, .values = values};
    return true;
}

/* Draws more pairs of one class. */
static bool draw_more(struct look *l, const struct am_line_pair *first, const struct am_plan *plan)
{
    const struct am_point *const like = point_of(plan, first->result->point_id);
    const struct am_cpu_pairs drawn = am_topo_pairs_like(l->conductor->topo, cpus_of(first),
                                                         l->pairs.n + MORE, l->seed, l->arena);
    size_t added = 0;

    for (size_t i = 0; like && i < drawn.n && added < MORE; i++) {
        if (is_measured(l, first, drawn.items[i]))
            continue;
        if (!add_point(l, like, drawn.items[i]))
            return false;
        added++;
    }
    if (added)
        am_log(AM_LOG_INFO, "%s: pairs like CPUs %d and %d differ; %zu more are drawn (seed %llu)",
               first->result->bench, first->from, first->to, added, (unsigned long long)l->seed);
    return true;
}

/* Adds the wanted points to the store, worker by worker. */
static enum am_status store_points(const struct look *l, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < l->more.n; i++) {
        struct am_point *const point = &l->more.points[i];
        const struct am_worker *const worker =
            am_catalogue_worker(l->conductor->catalogue, point->bench);

        s = worker ? am_store_add_points(l->conductor->store, worker->name, &point, 1, err)
                   : am_fail(err, AM_E_ABSENT, "no worker for %s", point->bench->name);
    }
    return s;
}

static void add_outcome(struct am_outcome *to, const struct am_outcome *more)
{
    to->ok += more->ok;
    to->skipped += more->skipped;
    to->failed += more->failed;
    to->open += more->open;
    to->launches += more->launches;
    to->cut += more->cut;
    to->repeated += more->repeated;
    to->elapsed_s = more->elapsed_s; /* both since the same moment */
    to->interrupted |= more->interrupted;
    to->budget_spent |= more->budget_spent;
}

/* More pairs of every class that is not alike. */
static bool draw_classes(struct look *l, const struct am_result_set *set)
{
    l->pairs = am_coherence_pairs(set, l->arena);
    for (size_t i = 0; i < l->pairs.n; i++) {
        if (!is_seen(l, i) && is_unlike(l, &l->pairs.items[i]) &&
            !draw_more(l, &l->pairs.items[i], l->conductor->plan))
            return false;
    }
    return true;
}

/* Pairs that tell which CPUs belong together, where their relation does not. */
static bool join_groups(struct look *l, const struct am_result_set *set)
{
    const struct am_open_pairs open = am_coherence_open(set, l->arena);
    const struct am_point *const like =
        open.n ? point_of(l->conductor->plan, open.like->point_id) : NULL;

    for (size_t i = 0; like && i < open.n; i++) {
        if (!add_point(l, like, (struct am_cpu_pair){open.pairs[i][0], open.pairs[i][1]}))
            return false;
    }
    return true;
}

/* The points that are wanted after a look at the store: the first look is at classes, later ones
 * are at groups. */
static enum am_status look_at(struct look *l, bool first, struct am_err *err)
{
    struct am_result_set set = {0};
    enum am_status s =
        am_evidence_load(l->conductor->store, &(struct am_filter){0}, l->arena, &set, err);

    if (s != AM_OK)
        return s;
    if (!(first ? draw_classes(l, &set) : join_groups(l, &set)))
        return am_fail(err, AM_E_NOMEM, "no memory for more pairs of CPUs");
    return store_points(l, err);
}

static enum am_status refine_once(const struct am_cli *cli, const struct am_conductor *base,
                                  bool first, struct am_outcome *outcome, bool *added,
                                  struct am_err *err)
{
    struct am_conductor conductor = *base;
    struct look l = {.conductor = base, .arena = cli->arena, .seed = base->plan->settings.seed + 1};
    struct am_outcome more = {0};
    enum am_status s = look_at(&l, first, err);

    *added = s == AM_OK && l.more.n > 0;
    if (!*added)
        return s;
    l.more.settings = base->plan->settings;
    conductor.plan = &l.more;
    s = am_conductor_run(&conductor, NULL, &more, err);
    add_outcome(outcome, &more);
    return s;
}

enum am_status am_refine_pairs(const struct am_cli *cli, const struct am_conductor *conductor,
                               struct am_outcome *outcome, struct am_err *err)
{
    const struct am_plan *const plan = conductor->plan;
    const size_t measured = outcome->ok;
    bool added = plan->drawn;
    enum am_status s = AM_OK;

    for (unsigned pass = 0; s == AM_OK && added && pass < PASSES; pass++) {
        if (outcome->interrupted || outcome->budget_spent)
            break;
        s = refine_once(cli, conductor, pass == 0, outcome, &added, err);
    }
    if (outcome->ok > measured)
        am_log(AM_LOG_INFO,
               "%zu more pairs of CPUs were measured, since pairs of one relation differ",
               outcome->ok - measured);
    return s;
}
