/* SPDX-License-Identifier: MIT */
/* ocl.svm: what it costs to hand memory from the host to a kernel and back, by its kind.
 *
 * A trip: the host writes a word of every page, a kernel changes every word, the host reads a word
 * of every page. In a buffer that is mapped the driver may have to move all of it twice; shared
 * virtual memory of coarse grain is mapped too, that of fine grain is not. Timed by the host. What
 * the host reads in every trip, and every word after the last, must be what the kernel makes of
 * what was there before. */
#include "bench/ocl/host/payload.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/shared.h"

enum axis_index { DEVICE, MEMORY, SIZE };

enum {
    GROUP = 64,
    COPIES = 4, /* of the size: of drivers that keep one on each side */
};

static const uint32_t factor = UINT32_C(1664525); /* odd: no bit is lost */

struct svm {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_payload payload;
    struct am_ocl_shared memory;
    cl_kernel kernel;
    size_t group;
    uint32_t times, plus; /* a word is times * its first value + plus; but those that are stamped */
    uint32_t serial;      /* of the latest trip */
    uint32_t seen,
        meant; /* sums of the words that were read in all trips, and of what they must be */
    bool ran;
};

static uint32_t stamp_of(const struct svm *w, size_t i)
{
    return (uint32_t)i * UINT32_C(2654435761) + w->serial;
}

/* ---- a trip ---- */

static enum am_status write_stamps(struct svm *w, struct am_err *err)
{
    enum am_status s = am_ocl_shared_enter(&w->memory, CL_MAP_READ | CL_MAP_WRITE, err);

    if (s != AM_OK)
        return s;
    w->serial++;
    for (size_t i = 0; i < w->payload.words; i += w->payload.step) {
        w->memory.at[i] = stamp_of(w, i);
        w->meant += stamp_of(w, i) * factor + 1;
    }
    return am_ocl_shared_leave(&w->memory, err);
}

static enum am_status launch(struct svm *w, struct am_err *err)
{
    const cl_int code = clEnqueueNDRangeKernel(w->device.queue, w->kernel, 1, NULL,
                                               &w->payload.words, &w->group, 0, NULL, NULL);

    w->times *= factor;
    w->plus = w->plus * factor + 1;
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

static enum am_status read_stamps(struct svm *w, struct am_err *err)
{
    const enum am_status s = am_ocl_shared_enter(&w->memory, CL_MAP_READ, err);

    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < w->payload.words; i += w->payload.step)
        w->seen += w->memory.at[i];
    return am_ocl_shared_leave(&w->memory, err);
}

static enum am_status make_trip(struct svm *w, struct am_err *err)
{
    enum am_status s = write_stamps(w, err);

    if (s == AM_OK)
        s = launch(w, err);
    return s == AM_OK ? read_stamps(w, err) : s;
}

/* ---- the hooks ---- */

static enum am_status build(struct svm *w, struct am_err *err)
{
    enum am_status s;

    am_ctx_note(w->device.ctx, "options", "none");
    s = am_ocl_program_build(&w->program, &w->device, "svm", "", err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, "am_svm", &w->kernel, err);
    if (s == AM_OK)
        s = am_ocl_program_group(&w->device, w->kernel, GROUP, &w->group, err);
    return s;
}

static enum am_status set_args(struct svm *w, struct am_err *err)
{
    const enum am_status s = am_ocl_shared_arg(&w->memory, w->kernel, err);
    const cl_int code =
        s == AM_OK ? clSetKernelArg(w->kernel, 1, sizeof(factor), &factor) : CL_SUCCESS;

    return code == CL_SUCCESS ? s : am_ocl_fail(err, code, "clSetKernelArg");
}

static enum am_status fill(struct svm *w, struct am_err *err)
{
    enum am_status s = am_ocl_shared_enter(&w->memory, CL_MAP_READ | CL_MAP_WRITE, err);

    if (s != AM_OK)
        return s;
    am_ocl_payload_words(&w->payload, 0, w->payload.words, 0, w->memory.at);
    w->times = 1;
    w->plus = 0;
    return am_ocl_shared_leave(&w->memory, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct svm *const w = state;
    enum am_status s = am_ocl_payload_choose(&w->payload, point[SIZE].i, COPIES, ctx, err);

    if (s == AM_OK)
        s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK)
        s = am_ocl_shared_open(&w->memory, &w->device, (enum am_ocl_shared_kind)point[MEMORY].i,
                               w->payload.bytes, err);
    if (s == AM_OK)
        s = set_args(w, err);
    if (s == AM_OK)
        s = fill(w, err);
    if (s == AM_OK) /* drivers compile at the first launch */
        s = make_trip(w, err);
    work->bytes_read = work->bytes_written = (double)w->payload.bytes;
    work->ops = 1;
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct svm *const w = state;
    const uint64_t begin = am_ocl_device_now(&w->device);
    enum am_status s = AM_OK;

    w->ran = true;
    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = make_trip(w, err);
    batch->elapsed_ns = am_ocl_device_now(&w->device) - begin;
    return s;
}

/* What word i must be now. */
static uint32_t expected(const struct svm *w, size_t i)
{
    return i % w->payload.step ? am_ocl_payload_word(&w->payload, i, 0) * w->times + w->plus
                               : stamp_of(w, i) * factor + 1;
}

static enum am_status compare(const struct svm *w, double *residual, struct am_err *err)
{
    size_t wrong = 0, first = 0;

    for (size_t i = 0; i < w->payload.words; i++) {
        if (w->memory.at[i] != expected(w, i) && wrong++ == 0)
            first = i;
    }
    *residual = (double)wrong;
    if (!wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: %zu of %zu words; word %zu is %u, not %u", wrong,
                   w->payload.words, first, w->memory.at[first], expected(w, first));
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct svm *const w = state;
    enum am_status s, left;

    *residual = 1;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    if (w->seen != w->meant)
        return am_fail(err, AM_E_WRONG,
                       "wrong: the host did not read in every trip what the "
                       "kernel had left");
    s = am_ocl_shared_enter(&w->memory, CL_MAP_READ, err);
    if (s != AM_OK)
        return s;
    s = compare(w, residual, err);
    left = am_ocl_shared_leave(&w->memory, s == AM_OK ? err : NULL);
    return s == AM_OK ? left : s;
}

static void finish(void *state)
{
    struct svm *const w = state;

    am_ocl_shared_close(&w->memory);
    am_ocl_release_kernel(w->kernel);
    am_ocl_program_free(&w->program);
    am_ocl_device_close(&w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [MEMORY] = {.name = "memory",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = am_ocl_shared_names,
                .help =
                    "a buffer that is mapped; shared virtual memory that is mapped (coarse), or "
                    "used by both as it is (fine)"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "64K,1M,16M",
              .quick = "1M",
              .thorough = "4K:64M:*4",
              .help = "bytes that host and kernel share"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER,
     "host writes a word per page, kernel changes all, host reads a word per page"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes that the kernel reads and writes"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_svm = {
    .name = "ocl.svm",
    .summary = "memory handed from host to kernel and back: mapped, or shared",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct svm),
    .points_per_launch = 9,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
