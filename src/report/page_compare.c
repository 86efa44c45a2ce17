/* SPDX-License-Identifier: MIT */
/* Other runs beside the first: differences of the machines, a forest plot, the verdicts. */
#include "model/compare.h"
#include "report/page.h"
#include "document/units.h"

#include <string.h>

enum { ROWS_MAX = 30, TEXT_MAX = 512 };

static const enum am_ink verdict_inks[AM_VERDICT_COUNT] = {
    [AM_VERDICT_SAME] = AM_INK_MUTED,
    [AM_VERDICT_FASTER] = AM_INK_GOOD,
    [AM_VERDICT_SLOWER] = AM_INK_BAD,
    [AM_VERDICT_INCONCLUSIVE] = AM_INK_WARN,
};

bool am_page_has_comparison(const struct am_page *p)
{
    return p->in->n > 1;
}

/* A label that leaves room for the verdict, cut by whole characters. */
static const char *fitted(struct am_page *p, char *text)
{
    const double room = AM_PLOT_WIDTH - 125;
    size_t n = strlen(text);

    if (am_label_width(text, 11.5) <= room)
        return am_arena_strdup(p->arena, text);
    do {
        while (n > 0 && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
            n--;
        n -= n > 0;
        text[n] = '\0';
    } while (n > 0 && am_label_width(text, 11.5) > room - 12);
    return am_arena_printf(p->arena, "%s…", text);
}

/* `speedup` turns with the metric's direction; so do the ends of its interval. */
static struct am_plot_effect effect_of(struct am_page *p, const struct am_comparison_row *row)
{
    const bool turned = row->metric_a->better == AM_LOWER;
    struct am_plot_effect e = {
        .ratio = row->speedup,
        .lo = turned ? 1 / row->ratio.hi : row->ratio.lo,
        .hi = turned ? 1 / row->ratio.lo : row->ratio.hi,
        .ink = verdict_inks[row->verdict],
    };
    const char *label = am_arena_printf(p->arena, "%s %s", row->a->bench, row->a->text);
    char text[TEXT_MAX];

    (void)am_str_copy(text, sizeof(text), label ? label : "?");
    e.title = am_arena_printf(p->arena, "%s, %s: %.3f (%.3f to %.3f), p %.3g, %s", text,
                              row->metric_a->name, e.ratio, e.lo, e.hi, row->p,
                              am_verdict_name(row->verdict));
    label = fitted(p, text);
    e.label = label ? label : "?";
    e.verdict = am_arena_printf(p->arena, "%s %.2f ×", am_verdict_name(row->verdict), e.ratio);
    if (!e.verdict)
        e.verdict = am_verdict_name(row->verdict);
    return e;
}

static void write_forest(struct am_page *p, const struct am_comparison *c)
{
    const size_t n = c->n < ROWS_MAX ? c->n : ROWS_MAX;
    struct am_plot_effect *const rows = am_arena_array(p->arena, n + 1, sizeof(*rows));
    struct am_plot_forest forest = {.rows = rows,
                                    .n = n,
                                    .delta = p->in->compare.delta,
                                    .lower = "← slower than the first run",
                                    .higher = "faster →"};
    struct am_svg svg;

    if (!rows || n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        rows[i] = effect_of(p, &c->rows[i]);
    am_page_raw(p, "<figure class=\"one\"><div class=\"panels\"><div>");
    am_svg_init(&svg, &p->text);
    am_svg_root(&svg, AM_PLOT_WIDTH, am_plot_forest_height(&forest), "comparison with intervals");
    am_plot_forest(&svg, &forest);
    am_svg_close(&svg);
    am_page_raw(p, "</div></div><figcaption><h3>How much faster, with intervals</h3><p>Ratio of "
                   "the runs, turned so that right is better; sorted by effect. The line is the "
                   "95 % interval, the shaded band holds differences too small to matter. An "
                   "interval across the band's edge settles nothing.</p>");
    if (c->n > n)
        am_page_rawf(p,
                     "<p class=\"warn\">Not drawn: %zu rows of smaller effect; archmeter "
                     "compare has them.</p>",
                     c->n - n);
    am_page_raw(p, "</figcaption></figure>\n");
}

static void write_differences(struct am_page *p, const struct am_comparison *c)
{
    static const char *const heads[] = {"differs", "first run | this run", NULL};

    if (c->differences.n == 0) {
        am_page_raw(p, "<p>Machine and environment are the same.</p>\n");
        return;
    }
    am_page_table(p, "scroll", heads);
    for (size_t i = 0; i < c->differences.n; i++) {
        am_page_raw(p, "<tr>");
        am_page_element(p, "td", "k", c->differences.items[i].key);
        am_page_element(p, "td", "w", c->differences.items[i].value);
        am_page_raw(p, "</tr>\n");
    }
    am_page_table_end(p);
}

static void write_missing(struct am_page *p, const struct am_comparison *c)
{
    static const char *const heads[] = {"bench", "point", "why", NULL};

    if (c->n_missing == 0)
        return;
    am_page_rawf(p, "<details><summary>%zu points cannot be compared</summary>\n", c->n_missing);
    am_page_table(p, "scroll tall", heads);
    for (size_t i = 0; i < c->n_missing && i < ROWS_MAX * 5; i++) {
        am_page_raw(p, "<tr>");
        am_page_element(p, "td", "k", c->missing[i].result->bench);
        am_page_element(p, "td", "w", c->missing[i].result->text);
        am_page_element(p, "td", "w", c->missing[i].why);
        am_page_raw(p, "</tr>\n");
    }
    am_page_table_end(p);
    am_page_raw(p, "</details>\n");
}

static void write_one(struct am_page *p, const struct am_result_set *other)
{
    struct am_comparison c = {0};

    p->status = am_compare(p->set, other, &p->in->compare, p->arena, &c, p->err);
    if (p->status != AM_OK)
        return;
    am_page_raw(p, "<h3>");
    am_page_put(p, other->run.name);
    am_page_raw(p, " against ");
    am_page_put(p, p->set->run.name);
    am_page_rawf(p,
                 "</h3>\n<p><strong>%zu faster, %zu slower, %zu the same, %zu inconclusive</strong>"
                 " of %zu rows, differences from %.3g %% on",
                 c.count[AM_VERDICT_FASTER], c.count[AM_VERDICT_SLOWER], c.count[AM_VERDICT_SAME],
                 c.count[AM_VERDICT_INCONCLUSIVE], c.n, p->in->compare.delta * 100);
    if (c.n)
        am_page_rawf(p, "; geometric mean of the speed-ups %.3f", c.geomean_speedup);
    am_page_raw(p, ".</p>\n");
    write_differences(p, &c);
    write_forest(p, &c);
    write_missing(p, &c);
    am_page_flush(p);
}

void am_page_comparison(struct am_page *p)
{
    am_page_heading(p, "Comparison");
    for (size_t i = 1; i < p->in->n && p->status == AM_OK; i++)
        write_one(p, &p->in->sets[i]);
}
