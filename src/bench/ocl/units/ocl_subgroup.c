/* SPDX-License-Identifier: MIT */
/* ocl.subgroup: sums, running sums and exchange among neighbouring work-items, by local memory, by
 * the functions of sub-groups, and by the instructions of NVIDIA's warps.
 *
 * A turn is one operation of every work-item, and the next one needs its result. Verified: the host
 * goes the same turns for all work-items of some groups. Sub-groups are as wide as the device makes
 * them, which the kernel tells; elsewhere 32 neighbours work together. */
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <string.h>

enum axis_index { DEVICE, TOGETHER, WAY, GROUPS };

enum together_op { REDUCE, SCAN, EXCHANGE };
static const char *const op_names[] = {
    [REDUCE] = "reduce", [SCAN] = "scan", [EXCHANGE] = "exchange", NULL};
enum together_way { BY_LOCAL, BY_SUBGROUP, BY_WARP };
static const char *const way_names[] = {
    [BY_LOCAL] = "local", [BY_SUBGROUP] = "subgroup", [BY_WARP] = "warp", NULL};
enum together_groups { ONE, FULL };
static const char *const groups_names[] = {[ONE] = "one", [FULL] = "full", NULL};

enum {
    LANES = 32,
    GROUP = 128,
    LANES_MAX = GROUP,
    UNIT_ITEMS = 2048,    /* what a compute unit of a large GPU holds */
    CPU_GROUPS = 4,       /* per compute unit */
    TURNS_MAX = 1 << 14,  /* of a launch: the host goes them too */
    CHECKED = 4,          /* groups, other ones each time */
    WARP_CAPABILITY = 80, /* the first that adds up a warp by one instruction */
    OPTIONS_MAX = 80,
};

struct subgroup {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    cl_mem out, lanes;
    enum together_op op;
    enum together_way way;
    size_t group, items;
    cl_uint seed;
    uint64_t batches;
};

/* ---- preparation ---- */

static enum am_status check_device(const struct subgroup *w, struct am_err *err)
{
    const struct am_ocl_device *const d = &w->device;

    if (w->way == BY_WARP && d->nv_capability < WARP_CAPABILITY)
        return am_fail(err, AM_E_ABSENT, "no warps of NVIDIA's devices, capability %d.%d or later",
                       WARP_CAPABILITY / 10, WARP_CAPABILITY % 10);
    if (w->way == BY_SUBGROUP && !am_ocl_device_has(d, "cl_khr_subgroups"))
        return am_fail(err, AM_E_ABSENT, "the device has no cl_khr_subgroups");
    if (w->way == BY_SUBGROUP && w->op == EXCHANGE &&
        !am_ocl_device_has(d, "cl_khr_subgroup_shuffle"))
        return am_fail(err, AM_E_ABSENT, "the device has no cl_khr_subgroup_shuffle");
    if (w->way == BY_LOCAL && d->local_bytes < GROUP * sizeof(cl_uint))
        return am_fail(err, AM_E_ABSENT, "%llu bytes of local memory are too few",
                       (unsigned long long)d->local_bytes);
    return AM_OK;
}

static enum am_status build(struct subgroup *w, struct am_err *err)
{
    const size_t lanes = w->device.group_max < LANES ? w->device.group_max : LANES;
    char options[OPTIONS_MAX];
    enum am_status s;

    w->group = w->device.group_max < GROUP ? lanes : GROUP;
    (void)am_str_format(options, sizeof(options), "%s-DWAY=%d -DOP=%d -DGROUP=%zu -DLANES=%zu",
                        w->way == BY_SUBGROUP ? "-cl-std=CL2.0 " : "", (int)w->way, (int)w->op,
                        w->group, lanes);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "subgroup", options, err);
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_subgroup", &w->loop.kernel, err) : s;
}

static void choose_range(struct subgroup *w, enum together_groups groups)
{
    const size_t per_unit = w->device.is_cpu ? CPU_GROUPS : UNIT_ITEMS / w->group;

    w->items = w->group * (groups == FULL ? w->device.compute_units * per_unit : 1);
    w->loop.arg = 1;
    w->loop.loops_max = TURNS_MAX;
    w->loop.range = AM_OCL_RANGE1(w->items, w->group);
    am_ctx_note(w->device.ctx, "items", "%zu in groups of %zu", w->items, w->group);
}

static enum am_status set_up(struct subgroup *w, struct am_err *err)
{
    const cl_uint turns = 1;
    double ignored;
    enum am_status s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                            w->items * sizeof(cl_uint), NULL, &w->out, err);

    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &w->lanes,
                                 err);
    if (s == AM_OK) {
        const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(turns),
                                          AM_OCL_ARG(w->lanes), AM_OCL_ARG(w->seed)};

        s = am_ocl_program_args(w->loop.kernel, args, 4, err);
    }
    /* drivers compile at the first launch */
    return s == AM_OK ? am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err) : s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct subgroup *const w = state;
    enum am_status s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);

    am_ocl_timing_open(&w->timer, &w->device);
    w->seed = (cl_uint)ctx->seed;
    w->op = (enum together_op)point[TOGETHER].i;
    w->way = (enum together_way)point[WAY].i;
    if (s == AM_OK)
        s = check_device(w, err);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK) {
        choose_range(w, (enum together_groups)point[GROUPS].i);
        s = set_up(w, err);
    }
    work->ops = (double)w->items;
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct subgroup *const w = state;

    w->batches++;
    return am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
}

/* ---- verification ---- */

/* One operation of `n` neighbours. */
static void work_together(enum together_op op, uint32_t *x, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; op == EXCHANGE && i + 1 < n; i += 2) {
        const uint32_t first = x[i];

        x[i] = x[i + 1];
        x[i + 1] = first;
    }
    for (size_t i = 0; op != EXCHANGE && i < n; i++) {
        sum += x[i];
        x[i] = sum;
    }
    for (size_t i = 0; op == REDUCE && i < n; i++)
        x[i] = sum;
}

/* What the group that begins with work-item `first` must leave, `lanes` of it working together. */
static void expect_group(const struct subgroup *w, size_t first, size_t lanes, uint32_t *x)
{
    for (size_t i = 0; i < w->group; i++)
        x[i] = w->seed + (uint32_t)(first + i);
    for (size_t from = 0; from < w->group; from += lanes) {
        const size_t n = w->group - from < lanes ? w->group - from : lanes;

        for (cl_uint turn = 0; turn < w->loop.last; turn++) {
            work_together(w->op, x + from, n);
            for (size_t i = 0; i < n; i++)
                x[from + i] = x[from + i] * 5 + (uint32_t)i + 1;
        }
    }
}

static enum am_status check_group(const struct subgroup *w, size_t first, size_t lanes,
                                  struct am_err *err)
{
    uint32_t got[GROUP] = {0}, want[GROUP] = {0};
    const enum am_status s = am_ocl_device_read(&w->device, w->out, first * sizeof(*got),
                                                w->group * sizeof(*got), got, err);

    if (s != AM_OK)
        return s;
    expect_group(w, first, lanes, want);
    for (size_t i = 0; i < w->group; i++) {
        if (got[i] != want[i])
            return am_fail(err, AM_E_WRONG, "wrong: work-item %zu has %u after %u turns, not %u",
                           first + i, got[i], w->loop.last, want[i]);
    }
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct subgroup *const w = state;
    struct am_rng rng;
    uint32_t lanes = 0;
    enum am_status s;

    *residual = 1;
    if (!w->batches)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    s = am_ocl_device_read(&w->device, w->lanes, 0, sizeof(lanes), &lanes, err);
    if (s == AM_OK && (lanes < 1 || lanes > LANES_MAX))
        s = am_fail(err, AM_E_WRONG, "wrong: %u work-items are said to work together", lanes);
    am_rng_seed(&rng, w->device.ctx->seed, w->batches);
    for (int i = 0; i < CHECKED && s == AM_OK; i++)
        s = check_group(w, (size_t)am_rng_below(&rng, w->items / w->group) * w->group, lanes, err);
    *residual = s == AM_E_WRONG;
    return s;
}

static void finish(void *state)
{
    struct subgroup *const w = state;
    const cl_mem buffers[] = {w->out, w->lanes};

    am_ocl_program_close(&w->program, w->loop.kernel, buffers, 2, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [TOGETHER] = {.name = "together",
                  .kind = AM_AXIS_NAME,
                  .dflt = "all",
                  .choices = op_names,
                  .help = "the sum of all neighbours, running sums, or the next neighbour's value"},
    [WAY] = {.name = "way",
             .kind = AM_AXIS_NAME,
             .dflt = "all",
             .choices = way_names,
             .help = "local memory and barriers, functions of sub-groups, or instructions of "
                     "NVIDIA's warps"},
    [GROUPS] = {.name = "groups",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = groups_names,
                .help = "one group of 128 alone, or as many as fill the device"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "one operation of every work-item"},
    {"rate", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "results per second of all work-items"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_subgroup = {
    .name = "ocl.subgroup",
    .summary = "sums and exchange among neighbouring work-items, by local memory and without",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct subgroup),
    .points_per_launch = 9,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
