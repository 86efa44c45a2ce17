/* SPDX-License-Identifier: MIT */
/* Figures told apart by values: what looks alike when shortened stays apart, what is left out is
 * said, and where the best of points counts only that is shown. */
#include "document/figure/figure.h"
#include "document/figure/figure_data.h"
#include "document/figure/figure_make.h"
#include "document/figure/keys.h"
#include "evidence/evidence.h"
#include "model/compare.h"

#include "result_fixture.h"
#include "tap.h"

/* Names of devices as drivers give them: they differ behind their fortieth character. */
#define LONG_NAME "NVIDIA_H200_with_141_GiB_of_HBM3e_memory_on_bus_"

static const struct am_figure_row lines = {.name = "lines",
                                           .section = "S",
                                           .title = "T",
                                           .caption = "C",
                                           .bench = "t.b",
                                           .kind = AM_FIGURE_LINES,
                                           .x = "size",
                                           .series = "device"};

static void add(struct rx_run *run, const char *text, double value)
{
    const struct rx_metric metrics[] = {{"rate", "B/s", value}, {NULL, NULL, 0}};

    rx_add(run, "t.b", text, metrics)->metrics[0].better = AM_HIGHER;
}

static bool make(struct rx_run *run, const struct am_figure_row *row, struct am_figure *out)
{
    static const struct am_facts none = {0};
    const struct am_figure_source source = {.set = &run->set, .facts = &none, .arena = &run->arena};
    struct am_err err = {0};
    bool made = false;

    am_evidence_settle(&run->set);
    ok(am_figure_make(&source, row, out, &made, &err) == AM_OK, "%s is made %s", row->name,
       err.text);
    return made;
}

static void test_long_names(void)
{
    struct rx_run run = {0};
    struct am_figure f;
    const struct am_plot *p = NULL;
    bool rises = true;

    for (int size = 1; size <= 4; size++) {
        for (int device = 0; device < 2; device++) {
            char text[128];

            (void)snprintf(text, sizeof(text), "device=" LONG_NAME "%d size=%d", device, size);
            add(&run, text, 1e9 * (1 + device) * size);
        }
    }
    if (ok(make(&run, &lines, &f) && f.n_panels == 1, "a figure of two devices"))
        p = &f.panels[0].plot;
    ok(p && p->n == 2 && p->series[0].n == 4 && p->series[1].n == 4,
       "each device has a line of its own, however long the part of the name that they share");
    for (size_t i = 1; p && i < 4; i++)
        rises = rises && p->series[0].marks[i].x > p->series[0].marks[i - 1].x;
    ok(rises, "no line goes back and forth");
    ok(p && strcmp(p->series[0].label, p->series[1].label) != 0 &&
           strlen(p->series[0].label) < sizeof(LONG_NAME),
       "their labels are shorter and still differ: %s, %s", p ? p->series[0].label : "",
       p ? p->series[1].label : "");
    am_arena_fini(&run.arena);
}

static void test_bars(void)
{
    static const struct am_figure_row bars = {.name = "bars",
                                              .section = "S",
                                              .title = "T",
                                              .caption = "C",
                                              .bench = "t.b",
                                              .kind = AM_FIGURE_BARS,
                                              .x = "device",
                                              .series = "type"};
    struct rx_run run = {0};
    struct am_figure f;
    bool differ = true;

    for (int device = 0; device < 50; device++) {
        char text[128];

        (void)snprintf(text, sizeof(text), "device=" LONG_NAME "%c%d type=f64 mode=on",
                       'a' + device % 26, device);
        add(&run, text, 1e9);
        (void)snprintf(text, sizeof(text), "device=" LONG_NAME "%c%d type=f64 mode=off",
                       'a' + device % 26, device);
        add(&run, text, 2e9);
    }
    if (!ok(make(&run, &bars, &f), "bars of fifty devices"))
        return;
    for (size_t s = 0; s < f.panels[0].plot.n; s++) {
        const struct am_plot_series *const line = &f.panels[0].plot.series[s];

        for (size_t i = 1; i < line->n; i++)
            differ = differ && line->marks[i].x > line->marks[i - 1].x;
    }
    ok(differ, "no bar is drawn over another");
    ok(f.panels[0].plot.n == 2 && f.panels[0].plot.x.n_names == 48,
       "an axis that the row does not name parts the series");
    ok(f.omitted && strstr(f.omitted, "2 more places"), "what has no room is told: %s",
       f.omitted ? f.omitted : "");
    am_arena_fini(&run.arena);
}

static void test_many_series(void)
{
    struct rx_run run = {0};
    struct am_figure f;

    for (int device = 0; device < 30; device++) {
        for (int size = 1; size <= 3; size++) {
            char text[128];

            (void)snprintf(text, sizeof(text), "device=d%d size=%d", device, size);
            add(&run, text, 1e9 * size);
        }
    }
    ok(make(&run, &lines, &f) && f.panels[0].plot.n == AM_FIGURE_SERIES_MAX,
       "of thirty series twelve are drawn");
    ok(f.omitted && strstr(f.omitted, "18 more series"), "and the others are counted: %s",
       f.omitted ? f.omitted : "");
    am_arena_fini(&run.arena);
}

static void test_nothing_to_say(void)
{
    struct rx_run run = {0};
    struct am_figure f;

    add(&run, "device=a size=1", 1);
    add(&run, "device=b size=2", 1);
    ok(!make(&run, &lines, &f), "single marks are no lines");
    add(&run, "device=b size=3", 1);
    ok(!make(&run, &lines, &f), "nor are two places");
    add(&run, "device=b size=4", 1);
    ok(make(&run, &lines, &f) && f.row->kind == AM_FIGURE_LINES, "three are");
    am_arena_fini(&run.arena);
}

/* What is compared at one or two places is bars. */
static void test_few_places(void)
{
    struct rx_run run = {0};
    struct am_figure f;

    add(&run, "device=a size=1", 1e9);
    add(&run, "device=b size=1", 2e9);
    ok(!make(&run, &lines, &f), "with one value of its axis a figure says nothing of it");
    add(&run, "device=a size=2", 3e9);
    ok(make(&run, &lines, &f) && f.row->kind == AM_FIGURE_BARS && f.panels[0].plot.n == 2,
       "at two places they are groups of bars");
    is_str(f.panels[0].plot.x.names[1], "size 2 B", "that say what their number is");
    ok(strstr(f.row->caption, "too few for a curve") != NULL, "and the caption why: %s",
       f.row->caption);
    am_arena_fini(&run.arena);
}

/* Panels that have one place each say nothing of their axis, though they differ in it. */
static void test_places_of_panels(void)
{
    struct rx_run run = {0};
    struct am_figure_row row = lines;
    struct am_figure f;

    row.panel = "kernel";
    add(&run, "device=a kernel=x size=1", 1e9);
    add(&run, "device=b kernel=x size=1", 2e9);
    add(&run, "device=a kernel=y size=2", 3e9);
    ok(!make(&run, &row, &f), "one place per panel is no figure over the axis");
    add(&run, "device=a kernel=x size=2", 3e9);
    ok(make(&run, &row, &f) && f.row->kind == AM_FIGURE_BARS, "two places in a panel are bars");
    am_arena_fini(&run.arena);
}

/* A figure about an axis takes two values of it. */
static void test_compares(void)
{
    struct am_figure_row about = lines;
    struct rx_run run = {0};
    struct am_figure f;

    about.compares = "device";
    for (int size = 1; size <= 4; size++) {
        char text[128];

        (void)snprintf(text, sizeof(text), "device=a size=%d", size);
        add(&run, text, 1e9);
    }
    ok(make(&run, &lines, &f) && !make(&run, &about, &f), "one device is nothing to compare");
    add(&run, "device=b size=1", 1e9);
    ok(make(&run, &about, &f), "two are");
    am_arena_fini(&run.arena);
}

/* Panels without a curve are left out, and counted. */
static void test_thin_panels(void)
{
    struct am_figure_row row = lines;
    struct rx_run run = {0};
    struct am_figure f;

    row.panel = "device";
    row.series = NULL;
    for (int size = 1; size <= 4; size++) {
        char text[128];

        (void)snprintf(text, sizeof(text), "device=a size=%d", size);
        add(&run, text, 1e9);
    }
    add(&run, "device=b size=1", 1e9);
    ok(make(&run, &row, &f) && f.n_panels == 1, "one panel has a curve");
    is_str(f.panels[0].plot.title, "a", "the one that is shown");
    ok(f.omitted && strstr(f.omitted, "1 more panels with too few places"), "the other is told: %s",
       f.omitted ? f.omitted : "");
    am_arena_fini(&run.arena);
}

static void test_map(void)
{
    struct am_figure_row map = lines;
    struct rx_run run = {0};
    struct am_figure f;

    map.kind = AM_FIGURE_HEAT;
    add(&run, "device=a size=1", 1e9);
    add(&run, "device=a size=2", 2e9);
    ok(!make(&run, &map, &f), "two cells are no map");
    add(&run, "device=b size=2", 2e9);
    ok(make(&run, &map, &f), "three are");
    am_arena_fini(&run.arena);
}

/* Two runs in one figure: the same colours, told apart by their run; what the comparison says of a
 * point stands at its mark. */
static void test_two_runs(void)
{
    static const struct am_facts none = {0};
    struct am_figure_row map = lines;
    struct rx_run runs[2] = {0};
    struct am_comparison_row row = {.verdict = AM_VERDICT_FASTER, .speedup = 1.5};
    const struct am_comparison comparison = {.rows = &row, .n = 1};
    struct am_figure_source sources[2];
    struct am_figure f;
    struct am_err err = {0};
    bool made = false;

    for (int k = 0; k < 2; k++) {
        for (int size = 1; size <= 4; size++) {
            char text[128];

            (void)snprintf(text, sizeof(text), "device=a size=%d", size);
            add(&runs[k], text, 1e9 * (1 + k));
            (void)snprintf(text, sizeof(text), "device=b size=%d", size);
            if (k == 0)
                add(&runs[k], text, 3e9);
        }
        am_evidence_settle(&runs[k].set);
        sources[k] = (struct am_figure_source){.set = &runs[k].set,
                                               .facts = &none,
                                               .arena = &runs[0].arena,
                                               .name = k ? "new.db" : "old.db"};
    }
    row.b = &runs[1].set.results[0];
    row.metric_b = &row.b->metrics[0];
    sources[0].next = &sources[1];
    sources[1].comparison = &comparison;
    ok(am_figure_make(&sources[0], &lines, &f, &made, &err) == AM_OK && made &&
           f.panels[0].plot.n == 3,
       "a line per device and run");
    if (made && f.panels[0].plot.n == 3) {
        const struct am_plot_series *const s = f.panels[0].plot.series;

        ok(s[0].run == 0 && s[1].run == 1 && s[0].color == s[1].color && s[2].color != s[0].color,
           "the second run has the colour of the first");
        ok(strstr(s[1].marks[0].title, "new.db") && strstr(s[1].marks[0].title, "faster, 1.5 x"),
           "its marks say run and verdict: %s", s[1].marks[0].title);
    }
    is_str(f.verdicts, "new.db against old.db: 1 faster", "verdicts are counted");
    ok(f.runs && strstr(f.runs, "old.db") && strstr(f.runs, "new.db"), "runs are named: %s",
       f.runs ? f.runs : "");
    map.kind = AM_FIGURE_HEAT;
    map.where = "device=a size<=2";
    ok(am_figure_make(&sources[0], &map, &f, &made, &err) == AM_OK && !made,
       "two cells of each run are no map");
    for (int k = 1; k >= 0; k--)
        am_arena_fini(&runs[k].arena);
}

/* Values that are rounded to the same words. */
static void test_rounded(void)
{
    struct rx_run run = {0};
    struct am_keys keys = {.arena = &run.arena};

    am_keys_use(&keys, "size");
    add(&run, "size=1048576000", 1);
    add(&run, "size=1048576001", 1);
    add(&run, "size=1048576000.0", 1);
    for (size_t i = 0; i < 3; i++)
        (void)am_keys_index(&keys, &run.set.results[i]);
    ok(keys.n == 2, "a number is one value however it is written");
    if (ok(am_keys_label(&keys, AM_LABEL_BARE), "they have labels"))
        ok(strcmp(keys.labels[0], keys.labels[1]) != 0, "labels differ where values do: %s, %s",
           keys.labels[0], keys.labels[1]);
    am_arena_fini(&run.arena);
}

static void test_shorten(void)
{
    static const struct {
        const char *texts[3], *want[3];
    } cases[] = {
        {{"short", "words"}, {"short", "words"}},
        {{"abcdefghijklmn", "xbcdefghijklmn"}, {"abcdefghij…", "xbcdefghij…"}},
        {{"abcdefghijklmn1", "abcdefghijklmn2", "x"}, {"abcdefgh…1", "abcdefgh…2", "x"}},
        {{"abcdefghijklmnAAAA", "abcdefghijkl", "abcdefghijklmnBBBB"},
         {"abcdefgh…AAAA", "abcdefgh…", "abcdefgh…BBBB"}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_arena arena = {0};
        const char *texts[3];
        size_t n = 0;

        for (; n < 3 && cases[i].texts[n]; n++)
            texts[n] = cases[i].texts[n];
        am_labels_shorten(texts, n, 10, &arena);
        for (size_t k = 0; k < n; k++)
            is_str(texts[k], cases[i].want[k], cases[i].texts[k]);
        am_arena_fini(&arena);
    }
}

static const struct am_figure_row best = {.name = "best",
                                          .section = "S",
                                          .title = "T",
                                          .caption = "C",
                                          .bench = "t.b",
                                          .kind = AM_FIGURE_LINES,
                                          .x = "threads",
                                          .series = "variant,type",
                                          .panel = "n/threads",
                                          .best = true};

static void test_best(void)
{
    struct rx_run run = {0};
    struct am_figure f;
    const struct am_plot *p;

    add(&run, "variant=v type=f64 n=100 threads=1 policy=a", 1e9);
    add(&run, "variant=v type=f64 n=100 threads=1 policy=b", 3e9);
    add(&run, "variant=v type=f64 n=200 threads=2 policy=a", 5e9);
    add(&run, "variant=v type=f64 n=200 threads=2 policy=b", 4e9);
    add(&run, "variant=v type=f32 n=200 threads=2 policy=b", 9e9);
    add(&run, "variant=v type=f64 n=400 threads=4 policy=b", 6e9);
    add(&run, "variant=v type=f64 n=50 threads=4 policy=b", 7e9);
    add(&run, "variant=v type=f64 n=300 threads=1 policy=b", 8e9);
    if (!ok(make(&run, &best, &f) && f.n_panels == 1,
            "panels of whole quotients, with a line of three places"))
        return;
    p = &f.panels[0].plot;
    ok(p->n == 2 && p->series[0].n == 3 && p->series[1].n == 1, "a line per variant and type");
    is_near(p->series[0].marks[0].y, 3e9, 1e-3, "at each place the best of all points");
    is_near(p->series[0].marks[1].y, 5e9, 1e-3, "whoever reached it");
    ok(strcmp(p->title, "n/threads 100") == 0, "the panel says its quotient: %s", p->title);
    am_arena_fini(&run.arena);
}

static bool compute(const struct am_figure_source *source, struct am_plots *out)
{
    for (size_t i = 0; i < 30; i++) {
        static const struct am_plot_mark marks[] = {{.x = 1, .y = 2}, {.x = 2, .y = 2}, {.x = 3}};
        struct am_plot *const plot = am_plots_add(out, &(struct am_plot){.title = "panel"});

        for (size_t k = 0; plot && k < (i == 0 ? 14 : 1); k++)
            am_plot_add(plot, source->arena,
                        &(struct am_plot_series){.label = "line", .marks = marks, .n = 3});
    }
    return true;
}

static void test_computed(void)
{
    const struct am_figure_row row = {.name = "computed", .make = compute};
    struct rx_run run = {0};
    struct am_figure f;

    ok(make(&run, &row, &f) && f.n_panels == AM_FIGURE_PANELS_MAX && f.own_legends &&
           f.panels[0].plot.n == AM_FIGURE_SERIES_MAX,
       "computed lines are cut down like others");
    ok(f.omitted && strstr(f.omitted, "2 more series and 6 more panels"), "and it is told: %s",
       f.omitted ? f.omitted : "");
    am_arena_fini(&run.arena);
}

static bool has_place(const char *section)
{
    size_t i = 0;

    while (am_sections[i] && strcmp(am_sections[i], section) != 0)
        i++;
    return am_sections[i] != NULL;
}

/* What no family draws is a table where its axes have no numbers: one of many rows says so, too. */
static void test_tables(void)
{
    static const size_t counts[] = {3, 40};

    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        struct rx_run run = {0};
        const struct am_figure_source source = {.set = &run.set, .arena = &run.arena};
        struct am_figure_row row;

        for (size_t i = 0; i < counts[k]; i++)
            add(&run, am_arena_printf(&run.arena, "instr=form%zu", i), 1e9);
        am_evidence_settle(&run.set);
        am_figure_generic(&source, "t.b", &row);
        ok(row.kind == AM_FIGURE_TABLE && (strstr(row.caption, "so few") != NULL) == (k == 0),
           "%zu names are a table: %s", counts[k], row.caption);
        am_arena_fini(&run.arena);
    }
}

/* Numbers of random mixes have no order that a curve could follow. */
static void test_mixes(void)
{
    static const char *const benches[] = {"cpu.ports", "cpu.mix", "cpu.chain", "cpu.loop"};
    size_t tables = 0, others = 0;

    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_figure_row *r = am_families[i]->figures; r && r->name; r++) {
            for (size_t k = 0; k < sizeof(benches) / sizeof(benches[0]); k++) {
                const bool same = r->bench && strcmp(r->bench, benches[k]) == 0;

                tables += same && r->kind == AM_FIGURE_TABLE;
                others += same && r->kind != AM_FIGURE_TABLE;
            }
        }
    }
    ok(tables == 4 && others == 0, "what ports are inferred from are tables with captions");
}

/* `export --svg NAME` finds a figure by its name. */
static void test_names(void)
{
    const char *names[512], *lost = NULL;
    size_t n = 0, twice = 0;

    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_figure_row *r = am_families[i]->figures; r && r->name; r++) {
            for (size_t k = 0; k < n; k++)
                twice += strcmp(names[k], r->name) == 0;
            if (!has_place(r->section))
                lost = r->section;
            if (n < sizeof(names) / sizeof(names[0]))
                names[n++] = r->name;
        }
    }
    ok(n > 50 && twice == 0, "%zu figures of families have names of their own", n);
    ok(!lost, "the section of every figure has its place on the page: %s", lost ? lost : "");
}

int main(void)
{
    test_long_names();
    test_bars();
    test_many_series();
    test_nothing_to_say();
    test_tables();
    test_mixes();
    test_few_places();
    test_places_of_panels();
    test_compares();
    test_thin_panels();
    test_map();
    test_two_runs();
    test_rounded();
    test_shorten();
    test_best();
    test_computed();
    test_names();
    return tap_done();
}
