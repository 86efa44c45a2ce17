/* SPDX-License-Identifier: MIT */
/* ocl.peer: bytes per second from one device to another, by copies between them and by way of the
 * host. */
#include "bench/ocl/host/pair.h"
#include "bench/ocl/host/payload.h"

#include <stdlib.h>

enum axis_index { DEVICE, TO, WAY, SIZE };

enum way { PUSH, PULL, HOST };
static const char *const way_names[] = {[PUSH] = "push", [PULL] = "pull", [HOST] = "host", NULL};

enum {
    FROM = 0, /* sides of the pair */
    TOWARDS,
    COPIES = 4, /* of the size: the buffers, which may be the host's memory, and room to check */
};

struct peer {
    struct am_ocl_pair pair;
    enum way way;
    struct am_ocl_payload payload;
    struct am_ocl_pinned pinned; /* between both, by way of the host */
    cl_mem buffers[AM_OCL_PAIR];
    uint32_t serial; /* of the latest batch */
    bool ran;
};

static enum am_status drain(const struct peer *w, size_t side, struct am_err *err)
{
    const cl_int code = clFinish(w->pair.side[side].queue);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clFinish");
}

/* A copy in the queue of the sender, or of the receiver. */
static enum am_status copy(const struct peer *w, struct am_err *err)
{
    const size_t side = w->way == PUSH ? FROM : TOWARDS;
    const cl_int code =
        clEnqueueCopyBuffer(w->pair.side[side].queue, w->buffers[FROM], w->buffers[TOWARDS], 0, 0,
                            w->payload.bytes, 0, NULL, NULL);

    return code == CL_SUCCESS ? drain(w, side, err) : am_ocl_fail(err, code, "clEnqueueCopyBuffer");
}

static enum am_status by_host(const struct peer *w, struct am_err *err)
{
    const size_t bytes = w->payload.bytes;
    enum am_status s =
        am_ocl_device_read(&w->pair.side[FROM], w->buffers[FROM], 0, bytes, w->pinned.at, err);

    if (s == AM_OK)
        s = am_ocl_device_write(&w->pair.side[TOWARDS], w->buffers[TOWARDS], 0, bytes, w->pinned.at,
                                err);
    return s == AM_OK ? drain(w, TOWARDS, err) : s;
}

/* The data at the sender, zeros at the receiver: each side touches its own buffer first. */
static enum am_status fill(struct peer *w, struct am_err *err)
{
    const struct am_ocl_device *const side = w->pair.side;
    const size_t bytes = w->payload.bytes;
    uint32_t *const words = calloc(1, bytes);
    enum am_status s = words ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for %zu bytes", bytes);

    if (s == AM_OK)
        s = am_ocl_device_write(&side[TOWARDS], w->buffers[TOWARDS], 0, bytes, words, err);
    if (s == AM_OK)
        am_ocl_payload_words(&w->payload, 0, w->payload.words, w->serial, words);
    if (s == AM_OK)
        s = am_ocl_device_write(&side[FROM], w->buffers[FROM], 0, bytes, words, err);
    free(words);
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct peer *const w = state;
    enum am_status s = am_ocl_payload_choose(&w->payload, point[SIZE].i, COPIES, ctx, err);

    w->way = (enum way)point[WAY].i;
    w->payload.step = w->payload.words; /* one stamp: the source is out of the host's reach */
    if (s == AM_OK)
        s = am_ocl_pair_open(&w->pair, ctx, point[DEVICE].name, point[TO].name, err);
    for (size_t i = 0; i < AM_OCL_PAIR && s == AM_OK; i++)
        s = am_ocl_device_buffer(&w->pair.side[i], CL_MEM_READ_WRITE, w->payload.bytes, NULL,
                                 &w->buffers[i], err);
    if (s == AM_OK && w->way == HOST)
        s = am_ocl_pinned_open(&w->pinned, &w->pair.side[FROM], w->payload.bytes, err);
    if (s == AM_OK)
        s = fill(w, err);
    work->bytes_written = (double)w->payload.bytes;
    work->ops = 1;
    return s;
}

/* Makes what is sent in this batch differ from what has arrived before. */
static enum am_status stamp(struct peer *w, struct am_err *err)
{
    uint32_t word;

    w->serial++;
    word = am_ocl_payload_word(&w->payload, 0, w->serial);
    return am_ocl_device_write(&w->pair.side[FROM], w->buffers[FROM], 0, sizeof(word), &word, err);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct peer *const w = state;
    const struct am_ocl_device *const clock = &w->pair.opened[0];
    enum am_status s = stamp(w, err);
    const uint64_t begin = am_ocl_device_now(clock);

    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = w->way == HOST ? by_host(w, err) : copy(w, err);
    batch->elapsed_ns = am_ocl_device_now(clock) - begin;
    w->ran = true;
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct peer *const w = state;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was transferred");
    return am_ocl_payload_arrived(&w->payload, &w->pair.side[TOWARDS], w->buffers[TOWARDS],
                                  w->serial, residual, err);
}

static void finish(void *state)
{
    struct peer *const w = state;

    am_ocl_pinned_close(&w->pinned, &w->pair.side[FROM]);
    for (size_t i = 0; i < AM_OCL_PAIR; i++)
        am_ocl_release_buffer(w->buffers[i]);
    am_ocl_pair_close(&w->pair);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [TO] = {.name = "to",
            .kind = AM_AXIS_NAME,
            .dflt = "usable",
            .enumerate = am_ocl_device_names,
            .why_not = am_ocl_device_why_not,
            .help = "the device that receives; the sender itself: from one half of it to the "
                    "other"},
    [WAY] = {.name = "way",
             .kind = AM_AXIS_NAME,
             .dflt = "all",
             .choices = way_names,
             .help = "a copy in the queue of the sender (push) or of the receiver (pull), or read "
                     "and written by the host"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "64K,1M,16M,256M",
              .quick = "16M",
              .help = "bytes of a transfer"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes that arrive, by the host's clock"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_peer = {
    .name = "ocl.peer",
    .summary = "transfers from one device to another",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct peer),
    .points_per_launch = 12,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
