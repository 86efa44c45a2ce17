/* SPDX-License-Identifier: MIT */
/* ocl.launch: what it costs to start a kernel, to set an argument, to build a program.
 *
 * Prices are those of a queue that keeps no times, as programs use them; a queue that does, and an
 * event that is asked for, make launches dearer on several drivers, and that is a metric of its
 * own.
 */
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"
#include "core/bench/bench.h"

enum axis_index { DEVICE, ITEMS };
enum metric_index { ROUND_TRIP, BATCH, ENQUEUE, TIMED, START, ARGUMENT, EVENT, BUILD, FIRST };

enum {
    ROUNDS = 64,  /* of what takes microseconds */
    CALLS = 1024, /* of what takes less */
    GROUP = 64,   /* work-items, or fewer */
    ITEMS_MAX = 1 << 24,
    CLOCK_NS = 3000000, /* of work by which the device's clock is held against the host's */
};

struct launching {
    struct am_ocl_device device;
    struct am_ocl_program program;
    cl_command_queue plain; /* keeps no times */
    cl_kernel kernel;
    struct am_ocl_range range;
    cl_mem out;
    struct am_rng rng;
    uint32_t salt;        /* of the program that ran last */
    cl_uint value;        /* given to it */
    uint32_t steady_salt; /* of `program` */
};

static uint64_t now(const struct launching *l)
{
    const struct am_clock *const clock = l->device.ctx->clock;

    return clock->now_ns(clock->self);
}

static double seconds(uint64_t ns, unsigned n)
{
    return (double)ns * 1e-9 / n;
}

/* A program that no cache has seen. */
static enum am_status build(struct launching *l, struct am_ocl_program *p, cl_kernel *kernel,
                            struct am_err *err)
{
    char options[64];
    enum am_status s;

    l->salt = (uint32_t)am_rng_u64(&l->rng);
    (void)am_str_format(options, sizeof(options), "-DSALT=%uu", l->salt);
    s = am_ocl_program_compile(p, &l->device, "launch", options, err);
    return s == AM_OK ? am_ocl_program_kernel(p, "am_launch", kernel, err) : s;
}

static enum am_status set_value(struct launching *l, cl_kernel kernel, struct am_err *err)
{
    const struct am_ocl_arg args[] = {AM_OCL_ARG(l->out), AM_OCL_ARG(l->value)};

    l->value++; /* read through its pointer */
    return am_ocl_program_args(kernel, args, 2, err);
}

/* Into the queue without times; into the other when the caller wants an event. */
static enum am_status enqueue(struct launching *l, cl_kernel kernel, cl_event *event,
                              struct am_err *err)
{
    const cl_int code = clEnqueueNDRangeKernel(event ? l->device.queue : l->plain, kernel, 1, NULL,
                                               l->range.global, l->range.local, 0, NULL, event);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

static enum am_status drain(struct launching *l, struct am_err *err)
{
    const cl_int code = clFinish(l->plain);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clFinish");
}

/* Starts are told by the device's stamps: its clock must go like the host's. */
static enum am_status check_clock(struct launching *l, struct am_err *err)
{
    struct am_ocl_timer timer = {.device = &l->device};
    struct am_ocl_program program = {.program = NULL};
    struct am_ocl_loop loop = {.arg = 1, .range = AM_OCL_RANGE1(1, 1)};
    const cl_uint turns = 1;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(l->out), AM_OCL_ARG(turns)};
    uint64_t ignored;
    double turn_ns = 0;
    enum am_status s = am_ocl_program_build(&program, &l->device, "spin", "", err);

    if (s == AM_OK)
        s = am_ocl_program_kernel(&program, "am_spin", &loop.kernel, err);
    if (s == AM_OK)
        s = am_ocl_program_args(loop.kernel, args, 2, err);
    if (s == AM_OK)
        s = am_ocl_timing_probe(&timer, &loop, CLOCK_NS, &turn_ns, err);
    while (s == AM_OK && !timer.calibrated)
        s = am_ocl_timing_loop(&timer, &loop, loop.last, &ignored, err);
    am_ocl_release_kernel(loop.kernel);
    am_ocl_program_free(&program);
    return s;
}

static enum am_status choose_range(struct launching *l, int64_t items, struct am_err *err)
{
    size_t group = items < GROUP ? (size_t)items : GROUP;

    if (items < 1 || items > ITEMS_MAX || (items > GROUP && items % GROUP))
        return am_fail(err, AM_E_ABSENT, "%lld items: 1 to %d, or a multiple of %d up to %d",
                       (long long)items, GROUP, GROUP, ITEMS_MAX);
    while (group > l->device.group_max || (size_t)items % group)
        group--;
    l->range = AM_OCL_RANGE1((size_t)items, group);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct launching *const l = state;
    enum am_status s = am_ocl_device_open(&l->device, ctx, point[DEVICE].name, err);

    if (s == AM_OK)
        s = choose_range(l, point[ITEMS].i, err);
    if (s == AM_OK)
        s = am_ocl_device_queue(&l->device, 0, &l->plain, err);
    if (s == AM_OK)
        s = am_ocl_device_buffer(&l->device, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &l->out,
                                 err);
    if (s == AM_OK)
        s = check_clock(l, err);
    if (s != AM_OK)
        return s;
    am_rng_seed(&l->rng, ctx->seed, am_now_ns());
    s = build(l, &l->program, &l->kernel, err);
    l->steady_salt = l->salt;
    if (s == AM_OK)
        s = set_value(l, l->kernel, err);
    if (s == AM_OK)
        s = enqueue(l, l->kernel, NULL, err);
    work->ops = ROUNDS;
    return s == AM_OK ? drain(l, err) : s;
}

/* From the call that queues a kernel to the return of the one that waits for it. */
static enum am_status round_trips(struct launching *l, struct am_batch *batch, struct am_err *err)
{
    enum am_status s = AM_OK;
    const uint64_t begin = now(l);

    for (unsigned i = 0; i < ROUNDS && s == AM_OK; i++) {
        s = enqueue(l, l->kernel, NULL, err);
        if (s == AM_OK)
            s = drain(l, err);
    }
    batch->elapsed_ns = now(l) - begin;
    batch->values[ROUND_TRIP] = seconds(batch->elapsed_ns, ROUNDS);
    return s;
}

/* By the device's own stamps, the queue being empty. */
static enum am_status starts(struct launching *l, struct am_batch *batch, struct am_err *err)
{
    uint64_t sum = 0;
    enum am_status s = AM_OK;
    const uint64_t begin = now(l);

    for (unsigned i = 0; i < ROUNDS && s == AM_OK; i++) {
        struct am_ocl_stamps stamps;
        cl_event event = NULL;

        s = enqueue(l, l->kernel, &event, err);
        if (s != AM_OK)
            break;
        s = am_ocl_timing_stamps(event, &stamps, err);
        (void)clReleaseEvent(event);
        if (s == AM_OK && stamps.start_ns < stamps.queued_ns)
            s = am_fail(err, AM_E_WRONG, "wrong: an event starts %llu ns before it is queued",
                        (unsigned long long)(stamps.queued_ns - stamps.start_ns));
        sum += s == AM_OK ? stamps.start_ns - stamps.queued_ns : 0;
    }
    batch->values[TIMED] = seconds(now(l) - begin, ROUNDS);
    batch->values[START] = seconds(sum, ROUNDS);
    return s;
}

/* Many launches, one after the other: the host's part, and until the last of them has ended. */
static enum am_status enqueues(struct launching *l, struct am_batch *batch, struct am_err *err)
{
    enum am_status s = AM_OK;
    const uint64_t begin = now(l);

    for (unsigned i = 0; i < ROUNDS && s == AM_OK; i++)
        s = enqueue(l, l->kernel, NULL, err);
    batch->values[ENQUEUE] = seconds(now(l) - begin, ROUNDS);
    if (s == AM_OK)
        s = drain(l, err);
    batch->values[BATCH] = seconds(now(l) - begin, ROUNDS);
    return s;
}

static enum am_status arguments(struct launching *l, struct am_batch *batch, struct am_err *err)
{
    cl_int code = CL_SUCCESS;
    const uint64_t begin = now(l);

    for (unsigned i = 0; i < CALLS && code == CL_SUCCESS; i++) {
        l->value++;
        code = clSetKernelArg(l->kernel, 1, sizeof(l->value), &l->value);
    }
    batch->values[ARGUMENT] = seconds(now(l) - begin, CALLS);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clSetKernelArg");
}

/* A user event's life: made, completed, released. */
static enum am_status events(struct launching *l, struct am_batch *batch, struct am_err *err)
{
    cl_int code = CL_SUCCESS;
    const uint64_t begin = now(l);

    for (unsigned i = 0; i < CALLS && code == CL_SUCCESS; i++) {
        const cl_event event = clCreateUserEvent(l->device.context, &code);

        if (code != CL_SUCCESS)
            break;
        code = clSetUserEventStatus(event, CL_COMPLETE);
        (void)clReleaseEvent(event);
    }
    batch->values[EVENT] = seconds(now(l) - begin, CALLS);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clCreateUserEvent");
}

/* A program from its source to the end of its first launch. */
static enum am_status builds(struct launching *l, struct am_batch *batch, struct am_err *err)
{
    struct am_ocl_program fresh = {.program = NULL};
    cl_kernel kernel = NULL;
    enum am_status s = build(l, &fresh, &kernel, err);

    batch->values[BUILD] = seconds(fresh.build_ns, 1);
    if (s == AM_OK)
        s = set_value(l, kernel, err);
    if (s == AM_OK) {
        const uint64_t begin = now(l);

        s = enqueue(l, kernel, NULL, err);
        if (s == AM_OK)
            s = drain(l, err);
        batch->values[FIRST] = seconds(now(l) - begin, 1);
    }
    am_ocl_release_kernel(kernel);
    am_ocl_program_free(&fresh);
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    static enum am_status (*const parts[])(struct launching *, struct am_batch *,
                                           struct am_err *) = {round_trips, starts, enqueues,
                                                               arguments,   events, builds};
    enum am_status s = AM_OK;

    (void)iters;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && s == AM_OK; i++)
        s = parts[i](state, batch, err);
    return s;
}

/* The program of the latest build has run last; the steady one runs once more. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct launching *const l = state;
    cl_uint got[2] = {0, 0}, want[2];
    enum am_status s = am_ocl_device_read(&l->device, l->out, 0, sizeof(got[0]), &got[0], err);

    want[0] = l->value ^ l->salt;
    if (s == AM_OK)
        s = set_value(l, l->kernel, err);
    if (s == AM_OK)
        s = enqueue(l, l->kernel, NULL, err);
    if (s == AM_OK)
        s = drain(l, err);
    if (s == AM_OK)
        s = am_ocl_device_read(&l->device, l->out, 0, sizeof(got[1]), &got[1], err);
    want[1] = l->value ^ l->steady_salt;
    *residual = 0;
    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < 2; i++) {
        if (got[i] != want[i])
            return am_fail(err, AM_E_WRONG, "wrong: the kernel left %u, not %u", got[i], want[i]);
    }
    return AM_OK;
}

static void finish(void *state)
{
    struct launching *const l = state;

    am_ocl_release_queue(l->plain);
    am_ocl_release_kernel(l->kernel);
    am_ocl_release_buffer(l->out);
    am_ocl_program_free(&l->program);
    am_ocl_device_close(&l->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [ITEMS] = {.name = "items",
               .kind = AM_AXIS_INT,
               .dflt = "1",
               .thorough = "1,64,4096,262144",
               .help = "work-items of the kernel, in groups of 64"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [ROUND_TRIP] = {"round_trip", "s", AM_LOWER, AM_RULE_OWN,
                    "queue a kernel that does nothing, and wait for it; no times are kept"},
    [BATCH] = {"batch", "s", AM_LOWER, AM_RULE_OWN,
               "each of 64 such kernels, queued one after the other, until all have ended"},
    [ENQUEUE] = {"enqueue", "s", AM_LOWER, AM_RULE_OWN, "the call alone, without waiting"},
    [TIMED] = {"timed", "s", AM_LOWER, AM_RULE_OWN,
               "the same round trip with an event, in a queue that keeps times"},
    [START] = {"start", "s", AM_LOWER, AM_RULE_OWN,
               "from queued to start of such a kernel, by the device's stamps"},
    [ARGUMENT] = {"argument", "s", AM_LOWER, AM_RULE_OWN, "one clSetKernelArg()"},
    [EVENT] = {"event", "s", AM_LOWER, AM_RULE_OWN, "a user event made, completed and released"},
    [BUILD] = {"build", "s", AM_LOWER, AM_RULE_OWN, "clBuildProgram() of a source never seen"},
    [FIRST] = {"first_launch", "s", AM_LOWER, AM_RULE_OWN,
               "round trip of its first launch: some drivers compile there"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_launch = {
    .name = "ocl.launch",
    .summary = "cost of starting kernels, setting arguments, events, and building programs",
    .version = 2, /* in a queue without times */
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct launching),
    .fixed_iters = 1,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
