/* SPDX-License-Identifier: MIT */
/* Plans: profiles, the product of axis values, parameters, bounds. */
#include "core/bench/plan.h"
#include "tap.h"

static const char *const patterns[] = {"random", "linear", NULL};
static const struct am_axis axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE, .dflt = "4K,8K", .quick = "4K", .thorough = "4K:16K:*2"},
    {.name = "pattern", .kind = AM_AXIS_NAME, .dflt = "all", .choices = patterns},
    {.name = "threads", .kind = AM_AXIS_INT, .dflt = "1:cpus:*2"},
    {.name = NULL},
};
static const struct am_bench bench = {.name = "mem.test", .axes = axes};
static const struct am_bench plain = {.name = "null"};
static const struct am_symbol symbols[] = {{"cpus", 4}, {NULL, 0}};

static void test_profiles(void)
{
    static const struct {
        const char *name;
        unsigned min_launches, max_launches, warmup, samples, extra;
        double target, budget_s, limit_s, min_batch_s, max_point_s;
    } want[AM_PROFILE_COUNT] = {
        [AM_PROFILE_QUICK] = {"quick", 5, 5, 1, 5, 3, 0.01, 60, 30, 0.002, 0.5},
        [AM_PROFILE_STANDARD] = {"standard", 8, 15, 1, 5, 5, 0.01, 0, 60, 0.01, 5},
        [AM_PROFILE_THOROUGH] = {"thorough", 20, 20, 2, 20, 10, 0.005, 0, 300, 0.02, 20},
    };

    for (unsigned i = 0; i < AM_PROFILE_COUNT; i++) {
        const struct am_plan_settings s = am_profile_settings((enum am_profile)i);

        is_str(am_profile_name((enum am_profile)i), want[i].name, "a profile has its name");
        ok(am_profile_find(want[i].name) == (enum am_profile)i && s.profile == (enum am_profile)i,
           "%s is found by it", want[i].name);
        ok(s.min_launches == want[i].min_launches && s.max_launches == want[i].max_launches &&
               s.target == want[i].target && s.budget_s == want[i].budget_s &&
               s.launch_limit_s == want[i].limit_s && s.seed == 0,
           "%s: launches, target, budget and limit", want[i].name);
        ok(s.sampler.warmup == want[i].warmup && s.sampler.samples == want[i].samples &&
               s.sampler.extra == want[i].extra && s.sampler.drift_limit == 0.02 &&
               fabs((double)s.sampler.min_batch_ns - 1e9 * want[i].min_batch_s) < 1 &&
               fabs((double)s.sampler.max_point_ns - 1e9 * want[i].max_point_s) < 1,
           "%s: sampler", want[i].name);
    }
    ok(am_profile_find("fast") == AM_PROFILE_COUNT, "an unknown profile is not found");
}

static void check_text(const struct am_plan *plan, size_t i, const char *want)
{
    char text[AM_POINT_TEXT_MAX] = "(no such point)";

    if (i < plan->n)
        am_point_text(&plan->points[i], text, sizeof(text));
    is_str(text, want, "the point's text");
}

static void test_product(void)
{
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_STANDARD)};
    struct am_arena arena = {0};
    struct am_err err = {0};
    char cut[12];

    ok(am_plan_add(&plan, &bench, NULL, 0, symbols, &arena, &err) == AM_OK, "defaults parse");
    ok(plan.n == 2 * 2 * 3, "two sizes, two patterns and three counts are twelve points");
    check_text(&plan, 0, "size=4096 pattern=random threads=1");
    check_text(&plan, 1, "size=4096 pattern=random threads=2");
    check_text(&plan, 3, "size=4096 pattern=linear threads=1");
    check_text(&plan, 11, "size=8192 pattern=linear threads=4");
    ok(am_point_threads(&plan.points[11]) == 4, "a point asks for its threads");
    am_point_text(&plan.points[0], cut, sizeof(cut));
    is_str(cut, "size=4096 p", "a short buffer cuts the text and ends it");
    ok(am_plan_add(&plan, &plain, NULL, 0, symbols, &arena, &err) == AM_OK && plan.n == 13,
       "a bench without axes adds one point");
    check_text(&plan, 12, "");
    ok(plan.points[12].bench == &plain && am_point_threads(&plan.points[12]) == 1,
       "which asks for one thread");
    for (int i = 0; i < 20; i++)
        (void)am_plan_add(&plan, &bench, NULL, 0, symbols, &arena, &err);
    ok(plan.n == 13 + 20 * 12, "a plan grows");
    check_text(&plan, 11, "size=8192 pattern=linear threads=4");
    am_arena_fini(&arena);
}

static void test_profile_values(void)
{
    static const size_t want[AM_PROFILE_COUNT] = {1 * 6, 2 * 6, 3 * 6};

    for (unsigned i = 0; i < AM_PROFILE_COUNT; i++) {
        struct am_plan plan = {.settings = am_profile_settings((enum am_profile)i)};
        struct am_arena arena = {0};
        struct am_err err = {0};

        ok(am_plan_add(&plan, &bench, NULL, 0, symbols, &arena, &err) == AM_OK && plan.n == want[i],
           "%s has %zu points", am_profile_name((enum am_profile)i), want[i]);
        am_arena_fini(&arena);
    }
}

static void test_params(void)
{
    struct am_param params[] = {
        {.axis = "size", .values = "1M"},
        {.axis = "size", .values = "64,128"},
        {.axis = "isa", .values = "avx2"},
        {.axis = "threads", .values = "3"},
    };
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_QUICK)};
    struct am_arena arena = {0};
    struct am_err err = {0};

    ok(am_plan_add(&plan, &bench, params, 4, symbols, &arena, &err) == AM_OK && plan.n == 4,
       "parameters replace the defaults");
    check_text(&plan, 0, "size=64 pattern=random threads=3");
    ok(params[0].used && params[1].used && params[3].used, "the last of two wins, both are used");
    ok(!params[2].used, "an axis that no bench has stays unused");
    params[3].values = "0x3";
    ok(am_plan_add(&plan, &bench, params, 4, symbols, &arena, &err) == AM_E_USAGE && plan.n == 4,
       "a bad parameter adds nothing");
    ok(strstr(err.text, "threads:") && strstr(err.text, "column 2"), "and is explained");
    am_arena_fini(&arena);
}

static void test_bounds(void)
{
    static const struct am_axis wide[] = {
        {.name = "a", .kind = AM_AXIS_INT, .dflt = "1:4096"},
        {.name = "b", .kind = AM_AXIS_INT, .dflt = "1:4096"},
        {.name = "c", .kind = AM_AXIS_INT, .dflt = "1:4096"},
        {.name = "d", .kind = AM_AXIS_INT, .dflt = "1:4096"},
        {.name = "e", .kind = AM_AXIS_INT, .dflt = "1:4096"},
        {.name = "f", .kind = AM_AXIS_INT, .dflt = "1:4096"},
        {.name = NULL},
    };
    static const struct am_axis open[] = {{.name = "file", .kind = AM_AXIS_NAME}, {.name = NULL}};
    const struct am_bench huge = {.name = "huge", .axes = wide};
    const struct am_bench asks = {.name = "asks", .axes = open};
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_QUICK)};
    struct am_arena arena = {0};
    struct am_err err = {0};

    ok(am_plan_add(&plan, &huge, NULL, 0, symbols, &arena, &err) == AM_E_LIMIT && plan.n == 0,
       "2^72 points are refused without wrapping");
    is_str(err.text, "huge: the plan would pass 1000000 points", "and explained");
    memset(&err, 0, sizeof(err));
    plan.n = AM_PLAN_POINTS_MAX;
    ok(am_plan_add(&plan, &plain, NULL, 0, symbols, &arena, &err) == AM_E_LIMIT,
       "a full plan takes no further point");
    plan.n = 0;
    memset(&err, 0, sizeof(err));
    ok(am_plan_add(&plan, &asks, NULL, 0, symbols, &arena, &err) == AM_E_USAGE,
       "an axis without default must be given");
    is_str(err.text, "asks: axis file has no default; give -p file=VALUES", "and says how");
    am_arena_fini(&arena);
}

/* Sixteen axes with the longest names do not fit into a point's text. */
static void test_long_text(void)
{
    static const char name[] = "a-very-long-axis-name-of-47-bytes-0123456789-xy";
    static const char value[] = "a-very-long-value-of-60-bytes-0123456789-0123456789-01234567";
    struct am_axis many[AM_AXES_MAX + 2] = {0};
    const struct am_bench wordy = {.name = "wordy", .axes = many};
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_QUICK)};
    struct am_arena arena = {0};
    struct am_err err = {0};

    for (int i = 0; i < 9; i++)
        many[i] = (struct am_axis){.name = name, .kind = AM_AXIS_NAME, .dflt = value};
    ok(am_plan_add(&plan, &wordy, NULL, 0, symbols, &arena, &err) == AM_OK, "nine axes fit");
    for (int i = 9; i < AM_AXES_MAX; i++)
        many[i] = many[0];
    ok(am_plan_add(&plan, &wordy, NULL, 0, symbols, &arena, &err) == AM_E_LIMIT &&
           strstr(err.text, "1024 bytes"),
       "a text that would be cut is refused");
    many[AM_AXES_MAX] = many[0];
    memset(&err, 0, sizeof(err));
    ok(am_plan_add(&plan, &wordy, NULL, 0, symbols, &arena, &err) == AM_E_LIMIT &&
           strstr(err.text, am_arena_printf(&arena, "%d axes", AM_AXES_MAX)),
       "and so are too many axes");
    am_arena_fini(&arena);
}

/* Another worker's descriptor of the same bench measures "linear". */
static void test_elsewhere(void)
{
    static const char *const elsewhere[] = {NULL, "twin", NULL};
    struct am_axis mine[] = {{.name = "pattern",
                              .kind = AM_AXIS_NAME,
                              .dflt = "all",
                              .choices = patterns,
                              .elsewhere = elsewhere},
                             {.name = NULL}};
    const struct am_bench split = {.name = "split", .axes = mine};
    struct am_param param = {.axis = "pattern", .values = "linear"};
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_STANDARD)};
    struct am_arena arena = {0};
    struct am_err err = {0};

    ok(am_plan_add(&plan, &split, NULL, 0, symbols, &arena, &err) == AM_OK && plan.n == 1,
       "a value measured elsewhere is left out");
    check_text(&plan, 0, "pattern=random");
    mine[0].dflt = "usable";
    ok(am_plan_add(&plan, &split, NULL, 0, symbols, &arena, &err) == AM_OK && plan.n == 2,
       "and is not usable here");
    ok(am_plan_add(&plan, &split, &param, 1, symbols, &arena, &err) == AM_OK && plan.n == 2 &&
           param.used,
       "asking for it alone is no error and no point");
    am_arena_fini(&arena);
}

struct seen {
    char text[128];
};

static void see_variable(void *self, const char *variable, const char *value)
{
    struct seen *const seen = self;
    const size_t used = strlen(seen->text);

    (void)snprintf(seen->text + used, sizeof(seen->text) - used, "%s:%s;", variable,
                   value ? value : "(none)");
}

static void test_environment(void)
{
    static const char *const policies[] = {"active", "default", NULL};
    static const char *const settings[] = {"ACTIVE", NULL};
    const struct am_axis variables[] = {
        {.name = "n", .kind = AM_AXIS_INT, .dflt = "1,2"},
        {.name = "wait",
         .kind = AM_AXIS_NAME,
         .dflt = "all",
         .choices = policies,
         .env = "POLICY",
         .env_values = settings},
        {.name = "any", .kind = AM_AXIS_NAME, .dflt = "word", .env = "ANY"},
        {.name = NULL}};
    const struct am_axis turned[] = {variables[2], variables[1], {.name = NULL}};
    const struct am_bench steered = {.name = "steered", .axes = variables},
                          other = {.name = "other", .axes = turned},
                          fewer = {.name = "fewer", .axes = turned + 1};
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_STANDARD)};
    struct am_arena arena = {0};
    struct am_err err = {0};
    struct seen seen = {0};

    (void)am_plan_add(&plan, &steered, NULL, 0, symbols, &arena, &err);
    am_point_environment(&plan.points[0], see_variable, &seen);
    am_point_environment(&plan.points[1], see_variable, &seen);
    is_str(seen.text, "POLICY:ACTIVE;ANY:word;POLICY:(none);ANY:word;",
           "axes with a variable say what a launch gets");
    ok(am_point_same_environment(&plan.points[0], &plan.points[2]) &&
           !am_point_same_environment(&plan.points[0], &plan.points[1]),
       "points that differ in other axes only may share it");
    (void)am_plan_add(&plan, &other, NULL, 0, symbols, &arena, &err);
    (void)am_plan_add(&plan, &fewer, NULL, 0, symbols, &arena, &err);
    ok(plan.n == 8 && am_point_same_environment(&plan.points[0], &plan.points[4]) &&
           am_point_same_environment(&plan.points[5], &plan.points[1]) &&
           !am_point_same_environment(&plan.points[0], &plan.points[5]),
       "and so may points of two benches with the same variables");
    ok(!am_point_same_environment(&plan.points[0], &plan.points[6]) &&
           !am_point_same_environment(&plan.points[6], &plan.points[0]),
       "not where one of them sets a variable more");
    am_arena_fini(&arena);
}

/* A machine of four CPUs with a part of two, "kind:E", and "smt2", which takes pairs only. */
static const struct am_symbol *place_symbols(const void *self, const char *place, int64_t threads,
                                             struct am_arena *arena)
{
    const int64_t cpus = strcmp(place, "kind:E") == 0 ? 2 : 4;
    struct am_symbol *const s = am_arena_array(arena, 3, sizeof(*s));

    if (strcmp(place, "l3") == 0)
        return NULL;
    (void)self;
    s[0] = (struct am_symbol){"cpus", cpus};
    s[1] = (struct am_symbol){"l1s", 1024 * (threads ? threads : cpus)};
    return s;
}

static bool place_takes(const void *self, const char *place, int64_t threads)
{
    (void)self;
    if (strcmp(place, "smt2") == 0 && threads % 2)
        return false;
    return threads <= (strcmp(place, "kind:E") == 0 ? 2 : 4);
}

static void check_plan(const char *what, struct am_param *params, size_t n, const char *want)
{
    static const char *const choices[] = {"machine", "smt2", "l3", "kind:E", NULL};
    static const char *const reasons[] = {NULL, NULL, "one L3 serves all", NULL, NULL};
    static const struct am_axis placed_axes[] = {
        {.name = "size", .kind = AM_AXIS_SIZE, .dflt = "l1s"},
        {.name = "threads", .kind = AM_AXIS_INT, .dflt = "1,cpus,3"},
        {.name = "on",
         .kind = AM_AXIS_NAME,
         .dflt = "machine,smt*,kind:*",
         .choices = choices,
         .reasons = reasons},
        {.name = NULL},
    };
    static const struct am_bench placed = {.name = "placed", .axes = placed_axes};
    const struct am_places places = {.symbols = place_symbols, .takes = place_takes};
    struct am_plan plan = {.settings = am_profile_settings(AM_PROFILE_STANDARD), .places = &places};
    struct am_arena arena = {0};
    struct am_err err = {0};
    char all[4 * AM_POINT_TEXT_MAX] = "", text[AM_POINT_TEXT_MAX];

    ok(am_plan_add(&plan, &placed, params, n, symbols, &arena, &err) == AM_OK, "%s: planned (%s)",
       what, err.text);
    for (size_t i = 0; i < plan.n; i++) {
        am_point_text(&plan.points[i], text, sizeof(text));
        (void)snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? "; " : "", text);
    }
    is_str(all, want, what);
    am_arena_fini(&arena);
}

static void test_places(void)
{
    struct am_param threads[] = {{.axis = "threads", .values = "3"},
                                 {.axis = "on", .values = "kind:E"}};
    struct am_param absent[] = {{.axis = "on", .values = "l3"}, {.axis = "size", .values = "2K"}};

    check_plan("symbols are those of the place and its threads", NULL, 0,
               "size=1024 threads=1 on=machine; size=1024 threads=1 on=kind:E; "
               "size=2048 threads=2 on=kind:E; size=3072 threads=3 on=machine; "
               "size=4096 threads=4 on=machine; size=4096 threads=4 on=smt2");
    check_plan("threads that the user named are planned", threads, 2,
               "size=3072 threads=3 on=kind:E");
    check_plan("a place that is not here is planned once", absent, 2, "size=2048 threads=1 on=l3");
}

int main(void)
{
    test_places();
    test_profiles();
    test_product();
    test_profile_values();
    test_params();
    test_bounds();
    test_long_text();
    test_elsewhere();
    test_environment();
    return tap_done();
}
