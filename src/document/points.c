/* SPDX-License-Identifier: MIT */
/* What tells points of one bench apart. */
#include "document/points.h"

#include "base/text.h"
#include "document/units.h"

#include <string.h>

enum { VALUE_MAX = 256, LINE_BYTES = 1024 };

static size_t axes_of(const struct am_points *points)
{
    const size_t n = points->first ? points->first->n_params : 0;

    return n < AM_AXES_MAX ? n : AM_AXES_MAX;
}

const char *am_points_text(const struct am_result *result, const char *axis)
{
    for (size_t i = 0; i < result->n_params; i++) {
        if (strcmp(result->params[i].name, axis) == 0)
            return result->params[i].text;
    }
    return "";
}

void am_points_add(struct am_points *points, const struct am_result *result)
{
    points->n++;
    if (!points->first)
        points->first = result;
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];

        points->vary[i] |= strcmp(am_points_text(result, p->name), p->text) != 0;
    }
}

bool am_points_together(const struct am_result *a, const struct am_result *b)
{
    return strcmp(a->bench, b->bench) == 0 && a->n_metrics == b->n_metrics;
}

/* Adds "name=value" to a text, after `between` unless it is the first. */
static void add_pair(char *buf, size_t cap, const char *between, const char *name,
                     const struct am_result_param *axis, const char *text)
{
    const size_t used = strlen(buf);
    char value[VALUE_MAX];

    am_units_param(axis->kind, text, value, sizeof(value));
    (void)am_str_format(buf + used, cap - used, "%s%s=%s", used ? between : "", name, value);
}

void am_points_constants(const struct am_points *points, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];

        if (!points->vary[i])
            add_pair(buf, cap, "  ", p->name, p, p->text);
    }
}

const char *am_points_shared(const struct am_points *points, struct am_arena *arena)
{
    char buf[LINE_BYTES];
    const char *text;

    am_points_constants(points, buf, sizeof(buf));
    text = am_arena_strdup(arena, buf);
    return text ? text : "";
}

void am_points_label(const struct am_points *points, const struct am_result *result, char *buf,
                     size_t cap)
{
    buf[0] = '\0';
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];

        if (points->vary[i])
            add_pair(buf, cap, " ", p->name, p, am_points_text(result, p->name));
    }
}

void am_points_columns(const struct am_points *points, struct am_table *table)
{
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];
        const bool name = p->kind == AM_AXIS_NAME;

        if (points->vary[i])
            am_table_column(table,
                            (struct am_column){.title = p->name, .right = !name, .flow = name});
    }
}

void am_points_cells(const struct am_points *points, const struct am_result *result,
                     struct am_table *table)
{
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];

        if (points->vary[i])
            (void)am_table_param(table, p->kind, am_points_text(result, p->name));
    }
}
