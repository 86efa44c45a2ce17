/* SPDX-License-Identifier: MIT */
/* All figures of a run: pictures, the tables in their order, then what no table names. */
#include "document/figure/figure.h"

#include "base/array.h"
#include "base/text.h"
#include "document/figure/figure_data.h"
#include "document/figure/figure_make.h"
#include "document/figure/pictures.h"
#include "document/figure/roofline.h"

#include <string.h>

enum { NAMES_MAX = 256 };

/* ---- what a figure is called ---- */

const char *am_figure_name(const struct am_figure *f)
{
    return f->drawn ? f->drawn->name : f->row->name;
}

const char *am_figure_section(const struct am_figure *f)
{
    return f->drawn ? f->drawn->section : f->row->section;
}

const char *am_figure_title(const struct am_figure *f)
{
    return f->drawn ? f->drawn->title : f->row->title;
}

const char *am_figure_caption(const struct am_figure *f)
{
    return f->drawn ? f->drawn->caption : f->row->caption;
}

bool am_figure_is_drawn(const struct am_figure *f)
{
    return f->drawn || f->row->kind != AM_FIGURE_TABLE;
}

/* ---- making all of them ---- */

struct list {
    const struct am_figure_source *source;
    struct am_figures *out;
    size_t cap;
};

static struct am_figure *new_figure(struct list *l)
{
    struct am_figures *const f = l->out;

    return am_array_reserve(l->source->arena, &f->items, f->n, &l->cap, 1, sizeof(*f->items))
               ? &f->items[f->n]
               : NULL;
}

static enum am_status add_row(struct list *l, const struct am_figure_row *row, struct am_err *err)
{
    struct am_figure *const f = new_figure(l);
    bool made = false;
    enum am_status status;

    if (!f)
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", row->name);
    status = am_figure_make(l->source, row, f, &made, err);
    l->out->n += made;
    return status;
}

static enum am_status add_pictures(struct list *l, struct am_err *err)
{
    for (enum am_drawing i = 0; i < AM_DRAWINGS; i++) {
        struct am_figure *const f = new_figure(l);

        if (!f)
            return am_fail(err, AM_E_NOMEM, "no memory for the figure %s",
                           am_figures_drawn[i].name);
        l->out->n += am_picture_make(l->source, i, f);
    }
    return AM_OK;
}

static enum am_status add_rows(struct list *l, const struct am_figure_row *rows, struct am_err *err)
{
    enum am_status status = AM_OK;

    for (const struct am_figure_row *row = rows; row && row->name && status == AM_OK; row++)
        status = add_row(l, row, err);
    return status;
}

static bool is_shown(const struct am_figures *figures, const char *bench)
{
    for (size_t i = 0; i < figures->n; i++) {
        const struct am_figure_row *const row = figures->items[i].row;

        if (row && row->bench && strcmp(row->bench, bench) == 0)
            return true;
    }
    return false;
}

/* Nothing that was measured is invisible. */
static enum am_status add_generic(struct list *l, struct am_err *err)
{
    const struct am_result_set *const set = l->source->set;
    enum am_status status = AM_OK;

    for (size_t i = 0; i < set->n && status == AM_OK; i++) {
        struct am_figure_row *row;

        if (set->results[i].state != AM_POINT_OK || is_shown(l->out, set->results[i].bench))
            continue;
        row = am_arena_alloc(l->source->arena, sizeof(*row));
        if (!row)
            return am_fail(err, AM_E_NOMEM, "no memory for a figure");
        am_figure_generic(l->source, set->results[i].bench, row);
        if (!row->name)
            return am_fail(err, AM_E_NOMEM, "no memory for a figure");
        status = add_row(l, row, err);
        /* a bench without a single value would come up again for each of its points */
        while (i + 1 < set->n && strcmp(set->results[i + 1].bench, set->results[i].bench) == 0)
            i++;
    }
    return status;
}

enum am_status am_figures_make(const struct am_figure_source *source, struct am_figures *out,
                               struct am_err *err)
{
    struct list l = {.source = source, .out = out};
    enum am_status status;

    *out = (struct am_figures){0};
    status = add_pictures(&l, err);
    if (status == AM_OK)
        status = add_row(&l, &am_roofline_row, err);
    for (size_t i = 0; am_families[i] && status == AM_OK; i++)
        status = add_rows(&l, am_families[i]->figures, err);
    if (status == AM_OK)
        status = add_generic(&l, err);
    return status;
}

const struct am_figure *am_figures_find(const struct am_figures *figures, const char *name,
                                        const char **nearest)
{
    const char *names[NAMES_MAX];
    size_t n = 0;

    *nearest = NULL;
    for (size_t i = 0; i < figures->n; i++) {
        if (strcmp(am_figure_name(&figures->items[i]), name) == 0)
            return &figures->items[i];
        if (n < NAMES_MAX)
            names[n++] = am_figure_name(&figures->items[i]);
    }
    *nearest = am_nearest(name, names, n);
    return NULL;
}
