/* SPDX-License-Identifier: MIT */
/* What a launch tells a tuner: what the bench chose and proposed, and how good a visit was. */
#include "conductor/tune_candidates.h"

#include "conductor/collect.h"
#include "core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct am_value *am_tune_model(const struct am_point *point, const struct am_kvs *chosen,
                                     struct am_arena *arena)
{
    const struct am_axis *const axes = point->bench->axes;
    const size_t n = am_axis_count(axes);
    struct am_value *const model = am_arena_array(arena, n + 1, sizeof(*model));

    for (size_t i = 0; model && i < n; i++) {
        const char *const said = am_kvs_get(chosen, axes[i].name);
        const char *const text = said ? am_arena_strdup(arena, said) : NULL;

        model[i] = point->values[i];
        if (text && am_axis_is_open(&axes[i], &model[i]) &&
            am_value_parse(&axes[i], text, strlen(text), &model[i], NULL) != AM_OK)
            model[i] = point->values[i];
    }
    return model;
}

enum am_status am_tune_candidates(const struct am_axis *axis, const struct am_kvs *proposed,
                                  const struct am_symbol *symbols, struct am_arena *arena,
                                  struct am_values *values, struct am_err *err)
{
    const char *const text = am_kvs_get(proposed, axis->name);
    struct am_values said = {0};
    struct am_err why = {0};
    enum am_status s;
    size_t kept = 0;

    if (!text)
        return AM_OK;
    s = am_axis_parse(axis, text, strlen(text), symbols, arena, &said, &why);
    if (s == AM_E_NOMEM)
        return am_fail(err, s, "no memory for the tuner");
    if (s != AM_OK)
        return am_fail(err, AM_E_PARSE, "what the bench proposes for %s is no candidates: %s",
                       axis->name, why.text);
    for (size_t i = 0; i < said.n; i++) {
        if (!am_axis_is_open(axis, &said.v[i]))
            said.v[kept++] = said.v[i];
    }
    said.n = kept;
    *values = said;
    return AM_OK;
}

static int by_number(const void *x, const void *y)
{
    const struct am_value *const a = x, *const b = y;

    if (a->kind == AM_AXIS_REAL)
        return (a->r > b->r) - (a->r < b->r);
    return (a->i > b->i) - (a->i < b->i);
}

bool am_tune_values(const struct am_values *given, const struct am_value *start,
                    struct am_arena *arena, struct am_values *out)
{
    out->n = 0;
    out->v = am_arena_array(arena, given->n + 1, sizeof(*out->v));
    if (!out->v)
        return false;
    out->v[out->n++] = *start;
    for (size_t i = 0; i < given->n; i++) {
        if (!am_value_same(&given->v[i], start))
            out->v[out->n++] = given->v[i];
    }
    if (start->kind != AM_AXIS_NAME)
        qsort(out->v, out->n, sizeof(*out->v), by_number);
    return true;
}

size_t am_tune_index(const struct am_values *values, const struct am_value *value)
{
    size_t i = 0;

    while (i + 1 < values->n && !am_value_same(&values->v[i], value))
        i++;
    return i;
}

bool am_tune_is_calm(const struct am_visit *v)
{
    for (size_t i = 0; i < v->n_samples; i++) {
        if (v->samples[i].labels == 0)
            return true;
    }
    return false;
}

double am_tune_visit_value(const struct am_visit *v, enum am_better better)
{
    const bool calm = am_tune_is_calm(v);
    double best = NAN;

    if (v->state != AM_POINT_OK)
        return NAN;
    for (size_t i = 0; i < v->n_samples; i++) {
        const double x = v->samples[i].values[0];

        if ((calm && v->samples[i].labels) || !isfinite(x))
            continue;
        if (isnan(best) || (better == AM_HIGHER ? x > best : x < best))
            best = x;
    }
    return best;
}

double am_tune_visit_middle(const struct am_visit *v, size_t metric)
{
    const bool calm = am_tune_is_calm(v);
    double *const values = calloc(v->n_samples + 1, sizeof(*values));
    double middle = NAN;
    size_t n = 0;

    for (size_t i = 0; values && v->state == AM_POINT_OK && i < v->n_samples; i++) {
        const double x = v->samples[i].values[metric];

        if ((!calm || !v->samples[i].labels) && isfinite(x))
            values[n++] = x;
    }
    if (n) {
        am_stats_sort(values, n);
        middle = am_stats_median(values, n);
    }
    free(values);
    return middle;
}

const char *am_tune_why_no_value(const struct am_visit *v, struct am_arena *arena)
{
    const char *why = "";

    for (size_t i = 0; i < v->notes.n && !*why; i++) {
        const struct am_kv *const note = &v->notes.items[i];

        if (strncmp(note->key, AM_SAID_ENERGY, strlen(AM_SAID_ENERGY)) == 0)
            why = note->value;
    }
    why = am_arena_printf(arena, "there is no number to judge by%s%s", *why ? ": " : "", why);
    return why ? why : "there is no number to judge by";
}
