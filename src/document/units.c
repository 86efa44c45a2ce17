/* SPDX-License-Identifier: MIT */
/* Numbers for people, and numbers for programs. */
#include "document/units.h"

#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void am_units_bytes(int64_t bytes, char *buf, size_t cap)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t u = 0;

    for (; bytes != 0 && bytes % 1024 == 0 && u + 1 < sizeof(units) / sizeof(units[0]); u++)
        bytes /= 1024;
    (void)am_str_format(buf, cap, "%lld %s", (long long)bytes, units[u]);
}

static const char *const binary_units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

static size_t binary_unit(double bytes)
{
    const size_t last = sizeof(binary_units) / sizeof(binary_units[0]) - 1;
    size_t u = 0;

    for (; fabs(bytes) >= 1000 && u < last; u++)
        bytes /= 1024;
    return u;
}

static void binary_text(double bytes, size_t unit, char *buf, size_t cap)
{
    (void)am_str_format(buf, cap, "%.3g %s", ldexp(bytes, -10 * (int)unit), binary_units[unit]);
}

void am_units_fact(double value, const char *unit, char *buf, size_t cap)
{
    if (!isfinite(value))
        (void)am_str_copy(buf, cap, "-");
    else if (strcmp(unit, "B") == 0)
        binary_text(value, binary_unit(value), buf, cap);
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

void am_units_between(const struct am_units_ends *ends, const char *mark, char *buf, size_t cap)
{
    char lo[AM_UNITS_MAX], hi[AM_UNITS_MAX];
    const char *of_hi;
    char *of_lo;

    am_units_fact(ends->lo, ends->unit, lo, sizeof(lo));
    am_units_fact(ends->hi, ends->unit, hi, sizeof(hi));
    if (strcmp(ends->unit, "B") == 0 && ends->lo <= ends->hi && ends->lo >= ends->hi / 4)
        binary_text(ends->lo, binary_unit(ends->hi), lo, sizeof(lo));
    of_lo = strchr(lo, ' ');
    of_hi = strchr(hi, ' ');
    if (of_lo && of_hi && strcmp(of_lo, of_hi) == 0)
        *of_lo = '\0';
    (void)am_str_format(buf, cap, "%s%s%s", lo, mark, hi);
}
