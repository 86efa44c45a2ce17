/* SPDX-License-Identifier: MIT */
/* What a bench chose and proposed, read for a tuner. */
#include "conductor/tune_candidates.h"

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
