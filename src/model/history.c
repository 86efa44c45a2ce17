/* SPDX-License-Identifier: MIT */
/* Lines over runs, and their changes. */
#include "model/history.h"

#include "base/array.h"
#include "base/text.h"
#include "core/stats/divisive.h"
#include "evidence/select.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_BYTES = 512, DIFFERENCES_SHOWN = 3, FINGERPRINT_LEAST = 32, FINGERPRINT_SHOWN = 12 };

/* ---- runs ---- */

static const char *start_of(const struct am_history_run *run)
{
    return run->set->run.started ? run->set->run.started : "";
}

static int by_start(const void *x, const void *y)
{
    const struct am_history_run *const a = x, *const b = y;
    const int order = strcmp(start_of(a), start_of(b));

    return order ? order : strcmp(a->path, b->path);
}

/* How much of a value a person wants to see: of a fingerprint, its beginning. */
static int shown_of(const char *value)
{
    const size_t n = strlen(value);

    return n >= FINGERPRINT_LEAST && strspn(value, "0123456789abcdef") == n ? FINGERPRINT_SHOWN
                                                                            : (int)n;
}

/* "cores: 2 -> 16, model_name: ..."; NULL when nothing differs. */
static const char *differences(const struct am_kvs *a, const struct am_kvs *b,
                               struct am_arena *arena)
{
    struct am_text text;
    const char *copy = NULL;
    size_t n = 0;

    am_text_init(&text, WORDS_BYTES);
    for (size_t i = 0; i < b->n; i++) {
        const char *const old = am_kvs_get(a, b->items[i].key);

        if (old && strcmp(old, b->items[i].value) == 0)
            continue;
        if (n++ < DIFFERENCES_SHOWN)
            am_text_addf(&text, "%s%s: %.*s -> %.*s", n > 1 ? ", " : "", b->items[i].key,
                         old ? shown_of(old) : INT_MAX, old ? old : "not stated",
                         shown_of(b->items[i].value), b->items[i].value);
    }
    if (n > DIFFERENCES_SHOWN)
        am_text_addf(&text, " and %zu more", n - DIFFERENCES_SHOWN);
    if (n)
        copy = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return n ? (copy ? copy : "it differs") : NULL;
}

static void mark_runs(struct am_history *h)
{
    for (size_t i = 1; i < h->n_runs; i++) {
        const struct am_result_set *const a = h->runs[i - 1].set, *const b = h->runs[i].set;

        h->runs[i].machine = differences(&a->machine, &b->machine, h->arena);
        h->runs[i].build = differences(&a->build, &b->build, h->arena);
    }
}

/* ---- lines ---- */

/* A line without values yet; NULL when memory is refused. */
static struct am_history_line *new_line(struct am_history *h, const char *name)
{
    struct am_history_line *const line = AM_ARRAY_ADD(h->arena, h->lines, h->n_lines, h->cap_lines);

    if (!line)
        return NULL;
    *line = (struct am_history_line){.name = name, .unit = ""};
    line->value = am_arena_array(h->arena, h->n_runs + 1, sizeof(*line->value));
    line->lo = am_arena_array(h->arena, h->n_runs + 1, sizeof(*line->lo));
    line->hi = am_arena_array(h->arena, h->n_runs + 1, sizeof(*line->hi));
    line->changes = am_arena_array(h->arena, h->n_runs + 1, sizeof(*line->changes));
    if (!line->value || !line->lo || !line->hi || !line->changes)
        return NULL;
    for (size_t i = 0; i < h->n_runs; i++)
        line->value[i] = line->lo[i] = line->hi[i] = NAN;
    return line;
}

static void put(struct am_history_line *line, size_t run, double value, double lo, double hi)
{
    if (!isfinite(value) || isfinite(line->value[run]))
        return;
    line->value[run] = value;
    line->lo[run] = lo;
    line->hi[run] = hi;
    line->n++;
}

/* Entries with one title that follow each other are ways to the same figure. */
static bool add_headlines(struct am_history *h)
{
    const struct am_headline *all[AM_HEADLINES_MAX];
    const size_t n = am_families_headlines(all);
    struct am_history_line *line = NULL;

    for (size_t i = 0; i < n; i++) {
        if (all[i]->place == AM_HEADLINE_DENIED)
            continue;
        if (!line || strcmp(line->name, all[i]->title) != 0) {
            h->n_lines -= line && line->n == 0; /* nobody measured it */
            line = new_line(h, all[i]->title);
        }
        if (!line)
            return false;
        for (size_t k = 0; k < h->n_runs; k++) {
            const struct am_fact *const f = am_headline_fact(all[i], &h->runs[k].facts);

            if (!f)
                continue;
            line->unit = f->unit;
            put(line, k, f->value, f->ci.lo, f->ci.hi);
        }
    }
    h->n_lines -= line && line->n == 0;
    return true;
}

/* The line of this point, a new one where there is none; NULL when there is no room. */
static struct am_history_line *line_of(struct am_history *h, struct am_keyed *keys, size_t *n_keys,
                                       const struct am_pick *pick, size_t first)
{
    struct am_keyed key;
    size_t k = 0;

    if (!am_keyed_make(pick->result, h->arena, &key))
        return NULL;
    while (k < *n_keys && am_keyed_order(&keys[k], &key) != 0)
        k++;
    if (k < *n_keys)
        return &h->lines[first + k];
    if (*n_keys == AM_HISTORY_POINTS_MAX) {
        h->points_lost++;
        return NULL;
    }
    keys[(*n_keys)++] = key;
    return new_line(h, am_arena_printf(h->arena, "%s %s", pick->result->bench, pick->result->text));
}

static enum am_status add_points(struct am_history *h, const char *point, struct am_err *err)
{
    const size_t word = strcspn(point, " ");
    const struct am_selector from = {am_arena_strndup(h->arena, point, word),
                                     point + word + strspn(point + word, " "), NULL};
    struct am_keyed keys[AM_HISTORY_POINTS_MAX];
    const size_t first = h->n_lines;
    size_t n_keys = 0;

    for (size_t r = 0; r < h->n_runs; r++) {
        const struct am_picks picks = am_select(h->runs[r].set, &from, h->arena);

        for (size_t i = 0; i < picks.n; i++) {
            const struct am_summary *const s = &picks.items[i].metric->summary;
            struct am_history_line *const line = line_of(h, keys, &n_keys, &picks.items[i], first);

            if (!line)
                continue;
            line->unit = picks.items[i].metric->unit;
            put(line, r, s->median, s->ci.lo, s->ci.hi);
        }
    }
    if (n_keys == 0)
        return am_fail(err, AM_E_USAGE, "--point %s: no run has such a point", point);
    return AM_OK;
}

/* ---- changes ---- */

static double mean_of(const double *logs, size_t from, size_t to)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        sum += logs[i];
    return exp(sum / (double)(to - from));
}

/* Positive values by their logarithms, and the runs they are of; returns how many. */
static size_t logarithms(const struct am_history *h, const struct am_history_line *line,
                         double *logs, size_t *runs)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n_runs; i++) {
        if (line->value[i] > 0 && n < AM_DIVISIVE_MOST) {
            runs[n] = i;
            logs[n++] = log(line->value[i]);
        }
    }
    return n;
}

static bool find_changes(struct am_history *h, struct am_history_line *line)
{
    const struct am_divisive how = {
        .level = h->level, .permutations = (size_t)ceil(2 / h->level), .seed = h->n_runs};
    double *const logs = am_arena_array(h->arena, h->n_runs + 1, sizeof(*logs));
    size_t *const runs = am_arena_array(h->arena, h->n_runs + 1, sizeof(*runs));
    struct am_changepoint *const found = am_arena_array(h->arena, h->n_runs + 1, sizeof(*found));
    size_t n, changes;

    if (!logs || !runs || !found)
        return false;
    n = logarithms(h, line, logs, runs);
    changes = am_divisive_find(logs, n, &how, found);
    if (changes == SIZE_MAX)
        return false;
    for (size_t i = 0; i < changes; i++) {
        const size_t from = i ? found[i - 1].at : 0;
        const size_t to = i + 1 < changes ? found[i + 1].at : n;

        line->changes[line->n_changes++] =
            (struct am_history_change){.before = runs[found[i].at - 1],
                                       .at = runs[found[i].at],
                                       .p = found[i].p,
                                       .from = mean_of(logs, from, found[i].at),
                                       .to = mean_of(logs, found[i].at, to)};
    }
    return true;
}

/* ---- the whole ---- */

enum am_status am_history_make(struct am_history_run *runs, size_t n, const char *const *points,
                               size_t n_points, struct am_arena *arena, struct am_history *out,
                               struct am_err *err)
{
    enum am_status status = AM_OK;

    *out = (struct am_history){.runs = runs, .n_runs = n, .arena = arena};
    if (n)
        qsort(runs, n, sizeof(*runs), by_start);
    mark_runs(out);
    if (!add_headlines(out))
        return am_fail(err, AM_E_NOMEM, "no memory for the history");
    for (size_t i = 0; i < n_points && status == AM_OK; i++)
        status = add_points(out, points[i], err);
    for (size_t i = 0; i < out->n_lines; i++)
        out->n_tested += out->lines[i].n >= 2 * (size_t)AM_DIVISIVE_LEAST;
    out->level = AM_HISTORY_LEVEL / (double)(out->n_tested ? out->n_tested : 1);
    for (size_t i = 0; i < out->n_lines && status == AM_OK; i++) {
        if (!find_changes(out, &out->lines[i]))
            status = am_fail(err, AM_E_NOMEM, "no memory for the history");
    }
    return status;
}
