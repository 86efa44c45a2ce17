/* SPDX-License-Identifier: MIT */
/* What people and programs read: scaled numbers, JSON, documents of results and findings. */
#include "base/json_read.h"
#include "base/text.h"
#include "document/findings.h"
#include "document/results.h"
#include "document/units.h"
#include "evidence/evidence.h"
#include "write/json.h"
#include "write/write.h"

#include "memory_stream.h"
#include "tap.h"

#include <stdlib.h>

static void test_values(void)
{
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {
        {1.24e-9, "s", "1.24 ns"},
        {12.3e9, "B/s", "12.3 GB/s"},
        {4.88e10, "flop/s", "48.8 Gflop/s"},
        {999.6e6, "B/s", "1.00 GB/s"}, /* rounding reaches the next prefix */
        {0.9996e-6, "s", "1.00 µs"},
        {9.996, "s", "10.0 s"},
        {99.96, "s", "100 s"},
        {0, "s", "0.00 s"},
        {-3.2e-9, "s", "-3.20 ns"},
        {4.5, "cycle", "4.50 cycle"},
        {1234.5, "cycle", "1234 cycle"}, /* counts are not scaled */
        {31.9, "flop/cycle", "31.9 flop/cycle"},
        {2.5e6, "1/s", "2.50 M/s"},
        {NAN, "s", "-"},
        {INFINITY, "s", "-"},
        {1e-30, "s", "1.00 qs"},
        {5e-17, "J.s", "50.0 aJ.s"},
        {5e-26, "J.s^2", "50.0 rJ.s^2"},
        {1.6e9, "flop/J", "1.60 Gflop/J"},
        {5e-10, "J/B", "500 pJ/B"},
        {1e-4, "1/flop", "0.0001 1/flop"},
        {0, "J.s", "0.00 J.s"}, /* below every prefix */
        {1e30, "B/s", "1000000000000 EB/s"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[AM_UNITS_MAX];

        am_units_value(cases[i].value, cases[i].unit, text, sizeof(text));
        if (!ok(strcmp(text, cases[i].text) == 0, "%g %s is \"%s\"", cases[i].value, cases[i].unit,
                cases[i].text))
            printf("# got \"%s\"\n", text);
    }
}

static void test_other_units(void)
{
    char text[AM_UNITS_MAX];

    am_units_bytes(16384, text, sizeof(text));
    is_str(text, "16 KiB", "16384 bytes");
    am_units_bytes(2097152, text, sizeof(text));
    is_str(text, "2 MiB", "2097152 bytes");
    am_units_bytes(1536, text, sizeof(text));
    is_str(text, "1536 B", "no half units");
    am_units_bytes(0, text, sizeof(text));
    is_str(text, "0 B", "no bytes");
    am_units_share(0.0123, text, sizeof(text));
    is_str(text, "1.2 %", "a share");
    am_units_share(0.00012, text, sizeof(text));
    is_str(text, "0.01 %", "a small share keeps a digit");
    am_units_share(0.377, text, sizeof(text));
    is_str(text, "38 %", "a large share");
    am_units_share(INFINITY, text, sizeof(text));
    is_str(text, "-", "no share");
    am_units_clock(42, text, sizeof(text));
    is_str(text, "0:42", "seconds");
    am_units_clock(3700, text, sizeof(text));
    is_str(text, "1:01:40", "hours");
    am_units_clock(NAN, text, sizeof(text));
    is_str(text, "0:00", "no time");
    am_units_duration(75, text, sizeof(text));
    is_str(text, "1 min 15 s", "a minute and more");
    am_units_param(AM_AXIS_SIZE, "32768", text, sizeof(text));
    is_str(text, "32 KiB", "a size axis");
    am_units_param(AM_AXIS_INT, "32768", text, sizeof(text));
    is_str(text, "32768", "a count axis");
}

static void test_exact(void)
{
    static const double values[] = {0.1, 1.0 / 3, 1e-9, 6.02214076e23, 5e-324, -0.0, 123456789};
    char text[AM_UNITS_MAX];

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        am_units_exact(values[i], text, sizeof(text));
        ok(strtod(text, NULL) == values[i], "%s reads back exactly", text);
    }
    am_units_exact(0.1, text, sizeof(text));
    is_str(text, "0.1", "the shortest form that reads back");
    am_units_exact(NAN, text, sizeof(text));
    is_str(text, "null", "NAN is null");
}

static void test_json(void)
{
    struct memory m;
    struct am_json json;
    struct am_data *const j = &json.data;

    am_json_init(&json, memory_open(&m), 2);
    am_data_object(j, NULL);
    am_data_text(j, "text", "a\"b\\c\n\t\x01\xff\xc3\xa9\xed\xa0\x80");
    am_data_number(j, "number", 0.5);
    am_data_number(j, "nothing", NAN);
    am_data_array(j, "list");
    am_data_integer(j, NULL, -1);
    am_data_unsigned(j, NULL, UINT64_MAX);
    am_data_bool(j, NULL, true);
    am_data_text(j, NULL, NULL);
    am_data_array_end(j);
    am_data_guess(j, "guess", "2.5");
    am_data_guess(j, "version", "6.10");
    am_data_guess(j, "zeros", "007");
    am_data_object(j, "empty");
    am_data_object_end(j);
    am_data_object_end(j);
    is_str(memory_text(&m),
           "{\n"
           "  \"text\": \"a\\\"b\\\\c\\n\\t\\u0001\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\",\n"
           "  \"number\": 0.5,\n"
           "  \"nothing\": null,\n"
           "  \"list\": [-1, 18446744073709551615, true, null],\n"
           "  \"guess\": 2.5,\n"
           "  \"version\": \"6.10\",\n"
           "  \"zeros\": \"007\",\n"
           "  \"empty\": {}\n"
           "}\n",
           "JSON is escaped, nested and indented");
    memory_close(&m);
}

/* Names of axes, metrics and facts come from files: bytes that are no characters must not make one
 * key of two. */
static void test_json_keys(void)
{
    static const char *const keys[] = {"a\xff",
                                       "a\xfe",
                                       "a\xef\xbf\xbd",
                                       "a\xef\xbf\xbd\x66\x66",
                                       "a\xef\xbf\xbd\xff",
                                       "a\xc3",
                                       "a\xc3\xa9",
                                       "a\001",
                                       "a\\u0001",
                                       "a\"",
                                       "a\n",
                                       "a ",
                                       "a"};
    struct memory m;
    struct am_json json;
    struct am_arena arena = {0};
    struct am_json_value tree;
    struct am_err err = {0};

    am_json_init(&json, memory_open(&m), 0);
    am_data_object(&json.data, NULL);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        am_data_bool(&json.data, keys[i], true);
    am_data_object_end(&json.data);
    ok(strstr(memory_text(&m), "\"a\\ufffdff\": true, \"a\\ufffdfe\": true,"),
       "a byte that is no character is told by its digits in a key");
    ok(am_json_read("out", memory_text(&m), m.size, &arena, &tree, &err) == AM_OK &&
           tree.n == sizeof(keys) / sizeof(keys[0]),
       "different keys are written differently (%s)", err.text);
    am_arena_fini(&arena);
    memory_close(&m);
}

static void test_put(void)
{
    const struct am_style style = {.utf8 = true};
    struct memory m;

    am_style_put(&style, memory_open(&m), "a\033[31mb\rc\xc2\x9b");
    is_str(memory_text(&m), "a?[31mb?c?", "a results file cannot steer the terminal");
    memory_close(&m);
    ok(am_text_width("日本 e\xcc\x81") == 6, "wide characters take two columns, marks none");
    ok(am_text_width("\xe0\x8b\x97\xc1\xa1") == 5,
       "bytes of forms that are too long are one character each");
}

/* ---- a small run ---- */

enum { LAUNCHES = 6 };

/* Six launches of one sample each around `centre`. */
static struct am_series series_of(struct am_arena *arena, double centre)
{
    struct am_series s = {.launches = am_arena_array(arena, LAUNCHES, sizeof(*s.launches)),
                          .n = LAUNCHES};

    for (unsigned i = 0; i < LAUNCHES; i++) {
        double *value = am_arena_array(arena, 1, sizeof(*value));

        *value = centre * (1 + 0.001 * i);
        s.launches[i] =
            (struct am_launch_values){.launch_id = i, .round = i, .values = value, .n = 1};
    }
    return s;
}

static struct am_result_metric metrics[2][2];
static struct am_result_param params[3][2] = {
    {{"size", AM_AXIS_SIZE, "16384"}, {"pattern", AM_AXIS_NAME, "random"}},
    {{"size", AM_AXIS_SIZE, "2097152"}, {"pattern", AM_AXIS_NAME, "random"}},
    {{"size", AM_AXIS_SIZE, "1099511627776"}, {"pattern", AM_AXIS_NAME, "random"}},
};
static struct am_result results[3];
static struct am_finding findings[] = {
    {"freq.governor", "Frequency", AM_LEVEL_WARN, "powersave", "the clock moves", "set it"},
    {"mem.thp", "Memory", AM_LEVEL_UNKNOWN, "not visible", NULL, NULL},
    {"cpu.smt", "Topology", AM_LEVEL_OK, "off", NULL, NULL},
};

static struct am_result_set small_run(struct am_arena *arena)
{
    struct am_result_set set = {.run = {.name = "run.db",
                                        .command = "archmeter run",
                                        .version = "0",
                                        .started = "2026-01-01T00:00:00Z",
                                        .state = AM_RUN_DONE,
                                        .settings = am_profile_settings(AM_PROFILE_QUICK)},
                                .findings = {findings, 3},
                                .results = results,
                                .n = 3,
                                .launches = 12};

    am_kvs_add(&set.machine, arena, "model_name", "Testium 9000");
    am_kvs_add(&set.machine, arena, "packages", "1");
    am_kvs_add(&set.machine, arena, "cores", "4");
    am_kvs_add(&set.machine, arena, "threads", "8");
    am_kvs_add(&set.machine, arena, "memory_gib", "16");
    for (size_t i = 0; i < 3; i++)
        results[i] = (struct am_result){.bench = "mem.latency",
                                        .worker = "cpu",
                                        .version = 1,
                                        .text = "size=... pattern=random",
                                        .params = params[i],
                                        .n_params = 2,
                                        .state = AM_POINT_OK,
                                        .stop_reason = AM_STOP_TARGET,
                                        .residual = NAN};
    for (size_t i = 0; i < 2; i++) {
        metrics[i][0] = (struct am_result_metric){.name = "latency",
                                                  .unit = "s",
                                                  .better = AM_LOWER,
                                                  .series = series_of(arena, i ? 4e-9 : 1.2e-9)};
        metrics[i][1] = (struct am_result_metric){.name = "cycles",
                                                  .unit = "cycle",
                                                  .better = AM_LOWER,
                                                  .series = series_of(arena, i ? 12 : 4)};
        results[i].metrics = metrics[i];
        results[i].n_metrics = 2;
    }
    results[2].state = AM_POINT_SKIP;
    results[2].reason = "needs 1 TiB";
    results[2].stop_reason = AM_STOP_SKIP;
    results[2].text = "size=1099511627776 pattern=random";
    am_evidence_settle(&set);
    return set;
}

static void test_results_table(void)
{
    struct am_arena arena = {0};
    const struct am_result_set set = small_run(&arena);
    const struct am_document document = am_document_results(&set);
    const struct am_style style = {.format = AM_FORMAT_TABLE, .utf8 = true};
    struct memory m;
    const char *text;

    am_write(&document, &style, &arena, memory_open(&m));
    text = memory_text(&m);
    ok(strstr(text, "Testium 9000, 4 cores, 8 threads, 16 GiB") != NULL,
       "the machine stands first");
    ok(strstr(text, "warn     freq.governor: powersave") != NULL, "warnings are in the block");
    ok(strstr(text, "1 check could not look") != NULL, "unknown checks are counted");
    ok(strstr(text, "mem.latency  pattern=random\n") != NULL, "constant axes go to the heading");
    ok(strstr(text,
              "    size  latency      ±      min      cycles      ±  count  grade  notes\n") !=
           NULL,
       "columns: varying axes, metrics, spread");
    ok(strstr(text, "  16 KiB  1.20 ns  0.2 %  1.20 ns  4.01 cycle") != NULL,
       "sizes and values are scaled");
    ok(strstr(text, "skip: size=1099511627776 pattern=random: needs 1 TiB") != NULL,
       "a skip is told with its reason");
    ok(strstr(text, "half the 95 % confidence interval") != NULL, "the footer explains the spread");
    ok(strstr(text, "\033[") == NULL, "no escape sequences without colour");
    memory_close(&m);
    am_arena_fini(&arena);
}

/* Of a bench with many points, i ns each, what people see who did not ask for all. */
static char *many_in_short(struct am_arena *arena, size_t n, const struct am_style *style)
{
    struct am_result_set set = small_run(arena);
    struct am_result *const many = am_arena_array(arena, n, sizeof(*many));
    const struct am_document document = am_document_results_short(&set);
    struct memory m;
    char *copy;

    for (size_t i = 0; i < n; i++) {
        struct am_result_param *const param = am_arena_array(arena, 1, sizeof(*param));
        struct am_result_metric *const metric = am_arena_array(arena, 1, sizeof(*metric));

        *param = (struct am_result_param){"set", AM_AXIS_INT, am_arena_printf(arena, "%zu", i)};
        *metric = (struct am_result_metric){.name = "latency",
                                            .unit = "s",
                                            .better = AM_LOWER,
                                            .series = series_of(arena, 1e-9 * (double)(i + 1))};
        many[i] = results[0];
        many[i].params = param;
        many[i].metrics = metric;
        many[i].n_params = many[i].n_metrics = 1;
    }
    many[1].stop_reason = AM_STOP_OPEN;
    set.results = many;
    set.n = n;
    am_evidence_settle(&set);
    am_write(&document, style, arena, memory_open(&m));
    copy = am_arena_strdup(arena, memory_text(&m));
    memory_close(&m);
    return copy;
}

static void test_results_short(void)
{
    const struct am_style table = {.format = AM_FORMAT_TABLE, .utf8 = true};
    struct am_arena arena = {0};
    const char *text = many_in_short(&arena, AM_RESULTS_READ_MOST, &table);

    ok(strstr(text, " 1.00 ns") && strstr(text, " 48.1 ns") && !strstr(text, "archmeter show"),
       "as many points as somebody reads are all there");
    text = many_in_short(&arena, 60, &table);
    ok(strstr(text, "60 points, 60 measured: ") && strstr(text, "; 1 unfinished. The slowest:"),
       "of more points people see how many, and how good they are");
    ok(strstr(text, "\n   52  53.1 ns") && strstr(text, "\n   59  60.2 ns") &&
           !strstr(text, "52.1 ns"),
       "and the eight slowest");
    ok(strstr(text, "all: archmeter show run.db mem.latency\n") != NULL, "and how to see all");
    text = many_in_short(&arena, 60, &(struct am_style){.format = AM_FORMAT_CSV});
    ok(strstr(text, ",1,") && !strstr(text, "slowest"), "programs get all");
    am_arena_fini(&arena);
}

/* That launches were used up is no news to somebody who fixed their number. */
static void test_used_up(void)
{
    const struct am_style style = {.format = AM_FORMAT_TABLE, .utf8 = true};

    for (unsigned most = LAUNCHES; most < LAUNCHES + 2; most++) {
        struct am_arena arena = {0};
        struct am_result_set set = small_run(&arena);
        const struct am_document document = am_document_results(&set);
        const bool fixed = most == LAUNCHES;
        struct memory m;

        set.run.settings.min_launches = LAUNCHES;
        set.run.settings.max_launches = most;
        results[0].stop_reason = AM_STOP_MAX_LAUNCHES;
        am_write(&document, &style, &arena, memory_open(&m));
        ok((strstr(memory_text(&m), "max-launches") == NULL) == fixed,
           fixed ? "launches whose number is fixed are used up without a note"
                 : "others have the note");
        memory_close(&m);
        am_arena_fini(&arena);
    }
}

static void test_results_json(void)
{
    struct am_arena arena = {0};
    const struct am_result_set set = small_run(&arena);
    const struct am_document document = am_document_results(&set);
    const struct am_style style = {.format = AM_FORMAT_JSON};
    struct memory m;
    const char *text;

    am_write(&document, &style, &arena, memory_open(&m));
    text = memory_text(&m);
    ok(strstr(text, "{\n  \"schema\": 1,\n  \"run\": {\n") == text, "schema, then the run");
    ok(strstr(text, "\"point\": {\"size\": 16384, \"pattern\": \"random\"}") != NULL,
       "sizes are numbers, names are strings");
    ok(strstr(text, "\"latency\": {\"unit\": \"s\", \"better\": \"lower\", \"median\": 1.20") !=
           NULL,
       "metrics have unit, direction and median");
    ok(strstr(text, "\"state\": \"skip\", \"reason\": \"needs 1 TiB\"") != NULL,
       "a skip has its reason");
    ok(strstr(text, "\"residual\": null") != NULL && strstr(text, "nan") == NULL,
       "what is not a number is null");
    ok(strstr(text, "\"launches\": 6, \"samples\": 6") != NULL, "launches and samples are counted");
    ok(strstr(text, "\"cores\": 4,") && strstr(text, "\"model_name\": \"Testium 9000\""),
       "numbers of the machine are numbers, names are strings");
    ok(strstr(text, "\"bimodal\": false, \"grade\": \"A\", \"reasons\": []") != NULL,
       "a metric has its grade, and what kept it from A");
    memory_close(&m);
    am_arena_fini(&arena);
}

static void test_results_csv(void)
{
    struct am_arena arena = {0};
    const struct am_result_set set = small_run(&arena);
    const struct am_document document = am_document_results(&set);
    const struct am_style style = {.format = AM_FORMAT_CSV};
    struct memory m;
    const char *text;
    size_t lines = 0;

    am_write(&document, &style, &arena, memory_open(&m));
    text = memory_text(&m);
    for (const char *s = text; *s; s++)
        lines += *s == '\n';
    ok(lines == 1 + 4 + 1, "a row a point and metric, one for a skip");
    ok(strstr(text, "bench,version,point.size,point.pattern,state") == text, "named columns");
    ok(strstr(text, "mem.latency,1,16384,random,ok,,target,latency,s,lower,1.20") != NULL,
       "values are unscaled");
    memory_close(&m);
    am_arena_fini(&arena);
}

static void test_findings(void)
{
    const struct am_findings set = {findings, 3};
    const struct am_findings_view view = {&set, true};
    const struct am_document document = am_document_findings(&view);
    const struct am_style style = {.format = AM_FORMAT_TABLE};
    struct am_arena arena = {0};
    struct memory m;
    const char *text;

    am_write(&document, &style, &arena, memory_open(&m));
    text = memory_text(&m);
    ok(strstr(text, "Frequency\n  warn     freq.governor  powersave\n") == text,
       "findings stand below their area");
    ok(strstr(text, "remedy: set it") != NULL, "a warning has its remedy");
    ok(strstr(text, "1 ok, 1 warn, 0 error, 1 unknown") != NULL, "levels are counted");
    ok(strstr(text, "synthetic") != NULL, "and a false root is no secret");
    memory_close(&m);
    am_write(&document, &(struct am_style){.format = AM_FORMAT_JSON}, &arena, memory_open(&m));
    ok(strstr(memory_text(&m), "\"synthetic\": true") != NULL, "JSON carries the stamp");
    memory_close(&m);
    am_arena_fini(&arena);
}

int main(void)
{
    test_values();
    test_other_units();
    test_exact();
    test_json();
    test_json_keys();
    test_put();
    test_results_table();
    test_results_short();
    test_used_up();
    test_results_json();
    test_results_csv();
    test_findings();
    return tap_done();
}
