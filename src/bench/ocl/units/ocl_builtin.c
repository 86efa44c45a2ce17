/* SPDX-License-Identifier: MIT */
/* ocl.builtin: speed of a device's mathematical functions, and their error beside it. */
#include "base/text.h"
#include "bench/ocl/units/builtin.h"
#include "bench/ocl/host/device.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"
#include "core/bench/bench.h"

#include <math.h>
#include <stdlib.h>

enum axis_index { DEVICE, FUNCTION, TYPE, WIDTH, ITEMS, GROUP };
enum metric_index { RATE, TIME, ERROR };
enum kernel_index { KERNEL_RATE, KERNEL_TIME, KERNEL_PROBE, KERNELS };
enum operand_index { X, Y, Z, OPERANDS };

enum {
    WIDTH_MAX = 16,
    CHAINS = 4,              /* of a work-item that shows the rate */
    CHAINS_WIDE = 2,         /* where a vector is long: as many registers */
    CHAIN_BYTES = 32,        /* longer vectors are */
    PROBE_ITEMS = 1024,      /* always as many: drivers compile for a grid */
    PROBE_GROUP = 16,        /* or fewer, where the kernel allows no more */
    SAMPLES = 1 << 14,       /* operands whose results are compared with the reference */
    REPLAYED = 3,            /* turns of the loop that are done again call by call */
    GPU_ITEMS_A_UNIT = 2048, /* what a compute unit of a large GPU holds */
    GPU_GROUP = 256,
    CPU_ITEMS_A_UNIT = 64,
    CPU_GROUP = 16,
    WEIGHT_MAX = 256,
};

static const uint64_t pilot_ns = 200000;
static const double third = 0.7; /* third operand of the chains */

struct builtin {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    cl_kernel kernels[KERNELS];
    cl_mem out[2]; /* of the rate's kernel, of the time's */
    cl_mem operands[OPERANDS], results[2];
    struct am_ocl_loop rate, time;
    const struct am_builtin *fn;
    bool wide; /* double */
    size_t width, chains, items, probe_group;
    uint64_t key, seed;
    uint64_t weight; /* turns of the time's kernel for one of the rate's */
    double error;    /* largest, in ulp */
};

/* Operands and results of one launch of the probe, on the host. */
struct probe {
    double in[OPERANDS][PROBE_ITEMS * WIDTH_MAX];
    double out[2][PROBE_ITEMS * WIDTH_MAX];
    double packed[PROBE_ITEMS * WIDTH_MAX]; /* room for the device's form of one array */
};

static size_t type_bytes(const struct builtin *b)
{
    return b->wide ? sizeof(cl_double) : sizeof(cl_float);
}

static size_t probe_count(const struct builtin *b)
{
    return PROBE_ITEMS * b->width;
}

/* ---- preparation ---- */

static enum am_status choose(struct builtin *b, const struct am_value *point, struct am_err *err)
{
    const int64_t width = point[WIDTH].i;

    b->fn = &am_builtins[point[FUNCTION].i];
    b->wide = point[TYPE].i == 1;
    if (width != 1 && width != 2 && width != 4 && width != 8 && width != WIDTH_MAX)
        return am_fail(err, AM_E_ABSENT, "vectors have 1, 2, 4, 8 or 16 components, not %lld",
                       (long long)width);
    if (b->wide && am_builtin_float_only(b->fn))
        return am_fail(err, AM_E_ABSENT, "%s is defined for float only", b->fn->name);
    b->width = (size_t)width;
    b->chains = b->width * type_bytes(b) > CHAIN_BYTES ? CHAINS_WIDE : CHAINS;
    return AM_OK;
}

static enum am_status open_device(struct builtin *b, const struct am_ctx *ctx, const char *name,
                                  struct am_err *err)
{
    const enum am_status s = am_ocl_device_open(&b->device, ctx, name, err);

    if (s == AM_OK && b->wide && !b->device.has_double)
        return am_fail(err, AM_E_ABSENT, "the device has no double");
    am_ocl_timing_open(&b->timer, &b->device);
    return s;
}

/* Options are separated by spaces: the call goes without any. */
static void add_call(struct am_text *options, const char *call)
{
    for (; *call; call++) {
        if (*call != ' ')
            am_text_addn(options, call, 1);
    }
}

static enum am_status build(struct builtin *b, struct am_err *err)
{
    static const char *const names[KERNELS] = {
        [KERNEL_RATE] = "am_builtin_rate",
        [KERNEL_TIME] = "am_builtin_time",
        [KERNEL_PROBE] = "am_builtin_probe",
    };
    static const char *const types[2] = {"-DREAL=float -DBITS=uint -DSIGNED=int",
                                         "-DREAL=double -DBITS=ulong -DSIGNED=long"};
    struct am_text options;
    enum am_status s;

    am_text_init(&options, 512);
    am_text_addf(&options,
                 "%s -DWIDTH=%zu -DCHAINS=%zu -DRESULT=%d -DPREVIOUS=%d -DCALL=", types[b->wide],
                 b->width, b->chains, (int)b->fn->result, !(fabs(b->fn->chain.second) > 0));
    add_call(&options, b->fn->call);
    am_ctx_note(b->device.ctx, "options", "%s", am_text_str(&options));
    s = am_ocl_program_build(&b->program, &b->device, "builtin", am_text_str(&options), err);
    am_text_fini(&options);
    for (int i = 0; i < KERNELS && s == AM_OK; i++)
        s = am_ocl_program_kernel(&b->program, names[i], &b->kernels[i], err);
    return s;
}

static enum am_status allocate(struct builtin *b, struct am_err *err)
{
    const size_t vector = b->width * type_bytes(b);
    const size_t probe = probe_count(b) * type_bytes(b);
    enum am_status s = am_ocl_device_buffer(&b->device, CL_MEM_READ_WRITE, b->items * vector, NULL,
                                            &b->out[0], err);

    if (s == AM_OK)
        s = am_ocl_device_buffer(&b->device, CL_MEM_READ_WRITE, vector, NULL, &b->out[1], err);
    for (int i = 0; i < OPERANDS && s == AM_OK; i++)
        s = am_ocl_device_buffer(&b->device, CL_MEM_READ_ONLY, probe, NULL, &b->operands[i], err);
    for (int i = 0; i < 2 && s == AM_OK; i++)
        s = am_ocl_device_buffer(&b->device, CL_MEM_WRITE_ONLY, probe, NULL, &b->results[i], err);
    return s;
}

/* Work-items that fill the device, in groups that the kernel allows. */
static enum am_status choose_range(struct builtin *b, const struct am_value *point,
                                   struct am_err *err)
{
    const bool cpu = b->device.is_cpu;
    const struct am_ocl_items wish = {
        .items = point[ITEMS].i,
        .group = point[GROUP].i,
        .usual_items =
            b->device.compute_units * (size_t)(cpu ? CPU_ITEMS_A_UNIT : GPU_ITEMS_A_UNIT),
        .usual_group = cpu ? CPU_GROUP : GPU_GROUP,
    };
    size_t group = 1;
    enum am_status s =
        am_ocl_program_items(&b->device, b->kernels[KERNEL_RATE], &wish, &b->items, &group, err);

    if (s == AM_OK)
        s = am_ocl_program_group(&b->device, b->kernels[KERNEL_PROBE], PROBE_GROUP, &b->probe_group,
                                 err);
    if (s != AM_OK)
        return s;
    b->rate = (struct am_ocl_loop){
        .kernel = b->kernels[KERNEL_RATE], .arg = 1, .range = AM_OCL_RANGE1(b->items, group)};
    b->time = (struct am_ocl_loop){
        .kernel = b->kernels[KERNEL_TIME], .arg = 1, .range = AM_OCL_RANGE1(1, 1)};
    am_ctx_note(b->device.ctx, "chains", "%zu", b->chains);
    return AM_OK;
}

/* A number in either type, in one place. */
union word {
    cl_uint u32;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;
};

static union word bits_word(const struct builtin *b, uint64_t bits)
{
    return b->wide ? (union word){.u64 = bits} : (union word){.u32 = (cl_uint)bits};
}

static enum am_status set_chain(const struct builtin *b, cl_kernel kernel, cl_mem out,
                                struct am_err *err)
{
    const cl_uint turns = 0;
    const union word mask = bits_word(b, am_builtin_mask(b->wide)), key = bits_word(b, b->key),
                     seed = bits_word(b, b->seed),
                     y = bits_word(b, am_builtin_bits(b->fn->chain.second, b->wide)),
                     z = bits_word(b, am_builtin_bits(third, b->wide));
    const size_t size = type_bytes(b);
    const struct am_ocl_arg args[] = {AM_OCL_ARG(out), AM_OCL_ARG(turns), {size, &mask},
                                      {size, &key},    {size, &seed},     {size, &y},
                                      {size, &z}};

    return am_ocl_program_args(kernel, args, sizeof(args) / sizeof(*args), err);
}

static enum am_status set_arguments(const struct builtin *b, struct am_err *err)
{
    const struct am_ocl_arg probe[] = {AM_OCL_ARG(b->operands[X]), AM_OCL_ARG(b->operands[Y]),
                                       AM_OCL_ARG(b->operands[Z]), AM_OCL_ARG(b->results[0]),
                                       AM_OCL_ARG(b->results[1])};
    enum am_status s =
        am_ocl_program_args(b->kernels[KERNEL_PROBE], probe, sizeof(probe) / sizeof(*probe), err);

    if (s == AM_OK)
        s = set_chain(b, b->kernels[KERNEL_RATE], b->out[0], err);
    if (s == AM_OK)
        s = set_chain(b, b->kernels[KERNEL_TIME], b->out[1], err);
    return s;
}

/* ---- call by call ---- */

static enum am_status write_operand(const struct builtin *b, cl_mem to, const double *from,
                                    double *packed, struct am_err *err)
{
    const size_t n = probe_count(b);
    cl_float *const narrow = (cl_float *)(void *)packed;

    for (size_t i = 0; i < n && !b->wide; i++)
        narrow[i] = (cl_float)from[i];
    return am_ocl_device_write(&b->device, to, 0, n * type_bytes(b), b->wide ? from : packed, err);
}

static enum am_status fetch(const struct builtin *b, cl_mem from, double *to, double *packed,
                            struct am_err *err)
{
    const size_t n = probe_count(b);
    const cl_float *const narrow = (const cl_float *)(const void *)packed;
    const enum am_status s =
        am_ocl_device_read(&b->device, from, 0, n * type_bytes(b), b->wide ? to : packed, err);

    for (size_t i = 0; i < n && s == AM_OK && !b->wide; i++)
        to[i] = narrow[i];
    return s;
}

/* The function of each of p->in into p->out, every component by one call. */
static enum am_status call_each(const struct builtin *b, struct probe *p, struct am_err *err)
{
    const size_t global = PROBE_ITEMS, local = b->probe_group;
    enum am_status s = AM_OK;
    cl_int code;

    for (int i = 0; i < OPERANDS && s == AM_OK; i++)
        s = write_operand(b, b->operands[i], p->in[i], p->packed, err);
    if (s != AM_OK)
        return s;
    code = clEnqueueNDRangeKernel(b->device.queue, b->kernels[KERNEL_PROBE], 1, NULL, &global,
                                  &local, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
    for (int i = 0; i < 2 && s == AM_OK; i++)
        s = fetch(b, b->results[i], p->out[i], p->packed, err);
    return s;
}

static enum am_status check_one(struct builtin *b, const struct probe *p, size_t i,
                                struct am_err *err)
{
    const struct am_builtin_operands in = {p->in[X][i], p->in[Y][i], p->in[Z][i]};
    const double got[2] = {p->out[0][i], p->out[1][i]};
    bool wrong;

    b->error = fmax(b->error, am_builtin_error(b->fn, b->wide, &in, got, &wrong));
    if (!wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: %s for x=%.17g y=%.17g z=%.17g gives %.17g, %.17g",
                   b->fn->call, in.x, in.y, in.z, got[0], got[1]);
}

/* The largest error over operands spread over the function's domain. */
static enum am_status measure_error(struct builtin *b, struct probe *p, struct am_err *err)
{
    const size_t n = probe_count(b);

    for (size_t first = 0; first < SAMPLES; first += n) {
        enum am_status s;

        for (size_t i = 0; i < n; i++) {
            const struct am_builtin_operands in =
                am_builtin_sample(b->fn, b->wide, first + i, SAMPLES);

            p->in[X][i] = in.x;
            p->in[Y][i] = in.y;
            p->in[Z][i] = in.z;
        }
        s = call_each(b, p, err);
        for (size_t i = 0; i < n && s == AM_OK; i++)
            s = check_one(b, p, i, err);
        if (s != AM_OK)
            return s;
    }
    return AM_OK;
}

static enum am_status note_error(struct builtin *b, struct am_err *err)
{
    const double allowed = b->fn->allowed[b->wide];
    struct probe *const p = calloc(1, sizeof(*p));
    enum am_status s;

    if (!p)
        return am_fail(err, AM_E_NOMEM, "operands of %s", b->fn->name);
    s = measure_error(b, p, err);
    free(p);
    if (s == AM_OK && !isnan(allowed)) {
        am_ctx_note(b->device.ctx, "ulp_allowed", "%g", allowed);
        am_ctx_note(b->device.ctx, "conforms", "%s", b->error <= allowed ? "yes" : "no");
    }
    return s;
}

/* ---- measuring ---- */

static enum am_status balance(struct builtin *b, struct am_err *err)
{
    double rate_ns = 0, time_ns = 0;
    enum am_status s = am_ocl_timing_probe(&b->timer, &b->rate, pilot_ns, &rate_ns, err);

    if (s == AM_OK)
        s = am_ocl_timing_probe(&b->timer, &b->time, pilot_ns, &time_ns, err);
    if (s == AM_OK)
        b->weight = (uint64_t)fmax(1, fmin(WEIGHT_MAX, rate_ns / fmax(time_ns, 1e-3)));
    return s;
}

/* What no chain leaves behind: verify() must see the runs to come. */
static enum am_status forget(const struct builtin *b, struct am_err *err)
{
    static const cl_ulong nothing[WIDTH_MAX];

    return am_ocl_device_write(&b->device, b->out[1], 0, b->width * type_bytes(b), nothing, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct builtin *const b = state;
    enum am_status s = choose(b, point, err);

    if (s == AM_OK)
        s = open_device(b, ctx, point[DEVICE].name, err);
    if (s != AM_OK)
        return s;
    b->seed = ctx->seed;
    b->key = am_builtin_key(b->fn, b->wide);
    s = build(b, err);
    if (s == AM_OK)
        s = choose_range(b, point, err);
    if (s == AM_OK)
        s = allocate(b, err);
    if (s == AM_OK)
        s = set_arguments(b, err);
    if (s == AM_OK)
        s = note_error(b, err);
    if (s == AM_OK)
        s = balance(b, err);
    if (s == AM_OK)
        s = forget(b, err);
    work->ops = (double)(b->items * b->chains * b->width + b->weight * b->width);
    return s;
}

/* The whole device for the rate, then a single work-item for the time. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct builtin *const b = state;
    const double calls = (double)iters * (double)(b->items * b->chains * b->width);
    uint64_t rate_ns = 0, time_ns = 0;
    enum am_status s = am_ocl_timing_loop(&b->timer, &b->rate, iters, &rate_ns, err);

    if (s == AM_OK)
        s = am_ocl_timing_loop(&b->timer, &b->time, iters * b->weight, &time_ns, err);
    batch->elapsed_ns = rate_ns + time_ns;
    batch->values[RATE] = calls / fmax((double)rate_ns, 1) * 1e9;
    batch->values[TIME] = (double)time_ns * 1e-9 / (double)(iters * b->weight);
    batch->values[ERROR] = b->error;
    return s;
}

/* ---- verification ---- */

/* Bits of a chain's operands, component by component. */
struct chain_state {
    uint64_t x[PROBE_ITEMS * WIDTH_MAX], y[PROBE_ITEMS * WIDTH_MAX];
};

/* Chains 0, 1, ... of all work-items, as many as the probe takes, REPLAYED turns on. */
static enum am_status replay(const struct builtin *b, struct probe *p, struct chain_state *c,
                             struct am_err *err)
{
    const size_t n = probe_count(b);
    const bool previous = !(fabs(b->fn->chain.second) > 0);
    const uint64_t fixed = am_builtin_bits(b->fn->chain.second, b->wide);
    const double z = am_builtin_value(am_builtin_bits(third, b->wide), b->wide);
    enum am_status s = AM_OK;

    for (size_t i = 0; i < n; i++) {
        c->x[i] = am_builtin_start(i, b->key, b->seed, b->wide);
        c->y[i] = previous ? am_builtin_start(i, b->key, ~b->seed, b->wide) : fixed;
    }
    for (uint32_t turn = 1; turn <= REPLAYED && s == AM_OK; turn++) {
        const uint64_t key = am_builtin_turn(b->key, b->wide, turn);

        for (size_t i = 0; i < n; i++) {
            p->in[X][i] = am_builtin_value(c->x[i], b->wide);
            p->in[Y][i] = am_builtin_value(c->y[i], b->wide);
            p->in[Z][i] = z;
        }
        s = call_each(b, p, err);
        for (size_t i = 0; i < n && s == AM_OK; i++) {
            const double got[2] = {p->out[0][i], p->out[1][i]};

            c->y[i] = previous ? c->x[i] : fixed;
            c->x[i] = am_builtin_next(b->fn, b->wide, got, z, key);
        }
    }
    return s;
}

/* Element i of a buffer of vectors, as bits. */
static enum am_status stored(const struct builtin *b, cl_mem out, size_t i, uint64_t *bits,
                             struct am_err *err)
{
    union word w = {.u64 = 0};
    const enum am_status s =
        am_ocl_device_read(&b->device, out, i * type_bytes(b), type_bytes(b), &w, err);

    *bits = b->wide ? w.u64 : w.u32;
    return s;
}

/* What the rate's kernel must store for component k of a work-item. */
static uint64_t combined(const struct builtin *b, const struct chain_state *c, size_t item,
                         size_t k)
{
    static const uint64_t factors[CHAINS] = {1, 3, 5, 7};
    uint64_t sum = 0;

    for (size_t i = 0; i < b->chains; i++)
        sum += factors[i] * c->x[(item * b->chains + i) * b->width + k];
    return b->wide ? sum : (uint32_t)sum;
}

static enum am_status expect(const struct builtin *b, const char *what, uint64_t got, uint64_t want,
                             struct am_err *err)
{
    if (got == want)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "wrong: %s of %s after %d calls is %#llx, but %#llx call by call", what,
                   b->fn->call, REPLAYED, (unsigned long long)got, (unsigned long long)want);
}

/* A few turns of both kernels against the same calls one by one. */
static enum am_status check_chains(struct builtin *b, const struct chain_state *c,
                                   struct am_err *err)
{
    const size_t covered = PROBE_ITEMS / b->chains;
    const size_t last = (b->items < covered ? b->items : covered) - 1;
    const size_t items[] = {0, last / 2, last};
    uint64_t ignored, got = 0;
    enum am_status s = am_ocl_timing_loop(&b->timer, &b->rate, REPLAYED, &ignored, err);

    if (s == AM_OK)
        s = am_ocl_timing_loop(&b->timer, &b->time, REPLAYED, &ignored, err);
    for (size_t k = 0; k < b->width && s == AM_OK; k++) {
        for (size_t i = 0; i < sizeof(items) / sizeof(*items) && s == AM_OK; i++) {
            s = stored(b, b->out[0], items[i] * b->width + k, &got, err);
            if (s == AM_OK)
                s = expect(b, "a sum of chains", got, combined(b, c, items[i], k), err);
        }
        if (s == AM_OK)
            s = stored(b, b->out[1], k, &got, err);
        if (s == AM_OK)
            s = expect(b, "the chain", got, c->x[k], err);
    }
    return s;
}

/* However long the latest run was, its operands must not have left the domain. */
static enum am_status check_domain(const struct builtin *b, struct am_err *err)
{
    const uint64_t mask = am_builtin_mask(b->wide);

    for (size_t k = 0; k < b->width; k++) {
        uint64_t got = 0;
        const enum am_status s = stored(b, b->out[1], k, &got, err);

        if (s != AM_OK)
            return s;
        if ((got & ~mask) != (b->key & ~mask))
            return am_fail(err, AM_E_WRONG, "wrong: a chain of %s ends outside its domain: %.17g",
                           b->fn->call, am_builtin_value(got, b->wide));
    }
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct builtin *const b = state;
    struct probe *const p = calloc(1, sizeof(*p));
    struct chain_state *const c = calloc(1, sizeof(*c));
    enum am_status s = AM_OK;

    *residual = b->error;
    if (!p || !c)
        s = am_fail(err, AM_E_NOMEM, "chains of %s", b->fn->name);
    if (s == AM_OK)
        s = check_domain(b, err);
    if (s == AM_OK)
        s = replay(b, p, c, err);
    if (s == AM_OK)
        s = check_chains(b, c, err);
    free(c);
    free(p);
    return s;
}

static void finish(void *state)
{
    struct builtin *const b = state;

    for (int i = 0; i < KERNELS; i++)
        am_ocl_release_kernel(b->kernels[i]);
    for (int i = 0; i < OPERANDS; i++)
        am_ocl_release_buffer(b->operands[i]);
    for (int i = 0; i < 2; i++) {
        am_ocl_release_buffer(b->out[i]);
        am_ocl_release_buffer(b->results[i]);
    }
    am_ocl_program_free(&b->program);
    am_ocl_device_close(&b->device);
}

static const char *const types[] = {"float", "double", NULL};

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [FUNCTION] = {.name = "function",
                  .kind = AM_AXIS_NAME,
                  .dflt = "all",
                  .quick = "sin,exp,rsqrt,hypot,native_sin",
                  .choices = am_builtin_names,
                  .help = "the function; half_ and native_ are its forms of less precision"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "float",
              .thorough = "all",
              .choices = types,
              .help = "element type"},
    [WIDTH] = {.name = "width",
               .kind = AM_AXIS_INT,
               .dflt = "1,4",
               .quick = "4",
               .thorough = "1:16:*2",
               .help = "components of a vector"},
    [ITEMS] = AM_OCL_ITEMS_AXIS,
    [GROUP] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [RATE] = {"rate", "1/s", AM_HIGHER, AM_RULE_OWN,
              "calls per second of the whole device; a vector's components count one each"},
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_OWN,
              "one call, vector or not, in a chain of a single work-item"},
    [ERROR] = {"error_ulp", "", AM_LOWER, AM_RULE_OWN,
               "largest error over the sampled domain, in units of the last place"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_builtin = {
    .name = "ocl.builtin",
    .summary = "mathematical functions of an OpenCL device: speed and error",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct builtin),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
