/* SPDX-License-Identifier: MIT */
/* ocl.latency: how long a device waits for its memory, by the size of what it goes through.
 *
 * A batch is two launches that begin alike, one of them `iters` turns longer; what counts is the
 * difference, so that neither the start of a kernel nor the first walk through caches that are
 * emptied between launches is in it. Each pair goes on where the last one stopped: beginning again
 * would find its lines in a cache. */
#include "bench/ocl/host/cycle.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

enum axis_index { DEVICE, SPACE, SIZE };

enum chased { GLOBAL, LOCAL };
static const char *const space_names[] = {[GLOBAL] = "global", [LOCAL] = "local", NULL};

enum {
    LINE_BYTES = 128,      /* from one load to the next: no line of any device known is longer */
    LOCAL_BYTES = 16384,   /* as in the kernel, whose lines have a word */
    LOADS = 16,            /* of a turn, as in the kernel */
    WARM_LINES = 4096,     /* sets up to 512 KiB are walked through anew in each launch */
    FIRST_LINES = 1 << 19, /* sets up to 64 MiB are walked through before the first */
    LINK_ITEMS = 1 << 16,
    LINK_GROUP = 64,
    WORDS = LINE_BYTES / sizeof(cl_ulong),
};

struct latency_walk {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    struct am_cycle cycle;
    cl_mem buffer, out;
    enum chased space;
    uint64_t base;  /* address of the buffer on the device */
    uint64_t start; /* line at which the latest launch began */
    uint64_t warm;  /* loads before its turns */
    bool ran;
};

static enum am_status choose(struct latency_walk *w, const struct am_value *point,
                             struct am_err *err)
{
    const int64_t size = point[SIZE].i;
    const int64_t line = point[SPACE].i == LOCAL ? (int64_t)sizeof(cl_uint) : LINE_BYTES;

    w->space = (enum chased)point[SPACE].i;
    if (size < 8 * line || size % line)
        return am_fail(err, AM_E_ABSENT, "size %lld: lines of %lld bytes, 8 at least",
                       (long long)size, (long long)line);
    if (w->space == LOCAL && size > LOCAL_BYTES)
        return am_fail(err, AM_E_ABSENT, "size %lld: up to %d bytes of local memory",
                       (long long)size, LOCAL_BYTES);
    return am_cycle_make(&w->cycle, (uint64_t)(size / line), err);
}

static enum am_status build(struct latency_walk *w, struct am_err *err)
{
    enum am_status s;

    if (w->space == LOCAL && w->device.local_bytes < LOCAL_BYTES)
        return am_fail(err, AM_E_ABSENT, "%llu bytes of local memory, %d are needed",
                       (unsigned long long)w->device.local_bytes, LOCAL_BYTES);
    am_ctx_note(w->device.ctx, "options", "none");
    s = am_ocl_program_build(&w->program, &w->device, "latency", "", err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, w->space == LOCAL ? "am_chase_local" : "am_chase",
                                  &w->loop.kernel, err);
    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, 2 * sizeof(cl_ulong), NULL, &w->out,
                                 err);
    w->loop.arg = 4;
    w->loop.range = AM_OCL_RANGE1(1, 1);
    return s;
}

/* Lines are linked by the device: only it knows its addresses. */
static enum am_status link_lines(struct latency_walk *w, struct am_err *err)
{
    const cl_ulong lines = w->cycle.lines, factor = w->cycle.factor, shift = w->cycle.shift;
    const cl_uint words = WORDS;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->buffer), AM_OCL_ARG(lines), AM_OCL_ARG(factor),
                                      AM_OCL_ARG(shift),     AM_OCL_ARG(words), AM_OCL_ARG(w->out)};
    struct am_ocl_timer timer = {.device = &w->device};
    struct am_ocl_range range = AM_OCL_RANGE1(LINK_ITEMS, LINK_GROUP);
    cl_kernel kernel = NULL;
    uint64_t elapsed;
    enum am_status s = am_ocl_program_kernel(&w->program, "am_link", &kernel, err);

    if (s == AM_OK)
        s = am_ocl_program_group(&w->device, kernel, LINK_GROUP, &range.local[0], err);
    if (s == AM_OK)
        s = am_ocl_program_args(kernel, args, sizeof(args) / sizeof(args[0]), err);
    if (s == AM_OK)
        s = am_ocl_timing_launch(&timer, kernel, &range, 1, &elapsed, err);
    if (s == AM_OK)
        s = am_ocl_device_read(&w->device, w->out, sizeof(cl_ulong), sizeof(w->base), &w->base,
                               err);
    am_ocl_release_kernel(kernel);
    return s;
}

/* Of the next launch; it begins where the last one ended. */
static enum am_status set_args(struct latency_walk *w, struct am_err *err)
{
    const cl_uint warm = (cl_uint)w->warm, turns = 0, words = WORDS;
    const cl_uint lines = (cl_uint)w->cycle.lines, factor = (cl_uint)w->cycle.factor,
                  shift = (cl_uint)w->cycle.shift;
    const struct am_ocl_arg global[] = {
        AM_OCL_ARG(w->buffer), AM_OCL_ARG(w->base), AM_OCL_ARG(w->start), AM_OCL_ARG(warm),
        AM_OCL_ARG(turns),     AM_OCL_ARG(words),   AM_OCL_ARG(w->out)};
    const struct am_ocl_arg local[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(lines), AM_OCL_ARG(factor),
                                       AM_OCL_ARG(shift), AM_OCL_ARG(turns)};

    return w->space == LOCAL ? am_ocl_program_args(w->loop.kernel, local, 5, err)
                             : am_ocl_program_args(w->loop.kernel, global, 7, err);
}

/* The line at which the latest launch must have ended. */
static uint64_t expected(const struct latency_walk *w)
{
    return am_cycle_after(&w->cycle, w->start, w->warm + (uint64_t)LOADS * w->loop.last);
}

/* One launch of so many turns; `elapsed_ns` of it. */
static enum am_status walk(struct latency_walk *w, uint64_t turns, uint64_t *elapsed_ns,
                           struct am_err *err)
{
    enum am_status s;

    if (w->ran && w->space == GLOBAL)
        w->start = expected(w);
    s = set_args(w, err);
    w->ran = true;
    return s == AM_OK ? am_ocl_timing_loop(&w->timer, &w->loop, turns, elapsed_ns, err) : s;
}

static enum am_status make_chain(struct latency_walk *w, struct am_err *err)
{
    const uint64_t lines = w->cycle.lines;
    uint64_t ignored;
    enum am_status s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                            (size_t)lines * LINE_BYTES, NULL, &w->buffer, err);

    if (s == AM_OK)
        s = link_lines(w, err);
    if (s == AM_OK && lines <= FIRST_LINES)
        s = walk(w, lines / LOADS + 1, &ignored, err);
    w->warm = lines <= WARM_LINES ? lines : 0;
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct latency_walk *const w = state;
    uint64_t ignored;
    enum am_status s = choose(w, point, err);

    if (s == AM_OK)
        s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    am_ocl_timing_open(&w->timer, &w->device);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK && w->space == GLOBAL)
        s = make_chain(w, err);
    if (s == AM_OK)
        s = walk(w, 1, &ignored, err); /* drivers compile at the first launch */
    work->ops = LOADS;
    w->ran = false;
    if (s == AM_OK)
        s = am_ocl_device_write(&w->device, w->out, 0, sizeof(cl_ulong), &(cl_ulong){UINT64_MAX},
                                err);
    return s;
}

/* The shorter launch is that of one turn, which the longer one begins with. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct latency_walk *const w = state;
    uint64_t shorter = 0, longer = 0;
    enum am_status s = walk(w, 1, &shorter, err);

    if (s == AM_OK)
        s = walk(w, iters + 1, &longer, err);
    batch->elapsed_ns = longer > shorter ? longer - shorter : 1; /* too short to tell */
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct latency_walk *const w = state;
    const uint64_t want = expected(w);
    cl_ulong got = 0;
    enum am_status s;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    s = am_ocl_device_read(&w->device, w->out, 0, sizeof(got), &got, err);
    if (s != AM_OK || got == want)
        return s;
    *residual = 1;
    return am_fail(err, AM_E_WRONG, "wrong: the walk ends at line %llu after %u turns, not %llu",
                   (unsigned long long)got, w->loop.last, (unsigned long long)want);
}

static void finish(void *state)
{
    struct latency_walk *const w = state;
    const cl_mem buffers[] = {w->buffer, w->out};

    am_ocl_program_close(&w->program, w->loop.kernel, buffers, 2, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [SPACE] = {.name = "space",
               .kind = AM_AXIS_NAME,
               .dflt = "global",
               .choices = space_names,
               .help =
                   "memory that is gone through: of the device, or local memory (up to 16 KiB)"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "4K:1G:*2,24K:768M:*2",
              .quick = "16K,1M,16M,256M",
              .thorough = "4K:32G:*2,24K:24G:*2,160K,224K,320K,20M,28M,40M,56M",
              .help = "bytes from the first line to the last"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "one load whose address the last one brought"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_latency = {
    .name = "ocl.latency",
    .summary = "how long a device waits for its memory, by working set: its levels of memory",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct latency_walk),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
