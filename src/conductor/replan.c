/* SPDX-License-Identifier: MIT */
/* From the text of a stored point to a point that can be measured. */
#include "conductor/replan.h"

#include "conductor/sides.h"

#include <string.h>

/* The stored text of one axis inside "size=4096 pattern=random". */
static bool stored_value(const char *text, const char *axis, const char **value, size_t *len)
{
    const size_t name = strlen(axis);

    while (*text) {
        const size_t word = strcspn(text, " ");

        if (word > name && strncmp(text, axis, name) == 0 && text[name] == '=') {
            *value = text + name + 1;
            *len = word - name - 1;
            return true;
        }
        text += word + strspn(text + word, " ");
    }
    return false;
}

static enum am_status read_value(const struct am_bench *bench, const struct am_axis *axis,
                                 const char *text, struct am_arena *arena, struct am_value *out,
                                 struct am_err *err)
{
    const char *value = axis->dflt;
    size_t len = value ? strlen(value) : 0;

    if (!stored_value(text, axis->name, &value, &len) && !axis->of_plan)
        return am_fail(err, AM_E_STORE, "%s %s: the stored point has no axis %s", bench->name, text,
                       axis->name);
    value = am_arena_strndup(arena, value, len); /* a free name stays where it is parsed */
    if (!value)
        return am_fail(err, AM_E_NOMEM, "no memory for the stored plan");
    return am_value_parse(axis, value, len, out, err) == AM_OK ? AM_OK : AM_E_STORE;
}

/* Read back as it was written, but for axes of the plan that it lacked: they are the last ones. */
static bool reads_back(const struct am_point *point, const char *stored)
{
    const size_t len = strlen(stored);
    char text[AM_POINT_TEXT_MAX];

    am_point_text(point, text, sizeof(text));
    return strncmp(text, stored, len) == 0 && (len == 0 || text[len] == '\0' || text[len] == ' ');
}

enum am_status am_replan_point(const struct am_catalogue *catalogue,
                               const struct am_stored_point *stored, struct am_arena *arena,
                               struct am_point *point, struct am_err *err)
{
    const struct am_bench *const bench =
        am_catalogue_find(catalogue, stored->worker, stored->bench);
    static const char hint[] =
        "; it has two sides: give --against-build or --against-env as when it was begun";
    const char *side;
    struct am_value *values;
    enum am_status status = AM_OK;
    size_t len;

    if (!bench)
        return am_fail(err, AM_E_ABSENT,
                       "bench %s of worker %s, in the stored plan, is not available now%s",
                       stored->bench, stored->worker, strchr(stored->worker, '@') ? hint : "");
    if (bench->version != stored->version)
        return am_fail(err, AM_E_ABSENT,
                       "bench %s is version %u now, the stored plan has version %u: results "
                       "would not be comparable",
                       bench->name, bench->version, stored->version);
    if (stored_value(stored->text, AM_SIDE_AXIS, &side, &len) &&
        am_axis_find(bench->axes, AM_SIDE_AXIS) < 0)
        return am_fail(err, AM_E_ABSENT, "%s %s of the stored plan is not available now%s",
                       stored->bench, stored->text, hint);
    values = am_arena_array(arena, am_axis_count(bench->axes) + 1, sizeof(*values));
    if (!values)
        return am_fail(err, AM_E_NOMEM, "no memory for the stored plan");
    for (size_t i = 0; bench->axes[i].name && status == AM_OK; i++)
        status = read_value(bench, &bench->axes[i], stored->text, arena, &values[i], err);
    if (status != AM_OK)
        return status;
    *point = (struct am_point){.bench = bench, .values = values};
    if (!reads_back(point, stored->text))
        return am_fail(err, AM_E_STORE, "%s: the stored point \"%s\" reads back as another",
                       bench->name, stored->text);
    return AM_OK;
}
