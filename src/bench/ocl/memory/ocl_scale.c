/* SPDX-License-Identifier: MIT */
/* ocl.scale, backend opencl: the vector addition by work-items. */
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"
#include "bench/shared/scale.h"

#include <math.h>
#include <stdlib.h>

enum { A, B, C, ARRAYS };

enum { HOST_COPIES = 1, BOTH_COPIES = 2 }; /* of the arrays: to check, and on a CPU the buffers */

struct scaled {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_range range;
    struct am_scale_shares scale;
    cl_kernel kernel;
    cl_mem arrays[ARRAYS];
    bool ran;
};

static enum am_status set_range(struct scaled *w, struct am_err *err)
{
    const size_t items = w->scale.items;
    size_t group = 1;
    const enum am_status s = am_ocl_program_group(
        &w->device, w->kernel, am_scale_group(items, w->device.is_cpu), &group, err);

    if (s != AM_OK)
        return s;
    /* Work-items beyond the asked for find no share left. */
    w->range = AM_OCL_RANGE1((items + group - 1) / group * group, group);
    am_ctx_note(w->device.ctx, "group", "%zu", group);
    return AM_OK;
}

static enum am_status make_buffers(struct scaled *w, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < ARRAYS && s == AM_OK; i++)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, w->scale.n * sizeof(float), NULL,
                                 &w->arrays[i], err);
    return s;
}

static enum am_status fill(struct scaled *w, struct am_err *err)
{
    const size_t group = w->device.group_max < 64 ? 1 : 64;
    const struct am_ocl_range range =
        AM_OCL_RANGE1((w->scale.n + group - 1) / group * group, group);
    const cl_uint n = (cl_uint)w->scale.n;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->arrays[A]), AM_OCL_ARG(w->arrays[B]),
                                      AM_OCL_ARG(n)};
    struct am_ocl_timer timer = {.device = &w->device};
    cl_kernel kernel = NULL;
    uint64_t elapsed;
    enum am_status s = am_ocl_program_kernel(&w->program, "am_fill", &kernel, err);

    if (s == AM_OK)
        s = am_ocl_program_args(kernel, args, sizeof(args) / sizeof(args[0]), err);
    if (s == AM_OK)
        s = am_ocl_timing_launch(&timer, kernel, &range, 1, &elapsed, err);
    am_ocl_release_kernel(kernel);
    return s;
}

static enum am_status set_args(struct scaled *w, struct am_err *err)
{
    const cl_ulong n = w->scale.n, share = w->scale.share;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(w->arrays[A]), AM_OCL_ARG(w->arrays[B]),
                                      AM_OCL_ARG(w->arrays[C]), AM_OCL_ARG(n), AM_OCL_ARG(share)};

    return am_ocl_program_args(w->kernel, args, sizeof(args) / sizeof(args[0]), err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct scaled *const w = state;
    enum am_status s = am_ocl_device_open(&w->device, ctx, point[AM_SCALE_DEVICE].name, err);

    am_ocl_timing_open(&w->timer, &w->device);
    if (s == AM_OK)
        s = am_scale_choose(&w->scale, ctx, point, 0,
                            w->device.shares_memory ? BOTH_COPIES : HOST_COPIES, work, err);
    if (s == AM_OK)
        s = am_ocl_program_build(&w->program, &w->device, "scale", "", err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, "am_add", &w->kernel, err);
    if (s == AM_OK)
        s = set_range(w, err);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s == AM_OK)
        s = fill(w, err);
    return s == AM_OK ? set_args(w, err) : s;
}

/* No sum is left over from the batch before. */
static enum am_status spoil(struct scaled *w, struct am_err *err)
{
    const float nothing = NAN;
    cl_int code = clEnqueueFillBuffer(w->device.queue, w->arrays[C], &nothing, sizeof(nothing), 0,
                                      w->scale.n * sizeof(float), 0, NULL, NULL);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clEnqueueFillBuffer");
    code = clFinish(w->device.queue);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clFinish");
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct scaled *const w = state;
    const enum am_status s = spoil(w, err);

    w->ran = true;
    if (s != AM_OK)
        return s;
    return am_ocl_timing_launch(&w->timer, w->kernel, &w->range, iters, &batch->elapsed_ns, err);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct scaled *const w = state;
    const size_t bytes = w->scale.n * sizeof(float);
    enum am_status s;
    float *c;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: no addition was made");
    c = malloc(bytes);
    if (!c)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu bytes to check", bytes);
    s = am_ocl_device_read(&w->device, w->arrays[C], 0, bytes, c, err);
    if (s == AM_OK)
        s = am_scale_check(&w->scale, c, residual, err);
    free(c);
    return s;
}

static void finish(void *state)
{
    struct scaled *const w = state;

    am_ocl_release_kernel(w->kernel);
    for (size_t i = 0; i < ARRAYS; i++)
        am_ocl_release_buffer(w->arrays[i]);
    am_ocl_program_free(&w->program);
    am_ocl_device_close(&w->device);
}

static const char *const backends[] = {"opencl", NULL};
static const struct am_axis axes[] = {
    AM_SCALE_AXIS_ROWS(AM_OCL_DEVICE_AXIS, backends),
    {.name = NULL},
};

const struct am_bench am_bench_ocl_scale = {
    AM_SCALE_BENCH,     .axes = axes,           .state_size = sizeof(struct scaled),
    .prepare = prepare, .run_timed = run_timed, .verify = verify,
    .finish = finish,
};
