/* SPDX-License-Identifier: MIT */
/* Figures of a fixed run: which there are, golden pictures, hostile names; and the page. */
#include "tap.h"

#include "figure_fixture.h"

#include "document/figure/figure.h"
#include "model/facts.h"
#include "document/page.h"
#include "write/write.h"
#include "write/plot/figure_svg.h"

#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 1 << 26, NAME_BYTES = 1 << 20 };

static const char path[] = "figure-test.db", other_path[] = "figure-test-2.db";

static char *read_file(const char *name, size_t *n)
{
    FILE *const f = fopen(name, "rb");
    char *data = NULL;
    long size;

    *n = 0;
    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)
        data = malloc((size_t)size + 1);
    if (data) {
        *n = fread(data, 1, (size_t)size, f);
        data[*n] = '\0';
    }
    (void)fclose(f);
    return data;
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        n++;
    return n;
}

static void test_names(const struct am_figures *figures)
{
    static const char *const names[] = {"latency", "flops-streams", "pingpong",
                                        "generic-odd.bench"};
    const char *nearest;

    for (size_t i = 0; i < 3; i += 2)
        ok(am_figures_find(figures, names[i], &nearest) != NULL, "the run has the figure %s",
           names[i]);
    ok(am_figures_find(figures, names[3], &nearest) != NULL,
       "a bench that no table names has a figure of its own");
    ok(!am_figures_find(figures, "latncy", &nearest), "there is no figure latncy");
    is_str(nearest, "latency", "the nearest name is told");
    ok(!am_figures_find(figures, "stanza", &nearest), "what was not measured has no figure");
}

/* Compares with the stored picture; AM_GOLDEN_UPDATE writes it instead. */
static void test_golden(const struct am_figures *figures, const char *folder, const char *name)
{
    const char *nearest;
    const struct am_figure *const f = am_figures_find(figures, name, &nearest);
    char file[1024];
    struct am_text svg;
    char *want;
    size_t n;

    if (!ok(f != NULL, "there is a figure %s to compare", name))
        return;
    am_text_init(&svg, LIMIT);
    am_figure_svg(f, &svg);
    (void)snprintf(file, sizeof(file), "%s/%s.svg", folder, name);
    if (getenv("AM_GOLDEN_UPDATE")) {
        FILE *const out = fopen(file, "wb");

        if (out) {
            (void)fwrite(am_text_str(&svg), 1, svg.len, out);
            (void)fclose(out);
        }
    }
    want = read_file(file, &n);
    ok(want && n == svg.len && memcmp(want, am_text_str(&svg), n) == 0,
       "%s is drawn as it was, byte by byte", name);
    free(want);
    am_text_fini(&svg);
}

static void test_contents(const struct am_figures *figures)
{
    const char *nearest;
    const struct am_figure *const latency = am_figures_find(figures, "latency", &nearest);
    const struct am_figure *const map = am_figures_find(figures, "pingpong", &nearest);

    ok(latency && latency->n_panels == 1 && latency->panels[0].plot.n == 2 &&
           latency->panels[0].plot.series[0].n == 8,
       "the staircase has a line a pattern and a mark a size");
    if (latency) {
        ok(latency->panels[0].plot.labels && latency->n_legend == 0,
           "its lines are named at their ends");
        is_str(latency->constants, "pages=any", "what does not vary is told");
        ok(!latency->omitted, "nothing is left out");
        is_near(latency->panels[0].plot.series[0].marks[0].y * 1e9, 1.1 * 1.0215, 1e-9,
                "a mark is the median of launch medians, without the disturbed samples");
        ok(latency->panels[0].plot.series[0].marks[0].lo <
               latency->panels[0].plot.series[0].marks[0].hi,
           "with its interval");
    }
    ok(map && map->n_panels == 2 && map->panels[0].heat.columns == 4 &&
           map->panels[0].heat.rows == 1,
       "a map has a panel a method, a column a CPU");
}

static char *make_page(const struct am_result_set *sets, size_t n, struct am_arena *arena,
                       size_t *size)
{
    struct am_page input = {.sets = sets,
                            .n = n,
                            .compare = {.delta = 0.02, .level = 0.95},
                            .command = "archmeter report '</pre>'",
                            .arena = arena};
    struct am_document document;
    struct am_err err = {0};
    char *data = NULL;
    FILE *const out = open_memstream(&data, size);

    ok(am_page_learn(&input, &err) == AM_OK, "the page is made %s", err.text);
    document = am_document_page(&input);
    am_write(&document, &(struct am_style){.format = AM_FORMAT_HTML}, arena, out);
    (void)fclose(out);
    return data;
}

static void test_page(const struct am_result_set *sets, struct am_arena *arena)
{
    static const char *const wanted[] = {
        "id=\"verdict\"",
        "id=\"findings\"",
        "id=\"comparison\"",
        "id=\"method\"",
        "id=\"reproduce\"",
        "id=\"fig-latency\"",
        "id=\"fig-pingpong\"",
        "data:application/json",
        "slower",
        "--seed 42",
        "powersave &lt;/script&gt;",
        "Test &amp; CPU &lt;1&gt;",
        "&#39;&lt;/pre&gt;&#39;",
        "archmeter report",
    };
    size_t n = 0, again = 0;
    char *const page = make_page(sets, 2, arena, &n);
    char *const second = make_page(sets, 2, arena, &again);
    const char *const no_xmlns = "http://www.w3.org/2000/svg";

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        ok(strstr(page, wanted[i]) != NULL, "the page has %s", wanted[i]);
    ok(n == again && memcmp(page, second, n) == 0, "the same run gives the same page");
    ok(count(page, "http://") + count(page, "https://") == count(page, no_xmlns),
       "the page names no other place");
    ok(count(page, "</script>") == 1, "the only script is the page's own");
    ok(count(page, "</html>") == 1 && strcmp(page + n - 8, "</html>\n") == 0, "the page is whole");
    ok(count(page, "<table") == count(page, "</table>") &&
           count(page, "<figure") == count(page, "</figure>") &&
           count(page, "<svg") == count(page, "</svg>"),
       "tables, figures and pictures are closed");
    ok(n < 400000, "a small run is a small page (%zu bytes)", n);
    free(page);
    free(second);
}

/* Names as no bench has them: markup, quotes, a megabyte. */
static void test_hostile(void)
{
    static const struct am_metric metrics[] = {
        {.name = "<m>", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_TIME_PER_OP},
        {.name = NULL}};
    static const struct gx_bench hostile = {{.name = "</script><img src=x>.\"'&",
                                             .summary = "s",
                                             .version = 1,
                                             .axes = gx_hostile_axes,
                                             .metrics = metrics},
                                            "1 2 4 8",
                                            "",
                                            gx_matrix};
    struct gx_plan *const g = calloc(1, sizeof(*g));
    char names[2][32] = {"</svg><script>", "]]>\"'\xff"};
    char *const long_name = malloc(NAME_BYTES);
    struct am_arena arena = {0};
    struct am_result_set set = {0};
    struct am_err err = {0};
    size_t n = 0;
    char *page;

    memset(long_name, 'x', NAME_BYTES - 1);
    long_name[NAME_BYTES - 1] = '\0';
    gx_add(g, &hostile, names, 2);
    for (size_t i = 0; i < g->plan.n; i += 3)
        g->values[i][2].name = long_name;
    ok(gx_store(path, g, 5, 1, &err) == AM_OK, "the store takes hostile names %s", err.text);
    ok(gx_load(path, &arena, &set, &err) == AM_OK, "and gives them back %s", err.text);
    page = make_page(&set, 1, &arena, &n);
    ok(!strstr(page, "<img") && !strstr(page, "</svg><script>") && count(page, "</script>") == 1,
       "no name becomes markup");
    ok(strstr(page, "&lt;img src=x&gt;"), "it is shown as text");
    ok(n < 2000000, "a megabyte of name is cut (%zu bytes)", n);
    free(page);
    free(long_name);
    free(g);
    am_arena_fini(&arena);
    (void)unlink(path);
}

/* More series than can be told apart are cut, and the figure says so. */
static void test_too_many(void)
{
    static char names[20][32];
    static const struct gx_bench many = {{.name = "mem.latency",
                                          .summary = "s",
                                          .version = 2,
                                          .axes = gx_latency_axes,
                                          .metrics = gx_time},
                                         "4096 8192 16384",
                                         "",
                                         gx_staircase};
    struct gx_plan *const g = calloc(1, sizeof(*g));
    struct am_arena arena = {0};
    struct am_result_set set = {0};
    struct am_facts facts = {0};
    struct am_figures figures = {0};
    const struct am_figure_source source = {.set = &set, .facts = &facts, .arena = &arena};
    struct am_err err = {0};
    const char *nearest;
    const struct am_figure *f = NULL;

    for (size_t i = 0; i < 20; i++)
        (void)snprintf(names[i], sizeof(names[i]), "pattern%02zu", i);
    gx_add(g, &many, names, 20);
    if (ok(gx_store(path, g, 2, 1, &err) == AM_OK && gx_load(path, &arena, &set, &err) == AM_OK &&
               am_figures_make(&source, &figures, &err) == AM_OK,
           "a run with twenty patterns is drawn %s", err.text))
        f = am_figures_find(&figures, "latency", &nearest);
    ok(f && f->panels[0].plot.n == AM_FIGURE_SERIES_MAX, "twelve lines are drawn");
    ok(f && f->omitted && strstr(f->omitted, "8 more series"), "the rest is counted");
    ok(f && f->n_legend == AM_FIGURE_SERIES_MAX, "and a legend names them");
    am_arena_fini(&arena);
    free(g);
    (void)unlink(path);
}

/* Loops whose schedule states no chunk have no place on the axis of chunks. */
static double sched_cost(double chunk, size_t name)
{
    return (name == 0 ? 1e-6 : 40e-6) / (chunk > 0 ? chunk : 20);
}

static void test_level(void)
{
    static const struct am_axis axes[] = {{.name = "chunk", .kind = AM_AXIS_INT},
                                          {.name = "schedule", .kind = AM_AXIS_NAME},
                                          {.name = "runtime", .kind = AM_AXIS_NAME},
                                          {.name = NULL}};
    static const struct am_metric overhead[] = {
        {.name = "overhead", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_TIME_PER_OP},
        {.name = NULL}};
    static const struct gx_bench loops = {
        {.name = "omp.sched", .summary = "s", .version = 2, .axes = axes, .metrics = overhead},
        "0 1 4 16",
        "static dynamic",
        sched_cost};
    static char names[2][32];
    struct gx_plan *const g = calloc(1, sizeof(*g));
    struct am_arena arena = {0};
    struct am_result_set set = {0};
    struct am_facts facts = {0};
    struct am_figures figures = {0};
    const struct am_figure_source source = {.set = &set, .facts = &facts, .arena = &arena};
    struct am_err err = {0};
    const char *nearest;
    const struct am_figure *f = NULL;

    gx_add(g, &loops, names, gx_words(loops.names, names, 2));
    if (ok(gx_store(path, g, 5, 1, &err) == AM_OK && gx_load(path, &arena, &set, &err) == AM_OK &&
               am_figures_make(&source, &figures, &err) == AM_OK,
           "a run of schedules is drawn %s", err.text))
        f = am_figures_find(&figures, "omp-sched", &nearest);
    if (ok(f && f->panels[0].plot.n == 3, "two schedules, and static without a chunk")) {
        const struct am_plot_series *const level = &f->panels[0].plot.series[2];

        is_str(level->label, "static, chunk 0", "which says what it is");
        ok(level->n == 2 && level->bare && level->dashed && level->color == 0,
           "it is a line without marks, in the colour of static");
        is_near(level->marks[0].x, 1, 1e-12, "from the smallest chunk");
        is_near(level->marks[1].x, 16, 1e-12, "to the largest");
        is_near(level->marks[0].y * 1e9, 50 * 1.022, 0.2, "at the time of the plain loop");
    }
    am_arena_fini(&arena);
    free(g);
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    struct am_arena arena = {0};
    struct am_result_set sets[2] = {0};
    struct am_facts facts = {0};
    struct am_figures figures = {0};
    const struct am_figure_source source = {.set = &sets[0], .facts = &facts, .arena = &arena};
    struct am_err err = {0};

    ok(gx_make(path, 1, &err) == AM_OK && gx_make(other_path, 1.2, &err) == AM_OK,
       "two runs are made %s", err.text);
    ok(gx_load(path, &arena, &sets[0], &err) == AM_OK &&
           gx_load(other_path, &arena, &sets[1], &err) == AM_OK,
       "and loaded %s", err.text);
    am_facts_derive(&sets[0], &arena, &facts);
    ok(am_figures_make(&source, &figures, &err) == AM_OK, "figures are made %s", err.text);
    test_names(&figures);
    test_contents(&figures);
    if (argc > 1) {
        test_golden(&figures, argv[1], "latency");
        test_golden(&figures, argv[1], "pingpong");
        test_golden(&figures, argv[1], "generic-odd.bench");
    }
    test_page(sets, &arena);
    am_arena_fini(&arena);
    (void)unlink(path);
    (void)unlink(other_path);
    test_hostile();
    test_too_many();
    test_level();
    return tap_done();
}
