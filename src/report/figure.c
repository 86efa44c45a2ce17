/* SPDX-License-Identifier: MIT */
/* All figures of a run: the tables in their order, then what no table names; each as SVG. */
#include "report/figure.h"

#include "family/family.h"

#include "report/figure_data.h"
#include "report/figure_make.h"

#include <math.h>
#include <string.h>

enum { PICTURE_LIMIT = 32 << 20, NAMES_MAX = 256 };

static const struct am_figure_row *const tables[] = {
    am_figures_omp, am_figures_ocl,  am_figures_app,     am_figures_task,
    am_figures_mpi, am_figures_tune, am_figures_stencil, am_figures_leukocyte};

#define GAP 28.0
#define MARGIN 16.0

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

    if (f->n == l->cap) {
        const size_t cap = l->cap ? l->cap * 2 : 64;
        struct am_figure *const items = am_arena_array(l->source->arena, cap, sizeof(*items));

        if (!items)
            return NULL;
        if (f->n)
            memcpy(items, f->items, f->n * sizeof(*items));
        f->items = items;
        l->cap = cap;
    }
    return &f->items[f->n];
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

static enum am_status add_drawn(struct list *l, struct am_err *err)
{
    for (const struct am_figure_drawn *d = am_figures_drawn; d->draw; d++) {
        struct am_figure *const f = new_figure(l);

        if (!f)
            return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", d->name);
        *f = (struct am_figure){.drawn = d, .constants = ""};
        am_text_init(&f->svg, PICTURE_LIMIT);
        if (d->draw(l->source, &f->svg))
            l->out->n++;
        else
            am_text_fini(&f->svg);
    }
    return AM_OK;
}

static bool is_shown(const struct am_figures *figures, const char *bench)
{
    for (size_t i = 0; i < figures->n; i++) {
        if (figures->items[i].row && strcmp(figures->items[i].row->bench, bench) == 0)
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

/* Tables of families that still stand in this folder win over those of the family. */
static bool in_tables(const char *name)
{
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        for (const struct am_figure_row *row = tables[t]; row->name; row++) {
            if (strcmp(row->name, name) == 0)
                return true;
        }
    }
    return false;
}

static enum am_status add_families(struct list *l, struct am_err *err)
{
    enum am_status status = AM_OK;

    for (size_t i = 0; am_families[i]; i++) {
        const struct am_figure_row *row = am_families[i]->figures;

        for (; row && row->name && status == AM_OK; row++) {
            if (!in_tables(row->name))
                status = add_row(l, row, err);
        }
    }
    return status;
}

enum am_status am_figures_make(const struct am_figure_source *source, struct am_figures *out,
                               struct am_err *err)
{
    struct list l = {.source = source, .out = out};
    enum am_status status;

    *out = (struct am_figures){0};
    status = add_drawn(&l, err);
    if (status == AM_OK)
        status = add_families(&l, err);
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        for (const struct am_figure_row *row = tables[t]; row->name && status == AM_OK; row++)
            status = add_row(&l, row, err);
    }
    if (status == AM_OK)
        status = add_generic(&l, err);
    return status;
}

void am_figures_fini(struct am_figures *figures)
{
    for (size_t i = 0; i < figures->n; i++)
        am_text_fini(&figures->items[i].svg);
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

/* ---- SVG ---- */

static double panel_height(const struct am_figure *f, size_t i)
{
    if (f->row->kind == AM_FIGURE_BARS)
        return am_plot_bars_height(&f->panels[i].plot);
    if (f->row->kind == AM_FIGURE_HEAT)
        return am_plot_heat_height(&f->panels[i].heat);
    return f->panels[i].plot.height > 0 ? f->panels[i].plot.height : AM_PLOT_HEIGHT;
}

bool am_figure_is_small(const struct am_figure *f)
{
    return f->n_panels > 0 && f->row->kind == AM_FIGURE_LINES && f->panels[0].plot.width > 0;
}

static double panel_width(const struct am_figure *f)
{
    return am_figure_is_small(f) ? f->panels[0].plot.width : AM_PLOT_WIDTH;
}

static void draw_panel(struct am_svg *svg, const struct am_figure *f, size_t i)
{
    if (f->row->kind == AM_FIGURE_BARS)
        am_plot_bars(svg, &f->panels[i].plot);
    else if (f->row->kind == AM_FIGURE_HEAT)
        am_plot_heat(svg, &f->panels[i].heat);
    else
        am_plot_lines(svg, &f->panels[i].plot);
}

void am_figure_panel_svg(const struct am_figure *f, size_t panel, struct am_text *out)
{
    const char *const part =
        f->row->kind == AM_FIGURE_HEAT ? f->panels[panel].heat.title : f->panels[panel].plot.title;
    char label[256];
    struct am_svg svg;

    (void)am_str_format(label, sizeof(label), "%s%s%s", f->row->title, part ? ": " : "",
                        part ? part : "");
    am_svg_init(&svg, out);
    am_svg_root(&svg, panel_width(f), panel_height(f, panel), label);
    draw_panel(&svg, f, panel);
    am_svg_close(&svg);
}

static double row_height(const struct am_figure *f, size_t first, size_t columns)
{
    double h = 0;

    for (size_t i = first; i < f->n_panels && i < first + columns; i++)
        h = fmax(h, panel_height(f, i));
    return h;
}

void am_figure_svg(const struct am_figure *f, struct am_text *out)
{
    const size_t columns = f->n_panels < 2 ? 1 : am_figure_is_small(f) ? 3 : 2;
    const double pitch = f->drawn ? 0 : panel_width(f) + GAP;
    const double width = (double)columns * pitch - GAP;
    double height = 34, y = 34;
    struct am_svg svg;

    if (f->drawn) {
        am_text_addn(out, am_text_str(&f->svg), f->svg.len);
        return;
    }
    height += am_plot_legend(NULL, f->legend, f->n_legend, width);
    for (size_t i = 0; i < f->n_panels; i += columns)
        height += row_height(f, i, columns) + (i ? GAP : 0);
    am_svg_init(&svg, out);
    am_svg_root(&svg, width + 2 * MARGIN, height + 2 * MARGIN, f->row->title);
    am_svg_at(&svg, MARGIN, MARGIN);
    am_svg_open(&svg, "g");
    am_svg_attr(&svg, "font-weight", "600");
    am_svg_text(&svg, 0, 16, AM_ANCHOR_START, 15, f->row->title);
    am_svg_close(&svg);
    if (f->n_legend) {
        am_svg_at(&svg, 0, y);
        y += am_plot_legend(&svg, f->legend, f->n_legend, width);
        am_svg_close(&svg);
    }
    for (size_t i = 0; i < f->n_panels; i++) {
        am_svg_at(&svg, (double)(i % columns) * pitch, y);
        draw_panel(&svg, f, i);
        am_svg_close(&svg);
        if ((i + 1) % columns == 0)
            y += row_height(f, i + 1 - columns, columns) + GAP;
    }
    am_svg_close(&svg);
    am_svg_close(&svg);
}
