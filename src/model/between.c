/* SPDX-License-Identifier: MIT */
/* One run compared with itself: the points that differ in one axis only. */
#include "model/between.h"

#include "base/text.h"
#include "evidence/evidence.h"

#include <string.h>

enum { VALUES_MAX = 64, LIST_CAP = 256 };

/* A copy without the parameter at `without`: params and text. */
static bool copy_without(const struct am_result *r, size_t without, struct am_arena *arena,
                         struct am_result *out)
{
    struct am_result_param *params = am_arena_array(arena, r->n_params + 1, sizeof(*params));
    struct am_text text;
    size_t n = 0;

    am_text_init(&text, AM_POINT_TEXT_MAX);
    for (size_t i = 0; params && i < r->n_params; i++) {
        if (i == without)
            continue;
        am_text_addf(&text, "%s%s=%s", n ? " " : "", r->params[i].name, r->params[i].text);
        params[n++] = r->params[i];
    }
    *out = *r;
    out->worker = "";
    out->params = params;
    out->n_params = n;
    out->text = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return params && out->text;
}

/* The values an axis has in the set, for a message. */
static void list_values(const struct am_result_set *set, const char *axis, const char **values,
                        size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result_param *const p = am_result_param(&set->results[i], axis);
        size_t k = 0;

        while (p && k < *n && strcmp(values[k], p->text) != 0)
            k++;
        if (p && k == *n && *n < VALUES_MAX)
            values[(*n)++] = p->text;
    }
}

static enum am_status no_such_value(const struct am_result_set *set, const char *axis,
                                    const char *value, struct am_err *err)
{
    const char *values[VALUES_MAX];
    char list[LIST_CAP] = "";
    size_t n, used = 0;

    list_values(set, axis, values, &n);
    if (n == 0)
        return am_fail(err, AM_E_USAGE, "no point of this run has an axis \"%s\"", axis);
    for (size_t i = 0; i < n; i++) {
        (void)am_str_format(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", values[i]);
        used = strlen(list);
    }
    return am_fail(err, AM_E_USAGE, "no point of this run has %s=%s (there are %s)", axis, value,
                   list);
}

enum am_status am_results_where(const struct am_result_set *set, const char *axis,
                                const char *value, struct am_arena *arena,
                                struct am_result_set *out, struct am_err *err)
{
    *out = *set;
    out->n = 0;
    out->results = am_arena_array(arena, set->n + 1, sizeof(*out->results));
    if (!out->results)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu results", set->n);
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const struct am_result_param *const p = am_result_param(r, axis);

        if (!p || !am_result_is(r, axis, value))
            continue;
        if (!copy_without(r, (size_t)(p - r->params), arena, &out->results[out->n++]))
            return am_fail(err, AM_E_NOMEM, "no memory for %zu results", set->n);
    }
    return out->n ? AM_OK : no_such_value(set, axis, value, err);
}
