/* SPDX-License-Identifier: MIT */
/* The words of progress. */
#include "cli/run/progress_lines.h"

#include "base/text.h"
#include "document/units.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

enum {
    BAR_LEAST = 8,
    BAR_MOST = 40,
    BESIDE_BAR = 58,  /* columns of the numbers behind it */
    NEIGHBOURS = 512, /* points looked at to learn which axes vary */
    WORDS_LEAST = 16, /* columns that a bench's words have at least */
};

static size_t columns_of(const char *text)
{
    size_t n = 0;

    for (const char *c = text; *c; c++)
        n += ((unsigned char)*c & 0xc0) != 0x80;
    return n;
}

/* Cuts behind so many columns, never inside a character. */
static void cut(char *text, size_t columns)
{
    size_t n = 0;
    char *c = text;

    for (; *c && n < columns; n++) {
        const size_t len = am_utf8_length(c);

        c += len ? len : 1;
    }
    *c = '\0';
}

/* What has no place in a terminal of few characters, in others. */
static void plain(char *text)
{
    static const char *const pairs[][2] = {{"±", "+-"}, {"µ", "u"}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const size_t from = strlen(pairs[i][0]), to = strlen(pairs[i][1]);
        char *at;

        while ((at = strstr(text, pairs[i][0])) != NULL) {
            memcpy(at, pairs[i][1], to);
            memmove(at + to, at + from, strlen(at + from) + 1);
        }
    }
}

/* ---- how far ---- */

static double share_done(const struct am_progress *p)
{
    const double whole = p->elapsed_s + p->eta_s;

    return whole > 0 ? fmin(1, p->elapsed_s / whole) : 1;
}

static void add_bar(struct am_text *t, double share, unsigned columns)
{
    const int room = (int)columns - BESIDE_BAR;
    const int width = room < BAR_LEAST ? BAR_LEAST : room > BAR_MOST ? BAR_MOST : room;
    const int full = (int)(share * width);

    am_text_add(t, "[");
    for (int i = 0; i < width; i++)
        am_text_add(t, i < full ? "#" : "-");
    am_text_add(t, "] ");
}

static void say_far(const struct am_progress *p, unsigned columns, char *buf, size_t cap)
{
    const double share = share_done(p);
    char elapsed[AM_UNITS_MAX], eta[AM_UNITS_MAX], part[AM_UNITS_MAX];
    struct am_text t;

    am_text_init(&t, cap - 1);
    am_units_clock(p->elapsed_s, elapsed, sizeof(elapsed));
    am_units_clock(p->eta_s, eta, sizeof(eta));
    if (columns)
        add_bar(&t, share, columns);
    am_text_addf(&t, "%3d %%, %zu of %zu, %s, %s left", (int)(100 * share), p->visits_done,
                 p->visits_done + p->visits_left, elapsed, eta);
    if (p->samples_disturbed) {
        am_units_share((double)p->samples_disturbed / (double)p->samples, part, sizeof(part));
        am_text_addf(&t, ", %s disturbed", part);
    }
    (void)am_str_copy(buf, cap, am_text_str(&t));
    am_text_fini(&t);
}

/* ---- what ---- */

static bool varies_from(const struct am_point *point, const struct am_point *other, size_t axis)
{
    return other->bench == point->bench &&
           !am_value_same(&point->values[axis], &other->values[axis]);
}

/* Whether points around this one, which stand together in the plan, differ on the axis. */
static bool varies(const struct am_progress *p, size_t axis)
{
    const struct am_point *const from = p->first_point;
    const size_t at = from ? (size_t)(p->point - from) : 0;

    for (size_t i = 1; from && i < NEIGHBOURS; i++) {
        const bool before = at >= i, after = at + i < p->points;

        if ((before && varies_from(p->point, p->point - i, axis)) ||
            (after && varies_from(p->point, p->point + i, axis)))
            return true;
        if (!before && !after)
            break;
    }
    return !from;
}

/* "load latency by a pointer chase, size 256 MiB" */
static void add_words(struct am_text *t, const struct am_progress *p)
{
    const struct am_axis *const axes = p->point->bench->axes;
    const char *const summary = p->point->bench->summary;

    am_text_add(t, summary ? summary : p->point->bench->name);
    for (size_t i = 0; axes && axes[i].name; i++) {
        char value[AM_VALUE_TEXT_MAX], shown[AM_UNITS_MAX];

        if (!varies(p, i))
            continue;
        am_value_text(&p->point->values[i], value, sizeof(value));
        am_units_param(axes[i].kind, value, shown, sizeof(shown));
        am_text_addf(t, ", %s %s", axes[i].name, shown);
    }
}

/* ": 118 ns ±2.1 %, 3 of 5"; a launch that gave no value says so. */
static void say_value(const struct am_progress *p, char *buf, size_t cap)
{
    char value[AM_UNITS_MAX] = "", share[AM_UNITS_MAX] = "";

    if (p->state != AM_POINT_OK) {
        (void)am_str_format(buf, cap, ": %s", p->state == AM_POINT_SKIP ? "skipped" : "failed");
        return;
    }
    if (isfinite(p->value))
        am_units_value(p->value, p->point->bench->metrics[p->metric].unit, value, sizeof(value));
    if (isfinite(p->precision))
        am_units_share(p->precision, share, sizeof(share));
    (void)am_str_format(buf, cap, "%s%s%s%s, %u of %u", *value ? ": " : "", value,
                        *share ? " ±" : "", share, p->visits, p->visits_wanted);
}

static void say_what(const struct am_progress *p, unsigned columns, char *buf, size_t cap)
{
    char tail[3 * AM_UNITS_MAX];
    struct am_text t;
    size_t room;

    am_text_init(&t, cap / 2);
    add_words(&t, p);
    say_value(p, tail, sizeof(tail));
    (void)am_str_copy(buf, cap, am_text_str(&t));
    room = columns > columns_of(tail) + WORDS_LEAST ? columns - columns_of(tail) : WORDS_LEAST;
    if (columns && columns_of(buf) > room) {
        cut(buf, room - 2);
        (void)am_str_copy(buf + strlen(buf), cap - strlen(buf), "..");
    }
    (void)am_str_copy(buf + strlen(buf), cap - strlen(buf), tail);
    am_text_fini(&t);
}

void am_progress_lines(const struct am_progress *p, unsigned columns, bool utf8,
                       struct am_progress_lines *out)
{
    say_far(p, columns, out->far, sizeof(out->far));
    say_what(p, columns, out->what, sizeof(out->what));
    if (!utf8) {
        plain(out->far);
        plain(out->what);
    }
    if (columns) {
        cut(out->far, columns);
        cut(out->what, columns);
    }
}
