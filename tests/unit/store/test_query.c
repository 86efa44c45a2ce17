/* SPDX-License-Identifier: MIT */
/* Users' queries: the views of a run, their statistics, what is refused; and tables of them. */
#include "write/query.h"
#include "store/query.h"

#include "store_fixture.h"
#include "tap.h"

#include <string.h>

static struct am_store *store;
static struct am_arena arena;

static struct am_query_table ask(const char *sql)
{
    struct am_query_table table = {0};
    struct am_err err = {0};

    if (am_store_query(store, sql, &arena, &table, &err) != AM_OK)
        printf("# %s: %s\n", sql, err.text);
    return table;
}

static double number(const char *sql)
{
    const struct am_query_table t = ask(sql);

    if (t.n_rows != 1 || t.n_columns != 1)
        return NAN;
    return t.cells[0].kind == AM_CELL_INT ? (double)t.cells[0].i : t.cells[0].r;
}

/* Point 1 has four launches of three samples each (store_fixture.h). */
static void test_views(void)
{
    double x[4 * FX_SAMPLES], sum = 0, squares = 0;
    size_t n = 0;

    for (unsigned round = 0; round < 4; round++) {
        for (size_t seq = 0; seq < FX_SAMPLES; seq++)
            x[n++] = fx_value(1, round, seq, 0);
    }
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
    ok(ask("select * from results").n_rows == 7 * FX_SAMPLES, "results has a row a sample");
    ok(ask("select * from stats").n_rows == 3, "stats has a row a point that was measured");
    is_near(number("select latency from results where point=1 and round=2 and sample=1"),
            fx_value(1, 2, 1, 0), 1e-15, "a sample's value stands in its metric's column");
    ok(isnan(number("select flops from results where point=1 and round=2 and sample=1")) ||
           number("select flops is null from results where point=1 and round=2 and sample=1") > 0,
       "what a bench does not have is NULL");
    is_near(number("select count(*) from results where test_name='mem.fake' and pattern='seq'"),
            4 * FX_SAMPLES, 1e-15, "axes are columns");
    is_near(number("select latency_range_min from stats where size=4096 and pattern='seq'"), x[0],
            1e-15, "the range begins with the least");
    is_near(number("select latency_range_max from stats where size=4096 and pattern='seq'"),
            x[n - 1], 1e-15, "and ends with the greatest");
    is_near(number("select median(latency) from results where point=1"), (x[5] + x[6]) / 2, 1e-12,
            "median() is the median of the rows");
    is_near(number("select stddev(latency) from results where point=1"),
            sqrt(squares / (double)(n - 1)), 1e-12, "stddev() the deviation of a sample");
    is_near(number("select launches from stats where size=4096 and pattern='seq'"), 4, 1e-15,
            "launches are counted");
    is_near(
        number("select weighted_mean(v, w) from (select 1.0 as v, 3 as w union all select 5, 1)"),
        2, 1e-15, "weights count");
}

static void test_refused(void)
{
    static const char *const bad[] = {
        "delete from run",
        "create table x (y)",
        "attach 'x.db' as x",
        "pragma query_only=off",
        "select load_extension('x')",
        "select 1; select 2",
        "select nothing from results",
        "select round(\"power:nothing_median\", 1) from stats", /* and not the text of that name */
        "selct 1",
        "with recursive c(n) as (select 1 union all select n+1 from c) select count(*) from c",
        ";",
        "begin",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct am_query_table table;
        struct am_err err = {0};

        ok(am_store_query(store, bad[i], &arena, &table, &err) == AM_E_USAGE && err.text[0],
           "\"%s\" is refused (%s)", bad[i], err.text);
    }
    ok(number("select 1") > 0, "and the next query works");
}

static const char *written(struct am_tablespec_file file, const char *first, const char *second)
{
    static char text[2048];
    struct am_query_table all = {0};
    struct am_query_table one = ask(first), two;
    struct am_err err = {0};
    FILE *const out = tmpfile();
    size_t n = 0;

    (void)am_query_join(&all, &one, file.right, &arena, &err);
    if (second) {
        two = ask(second);
        if (am_query_join(&all, &two, file.right, &arena, &err) != AM_OK)
            return err.text[0] ? "refused" : "?";
    }
    if (out) {
        am_query_write(&file, &all, out);
        rewind(out);
        n = fread(text, 1, sizeof(text) - 1, out);
        (void)fclose(out);
    }
    text[n] = '\0';
    return text;
}

static void test_tables(void)
{
    static const char some[] = "select 1 as a, 0.1 as b, 'x_y,\"z\" & #|' as c, null as d";
    const struct am_tablespec_file tex = {.form = AM_TABLEFORM_TEX, .escape = true, .header = -1};
    struct am_tablespec_file csv = {.form = AM_TABLEFORM_CSV, .escape = true, .header = -1};
    const struct am_tablespec_file data = {.form = AM_TABLEFORM_DATA, .escape = true, .header = -1};
    const struct am_tablespec_file md = {.form = AM_TABLEFORM_MD, .escape = true, .header = -1};
    struct am_tablespec_file right = csv;

    right.right = true;
    is_str(written(tex, some, NULL), "1 & 0.1 & x\\_y,\"z\" \\& \\#\\textbar{} &  \\\\\n",
           "LaTeX escapes what it would interpret");
    is_str(written(csv, some, NULL), "a,b,c,d\n1,0.1,\"x_y,\"\"z\"\" & #|\",\n",
           "CSV quotes what needs it");
    is_str(written(data, some, NULL), "# a b c d\n1 0.1 \"x_y,\\\"z\\\" & #|\" NaN\n",
           "gnuplot's data have no holes");
    is_str(written(md, some, NULL),
           "| a | b | c | d |\n| --- | --- | --- | --- |\n| 1 | 0.1 | x\\_y,\"z\" & #\\| |  |\n",
           "Markdown escapes its own");
    csv.separator = ";";
    csv.newline = "!";
    csv.header = 0;
    is_str(written(csv, "select 'a;b', 'a,b'", NULL), "\"a;b\";a,b!\n",
           "a separator of one's own decides what is quoted");
    is_str(written(csv, "select 1, 2", "select 3, 4"), "1;2!\n3;4!\n", "down adds rows");
    is_str(written(csv, "select 1, 2", "select 3"), "refused", "of the same width");
    is_str(written(right, "select 1 as a union all select 2", "select 3 as b"), "a,b\n1,3\n2,\n",
           "right adds columns, short ones end in nothing");
}

/* What a file says of testsets is data of others: it may be anything. `path` is written, then read
 * as queries read it. */
static double rows_with(const char *path, const char *testsets, const char *sql)
{
    struct am_kvs facts = {0};
    struct am_err err = {0};
    double n = NAN;

    store = fx_fresh_run(path);
    am_kvs_add(&facts, &arena, AM_STORE_TESTSETS, testsets);
    if (store && fx_fill(store, &err) == AM_OK &&
        am_store_put_settings(store, &facts, &err) == AM_OK) {
        am_store_close(store);
        if (am_store_open(path, false, &store, &err) == AM_OK &&
            am_store_open_queries(store, NULL, &err) == AM_OK)
            n = number(sql);
    }
    am_store_close(store);
    (void)unlink(path);
    if (err.text[0])
        printf("# %s\n", err.text);
    return n;
}

static void test_testsets(const char *path)
{
    static const char all[] = "select count(*) from stats";
    static const char of_x[] = "select count(*) from results where testset='x'";
    static const char *const odd[] = {"",
                                      "[",
                                      "{}",
                                      "7",
                                      "[7, null, \"x\"]",
                                      "[[]]",
                                      "[[null, 1]]",
                                      "[[\"x\", \"no.such\", \"size=1\"]]",
                                      "{\"a\": [\"x\", \"mem.fake\", 3]}"};
    static const char good[] = "[[\"x\", \"mem.fake\", \"size=4096 pattern=seq\"],"
                               " [\"x\", \"mem.fake\", \"size=4096 pattern=seq\"],"
                               " [\"y\", \"mem.fake\", \"size=4096 pattern=seq\"]]";

    is_near(rows_with(path, good, of_x), 4 * FX_SAMPLES, 1e-15, "a point is found by its testset");
    is_near(rows_with(path, good, all), 4, 1e-15, "one in two testsets has a row in each");
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
        ok(rows_with(path, odd[i], all) == 3, "testsets that read \"%s\" do no harm", odd[i]);
}

/* A launch of each round, of which the odd ones were busy (store_fixture.h): as many as it takes to
 * do without those. */
static void test_apart(const char *path)
{
    enum { ROUNDS = 2 * AM_QUIET_LAUNCHES };
    static struct am_kv said[] = {{AM_CHOSEN_CLOCK, AM_CLOCK_DEVICE}, {AM_CHOSEN_CLOCK, "host"}};
    const double fourth = (fx_value(1, 4, 0, 0) + fx_value(1, 4, 1, 0)) / 2;
    const double fifth = (fx_value(1, 5, 0, 0) + fx_value(1, 5, 1, 0)) / 2;

    for (size_t k = 0; k < 2; k++) {
        struct am_result_set set = {0};
        struct am_err err = {0};
        bool good = (store = fx_fresh_run(path)) != NULL;
        size_t busy = 0;
        double median = NAN;

        for (unsigned round = 0; good && round < ROUNDS; round++) {
            struct am_visit both[2]; /* the other is of another bench */
            struct fx_launch l;

            fx_launch_init(&l, 1, round);
            l.visit.chosen = (struct am_kvs){&said[k], 1, 1};
            both[0] = both[1] = l.visit;
            both[1].point_id = 5;
            l.launch.visits = both;
            l.launch.n_visits = 2;
            good = am_store_put_launch(store, &l.launch, &err) == AM_OK;
        }
        good = good && am_store_load(store, &(struct am_filter){0}, &arena, &set, &err) == AM_OK &&
               set.launches == ROUNDS;
        for (size_t l = 0; good && l < set.results[0].metrics[0].series.n; l++)
            busy += set.results[0].metrics[0].series.launches[l].busy != 0;
        am_store_close(store);
        if (am_store_open(path, false, &store, &err) == AM_OK &&
            am_store_open_queries(store, &(const struct am_kvs){0}, &err) == AM_OK)
            median = number("select latency_median from stats where test_name='mem.fake'");
        am_store_close(store);
        (void)unlink(path);
        ok(good && busy == (k == 0 ? 0 : ROUNDS / 2), "timed by the %s, %zu launches are busy %s",
           said[k].value, busy, err.text);
        is_near(median, k == 0 ? (fourth + fifth) / 2 : fourth, 1e-12, "and queries say the same");
    }
}

/* What launches say of parts of their time is kept of all of them, other things of the latest. */
static void test_parts(const char *path)
{
    static struct am_kv said[2][3] = {
        {{"code_passes", "7"}, {"depth", "4"}, {"step_halo", "0.1"}},
        {{"code_passes", "7"}, {"depth", "8"}, {"step_halo", "0.3"}},
    };
    struct am_result_set set = {0};
    struct am_err err = {0};
    bool good = (store = fx_fresh_run(path)) != NULL;

    for (unsigned round = 0; good && round < 2; round++) {
        struct fx_launch l;

        fx_launch_init(&l, 1, round);
        l.visit.chosen = (struct am_kvs){said[round], 3, 3};
        good = am_store_put_launch(store, &l.launch, &err) == AM_OK;
    }
    ok(good && am_store_load(store, &(struct am_filter){0}, &arena, &set, &err) == AM_OK,
       "two launches with parts: %s", err.text);
    ok(set.n && set.results[0].chosen.n == 3 && set.results[0].parts.n == 4,
       "what the latest chose, and the parts of both");
    is_str(set.n ? set.results[0].parts.items[1].value : "", "0.1", "the first one's");
    is_str(set.n ? set.results[0].parts.items[3].value : "", "0.3", "and the second one's");
    am_store_close(store);
    (void)unlink(path);
}

/* Numbers that the run has kept, and those of the moment, which count first. */
static void test_given(void)
{
    is_near(number("select value from given where name='price.cpu'"), 350, 1e-15,
            "a number is kept with the run");
    is_near(number("select value from given where name='price.gpu'"), 2000, 1e-15,
            "one of the moment replaces it");
    is_near(number("select value from given where name='it''s'"), 0.5, 1e-15,
            "any name is taken as it is");
    is_near(number("select count(*) from given"), 3, 1e-15, "there are no others");
    is_near(number("select count(*) from stats s join point p on p.id = s.point"), 3, 1e-15,
            "rows of stats lead to their points");
}

int main(void)
{
    static const char path[] = "query-test.db";
    struct am_kvs kept = {0}, given = {0};
    struct am_err err = {0};

    test_testsets(path);
    test_apart(path);
    test_parts(path);
    am_kvs_add(&kept, &arena, AM_STORE_GIVEN "price.cpu", "350");
    am_kvs_add(&kept, &arena, AM_STORE_GIVEN "price.gpu", "1");
    am_kvs_add(&given, &arena, "price.gpu", "2000");
    am_kvs_add(&given, &arena, "it's", "0.5");
    store = fx_fresh_run(path);
    ok(store && fx_fill(store, &err) == AM_OK && am_store_put_settings(store, &kept, &err) == AM_OK,
       "a run is there (%s)", err.text);
    am_store_close(store);
    ok(am_store_open(path, false, &store, &err) == AM_OK &&
           am_store_open_queries(store, &given, &err) == AM_OK,
       "it is opened for queries (%s)", err.text);
    test_given();
    test_views();
    test_refused();
    test_tables();
    am_store_close(store);
    am_arena_fini(&arena);
    (void)unlink(path);
    return tap_done();
}
