/* SPDX-License-Identifier: MIT */
/* Passes over global memory, measured and checked. */
#include "bench/ocl/memory/global.h"

#include "base/rng.h"
#include "base/text.h"

enum {
    GROUP = 256,
    CHECKED_SLOTS = 4,       /* of AM_OCL_SLOTS at least, other ones each time */
    CHECKED_WORDS = 1 << 22, /* about as many words of a reading pass are summed again */
    CHECKED_ACCESSES = 2048, /* of a writing pass */
    SHARE = 4,               /* at most this part of the device's memory without being asked */
    OPTIONS_MAX = 96,
    /* Words of an element unless others are asked for: a cache line of a CPU, whose work-items go
     * one after another; the widest access of one work-item on GPUs. */
    CPU_WIDTH = 16,
    GPU_WIDTH = 4,
    /* Two loads of 64 bytes per cycle and core: more than any CPU has. */
    CPU_BYTES_PER_CYCLE = 128,
};

/* Small buffers are gone round until a launch moves this: long against its start. */
static const uint64_t cpu_least = UINT64_C(16) << 20, gpu_least = UINT64_C(1) << 30;

const char *const am_ocl_access_names[] = {
    [AM_OCL_READ] = "read", [AM_OCL_WRITE] = "write", [AM_OCL_COPY] = "copy", NULL};
static const char *const kernels[] = {
    [AM_OCL_READ] = "am_read", [AM_OCL_WRITE] = "am_write", [AM_OCL_COPY] = "am_copy"};

uint64_t am_ocl_global_least(const struct am_ocl_device *d)
{
    return d->is_cpu ? cpu_least : gpu_least;
}

uint64_t am_ocl_global_bytes(const struct am_ocl_device *d, int64_t size)
{
    struct am_ocl_room room = {d->is_cpu, d->cache_bytes, d->memory_bytes / SHARE};

    if (size > 0)
        return (uint64_t)size;
    if (room.most_bytes > d->buffer_bytes_max)
        room.most_bytes = d->buffer_bytes_max;
    if (d->shares_memory && room.most_bytes > d->ctx->memory_limit_bytes)
        room.most_bytes = d->ctx->memory_limit_bytes;
    return am_ocl_room_bytes(&room);
}

static enum am_status choose(struct am_ocl_global *w, const struct am_ocl_global_wish *wish,
                             struct am_err *err)
{
    const int64_t usual = w->device.is_cpu ? CPU_WIDTH : GPU_WIDTH;

    return am_ocl_pass_choose(&w->pass, wish->shape, wish->width ? wish->width : usual,
                              wish->stride, wish->each, err);
}

static enum am_status build(struct am_ocl_global *w, struct am_err *err)
{
    const struct am_ocl_pass *const p = &w->pass;
    char options[OPTIONS_MAX], width[4] = "";
    enum am_status s;

    if (p->width > 1)
        (void)am_str_format(width, sizeof(width), "%u", p->width);
    (void)am_str_format(options, sizeof(options),
                        "-DELEMENT=uint%s -DWIDTH=%u -DSHAPE=%d -DCOUNT=%u", width, p->width,
                        (int)p->shape, p->count);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "global", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, kernels[w->access], &w->kernel, err);
    return s;
}

/* Of a device with much memory, no more than narrow elements reach. */
static uint64_t bytes_of(const struct am_ocl_global *w, int64_t size)
{
    const uint64_t bytes = am_ocl_global_bytes(&w->device, size);
    const uint64_t most = am_ocl_pass_bytes_max(&w->pass);

    return size == 0 && bytes > most ? most : bytes;
}

static enum am_status fit(struct am_ocl_global *w, const struct am_ocl_global_wish *wish,
                          struct am_err *err)
{
    const uint64_t bytes = bytes_of(w, wish->size);
    size_t group = 1;
    enum am_status s =
        am_ocl_program_wanted(&w->device, w->kernel, wish->group, GROUP, &group, err);

    if (s == AM_OK)
        s = am_ocl_pass_fit(&w->pass, bytes, am_ocl_global_least(&w->device), group, err);
    if (s != AM_OK)
        return s;
    w->range = AM_OCL_RANGE1((size_t)w->pass.items, group);
    am_ctx_note(w->device.ctx, "bytes", "%llu", (unsigned long long)bytes);
    am_ctx_note(w->device.ctx, "items", "%llu in groups of %zu", (unsigned long long)w->pass.items,
                group);
    return AM_OK;
}

enum am_status am_ocl_global_fill(const struct am_ocl_device *d,
                                  const struct am_ocl_program *program, cl_mem data, size_t words,
                                  size_t group, struct am_err *err)
{
    const struct am_ocl_range range = AM_OCL_RANGE1(words, group);
    struct am_ocl_timer timer = {.device = d};
    cl_kernel kernel = NULL;
    uint64_t elapsed;
    enum am_status s = am_ocl_program_kernel(program, "am_fill", &kernel, err);

    if (s == AM_OK)
        s = am_ocl_program_args(kernel, &AM_OCL_ARG(data), 1, err);
    if (s == AM_OK)
        s = am_ocl_timing_launch(&timer, kernel, &range, 1, &elapsed, err);
    am_ocl_release_kernel(kernel);
    return s;
}

static enum am_status set_args(const struct am_ocl_global *w, struct am_err *err)
{
    const struct am_ocl_pass *const p = &w->pass;
    const struct am_ocl_arg reading[] = {
        AM_OCL_ARG(w->data), AM_OCL_ARG(w->out),   AM_OCL_ARG(p->mask), AM_OCL_ARG(p->stride),
        AM_OCL_ARG(p->turn), AM_OCL_ARG(p->shift), AM_OCL_ARG(p->pick)};
    const struct am_ocl_arg writing[] = {AM_OCL_ARG(w->data), AM_OCL_ARG(p->mask),
                                         AM_OCL_ARG(p->stride), AM_OCL_ARG(p->turn),
                                         AM_OCL_ARG(w->key)};
    const struct am_ocl_arg copying[] = {AM_OCL_ARG(w->data), AM_OCL_ARG(w->out),
                                         AM_OCL_ARG(p->mask), AM_OCL_ARG(p->stride),
                                         AM_OCL_ARG(p->turn), AM_OCL_ARG(w->key)};

    switch (w->access) {
    case AM_OCL_READ: return am_ocl_program_args(w->kernel, reading, 7, err);
    case AM_OCL_COPY: return am_ocl_program_args(w->kernel, copying, 6, err);
    case AM_OCL_WRITE: break;
    }
    return am_ocl_program_args(w->kernel, writing, 5, err);
}

static enum am_status make_buffers(struct am_ocl_global *w, struct am_err *err)
{
    const size_t words = (size_t)(w->pass.elements * w->pass.width);
    const bool copies = w->access == AM_OCL_COPY;
    const uint32_t zeros[AM_OCL_SLOTS] = {0};
    enum am_status s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, words * sizeof(uint32_t),
                                            NULL, &w->data, err);

    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                 (copies ? words : AM_OCL_SLOTS) * sizeof(uint32_t), NULL, &w->out,
                                 err);
    if (s == AM_OK) /* with noise */
        s = am_ocl_global_fill(&w->device, &w->program, w->data, words, w->pass.group, err);
    if (s == AM_OK && copies) /* its pages are touched as well */
        s = am_ocl_global_fill(&w->device, &w->program, w->out, words, w->pass.group, err);
    if (s == AM_OK && !copies)
        s = am_ocl_device_write(&w->device, w->out, 0, sizeof(zeros), zeros, err);
    return s == AM_OK ? set_args(w, err) : s;
}

enum am_status am_ocl_global_prepare(struct am_ocl_global *w, const struct am_ctx *ctx,
                                     const struct am_ocl_global_wish *wish, struct am_work *work,
                                     struct am_err *err)
{
    enum am_status s = am_ocl_device_open(&w->device, ctx, wish->device, err);

    am_ocl_timing_open(&w->timer, &w->device);
    w->access = wish->access;
    w->key = (uint32_t)ctx->seed;
    if (s == AM_OK)
        s = choose(w, wish, err);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK)
        s = fit(w, wish, err);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s != AM_OK)
        return s;
    work->bytes_read = w->access == AM_OCL_WRITE ? 0 : am_ocl_pass_bytes(&w->pass);
    work->bytes_written = w->access == AM_OCL_READ ? 0 : am_ocl_pass_bytes(&w->pass);
    work->ops = (double)w->pass.items * w->pass.count;
    if (w->device.is_cpu)
        work->bytes_per_cycle_max = CPU_BYTES_PER_CYCLE * (double)w->device.compute_units;
    return AM_OK;
}

enum am_status am_ocl_global_run(void *state, uint64_t iters, struct am_batch *batch,
                                 struct am_err *err)
{
    struct am_ocl_global *const w = state;
    const uint64_t before = w->timer.extra;
    enum am_status s = AM_OK;

    if (w->access != AM_OCL_READ) {
        w->key++; /* each batch writes what was not there before */
        s = set_args(w, err);
    }
    if (s == AM_OK)
        s = am_ocl_timing_launch(&w->timer, w->kernel, &w->range, iters, &batch->elapsed_ns, err);
    w->launches += iters + (w->timer.extra - before);
    return s;
}

/* Slots that are computed again: all of a small pass, a few of a large one. */
static uint32_t slots_checked(const struct am_ocl_pass *p, uint32_t used)
{
    const uint64_t words = ((uint64_t)p->count * p->width) << p->shift; /* of a slot */
    const uint64_t n = CHECKED_WORDS / words;

    return n < CHECKED_SLOTS ? CHECKED_SLOTS : n < used ? (uint32_t)n : used;
}

static enum am_status verify_read(const struct am_ocl_global *w, double *residual,
                                  struct am_err *err)
{
    const uint32_t used = (uint32_t)((w->pass.items - 1) >> w->pass.shift) + 1;
    const uint32_t checked = slots_checked(&w->pass, used);
    uint32_t got[AM_OCL_SLOTS], first;
    struct am_rng rng;
    enum am_status s = am_ocl_device_read(&w->device, w->out, 0, sizeof(got), got, err);

    am_rng_seed(&rng, w->device.ctx->seed, w->launches);
    first = (uint32_t)am_rng_below(&rng, used);
    for (uint32_t i = 0; i < checked && s == AM_OK; i++) {
        const uint32_t slot = (first + i * (used / checked ? used / checked : 1)) % used;
        const uint32_t want = am_ocl_pass_slot(&w->pass, slot) * (uint32_t)w->launches;

        if (got[slot] != want) {
            *residual = 1;
            s = am_fail(err, AM_E_WRONG, "wrong: sum %u is %u after %llu launches, not %u", slot,
                        got[slot], (unsigned long long)w->launches, want);
        }
    }
    return s;
}

static enum am_status check_access(const struct am_ocl_global *w, uint32_t item, uint32_t j,
                                   struct am_err *err)
{
    const uint32_t place = am_ocl_pass_place(&w->pass, item, j);
    const bool copies = w->access == AM_OCL_COPY;
    const size_t bytes = w->pass.width * sizeof(uint32_t);
    uint32_t got[16] = {0};
    enum am_status s =
        am_ocl_device_read(&w->device, copies ? w->out : w->data, place * bytes, bytes, got, err);

    for (uint32_t i = 0; i < w->pass.width && s == AM_OK; i++) {
        const uint32_t want = copies ? am_ocl_pass_noise(place * w->pass.width + i) ^ w->key
                                     : am_ocl_pass_written(place, w->key);

        if (got[i] != want)
            s = am_fail(err, AM_E_WRONG,
                        "wrong: work-item %u, access %u: word %u of element %u is %u, not %u", item,
                        j, i, place, got[i], want);
    }
    return s;
}

enum am_status am_ocl_global_verify(void *state, double *residual, struct am_err *err)
{
    const struct am_ocl_global *const w = state;
    struct am_rng rng;
    enum am_status s = AM_OK;

    *residual = 0;
    if (!w->launches)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    if (w->access == AM_OCL_READ)
        return verify_read(w, residual, err);
    am_rng_seed(&rng, w->device.ctx->seed, w->launches);
    for (int i = 0; i < CHECKED_ACCESSES && s == AM_OK; i++) {
        const uint32_t item = (uint32_t)am_rng_below(&rng, w->pass.items);

        s = check_access(w, item, (uint32_t)am_rng_below(&rng, w->pass.count), err);
    }
    *residual = s == AM_E_WRONG;
    return s;
}

void am_ocl_global_finish(void *state)
{
    struct am_ocl_global *const w = state;
    const cl_mem buffers[] = {w->data, w->out};

    am_ocl_program_close(&w->program, w->kernel, buffers, 2, &w->device);
}
