/* SPDX-License-Identifier: MIT */
/* The OpenMP runtime of a worker: set to what a point asks for, then looked at. Compiled once for
 * each worker, which is told by AM_OMP_NAME, its value of the axis `runtime`, and AM_OMP_LIBRARY,
 * the library that must be mapped. */
#include "bench/omp/runtime.h"

#include "base/fsroot.h"
#include "base/text.h"
#include "bench/omp/mapped.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAPS_BYTES = 1 << 20, /* a worker maps some tens of files */
    CPUS_TEXT = 480,      /* of the note; more than a line has room for is cut */
};

const char *const am_omp_runtimes[] = {AM_OMP_NAME, NULL};
const char *const am_omp_bindings[] = {"close", "spread", "none", NULL};
const char *const am_omp_binding_values[] = {"close", "spread", "false"};
const char *const am_omp_places[] = {"cores", "threads", "sockets", NULL};
const char *const am_omp_waits[] = {"active", "passive", "default", NULL};
const char *const am_omp_wait_values[] = {"active", "passive", NULL};

/* The library is looked for in this process's map: a preloaded one would be there too. */
static enum am_status check_library(const struct am_ctx *ctx, struct am_err *err)
{
    char *const maps = malloc(MAPS_BYTES);
    struct am_fsroot root = {0};
    enum am_status s = maps ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for the process's map");
    const char *library = NULL;

    if (s == AM_OK)
        s = am_fsroot_open(&root, NULL, err);
    if (s == AM_OK && am_fsroot_read(&root, "proc/self/maps", maps, MAPS_BYTES) < 0)
        s = am_fail(err, AM_E_SYS, "/proc/self/maps");
    if (s == AM_OK)
        library = am_omp_mapped(maps, err);
    if (s == AM_OK && !library)
        s = AM_E_WRONG;
    am_fsroot_close(&root);
    free(maps);
    if (s != AM_OK)
        return s;
    am_ctx_chosen(ctx, "runtime", "%s", strcmp(library, AM_OMP_LIBRARY) ? library : AM_OMP_NAME);
    am_ctx_note(ctx, "openmp", "%d", _OPENMP);
    am_ctx_note(ctx, "compiler", "%s", __VERSION__);
    if (strcmp(library, AM_OMP_LIBRARY) != 0)
        return am_fail(err, AM_E_WRONG, "%s is mapped in place of " AM_OMP_LIBRARY, library);
    return AM_OK;
}

/* What the runtime says its threads are bound by, in the words of the axis. */
static const char *binding_name(void)
{
    switch (omp_get_proc_bind()) {
    case omp_proc_bind_close: return "close";
    case omp_proc_bind_spread: return "spread";
    case omp_proc_bind_false: return "none";
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

static enum am_status check_team(const struct am_ctx *ctx, int threads, struct am_err *err)
{
    int *const cpus = calloc((size_t)threads, sizeof(*cpus));
    int obtained;

    if (!cpus)
        return am_fail(err, AM_E_NOMEM, "no memory for %d CPU numbers", threads);
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    obtained = look_at_team(cpus, threads);
    am_ctx_chosen(ctx, "threads", "%d", obtained);
    am_ctx_chosen(ctx, "binding", "%s", binding_name());
    note_cpus(ctx, cpus, threads);
    free(cpus);
    if (obtained != threads)
        return am_fail(err, AM_E_WRONG, "%d threads asked for, %d obtained", threads, obtained);
    return AM_OK;
}

enum am_status am_omp_open(struct am_omp *omp, const struct am_ctx *ctx,
                           const struct am_value *common, struct am_err *err)
{
    const int64_t threads = common[AM_OMP_THREADS].i;
    enum am_status s;

    if (threads < 1 || (uint64_t)threads > ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%lld threads need as many CPUs, here are %zu",
                       (long long)threads, ctx->cpu_count);
    s = check_library(ctx, err);
    if (s == AM_OK)
        s = check_team(ctx, (int)threads, err);
    omp->clock = ctx->clock;
    omp->threads = (int)threads;
    return s;
}
