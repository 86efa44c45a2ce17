/* SPDX-License-Identifier: MIT */
/* ocl.arith: arithmetic of an OpenCL device by chains that never leave registers. */
#include "bench/ocl/units/arith.h"
#include "bench/ocl/units/arith_search.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"
#include "core/bench/bench.h"

#include <math.h>
#include <string.h>

enum axis_index { DEVICE, OP, TYPE, WIDTH, CHAINS, FORM, MODE, ITEMS, GROUP, UNROLL };

enum { CHECKED_ITEMS = 4, CHECKED_STORES = 256, NOTHING = 0xff /* in every byte: no number */ };

/* A batch of the whole device is longer than what the profile may ask for: a CPU device's threads
 * may wake on one and the same CPU and part only at the next tick, and starting a GPU's kernel
 * takes up to ten microseconds. Its clock rises with its load, but the gate has loaded it before.
 */
static const double cpu_iteration_ns = 2e7, other_iteration_ns = 1e7;
static const double turns_max = 1 << 16;
static const unsigned few_steps = 4096; /* a chain of sums is still below 64 */

/* More lanes than any compute unit has, for any type: only folded work is beyond. */
static const double lanes_max = 1024;
static const double clock_margin = 1.5; /* boost above the claimed clock */

static const char *const chains_names[] = {"1",  "2",  "3",  "4",  "6",    "8", "10",
                                           "12", "16", "20", "24", "auto", NULL};
static const char *const count_names[] = {
    "auto",   "1",      "2",      "4",       "8",       "16",      "32",    "64",    "128",
    "256",    "512",    "1024",   "2048",    "4096",    "8192",    "16384", "32768", "65536",
    "131072", "262144", "524288", "1048576", "2097152", "4194304", NULL};
static const char *const unroll_names[] = {"auto", "8", "16", "32", "64", "128", "256", NULL};
static const char *const form_names[] = {"affine", "quadratic", NULL};
static const char *const mode_names[] = {"latency", "throughput", NULL};
enum mode { LATENCY, THROUGHPUT };

struct arith {
    struct am_ocl_device device;
    struct am_ocl_timer timer;
    struct am_arith_trial best; /* what is measured */
    struct am_arith_buffers buffers;
    uint64_t turns; /* of the kernel's loop in one iteration */
    double ops_per_iter;
    double rate_max; /* 0: not known */
};

/* 0 for auto. */
static unsigned count_of(const struct am_value *v)
{
    uint64_t n = 0;

    return am_parse_u64(v->name, strlen(v->name), &n) ? (unsigned)n : 0;
}

static enum am_status check_type(const struct arith *a, const struct am_value *point,
                                 struct am_err *err)
{
    const enum am_arith_type type = (enum am_arith_type)point[TYPE].i;
    const char *const refusal =
        am_arith_refusal((enum am_arith_op)point[OP].i, type, point[FORM].i != 0);

    if (refusal)
        return am_fail(err, AM_E_ABSENT, "%s %s", point[OP].name, refusal);
    if (type == AM_ARITH_DOUBLE && !a->device.has_double)
        return am_fail(err, AM_E_ABSENT, "the device has no double precision");
    if (type == AM_ARITH_HALF && !a->device.has_half)
        return am_fail(err, AM_E_ABSENT, "the device has no half precision (cl_khr_fp16)");
    return AM_OK;
}

static bool is_width(int64_t width)
{
    return width >= 1 && width <= AM_ARITH_WIDTH_MAX && (width & (width - 1)) == 0;
}

/* What the point leaves open is 0 in the request. */
static enum am_status read_point(const struct am_value *point, struct am_arith_request *r,
                                 struct am_err *err)
{
    const bool latency = point[MODE].i == LATENCY;

    if (!is_width(point[WIDTH].i))
        return am_fail(err, AM_E_ABSENT, "width %lld: OpenCL has 1, 2, 4, 8 and 16",
                       (long long)point[WIDTH].i);
    *r = (struct am_arith_request){
        .op = (enum am_arith_op)point[OP].i,
        .type = (enum am_arith_type)point[TYPE].i,
        .quadratic = point[FORM].i != 0,
        .width = (unsigned)point[WIDTH].i,
        .chains = count_of(&point[CHAINS]),
        .items = count_of(&point[ITEMS]),
        .group = count_of(&point[GROUP]),
        .unroll = count_of(&point[UNROLL]),
    };
    if (latency && (r->chains > 1 || r->items > 1 || r->group > 1))
        return am_fail(err, AM_E_ABSENT, "latency is that of one chain in one work-item");
    if (latency)
        r->chains = r->items = r->group = 1;
    if (r->items && r->group && r->items % r->group)
        return am_fail(err, AM_E_ABSENT, "%u items are no multiple of groups of %u", r->items,
                       r->group);
    return AM_OK;
}

/* The engine's bound is in cycles of the host's cores: two fused, or four plain, vectors of 64
 * bytes each. Other devices are bounded by what they claim of themselves. */
static void state_bounds(struct arith *a, const struct am_arith_shape *shape, struct am_work *work)
{
    const struct am_ocl_device *const d = &a->device;
    const double count = am_arith_count(shape->op);
    const double lanes = 64.0 / (double)am_arith_bytes(shape->type);

    if (d->is_cpu)
        work->flops_per_cycle_max = (count > 1 ? 2 * count : 4) * lanes * d->compute_units;
    else
        a->rate_max = clock_margin * d->clock_hz * d->compute_units * lanes_max * count;
}

static uint64_t turns_of(const struct arith *a, bool latency)
{
    const struct am_arith_trial *const t = &a->best;
    const double least_ns = a->device.is_cpu ? cpu_iteration_ns : other_iteration_ns;
    const double wanted = t->turn_ns > 0 ? ceil(least_ns / t->turn_ns) : 1;

    return latency ? 1 : (uint64_t)fmin(fmax(wanted, 1), turns_max);
}

static void state_work(struct arith *a, bool latency, struct am_work *work)
{
    const struct am_arith_shape *const shape = &a->best.shape;
    const double statements = (double)a->best.loop.range.global[0] * shape->chains;

    a->turns = turns_of(a, latency);
    work->ops = statements * shape->unroll * (double)a->turns;
    work->flops = work->ops * shape->width * am_arith_count(shape->op);
    a->ops_per_iter = work->flops;
    state_bounds(a, shape, work);
}

/* Leaves nothing of the search behind that verify() could take for a result. */
static enum am_status forget(const struct arith *a, struct am_err *err)
{
    const struct am_arith_shape *const shape = &a->best.shape;
    const size_t bytes = a->best.loop.range.global[0] * shape->width * am_arith_bytes(shape->type);
    const cl_uchar nothing = NOTHING;
    const cl_int code =
        clEnqueueFillBuffer(a->device.queue, a->buffers.out, &nothing, 1, 0, bytes, 0, NULL, NULL);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueFillBuffer");
}

static enum am_status verify(void *state, double *residual, struct am_err *err);

/* What many steps hide: sums that have grown swallow the difference between steps and steps that
 * were combined, and end alike. */
static enum am_status prove_few(struct arith *a, struct am_err *err)
{
    const unsigned turns = few_steps / a->best.shape.unroll;
    uint64_t ignored_ns;
    double ignored;
    const enum am_status s =
        am_ocl_timing_loop(&a->timer, &a->best.loop, turns ? turns : 1, &ignored_ns, err);

    return s == AM_OK ? verify(a, &ignored, err) : s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct arith *const a = state;
    struct am_arith_request request;
    enum am_status s = read_point(point, &request, err);

    if (s == AM_OK)
        s = am_ocl_device_open(&a->device, ctx, point[DEVICE].name, err);
    if (s == AM_OK)
        s = check_type(a, point, err);
    am_ocl_timing_open(&a->timer, &a->device);
    if (s == AM_OK)
        s = am_arith_search(&a->timer, &request, &a->buffers, &a->best, err);
    if (s == AM_OK)
        s = am_arith_rival(&a->timer, &request, &a->buffers, &a->best, err);
    if (s == AM_OK)
        s = am_arith_gate(&a->timer, &a->buffers, &a->best, err);
    if (s == AM_OK)
        s = prove_few(a, err);
    if (s == AM_OK)
        s = forget(a, err);
    if (s == AM_OK)
        state_work(a, point[MODE].i == LATENCY, work);
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct arith *const a = state;
    const enum am_status s =
        am_ocl_timing_loop(&a->timer, &a->best.loop, iters * a->turns, &batch->elapsed_ns, err);
    const double done = a->ops_per_iter * (double)iters;

    if (s == AM_OK && a->rate_max > 0 && done > a->rate_max * (double)batch->elapsed_ns * 1e-9 &&
        batch->elapsed_ns > 0)
        return am_fail(err, AM_E_WRONG,
                       "folded: %.3g operations in %llu ns; the device's units and clock allow "
                       "%.3g per second",
                       done, (unsigned long long)batch->elapsed_ns, a->rate_max);
    return s;
}

/* How far one lane of a work-item that was read back is from what it must be. */
static double lane_off(const struct arith *a, double got, size_t item, size_t lane, bool twice,
                       double *want)
{
    const struct am_arith_shape *const shape = &a->best.shape;
    const struct am_arith_data data = {a->buffers.operands, a->buffers.seeds, twice};
    const uint64_t steps = (uint64_t)a->best.loop.last * shape->unroll;

    *want = am_arith_expected(shape, &data, item, lane, steps);
    return fabs(got - *want) / fmax(fabs(*want), 0x1p-8);
}

static enum am_status check_lane(const struct arith *a, const void *got_vector, size_t item,
                                 size_t lane, double *residual, struct am_err *err)
{
    const struct am_arith_shape *const shape = &a->best.shape;
    const uint64_t steps = (uint64_t)a->best.loop.last * shape->unroll;
    const double got = am_arith_element(shape->type, got_vector, lane);
    const double allowed = am_arith_tolerance(shape, steps);
    double want = 0, off = lane_off(a, got, item, lane, false, &want);

    if (!(off <= allowed) && am_arith_may_round_twice(shape))
        off = lane_off(a, got, item, lane, true, &want);
    *residual = fmax(*residual, off);
    if (off <= allowed)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: item %zu, lane %zu after %llu steps: %.17g, not %.17g",
                   item, lane, (unsigned long long)steps, got, want);
}

/* Some work-items, other ones each time: each has stored something. */
static enum am_status check_stores(const struct arith *a, struct am_err *err)
{
    const size_t bytes = am_arith_bytes(a->best.shape.type);
    const size_t vector = bytes * a->best.shape.width, items = a->best.loop.range.global[0];
    const size_t checked = items < CHECKED_STORES ? items : CHECKED_STORES;
    struct am_rng rng;
    enum am_status s = AM_OK;

    am_rng_seed(&rng, a->device.ctx->seed, a->timer.batches);
    for (size_t i = 0; i < checked && s == AM_OK; i++) {
        const size_t item = checked == items ? i : (size_t)am_rng_below(&rng, items);
        unsigned char element[sizeof(double)] = {0};
        size_t untouched = 0;

        s = am_ocl_device_read(&a->device, a->buffers.out, item * vector, bytes, element, err);
        while (untouched < bytes && element[untouched] == NOTHING)
            untouched++;
        if (s == AM_OK && untouched == bytes)
            s = am_fail(err, AM_E_WRONG, "wrong: work-item %zu has stored nothing", item);
    }
    return s;
}

/* The first work-item, the last, and two in between; another lane each time. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct arith *const a = state;
    const struct am_arith_shape *const shape = &a->best.shape;
    const size_t bytes = am_arith_bytes(shape->type) * shape->width;
    const size_t items = a->best.loop.range.global[0];
    enum am_status s = AM_OK;

    *residual = 0;
    for (size_t i = 0; i < CHECKED_ITEMS && s == AM_OK; i++) {
        const size_t item = (items - 1) * i / (CHECKED_ITEMS - 1);
        double vector[AM_ARITH_WIDTH_MAX];

        s = am_ocl_device_read(&a->device, a->buffers.out, item * bytes, bytes, vector, err);
        if (s == AM_OK)
            s = check_lane(a, vector, item, (5 * i + shape->width - 1) % shape->width, residual,
                           err);
    }
    return s == AM_OK ? check_stores(a, err) : s;
}

static void finish(void *state)
{
    struct arith *const a = state;

    am_arith_trial_free(&a->best);
    am_arith_buffers_free(&a->buffers);
    am_ocl_device_close(&a->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [OP] = {.name = "op",
            .kind = AM_AXIS_NAME,
            .dflt = "all",
            .quick = "fma,muladd",
            .choices = am_arith_ops,
            .help = "mad(), fma() and a*b+c (muladd) count two operations"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "float,double",
              .thorough = "all",
              .choices = am_arith_types,
              .help = "element type; int is of 32 bits"},
    [WIDTH] = {.name = "width",
               .kind = AM_AXIS_INT,
               .dflt = "1,4,16",
               .quick = "16",
               .thorough = "1:16:*2",
               .help = "elements of a vector: 1, 2, 4, 8, 16"},
    [CHAINS] = {.name = "chains",
                .kind = AM_AXIS_NAME,
                .dflt = "auto",
                .thorough = "auto,1",
                .choices = chains_names,
                .help = "independent chains of a work-item; auto: one for latency, else the best"},
    [FORM] = {.name = "form",
              .kind = AM_AXIS_NAME,
              .dflt = "affine",
              .choices = form_names,
              .help = "x*p+r or x*x+r; the latter of mad, fma and muladd only"},
    [MODE] = {.name = "mode",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .choices = mode_names,
              .help = "latency: one chain in one work-item; throughput: the whole device"},
    [ITEMS] = {.name = "items",
               .kind = AM_AXIS_NAME,
               .dflt = "auto",
               .choices = count_names,
               .help = "work-items; auto: the best found"},
    [GROUP] = {.name = "group",
               .kind = AM_AXIS_NAME,
               .dflt = "auto",
               .choices = count_names,
               .help = "work-items of a group; auto: the best found"},
    [UNROLL] = {.name = "unroll",
                .kind = AM_AXIS_NAME,
                .dflt = "auto",
                .choices = unroll_names,
                .help = "steps of each chain in the loop's body; auto: about 256 instructions"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "operations per second of the whole device"},
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
     "one step of the chain; in mode throughput, of all chains: between two steps anywhere"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_arith = {
    .name = "ocl.arith",
    .summary = "arithmetic of an OpenCL device: latency of one chain, throughput of many",
    .version = 2, /* operands whose every step is rounded; two values of whole numbers */
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct arith),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
