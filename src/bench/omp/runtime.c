/* SPDX-License-Identifier: MIT */
/* The OpenMP runtime of a worker: set to what a point asks for, then looked at. Compiled once for
 * each worker, which is told by AM_OMP_NAME, its value of the axis `runtime`, and AM_OMP_LIBRARY,
 * the kind of library that must be loaded, or "added" for that with which the user added it. */
#include "bench/omp/runtime.h"

#include "base/text.h"
#include "bench/omp/library.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    CPUS_TEXT = 480, /* of the note; more than a line has room for is cut */
};

const char *const am_omp_runtimes[] = {AM_OMP_NAME, NULL};
const char *const am_omp_bindings[] = {"close", "spread", "none", NULL};
const char *const am_omp_binding_values[] = {"close", "spread", "false"};
const char *const am_omp_places[] = {"cores", "threads", "sockets", NULL};
const char *const am_omp_waits[] = {"active", "passive", "default", NULL};
const char *const am_omp_wait_values[] = {"active", "passive", NULL};

#if AM_OMP_KMP
const char *const am_omp_spin_values[] = {NULL, "0", "1", "200", "infinite"};
#else
const char *const am_omp_spin_values[] = {NULL, "0", "10000", "30000000", "infinite"};
#endif

/* Whether the library is the promised one: of the kind that the build linked, or the very file that
 * an added runtime was added with. */
static bool is_promised(const struct am_omp_library *library)
{
    char added[AM_BUILD_ID_TEXT];

    if (strcmp(AM_OMP_LIBRARY, "added") != 0)
        return strcmp(library->kind, AM_OMP_LIBRARY) == 0;
    return am_omp_library_added(AM_OMP_NAME, added) && strcmp(added, library->build_id) == 0;
}

/* States the library with the launch, and holds it against the promised one. */
static enum am_status check_library(const struct am_ctx *ctx, struct am_err *err)
{
    struct am_omp_library library = {0};
    enum am_status s = am_omp_library_find(&library, err);
    bool promised;

    if (s != AM_OK)
        return s;
    promised = is_promised(&library);
    am_ctx_chosen(ctx, "runtime", "%s", promised ? AM_OMP_NAME : library.kind);
    am_ctx_chosen(ctx, "library", "%s", library.path);
    am_ctx_chosen(ctx, "library_build_id", "%s", library.build_id);
    am_ctx_chosen(ctx, "library_version", "%s", library.version);
    am_ctx_note(ctx, "openmp", "%d", _OPENMP);
    am_ctx_note(ctx, "compiler", "%s", __VERSION__);
    if (!promised)
        return am_fail(err, AM_E_WRONG,
                       "%s (%s), which is %s, is loaded in place of the library of " AM_OMP_NAME,
                       library.path, library.build_id, library.kind);
    return AM_OK;
}

/* What the runtime says its threads are bound by, in the words of the axis. */
static const char *binding_name(void)
{
    switch (omp_get_proc_bind()) {
    case omp_proc_bind_close: return "close";
    case omp_proc_bind_spread: return "spread";
    case omp_proc_bind_false: return "none";
    case omp_proc_bind_true: return "true";
    default: return "other";
    }
}

/* Where each thread of a first team runs; its size. */
static int look_at_team(int *cpus, int threads)
{
    int obtained = 0;

#pragma omp parallel shared(cpus, obtained, threads) default(none)
    {
        const int me = omp_get_thread_num();

        if (me < threads)
            cpus[me] = sched_getcpu();
#pragma omp single
        obtained = omp_get_num_threads();
    }
    return obtained;
}

static void note_cpus(const struct am_ctx *ctx, const int *cpus, int n)
{
    struct am_text text;

    am_text_init(&text, CPUS_TEXT);
    for (int i = 0; i < n; i++)
        am_text_addf(&text, "%s%d", i ? "," : "", cpus[i]);
    am_ctx_note(ctx, "cpus", "%s", am_text_str(&text));
    am_text_fini(&text);
}

/* Attests the axis; where it is left to the runtime (auto), that has ways which are no values. */
static void state_binding(const struct am_ctx *ctx, const struct am_value *asked)
{
    if (asked->name && strcmp(asked->name, "auto") == 0)
        am_ctx_note(ctx, "proc_bind", "%s", binding_name());
    else
        am_ctx_chosen(ctx, "binding", "%s", binding_name());
}

/* Of threads * crowd: `threads` is the axis. */
static enum am_status check_team(const struct am_ctx *ctx, const struct am_value *common, int crowd,
                                 struct am_err *err)
{
    const int threads = (int)common[AM_OMP_THREADS].i;
    const int team = threads * crowd;
    int *const cpus = calloc((size_t)team, sizeof(*cpus));
    int obtained;

    if (!cpus)
        return am_fail(err, AM_E_NOMEM, "no memory for %d CPU numbers", team);
    omp_set_dynamic(0);
    omp_set_num_threads(team);
    obtained = look_at_team(cpus, team);
    am_ctx_chosen(ctx, "threads", "%d", obtained / crowd);
    state_binding(ctx, &common[AM_OMP_BINDING]);
    note_cpus(ctx, cpus, team);
    free(cpus);
    if (obtained != team)
        return am_fail(err, AM_E_WRONG, "%d threads asked for, %d obtained", team, obtained);
    return AM_OK;
}

enum am_status am_omp_open_crowd(struct am_omp *omp, const struct am_ctx *ctx,
                                 const struct am_value *common, int crowd, struct am_err *err)
{
    const int64_t threads = common[AM_OMP_THREADS].i;
    enum am_status s;

    if (threads < 1 || (uint64_t)threads > ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%lld threads need as many CPUs, here are %zu",
                       (long long)threads, ctx->cpu_count);
    if (crowd > 1 && (uint64_t)threads < ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%d threads per CPU need all CPUs: threads=%zu", crowd,
                       ctx->cpu_count);
    s = check_library(ctx, err);
    if (s == AM_OK)
        s = check_team(ctx, common, crowd, err);
    omp->clock = ctx->clock;
    omp->threads = (int)threads * crowd;
    return s;
}

enum am_status am_omp_open(struct am_omp *omp, const struct am_ctx *ctx,
                           const struct am_value *common, struct am_err *err)
{
    return am_omp_open_crowd(omp, ctx, common, 1, err);
}
