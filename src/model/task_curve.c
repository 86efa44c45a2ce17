/* SPDX-License-Identifier: MIT */
/* Curves over the size of tasks. */
#include "model/task_curve.h"

#include "model/facts.h"

#include <math.h>
#include <string.h>

static const char bench[] = "app.blackscholes";
static const char along[] = "task_size";

/* Whether both were measured alike but for the parameters `but` and `and_but`. */
static bool alike(const struct am_result *a, const struct am_result *b, const char *but,
                  const char *and_but)
{
    if (a->version != b->version || a->n_params != b->n_params)
        return false;
    for (size_t i = 0; i < a->n_params; i++) {
        if (strcmp(a->params[i].name, but) == 0 || strcmp(a->params[i].name, and_but) == 0)
            continue;
        if (strcmp(a->params[i].name, b->params[i].name) != 0 ||
            strcmp(a->params[i].text, b->params[i].text) != 0)
            return false;
    }
    return true;
}

static bool is_point(const struct am_result *r)
{
    struct am_summary s;

    return strcmp(r->bench, bench) == 0 && am_result_number(r, along) >= 1 &&
           am_result_number(r, "n") >= 1 && am_result_number(r, "threads") >= 1 &&
           am_result_summary(r, "time", &s) && s.median > 0;
}

static struct am_task_point point_of(const struct am_result *r)
{
    const double size = am_result_number(r, along), n = am_result_number(r, "n");
    struct am_summary s = {0};

    (void)am_result_summary(r, "time", &s);
    return (struct am_task_point){.size = size, .tasks = ceil(n / size), .time = s.median};
}

/* Adds a result in its place. Sizes beyond the whole work are one task like the first of them. */
static void insert(struct am_task_curve *c, const struct am_result *r)
{
    const struct am_task_point p = point_of(r);
    size_t at = c->n;

    for (size_t i = 0; i < c->n; i++) {
        if (c->points[i].tasks == p.tasks)
            return;
    }
    for (; at > 0 && c->points[at - 1].size > p.size; at--) {
        c->points[at] = c->points[at - 1];
        c->results[at] = c->results[at - 1];
    }
    c->points[at] = p;
    c->results[at] = r;
    c->n++;
}

/* `used` tells which results belong to a curve already. False when memory is refused. */
static bool gather(const struct am_result_set *set, size_t first, bool *used,
                   struct am_arena *arena, struct am_task_curve *c)
{
    const struct am_result *const head = &set->results[first];
    size_t most = 0;

    for (size_t i = first; i < set->n; i++)
        most += !used[i] && alike(head, &set->results[i], along, along);
    c->results = am_arena_array(arena, most, sizeof(struct am_result *));
    c->points = am_arena_array(arena, most, sizeof(*c->points));
    if (!c->results || !c->points)
        return false;
    for (size_t i = first; i < set->n; i++) {
        if (used[i] || !is_point(&set->results[i]) || !alike(head, &set->results[i], along, along))
            continue;
        used[i] = true;
        insert(c, &set->results[i]);
    }
    c->threads = (size_t)am_result_number(head, "threads");
    c->flops = head->work.flops;
    return true;
}

void am_task_curves_make(const struct am_result_set *set, struct am_arena *arena,
                         struct am_task_curves *out)
{
    bool *const used = am_arena_array(arena, set->n + 1, sizeof(*used));

    *out = (struct am_task_curves){
        .items = am_arena_array(arena, set->n + 1, sizeof(struct am_task_curve))};
    for (size_t i = 0; used && out->items && i < set->n; i++) {
        struct am_task_curve *const c = &out->items[out->n];

        if (used[i] || !is_point(&set->results[i]))
            continue;
        *c = (struct am_task_curve){0};
        if (!gather(set, i, used, arena, c))
            return;
        if (c->n < 3)
            continue;
        c->has_simple = am_task_simple(c->points, c->n, c->threads, &c->simple);
        c->has_fit = am_task_fit(c->points, c->n, c->threads, &c->fit);
        out->n++;
    }
}

/* Of sizes alike the largest: fewer tasks are never worse for anybody else. */
size_t am_task_curve_predicted(const struct am_task_curve *c)
{
    static const double alike_share = 1e-6;
    double least = INFINITY;
    size_t best = 0;

    for (size_t i = 0; c->has_fit && i < c->n; i++) {
        const double t = am_task_fit_time(&c->fit, c->points[i].tasks, c->threads, true);

        if (t <= least * (1 + alike_share)) {
            least = fmin(least, t);
            best = i;
        }
    }
    return best;
}

size_t am_task_curve_fastest(const struct am_task_curve *c)
{
    size_t best = 0;

    for (size_t i = 1; i < c->n; i++) {
        if (c->points[i].time < c->points[best].time)
            best = i;
    }
    return best;
}

const struct am_task_curve *am_task_curve_other(const struct am_task_curves *curves,
                                                const struct am_task_curve *curve,
                                                const char *param, const char *text)
{
    for (size_t i = 0; i < curves->n; i++) {
        const struct am_task_curve *const c = &curves->items[i];
        const char *const value = am_result_text(c->results[0], param);

        if (value && strcmp(value, text) == 0 &&
            alike(c->results[0], curve->results[0], along, param))
            return c;
    }
    return NULL;
}
