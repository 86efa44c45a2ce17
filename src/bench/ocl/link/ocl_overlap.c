/* SPDX-License-Identifier: MIT */
/* ocl.overlap: transfers in both directions at once, and beside a kernel.
 *
 * A batch makes the transfers alone, a kernel of about the same length alone, and both at once,
 * each in a queue of its own, by the host's clock. What both take less than one after the other is
 * hidden: a share of the shorter of the two, 1 when it costs nothing. */
#include "bench/ocl/host/checked.h"
#include "bench/ocl/host/payload.h"
#include "bench/ocl/host/program.h"

#include <math.h>

enum axis_index { DEVICE, DIRECTION, BESIDE, SIZE };
enum metric_index { BANDWIDTH, HIDDEN };

enum both_ways { UP = 1, DOWN = 2, BOTH = UP | DOWN }; /* what a transfer does, as bits */
static const char *const direction_names[] = {"h2d", "d2h", "both", NULL}; /* less 1 */
enum beside { NOTHING, COMPUTE, MEMORY };
static const char *const beside_names[] = {
    [NOTHING] = "nothing", [COMPUTE] = "compute", [MEMORY] = "memory", NULL};

enum { WAYS = 2, WORK = WAYS, QUEUES };

enum {
    HOST_SHARES = 8, /* copies of the size in the host's memory, at most */
    GROUP = 64,
    GPU_ITEMS = 2048, /* per compute unit: what is resident at once on most */
    CPU_ITEMS = 64,
    PLACES = 1 << 24, /* of 16 bytes: beyond the caches of most devices */
    SHARE = 8,        /* of the device's memory that they may be */
    CHECKED_ITEMS = 64,
    PILOT_NS = 1000000,
};

/* One direction: memory of the host that the driver pinned, and a buffer of the device. */
struct way {
    struct am_ocl_pinned pinned;
    cl_mem buffer;
    struct am_ocl_payload payload;
};

struct overlapped {
    struct am_ocl_device device;
    struct am_ocl_program program;
    cl_command_queue queues[QUEUES];
    struct way ways[WAYS]; /* up, down */
    cl_kernel kernel;
    cl_mem data, out;
    unsigned direction;
    enum beside beside;
    size_t items, group;
    cl_uint turns; /* of the kernel's latest launch */
    double turn_ns;
    uint32_t serial; /* of the latest batch */
    bool ran;
};

static uint64_t now(const struct overlapped *w)
{
    return am_ocl_device_now(&w->device);
}

static enum am_status finish_queue(const struct overlapped *w, int queue, struct am_err *err)
{
    const cl_int code = clFinish(w->queues[queue]);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clFinish");
}

/* ---- preparation ---- */

static enum am_status choose(struct overlapped *w, const struct am_ctx *ctx,
                             const struct am_value *point, struct am_err *err)
{
    enum am_status s =
        am_ocl_payload_choose(&w->ways[0].payload, point[SIZE].i, HOST_SHARES, ctx, err);

    w->direction = (unsigned)point[DIRECTION].i + 1;
    w->beside = (enum beside)point[BESIDE].i;
    /* what comes from the device is stamped there, in one place */
    w->ways[1].payload = w->ways[0].payload;
    w->ways[1].payload.step = w->ways[0].payload.words;
    return s;
}

static enum am_status make_way(struct overlapped *w, int at, struct am_err *err)
{
    struct way *const way = &w->ways[at];
    const size_t bytes = way->payload.bytes;
    enum am_status s = am_ocl_pinned_open(&way->pinned, &w->device, bytes, err);

    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, bytes, NULL, &way->buffer, err);
    if (s == AM_OK)
        s = am_ocl_device_queue(&w->device, 0, &w->queues[at], err);
    if (s != AM_OK)
        return s;
    am_ocl_payload_words(&way->payload, 0, way->payload.words, 0, way->pinned.at);
    return am_ocl_device_write(&w->device, way->buffer, 0, bytes, way->pinned.at, err);
}

static enum am_status make_ways(struct overlapped *w, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (int i = 0; i < WAYS && s == AM_OK; i++) {
        if (w->direction & (unsigned)(UP << i))
            s = make_way(w, i, err);
    }
    return s;
}

static enum am_status launch(struct overlapped *w, cl_uint turns, struct am_err *err)
{
    cl_int code = clSetKernelArg(w->kernel, 1, sizeof(turns), &turns);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clSetKernelArg");
    w->turns = turns;
    code = clEnqueueNDRangeKernel(w->queues[WORK], w->kernel, 1, NULL, &w->items, &w->group, 0,
                                  NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFlush(w->queues[WORK]);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

/* The time of a turn, from launches that grow until they are long. */
static enum am_status pilot(struct overlapped *w, struct am_err *err)
{
    uint64_t took = 0;
    enum am_status s = launch(w, 1, err); /* drivers compile at the first launch */

    if (s == AM_OK)
        s = finish_queue(w, WORK, err);
    for (cl_uint turns = 16; s == AM_OK && took < PILOT_NS && turns < UINT32_MAX / 8; turns *= 4) {
        const uint64_t begin = now(w);

        s = launch(w, turns, err);
        if (s == AM_OK)
            s = finish_queue(w, WORK, err);
        took = now(w) - begin;
        w->turn_ns = (double)took / turns;
    }
    return s;
}

static size_t places(const struct overlapped *w)
{
    size_t n = PLACES;

    while (n > 1024 && n * sizeof(cl_uint4) > w->device.memory_bytes / SHARE)
        n /= 2;
    while (n > 1024 && w->device.shares_memory &&
           n * sizeof(cl_uint4) > w->device.ctx->memory_limit_bytes / 4)
        n /= 2;
    return n;
}

static enum am_status make_kernel(struct overlapped *w, struct am_err *err)
{
    const struct am_ocl_device *const d = &w->device;
    const size_t n = w->beside == MEMORY ? places(w) : 1;
    const cl_uint turns = 1, mask = (cl_uint)n - 1;
    enum am_status s = am_ocl_program_build(&w->program, d, "overlap", "", err);

    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, w->beside == MEMORY ? "am_memory" : "am_compute",
                                  &w->kernel, err);
    if (s == AM_OK)
        s = am_ocl_program_group(d, w->kernel, GROUP, &w->group, err);
    w->items = d->compute_units * (size_t)(d->is_cpu ? CPU_ITEMS : GPU_ITEMS);
    if (s == AM_OK)
        s = am_ocl_device_buffer(d, CL_MEM_READ_WRITE, w->items * sizeof(cl_uint), NULL, &w->out,
                                 err);
    if (s == AM_OK)
        s = am_ocl_device_buffer(d, CL_MEM_READ_WRITE, n * sizeof(cl_uint4), NULL, &w->data, err);
    if (s == AM_OK)
        s = am_ocl_device_queue(d, 0, &w->queues[WORK], err);
    if (s == AM_OK) {
        const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(turns),
                                          AM_OCL_ARG(w->data), AM_OCL_ARG(mask)};

        s = am_ocl_program_args(w->kernel, args, 4, err);
    }
    return s == AM_OK ? pilot(w, err) : s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct overlapped *const w = state;
    enum am_status s = choose(w, ctx, point, err);

    if (s == AM_OK)
        s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    if (s == AM_OK)
        s = make_ways(w, err);
    if (s == AM_OK && w->beside != NOTHING)
        s = make_kernel(w, err);
    work->bytes_read = w->direction & DOWN ? (double)w->ways[1].payload.bytes : 0;
    work->bytes_written = w->direction & UP ? (double)w->ways[0].payload.bytes : 0;
    work->ops = 1;
    return s;
}

/* ---- measuring ---- */

/* Queues `iters` transfers in each direction, and sees to it that they begin. */
static enum am_status start_transfers(struct overlapped *w, uint64_t iters, struct am_err *err)
{
    const size_t bytes = w->ways[0].payload.bytes;
    cl_int code = CL_SUCCESS;

    for (uint64_t i = 0; i < iters && code == CL_SUCCESS; i++) {
        if (w->direction & UP)
            code = clEnqueueWriteBuffer(w->queues[0], w->ways[0].buffer, CL_FALSE, 0, bytes,
                                        w->ways[0].pinned.at, 0, NULL, NULL);
        if (code == CL_SUCCESS && (w->direction & DOWN))
            code = clEnqueueReadBuffer(w->queues[1], w->ways[1].buffer, CL_FALSE, 0, bytes,
                                       w->ways[1].pinned.at, 0, NULL, NULL);
    }
    for (int i = 0; i < WAYS && code == CL_SUCCESS; i++) {
        if (w->queues[i])
            code = clFlush(w->queues[i]);
    }
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "a transfer");
}

static enum am_status finish_transfers(struct overlapped *w, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (int i = 0; i < WAYS && s == AM_OK; i++) {
        if (w->queues[i])
            s = finish_queue(w, i, err);
    }
    return s;
}

static enum am_status transfer(struct overlapped *w, uint64_t iters, uint64_t *took,
                               struct am_err *err)
{
    const uint64_t begin = now(w);
    enum am_status s = start_transfers(w, iters, err);

    if (s == AM_OK)
        s = finish_transfers(w, err);
    *took = now(w) - begin;
    return s;
}

static enum am_status compute(struct overlapped *w, cl_uint turns, uint64_t *took,
                              struct am_err *err)
{
    const uint64_t begin = now(w);
    enum am_status s = launch(w, turns, err);

    if (s == AM_OK)
        s = finish_queue(w, WORK, err);
    *took = now(w) - begin;
    return s;
}

static enum am_status both(struct overlapped *w, uint64_t iters, cl_uint turns, uint64_t *took,
                           struct am_err *err)
{
    const uint64_t begin = now(w);
    enum am_status s = launch(w, turns, err);

    if (s == AM_OK)
        s = start_transfers(w, iters, err);
    if (s == AM_OK)
        s = finish_transfers(w, err);
    if (s == AM_OK)
        s = finish_queue(w, WORK, err);
    *took = now(w) - begin;
    return s;
}

/* Makes the batch's data differ from what is at the other end. */
static enum am_status stamp(struct overlapped *w, struct am_err *err)
{
    const struct way *const up = &w->ways[0], *const down = &w->ways[1];
    uint32_t first;

    w->serial++;
    for (size_t i = 0; i < up->payload.words; i += AM_OCL_PAGE_WORDS) {
        if (w->direction & UP)
            up->pinned.at[i] = am_ocl_payload_word(&up->payload, i, w->serial);
        if (w->direction & DOWN)
            down->pinned.at[i] = ~am_ocl_payload_word(&down->payload, i, w->serial);
    }
    if (!(w->direction & DOWN))
        return AM_OK;
    first = am_ocl_payload_word(&down->payload, 0, w->serial);
    return am_ocl_device_write(&w->device, down->buffer, 0, sizeof(first), &first, err);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct overlapped *const w = state;
    uint64_t apart = 0, alone = 0, together = 0;
    enum am_status s = stamp(w, err);

    if (s == AM_OK)
        s = transfer(w, iters, &apart, err);
    batch->elapsed_ns = apart;
    batch->values[HIDDEN] = NAN;
    w->ran = true;
    if (s == AM_OK && w->beside != NOTHING) {
        const double wanted = (double)apart / w->turn_ns;
        const cl_uint turns = (cl_uint)fmin(fmax(wanted, 1), 1 << 30);

        s = compute(w, turns, &alone, err);
        if (s == AM_OK)
            s = both(w, iters, turns, &together, err);
        batch->elapsed_ns = together;
        batch->values[HIDDEN] = ((double)apart + (double)alone - (double)together) /
                                fmax(fmin((double)apart, (double)alone), 1);
        w->turn_ns = fmax((double)alone / turns, 1e-6);
    }
    return s;
}

/* ---- verification ---- */

/* What a work-item of the latest kernel must have left. */
static uint32_t expected(const void *state, size_t item)
{
    const struct overlapped *const w = state;
    uint32_t x = (uint32_t)item + 1;

    if (w->beside == MEMORY)
        return (uint32_t)item + (uint32_t)w->items * w->turns;
    for (cl_uint i = 0; i < w->turns; i++) {
        x = x * UINT32_C(1664525) + UINT32_C(1013904223);
        x ^= x >> 13;
    }
    return x;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct overlapped *const w = state;
    const struct way *const up = &w->ways[0], *const down = &w->ways[1];
    const struct am_ocl_checking kernel = {&w->device, w->out,   w->items, CHECKED_ITEMS,
                                           w->serial,  expected, w};
    enum am_status s = AM_OK;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was transferred");
    if (w->direction & UP)
        s = am_ocl_payload_arrived(&up->payload, &w->device, up->buffer, w->serial, residual, err);
    if (s == AM_OK && (w->direction & DOWN))
        s = am_ocl_payload_compare(&down->payload, down->pinned.at, w->serial, residual, err);
    if (s == AM_OK && w->beside != NOTHING)
        s = am_ocl_checked(&kernel, residual, err);
    return s;
}

static void finish(void *state)
{
    struct overlapped *const w = state;

    for (int i = 0; i < WAYS; i++) {
        struct way *const way = &w->ways[i];

        am_ocl_pinned_close(&way->pinned, &w->device);
        am_ocl_release_queue(w->queues[i]);
        am_ocl_release_buffer(way->buffer);
    }
    am_ocl_release_queue(w->queues[WORK]);
    am_ocl_release_kernel(w->kernel);
    am_ocl_release_buffer(w->data);
    am_ocl_release_buffer(w->out);
    am_ocl_program_free(&w->program);
    am_ocl_device_close(&w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [DIRECTION] = {.name = "direction",
                   .kind = AM_AXIS_NAME,
                   .dflt = "all",
                   .choices = direction_names,
                   .help = "host to device, device to host, both at once"},
    [BESIDE] = {.name = "beside",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = beside_names,
                .help = "what the device does meanwhile: nothing, arithmetic, or passes over its "
                        "memory"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "1M,16M",
              .thorough = "64K:64M:*4,256M",
              .help = "bytes of a transfer"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [BANDWIDTH] = {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE,
                   "bytes that arrive, of both directions together; beside a kernel, while it "
                   "runs"},
    [HIDDEN] = {"hidden", "", AM_HIGHER, AM_RULE_OWN,
                "share of the shorter of kernel and transfers that the other hides"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_overlap = {
    .name = "ocl.overlap",
    .summary = "transfers in both directions at once, and beside a kernel",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct overlapped),
    .points_per_launch = 6,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
