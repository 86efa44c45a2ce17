/* SPDX-License-Identifier: MIT */
/* Saved tuning: entries kept sorted by what they are for, and found by the point that needs one. */
#include "core/tune/saved_tuning.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 * 1024, POWER_MAX = 2000 };

const char *const am_tune_modes[] = {[AM_TUNE_ESTIMATE] = "estimate",
                                     [AM_TUNE_MEASURE] = "measure",
                                     [AM_TUNE_PATIENT] = "patient",
                                     [AM_TUNE_MODES] = NULL};

const char *const am_tune_goals[] = {
    [AM_TUNE_TIME] = "time", [AM_TUNE_ENERGY] = "energy", [AM_TUNE_EDP] = "edp", NULL};

/* ---- order: machine, bench, version, key ---- */

static int by_pair(const struct am_tuning_pair *a, const struct am_tuning_pair *b)
{
    const int axis = strcmp(a->axis, b->axis);

    if (axis)
        return axis;
    if (a->classed != b->classed)
        return a->classed ? 1 : -1;
    return strcmp(a->value, b->value);
}

static int by_identity(const struct am_tuning_entry *a, const struct am_tuning_entry *b)
{
    int order = strcmp(a->machine, b->machine);

    if (!order)
        order = strcmp(a->bench, b->bench);
    if (!order)
        order = (a->version > b->version) - (a->version < b->version);
    for (size_t i = 0; !order && i < a->n_key && i < b->n_key; i++)
        order = by_pair(&a->key[i], &b->key[i]);
    return order ? order : (a->n_key > b->n_key) - (a->n_key < b->n_key);
}

/* Index of the first entry that is not before this one. */
static size_t place_of(const struct am_tuning *t, const struct am_tuning_entry *entry)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (by_identity(&t->entries[middle], entry) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- adding ---- */

static struct am_tuning_pair *copy_pairs(const struct am_tuning_pair *from, size_t n,
                                         struct am_arena *arena)
{
    struct am_tuning_pair *const to = am_arena_array(arena, n + 1, sizeof(*to));

    for (size_t i = 0; to && i < n; i++) {
        to[i].axis = am_arena_strdup(arena, from[i].axis);
        to[i].value = am_arena_strdup(arena, from[i].value);
        to[i].classed = from[i].classed;
        if (!to[i].axis || !to[i].value)
            return NULL;
    }
    return to;
}

static bool copy_entry(const struct am_tuning_entry *from, struct am_arena *arena,
                       struct am_tuning_entry *to)
{
    *to = *from;
    to->machine = am_arena_strdup(arena, from->machine);
    to->bench = am_arena_strdup(arena, from->bench);
    to->key = copy_pairs(from->key, from->n_key, arena);
    to->use = copy_pairs(from->use, from->n_use, arena);
    to->metric = am_arena_strdup(arena, from->metric);
    to->date = am_arena_strdup(arena, from->date);
    return to->machine && to->bench && to->key && to->use && to->metric && to->date;
}

static bool room_for_one(struct am_tuning *t)
{
    return am_array_reserve(t->arena, &t->entries, t->n, &t->cap, 1, sizeof(*t->entries));
}

static bool is_better(const struct am_tuning_entry *entry, const struct am_tuning_entry *known)
{
    return entry->mode != known->mode ? entry->mode > known->mode
                                      : strcmp(entry->date, known->date) >= 0;
}

enum am_status am_tuning_put(struct am_tuning *t, const struct am_tuning_entry *entry, bool *kept,
                             struct am_err *err)
{
    const size_t at = place_of(t, entry);
    const bool known = at < t->n && by_identity(&t->entries[at], entry) == 0;
    struct am_tuning_entry copy;

    *kept = !known || is_better(entry, &t->entries[at]);
    if (!*kept)
        return AM_OK;
    if (!known && t->n == AM_TUNING_ENTRIES_MAX)
        return am_fail(err, AM_E_LIMIT, "a tuning has at most %d entries", AM_TUNING_ENTRIES_MAX);
    if (!copy_entry(entry, t->arena, &copy) || !room_for_one(t))
        return am_fail(err, AM_E_NOMEM, "no memory for the tuning");
    if (!known) {
        memmove(&t->entries[at + 1], &t->entries[at], (t->n - at) * sizeof(copy));
        t->n++;
    }
    t->entries[at] = copy;
    return AM_OK;
}

size_t am_tuning_forget(struct am_tuning *t, const char *pattern)
{
    struct am_text line;
    size_t left = 0, gone;

    am_text_init(&line, LINE_BYTES);
    for (size_t i = 0; i < t->n; i++) {
        am_text_clear(&line);
        am_tuning_entry_text(&t->entries[i], &line);
        if (!am_glob_match(pattern, t->entries[i].bench) &&
            !am_glob_match(pattern, am_text_str(&line)))
            t->entries[left++] = t->entries[i];
    }
    am_text_fini(&line);
    gone = t->n - left;
    t->n = left;
    return gone;
}

/* ---- finding ---- */

bool am_tuning_is_open(const struct am_point *point)
{
    const struct am_axis *const axes = point->bench->axes;

    for (size_t i = 0; axes && axes[i].name; i++) {
        if (am_axis_is_open(&axes[i], &point->values[i]))
            return true;
    }
    return false;
}

static const struct am_tuning_pair *find_pair(const struct am_tuning_pair *pairs, size_t n,
                                              const char *axis)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(pairs[i].axis, axis) == 0)
            return &pairs[i];
    }
    return NULL;
}

/* The power of two at or below a size; sizes below one have negative ones. */
static int class_of(const struct am_value *value)
{
    const double size = value->kind == AM_AXIS_REAL ? value->r : (double)value->i;

    return size > 0 ? ilogb(size) : 0;
}

static bool read_value(const struct am_axis *axis, const struct am_tuning_pair *pair,
                       struct am_value *out)
{
    return pair && !pair->classed &&
           am_value_parse(axis, pair->value, strlen(pair->value), out, NULL) == AM_OK;
}

/* An entry may itself leave an axis open: the value is none of those that can be tuned there. */
static bool open_agrees(const struct am_axis *axis, const struct am_tuning_pair *use,
                        const struct am_tuning_pair *key)
{
    struct am_value value;

    return use ? read_value(axis, use, &value)
               : read_value(axis, key, &value) && am_axis_is_open(axis, &value);
}

/* Whether the axis does not stand against the entry; adds to *apart how far its size is away. */
static bool axis_agrees(const struct am_tuning_entry *e, const struct am_axis *axis,
                        const struct am_value *value, unsigned *apart)
{
    const struct am_tuning_pair *const key = find_pair(e->key, e->n_key, axis->name);
    const struct am_tuning_pair *const use = find_pair(e->use, e->n_use, axis->name);
    const struct am_tuning_pair *const said = use ? use : key;
    char text[AM_VALUE_TEXT_MAX];
    int64_t power;

    if (am_axis_is_open(axis, value))
        return open_agrees(axis, use, key);
    if (!axis->tune && axis->key == AM_KEY_FREE)
        return true;
    if (!said)
        return false;
    if (said->classed) {
        if (!am_parse_i64(said->value, strlen(said->value), &power) || llabs(power) > POWER_MAX)
            return false;
        *apart += (unsigned)llabs(power - class_of(value));
        return true;
    }
    am_value_text(value, text, sizeof(text));
    return strcmp(text, said->value) == 0;
}

static bool agrees(const struct am_tuning_entry *e, const struct am_point *point, unsigned *apart)
{
    const struct am_axis *const axes = point->bench->axes;

    *apart = 0;
    for (size_t i = 0; axes && axes[i].name; i++) {
        if (!axis_agrees(e, &axes[i], &point->values[i], apart))
            return false;
    }
    return *apart <= AM_TUNING_CLASSES_APART;
}

const struct am_tuning_entry *am_tuning_find(const struct am_tuning *t, const char *machine,
                                             const struct am_point *point, unsigned *apart)
{
    const struct am_tuning_entry *best = NULL;

    *apart = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct am_tuning_entry *const e = &t->entries[i];
        unsigned away;

        if (strcmp(e->bench, point->bench->name) != 0 || e->version != point->bench->version ||
            strcmp(e->machine, machine) != 0 || !agrees(e, point, &away))
            continue;
        if (!best || away < *apart || (away == *apart && e->mode > best->mode)) {
            best = e;
            *apart = away;
        }
    }
    return best;
}

/* The axes that stand against the entry, as text; *n is how many. A size too far away is one. */
static const char *against(const struct am_tuning_entry *e, const struct am_point *point,
                           struct am_arena *arena, size_t *n)
{
    const struct am_axis *const axes = point->bench->axes;
    const char *text = "";

    *n = 0;
    for (size_t i = 0; text && axes && axes[i].name; i++) {
        const struct am_tuning_pair *const use = find_pair(e->use, e->n_use, axes[i].name);
        const struct am_tuning_pair *const key = find_pair(e->key, e->n_key, axes[i].name);
        const struct am_tuning_pair *const said = use ? use : key;
        char value[AM_VALUE_TEXT_MAX];
        unsigned apart = 0;

        if (axis_agrees(e, &axes[i], &point->values[i], &apart) && apart <= AM_TUNING_CLASSES_APART)
            continue;
        am_value_text(&point->values[i], value, sizeof(value));
        text =
            am_arena_printf(arena, "%s%s%s%s%s and not %s", text, *n ? ", " : "", axes[i].name,
                            said && said->classed ? "~2^" : "=", said ? said->value : "?", value);
        ++*n;
    }
    return text;
}

const char *am_tuning_obstacle(const struct am_tuning *t, const char *machine,
                               const struct am_point *point, struct am_arena *arena)
{
    const char *best = NULL;
    size_t fewest = SIZE_MAX;

    for (size_t i = 0; i < t->n; i++) {
        const struct am_tuning_entry *const e = &t->entries[i];
        const char *text;
        size_t n;

        if (strcmp(e->bench, point->bench->name) != 0 || e->version != point->bench->version ||
            strcmp(e->machine, machine) != 0)
            continue;
        text = against(e, point, arena, &n);
        if (n < fewest && text) {
            best = n ? text : "several sizes are too far away together";
            fewest = n;
        }
    }
    return best;
}

/* ---- making an entry ---- */

static const char *value_copy(const struct am_value *value, struct am_arena *arena)
{
    char text[AM_VALUE_TEXT_MAX];

    am_value_text(value, text, sizeof(text));
    return am_arena_strdup(arena, text);
}

enum am_status am_tuning_entry_of(const char *machine, const struct am_point *asked,
                                  const struct am_value *found, struct am_arena *arena,
                                  struct am_tuning_entry *out, struct am_err *err)
{
    const struct am_axis *const axes = asked->bench->axes;
    const size_t n = am_axis_count(axes);

    *out = (struct am_tuning_entry){
        .machine = machine, .bench = asked->bench->name, .version = asked->bench->version};
    out->key = am_arena_array(arena, n + 1, sizeof(*out->key));
    out->use = am_arena_array(arena, n + 1, sizeof(*out->use));
    for (size_t i = 0; out->key && out->use && i < n; i++) {
        const bool chosen =
            am_axis_is_open(&axes[i], &asked->values[i]) && !am_axis_is_open(&axes[i], &found[i]);
        const bool classed = !axes[i].tune && axes[i].key == AM_KEY_CLASS;
        struct am_tuning_pair *const pair = chosen ? &out->use[out->n_use] : &out->key[out->n_key];

        if (!axes[i].tune && axes[i].key == AM_KEY_FREE)
            continue;
        *pair = (struct am_tuning_pair){.axis = axes[i].name, .classed = classed};
        pair->value = classed ? am_arena_printf(arena, "%d", class_of(&found[i]))
                              : value_copy(&found[i], arena);
        if (!pair->value)
            return am_fail(err, AM_E_NOMEM, "no memory for the tuning");
        out->n_use += chosen;
        out->n_key += !chosen;
    }
    if (!out->key || !out->use)
        return am_fail(err, AM_E_NOMEM, "no memory for the tuning");
    return AM_OK;
}
