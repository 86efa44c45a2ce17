/* SPDX-License-Identifier: MIT */
/* Figures of a study: rows of the program's own tables, changed by what the study says of them. */
#include "document/study/study.h"

#include "base/text.h"
#include "document/figure/figure_make.h"
#include "document/figure/roofline.h"

#include <string.h>

enum { NAMES_MAX = 512 };

static const char any[] = "*"; /* bench */

/* ---- rows by name ---- */

const struct am_figure_row *am_study_row(const char *name, const char **nearest)
{
    const char *names[NAMES_MAX];
    size_t n = 0;

    *nearest = NULL;
    if (strcmp(am_roofline_row.name, name) == 0)
        return &am_roofline_row;
    names[n++] = am_roofline_row.name;
    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_figure_row *row = am_families[i]->figures; row && row->name; row++) {
            if (strcmp(row->name, name) == 0)
                return row;
            if (n < NAMES_MAX)
                names[n++] = row->name;
        }
    }
    *nearest = am_nearest(name, names, n);
    return NULL;
}

/* ---- a row from what a study says ---- */

/* The field's text over what the row has; "none" takes that away. */
static void put_text(const struct am_study_item *item, enum am_study_field field, const char **to)
{
    const char *const text = item->field[field];

    if (text)
        *to = strcmp(text, "none") == 0 ? NULL : text;
}

static void put_answer(const struct am_study_item *item, enum am_study_field field, bool *to)
{
    if (item->field[field])
        *to = strcmp(item->field[field], "yes") == 0;
}

static void put_scale(const struct am_study_item *item, enum am_study_field field,
                      enum am_scale *to)
{
    static const char *const words[] = {
        [AM_SCALE_LINEAR] = "linear", [AM_SCALE_LOG10] = "log10", [AM_SCALE_LOG2] = "log2"};
    const int i = am_name_index(words, sizeof(words) / sizeof(*words), item->field[field]);

    if (i >= 0)
        *to = (enum am_scale)i;
}

static void put_kind(const struct am_study_item *item, enum am_figure_kind *to)
{
    static const char *const words[] = {[AM_FIGURE_LINES] = "lines",
                                        [AM_FIGURE_BARS] = "bars",
                                        [AM_FIGURE_HEAT] = "heat",
                                        [AM_FIGURE_TABLE] = "table"};
    const int i = am_name_index(words, sizeof(words) / sizeof(*words), item->field[AM_STUDY_KIND]);

    if (i >= 0)
        *to = (enum am_figure_kind)i;
}

/* "figure-9-11": letters that files and links take. */
static const char *name_of(const struct am_study_item *item, struct am_arena *arena)
{
    char *const name = am_arena_printf(arena, "figure-%s", item->label);

    for (char *p = name; p && *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
        else if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9')))
            *p = '-';
    }
    return name;
}

/* The row of the item; NULL when memory is refused. */
static struct am_figure_row *row_of(const struct am_study_item *item, struct am_arena *arena)
{
    struct am_figure_row *const row = am_arena_alloc(arena, sizeof(*row));
    const char *nearest;
    const struct am_figure_row *const like =
        item->field[AM_STUDY_LIKE] ? am_study_row(item->field[AM_STUDY_LIKE], &nearest) : NULL;

    if (!row)
        return NULL;
    *row = like ? *like : (struct am_figure_row){.section = "Figures", .caption = ""};
    row->name = name_of(item, arena);
    row->title = item->caption ? item->caption : row->title;
    if (item->field[AM_STUDY_BENCH])
        row->make = NULL; /* a computed figure is of the bench that it was made for */
    put_text(item, AM_STUDY_BENCH, &row->bench);
    put_text(item, AM_STUDY_METRIC, &row->metric);
    put_text(item, AM_STUDY_X, &row->x);
    put_text(item, AM_STUDY_SERIES, &row->series);
    put_text(item, AM_STUDY_PANEL, &row->panel);
    put_text(item, AM_STUDY_ALONG, &row->along);
    put_text(item, AM_STUDY_LEVEL, &row->level);
    put_text(item, AM_STUDY_COMPARES, &row->compares);
    put_text(item, AM_STUDY_BY, &row->by);
    put_text(item, AM_STUDY_X_TITLE, &row->x_title);
    put_text(item, AM_STUDY_Y_TITLE, &row->y_title);
    put_answer(item, AM_STUDY_BEST, &row->best);
    put_answer(item, AM_STUDY_OWN_Y, &row->own_y);
    put_answer(item, AM_STUDY_STEPS, &row->steps);
    put_answer(item, AM_STUDY_LEVELS, &row->levels);
    put_scale(item, AM_STUDY_XSCALE, &row->xscale);
    put_scale(item, AM_STUDY_YSCALE, &row->yscale);
    put_kind(item, &row->kind);
    if (row->metric && !row->bench)
        row->bench = any;
    return row->name ? row : NULL;
}

/* ---- made of a run ---- */

/* The points that the item is about; the rest of the set is shared. */
static bool narrow(const struct am_result_set *set, const char *where, struct am_arena *arena,
                   struct am_result_set *out)
{
    const struct am_study_selector all = {.bench = any, .where = where, .most = "", .least = ""};

    *out = *set;
    if (!where)
        return true;
    out->n = 0;
    out->results = am_arena_array(arena, set->n + 1, sizeof(*out->results));
    for (size_t i = 0; out->results && i < set->n; i++) {
        if (am_study_matches(&all, &set->results[i]))
            out->results[out->n++] = set->results[i];
    }
    return out->results != NULL;
}

/* Why a figure has nothing to show. */
static const char *why_empty(const struct am_result_set *set, const struct am_figure_row *row,
                             const char *where, struct am_arena *arena)
{
    const struct am_study_selector s = {.bench = row->bench ? row->bench : any,
                                        .metric = row->metric,
                                        .where = where ? where : "",
                                        .most = "",
                                        .least = ""};
    const struct am_study_points points = am_study_select(set, &s, arena);

    return points.why ? points.why
                      : "too few of its points were measured to show anything along its axes";
}

static enum am_status draw(const struct am_study_item *item, const struct am_result_set *set,
                           const struct am_facts *facts, struct am_arena *arena,
                           struct am_study_made *made, struct am_err *err)
{
    const char *const where = item->field[AM_STUDY_WHERE];
    const struct am_figure_row *const row = row_of(item, arena);
    struct am_result_set *const own = am_arena_alloc(arena, sizeof(*own));
    struct am_figure_source *const source = am_arena_alloc(arena, sizeof(*source));
    const char *const like = item->field[AM_STUDY_LIKE], *nearest;
    enum am_status s;

    if (like && !am_study_row(like, &nearest)) { /* the file is of another version */
        made->why = "this version has no such figure";
        return AM_OK;
    }
    if (!row || !own || !source || !narrow(set, where, arena, own))
        return am_fail(err, AM_E_NOMEM, "no memory for the figures");
    *source = (struct am_figure_source){.set = own, .facts = facts, .arena = arena};
    s = am_figure_make(source, row, &made->figure, &made->drawn, err);
    if (s == AM_OK && !made->drawn)
        made->why = why_empty(set, row, where, arena);
    return s;
}

/* The best of what a selector of a number selects. */
static struct am_study_beside beside(const struct am_study_number *number,
                                     const struct am_result_set *set, struct am_arena *arena)
{
    struct am_study_points points;
    const struct am_pick *best;
    struct am_pick *kept;

    if (!number->beside)
        return (struct am_study_beside){0};
    points = am_study_select(set, &number->from, arena);
    best = am_picks_best(&points.picks);
    kept = best ? am_arena_alloc(arena, sizeof(*kept)) : NULL;
    if (kept)
        *kept = *best;
    return (struct am_study_beside){.pick = kept, .why = points.why};
}

enum am_status am_study_make(const struct am_study *study, const struct am_result_set *set,
                             const struct am_facts *facts, struct am_arena *arena,
                             struct am_study_made *made, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < study->n_items; i++) {
        const struct am_study_item *const item = &study->items[i];

        made[i].item = item;
        made[i].beside = am_arena_array(arena, item->n_beside + 1, sizeof(*made[i].beside));
        if (!made[i].beside)
            return am_fail(err, AM_E_NOMEM, "no memory for the study");
        for (size_t k = 0; k < item->n_beside; k++)
            made[i].beside[k] = beside(&item->beside[k], set, arena);
        if (item->kind == AM_STUDY_FIGURE)
            s = draw(item, set, facts, arena, &made[i], err);
    }
    return s;
}
