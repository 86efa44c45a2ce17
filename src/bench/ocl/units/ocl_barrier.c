/* SPDX-License-Identifier: MIT */
/* ocl.barrier: the time of a barrier among the work-items of a group, by its size. */
#include "base/text.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <stdlib.h>

enum axis_index { DEVICE, GROUP, GROUPS };

enum { GROUP_MAX = 1024, OPTIONS_MAX = 32 };
enum barrier_groups { ONE, FULL };
static const char *const groups_names[] = {[ONE] = "one", [FULL] = "full", NULL};

struct barriers {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    cl_mem out;
    size_t group, items;
    cl_uint seed;
    bool ran;
};

/* Work-items that a compute unit of a large GPU holds. */
static const size_t unit_items = 2048;

static void choose_range(struct barriers *w, enum barrier_groups groups)
{
    size_t n = 1;

    if (groups == FULL)
        n = w->device.compute_units *
            (w->device.is_cpu || w->group > unit_items ? 1 : unit_items / w->group);
    w->items = n * w->group;
    w->loop.arg = 1;
    w->loop.range = AM_OCL_RANGE1(w->items, w->group);
    am_ctx_note(w->device.ctx, "items", "%zu in groups of %zu", w->items, w->group);
}

static enum am_status build(struct barriers *w, int64_t group, struct am_err *err)
{
    char options[OPTIONS_MAX];
    enum am_status s;

    if (group < 1 || group > GROUP_MAX || (size_t)group > w->device.group_max)
        return am_fail(err, AM_E_ABSENT, "group %lld: the device allows %zu, the bench %d",
                       (long long)group, w->device.group_max, GROUP_MAX);
    if (w->device.local_bytes < 2 * (uint64_t)group * sizeof(cl_uint))
        return am_fail(err, AM_E_ABSENT, "%llu bytes of local memory are too few",
                       (unsigned long long)w->device.local_bytes);
    w->group = (size_t)group;
    (void)am_str_format(options, sizeof(options), "-DGROUP=%zu", w->group);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "barrier", options, err);
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_barrier", &w->loop.kernel, err) : s;
}

static enum am_status set_up(struct barriers *w, struct am_err *err)
{
    const cl_uint turns = 1;
    double ignored;
    enum am_status s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                            w->items * sizeof(cl_uint), NULL, &w->out, err);

    if (s == AM_OK) {
        const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(turns),
                                          AM_OCL_ARG(w->seed)};

        s = am_ocl_program_args(w->loop.kernel, args, 3, err);
    }
    /* drivers compile at the first launch */
    return s == AM_OK ? am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err) : s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct barriers *const w = state;
    enum am_status s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);

    am_ocl_timing_open(&w->timer, &w->device);
    w->seed = (cl_uint)ctx->seed;
    if (s == AM_OK)
        s = build(w, point[GROUP].i, err);
    if (s == AM_OK) {
        choose_range(w, (enum barrier_groups)point[GROUPS].i);
        s = set_up(w, err);
    }
    work->ops = 1;
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct barriers *const w = state;

    w->ran = true;
    return am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
}

/* Every work-item has the value of who is as many places before it in its group. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct barriers *const w = state;
    uint32_t *got;
    enum am_status s;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    got = malloc(w->items * sizeof(*got));
    if (!got)
        return am_fail(err, AM_E_NOMEM, "%zu values to check", w->items);
    s = am_ocl_device_read(&w->device, w->out, 0, w->items * sizeof(*got), got, err);
    for (size_t i = 0; i < w->items && s == AM_OK; i++) {
        const size_t first = i / w->group * w->group;
        const size_t from = first + (i - first + w->group - w->loop.last % w->group) % w->group;
        const uint32_t want = w->seed + (uint32_t)from + w->loop.last;

        if (got[i] != want) {
            *residual = 1;
            s = am_fail(err, AM_E_WRONG, "wrong: work-item %zu has %u after %u barriers, not %u", i,
                        got[i], w->loop.last, want);
        }
    }
    free(got);
    return s;
}

static void finish(void *state)
{
    struct barriers *const w = state;
    const cl_mem buffers[] = {w->out};

    am_ocl_program_close(&w->program, w->loop.kernel, buffers, 1, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [GROUP] = {.name = "group",
               .kind = AM_AXIS_INT,
               .dflt = "32:1024:*2",
               .quick = "32,256",
               .help = "work-items of a group"},
    [GROUPS] = {.name = "groups",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = groups_names,
                .help = "one group alone, or as many as fill the device"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER,
     "one barrier of every group, with the handing on of a word"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_barrier = {
    .name = "ocl.barrier",
    .summary = "barriers among the work-items of a group, by its size",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct barriers),
    .points_per_launch = 12,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
