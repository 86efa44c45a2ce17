/* SPDX-License-Identifier: MIT */
/* The executor of a point: found by the joined descriptor, opened, and its counts noted. */
#include "bench/apps/apps.h"

#include "base/text.h"
#include "bench/shared/usable.h"

#include <assert.h>
#include <string.h>

/* By enum am_wait: the values of the axis `wait` in all workers. */
static const char *const waits[] = {
    [AM_WAIT_DEFAULT] = "default", [AM_WAIT_ACTIVE] = "active", [AM_WAIT_PASSIVE] = "passive",
    [AM_WAIT_YIELD] = "yield",     [AM_WAIT_SLEEP] = "sleep",   NULL,
};

const struct am_executor *am_apps_find(const struct am_executor_set *set, const char *name)
{
    const struct am_executor *const *e = set->list;

    while (*e && strcmp((*e)->name, name) != 0)
        e++;
    return *e;
}

/* The point's value of an axis that every joined descriptor has. */
static const struct am_value *value_of(const struct am_ctx *ctx, const struct am_value *point,
                                       const char *axis)
{
    const int i = am_axis_find(ctx->bench->axes, axis);

    assert(i >= 0);
    return &point[i];
}

const struct am_executor *am_apps_executor(const struct am_ctx *ctx, const struct am_value *point)
{
    const struct am_apps_pair *const pair = ctx->bench->data;

    return am_apps_find(pair->set, value_of(ctx, point, "executor")->name);
}

enum am_status am_apps_open_team(struct am_apps_engine *e, const struct am_ctx *ctx,
                                 const struct am_value *point, size_t threads, size_t outer,
                                 struct am_err *err)
{
    const char *const word = value_of(ctx, point, "wait")->name;
    const int wait = am_name_index(waits, AM_NAMES_ENDED, word);
    const struct am_executor *const executor = am_apps_executor(ctx, point);
    const struct am_executor_setup setup = {.threads = threads,
                                            .cpus = ctx->cpus,
                                            .cpu_count = ctx->cpu_count,
                                            .wait = (enum am_wait)wait,
                                            .outer = outer};
    const enum am_status s = am_usable_threads((int64_t)threads, ctx, err);

    if (s != AM_OK)
        return s;
    if (!executor || wait < 0)
        return am_fail(err, AM_E_ABSENT, "no executor %s with wait=%s here",
                       value_of(ctx, point, "executor")->name, word);
    e->ctx = ctx;
    e->executor = executor;
    return executor->open(executor, &setup, &e->self, err);
}

enum am_status am_apps_open(struct am_apps_engine *e, const struct am_ctx *ctx,
                            const struct am_value *point, struct am_err *err)
{
    const int64_t threads = value_of(ctx, point, "threads")->i;

    return am_apps_open_team(e, ctx, point, threads > 0 ? (size_t)threads : 0, 0, err);
}

static void note_counts(const struct am_apps_engine *e)
{
    struct am_executor_counts c;

    e->executor->count(e->self, &c);
    if (!c.executed)
        return;
    am_ctx_note(e->ctx, "counts", "%llu executed, %llu deferred, %llu inlined, %llu stolen",
                (unsigned long long)c.executed, (unsigned long long)c.deferred,
                (unsigned long long)c.inlined, (unsigned long long)c.stolen);
    am_ctx_note(e->ctx, "idle", "%.6f s of all threads", (double)c.idle_ns * 1e-9);
    am_ctx_note(e->ctx, "stacks", "%llu", (unsigned long long)c.stacks);
}

void am_apps_close(struct am_apps_engine *e)
{
    if (!e->self)
        return;
    note_counts(e);
    e->executor->close(e->self);
    e->self = NULL;
}
