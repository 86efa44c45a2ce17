/* SPDX-License-Identifier: MIT */
/* Selection: conditions on points, and what selections are reduced to. */
#include "evidence/select.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, VALUES_NAMED = 6, DIFFER_BYTES = 512 };

/* ---- conditions ---- */

/* One condition taken apart; `values` is empty for "axis" and "!axis". */
struct condition {
    char axis[NAME_MAX_BYTES];
    bool absent; /* "!axis" */
    char op[3];  /* "", "=", "?=", "!=", "<", "<=", ">", ">=" */
    const char *values;
    size_t len; /* of values */
};

/* Takes the condition at `p`; returns where the next one begins. */
static const char *take_condition(const char *p, struct condition *c)
{
    const size_t all = strcspn(p, " ");
    size_t name, op;

    *c = (struct condition){.absent = *p == '!'};
    p += c->absent;
    name = strcspn(p, "?!=<> ");
    (void)am_str_copy(c->axis, name + 1 < sizeof(c->axis) ? name + 1 : sizeof(c->axis), p);
    op = strspn(p + name, "?!=<>");
    (void)am_str_copy(c->op, op + 1 < sizeof(c->op) ? op + 1 : sizeof(c->op), p + name);
    c->values = p + name + op;
    c->len = all - (size_t)c->absent - name - op;
    p += all - (size_t)c->absent;
    return p + strspn(p, " ");
}

/* A number with or without K, M, G, T. */
static bool parse_number(const char *text, size_t len, double *out)
{
    static const char suffixes[] = "KMGT";
    const char *const suffix = len > 1 ? strchr(suffixes, text[len - 1]) : NULL;
    double factor = 1;

    for (const char *s = suffixes; suffix && s <= suffix; s++)
        factor *= 1024;
    if (!am_parse_f64(text, suffix ? len - 1 : len, out))
        return false;
    *out *= factor;
    return true;
}

static double number_of(const struct am_result_param *p)
{
    double value;

    if (p->kind == AM_AXIS_NAME || !am_parse_f64(p->text, strlen(p->text), &value))
        return NAN;
    return value;
}

static bool is_value(const struct am_result_param *p, const char *text, size_t len)
{
    const double own = number_of(p);
    double wanted;

    if (isfinite(own) && parse_number(text, len, &wanted))
        return !(own < wanted) && !(own > wanted);
    return strlen(p->text) == len && memcmp(p->text, text, len) == 0;
}

static bool is_one_of(const struct am_result_param *p, const char *values, size_t len)
{
    for (size_t at = 0; at <= len;) {
        const char *const comma = memchr(values + at, ',', len - at);
        const size_t n = comma ? (size_t)(comma - values) - at : len - at;

        if (is_value(p, values + at, n))
            return true;
        at += n + 1;
    }
    return false;
}

static bool compares(const struct condition *c, const struct am_result_param *p)
{
    const double own = number_of(p);
    double limit;

    if (!isfinite(own) || !parse_number(c->values, c->len, &limit))
        return false;
    if (c->op[1] == '=' && !(own < limit) && !(own > limit))
        return true;
    return c->op[0] == '<' ? own < limit : own > limit;
}

static bool holds(const struct condition *c, const struct am_result_param *p)
{
    if (!p)
        return c->absent || c->op[0] == '?';
    if (c->absent)
        return false;
    if (c->op[0] == '<' || c->op[0] == '>')
        return compares(c, p);
    if (c->op[0] == '\0')
        return true;
    return is_one_of(p, c->values, c->len) == (c->op[0] != '!');
}

bool am_where_matches(const char *where, const struct am_result_param *params, size_t n_params)
{
    for (const char *p = where ? where + strspn(where, " ") : ""; *p;) {
        const struct am_result_param *param = NULL;
        struct condition c;

        p = take_condition(p, &c);
        for (size_t i = 0; i < n_params && !param; i++)
            param = strcmp(params[i].name, c.axis) == 0 ? &params[i] : NULL;
        if (!holds(&c, param))
            return false;
    }
    return true;
}

/* ---- lists of names ---- */

bool am_names_hold(const char *list, const char *name)
{
    const size_t want = strlen(name);

    for (const char *p = list ? list : ""; *p; p += strcspn(p, ","), p += *p == ',') {
        if (strcspn(p, ",") == want && memcmp(p, name, want) == 0)
            return true;
    }
    return false;
}

/* Copies the name at `p` of a list; returns where the next one begins. */
static const char *take_name(const char *p, char name[NAME_MAX_BYTES])
{
    const size_t n = strcspn(p, ",");

    (void)am_str_copy(name, n + 1 < NAME_MAX_BYTES ? n + 1 : NAME_MAX_BYTES, p);
    return p + n + (p[n] == ',');
}

/* ---- choosing ---- */

static struct am_picks room_for(struct am_arena *arena, size_t n)
{
    return (struct am_picks){.items = am_arena_array(arena, n + 1, sizeof(struct am_pick)),
                             .arena = arena};
}

/* Adds every metric that the glob matches, or the one that is named. */
static void pick_metrics(struct am_picks *picks, const struct am_result *r, const char *metric)
{
    const struct am_result_metric *const named = am_result_metric(r, metric);

    if (named)
        picks->items[picks->n++] = (struct am_pick){r, named, NAN};
    for (size_t i = 0; metric && strchr(metric, '*') && i < r->n_metrics; i++) {
        const struct am_result_metric *const m = &r->metrics[i];

        if (am_glob_match(metric, m->name) && am_result_metric(r, m->name) == m)
            picks->items[picks->n++] = (struct am_pick){r, m, NAN};
    }
}

struct am_picks am_select(const struct am_result_set *set, const struct am_selector *selector,
                          struct am_arena *arena)
{
    struct am_picks picks;
    size_t most = 0;

    for (size_t i = 0; i < set->n; i++)
        most += set->results[i].n_metrics;
    picks = room_for(arena, most);
    for (size_t i = 0; picks.items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if ((!selector->bench || am_glob_match(selector->bench, r->bench)) &&
            am_where_matches(selector->where, r->params, r->n_params))
            pick_metrics(&picks, r, selector->metric);
    }
    return picks;
}

struct am_picks am_picks_filter(const struct am_picks *picks, am_pick_fn *keep, const void *context)
{
    struct am_picks out = room_for(picks->arena, picks->n);

    for (size_t i = 0; out.items && i < picks->n; i++) {
        if (keep(picks->items[i].result, context))
            out.items[out.n++] = picks->items[i];
    }
    return out;
}

static bool is_where(const struct am_result *result, const void *where)
{
    return am_where_matches(where, result->params, result->n_params);
}

struct am_picks am_picks_where(const struct am_picks *picks, const char *where)
{
    return am_picks_filter(picks, is_where, where);
}

bool am_result_alike(const struct am_result *a, const struct am_result *b, const char *axes)
{
    char name[NAME_MAX_BYTES];

    for (const char *p = axes; *p;) {
        p = take_name(p, name);
        if (!am_result_same(a, b, name))
            return false;
    }
    return true;
}

struct am_picks am_picks_like(const struct am_picks *picks, const struct am_result *result,
                              const char *axes)
{
    struct am_picks out = room_for(picks->arena, picks->n);

    for (size_t i = 0; out.items && i < picks->n; i++) {
        if (am_result_alike(picks->items[i].result, result, axes))
            out.items[out.n++] = picks->items[i];
    }
    return out;
}

/* What am_picks_beside() looks for. */
struct beside {
    const struct am_result *result;
    const char *except;
};

static bool is_beside(const struct am_result *r, const void *context)
{
    const struct beside *const wanted = context;
    const struct am_result *const other = wanted->result;
    bool alike = strcmp(r->bench, other->bench) == 0 && r->n_params == other->n_params;

    for (size_t a = 0; alike && a < other->n_params; a++)
        alike = am_names_hold(wanted->except, other->params[a].name) ||
                am_result_same(r, other, other->params[a].name);
    return alike;
}

struct am_picks am_picks_beside(const struct am_picks *picks, const struct am_result *result,
                                const char *except)
{
    return am_picks_filter(picks, is_beside, &(struct beside){result, except});
}

struct am_picks am_picks_sound(const struct am_picks *picks)
{
    struct am_picks out = room_for(picks->arena, picks->n);

    for (size_t i = 0; out.items && i < picks->n; i++) {
        if (picks->items[i].metric->grading.grade < AM_GRADE_C)
            out.items[out.n++] = picks->items[i];
    }
    return out.n ? out : *picks;
}

struct am_picks am_picks_extreme(const struct am_picks *picks, const char *axis, bool least)
{
    struct am_picks out = room_for(picks->arena, picks->n);
    double extreme = NAN;

    for (size_t i = 0; i < picks->n; i++) {
        const double x = am_result_number(picks->items[i].result, axis);

        extreme = least ? fmin(extreme, x) : fmax(extreme, x); /* both pass NAN over */
    }
    for (size_t i = 0; out.items && i < picks->n; i++) {
        const double x = am_result_number(picks->items[i].result, axis);

        if (isfinite(x) && !(x < extreme) && !(x > extreme))
            out.items[out.n++] = picks->items[i];
    }
    return out;
}

/* ---- parting ---- */

struct am_groups am_picks_group(const struct am_picks *picks, const char *axes)
{
    struct am_groups out = {
        .items = am_arena_array(picks->arena, picks->n + 1, sizeof(struct am_group))};

    for (size_t i = 0; out.items && i < picks->n; i++) {
        size_t k = 0;

        while (k < out.n &&
               !am_result_alike(out.items[k].picks.items[0].result, picks->items[i].result, axes))
            k++;
        if (k < out.n)
            continue;
        out.items[k].picks = am_picks_like(picks, picks->items[i].result, axes);
        out.n += out.items[k].picks.n > 0;
    }
    return out;
}

/* ---- what differs ---- */

/* "delay=0, 300": the values of one axis, in the order of the picks. */
static void add_values(const struct am_picks *picks, const char *axis, struct am_text *out)
{
    size_t named = 0;

    am_text_addf(out, "%s%s=", out->len ? " " : "", axis);
    for (size_t i = 0; i < picks->n; i++) {
        const struct am_result_param *const p = am_result_param(picks->items[i].result, axis);
        size_t k = 0;

        while (k < i && !am_param_same(am_result_param(picks->items[k].result, axis), p))
            k++;
        if (k < i)
            continue;
        if (named == VALUES_NAMED) {
            am_text_add(out, ", ...");
            return;
        }
        am_text_addf(out, "%s%s", named++ ? ", " : "", p ? p->text : "-");
    }
}

static bool varies(const struct am_picks *picks, const char *axis)
{
    for (size_t i = 1; i < picks->n; i++) {
        if (!am_result_same(picks->items[i].result, picks->items[0].result, axis))
            return true;
    }
    return false;
}

const char *am_picks_differ(const struct am_picks *picks, const char *except)
{
    const struct am_result *const first = picks->n ? picks->items[0].result : NULL;
    const char *copy;
    struct am_text text;

    am_text_init(&text, DIFFER_BYTES);
    for (size_t i = 1; i < picks->n; i++) {
        if (strcmp(picks->items[i].result->bench, first->bench) != 0) {
            am_text_addf(&text, "bench=%s, %s", first->bench, picks->items[i].result->bench);
            break;
        }
    }
    for (size_t a = 0; first && a < first->n_params; a++) {
        if (!am_names_hold(except, first->params[a].name) && varies(picks, first->params[a].name))
            add_values(picks, first->params[a].name, &text);
    }
    copy = am_arena_strdup(picks->arena, am_text_str(&text));
    am_text_fini(&text);
    return copy ? copy : "";
}

const char *am_picks_varying(const struct am_picks *picks, const char *except)
{
    const struct am_result *const first = picks->n ? picks->items[0].result : NULL;
    const char *list = "";

    for (size_t a = 0; list && first && a < first->n_params; a++) {
        const char *const axis = first->params[a].name;

        if (!am_names_hold(except, axis) && varies(picks, axis))
            list = am_arena_printf(picks->arena, "%s%s%s", list, *list ? "," : "", axis);
    }
    return list ? list : "";
}

/* ---- reducing ---- */

const struct am_pick *am_picks_only(const struct am_picks *picks, const char **several)
{
    *several = picks->n > 1 ? am_picks_differ(picks, NULL) : NULL;
    return picks->n == 1 ? &picks->items[0] : NULL;
}

static bool is_better(const struct am_pick *a, const struct am_pick *b)
{
    const double x = a->metric->summary.median, y = b->metric->summary.median;

    return a->metric->better == AM_HIGHER ? x > y : x < y;
}

const struct am_pick *am_picks_best(const struct am_picks *picks)
{
    const struct am_pick *best = NULL;

    for (size_t i = 0; i < picks->n; i++) {
        if (!best || is_better(&picks->items[i], best))
            best = &picks->items[i];
    }
    return best;
}

static int by_x(const void *a, const void *b)
{
    const struct am_pick *const x = a, *const y = b;

    return (x->x > y->x) - (x->x < y->x);
}

/* The pick at the same place, or NULL. */
static struct am_pick *at_place(const struct am_picks *curve, double x)
{
    for (size_t i = 0; i < curve->n; i++) {
        if (!(curve->items[i].x < x) && !(curve->items[i].x > x))
            return &curve->items[i];
    }
    return NULL;
}

struct am_picks am_picks_curve(const struct am_picks *picks, const char *axis, const char **several)
{
    struct am_picks out = room_for(picks->arena, picks->n);

    if (several)
        *several = NULL;
    for (size_t i = 0; out.items && i < picks->n; i++) {
        struct am_pick pick = picks->items[i];
        struct am_pick *there;

        pick.x = am_result_number(pick.result, axis);
        if (!isfinite(pick.x))
            continue;
        there = at_place(&out, pick.x);
        if (there && several) {
            *several = am_picks_differ(picks, axis);
            out.n = 0;
            return out;
        }
        if (!there)
            out.items[out.n++] = pick;
        else if (is_better(&pick, there))
            *there = pick;
    }
    if (out.n)
        qsort(out.items, out.n, sizeof(*out.items), by_x);
    return out;
}
