/* SPDX-License-Identifier: MIT */
/* ocl.constant: bytes per second out of constant memory, each read saying where the next one is. */
#include "bench/ocl/host/checked.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <stdlib.h>

enum axis_index { DEVICE, STRIDE, INDEX, SIZE, ITEMS, GROUP };

enum index { UNIFORM, DIVERGENT };
static const char *const index_names[] = {[UNIFORM] = "uniform", [DIVERGENT] = "divergent", NULL};

enum {
    ELEMENTS_MAX = 1 << 30,
    READS = 16, /* of a turn, as in the kernel */
    CHECKED = 64,
    USUAL_GROUP = 256,
    GPU_ITEMS_A_UNIT = 2048, /* what a compute unit of a large GPU holds */
    CPU_ITEMS_A_UNIT = 1024,
    /* Two loads of 64 bytes per cycle and core: more than any CPU has. */
    CPU_BYTES_PER_CYCLE = 128,
};

struct constant {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    cl_kernel kernel;
    cl_mem table, out;
    enum index index;
    uint32_t elements, stride; /* elements: a power of two */
    size_t items;
    uint64_t batches; /* so far */
};

static enum am_status choose(struct constant *w, const struct am_value *point, struct am_err *err)
{
    const int64_t elements = point[SIZE].i / (int64_t)sizeof(cl_uint), stride = point[STRIDE].i;

    if (elements < 1 || elements > ELEMENTS_MAX || (elements & (elements - 1)))
        return am_fail(err, AM_E_ABSENT, "size: a power of two from 4 bytes to 4 GiB, not %lld",
                       (long long)point[SIZE].i);
    if (stride < 0 || stride >= elements)
        return am_fail(err, AM_E_ABSENT, "stride %lld in %lld elements", (long long)stride,
                       (long long)elements);
    w->elements = (uint32_t)elements;
    w->stride = (uint32_t)stride;
    w->index = (enum index)point[INDEX].i;
    return AM_OK;
}

static enum am_status open_device(struct constant *w, const struct am_ctx *ctx, const char *name,
                                  struct am_err *err)
{
    const size_t bytes = w->elements * sizeof(cl_uint);
    const enum am_status s = am_ocl_device_open(&w->device, ctx, name, err);

    if (s == AM_OK && bytes > w->device.constant_bytes)
        return am_fail(err, AM_E_ABSENT, "%zu bytes: the device takes %llu as constant memory",
                       bytes, (unsigned long long)w->device.constant_bytes);
    am_ocl_timing_open(&w->timer, &w->device);
    return s;
}

static enum am_status build(struct constant *w, const struct am_value *point, struct am_err *err)
{
    const struct am_ocl_items wish = {
        .items = point[ITEMS].i,
        .group = point[GROUP].i,
        .usual_items = w->device.compute_units *
                       (size_t)(w->device.is_cpu ? CPU_ITEMS_A_UNIT : GPU_ITEMS_A_UNIT),
        .usual_group = USUAL_GROUP,
    };
    const char *const options = w->index == UNIFORM ? "-DUNIFORM=1" : "-DUNIFORM=0";
    size_t group = 1;
    enum am_status s;

    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "constant", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, "am_constant", &w->kernel, err);
    if (s == AM_OK)
        s = am_ocl_program_items(&w->device, w->kernel, &wish, &w->items, &group, err);
    w->loop = (struct am_ocl_loop){
        .kernel = w->kernel, .arg = 1, .range = AM_OCL_RANGE1(w->items, group)};
    return s;
}

static enum am_status fill(struct constant *w, struct am_err *err)
{
    const size_t bytes = w->elements * sizeof(cl_uint);
    cl_uint *const table = malloc(bytes);
    enum am_status s;

    if (!table)
        return am_fail(err, AM_E_NOMEM, "%zu bytes of constants", bytes);
    for (uint32_t i = 0; i < w->elements; i++)
        table[i] = (i + w->stride) % w->elements;
    s = am_ocl_device_buffer(&w->device, CL_MEM_READ_ONLY, bytes, NULL, &w->table, err);
    if (s == AM_OK)
        s = am_ocl_device_write(&w->device, w->table, 0, bytes, table, err);
    free(table);
    return s;
}

static enum am_status set_arguments(const struct constant *w, struct am_err *err)
{
    const cl_uint turns = 0, mask = w->elements - 1;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(turns), AM_OCL_ARG(w->table),
                                      AM_OCL_ARG(mask)};

    return am_ocl_program_args(w->kernel, args, sizeof(args) / sizeof(*args), err);
}

/* Drivers compile at the first launch: not in the sampler's time. */
static enum am_status warm(struct constant *w, struct am_err *err)
{
    double ignored;

    return am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct constant *const w = state;
    enum am_status s = choose(w, point, err);

    if (s == AM_OK)
        s = open_device(w, ctx, point[DEVICE].name, err);
    if (s == AM_OK)
        s = build(w, point, err);
    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, w->items * sizeof(cl_uint), NULL,
                                 &w->out, err);
    if (s == AM_OK)
        s = fill(w, err);
    if (s == AM_OK)
        s = set_arguments(w, err);
    if (s == AM_OK)
        s = warm(w, err);
    if (s != AM_OK)
        return s;
    work->ops = (double)w->items * READS;
    work->bytes_read = work->ops * sizeof(cl_uint);
    if (w->device.is_cpu)
        work->bytes_per_cycle_max = CPU_BYTES_PER_CYCLE * (double)w->device.compute_units;
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct constant *const w = state;

    w->batches++;
    return am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
}

/* Where a work-item must be after the latest launch. */
static uint32_t expected(const void *state, size_t item)
{
    const struct constant *const w = state;
    const size_t start = w->index == UNIFORM ? item / w->loop.range.local[0] : item;
    const uint64_t reads = (uint64_t)w->loop.last * READS;

    return (uint32_t)((start + reads * w->stride) % w->elements);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct constant *const w = state;
    const struct am_ocl_checking all = {&w->device, w->out,   w->items, CHECKED,
                                        w->batches, expected, w};

    return am_ocl_checked(&all, residual, err);
}

static void finish(void *state)
{
    struct constant *const w = state;
    const cl_mem buffers[] = {w->table, w->out};

    am_ocl_program_close(&w->program, w->kernel, buffers, 2, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_INT,
                .dflt = "1:128:*2",
                .quick = "1,32",
                .thorough = "1:128",
                .help = "elements from one read of a work-item to its next (Formula 2)"},
    [INDEX] = {.name = "index",
               .kind = AM_AXIS_NAME,
               .dflt = "all",
               .choices = index_names,
               .help = "uniform: a work-group reads one element; divergent: neighbours read "
                       "neighbouring ones"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "16K",
              .thorough = "1K,4K,16K,64K",
              .help = "bytes of the array"},
    [ITEMS] = AM_OCL_ITEMS_AXIS,
    [GROUP] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes that all work-items read"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_constant = {
    .name = "ocl.constant",
    .summary = "constant memory by a chase: uniform and divergent, by stride",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct constant),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
