/* SPDX-License-Identifier: MIT */
/* Experiment files and output files of tables: what they mean, and where bad ones are wrong. */
#include "base/text.h"
#include "core/spec/spec.h"
#include "core/spec/spec_regex.h"
#include "core/stats/stats.h"
#include "core/spec/tablespec.h"

#include "tap.h"

#include <string.h>

static const struct am_symbol symbols[] = {{"cpus", 4}, {NULL, 0}};

static enum am_status load(void *self, const char *name, const char *from, struct am_arena *arena,
                           struct am_spec_file *out, struct am_err *err)
{
    (void)self, (void)from, (void)arena;
    *out = (struct am_spec_file){.name = name, .text = "variable ompss\nreps 10\n"};
    if (strcmp(name, "self") == 0)
        out->text = "include self\n";
    out->len = strlen(out->text);
    return strcmp(name, "absent") == 0 ? am_fail(err, AM_E_USAGE, "absent") : AM_OK;
}

static enum am_status parse(const char *text, struct am_arena *arena, struct am_spec *spec,
                            struct am_err *err)
{
    const struct am_spec_source source = {.file = "x.exp",
                                          .folder = "/here",
                                          .text = text,
                                          .len = strlen(text),
                                          .symbols = symbols,
                                          .load = load};

    return am_spec_parse(&source, arena, spec, err);
}

/* Every line that cannot be, with the place and a word of the story. */
static const struct {
    const char *text;
    const char *place, *word;
} bad[] = {
    {"", "x.exp:1:", "no \"run\""},
    {"# nothing\n", "x.exp:1:", "no \"run\""},
    {"run\n", "x.exp:1:", "before any test"},
    {"test\n", "x.exp:1:", "no value"},
    {"test a b\n", "x.exp:1:", "the name of a test"},
    {"test ../a\n", "x.exp:1:", "the name of a test"},
    {"test a\nexec b\n", "x.exp:1:", "has no run"},
    {"test a\nexec b\nrun\ntest a\nexec b\nrun\n", "x.exp:4:", "stands at x.exp:1 already"},
    {"test a\nexec b\nrun now\n", "x.exp:3:", "stands alone"},
    {"test a\nexec b c\nrun\n", "x.exp:3:", "names one program"},
    {"test a\nexec b | c\nrun\n", "x.exp:3:", "shell yes"},
    {"test a\nexec 'b\nrun\n", "x.exp:3:", "quote"},
    {"test a\nexec b\nrun\nexec c\nrun\n", "x.exp:4:", "whole test"},
    {"test a\nexec b\nrun\narg x\nrun\n", "x.exp:4:", "whole test"},
    {"test a\nexec b\nrun\nresult r s lower x\nrun\n", "x.exp:4:", "whole test"},
    {"tset a\nexec b\nrun\n", "x.exp:3:", "before any test"},
    {"test a\nexec b\nrep 10\nrun\n", "x.exp:3:", "did you mean \"reps\""},
    {"test a\nexec b\narg {width}\nwidht 3\nrun\n", "x.exp:5:", "{width} has no value"},
    {"test a\nexec b\narg {n}\nn 1\nm 2\nrun\n", "x.exp:5:", "unknown key \"m\""},
    {"test a\nexec b\narg {n\nn 1\nrun\n", "x.exp:3:", "begins no {variable}"},
    {"test a\nexec b\narg n}\nrun\n", "x.exp:3:", "ends no {variable}"},
    {"test a\nexec b\narg \"x\nrun\n", "x.exp:3:", "quote"},
    {"test a\nexec b\nreps 0\nrun\n", "x.exp:3:", "from 1 to"},
    {"test a\nexec b\nreps ten\nrun\n", "x.exp:3:", "from 1 to"},
    {"test a\nexec b\nreps 2\nrun\nreps 3\nn 1\nrun\n", "x.exp:7:", "an experiment has one"},
    {"test a\nexec b\nenv NAME\nrun\n", "x.exp:3:", "NAME=VALUE"},
    {"test a\nexec b\nenv 1A=2\nrun\n", "x.exp:3:", "NAME=VALUE"},
    {"test a\nexec b\nenv A={n}\nrun\n", "x.exp:4:", "{n} has no value"},
    {"test a\nexec b\ncpufreq fast\nrun\n", "x.exp:3:", "MHz"},
    {"test a\nexec b\ncpufreq -1\nrun\n", "x.exp:3:", "MHz"},
    {"test a\nexec b\nshell maybe\nrun\n", "x.exp:3:", "no, yes or auto"},
    {"test a\nexec b\nshell atuo\nrun\n", "x.exp:3:", "did you mean \"auto\""},
    {"test a\nexec b\nprinted lats\nrun\n", "x.exp:3:", "did you mean \"last\""},
    {"test a\nexec b\ncodes none\nrun\n", "x.exp:3:", "zero or any"},
    {"test a\nexec b\nresources 1\nrun\n", "x.exp:3:", "no or yes"},
    {"test a\nexec b\nwarmup -1\nrun\n", "x.exp:3:", "number from 0"},
    {"test a\nexec b\nprepare {x\nrun\n", "x.exp:3:", "begins no {variable}"},
    {"test a\nexec b\nprepare c {x}\nrun\n", "x.exp:4:", "{x} has no value"},
    {"test a\nexec b\nunset x\nrun\n", "x.exp:3:", "unknown key \"x\""},
    {"test a\nshell auto\nexec b {x}\nrun\n", "x.exp:4:", "{x} has no value"},
    {"test a\nshell auto\nexec {c}\nc b {x}\nrun\n", "x.exp:5:", "{x} has no value"},
    {"test a\nshell auto\nexec {c}\nc b {x\nrun\n", "x.exp:5:", "begins no {variable}"},
    {"test a\nshell auto\nexec b\narg c\nrun\n", "x.exp:5:", "nothing to add to"},
    {"test a\nshell auto\nexec b 'c\nrun\n", "x.exp:4:", "quote"},
    {"test a\nexec b\nbeside cahce-1M\nrun\n", "x.exp:4:", "did you mean \"cache\""},
    {"test a\nexec b\nbeside {t}\naxis t none,memory-200\nrun\n", "x.exp:5:", "memory-200"},
    {"test mem.latency\nwarmup 1\nrun\n", "x.exp:3:", "warmup is for programs"},
    {"test a\nexec b\nexpect soon\nrun\n", "x.exp:3:", "seconds"},
    {"test a\nexec b\nresult r s\nrun\n", "x.exp:3:", "result NAME UNIT"},
    {"test a\nexec b\nresult r s better x\nrun\n", "x.exp:3:", "higher or lower"},
    {"test a\nexec b\nresult r s lower (\nrun\n", "x.exp:3:", "regular expression"},
    {"test a\nexec b\nresult r s lower (a{255}){255}\nrun\n", "x.exp:3:", "multiply"},
    {"test a\nexec b\nresult r s lower (a)\\1\nrun\n", "x.exp:3:", "back references"},
    {"test a\nexec b\nresult r s lower a\nresult r s lower b\nrun\n", "x.exp:4:", "given twice"},
    {"test a\nexec b\nresult 1r s lower a\nrun\n", "x.exp:3:", "no name"},
    {"test a\nexec b\niterations [\nrun\n", "x.exp:3:", "regular expression"},
    {"test a\nexec b\naxis\nrun\n", "x.exp:3:", "no value"},
    {"test a\nexec b\naxis n\nrun\n", "x.exp:3:", "axis NAME VALUES"},
    {"test a\nexec b\naxis n 1:x\nrun\n", "x.exp:3:", "axis n"},
    {"test a\nexec b\naxis n a,,b\nrun\n", "x.exp:3:", "missing in the list"},
    {"test a\nexec b\naxis run 1,2\nrun\n", "x.exp:3:", "is a key"},
    {"test a\nexec b\nvariable 1\nrun\n", "x.exp:3:", "no name"},
    {"test a\nexec b\ninclude absent\nrun\n", "x.exp:3:", "cannot read"},
    {"include self\ntest a\nexec b\nrun\n", "self:1:", "deep"},
    {"test a\nexec b\nfolder here\nrun\n", "x.exp:3:", "absolute"},
    {"test a\narg x\nrun\n", "x.exp:3:", "arg is for programs"},
    {"test a\nexce true\narg x\nrun\n", "x.exp:2:", "did you mean \"exec\""},
    {"test a\nenv A=1\nrun\n", "x.exp:3:", "env is for programs"},
    {"test a\nexec b\n--width 3\nrun\n", "x.exp:3:", "unknown key"},
    {"test a\nexec b\nwork 1 2 3 4\nrun\n", "x.exp:3:", "work FLOPS"},
    {"test a\nexec b\nwork {n}\nrun\n", "x.exp:4:", "{n} has no value"},
    {"test a\nwork 1\nrun\n", "x.exp:3:", "work is for programs"},
    {"test a\nexec b\nmark x\nwork 1\nrun\n", "x.exp:5:", "no other results"},
    {"test a\nexec b\nmark\nrun\n", "x.exp:3:", "no value"},
    {"test a\nmark x\nrun\n", "x.exp:3:", "mark is for programs"},
    {"test a\nexec b\nrun\nmark x\nrun\n", "x.exp:4:", "whole test"},
    {"test a\nexec b\nmark x\nresult r s lower (a)\nrun\n", "x.exp:5:", "no other results"},
    {"test a\nexec b\naxis region n,s\nmark x\nrun\n", "x.exp:4:", "region is a variable"},
    {"test a\nexec b\nwidth\nrun\n", "x.exp:3:", "unknown key"},
    {"test a\nexec b\nn \x01\nrun\n", "x.exp:3:", "control character"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct am_arena arena = {0};
        struct am_spec spec;
        struct am_err err = {0};
        const enum am_status s = parse(bad[i].text, &arena, &spec, &err);

        ok(s == AM_E_USAGE && strncmp(err.text, bad[i].place, strlen(bad[i].place)) == 0 &&
               strstr(err.text, bad[i].word),
           "bad file %zu is refused at %s (%s)", i + 1, bad[i].place, err.text);
        am_arena_fini(&arena);
    }
}

static const char listing_g1[] = "include include/ompss_flags.inc\n"
                                 "\n"
                                 "test bsop_debug\n"
                                 "path ./bsop\n"
                                 "exec bsop.x\n"
                                 "\n"
                                 "reps 10\n"
                                 "\n"
                                 "env NX_SCHEDULE=wf\n"
                                 "\n"
                                 "# Performance testing, with different sizes\n"
                                 "testset perf_novec\n"
                                 "cpufreq 3400\n"
                                 "vectorize none\n"
                                 "nthreads 8\n"
                                 "width 1024\n"
                                 "run\n"
                                 "width 2048\n"
                                 "run\n";

static void test_listing(void)
{
    struct am_arena arena = {0};
    struct am_spec spec = {0};
    struct am_spec_axes axes = {0};
    struct am_err err = {0};

    ok(parse(listing_g1, &arena, &spec, &err) == AM_OK, "the thesis's listing G.1 parses (%s)",
       err.text);
    ok(spec.n_tests == 1 && spec.n_runs == 2 && spec.reps == 10, "one test, two runs, ten times");
    ok(am_spec_axes_of(&spec, 0, &arena, &axes, &err) == AM_OK && axes.n == 5 &&
           axes.n_variables == 3,
       "its axes are three variables, testset and cpufreq");
    is_str(axes.items[2].name, "width", "the third variable is width");
    ok(axes.items[2].numbers && axes.items[2].n == 2, "width is a number with two values");
    ok(!axes.items[0].numbers, "vectorize is a name");
    is_str(am_spec_run_labels(&axes, 2, &spec.runs[1], &arena), "2048", "the second run's width");
    is_str(am_spec_run_labels(&axes, 3, &spec.runs[1], &arena), "perf_novec", "and its testset");
    am_arena_fini(&arena);
}

/* The flat form says the same, and is its own flat form. */
static void test_flat(void)
{
    static const char text[] =
        "m 1\ntest a\nexec b\naxis n 1:cpus:*2\naxis k x y,z\nenv A={n} B=2\n"
        "run\nenv A=3\nargv 'a b' c\nrun\ntest mem.latency\nrun\n";
    struct am_arena arena = {0};
    struct am_spec spec = {0}, again = {0};
    struct am_spec_axes axes = {0};
    struct am_err err = {0};

    ok(parse(text, &arena, &spec, &err) == AM_OK && spec.n_runs == 3, "a longer file parses (%s)",
       err.text);
    ok(parse(spec.flat, &arena, &again, &err) == AM_OK, "so does its flat form (%s)", err.text);
    is_str(again.flat, spec.flat, "which is the same again");
    ok(again.n_runs == 3 && again.runs[0].vars.n == 3 && again.runs[0].vars.items[1].values.n == 3,
       "with the range's values");
    ok(am_spec_axes_of(&spec, 0, &arena, &axes, &err) == AM_OK && axes.n == 5,
       "runs that differ in env and argv have axes for them");
    is_str(am_spec_run_labels(&axes, 2, &spec.runs[0], &arena), "x_y,z",
           "a value with a blank has a label without");
    is_str(axes.items[2].texts[0], "x y", "that stands for it");
    is_str(am_spec_run_labels(&axes, 4, &spec.runs[0], &arena), "-", "no argv is a value too");
    ok(spec.tests[1].exec == NULL, "a test without exec is a bench of ours");
    am_arena_fini(&arena);
}

/* A range that is short to write is long in the flat form; one that no resume could read is
 * refused. */
static void test_flat_limits(void)
{
    struct am_arena arena = {0};
    struct am_spec spec = {0}, again = {0};
    struct am_text text;
    struct am_err err = {0};

    ok(parse("test a\nexec b\naxis n 1:4096\nrun\n", &arena, &spec, &err) == AM_OK &&
           parse(spec.flat, &arena, &again, &err) == AM_OK &&
           again.runs[0].vars.items[0].values.n == 4096,
       "a range of 4096 values survives its flat form (%s)", err.text);
    am_text_init(&text, AM_SPEC_TEXT_MAX);
    am_text_add(&text, "test a\nexec b\n");
    for (int i = 0; i < 60; i++)
        am_text_add(&text, "axis n 1:4096\n");
    am_text_add(&text, "run\n");
    ok(parse(am_text_str(&text), &arena, &spec, &err) == AM_E_USAGE && strstr(err.text, "x.exp:"),
       "ranges without end are refused at their place (%s)", err.text);
    am_text_fini(&text);
    am_arena_fini(&arena);
}

/* Regions are values of an axis, whatever their names hold, and no template needs them. */
static void test_marks(void)
{
    static const char text[] = "test a\nexec b\narg {n}\naxis n 1,2\nmark (program)\nmark A::b, c\n"
                               "mark A::b, c\nmaybe r\nrun\ntest d\nexec e\nrun\n";
    struct am_arena arena = {0};
    struct am_spec spec, again;
    struct am_spec_axes axes;
    struct am_err err = {0};

    ok(parse(text, &arena, &spec, &err) == AM_OK && spec.tests[0].marked && !spec.tests[1].marked,
       "marks belong to their test (%s)", err.text);
    ok(parse(spec.flat, &arena, &again, &err) == AM_OK &&
           am_spec_axes_of(&again, 0, &arena, &axes, &err) == AM_OK && axes.n == 2 &&
           axes.items[1].n == 3,
       "the flat form has them (%s)", err.text);
    ok(again.tests[0].maybe.n == 1 && am_strings_have(&again.tests[0].maybe, "r") &&
           again.tests[1].maybe.n == 0,
       "and which of them an execution need not enter");
    is_str(axes.items[1].name, AM_SPEC_REGION, "the axis is called region");
    is_str(axes.items[1].texts[1], "A::b, c", "a name may hold anything");
    is_str(axes.items[1].labels[1], "A::b__c", "and has a word as label");
    am_arena_fini(&arena);
}

static void test_work(void)
{
    static const struct {
        const char *text;
        double value; /* NAN: none */
    } cases[] = {{"5", 5},     {"2*1000*1e3", 2e6},  {"0", 0},      {"", NAN},    {"2*", NAN},
                 {"*2", NAN},  {"-1", NAN},          {"x", NAN},    {"2 3", NAN}, {"nan", NAN},
                 {"inf", NAN}, {"1e200*1e200", NAN}, {"1.5*2", 3.0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double value = NAN;
        const bool good = am_spec_product(cases[i].text, &value);

        ok(good == !isnan(cases[i].value) && (!good || fabs(value - cases[i].value) < 1e-9),
           "work \"%s\" is %g", cases[i].text, cases[i].value);
    }
}

static const char *value_of(const void *self, const char *name)
{
    (void)self;
    return strcmp(name, "n") == 0 ? "$(rm -rf x); y z" : NULL;
}

static void test_words(void)
{
    struct am_arena arena = {0};
    struct am_strings words;
    const char *why = NULL, *unit;
    double scale, number = 0;

    ok(am_spec_split("a \"b c\"'d' ''  e", &arena, &words, &why) && words.n == 4,
       "quotes keep blanks together");
    is_str(words.items[1], "b cd", "and vanish");
    is_str(am_spec_expand("-n={n}{{x}}", value_of, NULL, &arena), "-n=$(rm -rf x); y z{x}",
           "a template's value stays one text, whatever is in it");
    am_spec_unit("ms", &unit, &scale);
    ok(strcmp(unit, "s") == 0, "ms are stored in s");
    is_near(scale, 1e-3, 1e-15, "by a factor");
    ok(am_spec_regex_find("rt=([0-9.]+)", "x\nrt=2.5 s\nrt=3", &number) == AM_SPEC_MATCHED,
       "an expression finds its line");
    is_near(number, 2.5, 1e-15, "and the number of the first one");
    ok(am_spec_regex_find("rt=([a-z]+)", "rt=abc", &number) == AM_SPEC_NO_NUMBER,
       "a group that is no number is told");
    ok(am_spec_regex_find("zz", "rt=abc", &number) == AM_SPEC_NO_MATCH, "no match is told");
    ok(am_spec_regex_find("[0-9.]+", "took 7.5 s", &number) == AM_SPEC_MATCHED && number > 7.4 &&
           number < 7.6,
       "without a group the whole match is the number");
    am_arena_fini(&arena);
}

/* Section 5.5 of the thesis, by hand. */
static void test_weighted(void)
{
    const double x[] = {1, 2, 4}, ones[] = {1, 1, 1}, w[] = {2, 1, 1};
    const struct am_weighted plain = am_stats_weighted(x, ones, 3), by = am_stats_weighted(x, w, 3);

    is_near(plain.mean, 7.0 / 3, 1e-14, "equal weights give the mean");
    is_near(plain.stddev, sqrt(7.0 / 3), 1e-14, "and the sample deviation");
    is_near(by.mean, 2, 1e-14, "a weight of two counts twice");
    is_near(by.stddev, sqrt(3.0 / (4 * 2) * 6), 1e-14, "the deviation of the thesis's formula");
    ok(isnan(am_stats_weighted(x, w, 1).stddev), "one value has no deviation");
    ok(isnan(am_stats_weighted(x, w, 0).mean), "none has no mean");
}

static const struct {
    const char *text, *place, *word;
} bad_tables[] = {
    {"", "t:1:", "no \"file\""},
    {"set results.db\n", "t:1:", "set db FILE"},
    {"separator &\n", "t:1:", "before any file"},
    {"file a.tex\n", "t:1:", "no query"},
    {"file a.xyz\nquery select 1\n", "t:1:", "form of a.xyz"},
    {"file a.tex\nquery select 1\nfile a.tex\nquery select 1\n", "t:3:", "already"},
    {"file a.tex\ndirection up\nquery select 1\n", "t:2:", "down, right"},
    {"file a.tex\nformat pdf\nquery select 1\n", "t:2:", "tex, csv, gnuplot, md"},
    {"file a.tex\nquerry select 1\n", "t:2:", "did you mean \"query\""},
    {"file a.tex\nseparator \"x\nquery select 1\n", "t:2:", "quote"},
    {"file a.tex\nseparator \"\\q\"\nquery select 1\n", "t:2:", "only \\t"},
    {"file a.tex\nheader perhaps\nquery select 1\n", "t:2:", "no, yes"},
    {"file a.tex\n  query select 1\n", "t:2:", "continued"},
    {"file a.tex\nquery\n", "t:2:", "no value"},
};

static void test_tables(void)
{
    static const char listing_g2[] =
        "set db results.db\n\nfile data/performance.tex\nseparator &\nnewline \\\\\n"
        "query select N, rt from results where test_name='mybenchmark' and testset='\n"
        "   my_new_scheduling_alg'\n";
    struct am_arena arena = {0};
    struct am_tablespec spec;
    struct am_err err = {0};

    for (size_t i = 0; i < sizeof(bad_tables) / sizeof(*bad_tables); i++) {
        struct am_err why = {0};

        ok(am_tablespec_parse("t", bad_tables[i].text, strlen(bad_tables[i].text), &arena, &spec,
                              &why) == AM_E_USAGE &&
               strncmp(why.text, bad_tables[i].place, strlen(bad_tables[i].place)) == 0 &&
               strstr(why.text, bad_tables[i].word),
           "bad table file %zu is refused at %s (%s)", i + 1, bad_tables[i].place, why.text);
    }
    ok(am_tablespec_parse("t", listing_g2, strlen(listing_g2), &arena, &spec, &err) == AM_OK,
       "the thesis's listing G.2 parses (%s)", err.text);
    is_str(spec.files[0].separator, "&", "its separator");
    is_str(spec.files[0].newline, "\\\\", "its line end");
    is_str(spec.files[0].db, "results.db", "its database");
    is_str(spec.files[0].queries[0].sql,
           "select N, rt from results where test_name='mybenchmark' and "
           "testset='my_new_scheduling_alg'",
           "and its query, put together where the page broke it");
    ok(spec.files[0].form == AM_TABLEFORM_TEX, "the form follows from the name");
    am_arena_fini(&arena);
}

int main(void)
{
    test_bad();
    test_listing();
    test_flat();
    test_flat_limits();
    test_marks();
    test_work();
    test_words();
    test_weighted();
    test_tables();
    return tap_done();
}
