/* SPDX-License-Identifier: MIT */
/* Literals for the tree that programs read. */
#include "document/data.h"

#include "base/text.h"
#include "core/bench/axis.h"
#include "document/units.h"

#include <string.h>

void am_data_object(struct am_data *d, const char *key)
{
    d->open(d, key, '{');
}

void am_data_object_end(struct am_data *d)
{
    d->close(d, '}');
}

void am_data_array(struct am_data *d, const char *key)
{
    d->open(d, key, '[');
}

void am_data_array_end(struct am_data *d)
{
    d->close(d, ']');
}

void am_data_text(struct am_data *d, const char *key, const char *text)
{
    if (text)
        d->text(d, key, text);
    else
        d->literal(d, key, "null");
}

void am_data_number(struct am_data *d, const char *key, double value)
{
    char text[AM_UNITS_MAX];

    am_units_exact(value, text, sizeof(text));
    d->literal(d, key, text);
}

void am_data_integer(struct am_data *d, const char *key, int64_t value)
{
    char text[AM_UNITS_MAX];

    (void)am_str_format(text, sizeof(text), "%lld", (long long)value);
    d->literal(d, key, text);
}

void am_data_unsigned(struct am_data *d, const char *key, uint64_t value)
{
    char text[AM_UNITS_MAX];

    (void)am_str_format(text, sizeof(text), "%llu", (unsigned long long)value);
    d->literal(d, key, text);
}

void am_data_bool(struct am_data *d, const char *key, bool value)
{
    d->literal(d, key, value ? "true" : "false");
}

void am_data_value(struct am_data *d, const char *key, const struct am_value *value)
{
    if (value->kind == AM_AXIS_NAME)
        am_data_text(d, key, value->name);
    else if (value->kind == AM_AXIS_REAL)
        am_data_number(d, key, value->r);
    else
        am_data_integer(d, key, value->i);
}

void am_data_range(struct am_data *d, const char *key, double lo, double hi)
{
    am_data_array(d, key);
    am_data_number(d, NULL, lo);
    am_data_number(d, NULL, hi);
    am_data_array_end(d);
}

/* Only what reads back as the same text is a number: "007", "1e3" and "6.10" are names. */
void am_data_guess(struct am_data *d, const char *key, const char *text)
{
    char back[AM_UNITS_MAX] = "";
    double value;

    if (text && am_parse_f64(text, strlen(text), &value))
        am_units_exact(value, back, sizeof(back));
    if (*back && strcmp(back, text) == 0)
        d->literal(d, key, text);
    else
        am_data_text(d, key, text);
}
