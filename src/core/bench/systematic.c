/* SPDX-License-Identifier: MIT */
/* Systematic uncertainty of a metric: its sources, their sizes and their written form. */
#include "core/bench/systematic.h"

#include "base/clock.h"

#include <string.h>

bool am_unit_has_cycles(const char *unit)
{
    return strstr(unit, "cycle") != NULL;
}

bool am_unit_is_timed(const char *unit)
{
    const size_t n = strlen(unit);

    return strcmp(unit, "s") == 0 || (n >= 2 && strcmp(unit + n - 2, "/s") == 0) ||
           am_unit_has_cycles(unit);
}

const struct am_systematic *am_systematic_find(const struct am_systematic *table,
                                               const char *metric)
{
    for (; table && table->metric; table++) {
        if (strcmp(table->metric, metric) == 0)
            return table;
    }
    return NULL;
}

double am_systematic_share(const struct am_systematic *s, const char *unit,
                           const struct am_timing *timing)
{
    const double reading = s->clock_counts ? 0 : timing->reading_s;
    const double pieces = s->pieces ? s->pieces : 1;
    double share = s->selection + s->loop;

    if (!am_unit_is_timed(unit) || !(timing->batch_s > 0))
        return 0;
    share += pieces * (timing->step_s + reading) / timing->batch_s;
    if (am_unit_has_cycles(unit))
        share += (timing->step_s + timing->reading_s) / am_clock_probe_s(timing->hz);
    return s->difference ? 2 * share : share;
}

/* ---- written form ---- */

static void add_number(struct am_text *out, const char *key, double value)
{
    if (value > 0)
        am_text_addf(out, "%s%s=%.6g", out->len ? " " : "", key, value);
}

static void add_flag(struct am_text *out, const char *key, bool holds)
{
    if (holds)
        am_text_addf(out, "%s%s", out->len ? " " : "", key);
}

void am_systematic_write(const struct am_systematic *s, struct am_text *out)
{
    add_number(out, "pieces", s->pieces);
    add_number(out, "selection", s->selection);
    add_number(out, "loop", s->loop);
    if (s->difference)
        am_text_addf(out, "%sdifference=%s", out->len ? " " : "", s->difference);
    add_flag(out, "clock_counts", s->clock_counts);
    add_flag(out, "standard", s->standard);
}

/* The value of "key=value", NULL when the word has another key. */
static const char *value_of(const char *word, size_t len, const char *key, size_t *n)
{
    const size_t k = strlen(key);

    if (len <= k + 1 || strncmp(word, key, k) != 0 || word[k] != '=')
        return NULL;
    *n = len - k - 1;
    return word + k + 1;
}

static bool is_word(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && strncmp(word, name, len) == 0;
}

static bool parse_number(const char *word, size_t len, struct am_systematic *out)
{
    double pieces = -1;
    const struct {
        const char *key;
        double *to, most;
    } numbers[] = {
        {"pieces", &pieces, 1e6}, {"selection", &out->selection, 1}, {"loop", &out->loop, 1}};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        size_t n;
        const char *const value = value_of(word, len, numbers[i].key, &n);

        if (!value)
            continue;
        if (!am_parse_f64(value, n, numbers[i].to) ||
            !(*numbers[i].to >= 0 && *numbers[i].to <= numbers[i].most))
            return false;
        if (pieces >= 0)
            out->pieces = (unsigned)pieces;
        return true;
    }
    return false;
}

static bool parse_word(const char *word, size_t len, struct am_arena *arena,
                       struct am_systematic *out)
{
    size_t n;
    const char *const of = value_of(word, len, "difference", &n);

    if (of) {
        out->difference = am_arena_strndup(arena, of, n);
        return out->difference != NULL;
    }
    if (is_word(word, len, "clock_counts"))
        return out->clock_counts = true;
    if (is_word(word, len, "standard"))
        return out->standard = true;
    return parse_number(word, len, out);
}

bool am_systematic_parse(const char *text, struct am_arena *arena, struct am_systematic *out)
{
    *out = (struct am_systematic){0};
    while (*text) {
        const size_t len = strcspn(text, " ");

        if (!parse_word(text, len, arena, out))
            return false;
        text += len;
        text += strspn(text, " ");
    }
    return true;
}
