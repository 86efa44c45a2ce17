/* SPDX-License-Identifier: MIT */
/* Figures in a page: caption, panels that flow, legend; and the picture of a comparison. */
#include "document/comparison.h"
#include "document/figure/figure.h"
#include "document/figure/keys.h"
#include "write/escape.h"
#include "write/html.h"
#include "write/plot/figure_svg.h"
#include "write/plot/pictures.h"
#include "write/plot/plot.h"

#include <math.h>
#include <string.h>

enum { FOREST_ROWS = 30, TALL_FROM = 24 };

static void put_svg(struct am_html *h)
{
    if (!h->svg.overflow)
        (void)fwrite(am_text_str(&h->svg), 1, h->svg.len, h->out);
    else
        am_html_element(h, "p", "warn", "This picture is too large for a page.");
    am_text_clear(&h->svg);
}

/* ---- figures ---- */

static void put_legend(struct am_html *h, const struct am_figure *f)
{
    (void)fputs("<ul class=\"legend\">", h->out);
    for (size_t i = 0; i < f->n_legend; i++) {
        const struct am_plot_series *const s = &f->legend[i];

        (void)fputs("<li data-name=\"", h->out);
        am_escape_html(h->out, s->label);
        (void)fprintf(h->out, "\"><i class=\"%s%s\"></i>",
                      am_ink_class(AM_INK_SERIES + s->color % AM_SVG_COLORS),
                      s->dashed ? " dashed" : "");
        am_escape_html(h->out, s->label);
        (void)fputs("</li>", h->out);
    }
    (void)fputs("</ul>", h->out);
}

static void put_caption(struct am_html *h, const struct am_figure *f)
{
    (void)fputs("<figcaption>", h->out);
    am_html_element(h, "h3", NULL, am_figure_title(f));
    am_html_element(h, "p", NULL, am_figure_caption(f));
    if (f->constants && *f->constants)
        am_html_element(h, "p", "const", f->constants);
    if (f->omitted)
        am_html_element(h, "p", "note", f->omitted);
    if (f->verdicts)
        am_html_element(h, "p", "verdicts", f->verdicts);
    if (f->runs)
        am_html_element(h, "p", "const", f->runs);
    if (f->n_legend)
        put_legend(h, f);
    (void)fputs("</figcaption>\n", h->out);
}

static void put_table(struct am_html *h, const struct am_figure *f)
{
    (void)fprintf(h->out, "<div class=\"scroll%s\"><table class=\"sortable\"><thead><tr>",
                  f->n_lines > TALL_FROM ? " tall" : "");
    for (size_t c = 0; c < f->n_columns; c++)
        am_html_element(h, "th", f->n_lines && isfinite(f->lines[0].value[c]) ? "n" : NULL,
                        f->columns[c]);
    (void)fputs("</tr></thead><tbody>\n", h->out);
    for (size_t i = 0; i < f->n_lines; i++) {
        (void)fputs("<tr>", h->out);
        for (size_t c = 0; c < f->n_columns; c++) {
            const double value = f->lines[i].value[c];

            if (isfinite(value))
                (void)fprintf(h->out, "<td class=\"n\" data-v=\"%.6g\">", value);
            else
                (void)fputs("<td class=\"k\">", h->out);
            am_escape_html(h->out, f->lines[i].text[c]);
            (void)fputs("</td>", h->out);
        }
        (void)fputs("</tr>\n", h->out);
    }
    (void)fputs("</tbody></table></div>\n", h->out);
}

/* The machine of each run, below its name where there are several. */
static void put_machines(struct am_html *h, const struct am_figure *f)
{
    for (const struct am_figure_source *s = f->source; s; s = s->next) {
        (void)fputs("<div>", h->out);
        if (f->source->next && s->name)
            am_html_element(h, "p", NULL, s->name);
        am_machine_draw(s, &h->svg);
        put_svg(h);
        (void)fputs("</div>\n", h->out);
    }
}

static void put_panels(struct am_html *h, const struct am_figure *f)
{
    (void)fputs("<div class=\"panels\">\n", h->out);
    if (f->source) {
        put_machines(h, f);
        (void)fputs("</div>\n", h->out);
        return;
    }
    for (size_t i = 0; i < f->n_panels + (f->drawn != NULL); i++) {
        (void)fputs("<div>", h->out);
        if (i < f->n_panels)
            am_figure_panel_svg(f, i, &h->svg);
        else
            am_figure_svg(f, &h->svg);
        put_svg(h);
        (void)fputs("</div>\n", h->out);
    }
    (void)fputs("</div>\n", h->out);
}

/* The caption comes first, so that it is never read as the next figure's; one picture has it beside
 * itself where there is room. */
void am_html_figure(struct am_html *h, const struct am_figure *f)
{
    const bool one = (f->source && !f->source->next) || (!f->drawn && f->n_panels == 1);

    (void)fputs("<figure id=\"fig-", h->out);
    am_escape_html(h->out, am_figure_name(f));
    (void)fprintf(h->out, "\" class=\"%s\">\n",
                  one         ? "one"
                  : f->tracks ? "wide many"
                  : f->small  ? "small many"
                              : "many");
    put_caption(h, f);
    if (am_figure_is_drawn(f))
        put_panels(h, f);
    else
        put_table(h, f);
    (void)fputs("</figure>\n", h->out);
}

/* ---- comparisons ---- */

/* `speedup` turns with the metric's direction; so do the ends of its interval. */
static struct am_plot_effect effect_of(struct am_arena *arena, const struct am_comparison_row *row,
                                       const char *label)
{
    static const enum am_ink inks[AM_VERDICT_COUNT] = {
        [AM_VERDICT_SAME] = AM_INK_MUTED,       [AM_VERDICT_FASTER] = AM_INK_GOOD,
        [AM_VERDICT_SLOWER] = AM_INK_BAD,       [AM_VERDICT_MAYBE_FASTER] = AM_INK_GOOD,
        [AM_VERDICT_MAYBE_SLOWER] = AM_INK_BAD, [AM_VERDICT_SUSPECT] = AM_INK_WARN,
        [AM_VERDICT_UNDECIDED] = AM_INK_WARN,
    };
    const bool turned = row->metric_a->better == AM_LOWER;
    struct am_plot_effect e = {
        .ratio = row->speedup,
        .lo = turned ? 1 / row->ratio.hi : row->ratio.lo,
        .hi = turned ? 1 / row->ratio.lo : row->ratio.hi,
        .ink = inks[row->verdict],
        .label = label ? label : "?",
    };

    e.title = am_arena_printf(arena, "%s %s, %s: %.3f (%.3f to %.3f), p %.3g, %s", row->a->bench,
                              row->a->text, row->metric_a->name, e.ratio, e.lo, e.hi, row->p,
                              am_verdict_name(row->verdict));
    e.verdict = am_arena_printf(arena, "%s %.2f ×", am_verdict_name(row->verdict), e.ratio);
    if (!e.verdict)
        e.verdict = am_verdict_name(row->verdict);
    return e;
}

static const char *tone_of(enum am_ink ink)
{
    return ink == AM_INK_GOOD   ? "good"
           : ink == AM_INK_BAD  ? "bad"
           : ink == AM_INK_WARN ? "warn"
                                : "muted";
}

/* One row, or behind the last the axis. */
static void put_strip(struct am_html *h, const struct am_plot_forest *forest, size_t i)
{
    const bool head = i == forest->n;
    struct am_svg svg;

    am_svg_init(&svg, &h->svg);
    am_svg_root(&svg, AM_PLOT_WIDTH, head ? AM_PLOT_FOREST_HEAD : AM_PLOT_FOREST_ROW,
                head ? "ratio of the runs" : forest->rows[i].verdict);
    if (head)
        am_plot_forest_head(&svg, forest);
    else
        am_plot_forest_row(&svg, forest, i);
    am_svg_close(&svg);
    put_svg(h);
}

void am_html_forest(struct am_html *h, const struct am_block *block, struct am_arena *arena)
{
    const struct am_comparison *const c = block->comparison->comparison;
    const size_t n = c->n < FOREST_ROWS ? c->n : FOREST_ROWS;
    struct am_plot_effect *const rows = am_arena_array(arena, n + 1, sizeof(*rows));
    const struct am_plot_forest forest = {.rows = rows,
                                          .n = n,
                                          .delta = block->comparison->settings->delta,
                                          .lower = "← slower than the first run",
                                          .higher = "faster →"};

    if (!rows)
        return;
    for (size_t i = 0; i < n; i++)
        rows[i] = effect_of(arena, &c->rows[i], block->labels[i]);
    (void)fputs("<figure class=\"one\"><div class=\"panels\"><div>", h->out);
    put_strip(h, &forest, n);
    for (size_t i = 0; i < n; i++) {
        (void)fputs("<div class=\"effect\">", h->out);
        am_html_element(h, "span", NULL, rows[i].label);
        am_html_element(h, "b", tone_of(rows[i].ink), rows[i].verdict);
        put_strip(h, &forest, i);
        (void)fputs("</div>\n", h->out);
    }
    (void)fputs("</div></div><figcaption><h3>How much faster, with intervals</h3><p>Ratio of the "
                "runs, turned so that right is better; sorted by effect. The line is the 95 % "
                "interval, the shaded band holds differences too small to matter. An interval "
                "across the band's edge settles nothing.</p>",
                h->out);
    if (c->n > n)
        (void)fprintf(h->out,
                      "<p class=\"warn\">Not drawn: %zu rows of smaller effect; the table below "
                      "has them.</p>",
                      c->n - n);
    (void)fputs("</figcaption></figure>\n", h->out);
}
