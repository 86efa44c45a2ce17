/* SPDX-License-Identifier: MIT */
/* One step of a grid per launch on one OpenCL device: what is compiled and run. */
#include "bench/ocl/app/stencil_sweep.h"

#include "base/text.h"

enum { OPTIONS_MAX = 160 };

/* ---- build ---- */

static enum am_status compile(struct am_ocl_sweep *w, struct am_err *err)
{
    const struct am_ocl_sweep_shape *const shape = &w->shape;
    const bool wide = w->grid->spec.type == AM_STENCIL_F64;
    char options[OPTIONS_MAX];
    enum am_status s;

    if (!am_str_format(options, sizeof(options),
                       "-DELEMENT=%s -DWIDE=%d -DDIM=%u -DVX=%u -DROWS=%u -DUNROLL=%u",
                       wide ? "double" : "float", wide, w->grid->spec.dim, shape->points[0],
                       shape->points[1], shape->unroll))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&w->program, w->grid->device, "stencil_sweep", options, err);
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_sweep_step", &w->step, err) : s;
}

/* Groups of at most as many work-items as the kernel allows. */
static enum am_status fit_group(struct am_ocl_sweep *w, struct am_err *err)
{
    unsigned *const group = w->shape.group;
    size_t most = 0;
    const enum am_status s = am_ocl_program_group_max(w->grid->device, w->step, &most, err);

    while (s == AM_OK && (size_t)group[0] * group[1] > most && group[0] * group[1] > 1)
        group[group[1] > 1] /= 2;
    return s;
}

enum am_status am_ocl_sweep_build(struct am_ocl_sweep *w, struct am_ocl_grid *grid,
                                  const struct am_ocl_sweep_shape *shape, struct am_err *err)
{
    enum am_status s;

    *w = (struct am_ocl_sweep){.grid = grid, .shape = *shape};
    while (grid->across[0] % w->shape.points[0])
        w->shape.points[0] /= 2;
    if (w->shape.chunk > grid->far)
        w->shape.chunk = grid->far;
    s = compile(w, err);
    if (s == AM_OK)
        s = fit_group(w, err);
    if (s != AM_OK)
        return s;
    for (unsigned d = 0; d < 2; d++) {
        const size_t points = w->shape.points[d], group = w->shape.group[d];
        const size_t items = (grid->across[d] + points - 1) / points;

        w->items[d] = (items + group - 1) / group * group;
    }
    w->items[2] = (grid->far + w->shape.chunk - 1) / w->shape.chunk;
    return AM_OK;
}

void am_ocl_sweep_free(struct am_ocl_sweep *w)
{
    am_ocl_release_kernel(w->step);
    am_ocl_program_free(&w->program);
    *w = (struct am_ocl_sweep){.grid = NULL};
}

/* ---- steps ---- */

static enum am_status set_step(const struct am_ocl_sweep *w, struct am_err *err)
{
    const struct am_ocl_grid *const g = w->grid;
    const cl_uint chunk = w->shape.chunk;
    const struct am_ocl_number side = am_ocl_number(g->coefs.side);
    const struct am_ocl_number centre = am_ocl_number(g->coefs.centre);
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(g->u[0]),
        AM_OCL_ARG(g->u[1]),
        AM_OCL_ARG(g->across[0]),
        AM_OCL_ARG(g->across[1]),
        AM_OCL_ARG(g->far),
        AM_OCL_ARG(chunk),
        am_ocl_number_arg(g->spec.type, &side),
        am_ocl_number_arg(g->spec.type, &centre),
    };

    return am_ocl_program_args(w->step, args, sizeof(args) / sizeof(args[0]), err);
}

enum am_status am_ocl_sweep_advance(struct am_ocl_sweep *w, size_t steps, struct am_ocl_ends *ends,
                                    struct am_err *err)
{
    const size_t group[3] = {w->shape.group[0], w->shape.group[1], 1};
    enum am_status s = set_step(w, err);

    for (size_t i = 0; i < steps && s == AM_OK; i++)
        s = am_ocl_grid_enqueue(w->grid, w->step, w->items, group, ends, err);
    return s;
}

enum am_status am_ocl_sweep_prove(struct am_ocl_sweep *w, size_t steps, struct am_err *err)
{
    struct am_ocl_grid *const g = w->grid;
    enum am_status s = am_ocl_grid_fill(g, err);

    if (s == AM_OK)
        s = am_ocl_sweep_advance(w, steps, NULL, err);
    if (s == AM_OK)
        s = am_ocl_grid_keep(g, err);
    if (s == AM_OK)
        s = am_ocl_grid_fill(g, err);
    if (s == AM_OK)
        s = am_ocl_grid_sweep(g, steps, NULL, err);
    return s == AM_OK ? am_ocl_grid_same(g, err) : s;
}
