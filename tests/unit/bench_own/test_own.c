/* SPDX-License-Identifier: MIT */
/* Benches of the user's own: descriptors of any version become the engine's, and their functions
 * are called with what they ask for. */
#include "bench/own/own.h"

#include "bench_fixture.h"
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- a bench as a file has it ---- */

static double *numbers, sum;
static int64_t n;
static unsigned finished;

static int prepare(struct archmeter_point *p)
{
    n = archmeter_count(p, "n");
    numbers = archmeter_alloc(p, (size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        numbers[i] = archmeter_number(p, "value");
    p->flops = (double)n;
    p->bytes_read = 8.0 * (double)n;
    archmeter_note(p, "taken", archmeter_text(p, "block"));
    return strcmp(archmeter_text(p, "mode"), "odd") == 0 ? archmeter_refuse(p, "odd is not done")
                                                         : 0;
}

static void run(struct archmeter_point *p, uint64_t iterations)
{
    (void)p;
    for (; iterations > 0; iterations--) {
        sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += numbers[i];
        archmeter_keep(&sum);
    }
}

static int verify(struct archmeter_point *p)
{
    return archmeter_check(p, "sum", sum, (double)n * archmeter_number(p, "value"), 1e-12);
}

static void finish(struct archmeter_point *p)
{
    (void)p;
    finished++;
}

static const struct archmeter_axis axes[] = {
    {.name = "n", .values = "4,8"},
    {.name = "value", .values = "0.5", .kind = "number"},
    {.name = "block", .tune = "16,32"},
    {.name = "mode", .values = "even", .choices = "even,odd"},
    {.name = NULL},
};
static const struct archmeter_metric metrics[] = {
    {.name = "rate", .rule = "flops"}, {.name = "time", .rule = "time/iter"}, {.name = NULL}};

static struct archmeter_bench described(void)
{
    return (struct archmeter_bench){.size = sizeof(struct archmeter_bench),
                                    .interface_version = ARCHMETER_BENCH_VERSION,
                                    .axis_size = sizeof(struct archmeter_axis),
                                    .metric_size = sizeof(struct archmeter_metric),
                                    .name = "sum",
                                    .summary = "adds",
                                    .axes = axes,
                                    .metrics = metrics,
                                    .prepare = prepare,
                                    .run = run,
                                    .verify = verify,
                                    .finish = finish};
}

static enum am_status describe(const struct archmeter_bench *from, struct am_arena *arena,
                               struct am_bench *out, struct am_err *err)
{
    struct archmeter_bench *copy = NULL;
    const enum am_status s = am_own_copy(from, arena, &copy, err);
    const struct am_own_variants variants = {.items = {{.bench = copy}}, .n = 1};

    return s == AM_OK ? am_own_describe(&variants, arena, out, err) : s;
}

static void test_described(void)
{
    const struct archmeter_bench from = described();
    struct am_arena arena = {0};
    struct am_bench b = {0};
    struct am_err err = {0};

    ok(describe(&from, &arena, &b, &err) == AM_OK, "a whole descriptor is accepted: %s", err.text);
    is_str(b.name, "own.sum", "its bench has the prefix of the worker");
    ok(b.version == 1, "a version that is not stated is 1");
    ok(am_axis_count(b.axes) == 4 && b.axes[0].kind == AM_AXIS_INT &&
           b.axes[1].kind == AM_AXIS_REAL && b.axes[3].kind == AM_AXIS_NAME,
       "axes have their kinds: counts unless said otherwise, names where there are choices");
    is_str(b.axes[2].dflt, "0", "a tunable axis without values is left open");
    ok(b.metrics[0].rule == AM_RULE_FLOP_RATE && b.metrics[0].better == AM_HIGHER &&
           b.metrics[1].better == AM_LOWER,
       "a metric's unit and sense follow from its rule");
    is_str(b.metrics[0].unit, "flop/s", "flops per second");
    am_arena_fini(&arena);
}

/* ---- versions ---- */

static void test_versions(void)
{
    struct am_arena arena = {0};
    struct archmeter_bench from = described(), *copy = NULL;
    struct am_err err = {0};
    struct {
        struct archmeter_bench bench;
        char newer[64];
    } longer = {.bench = described()};

    from.interface_version = ARCHMETER_BENCH_VERSION + 1;
    ok(am_own_copy(&from, &arena, &copy, &err) == AM_E_USAGE && strstr(err.text, "versions up to"),
       "a newer interface is refused: %s", err.text);
    err = (struct am_err){0};
    from = described();
    from.size = 16;
    ok(am_own_copy(&from, &arena, &copy, &err) == AM_E_USAGE, "sizes of no version are refused: %s",
       err.text);
    longer.bench.size = sizeof(longer);
    ok(am_own_copy(&longer.bench, &arena, &copy, &err) == AM_OK && copy->run == run,
       "a descriptor that has more than is known is read as far as it is known");
    am_arena_fini(&arena);
}

/* Rows are as long as the file's, whatever this program's are. */
static void test_row_sizes(void)
{
    static const struct {
        struct archmeter_axis axis;
        void *newer[3];
    } rows[] = {{.axis = {.name = "a", .values = "1"}},
                {.axis = {.name = "b", .values = "2"}},
                {.axis = {.name = NULL}}};
    struct archmeter_bench from = described();
    struct am_arena arena = {0};
    struct am_bench b = {0};
    struct am_err err = {0};

    from.axes = &rows[0].axis;
    from.axis_size = sizeof(rows[0]);
    ok(describe(&from, &arena, &b, &err) == AM_OK && am_axis_count(b.axes) == 2 &&
           strcmp(b.axes[1].name, "b") == 0,
       "rows of another length are walked by that length");
    am_arena_fini(&arena);
}

/* ---- what is wrong ---- */

struct wrong {
    const char *story; /* part of the message */
    struct archmeter_axis axis;
    struct archmeter_metric metric;
};

static void check_wrong(const struct wrong *w)
{
    const struct archmeter_axis one_axis[] = {w->axis, {.name = NULL}};
    const struct archmeter_metric one_metric[] = {w->metric, {.name = NULL}};
    struct archmeter_bench from = described();
    struct am_arena arena = {0};
    struct am_bench b = {0};
    struct am_err err = {0};

    from.axes = one_axis;
    from.metrics = one_metric;
    ok(describe(&from, &arena, &b, &err) == AM_E_USAGE && strstr(err.text, w->story), "refused: %s",
       err.text);
    am_arena_fini(&arena);
}

static void test_wrong(void)
{
    static const struct wrong cases[] = {
        {.story = "did you mean \"count\"?", .axis = {.name = "n", .values = "1", .kind = "cuont"}},
        {.story = "has no values", .axis = {.name = "n"}},
        {.story = "letters, digits and _", .axis = {.name = "a b", .values = "1"}},
        {.story = "is no name for an axis", .axis = {.name = "side", .values = "1"}},
        {.story = "choices are of names",
         .axis = {.name = "n", .values = "1", .kind = "bytes", .choices = "a"}},
        {.story = "threads is a count",
         .axis = {.name = "threads", .values = "1", .kind = "number"}},
        {.story = "is no choice", .axis = {.name = "m", .values = "a", .choices = "a,,b"}},
        {.story = "tune of n", .axis = {.name = "n", .tune = "1:x"}},
        {.story = "did you mean \"flops\"?", .metric = {.name = "rate", .rule = "flop"}},
        {.story = "is no rule", .metric = {.name = "rate", .rule = "beyond"}},
        {.story = "needs run_timed()",
         .metric = {.name = "rate", .rule = "own", .better = "higher"}},
    };
    struct archmeter_bench from = described();
    struct am_arena arena = {0};
    struct am_bench b = {0};
    struct am_err err = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_wrong(&cases[i]);
    from.run = NULL;
    ok(describe(&from, &arena, &b, &err) == AM_E_USAGE && strstr(err.text, "no run()"),
       "a bench without run() is refused: %s", err.text);
    err = (struct am_err){0};
    from = described();
    from.name = "no name";
    ok(describe(&from, &arena, &b, &err) == AM_E_USAGE, "a name with a blank is refused: %s",
       err.text);
    am_arena_fini(&arena);
}

/* More axes than a bench may have. */
static void test_many_axes(void)
{
    static struct archmeter_axis many[AM_AXES_MAX + 2];
    static char names[AM_AXES_MAX + 2][8];
    struct archmeter_bench from = described();
    struct am_arena arena = {0};
    struct am_bench b = {0};
    struct am_err err = {0};

    for (size_t i = 0; i <= AM_AXES_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "a%zu", i);
        many[i] = (struct archmeter_axis){.name = names[i], .values = "1"};
    }
    from.axes = many;
    ok(describe(&from, &arena, &b, &err) == AM_E_USAGE && strstr(err.text, "more than"),
       "too many axes are refused: %s", err.text);
    am_arena_fini(&arena);
}

/* ---- hooks ---- */

static char chosen[64];

static void on_chosen(void *self, const char *name, const char *value)
{
    const size_t used = strlen(chosen);

    (void)self;
    (void)snprintf(chosen + used, sizeof(chosen) - used, "%s=%s ", name, value);
}

/* A point's way through the hooks, up to prepare() and back. */
static enum am_status try_point(const struct archmeter_bench *from, const char *words,
                                struct am_work *work, bool *right, struct am_err *err)
{
    static const int cpus[] = {0};
    struct am_arena arena = {0};
    struct am_bench b = {0};
    struct am_value point[AM_AXES_MAX];
    enum am_status s = describe(from, &arena, &b, err);
    struct am_ctx ctx = {.cpus = cpus,
                         .cpu_count = 1,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .bench = &b,
                         .chosen = on_chosen};
    void *const state = calloc(1, b.state_size ? b.state_size : 1);
    double residual = 0;

    *right = false;
    if (s == AM_OK) {
        bx_point(&b, words, point);
        s = b.prepare(state, &ctx, point, work, err);
        if (s == AM_OK && b.verify) {
            b.run(state, 3);
            *right = b.verify(state, &residual, err) == AM_OK;
        }
        b.finish(state);
    }
    free(state);
    am_arena_fini(&arena);
    return s;
}

static int asks_wrongly(struct archmeter_point *p)
{
    (void)archmeter_count(p, "m");
    abort(); /* never reached: the call does not return */
}

static int asks_for_all(struct archmeter_point *p)
{
    ((char *)archmeter_alloc(p, (size_t)BX_LIMIT_BYTES + 1))[0] = 1;
    abort();
}

static int says_nothing(struct archmeter_point *p)
{
    (void)p;
    return 3;
}

static int states_nothing(struct archmeter_point *p)
{
    (void)p;
    return 0;
}

static void test_hooks(void)
{
    struct archmeter_bench from = described();
    struct am_work work = {0};
    struct am_err err = {0};
    bool right;

    ok(try_point(&from, "8 0.5 0 even", &work, &right, &err) == AM_OK && right,
       "a point is prepared, run and right: %s", err.text);
    ok(work.flops == 8 && work.bytes_read == 64, "its work is what prepare() stated");
    is_str(chosen, "block=16 threads=1 ",
           "an open axis is the first value of its tune, and says so; the CPUs are stated");
    ok(finished == 1, "finish() was called once");
    ok(try_point(&from, "8 0.5 32 odd", &work, &right, &err) == AM_E_ABSENT &&
           strcmp(err.text, "odd is not done") == 0,
       "a refused point is a skip with its reason: %s", err.text);
    ok(finished == 2, "and finish() is called all the same");
}

static void test_failing_functions(void)
{
    static const struct {
        int (*prepare)(struct archmeter_point *p);
        enum am_status status;
        const char *story;
    } cases[] = {
        {asks_wrongly, AM_E_WRONG, "did you mean \"n\"?"},
        {asks_for_all, AM_E_ABSENT, "are all it may have"},
        {says_nothing, AM_E_WRONG, "prepare() returned 3"},
        {states_nothing, AM_E_WRONG, "must set point->flops"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct archmeter_bench from = described();
        struct am_work work = {0};
        struct am_err err = {0};
        bool right;

        from.prepare = cases[i].prepare;
        ok(try_point(&from, "4 0.5 16 even", &work, &right, &err) == cases[i].status &&
               strstr(err.text, cases[i].story),
           "prepare() fails: %s", err.text);
    }
}

static int finds_another(struct archmeter_point *p)
{
    return archmeter_check(p, "sum", sum, 1e9, 1e-6);
}

static void test_wrong_result(void)
{
    struct archmeter_bench from = described();
    struct am_work work = {0};
    struct am_err err = {0};
    bool right = true;

    from.verify = finds_another;
    ok(try_point(&from, "4 0.5 16 even", &work, &right, &err) == AM_OK && !right &&
           strstr(err.text, "sum is 2, not 1000000000"),
       "a wrong result is told with both numbers: %s", err.text);
}

int main(void)
{
    test_described();
    test_versions();
    test_row_sizes();
    test_wrong();
    test_many_axes();
    test_hooks();
    test_failing_functions();
    test_wrong_result();
    return tap_done();
}
