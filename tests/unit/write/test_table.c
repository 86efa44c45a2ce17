/* SPDX-License-Identifier: MIT */
/* Tables in every format: aligned, fitted to a terminal, escaped for their readers; cells in every
 * form. */
#include "write/write.h"

#include "memory_stream.h"
#include "tap.h"

static void sample_table(struct am_table *t, struct am_arena *arena)
{
    am_table_init(t, arena);
    t->indent = 2;
    am_table_column(t, (struct am_column){.title = "name", .key = "name"});
    am_table_column(t, (struct am_column){.title = "value", .key = "value", .right = true});
    am_table_column(t, (struct am_column){.title = "note", .key = "note", .rank = 1});
    am_table_row(t);
    (void)am_table_text(t, "ä_b");
    (void)am_table_quantity(t, AM_FORM_QUANTITY, 1e-6, "s");
    (void)am_table_text(t, "a,\"b\" | 5%");
    am_table_row(t);
    (void)am_table_text(t, "longer name");
    (void)am_table_quantity(t, AM_FORM_QUANTITY, 10, "s");
}

static void test_table(void)
{
    static const struct {
        const char *what;
        struct am_style style;
        const char *text;
    } cases[] = {
        {"an aligned table, by columns and not by bytes",
         {.format = AM_FORMAT_TABLE, .utf8 = true},
         "  name           value  note\n"
         "  ä_b          1.00 µs  a,\"b\" | 5%\n"
         "  longer name   10.0 s\n"},
        {"ASCII stands in outside UTF-8",
         {.format = AM_FORMAT_TABLE, .utf8 = false},
         "  name           value  note\n"
         "  ?_b          1.00 us  a,\"b\" | 5%\n"
         "  longer name   10.0 s\n"},
        {"a narrow terminal loses the least important column",
         {.format = AM_FORMAT_TABLE, .utf8 = true, .width = 24},
         "  name           value\n"
         "  ä_b          1.00 µs\n"
         "  longer name   10.0 s\n"
         "left out to fit the terminal: \n"
         "    note (--format csv\n"
         "    or json has all)\n"},
        {"JSON has numbers as numbers",
         {.format = AM_FORMAT_JSON},
         "{\n"
         "  \"schema\": 1,\n"
         "  \"rows\": [\n"
         "    {\"name\": \"ä_b\", \"value\": 1e-06, \"note\": \"a,\\\"b\\\" | 5%\"},\n"
         "    {\"name\": \"longer name\", \"value\": 10, \"note\": null}\n"
         "  ]\n"
         "}\n"},
        {"CSV quotes what it must, and has numbers as they are",
         {.format = AM_FORMAT_CSV},
         "name,value,note\n"
         "ä_b,1e-06,\"a,\"\"b\"\" | 5%\"\n"
         "longer name,10,\n"},
        {"Markdown escapes bars",
         {.format = AM_FORMAT_MD},
         "| name | value | note |\n"
         "| --- | ---: | --- |\n"
         "| ä\\_b | 1.00 µs | a,\"b\" \\| 5% |\n"
         "| longer name | 10.0 s |  |\n"},
        {"TeX escapes its own",
         {.format = AM_FORMAT_TEX},
         "\\begin{tabular}{lrl}\n  \\hline\n"
         "  name & value & note \\\\\n  \\hline\n"
         "  ä\\_b & 1.00 µs & a,\"b\" \\textbar{} 5\\% \\\\\n"
         "  longer name & 10.0 s &  \\\\\n"
         "  \\hline\n\\end{tabular}\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_arena arena = {0};
        struct am_table t;
        struct memory m;

        sample_table(&t, &arena);
        am_write_table(&t, &cases[i].style, memory_open(&m));
        is_str(memory_text(&m), cases[i].text, cases[i].what);
        memory_close(&m);
        am_arena_fini(&arena);
    }
}

/* A table of which nothing is shown has no line to end with. */
static void test_empty_table(void)
{
    struct am_arena arena = {0};
    struct memory m;
    struct am_table t;

    am_table_init(&t, &arena);
    t.hide_empty = true;
    am_table_column(&t, (struct am_column){.title = "nothing"});
    am_table_row(&t);
    (void)am_table_text(&t, "");
    am_write_text_table(&t, &(struct am_style){.width = 80}, NULL, memory_open(&m));
    is_str(memory_text(&m), "", "a table without a column to show writes nothing");
    memory_close(&m);
    am_arena_fini(&arena);
}

/* A metric, its spread, another that repeats it, one that never changes, and notes. */
static void add_wide_row(struct am_table *t, double value, double other)
{
    am_table_row(t);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, value, "s");
    (void)am_table_number(t, AM_FORM_PRECISION, 0.012);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, other, "B/s");
    (void)am_table_quantity(t, AM_FORM_QUANTITY, value, "s");
    (void)am_table_quantity(t, AM_FORM_QUANTITY, 2, "cycle");
    (void)am_table_text(t, "two modes");
}

/* What repeats another goes first, then what never changes, then by rank; spread and notes stay. */
static void test_fitting(void)
{
    static const struct am_column columns[] = {
        {.title = "time", .right = true},
        {.title = "±", .right = true},
        {.title = "rate", .right = true, .rank = 5},
        {.title = "again", .right = true, .rank = 1},
        {.title = "constant", .right = true, .rank = 2},
        {.title = "notes", .flow = true},
    };
    static const struct {
        unsigned width;
        const char *titles;
    } cases[] = {
        {0, "   time      ±       rate    again    constant  notes\n"},
        {53, "   time      ±       rate    constant  notes\n"},
        {44, "   time      ±       rate  notes\n"},
        {30, "   time      ±  notes\n"},
        {20, "   time      ±\n1.00 ns  1.2 %\n         notes: two\n    modes\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_style style = {.utf8 = true, .width = cases[i].width};
        struct am_arena arena = {0};
        struct memory m;
        struct am_table t;
        const char *text;

        am_table_init(&t, &arena);
        am_table_columns(&t, columns, sizeof(columns) / sizeof(columns[0]));
        add_wide_row(&t, 1e-9, 3e9);
        add_wide_row(&t, 2e-9, 4e9);
        add_wide_row(&t, 3e-9, 5e9);
        am_write_text_table(&t, &style, NULL, memory_open(&m));
        text = memory_text(&m);
        if (!ok(strncmp(text, cases[i].titles, strlen(cases[i].titles)) == 0,
                "in %u columns these are left", cases[i].width))
            printf("# %s\n", text);
        memory_close(&m);
        am_arena_fini(&arena);
    }
}

/* Columns that must all stay and do not fit: lines end between columns, long names flow. */
static void test_folding(void)
{
    static const struct am_column columns[] = {{.title = "variant"},
                                               {.title = "device"},
                                               {.title = "flops", .right = true},
                                               {.title = "±", .right = true}};
    static const char folded[] = "  variant\n"
                                 "      device\n"
                                 "            flops       ±\n"
                                 "  slice\n"
                                 "      pocl-pthread-skylake-\n"
                                 "      avx512\n"
                                 "      107 Gflop/s  55.0 %\n"
                                 "  auto\n"
                                 "      cpu\n"
                                 "      107 Gflop/s  55.0 %\n";
    const struct am_style style = {.utf8 = true, .width = 34};
    struct am_arena arena = {0};
    struct memory m;
    struct am_table t;

    am_table_init(&t, &arena);
    t.indent = 2;
    am_table_columns(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (int row = 0; row < 2; row++) {
        am_table_row(&t);
        (void)am_table_text(&t, row ? "auto" : "slice");
        (void)am_table_text(&t, row ? "cpu" : "pocl-pthread-skylake-avx512");
        (void)am_table_text(&t, "107 Gflop/s");
        (void)am_table_text(&t, "55.0 %");
    }
    am_write_text_table(&t, &style, NULL, memory_open(&m));
    if (!ok(strcmp(memory_text(&m), folded) == 0, "what must stay and is too wide is folded"))
        printf("# %s\n", memory_text(&m));
    memory_close(&m);
    am_arena_fini(&arena);
}

/* Text that would stand in many short lines goes below its row, where it takes fewer. */
static void test_moved_below(void)
{
    static const struct am_column columns[] = {{.title = "variant"},
                                               {.title = "measured", .right = true},
                                               {.title = "next", .flow = true}};
    static const struct {
        unsigned width;
        const char *text;
    } cases[] = {
        {52, "variant     measured  next\n"
             "slice    107 Gflop/s  far from every roof: latency\n"
             "                      or overhead\n"
             "auto     107 Gflop/s  block for L1: 4.5 x the\n"
             "                      ceiling of memory\n"},
        {36, "variant     measured\n"
             "slice    107 Gflop/s\n"
             "         next: far from every roof:\n"
             "               latency or overhead\n"
             "auto     107 Gflop/s\n"
             "         next: block for L1: 4.5 x\n"
             "               the ceiling of memory\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_style style = {.utf8 = true, .width = cases[i].width};
        struct am_arena arena = {0};
        struct memory m;
        struct am_table t;

        am_table_init(&t, &arena);
        am_table_columns(&t, columns, sizeof(columns) / sizeof(columns[0]));
        for (int row = 0; row < 2; row++) {
            am_table_row(&t);
            (void)am_table_text(&t, row ? "auto" : "slice");
            (void)am_table_text(&t, "107 Gflop/s");
            (void)am_table_text(&t, row ? "block for L1: 4.5 x the ceiling of memory"
                                        : "far from every roof: latency or overhead");
        }
        am_write_text_table(&t, &style, NULL, memory_open(&m));
        if (!ok(strcmp(memory_text(&m), cases[i].text) == 0, "text in %u columns", cases[i].width))
            printf("# %s\n", memory_text(&m));
        memory_close(&m);
        am_arena_fini(&arena);
    }
}

/* What rows share is told once, below the last of them. */
static void test_once(void)
{
    static const struct am_column columns[] = {{.title = "fact", .flow = true},
                                               {.title = "value", .right = true},
                                               {.title = "meaning", .flow = true, .once = true}};
    static const struct am_style style = {.utf8 = true, .width = 40};
    static const char told[] = "fact                        value\n"
                               "openmp.overhead{parallel}  107 ns\n"
                               "openmp.overhead{barrier}   107 ns\n"
                               "         meaning: overhead of a\n"
                               "                  construct, all threads\n";
    struct am_arena arena = {0};
    struct memory m;
    struct am_table t;

    am_table_init(&t, &arena);
    am_table_columns(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (int row = 0; row < 2; row++) {
        am_table_row(&t);
        (void)am_table_text(&t, row ? "openmp.overhead{barrier}" : "openmp.overhead{parallel}");
        (void)am_table_text(&t, "107 ns");
        (void)am_table_text(&t, "overhead of a construct, all threads");
    }
    am_write_text_table(&t, &style, NULL, memory_open(&m));
    if (!ok(strcmp(memory_text(&m), told) == 0, "what rows share is told once"))
        printf("# %s\n", memory_text(&m));
    memory_close(&m);
    am_arena_fini(&arena);
}

/* No line of a paragraph is wider than the terminal, however long its words and its label are; what
 * goes elsewhere keeps its words whole. */
static void test_flow(void)
{
    static const char id[] = "opencl.peak_over_native{device=pocl-cpu-skylake,type=float}";
    static const struct {
        unsigned width;
        size_t start;
        const char *text;
    } cases[] = {
        {40, 4,
         "opencl.peak_over_native{device=pocl-\n    cpu-skylake,type=float} is not\n    "
         "concluded\n"},
        {40, 30,
         "\n    opencl.peak_over_native{device=pocl-\n    cpu-skylake,type=float} is not\n    "
         "concluded\n"},
        {0, 4, "opencl.peak_over_native{device=pocl-cpu-skylake,type=float} is not concluded\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_style style = {.utf8 = true, .width = cases[i].width};
        char text[128];
        struct memory m;

        (void)snprintf(text, sizeof(text), "%s is not concluded", id);
        am_style_flow(&style, memory_open(&m), cases[i].start, text);
        if (!ok(strcmp(memory_text(&m), cases[i].text) == 0, "a long word in %u columns from %zu",
                cases[i].width, cases[i].start))
            printf("# %s\n", memory_text(&m));
        memory_close(&m);
    }
}

/* Text from a file that came from anywhere, as each reader gets it. */
static void test_hostile_text(void)
{
    static const struct {
        enum am_format format;
        const char *text, *written;
    } cases[] = {
        {AM_FORMAT_CSV, "=1+2", "x\n'=1+2\n"},
        {AM_FORMAT_CSV, "@SUM(A1)", "x\n'@SUM(A1)\n"},
        {AM_FORMAT_CSV, "-1,5", "x\n\"'-1,5\"\n"},
        {AM_FORMAT_CSV, "a=b", "x\na=b\n"},
        {AM_FORMAT_CSV, "a\x01\x1b[31m", "x\na\xef\xbf\xbd\xef\xbf\xbd[31m\n"},
        {AM_FORMAT_CSV, "\t=1", "x\n'\t=1\n"},
        {AM_FORMAT_CSV, "\r=1", "x\n\"' =1\"\n"},
        {AM_FORMAT_CSV, "a\xc2\x9b\xe2\x80\xae\xff", "x\na\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n"},
        {AM_FORMAT_TABLE, "a\xe2\x80\xae", "x\na?\n"},
        {AM_FORMAT_JSON, "\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\xa0",
         "{\n  \"schema\": 1,\n  \"rows\": [\n    {\"x\": \"\\u009b\\u202e\\udb40\\udc20\"}\n  ]\n}\n"},
        {AM_FORMAT_MD, "<b>&amp;[x](y)", "| x |\n| --- |\n| \\<b\\>\\&amp;\\[x\\](y) |\n"},
        {AM_FORMAT_MD, "a\nb", "| x |\n| --- |\n| a b |\n"},
        {AM_FORMAT_TABLE, "a\033[2Jb", "x\na?[2Jb\n"},
        {AM_FORMAT_JSON, "\x01\"",
         "{\n  \"schema\": 1,\n  \"rows\": [\n    {\"x\": \"\\u0001\\\"\"}\n  ]\n}\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_style style = {.format = cases[i].format, .utf8 = true};
        struct am_arena arena = {0};
        struct memory m;
        struct am_table t;

        am_table_init(&t, &arena);
        am_table_column(&t, (struct am_column){.title = "x", .key = "x"});
        am_table_row(&t);
        (void)am_table_text(&t, cases[i].text);
        am_write_table(&t, &style, memory_open(&m));
        is_str(memory_text(&m), cases[i].written, "hostile text is shown, and steers nothing");
        memory_close(&m);
        am_arena_fini(&arena);
    }
}

/* Every form for a person and for a program. */
static void test_cells(void)
{
    static const struct {
        struct am_table_cell cell;
        const char *shown, *exact;
    } cases[] = {
        {{.form = AM_FORM_TEXT, .text = "a"}, "a", "a"},
        {{.form = AM_FORM_TEXT}, "", ""},
        {{.form = AM_FORM_QUANTITY, .text = "B/s", .value = 31.5e9}, "31.5 GB/s", "31500000000"},
        {{.form = AM_FORM_QUANTITY, .text = "s", .value = NAN}, "-", ""},
        {{.form = AM_FORM_FACT, .text = "B", .value = 34567}, "33.8 KiB", "34567"},
        {{.form = AM_FORM_FACT, .text = "", .value = 131072}, "131072", "131072"},
        {{.form = AM_FORM_FACT, .text = "B", .value = 45875, .lo = 32768, .hi = 65536},
         "32-64 KiB",
         "45875"},
        {{.form = AM_FORM_FACT, .text = "B", .value = 786432, .lo = 524288, .hi = 1048576},
         "0.5-1 MiB",
         "786432"},
        {{.form = AM_FORM_FACT, .text = "B", .value = 786432, .lo = 32768, .hi = 1048576},
         "32 KiB-1 MiB",
         "786432"},
        {{.form = AM_FORM_INTERVAL, .text = "B", .value = 0.95, .lo = 1024, .hi = 2048},
         "1 .. 2 KiB",
         "1 .. 2 KiB"},
        {{.form = AM_FORM_INTERVAL, .text = "s", .value = 0, .lo = 1, .hi = 2}, "-", "-"},
        {{.form = AM_FORM_INTERVAL, .text = "s", .value = 0.95, .lo = 1, .hi = 1},
         "exact",
         "exact"},
        {{.form = AM_FORM_PRECISION, .value = 0.012, .lo = 0.002, .hi = 0.022}, "1.2 %", "0.012"},
        {{.form = AM_FORM_PRECISION, .value = 0.2, .lo = 0.1, .hi = 0.31}, "-10/+31 %", "0.2"},
        {{.form = AM_FORM_PRECISION, .value = INFINITY}, "-", ""},
        {{.form = AM_FORM_COUNT, .value = 12}, "12", "12"},
        {{.form = AM_FORM_COUNT, .value = NAN}, "", ""},
        {{.form = AM_FORM_WHOLE, .whole = UINT64_MAX},
         "18446744073709551615",
         "18446744073709551615"},
        {{.form = AM_FORM_BYTES, .value = 16384}, "16 KiB", "16384"},
        {{.form = AM_FORM_SHARE, .value = 0.377}, "38 %", "0.377"},
        {{.form = AM_FORM_RATIO, .digits = 3, .value = 1.0612}, "1.061", "1.0612"},
        {{.form = AM_FORM_NUMBER, .digits = 2, .value = 0.01234}, "0.012", "0.01234"},
        {{.form = AM_FORM_RATIO_INTERVAL, .lo = 0.5, .hi = 2}, "[0.500, 2.000]", "[0.500, 2.000]"},
        {{.form = AM_FORM_RATIO_INTERVAL, .lo = NAN}, "-", "-"},
        {{.form = AM_FORM_DURATION, .value = 75}, "1 min 15 s", "75"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char buf[AM_CELL_BYTES];

        is_str(am_cell_show(&cases[i].cell, buf, sizeof(buf)), cases[i].shown, "for a person");
        is_str(am_cell_exact(&cases[i].cell, buf, sizeof(buf)), cases[i].exact, "for a program");
    }
    ok(am_cell_tone(&(struct am_table_cell){.tone = AM_TONE_STRONG, .grade = AM_GRADE_C}) ==
           AM_TONE_MUTED,
       "a number of grade C is greyed");
}

/* Lists of all values of an axis are longer than any buffer one would choose. */
static void test_long_text(void)
{
    enum { LONG = 20000 };
    struct am_arena arena = {NULL};
    struct am_table table;
    char *const names = am_arena_alloc(&arena, LONG + 1);
    const char *text;

    memset(names, 'n', LONG);
    am_table_init(&table, &arena);
    am_table_column(&table, (struct am_column){.title = "names"});
    am_table_row(&table);
    text = am_table_textf(&table, "%s: end", names)->text;
    ok(strlen(text) == LONG + strlen(": end") && strcmp(text + LONG, ": end") == 0,
       "a long text is whole (%zu characters)", strlen(text));
    am_arena_fini(&arena);
}

int main(void)
{
    test_long_text();
    test_table();
    test_empty_table();
    test_fitting();
    test_folding();
    test_moved_below();
    test_once();
    test_flow();
    test_hostile_text();
    test_cells();
    return tap_done();
}
