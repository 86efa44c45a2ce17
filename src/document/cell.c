/* SPDX-License-Identifier: MIT */
/* Cells as people and as programs read them: the one place where a number becomes text. */
#include "document/document.h"

#include "base/text.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

/* Half a width misleads where one side is several times the other: then both sides are told. */
static const double lopsided_from = 0.05, lopsided_by = 3;

static void show_precision(const struct am_table_cell *c, char *buf, size_t cap)
{
    const bool lopsided = c->lo > lopsided_by * c->hi || c->hi > lopsided_by * c->lo;

    if (isfinite(c->value) && c->value > lopsided_from && lopsided)
        (void)am_str_format(buf, cap, "-%.0f/+%.0f %%", 100 * c->lo, 100 * c->hi);
    else
        am_units_share(c->value, buf, cap);
}

static void show_interval(const struct am_table_cell *c, char *buf, size_t cap)
{
    if (c->value <= 0) /* one launch has no interval */
        (void)am_str_copy(buf, cap, "-");
    else if (c->lo >= c->hi)
        (void)am_str_copy(buf, cap, "exact");
    else
        am_units_between(&(struct am_units_ends){c->lo, c->hi, c->text}, " .. ", buf, cap);
}

static void show_plain(const struct am_table_cell *c, char *buf, size_t cap)
{
    if (!isfinite(c->value))
        (void)am_str_copy(buf, cap, c->form == AM_FORM_COUNT ? "" : "-");
    else if (c->form == AM_FORM_COUNT)
        (void)am_str_format(buf, cap, "%.0f", c->value);
    else if (c->form == AM_FORM_RATIO)
        (void)am_str_format(buf, cap, "%.*f", c->digits, c->value);
    else
        (void)am_str_format(buf, cap, "%.*g", c->digits, c->value);
}

/* The bound of a cell that has nothing but one. */
static double bound_of(const struct am_table_cell *c)
{
    return c->bounded ? c->value : (double)NAN;
}

static void show_fact(const struct am_table_cell *c, char *buf, size_t cap)
{
    if (c->lo < c->hi)
        am_units_between(&(struct am_units_ends){c->lo, c->hi, c->text}, "-", buf, cap);
    else
        am_units_known_fact(c->value, bound_of(c), c->text, buf, cap);
}

/* Binary units as far as whole bytes go; a file may claim more. */
static void show_bytes(double bytes, char *buf, size_t cap)
{
    if (fabs(bytes) < 0x1p62)
        am_units_bytes((int64_t)bytes, buf, cap);
    else
        am_units_value(bytes, "B", buf, cap);
}

const char *am_cell_show(const struct am_table_cell *c, char *buf, size_t cap)
{
    buf[0] = '\0';
    switch (c->form) {
    case AM_FORM_TEXT: return c->text ? c->text : "";
    case AM_FORM_QUANTITY: am_units_known(c->value, bound_of(c), c->text, buf, cap); break;
    case AM_FORM_FACT: show_fact(c, buf, cap); break;
    case AM_FORM_INTERVAL: show_interval(c, buf, cap); break;
    case AM_FORM_PRECISION: show_precision(c, buf, cap); break;
    case AM_FORM_BYTES: show_bytes(c->value, buf, cap); break;
    case AM_FORM_SHARE: am_units_share(c->value, buf, cap); break;
    case AM_FORM_RATIO_INTERVAL:
        (void)am_str_format(buf, cap, isfinite(c->lo) ? "[%.3f, %.3f]" : "-", c->lo, c->hi);
        break;
    case AM_FORM_DURATION: am_units_duration(c->value, buf, cap); break;
    case AM_FORM_BAR: break;
    case AM_FORM_WHOLE: (void)am_str_format(buf, cap, "%llu", (unsigned long long)c->whole); break;
    case AM_FORM_COUNT:
    case AM_FORM_RATIO:
    case AM_FORM_NUMBER: show_plain(c, buf, cap); break;
    }
    return buf;
}

bool am_cell_is_number(const struct am_table_cell *c)
{
    return c->form != AM_FORM_TEXT && c->form != AM_FORM_INTERVAL &&
           c->form != AM_FORM_RATIO_INTERVAL;
}

const char *am_cell_exact(const struct am_table_cell *c, char *buf, size_t cap)
{
    if (!am_cell_is_number(c) || c->form == AM_FORM_WHOLE)
        return am_cell_show(c, buf, cap);
    if (!isfinite(c->value) || c->bounded)
        return "";
    am_units_exact(c->value, buf, cap);
    return buf;
}

enum am_tone am_cell_tone(const struct am_table_cell *c)
{
    return c->grade == AM_GRADE_C ? AM_TONE_MUTED : c->tone;
}
