/* SPDX-License-Identifier: MIT */
/* Graphics of characters, tables that fit a terminal, sparklines and heat maps of results. */
#include "evidence/evidence.h"
#include "write/plot/charts.h"
#include "write/plot/graph.h"
#include "write/write.h"

#include "result_fixture.h"
#include "tap.h"

#include <stdlib.h>

static void check_bars(void)
{
    static const struct {
        double share;
        bool utf8;
        const char *text;
    } cases[] = {
        {1, true, "████"},  {0.5, true, "██"},    {0.53125, true, "██▏"}, {0.001, true, "▏"},
        {0, true, ""},      {-1, true, ""},       {NAN, true, ""},        {1.5, true, "███▶"},
        {0.5, false, "##"}, {0.65, false, "##="}, {0.001, false, "."},    {2, false, "###>"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[AM_GRAPH_MAX];

        am_graph_bar(cases[i].share, 4, cases[i].utf8, text, sizeof(text));
        is_str(text, cases[i].text, "a bar of four columns");
    }
}

static void check_sparks(void)
{
    const double rise[] = {1, 2, 3, 4, 5, 6, 7}, gap[] = {8, NAN, 4}, wide[] = {1, 10, 100};
    char text[AM_GRAPH_MAX];

    am_graph_spark(rise, 7, false, true, text, sizeof(text));
    is_str(text, "▂▃▄▅▆▇█", "heights are lengths from zero");
    am_graph_spark(gap, 3, false, false, text, sizeof(text));
    is_str(text, "# =", "what is not there is a gap");
    am_graph_spark(wide, 3, true, true, text, sizeof(text));
    is_str(text, "▁▅█", "logarithms are even steps");
    am_graph_spark(rise, 0, false, true, text, sizeof(text));
    is_str(text, "", "nothing of nothing");
    am_graph_spark(rise, 7, false, true, text, 8);
    is_str(text, "▂▃", "a small buffer holds whole characters");
    is_str(am_graph_shade(0, true), "··", "the lightest shade");
    is_str(am_graph_shade(9, false), "##", "the darkest, and no darker");
    is_str(am_graph_shade(NAN, true), "  ", "nothing is blank");
}

static void check_lines(void)
{
    static const struct {
        const char *text;
        size_t columns, length, next;
    } cases[] = {
        {"one two three", 8, 7, 8}, {"one two three", 7, 7, 8}, {"one two", 20, 7, 7},
        {"memory.read.x", 8, 7, 7}, {"a.b{c=d,e=f}", 9, 8, 8},  {"abcdefgh", 3, 3, 3},
        {"one  two", 4, 3, 5},      {"µµµ µµµ", 4, 6, 7},       {"x", 0, 1, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t next;
        const size_t n = am_text_line(cases[i].text, cases[i].columns, &next);

        ok(n == cases[i].length && next == cases[i].next, "\"%s\" in %zu columns: %zu, then %zu",
           cases[i].text, cases[i].columns, n, next);
    }
}

static char *table_text(unsigned width)
{
    const struct am_style style = {.format = AM_FORMAT_TABLE, .utf8 = true, .width = width};
    struct am_arena arena = {0};
    struct am_table t;
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_table_init(&t, &arena);
    t.hide_empty = true;
    am_table_column(&t, (struct am_column){.title = "name"});
    am_table_column(&t, (struct am_column){.title = "what", .flow = true});
    am_table_column(&t, (struct am_column){.title = "none"});
    am_table_column(&t, (struct am_column){.title = "n", .right = true, .rank = 1});
    am_table_row(&t);
    (void)am_table_text(&t, "first");
    (void)am_table_text(&t, "a text that is too long for the table as it is");
    (void)am_table_text(&t, "");
    (void)am_table_text(&t, "1");
    am_write_text_table(&t, &style, NULL, out);
    (void)fclose(out);
    am_arena_fini(&arena);
    return text;
}

static void check_table(void)
{
    static const struct {
        unsigned width;
        const char *text;
    } cases[] = {
        {0, "name   what                                            n\n"
            "first  a text that is too long for the table as it is  1\n"},
        {40, "name   what                            n\n"
             "first  a text that is too long for     1\n"
             "       the table as it is\n"},
        {26, "name   what\n"
             "first  a text that is too\n"
             "       long for the table\n"
             "       as it is\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *const text = table_text(cases[i].width);

        is_str(text, cases[i].text, "a column that flows");
        free(text);
    }
}

static char *chart_text(struct rx_run *run)
{
    const struct am_style style = {.format = AM_FORMAT_TABLE, .utf8 = true, .width = 80};
    struct am_points points = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_evidence_settle(&run->set);
    for (size_t i = 0; i < run->set.n; i++)
        am_points_add(&points, &run->set.results[i]);
    am_charts_write(&points, run->set.results, run->set.n, &style, &run->arena, out);
    (void)fclose(out);
    return text;
}

static void add_value(struct rx_run *run, const char *text, double value)
{
    const struct rx_metric metrics[] = {{"bandwidth", "B/s", value}, {NULL, NULL, 0}};

    (void)rx_add(run, "x.y", text, metrics);
}

/* Names that differ where a label ends already are two lines, not one. */
static void check_long_names(void)
{
    struct rx_run run = {0};
    char *text;
    size_t lines = 0;

    for (int device = 0; device < 2; device++) {
        for (int size = 1; size <= 4; size++)
            add_value(&run, am_arena_printf(&run.arena, "device=%0300d size=%d", device, size),
                      1e9 * size);
    }
    text = chart_text(&run);
    for (const char *p = strstr(text, "GB/s .."); p; p = strstr(p + 1, "GB/s .."))
        lines++;
    ok(lines == 2, "two devices with long names are %zu lines", lines);
    free(text);
    am_arena_fini(&run.arena);
}

static void check_charts(void)
{
    struct rx_run run = {0};
    char *text;

    add_value(&run, "kernel=read size=1024", 8e9);
    add_value(&run, "kernel=read size=4096", 4e9);
    add_value(&run, "kernel=read size=2048", 8e9);
    text = chart_text(&run);
    is_str(text, "", "three values have no shape");
    free(text);
    add_value(&run, "kernel=read size=8192", 2e9);
    add_value(&run, "kernel=copy size=1024", 1e9);
    add_value(&run, "kernel=copy size=8192", 1e9);
    text = chart_text(&run);
    is_str(text,
           "\n"
           "               size 1 KiB .. 8 KiB  bandwidth\n"
           "  kernel=read  ██▅▃                 2.00 GB/s .. 8.00 GB/s\n"
           "  kernel=copy  ██                   1.00 GB/s .. 1.00 GB/s\n",
           "one line a series, by the axis of numbers, sorted");
    free(text);
    am_arena_fini(&run.arena);
    run = (struct rx_run){0};
    for (int from = 0; from < 4; from++) {
        for (int to = 0; to < 4; to++) {
            char point[64];

            (void)snprintf(point, sizeof(point), "from=%d to=%d", from, to);
            if (from != to)
                add_value(&run, point, (from < 2) == (to < 2) ? 1e9 : 5e9);
        }
    }
    text = chart_text(&run);
    ok(strstr(text, "    ··████\n") && strstr(text, "  ··  ████\n") && strstr(text, "████··  \n"),
       "two axes of numbers make a map");
    if (!strstr(text, "    ··████\n"))
        printf("# %s\n", text);
    ok(strstr(text, "·· 1.00 GB/s .. 5.00 GB/s ██") != NULL, "with what its shades mean");
    free(text);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_bars();
    check_sparks();
    check_lines();
    check_table();
    check_charts();
    check_long_names();
    return tap_done();
}
