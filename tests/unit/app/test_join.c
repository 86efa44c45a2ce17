/* SPDX-License-Identifier: MIT */
/* Applications joined with executors: every pair is there and complete, and a row changes only what
 * it states. */
#include "bench/task/executors.h"
#include "apps_fixture.h"

/* ---- all applications of this build, on the executors of the worker `task` ---- */

static bool is_complete(const struct am_axis *axis)
{
    return axis->dflt && axis->help &&
           (axis->kind != AM_AXIS_NAME || axis->choices || axis->env ||
            strcmp(axis->name, "video") == 0);
}

/* Values of all profiles pass the parser that users' words pass. */
static bool is_parsed(const struct am_axis *axis)
{
    static const struct am_symbol symbols[] = {
        {"cpus", 4}, {"l1", 32768}, {"l2", 1 << 20}, {"l3", 1 << 25}, {.name = NULL}};
    const char *const texts[] = {axis->dflt, axis->quick, axis->thorough};
    struct am_arena arena = {0};
    bool fine = true;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct am_values values;
        struct am_err err = {0};

        if (texts[i] && am_axis_parse(axis, texts[i], strlen(texts[i]), symbols, &arena, &values,
                                      &err) != AM_OK) {
            printf("# %s: %s\n", axis->name, err.text);
            fine = false;
        }
    }
    am_arena_fini(&arena);
    return fine;
}

static void check_app(const struct am_app *app)
{
    static const char *const last[AM_APPS_AXES] = {"runtime", "threads", "binding", "places",
                                                   "wait"};
    const struct am_bench *const b = ax_bench(&am_task_set, app->bench.name);
    const size_t n = am_axis_count(b->axes);
    size_t broken = 0, misplaced = 0, twice = 0;

    for (size_t i = 0; i < n; i++) {
        broken += !is_complete(&b->axes[i]) || !is_parsed(&b->axes[i]);
        twice += am_axis_find(b->axes, b->axes[i].name) != (int)i;
    }
    for (size_t i = 0; i < AM_APPS_AXES; i++)
        misplaced += strcmp(b->axes[n - AM_APPS_AXES + i].name, last[i]) != 0;
    ok(n <= AM_AXES_MAX && !broken && !misplaced && !twice,
       "%s: %zu axes, all of them complete and once, those of the runtime last", b->name, n);
    ok(b->prepare && b->finish && (b->run || b->run_timed) && b->verify && b->state_size,
       "%s has its hooks", b->name);
}

/* ---- made-up ones ---- */

static enum am_status prepare_none(void *state, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_work *work,
                                   struct am_err *err)
{
    (void)state;
    (void)ctx;
    (void)point;
    (void)work;
    return am_fail(err, AM_E_ABSENT, "the application was asked");
}

static enum am_status refuse(const struct am_ctx *ctx, const struct am_value *common,
                             struct am_err *err)
{
    (void)ctx;
    return am_fail(err, AM_E_ABSENT, "no such runtime for %lld threads",
                   (long long)common[AM_APPS_THREADS].i);
}

static const char *const modes[] = {"slow", "fast", NULL};
static const char *const device_modes[] = {"fast", NULL};
static const struct am_axis app_axes[] = {
    {.name = "mode",
     .kind = AM_AXIS_NAME,
     .dflt = "all",
     .quick = "fast",
     .thorough = "slow",
     .choices = modes,
     .tune = "slow",
     .help = "what"},
    {.name = "executor", .thorough = "usable"},
    {.name = "isa"},
    {.name = "threads", .quick = "cpus"},
    {.name = NULL},
};
static const struct am_app made_up = {
    .bench = {.name = "app.made_up",
              .summary = "nothing",
              .version = 7,
              .axes = app_axes,
              .prepare = prepare_none},
};

static const char *const binding_words[] = {"tight", NULL};
static const struct am_axis set_axes[] = {
    {.name = "binding", .dflt = "tight", .choices = binding_words, .env = "BIND"},
    {.name = NULL},
};
static const struct am_executor_set made_up_set = {
    .list = am_task_executors, .axes = set_axes, .start = refuse};

static const struct am_axis port_axes[] = {
    {.name = "mode", .dflt = "fast", .choices = device_modes},
    {.name = "threads", .dflt = "1"},
    {.name = NULL},
};
static const struct am_app_port made_up_port = {
    .app = &made_up, .bench = {.axes = port_axes, .points_per_launch = 3, .named_only = true}};

static const struct am_axis *axis(const struct am_bench *b, const char *name)
{
    const int i = am_axis_find(b->axes, name);

    return i < 0 ? NULL : &b->axes[i];
}

static void check_rows(const struct am_bench *b)
{
    is_str(axis(b, "binding")->dflt, "tight", "a worker's row changes values");
    is_str(axis(b, "binding")->env, "BIND", "and the environment");
    is_str(axis(b, "binding")->help, "how threads are bound to places", "but no help it lacks");
    is_str(axis(b, "threads")->dflt, "1,cpus", "an application's row changes");
    is_str(axis(b, "threads")->quick, "cpus", "only what it states");
    is_str(axis(b, "isa")->dflt, "widest",
           "a row that has a name only takes all of the shared one");
    ok(axis(b, "isa")->kind == AM_AXIS_NAME && axis(b, "isa")->ranked, "its kind and rank too");
    is_str(axis(b, "executor")->choices[1], "task:default", "executors are listed by their names");
    ok(!axis(b, "executor")->choices[6], "and no others are");
}

static void check_port(void)
{
    const struct am_bench *const b = ax_find(NULL, &made_up_port, "app.made_up");

    ok(b->version == 7 && b->points_per_launch == 3 && !b->prepare, "a port has its own hooks");
    is_str(axis(b, "mode")->dflt, "fast", "a port's row changes the application's values");
    ok(!axis(b, "mode")->quick && !axis(b, "mode")->thorough, "of all profiles");
    ok(axis(b, "mode")->choices == device_modes, "and choices");
    is_str(axis(b, "mode")->tune, "slow", "and leaves the rest");
}

/* The worker's runtime is asked before the application is. */
static void check_start(const struct am_bench *b)
{
    struct am_ctx ctx = {.bench = b};
    struct am_value point[AM_AXES_MAX] = {{0}};
    struct am_work work = {0};
    struct am_err err = {0};

    point[am_axis_find(b->axes, "threads")].i = 3;
    ok(b->prepare(NULL, &ctx, point, &work, &err) == AM_E_ABSENT, "a runtime refuses");
    is_str(err.text, "no such runtime for 3 threads", "before an application is asked");
}

static void check_pair(void)
{
    struct am_arena arena = {0};
    const struct am_bench *const b = am_apps_pair(&made_up, &made_up_set, &arena);

    if (ok(b != NULL, "an application is joined with a set"))
        check_rows(b);
    if (b)
        check_start(b);
    am_arena_fini(&arena);
}

/* ---- who is usual ---- */

static const struct am_executor *const only_wf[] = {&am_executor_task_wf, NULL};
static const struct am_executor_set wf_set = {.list = only_wf, .axes = set_axes};

static bool has(const struct am_executor_set *set, const char *name)
{
    struct am_arena arena = {0};
    const struct am_bench *const none[] = {NULL};
    const struct am_app_port *const ports[] = {NULL};
    const struct am_apps_worker worker = {.benches = none, .ports = ports, .executors = set};
    const struct am_bench **all = am_apps_join(&worker, &arena);
    bool found = false;

    for (; all && *all; all++)
        found = found || strcmp((*all)->name, name) == 0;
    am_arena_fini(&arena);
    return found;
}

static void check_usual(void)
{
    const struct am_bench *const stencil = ax_bench(&am_task_set, "app.stencil");
    const struct am_bench *const cells = ax_bench(&am_task_set, "app.leukocyte");

    is_str(axis(stencil, "executor")->dflt, "serial", "of usual executors those that are here");
    is_str(axis(stencil, "threads")->dflt, "1", "where those have one thread, it is usual");
    is_str(axis(cells, "executor")->dflt, "serial,task:dbf", "all of them");
    is_str(axis(cells, "threads")->dflt, "1,cpus", "where one has more threads, all are");
    ok(!stencil->named_only && ax_bench(&am_task_set, "app.gemm")->named_only,
       "the quick minute has what says so");
    ok(!has(&wf_set, "app.stencil") && has(&wf_set, "app.gemm"),
       "a worker without usual executors does not have the application");
    ok(ax_bench(&wf_set, "app.blackscholes")->named_only,
       "without the executors of the quick minute it is not in it");
}

int main(void)
{
    for (size_t i = 0; am_apps[i]; i++)
        check_app(am_apps[i]);
    check_port();
    check_usual();
    check_pair();
    return tap_done();
}
