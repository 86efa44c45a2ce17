/* SPDX-License-Identifier: MIT */
/* ocl.dot: the matrix units of a device: products of small matrices that stay in registers. */
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/units/dot.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum axis_index { DEVICE, TYPE, WAY, LOAD };

enum load { BURST, STEADY };
static const char *const load_names[] = {[BURST] = "burst", [STEADY] = "steady", NULL};

enum {
    WARPS = 8,      /* per compute unit; more gain nothing with four products each */
    WARP_GROUP = 4, /* of them in a work-group */
    CHECKED = 16,   /* groups of work-items whose every accumulator is compared */
    TURNS_ARG = 3,
    TEXT_MAX = 256 * 1024,
    REST = 4, /* times as long as the batch before it, a burst is rested for, but no longer than */
    REST_MS_MAX = 200,
};

struct dots {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    struct am_dot_shape shape;
    cl_mem a, b, out;
    uint64_t seed, rest_ns; /* before the next batch */
    enum load load;
    bool ran;
};

static enum am_status build(struct dots *w, struct am_err *err)
{
    char options[32];
    struct am_text text;
    enum am_status s;

    if (w->shape.way == AM_DOT_WARP) {
        (void)am_str_format(options, sizeof(options), "-DTYPE=%d", (int)w->shape.type);
        am_ctx_note(w->device.ctx, "options", "%s", options);
        s = am_ocl_program_build(&w->program, &w->device, "dot", options, err);
    } else {
        am_text_init(&text, TEXT_MAX);
        am_dot_text(&w->shape, &text);
        am_ctx_note(w->device.ctx, "options", "PTX for sm_90a as a binary");
        s = am_ocl_program_binary(&w->program, &w->device, "dot", am_text_str(&text), text.len,
                                  err);
        am_text_fini(&text);
    }
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_dot", &w->loop.kernel, err) : s;
}

static void choose_range(struct dots *w)
{
    const size_t units = w->device.compute_units;
    const bool warp = w->shape.way == AM_DOT_WARP;
    const size_t items = units * (warp ? (size_t)WARPS * AM_DOT_LANES : w->shape.group);

    w->loop.arg = TURNS_ARG;
    w->loop.loops_max = w->shape.turns_max;
    w->loop.range = AM_OCL_RANGE1(items, warp ? (size_t)WARP_GROUP * AM_DOT_LANES : w->shape.group);
    am_ctx_note(w->device.ctx, "items", "%zu in groups of %zu", items, w->loop.range.local[0]);
}

static size_t result_bytes(const struct dots *w)
{
    return w->shape.accumulators * am_dot_result_bytes(w->shape.type);
}

static enum am_status fill(struct dots *w, struct am_err *err)
{
    const struct am_dot_shape *const s = &w->shape;
    void *const a = calloc(1, s->a_bytes), *const b = calloc(1, s->b_bytes);
    enum am_status status = a && b ? AM_OK : am_fail(err, AM_E_NOMEM, "operands");

    if (status == AM_OK) {
        am_dot_pack(s, w->seed, a, b);
        status = am_ocl_device_write(&w->device, w->a, 0, s->a_bytes, a, err);
    }
    if (status == AM_OK)
        status = am_ocl_device_write(&w->device, w->b, 0, s->b_bytes, b, err);
    free(a);
    free(b);
    return status;
}

static enum am_status make_buffers(struct dots *w, struct am_err *err)
{
    const struct am_dot_shape *const s = &w->shape;
    const cl_uint turns = 1;
    enum am_status status =
        am_ocl_device_buffer(&w->device, CL_MEM_READ_ONLY, s->a_bytes, NULL, &w->a, err);

    if (status == AM_OK)
        status = am_ocl_device_buffer(&w->device, CL_MEM_READ_ONLY, s->b_bytes, NULL, &w->b, err);
    if (status == AM_OK)
        status =
            am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                 w->loop.range.global[0] * result_bytes(w), NULL, &w->out, err);
    if (status == AM_OK)
        status = fill(w, err);
    if (status == AM_OK) {
        const struct am_ocl_arg args[] = {AM_OCL_ARG(w->a), AM_OCL_ARG(w->b), AM_OCL_ARG(w->out),
                                          AM_OCL_ARG(turns)};

        status = am_ocl_program_args(w->loop.kernel, args, 4, err);
    }
    return status;
}

static void state_work(const struct dots *w, struct am_work *work)
{
    const struct am_dot_shape *const s = &w->shape;
    const double groups = (double)(w->loop.range.global[0] / s->group);

    work->ops = 2.0 * (double)s->rows * (double)s->columns * s->k * groups;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct dots *const w = state;
    const enum am_dot_way way = (enum am_dot_way)point[WAY].i;
    const enum am_dot_type type = (enum am_dot_type)point[TYPE].i;
    const char *refusal;
    double ignored;
    enum am_status s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);

    if (s != AM_OK)
        return s;
    refusal = am_dot_refusal(way, type, w->device.nv_capability);
    if (refusal)
        return am_fail(err, AM_E_ABSENT, "%s", refusal);
    am_ocl_timing_open(&w->timer, &w->device);
    w->seed = ctx->seed;
    w->load = (enum load)point[LOAD].i;
    w->shape = am_dot_shape_of(way, type);
    s = build(w, err);
    choose_range(w);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s == AM_OK) /* drivers compile at the first launch */
        s = am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
    state_work(w, work);
    return s;
}

/* Matrix units draw so much power that a device lowers its clock within seconds: a burst shows what
 * they can do, a steady load what they keep. */
static void rest(const struct dots *w)
{
    const uint64_t most = UINT64_C(1000000) * REST_MS_MAX;
    const uint64_t ns = w->rest_ns < most ? w->rest_ns : most;
    const struct timespec pause = {.tv_nsec = (long)ns};

    if (w->load == BURST && ns)
        (void)nanosleep(&pause, NULL);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct dots *const w = state;
    enum am_status s;

    rest(w);
    w->ran = true;
    s = am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
    w->rest_ns = REST * batch->elapsed_ns;
    return s;
}

/* Every accumulator of one group of work-items: so many times the product of its row and column. */
static enum am_status check_group(const struct dots *w, size_t group, unsigned char *results,
                                  struct am_err *err)
{
    const struct am_dot_shape *const s = &w->shape;
    const size_t item_bytes = result_bytes(w), each = am_dot_result_bytes(s->type);
    enum am_status status = am_ocl_device_read(&w->device, w->out, group * s->group * item_bytes,
                                               s->group * item_bytes, results, err);

    for (size_t k = 0; k < s->group * s->accumulators && status == AM_OK; k++) {
        const size_t item = k / s->accumulators, i = k % s->accumulators;
        const double want = (double)am_dot_product(s, w->seed, item, i) * (double)w->loop.last;
        const double got = am_dot_result(s->type, results + k * each);

        if (!(fabs(got - want) <= 0))
            status = am_fail(err, AM_E_WRONG,
                             "wrong: accumulator %zu of work-item %zu is %.9g after %u turns, not "
                             "%.9g",
                             i, group * s->group + item, got, w->loop.last, want);
    }
    return status;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct dots *const w = state;
    const size_t groups = w->loop.range.global[0] / (w->shape.group ? w->shape.group : 1);
    unsigned char *results;
    struct am_rng rng;
    enum am_status s = AM_OK;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    results = malloc(w->shape.group * result_bytes(w));
    if (!results)
        return am_fail(err, AM_E_NOMEM, "results to check");
    am_rng_seed(&rng, w->device.ctx->seed, w->timer.batches);
    for (int i = 0; i < CHECKED && s == AM_OK; i++)
        s = check_group(w, i ? (size_t)am_rng_below(&rng, groups) : groups - 1, results, err);
    *residual = s == AM_E_WRONG;
    free(results);
    return s;
}

static void finish(void *state)
{
    struct dots *const w = state;
    const cl_mem buffers[] = {w->a, w->b, w->out};

    am_ocl_program_close(&w->program, w->loop.kernel, buffers, 3, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .choices = am_dot_types,
              .help = "of the operands; sums are float, of int8 whole, of f64 double"},
    [WAY] = {.name = "way",
             .kind = AM_AXIS_NAME,
             .dflt = "all",
             .choices = am_dot_ways,
             .help = "instructions of one warp (mma.sync) or of four together (wgmma)"},
    [LOAD] = {.name = "load",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .choices = load_names,
              .help = "burst: the device rests before each batch; steady: it does not"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"rate", "op/s", AM_HIGHER, AM_RULE_OP_RATE,
     "multiplications and additions per second of the whole device"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_dot = {
    .name = "ocl.dot",
    .summary = "matrix units of a device: products of small matrices by type and instruction",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct dots),
    .points_per_launch = 4,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
