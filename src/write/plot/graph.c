/* SPDX-License-Identifier: MIT */
/* Bars, sparklines and shades. */
#include "write/plot/graph.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { EIGHTHS = 8 };

static void append(char *buf, size_t cap, const char *text)
{
    const size_t used = strlen(buf);

    if (used + strlen(text) < cap)
        (void)am_str_copy(buf + used, cap - used, text);
}

void am_graph_bar(double share, size_t columns, bool utf8, char *buf, size_t cap)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths;

    if (cap == 0)
        return;
    buf[0] = '\0';
    if (!(share > 0) || columns == 0 || columns > AM_GRAPH_COLUMNS_MAX)
        return;
    if (share > 1) {
        for (size_t i = 0; i + 1 < columns; i++)
            append(buf, cap, utf8 ? "█" : "#");
        append(buf, cap, utf8 ? "▶" : ">");
        return;
    }
    eighths = (size_t)lround(share * (double)(columns * EIGHTHS));
    for (size_t i = 0; i < eighths / EIGHTHS; i++)
        append(buf, cap, utf8 ? "█" : "#");
    if (utf8)
        append(buf, cap, parts[eighths % EIGHTHS]);
    else if (eighths % EIGHTHS >= EIGHTHS / 2)
        append(buf, cap, "=");
    if (!*buf)
        append(buf, cap, utf8 ? "▏" : "."); /* little is not nothing */
}

/* The range of the values that are shown; false when there is none. */
static bool range_of(const double *values, size_t n, bool log_scale, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || (log_scale && values[i] <= 0))
            continue;
        *lo = fmin(*lo, values[i]);
        *hi = fmax(*hi, values[i]);
    }
    return *lo <= *hi;
}

static double place(double value, double lo, double hi, bool log_scale)
{
    if (log_scale && value > 0)
        return hi > lo ? log(value / lo) / log(hi / lo) : 1;
    return hi > lo ? (value - lo) / (hi - lo) : 1;
}

void am_graph_spark(const double *values, size_t n, bool log_scale, bool utf8, char *buf,
                    size_t cap)
{
    static const char *const blocks[EIGHTHS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[EIGHTHS] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    double lo, hi;

    if (cap == 0)
        return;
    buf[0] = '\0';
    if (!range_of(values, n, log_scale, &lo, &hi))
        return;
    if (!log_scale && lo >= 0)
        lo = 0; /* heights are to be compared as lengths */
    for (size_t i = 0; i < n && i < AM_GRAPH_COLUMNS_MAX; i++) {
        const bool shown = isfinite(values[i]) && !(log_scale && values[i] <= 0);
        const double share = shown ? place(values[i], lo, hi, log_scale) : 0;
        const long step = lround(share * (EIGHTHS - 1));

        if (!shown)
            append(buf, cap, " ");
        else
            append(buf, cap, utf8 ? blocks[step] : ascii[step]);
    }
}

const char *am_graph_shade(double share, bool utf8)
{
    static const char *const blocks[] = {"··", "░░", "▒▒", "▓▓", "██"};
    static const char *const ascii[] = {"..", "::", "++", "**", "##"};
    const double last = sizeof(blocks) / sizeof(blocks[0]) - 1;
    long step;

    if (!isfinite(share))
        return "  ";
    step = lround(fmin(fmax(share, 0), 1) * last);
    return utf8 ? blocks[step] : ascii[step];
}
