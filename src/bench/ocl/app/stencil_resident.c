/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on data that do not move. */
#include "bench/ocl/app/stencil_resident.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTIONS_MAX = 64,
    POINTS_LEAST = 2,
    REGISTERS_MOST = 64, /* points that a work-item keeps, as the kernel has it */
    GROUP_MAX = 256,
    GPU_ITEMS = 1024, /* per compute unit */
    CPU_ITEMS = 64,
    GROUPS_PER_UNIT = 4, /* where groups have a grid each */
};

static size_t local_bytes(const struct am_ocl_resident *p)
{
    return 2 * (p->spec.n + 2) * p->element_bytes;
}

static enum am_status check(const struct am_ocl_resident *p, struct am_err *err)
{
    const struct am_ocl_stencil_spec *const spec = &p->spec;

    if (spec->type == AM_STENCIL_F64 && !p->device->has_double)
        return am_fail(err, AM_E_ABSENT, "%s has no double", p->device->name);
    if (spec->form != AM_STENCIL_paper)
        return am_fail(err, AM_E_ABSENT, "data that stay in place are stepped in the paper's form");
    if (spec->n < POINTS_LEAST || (!p->local && spec->n > REGISTERS_MOST))
        return am_fail(err, AM_E_ABSENT, "%zu points: a work-item keeps %d to %d", spec->n,
                       POINTS_LEAST, REGISTERS_MOST);
    if (p->local && local_bytes(p) > p->device->local_bytes)
        return am_fail(err, AM_E_ABSENT, "%zu points: local memory has %llu bytes", spec->n,
                       (unsigned long long)p->device->local_bytes);
    return AM_OK;
}

static enum am_status build(struct am_ocl_resident *p, struct am_err *err)
{
    const bool wide = p->spec.type == AM_STENCIL_F64;
    char options[OPTIONS_MAX];
    size_t most = 0;
    enum am_status s;

    if (!am_str_format(options, sizeof(options), "-DELEMENT=%s -DWIDE=%d -DPOINTS=%zu",
                       wide ? "double" : "float", wide, p->spec.n))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&p->program, p->device, "stencil_resident", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(
            &p->program, p->local ? "am_resident_local" : "am_resident_registers", &p->step, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&p->program, "am_resident_begin", &p->begin, err);
    if (s == AM_OK)
        s = am_ocl_program_group_max(p->device, p->step, &most, err);
    p->group = most < GROUP_MAX ? most : GROUP_MAX;
    return s;
}

/* As many grids as keep all units busy. */
static void lay_out(struct am_ocl_resident *p)
{
    const size_t units = p->device->compute_units;
    const size_t items = units * (p->device->is_cpu ? CPU_ITEMS : GPU_ITEMS);
    const size_t groups = p->local ? units * GROUPS_PER_UNIT : (items + p->group - 1) / p->group;

    p->items = groups * p->group;
    p->grids = p->local ? groups : p->items;
}

enum am_status am_ocl_resident_open(struct am_ocl_resident *p, const struct am_ocl_device *device,
                                    const struct am_ocl_stencil_spec *spec, bool local,
                                    struct am_err *err)
{
    enum am_status s = am_stencil_coefs(spec->form, spec->type, spec->r, &p->coefs, err);

    p->spec = *spec;
    p->device = device;
    p->local = local;
    p->element_bytes = spec->type == AM_STENCIL_F64 ? sizeof(cl_double) : sizeof(cl_float);
    if (s == AM_OK)
        s = check(p, err);
    if (s == AM_OK)
        s = build(p, err);
    if (s != AM_OK)
        return s;
    lay_out(p);
    p->row = malloc(p->grids * p->element_bytes);
    if (!p->row)
        return am_fail(err, AM_E_NOMEM, "no memory for a point of %zu grids", p->grids);
    s = am_ocl_device_buffer(device, CL_MEM_READ_WRITE, spec->n * p->grids * p->element_bytes, NULL,
                             &p->u, err);
    return s == AM_OK ? am_ocl_resident_fill(p, err) : s;
}

void am_ocl_resident_close(struct am_ocl_resident *p)
{
    am_ocl_release_kernel(p->step);
    am_ocl_release_kernel(p->begin);
    am_ocl_release_buffer(p->u);
    am_ocl_program_free(&p->program);
    free(p->row);
    *p = (struct am_ocl_resident){.grids = 0};
}

enum am_status am_ocl_resident_fill(struct am_ocl_resident *p, struct am_err *err)
{
    const cl_ulong grids = p->grids;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(p->u), AM_OCL_ARG(grids)};
    const size_t all = p->spec.n * p->grids;
    enum am_status s = am_ocl_program_args(p->begin, args, 2, err);
    cl_int code;

    if (s != AM_OK)
        return s;
    code = clEnqueueNDRangeKernel(p->device->queue, p->begin, 1, NULL, &all, NULL, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(p->device->queue);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "filling the grids");
}

static enum am_status set_args(const struct am_ocl_resident *p, struct am_err *err)
{
    const bool is_wide = p->spec.type == AM_STENCIL_F64;
    const cl_uint steps = (cl_uint)p->spec.steps;
    const cl_double wide[] = {p->coefs.side, p->coefs.centre};
    const cl_float narrow[] = {(cl_float)wide[0], (cl_float)wide[1]};
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(p->u),
        AM_OCL_ARG(steps),
        is_wide ? AM_OCL_ARG(wide[0]) : AM_OCL_ARG(narrow[0]),
        is_wide ? AM_OCL_ARG(wide[1]) : AM_OCL_ARG(narrow[1]),
        AM_OCL_LOCAL(local_bytes(p)),
    };

    return am_ocl_program_args(p->step, args, p->local ? 5 : 4, err);
}

enum am_status am_ocl_resident_run(struct am_ocl_resident *p, uint64_t iters, uint64_t *elapsed_ns,
                                   struct am_err *err)
{
    struct am_ocl_ends ends = {.first = NULL};
    enum am_status s = set_args(p, err), taken;
    cl_int code = CL_SUCCESS;

    for (uint64_t i = 0; i < iters && s == AM_OK && code == CL_SUCCESS; i++)
        code = clEnqueueNDRangeKernel(p->device->queue, p->step, 1, NULL, &p->items, &p->group, 0,
                                      NULL,
                                      i == 0           ? &ends.first
                                      : i + 1 == iters ? &ends.last
                                                       : NULL);
    if (code == CL_SUCCESS)
        code = clFinish(p->device->queue);
    if (s == AM_OK && code != CL_SUCCESS)
        s = am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
    taken = am_ocl_ends_take(&ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? taken : s;
}

static double value_of(const void *self, size_t point)
{
    const struct am_ocl_resident *const p = self;
    const size_t bytes = p->grids * p->element_bytes;
    const char *const row = p->row;

    if (am_ocl_device_read(p->device, p->u, point * bytes, bytes, p->row, NULL) != AM_OK ||
        memcmp(row, row + p->element_bytes, bytes - p->element_bytes) != 0)
        return NAN;
    return p->spec.type == AM_STENCIL_F32 ? (double)*(const cl_float *)p->row
                                          : *(const cl_double *)p->row;
}

struct am_stencil_view am_ocl_resident_view(const struct am_ocl_resident *p, uint64_t seed)
{
    return (struct am_stencil_view){
        .type = p->spec.type,
        .n = p->spec.n,
        .steps = p->spec.steps,
        .r = p->spec.r,
        .tolerance = am_stencil_tolerance(p->spec.type, p->spec.steps),
        .sharp = true,
        .seed = seed,
        .self = p,
        .value = value_of,
    };
}
