/* SPDX-License-Identifier: MIT */
/* Quantities as text. */
#include "base/units.h"

#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Units that take an SI prefix; all others count something and are written as they are. */
static bool takes_prefix(const char *unit)
{
    static const char *const scaled[] = {
        "s", "B/s",  "flop/s", "op/s",  "1/s",    "Hz",  "J",        "W",
        "B", "J/op", "J.s",    "J.s^2", "flop/J", "J/B", "J.s/nm^s", "J.s^2/nm^(s+1)"};

    for (size_t i = 0; i < sizeof(scaled) / sizeof(scaled[0]); i++) {
        if (strcmp(scaled[i], unit) == 0)
            return true;
    }
    return false;
}

/* Three significant digits without an exponent, also where rounding reaches the next power. */
static void three_digits(double v, char *buf, size_t cap)
{
    const double a = fabs(v);

    (void)am_str_format(buf, cap, "%.*f", a < 9.995 ? 2 : a < 99.95 ? 1 : 0, v);
}

double am_units_prefix(double value, const char *unit, char *scaled, size_t cap)
{
    static const struct {
        const char *text;
        double factor;
    } prefixes[] = {{"q", 1e-30}, {"r", 1e-27}, {"y", 1e-24}, {"z", 1e-21}, {"a", 1e-18},
                    {"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9},  {"µ", 1e-6},  {"m", 1e-3},
                    {"", 1},      {"k", 1e3},   {"M", 1e6},   {"G", 1e9},   {"T", 1e12},
                    {"P", 1e15},  {"E", 1e18}};
    const size_t unity = 10, last = sizeof(prefixes) / sizeof(prefixes[0]) - 1;
    const double a = fabs(value);
    size_t p = unity;

    if (!takes_prefix(unit)) {
        (void)am_str_copy(scaled, cap, unit);
        return 1;
    }
    /* 999.5 is shown as 1000 */
    while (isfinite(a) && a / prefixes[p].factor >= 999.5 && p < last)
        p++;
    while (a > 0 && a / prefixes[p].factor < 0.9995 && p > 0)
        p--;
    /* "1/s" has no place for a prefix of its own */
    if (strcmp(unit, "1/s") == 0)
        (void)am_str_format(scaled, cap, "%s/s", prefixes[p].text);
    else
        (void)am_str_format(scaled, cap, "%s%s", prefixes[p].text, unit);
    return prefixes[p].factor;
}

void am_units_value(double value, const char *unit, char *buf, size_t cap)
{
    char digits[AM_UNITS_MAX], scaled[AM_UNITS_MAX];
    double factor;

    if (!isfinite(value)) {
        (void)am_str_copy(buf, cap, "-");
        return;
    }
    factor = am_units_prefix(value, unit, scaled, sizeof(scaled));
    if (takes_prefix(unit) || (fabs(value) < 1e6 && !(fabs(value) > 0 && fabs(value) < 0.005)))
        three_digits(value / factor, digits, sizeof(digits));
    else
        (void)am_str_format(digits, sizeof(digits), "%.3g", value);
    (void)am_str_format(buf, cap, "%s%s%s", digits, *scaled ? " " : "", scaled);
}

const char *am_units_text(double value, const char *unit, struct am_arena *arena)
{
    char buf[AM_UNITS_MAX];
    const char *copy;

    am_units_value(value, unit, buf, sizeof(buf));
    copy = am_arena_strdup(arena, buf);
    return copy ? copy : "";
}
