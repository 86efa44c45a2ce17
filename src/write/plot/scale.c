/* SPDX-License-Identifier: MIT */
/* Scales: where a value lies, and which round values are written at an axis. */
#include "base/text.h"
#include "write/plot/plot.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

double am_plot_place(enum am_scale scale, double lo, double hi, double value)
{
    const bool logarithmic = scale == AM_SCALE_LOG2 || scale == AM_SCALE_LOG10;

    if (!isfinite(value) || !(hi > lo) || (logarithmic && !(value > 0 && lo > 0)))
        return NAN;
    if (logarithmic)
        return log(value / lo) / log(hi / lo);
    return (value - lo) / (hi - lo);
}

/* 1, 2 or 5 times a power of ten, not below `rough`. */
static double nice_step(double rough)
{
    static const double steps[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(rough)));
    size_t i = 0;

    while (i < 3 && steps[i] * power < rough * (1 - 1e-9))
        i++;
    return steps[i] * power;
}

static void binary_label(double bytes, char *buf, size_t cap)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    const size_t last = sizeof(units) / sizeof(units[0]) - 1;
    size_t u = 0;

    for (; fabs(bytes) >= 1024 && u < last; u++)
        bytes /= 1024;
    (void)am_str_format(buf, cap, "%.3g %s", bytes, units[u]);
}

static void add_tick(struct am_ticks *t, double value, const char *label)
{
    if (t->n == AM_PLOT_TICKS_MAX)
        return;
    t->at[t->n] = value;
    (void)am_str_copy(t->label[t->n], AM_PLOT_LABEL_MAX, label);
    t->n++;
}

/* Whether labels can carry the unit: those of units that take no prefix leave it to the title. */
static bool unit_scales(const char *unit)
{
    char scaled[AM_UNITS_MAX];

    return am_units_prefix(1e-5, unit, scaled, sizeof(scaled)) < 1;
}

/* A label with a unit of its own: "10 ns", "64 KiB". */
static void add_own(struct am_ticks *t, const struct am_plot_axis *axis, double value)
{
    char text[AM_PLOT_LABEL_MAX], unit[AM_UNITS_MAX];

    if (axis->binary) {
        binary_label(value, text, sizeof(text));
    } else if (unit_scales(axis->unit)) {
        const double factor = am_units_prefix(value, axis->unit, unit, sizeof(unit));

        (void)am_str_format(text, sizeof(text), "%.3g %s", value / factor, unit);
    } else {
        (void)am_str_format(text, sizeof(text), fabs(value) < 1e6 ? "%.7g" : "%.3g", value);
    }
    add_tick(t, value, text);
}

static void linear_ticks(const struct am_plot_axis *axis, size_t wanted, struct am_ticks *t)
{
    const double span = axis->hi - axis->lo;
    const double largest = fmax(fabs(axis->lo), fabs(axis->hi));
    const double unit = axis->binary
                            ? exp2(10 * floor(log2(fmax(largest, 1)) / 10))
                            : am_units_prefix(largest, axis->unit, t->unit, sizeof(t->unit));
    const double fine = nice_step(span / unit / (double)wanted);
    const double step = axis->whole ? fmax(fine, 1) : fine;
    const double first = ceil(axis->lo / unit / step - 1e-9);

    for (unsigned k = 0; (first + k) * step <= axis->hi / unit + step * 1e-9; k++) {
        const double i = first + k;
        char text[AM_PLOT_LABEL_MAX];

        if (axis->binary) {
            add_own(t, axis, i * step * unit);
            continue;
        }
        (void)am_str_format(text, sizeof(text), "%.6g", i * step + 0.0);
        add_tick(t, i * step * unit, text);
    }
}

/* 1, 10, 100, ...; 1, 2, 5, 10, ... where those are few. */
static void decimal_ticks(const struct am_plot_axis *axis, size_t wanted, struct am_ticks *t)
{
    static const double parts[] = {1, 2, 5};
    const double decades = log10(axis->hi / axis->lo);
    const size_t used = decades * 3 + 1 <= (double)wanted ? 3 : 1;
    const int stride = used == 3 ? 1 : (int)ceil((decades - 1e-9) / (double)wanted);
    const int first = (int)floor(log10(axis->lo));

    for (int e = first; e <= (int)ceil(log10(axis->hi)); e++) {
        if ((e - first) % (stride ? stride : 1) != 0)
            continue;
        for (size_t i = 0; i < used; i++) {
            const double value = parts[i] * pow(10, e);

            if (value >= axis->lo * (1 - 1e-9) && value <= axis->hi * (1 + 1e-9))
                add_own(t, axis, value);
        }
    }
}

static void binary_ticks(const struct am_plot_axis *axis, size_t wanted, struct am_ticks *t)
{
    const int first = (int)ceil(log2(axis->lo) - 1e-9), last = (int)floor(log2(axis->hi) + 1e-9);
    int stride = 1;

    while ((last - first) / stride + 1 > (int)wanted)
        stride++;
    for (int e = first; e <= last; e += stride)
        add_own(t, axis, exp2(e));
}

static void name_ticks(const struct am_plot_axis *axis, struct am_ticks *t)
{
    const size_t stride = axis->n_names / AM_PLOT_TICKS_MAX + 1;

    for (size_t i = 0; i < axis->n_names; i += stride)
        add_tick(t, (double)i, axis->names[i]);
}

void am_plot_ticks(const struct am_plot_axis *axis, size_t wanted, struct am_ticks *t)
{
    const bool logarithmic = axis->scale == AM_SCALE_LOG2 || axis->scale == AM_SCALE_LOG10;

    *t = (struct am_ticks){0};
    if (axis->scale == AM_SCALE_NAMES) {
        name_ticks(axis, t);
        return;
    }
    if (!(axis->hi > axis->lo) || (logarithmic && !(axis->lo > 0)))
        return;
    if (axis->scale == AM_SCALE_LOG10)
        decimal_ticks(axis, wanted, t);
    else if (axis->scale == AM_SCALE_LOG2)
        binary_ticks(axis, wanted, t);
    /* a narrow range holds no round powers */
    if (t->n < 2) {
        t->n = 0;
        linear_ticks(axis, wanted, t);
    } else if (!axis->binary && !unit_scales(axis->unit)) {
        (void)am_str_copy(t->unit, sizeof(t->unit), axis->unit);
    }
}
