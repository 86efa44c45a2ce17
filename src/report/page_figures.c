/* SPDX-License-Identifier: MIT */
/* Figures in the page: caption, panels that flow, legend; and tables of results. */
#include "document/figure/figure_data.h"
#include "document/figure/figure_make.h"
#include "report/page.h"
#include "write/plot/figure_svg.h"

#include <math.h>
#include <string.h>

static void write_caption(struct am_page *p, const struct am_figure *f)
{
    am_page_raw(p, "<figcaption>");
    am_page_element(p, "h3", NULL, am_figure_title(f));
    am_page_element(p, "p", NULL, am_figure_caption(f));
    if (f->constants && *f->constants)
        am_page_element(p, "p", "const", f->constants);
    if (f->omitted)
        am_page_element(p, "p", "warn", f->omitted);
    if (f->n_legend) {
        am_page_raw(p, "<ul class=\"legend\">");
        for (size_t i = 0; i < f->n_legend; i++) {
            const struct am_plot_series *const s = &f->legend[i];

            am_page_raw(p, "<li data-name=\"");
            am_page_put(p, s->label);
            am_page_rawf(p, "\"><i class=\"%s%s\"></i>",
                         am_ink_class(AM_INK_SERIES + s->color % AM_SVG_COLORS),
                         s->dashed ? " dashed" : "");
            am_page_put(p, s->label);
            am_page_raw(p, "</li>");
        }
        am_page_raw(p, "</ul>");
    }
    am_page_raw(p, "</figcaption>\n");
}

static void write_table(struct am_page *p, const struct am_figure *f)
{
    am_page_rawf(p, "<div class=\"%s\"><table class=\"sortable\"><thead><tr>",
                 f->n_lines > 24 ? "scroll tall" : "scroll");
    for (size_t c = 0; c < f->n_columns; c++)
        am_page_element(p, "th", f->n_lines && isfinite(f->lines[0].value[c]) ? "n" : NULL,
                        f->columns[c]);
    am_page_raw(p, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < f->n_lines; i++) {
        am_page_raw(p, "<tr>");
        for (size_t c = 0; c < f->n_columns; c++) {
            if (isfinite(f->lines[i].value[c]))
                am_page_number(p, f->lines[i].value[c], f->lines[i].text[c]);
            else
                am_page_element(p, "td", "k", f->lines[i].text[c]);
        }
        am_page_raw(p, "</tr>\n");
    }
    am_page_table_end(p);
}

static void write_panels(struct am_page *p, const struct am_figure *f)
{
    am_page_raw(p, "<div class=\"panels\">\n");
    for (size_t i = 0; i < f->n_panels; i++) {
        am_page_raw(p, "<div>");
        am_figure_panel_svg(f, i, &p->text);
        am_page_raw(p, "</div>\n");
    }
    if (f->drawn) {
        am_page_raw(p, "<div>");
        am_figure_svg(f, &p->text);
        am_page_raw(p, "</div>\n");
    }
    am_page_raw(p, "</div>\n");
}

/* One picture has its caption beside it, many have it above. */
void am_page_figure(struct am_page *p, const struct am_figure *f)
{
    const bool one = !f->drawn && f->n_panels == 1;

    am_page_raw(p, "<figure id=\"fig-");
    am_page_put(p, am_figure_name(f));
    am_page_rawf(p, "\" class=\"%s\">\n",
                 f->drawn   ? "wide many"
                 : one      ? "one"
                 : f->small ? "small many"
                            : "many");
    if (!one)
        write_caption(p, f);
    if (am_figure_is_drawn(f))
        write_panels(p, f);
    else
        write_table(p, f);
    if (one)
        write_caption(p, f);
    am_page_raw(p, "</figure>\n");
    am_page_flush(p);
}

void am_page_section(struct am_page *p, const char *section)
{
    am_page_heading(p, section);
    for (size_t i = 0; i < p->figures.n; i++) {
        if (strcmp(am_figure_section(&p->figures.items[i]), section) == 0)
            am_page_figure(p, &p->figures.items[i]);
    }
}

/* ---- every result, in words ---- */

bool am_page_has_results(const struct am_page *p)
{
    return p->set->n > 0;
}

static bool is_first_of_bench(const struct am_result_set *set, size_t i)
{
    for (size_t k = i; k-- > 0;) {
        if (strcmp(set->results[k].bench, set->results[i].bench) == 0)
            return false;
    }
    return true;
}

void am_page_results(struct am_page *p)
{
    const struct am_figure_source source = {.set = p->set, .facts = &p->facts, .arena = p->arena};
    const char *last = "";

    am_page_heading(p, "All results");
    am_page_raw(p, "<p>Every point that was measured, one table a bench: the axes that vary, the "
                   "median of each metric, and half of the first one's interval.</p>\n");
    for (size_t i = 0; i < p->set->n && p->status == AM_OK; i++) {
        const struct am_figure_row row = {.name = p->set->results[i].bench,
                                          .bench = p->set->results[i].bench,
                                          .kind = AM_FIGURE_TABLE};
        struct am_figure f;
        bool made = false;

        if (strcmp(last, row.bench) == 0 || !is_first_of_bench(p->set, i))
            continue;
        last = row.bench;
        p->status = am_figure_make(&source, &row, &f, &made, p->err);
        if (!made)
            continue;
        am_page_raw(p, "<details><summary>");
        am_page_put(p, row.bench);
        am_page_rawf(p, ", %zu points</summary>\n", f.n_lines);
        am_page_element(p, "p", "muted", f.constants);
        if (f.omitted)
            am_page_element(p, "p", "warn", f.omitted);
        write_table(p, &f);
        am_page_raw(p, "</details>\n");
        am_page_flush(p);
    }
}
