/* SPDX-License-Identifier: MIT */
/* Axes: canonical values and tables of axes. The users' syntax is read in axis_parse.c. */
#include "core/bench/axis.h"

#include "base/text.h"

#include <string.h>

size_t am_axis_count(const struct am_axis *axes)
{
    size_t n = 0;

    while (axes && axes[n].name)
        n++;
    return n;
}

int am_axis_find(const struct am_axis *axes, const char *name)
{
    for (int i = 0; axes && axes[i].name; i++) {
        if (strcmp(axes[i].name, name) == 0)
            return i;
    }
    return -1;
}

bool am_axis_is_open(const struct am_axis *axis, const struct am_value *value)
{
    if (!axis->tune)
        return false;
    switch (value->kind) {
    case AM_AXIS_INT:
    case AM_AXIS_SIZE: return value->i == 0;
    case AM_AXIS_REAL: return !(value->r < 0) && !(value->r > 0);
    case AM_AXIS_NAME: return strcmp(value->name, "auto") == 0;
    }
    return false;
}

const char *am_axis_why_not(const struct am_axis *axis, size_t choice)
{
    if (axis->reasons)
        return axis->reasons[choice];
    return axis->why_not ? axis->why_not(axis->choices[choice]) : NULL;
}

const char *am_axis_elsewhere(const struct am_axis *axis, size_t choice)
{
    return axis->elsewhere ? axis->elsewhere[choice] : NULL;
}

bool am_value_same(const struct am_value *a, const struct am_value *b)
{
    switch (a->kind) {
    case AM_AXIS_INT:
    case AM_AXIS_SIZE: return a->i == b->i;
    case AM_AXIS_REAL: return !(a->r < b->r) && !(a->r > b->r);
    case AM_AXIS_NAME: return strcmp(a->name, b->name) == 0;
    }
    return false;
}

/* 15 digits are enough for what people write, 17 for any double. */
static void real_text(double r, char *buf, size_t cap)
{
    double back;

    for (int digits = 15; digits <= 17; digits++) {
        (void)am_str_format(buf, cap, "%.*g", digits, r);
        if (am_parse_f64(buf, strlen(buf), &back) && !(back < r) && !(back > r))
            return;
    }
}

void am_value_text(const struct am_value *value, char *buf, size_t cap)
{
    switch (value->kind) {
    case AM_AXIS_INT:
    case AM_AXIS_SIZE: (void)am_str_format(buf, cap, "%lld", (long long)value->i); return;
    case AM_AXIS_REAL: real_text(value->r, buf, cap); return;
    case AM_AXIS_NAME: (void)am_str_copy(buf, cap, value->name); return;
    }
}

static enum am_status name_value(const struct am_axis *axis, const char *text, size_t len,
                                 struct am_value *out, struct am_err *err)
{
    *out = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = text};
    if (!axis->choices && len > 0 && len < AM_VALUE_TEXT_MAX)
        return AM_OK;
    for (int64_t i = 0; axis->choices && axis->choices[i]; i++) {
        if (strlen(axis->choices[i]) == len && memcmp(axis->choices[i], text, len) == 0) {
            out->i = i;
            out->name = axis->choices[i];
            return AM_OK;
        }
    }
    return am_fail(err, AM_E_PARSE, "%s: \"%.*s\" is none of its values", axis->name,
                   len < AM_VALUE_TEXT_MAX ? (int)len : AM_VALUE_TEXT_MAX, text);
}

enum am_status am_value_parse(const struct am_axis *axis, const char *text, size_t len,
                              struct am_value *out, struct am_err *err)
{
    bool good;

    if (axis->kind == AM_AXIS_NAME)
        return name_value(axis, text, len, out, err);
    *out = (struct am_value){.kind = axis->kind};
    if (axis->kind == AM_AXIS_REAL)
        good = am_parse_f64(text, len, &out->r);
    else
        good = am_parse_i64(text, len, &out->i);
    if (good)
        return AM_OK;
    return am_fail(err, AM_E_PARSE, "%s: \"%.*s\" is not a number", axis->name,
                   len < AM_VALUE_TEXT_MAX ? (int)len : AM_VALUE_TEXT_MAX, text);
}
