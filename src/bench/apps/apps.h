/* SPDX-License-Identifier: MIT */
/* Applications and executors, as benches: what each of them states, once, and what they share.
 *
 * An application (struct am_app) states a bench without saying who runs its blocks: hooks, metrics
 * and its own axes. A worker program has a set of executors (struct am_executor_set) and says what
 * the axes that depend on the runtime mean there. When a worker starts, am_apps_join() (join.h)
 * makes one descriptor of every application and the worker's set; nothing exists per pair.
 *
 * Axes that several applications have (`isa`, `executor`, `threads`, `wait`, ...) stand in one
 * table (join.c). A row of a set or of an application with the name of such an axis changes only
 * what it states. The hooks of an application get the joined descriptor as ctx->bench:
 * am_apps_open() finds the point's executor through it. */
#ifndef AM_BENCH_APPS_APPS_H
#define AM_BENCH_APPS_APPS_H

#include "core/bench/bench.h"
#include "runtime/executor.h"

/* The axes behind an application's own ones, in this order: those of an OpenMP worker
 * (bench/omp/runtime.h). The first has the index that follows the application's last own axis. */
enum am_apps_axis {
    AM_APPS_RUNTIME,
    AM_APPS_THREADS,
    AM_APPS_BINDING,
    AM_APPS_PLACES,
    AM_APPS_WAIT,
    AM_APPS_AXES
};

/* What an application states. `const`, at the end of its file, registered by one word in
 * bench/apps/meson.build. */
struct am_app {
    /* Without `data`. `axes`: its own rows in the order of its points, then rows that change those
     * of am_apps_axis, if any. prepare() opens an executor by am_apps_open(). */
    struct am_bench bench;
    /* Names, ended by NULL: who runs it when nobody says, of the executors that a worker has. A
     * worker that has none of them does not offer the application. NULL: what the axis says. */
    const char *const *usual;
    /* Names, ended by NULL: workers that have one of these measure it in `run --quick` too. NULL:
     * no worker does. */
    const char *const *quick;
};

extern const struct am_app *const am_apps[]; /* all that were built, ended by NULL */

/* The executors of one worker program. */
struct am_executor_set {
    const struct am_executor *const *list; /* ended by NULL; their names are the axis `executor` */
    const struct am_axis *axes; /* what shared axes are here, ended by a row without name */
    /* Called before an application's prepare(): looks at the runtime and refuses what it does not
     * give. `common` are the values of am_apps_axis. NULL: there is nothing to look at. */
    enum am_status (*start)(const struct am_ctx *ctx, const struct am_value *common,
                            struct am_err *err);
};

/* An application done by other means than blocks and executors, e.g. on devices: everything but
 * name, summary, version and metrics is its own, and its axes change the application's. */
struct am_app_port {
    const struct am_app *app;
    struct am_bench bench;
};

/* What ctx->bench->data is for the hooks of an application. */
struct am_apps_pair {
    const struct am_app *app;
    const struct am_executor_set *set;
};

/* An executor that is open, or was not yet. */
struct am_apps_engine {
    const struct am_ctx *ctx;
    const struct am_executor *executor;
    void *self;
};

/* Opens the executor that the point names, with its threads. */
enum am_status am_apps_open(struct am_apps_engine *e, const struct am_ctx *ctx,
                            const struct am_value *point, struct am_err *err);
/* The same with other threads; `outer` as in struct am_executor_setup. */
enum am_status am_apps_open_team(struct am_apps_engine *e, const struct am_ctx *ctx,
                                 const struct am_value *point, size_t threads, size_t outer,
                                 struct am_err *err);
/* The executor of a name; NULL: the set has none. */
const struct am_executor *am_apps_find(const struct am_executor_set *set, const char *name);
/* The executor of the point's name; NULL: the worker has none. */
const struct am_executor *am_apps_executor(const struct am_ctx *ctx, const struct am_value *point);
/* Notes what the executor counted with the launch, and closes it. */
void am_apps_close(struct am_apps_engine *e);

#endif
