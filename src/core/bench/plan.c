/* SPDX-License-Identifier: MIT */
/* Plans: the profiles' settings, and the product of a bench's axis values. */
#include "core/bench/plan.h"

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MS(n) ((uint64_t)(n)*1000000) /* milliseconds in nanoseconds */

static const struct {
    const char *name;
    struct am_plan_settings settings;
} profiles[AM_PROFILE_COUNT] = {
    [AM_PROFILE_QUICK] = {"quick",
                          {
                              .profile = AM_PROFILE_QUICK,
                              .min_launches = 5,
                              .max_launches = 5,
                              .target = 0.01,
                              .budget_s = 60,
                              .launch_limit_s = 30,
                              .sampler = {.min_batch_ns = MS(2),
                                          .max_point_ns = MS(500),
                                          .warmup = 1,
                                          .samples = 5,
                                          .extra = 3,
                                          .drift_limit = 0.02},
                          }},
    [AM_PROFILE_STANDARD] = {"standard",
                             {
                                 .profile = AM_PROFILE_STANDARD,
                                 .min_launches = 8, /* the first look: core/stats/looks.h */
                                 .max_launches = 15,
                                 .target = 0.01,
                                 .launch_limit_s = 60,
                                 .sampler = {.min_batch_ns = MS(10),
                                             .max_point_ns = MS(5000),
                                             .warmup = 1,
                                             .samples = 5,
                                             .extra = 5,
                                             .drift_limit = 0.02},
                             }},
    [AM_PROFILE_THOROUGH] = {"thorough",
                             {
                                 .profile = AM_PROFILE_THOROUGH,
                                 .min_launches = 20,
                                 .max_launches = 20,
                                 .target = 0.005,
                                 .launch_limit_s = 300,
                                 .sampler = {.min_batch_ns = MS(20),
                                             .max_point_ns = MS(20000),
                                             .warmup = 2,
                                             .samples = 20,
                                             .extra = 10,
                                             .drift_limit = 0.02},
                             }},
};

struct am_plan_settings am_profile_settings(enum am_profile profile)
{
    assert((unsigned)profile < AM_PROFILE_COUNT);
    return profiles[profile].settings;
}

const char *am_profile_name(enum am_profile profile)
{
    return (unsigned)profile < AM_PROFILE_COUNT ? profiles[profile].name : "unknown";
}

enum am_profile am_profile_find(const char *name)
{
    for (unsigned i = 0; i < AM_PROFILE_COUNT; i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return (enum am_profile)i;
    }
    return AM_PROFILE_COUNT;
}

/* The profile's values of an axis, in the user's syntax; NULL where the bench gives none. */
static const char *profile_values(const struct am_axis *axis, enum am_profile profile)
{
    if (profile == AM_PROFILE_QUICK && axis->quick)
        return axis->quick;
    if (profile == AM_PROFILE_THOROUGH && axis->thorough)
        return axis->thorough;
    return axis->dflt;
}

/* The last word on an axis wins; every one that names it is used. */
static const char *chosen_values(const struct am_axis *axis, enum am_profile profile,
                                 struct am_param *params, size_t n_params)
{
    const char *values = profile_values(axis, profile);

    for (size_t i = 0; i < n_params; i++) {
        if (strcmp(params[i].axis, axis->name) == 0) {
            params[i].used = true;
            values = params[i].values;
        }
    }
    return values;
}

static size_t longest_text(const struct am_values *values)
{
    char buf[AM_VALUE_TEXT_MAX];
    size_t longest = 0;

    for (size_t i = 0; i < values->n; i++) {
        am_value_text(&values->v[i], buf, sizeof(buf));
        if (strlen(buf) > longest)
            longest = strlen(buf);
    }
    return longest;
}

/* A cut text would no longer tell points apart. The product holds the longest combination, so the
 * check of it is exact. */
static enum am_status check_text(const struct am_bench *bench, const struct am_values *values,
                                 size_t axes, struct am_err *err)
{
    size_t length = 0;

    for (size_t i = 0; i < axes; i++)
        length += strlen(bench->axes[i].name) + 1 + longest_text(&values[i]) + 1;
    if (length > AM_POINT_TEXT_MAX)
        return am_fail(err, AM_E_LIMIT, "%s: a point's text would pass %d bytes", bench->name,
                       AM_POINT_TEXT_MAX);
    return AM_OK;
}

/* The product of the counts, refused where the plan would pass its bound. */
static enum am_status count_points(const struct am_plan *plan, const struct am_bench *bench,
                                   const struct am_values *values, size_t axes, size_t *total,
                                   struct am_err *err)
{
    const size_t room = plan->n < AM_PLAN_POINTS_MAX ? AM_PLAN_POINTS_MAX - plan->n : 0;

    *total = 1;
    for (size_t i = 0; i < axes; i++) {
        if (values[i].n > room / *total)
            return am_fail(err, AM_E_LIMIT, "%s: the plan would pass %d points", bench->name,
                           AM_PLAN_POINTS_MAX);
        *total *= values[i].n;
    }
    if (*total > room)
        return am_fail(err, AM_E_LIMIT, "%s: the plan would pass %d points", bench->name,
                       AM_PLAN_POINTS_MAX);
    return AM_OK;
}

static bool reserve(struct am_plan *plan, size_t more, struct am_arena *arena)
{
    return am_array_reserve(arena, &plan->points, plan->n, &plan->cap, more, sizeof(*plan->points));
}

/* Point number `index` of the product: the last axis is the lowest digit. */
static void fill(struct am_value *point, const struct am_values *values, size_t axes, size_t index)
{
    for (size_t i = axes; i-- > 0;) {
        point[i] = values[i].v[index % values[i].n];
        index /= values[i].n;
    }
}

static enum am_status add_product(struct am_plan *plan, const struct am_bench *bench,
                                  const struct am_values *values, size_t axes,
                                  struct am_arena *arena, struct am_err *err)
{
    size_t total;
    struct am_value *all;
    enum am_status s = count_points(plan, bench, values, axes, &total, err);

    if (s != AM_OK)
        return s;
    all = am_arena_array(arena, total * (axes ? axes : 1), sizeof(*all));
    if (!all || !reserve(plan, total, arena))
        return am_fail(err, AM_E_NOMEM, "%s: no memory for %zu points", bench->name, total);
    for (size_t i = 0; i < total; i++) {
        fill(all + i * axes, values, axes, i);
        plan->points[plan->n++] = (struct am_point){.bench = bench, .values = all + i * axes};
    }
    return AM_OK;
}

static int by_number(const void *a, const void *b)
{
    const struct am_value *const x = a, *const y = b;

    if (x->kind == AM_AXIS_REAL)
        return (x->r > y->r) - (x->r < y->r);
    return (x->i > y->i) - (x->i < y->i);
}

/* Drops the values that another worker's descriptor of this bench measures. */
static void leave_elsewhere(const struct am_axis *axis, struct am_values *values)
{
    size_t kept = 0;

    for (size_t i = 0; axis->elsewhere && i < values->n; i++) {
        if (values->v[i].i < 0 || !am_axis_elsewhere(axis, (size_t)values->v[i].i))
            values->v[kept++] = values->v[i];
    }
    if (axis->elsewhere)
        values->n = kept;
}

/* What am_plan_add() was asked for. */
struct asking {
    struct am_plan *plan;
    const struct am_bench *bench;
    struct am_param *params;
    size_t n_params;
    struct am_arena *arena;
    struct am_err *err;
};

/* AM_PAIRINGS: the text is none of its names. */
static enum am_pairing find_pairing(const char *text)
{
    enum am_pairing i = 0;

    while (text && i < AM_PAIRINGS && strcmp(am_pairings[i], text) != 0)
        i++;
    return text ? i : AM_PAIRINGS;
}

static enum am_status parse_axis(const struct asking *q, size_t i, const struct am_symbol *symbols,
                                 struct am_values *out)
{
    static const char every_nth[] = "first:last:sampled"; /* of CPUs, where no pairs are drawn */
    const struct am_axis *const axis = &q->bench->axes[i];
    const char *text = chosen_values(axis, q->plan->settings.profile, q->params, q->n_params);
    enum am_status s;

    if (axis->kind == AM_AXIS_INT && find_pairing(text) < AM_PAIRINGS)
        text = every_nth;

    if (!text)
        return am_fail(q->err, AM_E_USAGE, "%s: axis %s has no default; give -p %s=VALUES",
                       q->bench->name, axis->name, axis->name);
    s = am_axis_parse(axis, text, strlen(text), symbols, q->arena, out, q->err);
    if (s != AM_OK)
        return s;
    /* Launches are shuffled anyway: rising numbers are for the reader of the results. */
    if (axis->kind != AM_AXIS_NAME)
        qsort(out->v, out->n, sizeof(*out->v), by_number);
    leave_elsewhere(axis, out);
    return AM_OK;
}

/* Adds the product; axes that `fixed` has values of are not parsed again. */
static enum am_status add_with(const struct asking *q, const struct am_symbol *symbols,
                               const struct am_values *fixed)
{
    const size_t axes = am_axis_count(q->bench->axes);
    struct am_values values[AM_AXES_MAX];
    bool nothing = false;
    enum am_status s = AM_OK;

    for (size_t i = 0; i < axes && s == AM_OK; i++) {
        if (fixed[i].n)
            values[i] = fixed[i];
        else
            s = parse_axis(q, i, symbols, &values[i]);
        nothing |= s == AM_OK && values[i].n == 0;
    }
    if (s != AM_OK || nothing)
        return s;
    s = check_text(q->bench, values, axes, q->err);
    return s == AM_OK ? add_product(q->plan, q->bench, values, axes, q->arena, q->err) : s;
}

static bool is_users(const struct asking *q, const char *axis)
{
    for (size_t i = 0; i < q->n_params; i++) {
        if (strcmp(q->params[i].axis, axis) == 0)
            return true;
    }
    return false;
}

/* Points of one place, whose value of `on` is in `fixed`. A place that this machine lacks is
 * planned once, so that the reason is stored. */
static enum am_status add_place(const struct asking *q, const struct am_symbol *symbols, int on,
                                struct am_values *fixed)
{
    const struct am_places *const places = q->plan->places;
    const char *const name = fixed[on].v[0].name;
    const int axis = am_axis_find(q->bench->axes, "threads");
    const struct am_symbol *const own = places->symbols(places->self, name, 0, q->arena);
    const bool is_whole = !own || strcmp(name, AM_PLACE_WHOLE) == 0;
    struct am_values threads = {0};
    enum am_status s = AM_OK;

    if (axis >= 0)
        s = parse_axis(q, (size_t)axis, own ? own : symbols, &threads);
    for (size_t i = 0; s == AM_OK && i < (axis >= 0 ? threads.n : 1); i++) {
        const int64_t n = axis >= 0 ? threads.v[i].i : 1;
        const struct am_symbol *const these =
            own ? places->symbols(places->self, name, n, q->arena) : symbols;

        if (!is_whole && axis >= 0 && !is_users(q, "threads") &&
            !places->takes(places->self, name, n))
            continue;
        if (axis >= 0)
            fixed[axis] = (struct am_values){.v = &threads.v[i], .n = 1};
        s = add_with(q, these ? these : symbols, fixed);
        if (!own)
            break;
    }
    if (axis >= 0)
        fixed[axis] = (struct am_values){0};
    return s;
}

/* The order of a product: by the first axis in which two points differ. */
static int by_values(const void *a, const void *b)
{
    const struct am_point *const x = a, *const y = b;
    int order = 0;

    for (size_t i = 0; order == 0 && x->bench->axes[i].name; i++)
        order = by_number(&x->values[i], &y->values[i]);
    return order;
}

static enum am_status add_places(const struct asking *q, const struct am_symbol *symbols, int on)
{
    const size_t before = q->plan->n;
    struct am_values fixed[AM_AXES_MAX] = {{0}}, places;
    enum am_status s = parse_axis(q, (size_t)on, symbols, &places);

    for (size_t i = 0; s == AM_OK && i < places.n; i++) {
        fixed[on] = (struct am_values){.v = &places.v[i], .n = 1};
        s = add_place(q, symbols, on, fixed);
    }
    if (s == AM_OK && q->plan->n > before)
        qsort(q->plan->points + before, q->plan->n - before, sizeof(*q->plan->points), by_values);
    return s;
}

/* How the pairs of `from` and `to` are drawn; AM_PAIRINGS: they are not. */
static enum am_pairing pairing_of(const struct asking *q, int from, int to)
{
    const enum am_profile profile = q->plan->settings.profile;
    const struct am_axis *const axes = q->bench->axes;
    enum am_pairing a, b;

    if (from < 0 || to < 0 || !q->plan->places)
        return AM_PAIRINGS;
    a = find_pairing(chosen_values(&axes[from], profile, q->params, q->n_params));
    b = find_pairing(chosen_values(&axes[to], profile, q->params, q->n_params));
    return a == b ? a : AM_PAIRINGS;
}

static enum am_status add_pairs(const struct asking *q, const struct am_symbol *symbols,
                                enum am_pairing pairing)
{
    const struct am_places *const places = q->plan->places;
    const int from = am_axis_find(q->bench->axes, "from"), to = am_axis_find(q->bench->axes, "to");
    const size_t before = q->plan->n;
    const struct am_cpu_pairs pairs =
        places->pairs(places->self, pairing, q->plan->settings.seed, q->arena);
    struct am_values fixed[AM_AXES_MAX] = {{0}};
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < pairs.n; i++) {
        struct am_value ends[] = {{.kind = AM_AXIS_INT, .i = pairs.items[i].from},
                                  {.kind = AM_AXIS_INT, .i = pairs.items[i].to}};

        fixed[from] = (struct am_values){.v = &ends[0], .n = 1};
        fixed[to] = (struct am_values){.v = &ends[1], .n = 1};
        s = add_with(q, symbols, fixed);
    }
    if (s == AM_OK && q->plan->n > before)
        qsort(q->plan->points + before, q->plan->n - before, sizeof(*q->plan->points), by_values);
    if (pairs.n > 1 && pairs.n < pairs.all) {
        q->plan->drawn = true;
        am_log(AM_LOG_INFO, "%s: %zu of %zu pairs of CPUs, drawn by relation with seed %llu",
               q->bench->name, pairs.n, pairs.all, (unsigned long long)q->plan->settings.seed);
    }
    return s;
}

enum am_status am_plan_add(struct am_plan *plan, const struct am_bench *bench,
                           struct am_param *params, size_t n_params,
                           const struct am_symbol *symbols, struct am_arena *arena,
                           struct am_err *err)
{
    static const struct am_values none[AM_AXES_MAX];
    const struct asking q = {plan, bench, params, n_params, arena, err};
    const int on = am_axis_find(bench->axes, AM_PLACE_AXIS);
    const enum am_pairing pairing =
        pairing_of(&q, am_axis_find(bench->axes, "from"), am_axis_find(bench->axes, "to"));

    if (am_axis_count(bench->axes) > AM_AXES_MAX)
        return am_fail(err, AM_E_LIMIT, "%s: more than %d axes", bench->name, AM_AXES_MAX);
    if (pairing < AM_PAIRINGS)
        return add_pairs(&q, symbols, pairing);
    return on >= 0 && plan->places ? add_places(&q, symbols, on) : add_with(&q, symbols, none);
}

void am_point_text(const struct am_point *point, char *buf, size_t cap)
{
    const struct am_axis *axes = point->bench->axes;
    char value[AM_VALUE_TEXT_MAX];
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; axes && axes[i].name; i++) {
        am_value_text(&point->values[i], value, sizeof(value));
        if (!am_str_format(buf + used, cap - used, "%s%s=%s", i ? " " : "", axes[i].name, value))
            return;
        used += strlen(buf + used);
    }
}

unsigned am_point_least(const struct am_plan *plan, const struct am_point *point)
{
    return point->least ? point->least : plan->settings.min_launches;
}

unsigned am_point_most(const struct am_plan *plan, const struct am_point *point)
{
    return point->most ? point->most : plan->settings.max_launches;
}

size_t am_point_threads(const struct am_point *point)
{
    const int i = am_axis_find(point->bench->axes, "threads");

    if (i < 0 || point->values[i].kind != AM_AXIS_INT || point->values[i].i < 1)
        return 1;
    return (size_t)point->values[i].i;
}

const char *am_point_place(const struct am_point *point)
{
    const int i = am_axis_find(point->bench->axes, AM_PLACE_AXIS);

    return i < 0 ? AM_PLACE_WHOLE : point->values[i].name;
}

static const char *environment_value(const struct am_axis *axis, const struct am_value *value)
{
    return value->i >= 0 && axis->env_values ? axis->env_values[value->i] : value->name;
}

static bool has_variable(const struct am_axis *axis)
{
    return axis->env && axis->kind == AM_AXIS_NAME;
}

void am_point_environment(const struct am_point *point, am_env_fn *fn, void *self)
{
    const struct am_axis *axes = point->bench->axes;

    for (size_t i = 0; axes && axes[i].name; i++) {
        if (has_variable(&axes[i]))
            fn(self, axes[i].env, environment_value(&axes[i], &point->values[i]));
    }
}

/* The axis of the point that has this variable; NULL: none. */
static const struct am_axis *axis_of_variable(const struct am_point *point, const char *variable)
{
    const struct am_axis *const axes = point->bench->axes;

    for (size_t i = 0; axes && axes[i].name; i++) {
        if (has_variable(&axes[i]) && strcmp(axes[i].env, variable) == 0)
            return &axes[i];
    }
    return NULL;
}

/* Whether each variable of `a` has the same value in `b`. */
static bool has_environment_of(const struct am_point *a, const struct am_point *b)
{
    const struct am_axis *const axes = a->bench->axes;

    for (size_t i = 0; axes && axes[i].name; i++) {
        const struct am_axis *const other =
            has_variable(&axes[i]) ? axis_of_variable(b, axes[i].env) : NULL;
        const char *mine, *others;

        if (!has_variable(&axes[i]))
            continue;
        if (!other)
            return false;
        mine = environment_value(&axes[i], &a->values[i]);
        others = environment_value(other, &b->values[other - b->bench->axes]);
        if (!mine != !others || (mine && strcmp(mine, others) != 0))
            return false;
    }
    return true;
}

/* The same of points of one bench, whose axes are the same. */
static bool has_same_values(const struct am_point *a, const struct am_point *b)
{
    const struct am_axis *const axes = a->bench->axes;

    for (size_t i = 0; axes && axes[i].name; i++) {
        if (axes[i].env && !am_value_same(&a->values[i], &b->values[i]))
            return false;
    }
    return true;
}

bool am_point_same_environment(const struct am_point *a, const struct am_point *b)
{
    return a->bench == b->bench ? has_same_values(a, b)
                                : has_environment_of(a, b) && has_environment_of(b, a);
}
