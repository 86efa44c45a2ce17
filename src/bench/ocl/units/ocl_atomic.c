/* SPDX-License-Identifier: MIT */
/* ocl.atomic: additions per second to counters in global or local memory, shared by all work-items,
 * by a group, or by nobody; and the time of one that the next waits for. */
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <stdlib.h>

enum axis_index { DEVICE, SPACE, COUNTERS };

enum counted_in { GLOBAL, LOCAL };
static const char *const space_names[] = {[GLOBAL] = "global", [LOCAL] = "local", NULL};
enum counted_by { ONE, GROUPS, LINES, OWN, CHAIN };
static const char *const counter_names[] = {
    [ONE] = "one", [GROUPS] = "group", [LINES] = "line", [OWN] = "own", [CHAIN] = "chain", NULL};

enum {
    GROUP = 256,
    GPU_GROUPS = 8, /* per compute unit: a full one */
    CPU_GROUPS = 4,
    ADDEND = 3,
    ADDITIONS = 4,     /* of a turn, as in the kernel */
    LINE_WORDS = 32,   /* between counters that share no line */
    AREA_BYTES = 4096, /* of local memory, as in the kernel */
    TURNS_MAX = 1 << 16,
};

struct counting {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    cl_mem counters; /* local: what each work-item found at the end */
    enum counted_in space;
    enum counted_by kind;
    size_t items, group, n; /* n: counters */
    cl_uint sharing, spread;
    uint64_t turns; /* of all launches since the counters were 0 */
};

static const char *kernel_name(const struct counting *w)
{
    if (w->kind == CHAIN)
        return "am_atomic_chain";
    return w->space == LOCAL ? "am_atomic_local" : "am_atomic_global";
}

static enum am_status build(struct counting *w, struct am_err *err)
{
    enum am_status s;

    if (w->space == LOCAL && (w->kind == CHAIN || w->kind == LINES))
        return am_fail(err, AM_E_ABSENT, "in local memory: one, group and own");
    if (w->space == LOCAL && w->device.local_bytes < AREA_BYTES)
        return am_fail(err, AM_E_ABSENT, "%llu bytes of local memory",
                       (unsigned long long)w->device.local_bytes);
    am_ctx_note(w->device.ctx, "options", "none");
    s = am_ocl_program_build(&w->program, &w->device, "atomic", "", err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, kernel_name(w), &w->loop.kernel, err);
    if (s == AM_OK)
        s = am_ocl_program_group(&w->device, w->loop.kernel, GROUP, &w->group, err);
    return s;
}

/* In local memory all work-items that share are those of a group, so that one and group are alike.
 */
static void choose_range(struct counting *w)
{
    const size_t groups =
        w->device.compute_units * (size_t)(w->device.is_cpu ? CPU_GROUPS : GPU_GROUPS);
    const bool local = w->space == LOCAL;

    w->items = w->kind == CHAIN ? 1 : groups * w->group;
    w->group = w->kind == CHAIN ? 1 : w->group;
    w->sharing = w->kind == ONE && !local ? (cl_uint)w->items
                 : w->kind <= GROUPS      ? (cl_uint)w->group
                                          : 1;
    w->spread = w->kind == OWN ? 1 : LINE_WORDS;
    w->n = local ? w->items : w->kind == CHAIN ? 2 : w->items / w->sharing * w->spread;
    w->loop.arg = 1;
    w->loop.loops_max = TURNS_MAX;
    w->loop.range = AM_OCL_RANGE1(w->items, w->group);
    am_ctx_note(w->device.ctx, "items", "%zu in groups of %zu", w->items, w->group);
}

static enum am_status clear(struct counting *w, struct am_err *err)
{
    const cl_uint zero = 0;
    cl_int code = clEnqueueFillBuffer(w->device.queue, w->counters, &zero, sizeof(zero), 0,
                                      w->n * sizeof(zero), 0, NULL, NULL);

    if (code == CL_SUCCESS)
        code = clFinish(w->device.queue);
    w->turns = 0;
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueFillBuffer");
}

static enum am_status set_args(struct counting *w, struct am_err *err)
{
    const cl_uint turns = 1, zero = 0, by = ADDEND;
    const struct am_ocl_arg shared[] = {AM_OCL_ARG(w->counters), AM_OCL_ARG(turns),
                                        AM_OCL_ARG(w->sharing), AM_OCL_ARG(w->spread),
                                        AM_OCL_ARG(by)};
    const struct am_ocl_arg chain[] = {AM_OCL_ARG(w->counters), AM_OCL_ARG(turns),
                                       AM_OCL_ARG(zero)};

    return w->kind == CHAIN ? am_ocl_program_args(w->loop.kernel, chain, 3, err)
                            : am_ocl_program_args(w->loop.kernel, shared, 5, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct counting *const w = state;
    double ignored;
    enum am_status s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);

    am_ocl_timing_open(&w->timer, &w->device);
    w->space = (enum counted_in)point[SPACE].i;
    w->kind = (enum counted_by)point[COUNTERS].i;
    if (s == AM_OK)
        s = build(w, err);
    if (s != AM_OK)
        return s;
    choose_range(w);
    s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, w->n * sizeof(cl_uint), NULL,
                             &w->counters, err);
    if (s == AM_OK)
        s = set_args(w, err);
    if (s == AM_OK) /* drivers compile at the first launch */
        s = am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
    if (s == AM_OK)
        s = clear(w, err);
    work->ops = (double)w->items * ADDITIONS;
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct counting *const w = state;
    const uint64_t before = w->timer.extra;
    const enum am_status s =
        am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);

    w->turns += iters + (w->timer.extra - before) * w->loop.last;
    return s;
}

/* What counter i must have, whatever the order of the additions. */
static uint32_t expected(const struct counting *w, size_t i)
{
    const uint32_t all = (uint32_t)(w->turns * ADDITIONS);

    if (w->space == LOCAL)
        return w->loop.last * ADDITIONS * ADDEND * w->sharing;
    if (w->kind == CHAIN)
        return i ? all - 1 : all;
    return i % w->spread ? 0 : all * ADDEND * w->sharing;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct counting *const w = state;
    uint32_t *got;
    size_t wrong = 0, first = 0;
    enum am_status s;

    *residual = 0;
    if (!w->turns)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    got = malloc(w->n * sizeof(*got));
    if (!got)
        return am_fail(err, AM_E_NOMEM, "%zu counters to check", w->n);
    s = am_ocl_device_read(&w->device, w->counters, 0, w->n * sizeof(*got), got, err);
    for (size_t i = 0; i < w->n && s == AM_OK; i++) {
        if (got[i] != expected(w, i) && wrong++ == 0)
            first = i;
    }
    *residual = (double)wrong;
    if (s == AM_OK && wrong)
        s = am_fail(err, AM_E_WRONG, "wrong: %zu of %zu counters; counter %zu has %u, not %u",
                    wrong, w->n, first, got[first], expected(w, first));
    free(got);
    return s;
}

static void finish(void *state)
{
    struct counting *const w = state;
    const cl_mem buffers[] = {w->counters};

    am_ocl_program_close(&w->program, w->loop.kernel, buffers, 1, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [SPACE] = {.name = "space",
               .kind = AM_AXIS_NAME,
               .dflt = "all",
               .choices = space_names,
               .help = "memory in which the counters are"},
    [COUNTERS] = {.name = "counters",
                  .kind = AM_AXIS_NAME,
                  .dflt = "all",
                  .choices = counter_names,
                  .help = "one for all, one per group, one per work-item on a line of its own, "
                          "neighbouring ones; chain: one work-item waits for each addition"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"rate", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "additions per second of all work-items"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
     "between two additions anywhere; of a chain, the latency of one"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_atomic = {
    .name = "ocl.atomic",
    .summary = "atomic additions: one counter for all, one per group, one each, and their latency",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct counting),
    .points_per_launch = 9,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
