/* SPDX-License-Identifier: MIT */
/* Joins applications with a worker's executors.
 *
 * Axes of a joined descriptor are made of three tables that are laid over each other: those that
 * applications share (below), those of the worker's set, those of the application. The lowest row
 * of a name gives the axis, the rows above it change what they state. A port is laid over its
 * application in the same way. Then the axis `executor` gets the names of the set's executors, and
 * the values that are usual for the application. */
#include "bench/apps/join.h"

#include "base/text.h"
#include "kernels/isa.h"

enum { TEXT_MAX = 4096 };

static const char *const processors[] = {"cpu", NULL};

/* Axes that several applications or all have; the ones behind every application's own are the last
 * five (am_apps_axis). Choices that only a worker knows are its set's. */
static const struct am_axis shared[] = {
    {.name = "isa",
     .kind = AM_AXIS_NAME,
     .dflt = "widest",
     .choices = am_isa_names,
     .ranked = true,
     .why_not = am_isa_why_not,
     .help = "instruction set of the loops"},
    {.name = "device",
     .kind = AM_AXIS_NAME,
     .dflt = "all",
     .choices = processors,
     .help = "cpu, or an OpenCL device"},
    {.name = "executor",
     .kind = AM_AXIS_NAME,
     .dflt = "usable",
     .help = "who runs the blocks: serial, OpenMP, our task policies, StarPU"},
    {.name = "runtime",
     .kind = AM_AXIS_NAME,
     .dflt = "all",
     .help = "own, or the OpenMP library of executors that are OpenMP's"},
    {.name = "threads",
     .kind = AM_AXIS_INT,
     .dflt = "1,cpus",
     .thorough = "1:cpus",
     .help = "threads, one per CPU"},
    {.name = "binding",
     .kind = AM_AXIS_NAME,
     .dflt = "close",
     .help = "how threads are bound to places"},
    {.name = "places", .kind = AM_AXIS_NAME, .dflt = "cores", .help = "what a place is"},
    {.name = "wait", .kind = AM_AXIS_NAME, .dflt = "default", .help = "how idle threads wait"},
    {.name = NULL},
};
static const struct am_axis *const common =
    &shared[sizeof(shared) / sizeof(*shared) - 1 - AM_APPS_AXES];

/* ---- one axis ---- */

/* Tables of axes that are laid over each other, the first lowest. */
enum { LAYERS = 3 };
struct layers {
    const struct am_axis *table[LAYERS];
};

static const struct am_axis *find(const struct am_axis *table, const char *name)
{
    const int i = am_axis_find(table, name);

    return i < 0 ? NULL : &table[i];
}

/* Values of the profiles belong together, and so do choices and what is said of them: a row that
 * has one of these brings all. */
static void lay_over(struct am_axis *axis, const struct am_axis *row)
{
    if (row->dflt || row->quick)
        axis->quick = row->quick;
    if (row->dflt || row->thorough)
        axis->thorough = row->thorough;
    if (row->dflt)
        axis->dflt = row->dflt;
    if (row->choices || row->enumerate) {
        axis->choices = row->choices;
        axis->enumerate = row->enumerate;
        axis->ranked = row->ranked;
    }
    if (row->choices || row->enumerate || row->why_not)
        axis->why_not = row->why_not;
    if (row->env) {
        axis->env = row->env;
        axis->env_values = row->env_values;
    }
    axis->tune = row->tune ? row->tune : axis->tune;
    axis->help = row->help ? row->help : axis->help;
}

/* The lowest row of this name as a whole, and what those above it change. */
static struct am_axis axis_of(const struct layers *layers, const char *name)
{
    struct am_axis axis = {.name = NULL};

    for (size_t i = 0; i < LAYERS; i++) {
        const struct am_axis *const row = find(layers->table[i], name);

        if (row && axis.name)
            lay_over(&axis, row);
        else if (row)
            axis = *row;
    }
    return axis;
}

/* The application's own axes in its order, then those of am_apps_axis. */
static struct am_axis *join_axes(const struct am_app *app, const struct layers *layers,
                                 struct am_arena *arena)
{
    const struct am_axis *const own = app->bench.axes;
    struct am_axis *const axes =
        am_arena_array(arena, am_axis_count(own) + AM_APPS_AXES + 1, sizeof(*axes));
    size_t n = 0;

    for (; axes && own[n].name && !find(common, own[n].name); n++)
        axes[n] = axis_of(layers, own[n].name);
    for (size_t i = 0; axes && i < AM_APPS_AXES; i++)
        axes[n++] = axis_of(layers, common[i].name);
    return axes;
}

/* ---- an application on a set of executors ---- */

static bool has_any(const struct am_executor_set *set, const char *const *names)
{
    for (; names && *names; names++) {
        if (am_apps_find(set, *names))
            return true;
    }
    return false;
}

static const char *const *names_of(const struct am_executor_set *set, struct am_arena *arena)
{
    const char **names;
    size_t n = 0;

    while (set->list[n])
        n++;
    names = am_arena_array(arena, n + 1, sizeof(*names));
    for (size_t i = 0; names && i < n; i++)
        names[i] = set->list[i]->name;
    return names;
}

/* The application's usual executors that this set has, as values of the axis. */
static const char *usual_of(const struct am_app *app, const struct am_executor_set *set,
                            struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, TEXT_MAX);
    for (const char *const *name = app->usual; *name; name++) {
        if (am_apps_find(set, *name))
            am_text_addf(&text, "%s%s", text.len ? "," : "", *name);
    }
    copy = text.overflow ? NULL : am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy;
}

/* Where whoever is usual has one thread, one thread is usual. */
static bool is_alone(const struct am_app *app, const struct am_executor_set *set)
{
    for (const char *const *name = app->usual; *name; name++) {
        const struct am_executor *const e = am_apps_find(set, *name);

        if (e && !e->alone)
            return false;
    }
    return true;
}

static bool choose_usual(const struct am_apps_pair *pair, struct am_axis *axes,
                         struct am_arena *arena)
{
    struct am_axis *const executor = &axes[am_axis_find(axes, "executor")];
    struct am_axis *const threads = &axes[am_axis_find(axes, "threads")];

    executor->choices = names_of(pair->set, arena);
    if (!pair->app->usual)
        return executor->choices != NULL;
    executor->dflt = usual_of(pair->app, pair->set, arena);
    executor->quick = NULL;
    if (is_alone(pair->app, pair->set))
        threads->dflt = threads->quick = "1";
    return executor->choices && executor->dflt;
}

/* The runtime first: what it does not give no application gets. */
static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_apps_pair *const pair = ctx->bench->data;
    const size_t first = (size_t)am_axis_find(ctx->bench->axes, common->name);
    const enum am_status s = pair->set->start ? pair->set->start(ctx, point + first, err) : AM_OK;

    return s == AM_OK ? pair->app->bench.prepare(state, ctx, point, work, err) : s;
}

const struct am_bench *am_apps_pair(const struct am_app *app, const struct am_executor_set *set,
                                    struct am_arena *arena)
{
    const struct layers layers = {{shared, set->axes, app->bench.axes}};
    struct am_apps_pair *const pair = am_arena_alloc(arena, sizeof(*pair));
    struct am_bench *const bench = am_arena_alloc(arena, sizeof(*bench));
    struct am_axis *const axes = join_axes(app, &layers, arena);

    if (!pair || !bench || !axes)
        return NULL;
    *pair = (struct am_apps_pair){.app = app, .set = set};
    *bench = app->bench;
    bench->axes = axes;
    bench->data = pair;
    bench->prepare = prepare;
    bench->named_only = !has_any(set, app->quick);
    return choose_usual(pair, axes, arena) ? bench : NULL;
}

static const struct am_bench *join_port(const struct am_app_port *port, struct am_arena *arena)
{
    const struct layers layers = {{shared, port->app->bench.axes, port->bench.axes}};
    struct am_bench *const bench = am_arena_alloc(arena, sizeof(*bench));

    if (!bench)
        return NULL;
    *bench = port->bench;
    bench->name = port->app->bench.name;
    bench->summary = port->app->bench.summary;
    bench->version = port->app->bench.version;
    bench->metrics = port->app->bench.metrics;
    bench->axes = join_axes(port->app, &layers, arena);
    return bench->axes ? bench : NULL;
}

/* ---- a worker ---- */

static size_t most_benches(const struct am_apps_worker *worker)
{
    size_t apps = 0, benches = 0, ports = 0;

    while (am_apps[apps])
        apps++;
    while (worker->benches[benches])
        benches++;
    while (worker->ports[ports])
        ports++;
    return apps + benches + ports;
}

const struct am_bench **am_apps_join(const struct am_apps_worker *worker, struct am_arena *arena)
{
    const struct am_executor_set *const set = worker->executors;
    const struct am_bench **const all =
        am_arena_array(arena, most_benches(worker) + 1, sizeof(*all));
    size_t n = 0;
    bool enough = all != NULL;

    for (size_t i = 0; enough && set && am_apps[i]; i++) {
        if (am_apps[i]->usual && !has_any(set, am_apps[i]->usual))
            continue;
        all[n] = am_apps_pair(am_apps[i], set, arena);
        enough = all[n++] != NULL;
    }
    for (size_t i = 0; enough && worker->benches[i]; i++)
        all[n++] = worker->benches[i];
    for (size_t i = 0; enough && worker->ports[i]; i++) {
        all[n] = join_port(worker->ports[i], arena);
        enough = all[n++] != NULL;
    }
    return enough ? all : NULL;
}
