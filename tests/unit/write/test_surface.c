/* SPDX-License-Identifier: MIT */
/* The surface of a tuning run: its rows and columns rise in whatever order the search came upon
 * them, open values and too small maps are left out. */
#include "document/figure/figure.h"
#include "evidence/evidence.h"
#include "result_fixture.h"
#include "tap.h"

static void add(struct rx_run *run, int w, int depth)
{
    const struct rx_metric metrics[] = {{"flops", "flop/s", 1e9 * w + depth}, {NULL, NULL, 0}};
    char text[64];

    (void)snprintf(text, sizeof(text), "n=4096 w=%d depth=%d", w, depth);
    (void)rx_add(run, "app.stencil", text, metrics);
}

static const struct am_figure *surface_of(struct rx_run *run, struct am_figures *figures)
{
    const struct am_facts facts = {0};
    const struct am_figure_source source = {
        .set = &run->set, .facts = &facts, .arena = &run->arena};
    struct am_err err = {0};
    const char *nearest;

    am_evidence_settle(&run->set);
    ok(am_figures_make(&source, figures, &err) == AM_OK, "figures are made %s", err.text);
    return am_figures_find(figures, "stencil-surface", &nearest);
}

static void test_order(void)
{
    static const int tried[][2] = {{0, 0},   {16, 120}, {3, 12}, {3, 120},
                                   {28, 41}, {16, 8},   {9, 41}, {4, 1024}};
    struct rx_run run = {0};
    struct am_figures figures = {0};
    const struct am_figure *f;
    const struct am_plot_heat *h;
    bool rows = true, columns = true;

    for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++)
        add(&run, tried[i][0], tried[i][1]);
    f = surface_of(&run, &figures);
    if (ok(f && f->n_panels == 1, "a run that tried pairs has the surface, of one point")) {
        static const char *const w[] = {"3 B", "4 B", "9 B", "16 B", "28 B"};
        static const char *const depth[] = {"8 B", "12 B", "41 B", "120 B", "1 KiB"};

        h = &f->panels[0].heat;
        ok(h->rows == 5 && h->columns == 5, "five widths, five depths, none of them open");
        for (size_t i = 0; i < 5 && h->rows == 5 && h->columns == 5; i++) {
            rows = rows && strcmp(h->row_names[i], w[i]) == 0;
            columns = columns && strcmp(h->column_names[i], depth[i]) == 0;
        }
        ok(rows && columns, "both rise");
        ok(h->values[3 * 5 + 3] > 16e9 && isnan(h->values[0]),
           "a value is in its cell, others empty");
    }
    am_arena_fini(&run.arena);
}

static void test_small(void)
{
    struct rx_run run = {0};
    struct am_figures figures = {0};

    add(&run, 16, 120);
    add(&run, 12, 120);
    add(&run, 13, 64);
    ok(!surface_of(&run, &figures), "three tuned points are no surface");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_order();
    test_small();
    return tap_done();
}
