/* SPDX-License-Identifier: MIT */
/* The executor of a bench of blocks. */
#include "bench/apps/apps.h"

#include "base/text.h"

#include <string.h>

enum am_status am_apps_open(struct am_apps_engine *e, const struct am_executor *const *executors,
                            const struct am_ctx *ctx, const char *name,
                            const struct am_value *common, struct am_err *err)
{
    static const char *const waits[] = {
        [AM_WAIT_DEFAULT] = "default", [AM_WAIT_ACTIVE] = "active", [AM_WAIT_PASSIVE] = "passive",
        [AM_WAIT_YIELD] = "yield",     [AM_WAIT_SLEEP] = "sleep",   NULL,
    };
    const int wait = am_name_index(waits, AM_NAMES_ENDED, common[AM_APPS_WAIT].name);
    const int64_t threads = common[AM_APPS_THREADS].i;
    struct am_executor_setup setup = {
        .threads = (size_t)threads, .cpus = ctx->cpus, .cpu_count = ctx->cpu_count};

    if (threads < 1 || setup.threads > ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%lld threads on %zu CPUs", (long long)threads,
                       ctx->cpu_count);
    while (*executors && strcmp((*executors)->name, name) != 0)
        executors++;
    if (wait < 0 || !*executors)
        return am_fail(err, AM_E_ABSENT, "no executor %s with wait=%s here", name,
                       common[AM_APPS_WAIT].name);
    setup.wait = (enum am_wait)wait;
    e->ctx = ctx;
    e->executor = *executors;
    return e->executor->open(e->executor, &setup, &e->self, err);
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
