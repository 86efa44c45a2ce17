/* SPDX-License-Identifier: MIT */
/* ocl.intensity: a device between its memory and its arithmetic: flop/s by the operations per byte.
 *
 * A pass over a buffer makes `fmas` fused multiply-adds of every 16 bytes that it reads: 1 to 1024
 * of them are 1/8 to 128 flop per byte, in float and in double. Where the curve bends is the ridge
 * of the device's roofline as a program meets it: with loads and arithmetic in one kernel, not each
 * by its own. A work-item stores one word that depends on every bit of every result; the host
 * computes those of some work-items again, bit by bit. */
#include "base/text.h"
#include "bench/ocl/memory/global.h"
#include "bench/ocl/host/checked.h"

#include <math.h>
#include <string.h>

enum axis_index { DEVICE, TYPE, FMAS, SIZE, EACH, GROUP };

enum swept { FLOAT, DOUBLE };
static const char *const type_names[] = {[FLOAT] = "float", [DOUBLE] = "double", NULL};

enum {
    FOUR_WORDS = 4, /* of which so many fused multiply-adds are made */
    GPU_WORDS = 4,  /* of the vector that is read */
    CPU_WORDS = 16, /* there a work-item fills the vectors of its core alone */
    IN_FLIGHT = 4,  /* elements, as in the kernel */
    FMAS_MAX = 1024,
    USUAL_EACH = 64, /* elements of a work-item: its one word is 1/256 of what it reads */
    USUAL_GROUP = 256,
    CHECKED = 48, /* work-items, other ones each time */
    OPTIONS_MAX = 240,
    NAME_MAX_BYTES = 16,
    CPU_BYTES_PER_CYCLE = 128, /* as in global.c */
    CPU_VECTOR_BYTES = 64,
    CPU_FMAS_PER_CYCLE = 2,
};

/* x * p + q has its fixed point at 1.5, and comes so slowly to it that 1024 steps leave every x a
 * number of its own. */
static const double factor = 1 - 1.0 / 512, addend = 1.5 / 512;

struct intensity {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_range range;
    struct am_ocl_pass pass;
    cl_kernel kernel;
    cl_mem data, out;
    enum swept type;
    uint32_t fmas;
    uint32_t numbers, used, steps; /* of an element; computed with; fused multiply-adds of each */
    uint32_t key;                  /* of the latest batch */
    uint64_t batches;
};

static enum am_status choose(struct intensity *w, const struct am_value *point, struct am_err *err)
{
    const int64_t fmas = point[FMAS].i;

    if (fmas < 1 || fmas > FMAS_MAX || (fmas & (fmas - 1)))
        return am_fail(err, AM_E_ABSENT, "fmas %lld: a power of two up to %d", (long long)fmas,
                       FMAS_MAX);
    if (point[EACH].i % IN_FLIGHT)
        return am_fail(err, AM_E_ABSENT, "each %lld: a multiple of %d", (long long)point[EACH].i,
                       IN_FLIGHT);
    w->type = (enum swept)point[TYPE].i;
    w->fmas = (uint32_t)fmas;
    return AM_OK;
}

/* How the wish is met on this device. */
static enum am_status shape(struct intensity *w, int64_t each, struct am_err *err)
{
    const uint32_t words = w->device.is_cpu ? CPU_WORDS : GPU_WORDS;
    const uint32_t of_four = w->type == DOUBLE ? 2 : FOUR_WORDS; /* numbers in four words */
    const uint32_t used = w->fmas < of_four ? w->fmas : of_four;

    if (w->type == DOUBLE && !w->device.has_double)
        return am_fail(err, AM_E_ABSENT, "the device has no double");
    w->numbers = words / FOUR_WORDS * of_four;
    w->used = words / FOUR_WORDS * used;
    w->steps = w->fmas / used;
    return am_ocl_pass_choose(&w->pass, AM_OCL_GROUP, words, 1, each ? each : USUAL_EACH, err);
}

/* "float4"; of one, "float". */
static const char *vector(char *buf, const char *type, uint32_t n)
{
    if (n > 1)
        (void)am_str_format(buf, NAME_MAX_BYTES, "%s%u", type, n);
    else
        (void)am_str_format(buf, NAME_MAX_BYTES, "%s", type);
    return buf;
}

static enum am_status build(struct intensity *w, struct am_err *err)
{
    const char *const number = type_names[w->type], *const word =
                                                        w->type == DOUBLE ? "ulong" : "uint";
    char options[OPTIONS_MAX], element[NAME_MAX_BYTES], half[NAME_MAX_BYTES], value[NAME_MAX_BYTES],
        sum[NAME_MAX_BYTES];
    enum am_status s;

    (void)vector(value, number, w->used);
    (void)vector(sum, word, w->used);
    (void)am_str_format(
        options, sizeof(options),
        "%s-DNUMBER=%s -DWORD=%s -DELEMENT=%s -DFOLDS=%d -DHALF=as_%s -DVALUE=%s -DAS_VALUE=as_%s "
        "-DSUM=%s -DAS_SUM=as_%s -DUSED=%u -DSTEPS=%u -DEACH=%u",
        w->type == DOUBLE ? "-DDOUBLE " : "", number, word, vector(element, number, w->numbers),
        w->numbers == w->used       ? 0
        : w->numbers == 2 * w->used ? 1
                                    : 2,
        vector(half, word, w->numbers / 2), value, value, sum, sum, w->used, w->steps,
        w->pass.count);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    s = am_ocl_program_build(&w->program, &w->device, "intensity", options, err);
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_intensity", &w->kernel, err) : s;
}

static enum am_status fit(struct intensity *w, const struct am_value *point, struct am_err *err)
{
    const uint64_t bytes = am_ocl_global_bytes(&w->device, point[SIZE].i);
    size_t group = 1;
    enum am_status s =
        am_ocl_program_wanted(&w->device, w->kernel, point[GROUP].i, USUAL_GROUP, &group, err);

    if (s == AM_OK)
        s = am_ocl_pass_fit(&w->pass, bytes, am_ocl_global_least(&w->device), group, err);
    if (s != AM_OK)
        return s;
    w->range = AM_OCL_RANGE1((size_t)w->pass.items, group);
    am_ctx_note(w->device.ctx, "bytes", "%llu", (unsigned long long)bytes);
    am_ctx_note(w->device.ctx, "items", "%zu in groups of %zu", w->range.global[0], group);
    return AM_OK;
}

static enum am_status set_args(const struct intensity *w, struct am_err *err)
{
    const cl_float factor_f = (cl_float)factor, addend_f = (cl_float)addend;
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(w->data),
        AM_OCL_ARG(w->out),
        AM_OCL_ARG(w->pass.mask),
        AM_OCL_ARG(w->key),
        w->type == DOUBLE ? AM_OCL_ARG(factor) : AM_OCL_ARG(factor_f),
        w->type == DOUBLE ? AM_OCL_ARG(addend) : AM_OCL_ARG(addend_f),
    };

    return am_ocl_program_args(w->kernel, args, sizeof(args) / sizeof(args[0]), err);
}

static enum am_status make_buffers(struct intensity *w, struct am_err *err)
{
    enum am_status s = am_ocl_device_buffer(
        &w->device, CL_MEM_READ_WRITE, (size_t)w->pass.elements * w->pass.width * sizeof(cl_uint),
        NULL, &w->data, err);

    if (s == AM_OK)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE,
                                 w->range.global[0] * sizeof(cl_uint), NULL, &w->out, err);
    return s == AM_OK
               ? am_ocl_global_fill(&w->device, &w->program, w->data,
                                    (size_t)w->pass.elements * w->pass.width, w->pass.group, err)
               : s;
}

static void state_work(const struct intensity *w, struct am_work *work)
{
    const double elements = (double)w->pass.items * w->pass.count;
    const double number_bytes = w->type == DOUBLE ? sizeof(cl_double) : sizeof(cl_float);

    work->ops = elements;
    work->bytes_read = am_ocl_pass_bytes(&w->pass);
    work->bytes_written = (double)w->pass.items * sizeof(cl_uint);
    work->flops = 2 * elements * w->used * w->steps;
    if (!w->device.is_cpu)
        return;
    work->bytes_per_cycle_max = CPU_BYTES_PER_CYCLE * (double)w->device.compute_units;
    work->flops_per_cycle_max = 2 * CPU_FMAS_PER_CYCLE * (CPU_VECTOR_BYTES / number_bytes) *
                                (double)w->device.compute_units;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct intensity *const w = state;
    enum am_status s = choose(w, point, err);

    w->key = (uint32_t)ctx->seed;
    if (s == AM_OK)
        s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    am_ocl_timing_open(&w->timer, &w->device);
    if (s == AM_OK)
        s = shape(w, point[EACH].i, err);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK)
        s = fit(w, point, err);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s == AM_OK)
        state_work(w, work);
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct intensity *const w = state;
    enum am_status s;

    w->key++; /* each batch leaves what was not there before */
    w->batches++;
    s = set_args(w, err);
    return s == AM_OK ? am_ocl_timing_launch(&w->timer, w->kernel, &w->range, iters,
                                             &batch->elapsed_ns, err)
                      : s;
}

/* ---- what a work-item must leave ---- */

/* The bits of number `i` of an element, as the buffer has them; those of a float in the low half.
 */
static uint64_t bits_of(const struct intensity *w, uint32_t element, uint32_t i)
{
    const uint32_t word = element * w->pass.width + (w->type == DOUBLE ? 2 * i : i);

    if (w->type == FLOAT)
        return UINT32_C(0x3f800000) | am_ocl_pass_noise(word) >> 9;
    return (uint64_t)(UINT32_C(0x3ff00000) | am_ocl_pass_noise(word + 1) >> 12) << 32 |
           am_ocl_pass_noise(word);
}

static uint64_t stepped_double(uint64_t bits, uint32_t steps)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    for (uint32_t k = 0; k < steps; k++)
        x = fma(x, factor, addend);
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint32_t stepped_float(uint32_t bits, uint32_t steps)
{
    const float p = (float)factor, q = (float)addend;
    float x;

    memcpy(&x, &bits, sizeof(x));
    for (uint32_t k = 0; k < steps; k++)
        x = fmaf(x, p, q);
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Number `i` of those that are used, with the bits of others that are joined to it. */
static uint64_t taken(const struct intensity *w, uint32_t element, uint32_t i)
{
    uint64_t bits = 0;

    for (uint32_t k = i; k < w->numbers; k += w->used)
        bits |= bits_of(w, element, k);
    return bits;
}

static uint32_t expected(const void *state, size_t item)
{
    const struct intensity *const w = state;
    uint32_t folded = 0;

    for (uint32_t i = 0; i < w->used; i++) {
        uint64_t sum = 0;

        for (uint32_t j = 0; j < w->pass.count; j++) {
            const uint64_t bits = taken(w, am_ocl_pass_place(&w->pass, (uint32_t)item, j), i);

            sum += w->type == DOUBLE ? stepped_double(bits, w->steps)
                                     : stepped_float((uint32_t)bits, w->steps);
        }
        folded += w->type == DOUBLE ? (uint32_t)(sum ^ sum >> 32) : (uint32_t)sum;
    }
    return folded ^ w->key;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct intensity *const w = state;
    const struct am_ocl_checking all = {
        &w->device, w->out, (size_t)w->pass.items, CHECKED, w->batches, expected, w};

    return am_ocl_checked(&all, residual, err);
}

static void finish(void *state)
{
    struct intensity *const w = state;
    const cl_mem buffers[] = {w->data, w->out};

    am_ocl_program_close(&w->program, w->kernel, buffers, 2, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .choices = type_names,
              .help = "of the numbers: four floats or two doubles are 16 bytes"},
    [FMAS] = {.name = "fmas",
              .kind = AM_AXIS_INT,
              .dflt = "1:1024:*2",
              .quick = "1,2,32,512,1024",
              .help = "fused multiply-adds per 16 bytes read: an 8th of it is flop per byte"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "0",
              .help = "bytes of the buffer, a power of two; 0: larger than the caches"},
    [EACH] = {.name = "each",
              .kind = AM_AXIS_INT,
              .dflt = "0",
              .help = "elements per work-item, by which their number follows; 0: 64"},
    [GROUP] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "operations per second of the whole device"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes that were read, and the few written"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_intensity = {
    .name = "ocl.intensity",
    .summary = "memory and arithmetic of a device in one kernel, by operations per byte",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct intensity),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
