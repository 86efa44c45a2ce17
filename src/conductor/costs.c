/* SPDX-License-Identifier: MIT */
/* What visits of points took before. */
#include "conductor/costs.h"

#include "base/array.h"
#include "core/protocol/words.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 6, KEY_BYTES = 128 };

static const char head[] = "# archmeter costs 1: machine settings bench version point seconds";
static const double least_s = 1e-5, most_s = 1e5; /* what is beyond was not written by us */

static int by_key(const void *x, const void *y)
{
    const struct am_cost *const a = x, *const b = y;
    int order = strcmp(a->machine, b->machine);

    order = order ? order : strcmp(a->settings, b->settings);
    order = order ? order : strcmp(a->bench, b->bench);
    order = order ? order : (a->version > b->version) - (a->version < b->version);
    return order ? order : strcmp(a->point, b->point);
}

/* Place of the entry, or where it would stand. */
static size_t place_of(const struct am_costs *costs, const struct am_cost *key)
{
    size_t low = 0, high = costs->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (by_key(&costs->items[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct am_cost *find(const struct am_costs *costs, const struct am_cost *key)
{
    const size_t at = place_of(costs, key);

    return at < costs->n && by_key(&costs->items[at], key) == 0 ? &costs->items[at] : NULL;
}

/* Adds an entry, whose texts live in the arena, at its place. */
static void add(struct am_costs *costs, struct am_cost entry)
{
    const size_t at = place_of(costs, &entry);

    if (costs->n >= AM_COSTS_MAX || !AM_ARRAY_ADD(costs->arena, costs->items, costs->n, costs->cap))
        return;
    memmove(costs->items + at + 1, costs->items + at, (costs->n - 1 - at) * sizeof(*costs->items));
    costs->items[at] = entry;
}

/* ---- text ---- */

static bool parse_line(struct am_costs *costs, const char *line, size_t len)
{
    struct am_words w;
    struct am_cost entry;
    struct am_cost *known;
    uint64_t version;

    if (!am_words_split(line, len, &w) || w.n != WORDS ||
        !am_word_dup(w.w[0], costs->arena, &entry.machine) ||
        !am_word_dup(w.w[1], costs->arena, &entry.settings) ||
        !am_word_dup(w.w[2], costs->arena, &entry.bench) || !am_word_u64(w.w[3], &version) ||
        !am_word_dup(w.w[4], costs->arena, &entry.point) || !am_word_f64(w.w[5], &entry.seconds))
        return false;
    if (!entry.machine || !entry.settings || !entry.bench || !entry.point || version > UINT32_MAX ||
        !(entry.seconds >= least_s && entry.seconds <= most_s))
        return false;
    entry.version = (unsigned)version;
    known = find(costs, &entry);
    if (known)
        known->seconds = entry.seconds;
    else
        add(costs, entry);
    return true;
}

size_t am_costs_parse(struct am_costs *costs, const char *text, size_t len)
{
    const char *line;
    size_t line_len, passed_over = 0;

    while (am_line_next(&text, &len, &line, &line_len)) {
        if (line_len && line[0] != '#')
            passed_over += !parse_line(costs, line, line_len);
    }
    return passed_over;
}

void am_costs_write(const struct am_costs *costs, struct am_text *out)
{
    am_text_addf(out, "%s\n", head);
    for (size_t i = 0; i < costs->n; i++) {
        const struct am_cost *const c = &costs->items[i];

        am_word_encode(out, c->machine);
        am_word_add(out, c->settings);
        am_word_add(out, c->bench);
        am_text_addf(out, " %u", c->version);
        am_word_add(out, *c->point ? c->point : "");
        am_text_addf(out, " %.4g\n", c->seconds);
    }
}

/* ---- plans ---- */

/* What decides, beside the point, how long a visit takes. */
static void settings_text(const struct am_plan_settings *s, char *buf, size_t cap)
{
    (void)am_str_format(buf, cap, "%llu/%llu/%u/%u/%u", (unsigned long long)s->sampler.min_batch_ns,
                        (unsigned long long)s->sampler.max_point_ns, s->sampler.warmup,
                        s->sampler.samples, s->sampler.extra);
}

/* Mean of the bench's points; 0 when none is known. The key's point is "". */
static double mean_of_bench(const struct am_costs *costs, const struct am_cost *key)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = place_of(costs, key); i < costs->n; i++) {
        const struct am_cost *const c = &costs->items[i];

        if (strcmp(c->machine, key->machine) != 0 || strcmp(c->settings, key->settings) != 0 ||
            strcmp(c->bench, key->bench) != 0 || c->version != key->version)
            break;
        sum += c->seconds;
        n++;
    }
    return n ? sum / (double)n : 0;
}

size_t am_costs_apply(const struct am_costs *costs, const char *machine, struct am_plan *plan)
{
    char settings[KEY_BYTES], text[AM_POINT_TEXT_MAX];
    const struct am_bench *bench = NULL;
    double mean = 0;
    size_t known = 0;

    settings_text(&plan->settings, settings, sizeof(settings));
    for (size_t i = 0; i < plan->n; i++) {
        struct am_point *const point = &plan->points[i];
        struct am_cost key = {machine, settings, point->bench->name, "", point->bench->version, 0};
        const struct am_cost *entry;

        if (point->bench != bench)
            mean = mean_of_bench(costs, &key);
        bench = point->bench;
        am_point_text(point, text, sizeof(text));
        key.point = text;
        entry = find(costs, &key);
        known += entry != NULL;
        if (entry || mean > 0)
            point->expect_s = entry ? entry->seconds : mean;
    }
    return known;
}

static void forget_others(struct am_costs *costs, const char *machine)
{
    size_t kept = 0;

    for (size_t i = 0; i < costs->n; i++) {
        if (strcmp(costs->items[i].machine, machine) == 0)
            costs->items[kept++] = costs->items[i];
    }
    costs->n = kept;
}

void am_costs_learn(struct am_costs *costs, const char *machine, const struct am_plan *plan)
{
    char settings[KEY_BYTES], text[AM_POINT_TEXT_MAX];

    settings_text(&plan->settings, settings, sizeof(settings));
    if (costs->n + plan->n > AM_COSTS_MAX)
        forget_others(costs, machine);
    for (size_t i = 0; i < plan->n; i++) {
        const struct am_point *const point = &plan->points[i];
        struct am_cost entry = {
            machine, settings, point->bench->name, text, point->bench->version, point->took_s};
        struct am_cost *known;

        if (!(point->took_s >= least_s && point->took_s <= most_s))
            continue;
        am_point_text(point, text, sizeof(text));
        known = find(costs, &entry);
        if (known) {
            known->seconds = (known->seconds + point->took_s) / 2;
            continue;
        }
        entry.machine = am_arena_strdup(costs->arena, machine);
        entry.settings = am_arena_strdup(costs->arena, settings);
        entry.point = am_arena_strdup(costs->arena, text);
        if (entry.machine && entry.settings && entry.point)
            add(costs, entry);
    }
}
