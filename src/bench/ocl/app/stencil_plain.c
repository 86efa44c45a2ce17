/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on one OpenCL device as it is usually written. */
#include "bench/ocl/app/stencil_plain.h"

#include "base/text.h"

#include <math.h>

enum { OPTIONS_MAX = 64, GROUP_MAX = 256, SEAMS_MAX = 256 };

static enum am_status build(struct am_ocl_plain *p, struct am_err *err)
{
    const bool wide = p->spec.type == AM_STENCIL_F64;
    char options[OPTIONS_MAX];
    size_t most = 0;
    enum am_status s;

    if (!am_str_format(options, sizeof(options), "-DELEMENT=%s -DWIDE=%d -DFORM=%d",
                       wide ? "double" : "float", wide, (int)p->spec.form))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&p->program, p->device, "stencil_plain", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&p->program, "am_stencil_step", &p->step, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&p->program, "am_stencil_rescale", &p->rescale, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&p->program, "am_stencil_begin", &p->begin, err);
    if (s == AM_OK)
        s = am_ocl_program_group_max(p->device, p->step, &most, err);
    p->group = most < GROUP_MAX ? most : GROUP_MAX;
    return s;
}

enum am_status am_ocl_plain_open(struct am_ocl_plain *p, const struct am_ocl_device *device,
                                 const struct am_ocl_stencil_spec *spec, struct am_err *err)
{
    const bool wide = spec->type == AM_STENCIL_F64;
    enum am_status s = am_stencil_coefs(spec->form, spec->type, spec->r, &p->coefs, err);

    p->spec = *spec;
    p->device = device;
    p->element_bytes = wide ? sizeof(cl_double) : sizeof(cl_float);
    if (s == AM_OK && wide && !device->has_double)
        return am_fail(err, AM_E_ABSENT, "%s has no double", device->name);
    if (s == AM_OK)
        s = build(p, err);
    if (s != AM_OK)
        return s;
    p->items = (spec->n + p->group - 1) / p->group * p->group;
    p->elements = (p->items + 2 + p->group - 1) / p->group * p->group;
    for (size_t i = 0; i < 2 && s == AM_OK; i++)
        s = am_ocl_device_buffer(device, CL_MEM_READ_WRITE, p->elements * p->element_bytes, NULL,
                                 &p->u[i], err);
    return s == AM_OK ? am_ocl_plain_fill(p, err) : s;
}

void am_ocl_plain_close(struct am_ocl_plain *p)
{
    am_ocl_release_kernel(p->step);
    am_ocl_release_kernel(p->rescale);
    am_ocl_release_kernel(p->begin);
    am_ocl_release_buffer(p->u[0]);
    am_ocl_release_buffer(p->u[1]);
    am_ocl_program_free(&p->program);
    *p = (struct am_ocl_plain){.front = 0};
}

static enum am_status enqueue(const struct am_ocl_plain *p, cl_kernel kernel, size_t items,
                              cl_event *event, struct am_err *err)
{
    const cl_int code = clEnqueueNDRangeKernel(p->device->queue, kernel, 1, NULL, &items, &p->group,
                                               0, NULL, event);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

enum am_status am_ocl_plain_fill(struct am_ocl_plain *p, struct am_err *err)
{
    const cl_ulong n = p->spec.n;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(p->u[p->front]), AM_OCL_ARG(n)};
    enum am_status s = am_ocl_program_args(p->begin, args, 2, err);

    if (s == AM_OK)
        s = enqueue(p, p->begin, p->elements, NULL, err);
    if (s == AM_OK && clFinish(p->device->queue) != CL_SUCCESS)
        s = am_fail(err, AM_E_WRONG, "clFinish after filling");
    return s;
}

/* Step `step` of an iteration, from 0. The scale is undone when it must be, and at the end. */
static enum am_status run_step(struct am_ocl_plain *p, size_t step, cl_event *event,
                               struct am_err *err)
{
    const size_t every = p->coefs.rescale_every, age = step % every + 1;
    const bool scaled = p->spec.form != AM_STENCIL_paper;
    const bool rescales = scaled && (age == every || step + 1 == p->spec.steps);
    const double factor = rescales ? am_stencil_shrink(&p->coefs, age) : 1;
    const cl_double wide[] = {p->coefs.side * factor, p->coefs.centre * factor};
    const cl_float narrow[] = {(cl_float)wide[0], (cl_float)wide[1]};
    const bool is_wide = p->spec.type == AM_STENCIL_F64;
    const cl_ulong n = p->spec.n;
    const cl_kernel kernel = rescales ? p->rescale : p->step;
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(p->u[p->front]),
        AM_OCL_ARG(p->u[!p->front]),
        AM_OCL_ARG(n),
        is_wide ? AM_OCL_ARG(wide[0]) : AM_OCL_ARG(narrow[0]),
        is_wide ? AM_OCL_ARG(wide[1]) : AM_OCL_ARG(narrow[1]),
    };
    enum am_status s = am_ocl_program_args(kernel, args, sizeof(args) / sizeof(args[0]), err);

    if (s == AM_OK)
        s = enqueue(p, kernel, p->items, event, err);
    p->front = !p->front;
    return s;
}

enum am_status am_ocl_plain_run(struct am_ocl_plain *p, uint64_t iters, uint64_t *elapsed_ns,
                                struct am_err *err)
{
    struct am_ocl_ends ends = {.first = NULL};
    enum am_status s = AM_OK, taken;
    cl_int code;

    for (uint64_t i = 0; i < iters && s == AM_OK; i++) {
        for (size_t step = 0; step < p->spec.steps && s == AM_OK; step++) {
            const bool first = i == 0 && step == 0;
            const bool last = i + 1 == iters && step + 1 == p->spec.steps;

            s = run_step(p, step, first ? &ends.first : last ? &ends.last : NULL, err);
        }
    }
    code = clFinish(p->device->queue);
    if (s == AM_OK && code != CL_SUCCESS)
        s = am_ocl_fail(err, code, "clFinish");
    taken = am_ocl_ends_take(&ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? taken : s;
}

static double value_of(const void *self, size_t point)
{
    const struct am_ocl_plain *const p = self;
    cl_float narrow = NAN;
    cl_double wide = NAN;
    void *const to = p->spec.type == AM_STENCIL_F32 ? (void *)&narrow : (void *)&wide;

    (void)am_ocl_device_read(p->device, p->u[p->front], (point + 1) * p->element_bytes,
                             p->element_bytes, to, NULL);
    return p->spec.type == AM_STENCIL_F32 ? (double)narrow : wide;
}

static size_t seams_of(const struct am_ocl_plain *p)
{
    return p->items / p->group < SEAMS_MAX ? p->items / p->group : SEAMS_MAX;
}

/* First points of groups, evenly over all: groups do not overlap, and nothing else is done at their
 * ends than between them. */
static size_t seam_of(const void *self, size_t i)
{
    const struct am_ocl_plain *const p = self;

    return i * (p->items / p->group / seams_of(p)) * p->group;
}

struct am_stencil_view am_ocl_plain_view(const struct am_ocl_plain *p, uint64_t seed)
{
    return (struct am_stencil_view){
        .type = p->spec.type,
        .n = p->spec.n,
        .steps = p->spec.steps,
        .r = p->spec.r,
        .tolerance = am_stencil_tolerance(p->spec.type, p->spec.steps),
        .sharp = am_stencil_is_sharp(p->spec.form, p->spec.r),
        .seed = seed,
        .self = p,
        .value = value_of,
        .seams = seams_of(p),
        .seam = seam_of,
    };
}
