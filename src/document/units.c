/* SPDX-License-Identifier: MIT */
/* Numbers for people, and numbers for programs. */
#include "document/units.h"

#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
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

void am_units_bytes(int64_t bytes, char *buf, size_t cap)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t u = 0;

    for (; bytes != 0 && bytes % 1024 == 0 && u + 1 < sizeof(units) / sizeof(units[0]); u++)
        bytes /= 1024;
    (void)am_str_format(buf, cap, "%lld %s", (long long)bytes, units[u]);
}

static void binary_text(double bytes, char *buf, size_t cap)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    const size_t last = sizeof(units) / sizeof(units[0]) - 1;
    size_t u = 0;

    for (; fabs(bytes) >= 1000 && u < last; u++)
        bytes /= 1024;
    (void)am_str_format(buf, cap, "%.3g %s", bytes, units[u]);
}

void am_units_fact(double value, const char *unit, char *buf, size_t cap)
{
    if (!isfinite(value))
        (void)am_str_copy(buf, cap, "-");
    else if (strcmp(unit, "B") == 0)
        binary_text(value, buf, cap);
    else if (!*unit)
        (void)am_str_format(buf, cap, fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    else
        am_units_value(value, unit, buf, cap);
}

void am_units_share(double share, char *buf, size_t cap)
{
    const double percent = share * 100;

    if (!isfinite(share))
        (void)am_str_copy(buf, cap, "-");
    else
        (void)am_str_format(buf, cap, "%.*f %%",
                            fabs(percent) < 0.095  ? 2
                            : fabs(percent) < 9.95 ? 1
                                                   : 0,
                            percent);
}

void am_units_clock(double seconds, char *buf, size_t cap)
{
    const long total = isfinite(seconds) && seconds > 0 && seconds < 1e9 ? lround(seconds) : 0;

    if (total >= 3600)
        (void)am_str_format(buf, cap, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
    else
        (void)am_str_format(buf, cap, "%ld:%02ld", total / 60, total % 60);
}

void am_units_duration(double seconds, char *buf, size_t cap)
{
    const long total = isfinite(seconds) && seconds > 0 && seconds < 1e9 ? lround(seconds) : 0;

    if (!isfinite(seconds))
        (void)am_str_copy(buf, cap, "-");
    else if (seconds < 9.95)
        (void)am_str_format(buf, cap, "%.1f s", seconds);
    else if (total < 60)
        (void)am_str_format(buf, cap, "%ld s", total);
    else if (total < 3600)
        (void)am_str_format(buf, cap, "%ld min %ld s", total / 60, total % 60);
    else
        (void)am_str_format(buf, cap, "%ld h %ld min", total / 3600, total / 60 % 60);
}

void am_units_param(enum am_axis_kind kind, const char *text, char *buf, size_t cap)
{
    int64_t bytes;

    if (kind == AM_AXIS_SIZE && am_parse_i64(text, strlen(text), &bytes))
        am_units_bytes(bytes, buf, cap);
    else
        (void)am_str_copy(buf, cap, text);
}

void am_units_exact(double value, char *buf, size_t cap)
{
    if (!isfinite(value)) {
        (void)am_str_copy(buf, cap, "null");
        return;
    }
    /* 15 digits always survive a round trip from text, 17 always one from binary */
    for (int digits = 15; digits <= 17; digits++) {
        double back;

        (void)am_str_format(buf, cap, "%.*g", digits, value);
        back = strtod(buf, NULL);
        if (memcmp(&back, &value, sizeof(back)) == 0)
            return;
    }
}

typedef void unit_fn(double value, const char *unit, char *buf, size_t cap);

static void show_known(unit_fn *show, double value, double bound, const char *unit, char *buf,
                       size_t cap)
{
    char text[AM_UNITS_MAX];

    show(isfinite(bound) ? bound : value, unit, text, sizeof(text));
    (void)am_str_format(buf, cap, "%s%s", isfinite(bound) ? "< " : "", text);
}

void am_units_known(double value, double bound, const char *unit, char *buf, size_t cap)
{
    show_known(am_units_value, value, bound, unit, buf, cap);
}

void am_units_known_fact(double value, double bound, const char *unit, char *buf, size_t cap)
{
    show_known(am_units_fact, value, bound, unit, buf, cap);
}
