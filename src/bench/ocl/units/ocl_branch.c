/* SPDX-License-Identifier: MIT */
/* ocl.branch: what it costs when neighbouring work-items take different paths. */
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <math.h>
#include <string.h>

enum axis_index { DEVICE, PATHS, BY, WORK, ITEMS, GROUP_SIZE };

enum by { LOCAL, GROUP };
static const char *const by_names[] = {[LOCAL] = "local", [GROUP] = "group", NULL};

enum work { FMA, INTEGER };
static const char *const work_names[] = {[FMA] = "fma", [INTEGER] = "integer", NULL};

enum {
    PATHS_MAX = 128,
    GROUP_ITEMS = 256, /* fewer where the kernel allows no more */
    STEPS = 16,        /* of a turn, as in the kernel */
    TURNS_MAX = 8192,  /* of a launch: the reference goes the same way */
    CHECKED = 48,      /* work-items that are compared */
    OPTIONS_MAX = 64,
};

/* Chains begin in [0.1, 0.35) and go on by x*x + c with c from -1.93 to -1.8: never beyond 2, and
 * never at rest, so that steps that are left out show. */
static const float float_seed = 0.1F, float_shift = -1.8F;

struct branch {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    cl_kernel kernel;
    cl_mem out;
    enum by by;
    enum work work;
    uint32_t paths, group, items;
    uint32_t seed, shift; /* of the integers */
};

static enum am_status choose(struct branch *w, const struct am_value *point, struct am_err *err)
{
    const int64_t paths = point[PATHS].i, items = point[ITEMS].i;

    if (paths < 1 || paths > PATHS_MAX || (paths & (paths - 1)))
        return am_fail(err, AM_E_ABSENT, "paths: a power of two up to %d, not %lld", PATHS_MAX,
                       (long long)paths);
    if (items < GROUP_ITEMS || items > INT32_MAX || items % GROUP_ITEMS)
        return am_fail(err, AM_E_ABSENT, "items: a multiple of %d, not %lld", GROUP_ITEMS,
                       (long long)items);
    w->paths = (uint32_t)paths;
    w->items = (uint32_t)items;
    w->by = (enum by)point[BY].i;
    w->work = (enum work)point[WORK].i;
    return AM_OK;
}

static enum am_status build(struct branch *w, struct am_err *err)
{
    char options[OPTIONS_MAX];
    enum am_status s;

    (void)am_str_format(options, sizeof(options), "-DPATHS=%u -DBY=%d -DWORK=%d", w->paths,
                        (int)w->by, (int)w->work);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "branch", options, err);
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_branch", &w->kernel, err) : s;
}

static enum am_status choose_group(struct branch *w, int64_t asked, struct am_err *err)
{
    const struct am_ocl_items wish = {
        .items = w->items, .group = asked, .usual_group = GROUP_ITEMS};
    size_t items = 0, group = 1;
    const enum am_status s =
        am_ocl_program_items(&w->device, w->kernel, &wish, &items, &group, err);

    if (s != AM_OK)
        return s;
    if (w->by == LOCAL && group < w->paths)
        return am_fail(err, AM_E_ABSENT, "a work-group has %zu work-items for %u paths", group,
                       w->paths);
    if (w->by == GROUP && w->items / group < w->paths)
        return am_fail(err, AM_E_ABSENT, "%zu work-groups for %u paths", w->items / group,
                       w->paths);
    w->group = (uint32_t)group;
    w->loop = (struct am_ocl_loop){.kernel = w->kernel,
                                   .arg = 1,
                                   .range = AM_OCL_RANGE1(w->items, group),
                                   .loops_max = TURNS_MAX};
    return AM_OK;
}

/* Drivers compile at the first launch: not in the sampler's time. */
static enum am_status warm(struct branch *w, struct am_err *err)
{
    double ignored;

    return am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
}

/* Nothing that a kernel stores, in either type: a NaN. */
static enum am_status forget(const struct branch *w, struct am_err *err)
{
    const cl_uint nothing = UINT32_MAX;
    const cl_int code = clEnqueueFillBuffer(w->device.queue, w->out, &nothing, sizeof(nothing), 0,
                                            w->items * sizeof(nothing), 0, NULL, NULL);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueFillBuffer");
}

static enum am_status set_arguments(const struct branch *w, struct am_err *err)
{
    const cl_uint turns = 0;
    const struct am_ocl_arg seed = w->work == FMA ? AM_OCL_ARG(float_seed) : AM_OCL_ARG(w->seed);
    const struct am_ocl_arg shift = w->work == FMA ? AM_OCL_ARG(float_shift) : AM_OCL_ARG(w->shift);
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(turns), seed, shift};

    return am_ocl_program_args(w->kernel, args, sizeof(args) / sizeof(*args), err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct branch *const w = state;
    enum am_status s = choose(w, point, err);

    if (s == AM_OK)
        s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    if (s != AM_OK)
        return s;
    am_ocl_timing_open(&w->timer, &w->device);
    w->seed = (uint32_t)ctx->seed;
    w->shift = 4096 + (uint32_t)(ctx->seed >> 32) % 4096;
    s = build(w, err);
    if (s == AM_OK)
        s = choose_group(w, point[GROUP_SIZE].i, err);
    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, w->items * sizeof(cl_uint), NULL,
                                 &w->out, err);
    if (s == AM_OK)
        s = set_arguments(w, err);
    if (s == AM_OK)
        s = warm(w, err);
    if (s == AM_OK)
        s = forget(w, err);
    work->ops = (double)w->items * STEPS;
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct branch *const w = state;

    return am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
}

/* ---- the reference: bit by bit, since every step is exact or rounded once ---- */

static uint32_t float_end(uint32_t item, uint32_t key, uint64_t steps)
{
    const float c = float_shift - (float)key * (1.0F / 1024);
    float x = float_seed + (float)(item & 1023) * (1.0F / 4096);
    uint32_t bits;

    for (; steps; steps--)
        x = fmaf(x, x, c);
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint32_t integer_end(const struct branch *w, uint32_t item, uint32_t key, uint64_t steps)
{
    const uint32_t c = w->shift + key * 1024;
    uint32_t x = item % w->group + w->seed, y = item + w->shift;

    for (; steps; steps--) {
        x = x / (y | 1) + c;
        y = y % (x | 1) + key + 1;
    }
    return x ^ y;
}

static enum am_status check(const struct branch *w, uint32_t item, struct am_err *err)
{
    const uint32_t key = (w->by == LOCAL ? item % w->group : item / w->group) % w->paths;
    const uint64_t steps = (uint64_t)w->loop.last * STEPS;
    const uint32_t want =
        w->work == FMA ? float_end(item, key, steps) : integer_end(w, item, key, steps);
    uint32_t got = 0;
    const enum am_status s =
        am_ocl_device_read(&w->device, w->out, item * sizeof(got), sizeof(got), &got, err);

    if (s == AM_OK && got != want)
        return am_fail(err, AM_E_WRONG,
                       "wrong: work-item %u on path %u ends with bits %#x after %llu steps, not "
                       "%#x",
                       item, key, got, (unsigned long long)steps, want);
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct branch *const w = state;
    struct am_rng rng;
    enum am_status s = AM_OK;

    am_rng_seed(&rng, w->device.ctx->seed, w->timer.batches); /* other ones each time */
    for (int i = 0; i < CHECKED && s == AM_OK; i++)
        s = check(w, (uint32_t)am_rng_below(&rng, w->items), err);
    *residual = s == AM_E_WRONG;
    return s;
}

static void finish(void *state)
{
    struct branch *const w = state;
    const cl_mem buffers[] = {w->out};

    am_ocl_program_close(&w->program, w->kernel, buffers, 1, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [PATHS] = {.name = "paths",
               .kind = AM_AXIS_INT,
               .dflt = "1:64:*2",
               .quick = "1,8,32,64",
               .thorough = "1:128:*2",
               .help = "paths among which work-items are spread; 1: no branch"},
    [BY] = {.name = "by",
            .kind = AM_AXIS_NAME,
            .dflt = "all",
            .quick = "local",
            .choices = by_names,
            .help = "what chooses the path: the place in the work-group, or the work-group"},
    [WORK] = {.name = "work",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .quick = "fma",
              .choices = work_names,
              .help = "fma: a quadratic map; integer: the paper's division and remainder"},
    [ITEMS] = {.name = "items", .kind = AM_AXIS_INT, .dflt = "32768", .help = "work-items"},
    [GROUP_SIZE] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "sixteen steps of every work-item"},
    {"rate", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "steps per second of all work-items"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_branch = {
    .name = "ocl.branch",
    .summary = "equal work on 1 to 64 paths: the cost of divergence, and the width of SIMD",
    .version = 2, /* chains that never come to rest */
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct branch),
    .points_per_launch = 4, /* many paths take seconds to compile */
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
