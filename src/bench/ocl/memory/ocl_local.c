/* SPDX-License-Identifier: MIT */
/* ocl.local: bytes per second of local memory, by the stride between neighbouring work-items. */
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/host/walk.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <stdlib.h>

enum axis_index { DEVICE, KERNEL, STRIDE, WIDTH, ITEMS, GROUP };

enum {
    USUAL_GROUP = 256,
    CPU_GROUPS = 4,            /* a compute unit */
    GPU_GROUPS = 8 * 4,        /* a full one, a few times over */
    TURNS_MAX = 1 << 16,       /* of a launch; the reference goes them too */
    CHECKED_ITEMS = 16,        /* other ones each time */
    SHOWN = 8,                 /* groups whose memory is looked at after writing */
    CHECKED_ELEMENTS = 64,     /* of each of them, other ones each time */
    CPU_BYTES_PER_CYCLE = 128, /* as in ocl.global */
    OPTIONS_MAX = 96,
};

struct local {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    struct am_ocl_walk walk;
    cl_mem out;    /* a word per work-item */
    cl_mem shown;  /* writing: what is left in the memory of some groups */
    cl_uint every; /* of so many groups one is shown */
    size_t items;
    bool ran;
};

enum { TURNS_ARG = 3 };

static enum am_status choose(struct local *w, const struct am_value *point, struct am_err *err)
{
    const int64_t width = point[WIDTH].i, stride = point[STRIDE].i;

    if (width < 1 || width > AM_OCL_WALK_WIDTH_MAX || (width & (width - 1)))
        return am_fail(err, AM_E_ABSENT, "width %lld: vectors have 1, 2, 4, 8 or 16 words",
                       (long long)width);
    if (stride < 0 || stride > AM_OCL_WALK_STRIDE_MAX)
        return am_fail(err, AM_E_ABSENT, "stride %lld: 0 to %d", (long long)stride,
                       AM_OCL_WALK_STRIDE_MAX);
    w->walk = (struct am_ocl_walk){
        .writes = point[KERNEL].i == 1, .width = (uint32_t)width, .stride = (uint32_t)stride};
    return AM_OK;
}

static enum am_status build(struct local *w, struct am_err *err)
{
    char options[OPTIONS_MAX], width[4] = "";
    enum am_status s;

    if (w->walk.width > 1)
        (void)am_str_format(width, sizeof(width), "%u", w->walk.width);
    (void)am_str_format(options, sizeof(options), "-DELEMENT=uint%s -DWIDTH=%u", width,
                        w->walk.width);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "local", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, w->walk.writes ? "am_write" : "am_read",
                                  &w->loop.kernel, err);
    return s;
}

static enum am_status choose_group(struct local *w, const struct am_value *point,
                                   struct am_err *err)
{
    const size_t groups =
        (size_t)w->device.compute_units * (w->device.is_cpu ? CPU_GROUPS : GPU_GROUPS);
    struct am_ocl_items wish = {
        .items = point[ITEMS].i, .group = point[GROUP].i, .usual_group = USUAL_GROUP};
    size_t group = 1;
    enum am_status s = am_ocl_program_wanted(&w->device, w->loop.kernel, wish.group,
                                             wish.usual_group, &group, err);

    wish.usual_items = groups * group;
    if (s == AM_OK)
        s = am_ocl_program_items(&w->device, w->loop.kernel, &wish, &w->items, &group, err);
    w->walk.group = (uint32_t)group;
    return s;
}

static enum am_status make_buffers(struct local *w, struct am_err *err)
{
    const size_t groups = w->items / w->walk.group;
    enum am_status s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                            w->items * sizeof(cl_uint), NULL, &w->out, err);

    w->every = (cl_uint)((groups + SHOWN - 1) / SHOWN);
    if (s == AM_OK && w->walk.writes)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, SHOWN * (size_t)AM_OCL_WALK_BYTES,
                                 NULL, &w->shown, err);
    return s;
}

/* Drivers compile at the first launch: not in the sampler's time. */
static enum am_status warm(struct local *w, struct am_err *err)
{
    double ignored;

    return am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
}

/* Work-items from `from` to before `to` write. */
static enum am_status set_args(const struct local *w, cl_uint from, cl_uint to, struct am_err *err)
{
    const cl_uint turns = 1;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out),      AM_OCL_ARG(w->walk.stride),
                                      AM_OCL_ARG(w->walk.key), AM_OCL_ARG(turns),
                                      AM_OCL_ARG(w->shown),    AM_OCL_ARG(w->every),
                                      AM_OCL_ARG(from),        AM_OCL_ARG(to)};

    return am_ocl_program_args(w->loop.kernel, args, w->walk.writes ? 8 : 4, err);
}

static enum am_status set_up(struct local *w, struct am_err *err)
{
    enum am_status s = make_buffers(w, err);

    w->loop.arg = TURNS_ARG;
    w->loop.loops_max = TURNS_MAX;
    w->loop.range = AM_OCL_RANGE1(w->items, w->walk.group);
    if (s == AM_OK)
        s = set_args(w, 0, w->walk.group, err);
    return s == AM_OK ? warm(w, err) : s;
}

static enum am_status open_device(struct local *w, const struct am_ctx *ctx, const char *name,
                                  struct am_err *err)
{
    const enum am_status s = am_ocl_device_open(&w->device, ctx, name, err);

    am_ocl_timing_open(&w->timer, &w->device);
    if (s != AM_OK)
        return s;
    if (w->device.local_bytes < AM_OCL_WALK_BYTES)
        return am_fail(err, AM_E_ABSENT, "%llu bytes of local memory, %d are needed",
                       (unsigned long long)w->device.local_bytes, AM_OCL_WALK_BYTES);
    am_ctx_note(ctx, "local_memory", "%s",
                w->device.has_local ? "its own" : "a part of global memory");
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct local *const w = state;
    enum am_status s = choose(w, point, err);

    w->walk.key = (uint32_t)ctx->seed;
    if (s == AM_OK)
        s = open_device(w, ctx, point[DEVICE].name, err);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK)
        s = choose_group(w, point, err);
    if (s == AM_OK)
        s = set_up(w, err);
    if (s != AM_OK)
        return s;
    work->ops = (double)w->items * AM_OCL_WALK_ACCESSES;
    *(w->walk.writes ? &work->bytes_written : &work->bytes_read) =
        work->ops * (double)(w->walk.width * sizeof(cl_uint));
    if (w->device.is_cpu)
        work->bytes_per_cycle_max = CPU_BYTES_PER_CYCLE * (double)w->device.compute_units;
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct local *const w = state;

    w->ran = true;
    return am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
}

static enum am_status verify_read(const struct local *w, struct am_rng *rng, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (int i = 0; i < CHECKED_ITEMS && s == AM_OK; i++) {
        const size_t item = (size_t)am_rng_below(rng, w->items);
        const uint32_t want =
            am_ocl_walk_result(&w->walk, (uint32_t)(item % w->walk.group), w->loop.last);
        cl_uint got = 0;

        s = am_ocl_device_read(&w->device, w->out, item * sizeof(got), sizeof(got), &got, err);
        if (s == AM_OK && got != want)
            s = am_fail(err, AM_E_WRONG, "wrong: work-item %zu has %u after %u turns, not %u", item,
                        got, w->loop.last, want);
    }
    return s;
}

/* One element of a group that was shown: all its words are what one of the writers left. */
static enum am_status check_element(const struct local *w, const uint32_t *words, size_t group,
                                    uint32_t element, struct am_err *err)
{
    const uint32_t *const at = words + (size_t)element * w->walk.width;
    bool right = am_ocl_walk_may_hold(&w->walk, element, w->loop.last, at[0]);

    for (uint32_t i = 1; i < w->walk.width; i++)
        right = right && at[i] == at[0];
    if (right)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "wrong: after %u turns element %u of group %zu holds %#x, which no work-item "
                   "wrote last",
                   w->loop.last, element, group, at[0]);
}

/* Some elements of each group that was shown, and the sums of its work-items over all of them. */
static enum am_status check_group(const struct local *w, size_t group, struct am_rng *rng,
                                  uint32_t *words, struct am_err *err)
{
    const uint32_t elements = am_ocl_walk_elements(&w->walk);
    uint32_t sum = 0, left = 0;
    enum am_status s =
        am_ocl_device_read(&w->device, w->shown, group / w->every * (size_t)AM_OCL_WALK_BYTES,
                           AM_OCL_WALK_BYTES, words, err);

    for (uint32_t i = 0; i < AM_OCL_WALK_BYTES / sizeof(uint32_t); i++)
        left += words[i];
    for (int i = 0; i < CHECKED_ELEMENTS && s == AM_OK; i++)
        s = check_element(w, words, group, (uint32_t)am_rng_below(rng, elements), err);
    if (s == AM_OK)
        s = am_ocl_device_read(&w->device, w->out, group * w->walk.group * sizeof(uint32_t),
                               w->walk.group * sizeof(uint32_t), words, err);
    for (uint32_t i = 0; i < w->walk.group && s == AM_OK; i++)
        sum += words[i];
    if (s == AM_OK && sum != left)
        s = am_fail(err, AM_E_WRONG, "wrong: group %zu sums up to %u what comes to %u", group, sum,
                    left);
    return s;
}

/* The same launch with one work-item that writes, other ones each time: nobody else hides what it
 * leaves out. Every element is compared, of the first group. */
static enum am_status check_alone(struct local *w, struct am_rng *rng, uint32_t *words,
                                  struct am_err *err)
{
    const cl_uint lane = (cl_uint)am_rng_below(rng, w->walk.group);
    uint64_t ignored;
    enum am_status s = set_args(w, lane, lane + 1, err);

    if (s == AM_OK)
        s = am_ocl_timing_loop(&w->timer, &w->loop, w->loop.last, &ignored, err);
    if (s == AM_OK)
        s = am_ocl_device_read(&w->device, w->shown, 0, AM_OCL_WALK_BYTES, words, err);
    for (uint32_t i = 0; i < AM_OCL_WALK_BYTES / sizeof(uint32_t) && s == AM_OK; i++) {
        const uint32_t want = am_ocl_walk_left(&w->walk, lane, i / w->walk.width, w->loop.last);

        if (words[i] != want)
            s = am_fail(err, AM_E_WRONG,
                        "wrong: work-item %u alone leaves %#x in word %u after %u turns, not %#x",
                        lane, words[i], i, w->loop.last, want);
    }
    if (s == AM_OK)
        s = set_args(w, 0, w->walk.group, err);
    return s;
}

static enum am_status verify_write(struct local *w, struct am_rng *rng, struct am_err *err)
{
    const size_t groups = w->items / w->walk.group;
    uint32_t *const words = malloc(AM_OCL_WALK_BYTES);
    enum am_status s = words ? AM_OK : am_fail(err, AM_E_NOMEM, "a group's memory");

    for (size_t group = 0; group < groups && s == AM_OK; group += w->every)
        s = check_group(w, group, rng, words, err);
    if (s == AM_OK)
        s = check_alone(w, rng, words, err);
    free(words);
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct local *const w = state;
    struct am_rng rng;
    enum am_status s;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    am_rng_seed(&rng, w->device.ctx->seed, w->timer.batches);
    s = w->walk.writes ? verify_write(w, &rng, err) : verify_read(w, &rng, err);
    *residual = s == AM_E_WRONG;
    return s;
}

static void finish(void *state)
{
    struct local *const w = state;
    const cl_mem buffers[] = {w->out, w->shown};

    am_ocl_program_close(&w->program, w->loop.kernel, buffers, 2, &w->device);
}

static const char *const kernel_names[] = {"read", "write", NULL};

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [KERNEL] = {.name = "kernel",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = kernel_names,
                .help = "what is done with the elements"},
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_INT,
                .dflt = "1:32,64",
                .quick = "1,16,32,64",
                .thorough = "0:64",
                .help = "elements between neighbouring work-items"},
    [WIDTH] = {.name = "width",
               .kind = AM_AXIS_INT,
               .dflt = "1,4",
               .thorough = "1:16:*2",
               .help = "words of 32 bits in an element"},
    [ITEMS] = AM_OCL_ITEMS_AXIS,
    [GROUP] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes of the elements that were touched"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_local = {
    .name = "ocl.local",
    .summary = "local memory: strides, and the banks they collide in",
    .version = 2, /* what is written depends on the turn */
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct local),
    .points_per_launch = 16,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
