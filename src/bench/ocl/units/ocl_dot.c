/* SPDX-License-Identifier: MIT */
/* ocl.dot: the matrix units of a device: products of small matrices that stay in registers; and dot
 * products of bytes by single work-items, which every device can do. */
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/host/checked.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"
#include "bench/ocl/units/dot.h"

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
    /* Single work-items. */
    ITEMS_TURNS_ARG = 2,
    ITEMS_TURNS_MAX = 1 << 13, /* of a launch, all of which the host makes again */
    ITEMS_CHECKED = 16,        /* work-items for which it does */
    CPU_ITEMS = 256,           /* per compute unit */
    CPU_ITEMS_GROUP = 64,
    GPU_ITEMS = 4096,
    GPU_ITEMS_GROUP = 128,
    TRIAL_NS = 2000000, /* of a tile */
    TEXT_MAX = 256 * 1024,
    REST = 4, /* times as long as the batch before it, a burst is rested for, but no longer than */
    REST_MS_MAX = 200,
};

struct dots {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    struct am_dot_device has;
    struct am_dot_shape shape;
    struct am_dot_tile tile; /* of single work-items */
    cl_uint key;             /* the same */
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

static enum am_status prepare_tiles(struct dots *w, struct am_work *work, struct am_err *err)
{
    double ignored;
    enum am_status s = build(w, err);

    choose_range(w);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s == AM_OK) /* drivers compile at the first launch */
        s = am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
    state_work(w, work);
    return s;
}

/* ---- single work-items ---- */

static bool by_items(const struct dots *w)
{
    return w->shape.way == AM_DOT_ITEM || w->shape.way == AM_DOT_PLAIN;
}

static size_t usual_items(const struct am_ocl_device *d)
{
    return (size_t)d->compute_units * (d->is_cpu ? CPU_ITEMS : GPU_ITEMS);
}

/* What a kernel needs to be launched, or to be thrown away. */
struct trial {
    struct am_dot_tile tile;
    struct am_ocl_program program;
    struct am_ocl_loop loop;
    double product_ns; /* of the whole device */
};

static void drop(struct trial *t)
{
    am_ocl_release_kernel(t->loop.kernel);
    am_ocl_program_free(&t->program);
    *t = (struct trial){.product_ns = 0};
}

static enum am_status try_tile(struct dots *w, struct trial *t, struct am_err *err)
{
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(w->key)};
    const size_t wish = w->device.is_cpu ? CPU_ITEMS_GROUP : GPU_ITEMS_GROUP;
    char options[64];
    size_t group = 1;
    double turn_ns = 0;
    enum am_status s;

    (void)am_str_format(options, sizeof(options), "-DWAY=%d -DROWS=%u -DCOLUMNS=%u",
                        am_dot_items_way(w->shape.way, &w->has), t->tile.rows, t->tile.columns);
    s = am_ocl_program_build(&t->program, &w->device, "dot_items", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&t->program, "am_dot_items", &t->loop.kernel, err);
    if (s == AM_OK)
        s = am_ocl_program_group(&w->device, t->loop.kernel, wish, &group, err);
    if (s == AM_OK)
        s = am_ocl_program_args(t->loop.kernel, args, 2, err);
    t->loop.arg = ITEMS_TURNS_ARG;
    t->loop.loops_max = ITEMS_TURNS_MAX;
    t->loop.range = AM_OCL_RANGE1(usual_items(&w->device), group);
    if (s == AM_OK)
        s = am_ocl_timing_probe(&w->timer, &t->loop, TRIAL_NS, &turn_ns, err);
    t->product_ns = turn_ns / (t->tile.rows * t->tile.columns);
    return s;
}

/* The tile with the most products per second; all that were tried are told. */
static enum am_status search_tile(struct dots *w, struct am_err *err)
{
    struct trial best = {.product_ns = 0};
    struct am_text tried;
    enum am_status s = AM_OK;

    am_text_init(&tried, 256);
    for (size_t i = 0; i < AM_DOT_TILES && s == AM_OK; i++) {
        struct trial t = {.tile = am_dot_tiles[i]};

        s = try_tile(w, &t, err);
        am_text_addf(&tried, "%s%ux%u %.4g ps", i ? ", " : "", t.tile.rows, t.tile.columns,
                     1e3 * t.product_ns / (double)usual_items(&w->device));
        if (s == AM_OK && (!best.loop.kernel || t.product_ns < best.product_ns)) {
            const struct trial worse = best;

            best = t;
            t = worse;
        }
        drop(&t);
    }
    w->program = best.program;
    w->loop = best.loop;
    w->tile = best.tile;
    am_ctx_note(w->device.ctx, "tile", "%ux%u", w->tile.rows, w->tile.columns);
    am_ctx_note(w->device.ctx, "tried", "a product: %s", am_text_str(&tried));
    am_text_fini(&tried);
    return s;
}

/* No work-item can have left this, but by chance. */
static const uint32_t untouched = UINT32_C(0xa5a5a5a5);

static enum am_status mark_untouched(const struct dots *w, size_t items, struct am_err *err)
{
    uint32_t *const words = calloc(items, sizeof(*words));
    enum am_status s = words ? AM_OK : am_fail(err, AM_E_NOMEM, "words of work-items");

    for (size_t i = 0; words && i < items; i++)
        words[i] = untouched;
    if (s == AM_OK)
        s = am_ocl_device_write(&w->device, w->out, 0, items * sizeof(*words), words, err);
    free(words);
    return s;
}

static enum am_status prepare_items(struct dots *w, struct am_work *work, struct am_err *err)
{
    const size_t items = usual_items(&w->device);
    enum am_status s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, items * sizeof(cl_uint),
                                            NULL, &w->out, err);

    w->key = (cl_uint)w->seed;
    if (s == AM_OK)
        s = mark_untouched(w, items, err);
    if (s == AM_OK)
        s = search_tile(w, err);
    work->ops = 2.0 * AM_DOT_BYTES * w->tile.rows * w->tile.columns * (double)items;
    return s;
}

static uint32_t item_left(const void *state, size_t item)
{
    const struct dots *const w = state;

    return am_dot_items_left(&w->tile, w->key, item, w->loop.last);
}

/* Every work-item has left something. */
static enum am_status check_touched(const struct dots *w, struct am_err *err)
{
    const size_t items = w->loop.range.global[0];
    uint32_t *const words = calloc(items, sizeof(*words));
    enum am_status s = words ? AM_OK : am_fail(err, AM_E_NOMEM, "words of work-items");

    if (s == AM_OK)
        s = am_ocl_device_read(&w->device, w->out, 0, items * sizeof(*words), words, err);
    for (size_t i = 0; s == AM_OK && i < items; i++) {
        if (words[i] == untouched && item_left(w, i) != untouched)
            s = am_fail(err, AM_E_WRONG, "wrong: work-item %zu leaves nothing", i);
    }
    free(words);
    return s;
}

/* All of them leave something, and some of them what they must. */
static enum am_status verify_items(const struct dots *w, double *residual, struct am_err *err)
{
    const struct am_ocl_checking some = {
        &w->device, w->out, w->loop.range.global[0], ITEMS_CHECKED, w->timer.batches, item_left, w};
    const enum am_status s = check_touched(w, err);

    *residual = s == AM_E_WRONG;
    return s == AM_OK ? am_ocl_checked(&some, residual, err) : s;
}

/* ---- hooks ---- */

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct dots *const w = state;
    const enum am_dot_way way = (enum am_dot_way)point[WAY].i;
    const enum am_dot_type type = (enum am_dot_type)point[TYPE].i;
    const char *refusal;
    enum am_status s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);

    if (s != AM_OK)
        return s;
    w->has = (struct am_dot_device){w->device.nv_capability,
                                    am_ocl_device_has(&w->device, "cl_khr_integer_dot_product")};
    refusal = am_dot_refusal(way, type, &w->has);
    if (refusal)
        return am_fail(err, AM_E_ABSENT, "%s", refusal);
    am_ocl_timing_open(&w->timer, &w->device);
    w->seed = ctx->seed;
    w->load = (enum load)point[LOAD].i;
    w->shape = am_dot_shape_of(way, type);
    return by_items(w) ? prepare_items(w, work, err) : prepare_tiles(w, work, err);
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

static enum am_status verify_tiles(const struct dots *w, double *residual, struct am_err *err)
{
    const size_t groups = w->loop.range.global[0] / (w->shape.group ? w->shape.group : 1);
    unsigned char *results;
    struct am_rng rng;
    enum am_status s = AM_OK;

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

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct dots *const w = state;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    return by_items(w) ? verify_items(w, residual, err) : verify_tiles(w, residual, err);
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
             .help = "matrices by instructions of one warp (mma.sync) or of four together (wgmma); "
                     "dot products of int8 by single work-items, with instructions for it (item) "
                     "or without (plain)"},
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
    .summary = "matrix units and dot products of a device by type and instruction",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct dots),
    .points_per_launch = 4,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
