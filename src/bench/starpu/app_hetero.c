/* SPDX-License-Identifier: MIT */
/* app.hetero: option prices by CPUs and an OpenCL device together. Each block is a task of StarPU
 * with an implementation for either; StarPU moves the data and decides. */
#include "app/blackscholes/blackscholes.h"
#include "bench/shared/usable.h"
#include "bench/starpu/engine.h"
#include "bench/starpu/hetero.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <starpu.h>
#include <starpu_opencl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum axis { POLICY, DEVICES, ISA, TYPE, N, TASK_SIZE, THREADS };
enum device { CPU, OPENCL, BOTH };
enum { BLOCKS_MAX = 65536, INPUTS = 5 };

/* StarPU's names for the arrays of one block. */
struct block {
    starpu_data_handle_t arrays[AM_BS_ARRAYS];
};

struct hetero {
    const struct am_clock *clock;
    struct am_bs *bs;
    am_bs_fn *fn;
    bool started, has_program;
    struct starpu_opencl_program program;
    struct starpu_codelet codelet;
    struct starpu_perfmodel model;
    struct block *blocks;
    size_t n_blocks, registered;
    _Atomic uint64_t on_cpu, on_opencl; /* options */
};

static void price_cpu(void *buffers[], void *arg)
{
    struct hetero *const h = arg;
    const struct am_bs_args args = {
        .spot = (const void *)STARPU_VECTOR_GET_PTR(buffers[0]),
        .strike = (const void *)STARPU_VECTOR_GET_PTR(buffers[1]),
        .rate = (const void *)STARPU_VECTOR_GET_PTR(buffers[2]),
        .volatility = (const void *)STARPU_VECTOR_GET_PTR(buffers[3]),
        .time = (const void *)STARPU_VECTOR_GET_PTR(buffers[4]),
        .call = (void *)STARPU_VECTOR_GET_PTR(buffers[5]),
        .put = (void *)STARPU_VECTOR_GET_PTR(buffers[6]),
        .n = STARPU_VECTOR_GET_NX(buffers[0]),
    };

    h->fn(&args);
    h->on_cpu += args.n;
}

/* What fails here leaves prices that verify() finds wrong. */
static void price_opencl(void *buffers[], void *arg)
{
    struct hetero *const h = arg;
    const size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
    cl_kernel kernel;
    cl_command_queue queue;
    cl_int failed = starpu_opencl_load_kernel(&kernel, &queue, &h->program, "price",
                                              starpu_worker_get_devid(starpu_worker_get_id()));

    if (failed != CL_SUCCESS)
        return;
    for (cl_uint k = 0; k < AM_BS_ARRAYS && failed == CL_SUCCESS; k++) {
        const cl_mem memory = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[k]);

        failed = clSetKernelArg(kernel, k, sizeof(memory), &memory);
    }
    if (failed == CL_SUCCESS)
        failed = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    if (failed == CL_SUCCESS)
        failed = clFinish(queue);
    (void)starpu_opencl_release_kernel(kernel);
    if (failed == CL_SUCCESS)
        h->on_opencl += n;
}

static void describe(struct hetero *h, enum device device)
{
    h->model = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = "archmeter_bs"};
    starpu_codelet_init(&h->codelet);
    if (device != OPENCL)
        h->codelet.cpu_funcs[0] = price_cpu;
    if (device != CPU)
        h->codelet.opencl_funcs[0] = price_opencl;
    h->codelet.nbuffers = AM_BS_ARRAYS;
    for (size_t k = 0; k < AM_BS_ARRAYS; k++)
        h->codelet.modes[k] = k < INPUTS ? STARPU_R : STARPU_W;
    h->codelet.model = &h->model;
}

static enum am_status make_options(struct hetero *h, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_err *err)
{
    const int64_t n = point[N].i, block = point[TASK_SIZE].i;
    const enum am_bs_type type = (enum am_bs_type)point[TYPE].i;
    struct am_bs_setup setup = {.type = type, .cdf = AM_BS_ERF, .seed = ctx->seed};
    enum am_status s = am_usable_isa(point[ISA].name, err);

    if (s != AM_OK)
        return s;
    if (n < 1 || block < 1 || (n - 1) / block >= BLOCKS_MAX)
        return am_fail(err, AM_E_ABSENT, "%lld options in blocks of %lld", (long long)n,
                       (long long)block);
    if (am_bs_bytes(type, (size_t)n) > (double)ctx->memory_limit_bytes / 2) /* and the device's */
        return am_fail(err, AM_E_ABSENT, "%lld options do not fit into memory twice", (long long)n);
    setup.fn = h->fn = am_bs_find(point[ISA].name)->fn[type][AM_BS_ERF];
    setup.n = (size_t)n;
    setup.block = (size_t)block;
    s = am_bs_new(&setup, &h->bs, err);
    if (s == AM_OK) {
        const struct am_blocks filling = am_bs_filling(h->bs);

        for (size_t i = 0; i < filling.count; i++)
            filling.run(filling.app, i);
        h->n_blocks = filling.count;
    }
    return s;
}

static enum am_status load_program(struct hetero *h, enum am_bs_type type, struct am_err *err)
{
    const char *const how = type == AM_BS_F32 ? "-DREAL=float" : "-DREAL=double -DWITH_FP64";

    if (starpu_opencl_load_opencl_from_string(am_hetero_source, &h->program, how) != CL_SUCCESS)
        return am_fail(err, AM_E_ABSENT, "the OpenCL device does not build hetero.cl with %s", how);
    h->has_program = true;
    return AM_OK;
}

static enum am_status register_blocks(struct hetero *h, const struct am_value *point,
                                      struct am_err *err)
{
    const struct am_blocks pricing = am_bs_pricing(h->bs);
    const size_t bytes = am_bs_element((enum am_bs_type)point[TYPE].i);

    h->blocks = calloc(h->n_blocks, sizeof(*h->blocks));
    if (!h->blocks)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu blocks", h->n_blocks);
    for (size_t i = 0; i < pricing.count; i++) {
        const struct am_bs_args a = am_bs_part(h->bs, i);
        const void *const arrays[AM_BS_ARRAYS] = {a.spot, a.strike, a.rate, a.volatility,
                                                  a.time, a.call,   a.put};

        for (size_t k = 0; k < AM_BS_ARRAYS; k++)
            starpu_vector_data_register(&h->blocks[i].arrays[k], STARPU_MAIN_RAM,
                                        (uintptr_t)arrays[k] + a.begin * bytes, (uint32_t)a.n,
                                        bytes);
        h->registered = i + 1;
    }
    return AM_OK;
}

static void state_work(const struct am_value *point, struct am_work *work)
{
    const double n = (double)point[N].i;
    const double bytes = (double)am_bs_element((enum am_bs_type)point[TYPE].i);

    work->ops = n;
    work->flops = AM_BS_FLOPS * n;
    work->bytes_read = INPUTS * n * bytes;
    work->bytes_written = (AM_BS_ARRAYS - INPUTS) * n * bytes;
}

static void note_device(const struct am_ctx *ctx)
{
    char name[128] = "";
    int id;

    if (starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, &id, 1) < 1)
        return;
    starpu_worker_get_name(id, name, sizeof(name));
    am_ctx_note(ctx, "device", "%s", name);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct hetero *const h = state;
    const enum device device = (enum device)point[DEVICES].i;
    const int64_t threads = point[THREADS].i;
    const struct am_starpu_setup setup = {.policy = point[POLICY].name,
                                          .threads = device == OPENCL ? 0 : (size_t)threads,
                                          .cpus = ctx->cpus,
                                          .cpu_count = ctx->cpu_count,
                                          .opencl = device != CPU};
    enum am_status s = am_usable_threads(threads, ctx, err);

    if (s != AM_OK)
        return s;
    h->clock = ctx->clock;
    s = make_options(h, ctx, point, err);
    if (s == AM_OK)
        s = am_starpu_start(&setup, err);
    if (s != AM_OK)
        return s;
    h->started = true;
    note_device(ctx);
    describe(h, device);
    if (device != CPU)
        s = load_program(h, (enum am_bs_type)point[TYPE].i, err);
    if (s == AM_OK)
        s = register_blocks(h, point, err);
    state_work(point, work);
    return s;
}

static enum am_status submit(struct hetero *h, const struct block *block, struct am_err *err)
{
    struct starpu_task *const task = starpu_task_create();
    int failed;

    task->cl = &h->codelet;
    task->cl_arg = h;
    for (size_t k = 0; k < AM_BS_ARRAYS; k++)
        task->handles[k] = block->arrays[k];
    failed = starpu_task_submit(task);
    if (failed)
        return am_fail(err, AM_E_LIMIT, "StarPU refuses a task: %s", strerror(-failed));
    return AM_OK;
}

/* All prices back in the program's own memory. */
static void fetch(const struct hetero *h)
{
    for (size_t i = 0; i < h->n_blocks; i++) {
        for (size_t k = INPUTS; k < AM_BS_ARRAYS; k++) {
            (void)starpu_data_acquire(h->blocks[i].arrays[k], STARPU_R);
            starpu_data_release(h->blocks[i].arrays[k]);
        }
    }
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct hetero *const h = state;
    enum am_status s = AM_OK;
    uint64_t begin;

    h->on_cpu = h->on_opencl = 0;
    am_starpu_wake();
    begin = h->clock->now_ns(h->clock->self);
    for (; iters && s == AM_OK; iters--) {
        for (size_t i = 0; i < h->n_blocks && s == AM_OK; i++)
            s = submit(h, &h->blocks[i], err);
        (void)starpu_task_wait_for_all();
        fetch(h);
    }
    batch->elapsed_ns = h->clock->now_ns(h->clock->self) - begin;
    am_starpu_sleep();
    batch->values[3] = (double)h->on_opencl / (double)(h->on_opencl + h->on_cpu);
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct hetero *const h = state;
    const enum am_status s = am_bs_check(h->bs, residual, err);

    if (s == AM_OK)
        am_bs_spoil(h->bs);
    return s;
}

static void finish(void *state)
{
    struct hetero *const h = state;

    if (h->started) {
        am_starpu_wake();
        for (size_t i = 0; i < h->registered; i++) {
            for (size_t k = 0; k < AM_BS_ARRAYS; k++)
                starpu_data_unregister(h->blocks[i].arrays[k]);
        }
        if (h->has_program)
            (void)starpu_opencl_unload_opencl(&h->program);
        am_starpu_sleep();
        am_starpu_stop();
    }
    free(h->blocks);
    am_bs_free(h->bs);
}

static const char *const devices[] = {"cpu", "opencl", "both", NULL};

static const struct am_axis axes[] = {
    [POLICY] = {.name = "policy",
                .kind = AM_AXIS_NAME,
                .dflt = "eager,dmda",
                .quick = "dmda",
                .choices = am_starpu_policies,
                .why_not = am_starpu_policy_why_not,
                .help = "of StarPU: eager gives a task to whoever asks, dmda to who ends it first"},
    [DEVICES] = {.name = "devices",
                 .kind = AM_AXIS_NAME,
                 .dflt = "all",
                 .choices = devices,
                 .help = "who may price a block: CPUs, the first OpenCL device, or both"},
    [ISA] = {.name = "isa",
             .kind = AM_AXIS_NAME,
             .dflt = "widest",
             .choices = am_isa_names,
             .ranked = true,
             .why_not = am_isa_why_not,
             .help = "instruction set of the CPUs' loops"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "f32",
              .thorough = "all",
              .choices = am_bs_types,
              .help = "element type"},
    [N] = {.name = "n", .kind = AM_AXIS_INT, .dflt = "1M", .quick = "256K", .help = "options"},
    [TASK_SIZE] = {.name = "task_size",
                   .kind = AM_AXIS_INT,
                   .dflt = "16K,64K",
                   .quick = "32K",
                   .help = "options of a block"},
    [THREADS] = {.name = "threads",
                 .kind = AM_AXIS_INT,
                 .dflt = "cpus",
                 .help = "workers of StarPU on CPUs, one per CPU"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "153 operations per option"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER,
     "for all options once, prices back in the program's memory"},
    {"options_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "options, both prices of each"},
    {"opencl_share", "", AM_HIGHER, AM_RULE_OWN, "of the options, by the OpenCL device"},
    {.name = NULL},
};

const struct am_bench am_bench_app_hetero = {
    .name = "app.hetero",
    .summary = "option prices by CPUs and an OpenCL device together, under StarPU",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct hetero),
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
