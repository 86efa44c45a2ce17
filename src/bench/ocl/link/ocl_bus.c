/* SPDX-License-Identifier: MIT */
/* ocl.bus: bytes per second between host and device, and inside the device, by blocking transfers.
 */
#include "bench/ocl/host/payload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { DEVICE, DIRECTION, METHOD, MEMORY, SIZE };
enum metric_index { BANDWIDTH, MAP_TIME };

enum direction { H2D, D2H, D2D };
enum method { READ_WRITE, MAP };
enum memory { PAGEABLE, PINNED };
static const char *const direction_names[] = {[H2D] = "h2d", [D2H] = "d2h", [D2D] = "d2d", NULL};
static const char *const method_names[] = {[READ_WRITE] = "read_write", [MAP] = "map", NULL};
static const char *const memory_names[] = {[PAGEABLE] = "pageable", [PINNED] = "pinned", NULL};

enum {
    TRIALS = 5, /* the best tells whether a map copies */
    /* A map that takes less than this part of a copy longer than that of a page has moved nothing.
     * Buses are up to ten times as fast as a copy by one thread. */
    ZERO_COPY_SHARED = 4,
    ZERO_COPY_APART = 32,
    HOST_SHARES = 2, /* of the size: the data, and room to check it */
    BOTH_SHARES = 4, /* where the device's buffers are the host's memory too */
};

struct bus {
    struct am_ocl_device device;
    enum direction direction;
    enum method method;
    enum memory memory;
    struct am_ocl_payload payload;
    uint32_t serial;             /* of the latest batch */
    uint32_t *host;              /* the application's side */
    uint32_t *owned;             /* the same, when it is ours to free */
    struct am_ocl_pinned pinned; /* the same, when it is the driver's */
    cl_mem from, to;             /* the device's side; one of them but for d2d */
    bool ran;
};

/* One transfer; `map_ns` grows by what mapping and unmapping take. */
typedef enum am_status transfer_fn(struct bus *w, uint64_t *map_ns, struct am_err *err);

static uint64_t now(const struct bus *w)
{
    return am_ocl_device_now(&w->device);
}

static enum am_status drain(struct bus *w, struct am_err *err)
{
    const cl_int code = clFinish(w->device.queue);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clFinish");
}

/* A blocking write may return when the host's memory can be used again: the data have arrived when
 * the queue is empty. */
static enum am_status write_buffer(struct bus *w, uint64_t *map_ns, struct am_err *err)
{
    const enum am_status s =
        am_ocl_device_write(&w->device, w->to, 0, w->payload.bytes, w->host, err);

    (void)map_ns;
    return s == AM_OK ? drain(w, err) : s;
}

static enum am_status read_buffer(struct bus *w, uint64_t *map_ns, struct am_err *err)
{
    (void)map_ns;
    return am_ocl_device_read(&w->device, w->from, 0, w->payload.bytes, w->host, err);
}

static enum am_status copy_buffer(struct bus *w, uint64_t *map_ns, struct am_err *err)
{
    const cl_int code =
        clEnqueueCopyBuffer(w->device.queue, w->from, w->to, 0, 0, w->payload.bytes, 0, NULL, NULL);

    (void)map_ns;
    return code == CL_SUCCESS ? drain(w, err) : am_ocl_fail(err, code, "clEnqueueCopyBuffer");
}

static enum am_status map(struct bus *w, cl_mem buffer, cl_map_flags flags, size_t bytes,
                          void **out, struct am_err *err)
{
    cl_int code = CL_SUCCESS;

    *out =
        clEnqueueMapBuffer(w->device.queue, buffer, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, &code);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueMapBuffer");
}

static enum am_status unmap(struct bus *w, cl_mem buffer, void *at, struct am_err *err)
{
    const cl_int code = clEnqueueUnmapMemObject(w->device.queue, buffer, at, 0, NULL, NULL);

    return code == CL_SUCCESS ? drain(w, err) : am_ocl_fail(err, code, "clEnqueueUnmapMemObject");
}

/* The first `bytes` of the application's data are copied into the mapped buffer, or out of it. */
static enum am_status map_part(struct bus *w, size_t bytes, uint64_t *map_ns, struct am_err *err)
{
    const bool in = w->direction == H2D;
    const cl_mem buffer = in ? w->to : w->from;
    const cl_map_flags flags = in ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ;
    uint64_t begin = now(w);
    void *at = NULL;
    enum am_status s = map(w, buffer, flags, bytes, &at, err);

    if (s != AM_OK)
        return s;
    *map_ns += now(w) - begin;
    if (in)
        memcpy(at, w->host, bytes);
    else
        memcpy(w->host, at, bytes);
    begin = now(w);
    s = unmap(w, buffer, at, err);
    *map_ns += now(w) - begin;
    return s;
}

static enum am_status by_map(struct bus *w, uint64_t *map_ns, struct am_err *err)
{
    return map_part(w, w->payload.bytes, map_ns, err);
}

static transfer_fn *const transfers[][2] = {
    [H2D] = {[READ_WRITE] = write_buffer, [MAP] = by_map},
    [D2H] = {[READ_WRITE] = read_buffer, [MAP] = by_map},
    [D2D] = {[READ_WRITE] = copy_buffer},
};

static enum am_status choose(struct bus *w, const struct am_ctx *ctx, const struct am_value *point,
                             struct am_err *err)
{
    enum am_status s;

    w->direction = (enum direction)point[DIRECTION].i;
    w->method = (enum method)point[METHOD].i;
    w->memory = (enum memory)point[MEMORY].i;
    if (w->direction == D2D && (w->method == MAP || w->memory == PINNED))
        return am_fail(err, AM_E_ABSENT, "d2d: no memory of the host takes part");
    s = am_ocl_payload_choose(&w->payload, point[SIZE].i, HOST_SHARES, ctx, err);
    if (w->direction == D2D) /* one stamp: the source is out of the host's reach */
        w->payload.step = w->payload.words;
    return s;
}

static enum am_status make_host(struct bus *w, struct am_err *err)
{
    const size_t bytes = w->payload.bytes;
    enum am_status s;

    if (w->memory == PAGEABLE || w->method == MAP) { /* there the buffer itself is pinned */
        w->host = w->owned = aligned_alloc(AM_OCL_PAGE_BYTES, bytes);
        return w->owned ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for %zu bytes", bytes);
    }
    s = am_ocl_pinned_open(&w->pinned, &w->device, bytes, err);
    w->host = w->pinned.at;
    return s;
}

static enum am_status make_buffers(struct bus *w, struct am_err *err)
{
    const bool pinned = w->method == MAP && w->memory == PINNED;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (pinned ? CL_MEM_ALLOC_HOST_PTR : 0);
    enum am_status s = AM_OK;

    if (w->direction != H2D)
        s = am_ocl_device_buffer(&w->device, flags, w->payload.bytes, NULL, &w->from, err);
    if (s == AM_OK && w->direction != D2H)
        s = am_ocl_device_buffer(&w->device, flags, w->payload.bytes, NULL, &w->to, err);
    return s;
}

static uint32_t word_at(const struct bus *w, size_t i)
{
    return am_ocl_payload_word(&w->payload, i, w->serial);
}

/* Zeros at the destination, whose pages are thereby touched; the data at the source. */
static enum am_status fill(struct bus *w, struct am_err *err)
{
    enum am_status s = AM_OK;

    memset(w->host, 0, w->payload.bytes);
    if (w->to)
        s = am_ocl_device_write(&w->device, w->to, 0, w->payload.bytes, w->host, err);
    am_ocl_payload_words(&w->payload, 0, w->payload.words, w->serial, w->host);
    if (s == AM_OK && w->from)
        s = am_ocl_device_write(&w->device, w->from, 0, w->payload.bytes, w->host, err);
    if (w->direction == D2H)
        memset(w->host, 0, w->payload.bytes);
    return s;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The best times of mapping and unmapping `bytes`, and of copying them between the two. */
static enum am_status try_map(struct bus *w, size_t bytes, uint64_t *map_ns, uint64_t *copy_ns,
                              struct am_err *err)
{
    enum am_status s = AM_OK;

    *map_ns = *copy_ns = UINT64_MAX;
    for (int i = 0; i < TRIALS && s == AM_OK; i++) {
        uint64_t mapping = 0;
        const uint64_t begin = now(w);

        s = map_part(w, bytes, &mapping, err);
        *copy_ns = least(*copy_ns, now(w) - begin - mapping);
        *map_ns = least(*map_ns, mapping);
    }
    return s;
}

/* Whether mapping moves the data, or only shows where they are. */
static enum am_status look_at_map(struct bus *w, struct am_err *err)
{
    const uint64_t part = w->device.shares_memory ? ZERO_COPY_SHARED : ZERO_COPY_APART;
    uint64_t page_ns, map_ns = 0, copy_ns;
    enum am_status s = try_map(w, AM_OCL_PAGE_BYTES, &page_ns, &copy_ns, err);

    if (s == AM_OK)
        s = try_map(w, w->payload.bytes, &map_ns, &copy_ns, err);
    if (s == AM_OK)
        am_ctx_note(w->device.ctx, "zero_copy",
                    "%s: map and unmap %.1f us, of a page %.1f us; copying %.1f us",
                    map_ns < page_ns + copy_ns / part ? "yes" : "no", (double)map_ns * 1e-3,
                    (double)page_ns * 1e-3, (double)copy_ns * 1e-3);
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct bus *const w = state;
    enum am_status s = choose(w, ctx, point, err);

    if (s == AM_OK)
        s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    if (s == AM_OK && w->device.shares_memory &&
        w->payload.bytes > ctx->memory_limit_bytes / BOTH_SHARES)
        s = am_fail(err, AM_E_ABSENT, "size %zu: %d times that is more than the limit of %llu",
                    w->payload.bytes, BOTH_SHARES, (unsigned long long)ctx->memory_limit_bytes);
    if (s == AM_OK)
        s = make_host(w, err);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s == AM_OK)
        s = fill(w, err);
    if (s == AM_OK && w->method == MAP)
        s = look_at_map(w, err);
    /* The device reads and writes what is copied inside it; of other transfers the host's side is
     * no traffic of the device. */
    work->bytes_read = w->direction == D2D ? (double)w->payload.bytes : 0;
    work->bytes_written = (double)w->payload.bytes;
    work->ops = 1;
    return s;
}

/* Makes the next batch's data differ from what is at the other end: a word per page of the source,
 * or of the destination when the source is out of reach. */
static enum am_status stamp(struct bus *w, struct am_err *err)
{
    if (w->direction != D2H)
        w->serial++;
    for (size_t i = 0; i < w->payload.words; i += w->payload.step)
        w->host[i] = w->direction == D2H ? ~word_at(w, i) : word_at(w, i);
    if (w->direction == D2D)
        return am_ocl_device_write(&w->device, w->from, 0, sizeof(uint32_t), w->host, err);
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct bus *const w = state;
    transfer_fn *const transfer = transfers[w->direction][w->method];
    uint64_t map_ns = 0, begin;
    enum am_status s = stamp(w, err);

    begin = now(w);
    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = transfer(w, &map_ns, err);
    batch->elapsed_ns = now(w) - begin;
    batch->values[MAP_TIME] = w->method == MAP ? (double)map_ns * 1e-9 / (double)iters : NAN;
    w->ran = true;
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct bus *const w = state;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was transferred");
    if (w->direction == D2H)
        return am_ocl_payload_compare(&w->payload, w->host, w->serial, residual, err);
    return am_ocl_payload_arrived(&w->payload, &w->device, w->to, w->serial, residual, err);
}

static void finish(void *state)
{
    struct bus *const w = state;

    am_ocl_pinned_close(&w->pinned, &w->device);
    am_ocl_release_buffer(w->from);
    am_ocl_release_buffer(w->to);
    am_ocl_device_close(&w->device);
    free(w->owned);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [DIRECTION] = {.name = "direction",
                   .kind = AM_AXIS_NAME,
                   .dflt = "all",
                   .choices = direction_names,
                   .help = "host to device, device to host, inside the device"},
    [METHOD] = {.name = "method",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .quick = "read_write",
                .choices = method_names,
                .help = "read_write: read, write and copy commands; map: the buffer is mapped, "
                        "copied and unmapped"},
    [MEMORY] = {.name = "memory",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = memory_names,
                .help = "pinned: memory that the driver allocated for transfers; with map, the "
                        "buffer is"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "4M:64M:+4M",
              .quick = "16M",
              .thorough = "4K:2M:*4,4M:64M:+4M,128M:1G:*2",
              .help = "bytes of a transfer"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [BANDWIDTH] = {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE,
                   "bytes that arrive, by the host's clock; d2d: bytes read and bytes written"},
    [MAP_TIME] = {"map_time", "s", AM_LOWER, AM_RULE_OWN,
                  "part of a transfer that is mapping and unmapping; method map only"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_bus = {
    .name = "ocl.bus",
    .summary = "transfers between host and device, and inside the device",
    .version = 2, /* the arrival of writes is timed; d2d counts both ways */
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct bus),
    .points_per_launch = 16,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
