/* SPDX-License-Identifier: MIT */
/* Passes of several steps on one OpenCL device: what is compiled, cut and run. */
#include "bench/ocl/app/stencil_wave.h"

#include "base/text.h"

enum {
    OPTIONS_MAX = 384,
    NV_LANES = 32,     /* of a warp */
    NV_COPIES = 80,    /* the capability from which on there are asynchronous copies, */
    COPY_BYTES = 16,   /* of at most so much */
    NV_BARRIERS = 16,  /* bytes of the two that count warps */
    ROWS_OF_PATCH = 8, /* at most */
};

/* ---- build ---- */

/* Rows of a patch are moved as one where no patch lies across the end of the grid's rows. */
static bool is_packed(const struct am_ocl_grid *grid, const struct am_ocl_wave_shape *shape)
{
    return shape->points[0] > 1 && grid->across[0] % shape->points[0] == 0;
}

/* The kernel's SHUFFLED. */
static bool passes_by_lanes(const struct am_ocl_grid *grid, const struct am_ocl_wave_shape *shape)
{
    return shape->lanes && is_packed(grid, shape) && grid->device->nv_capability >= NV_COPIES;
}

static size_t tile_side(const struct am_ocl_wave_shape *shape, unsigned d)
{
    return (size_t)shape->items[d] * shape->points[d];
}

/* Points of a patch that others look at: the kernel's SLOTS. */
static size_t rim_of(const struct am_ocl_wave_shape *shape, unsigned dim)
{
    const size_t x = shape->points[0], y = shape->points[1], ends = x > 1 ? 2 : 1;

    if (dim == 2)
        return ends;
    return y == 1 ? x : 2 * x + ends * (y - 2);
}

size_t am_ocl_wave_local_bytes(const struct am_ocl_grid *grid,
                               const struct am_ocl_wave_shape *shape)
{
    const size_t item_bytes = (size_t)shape->items[0] * shape->items[1] * grid->element_bytes;
    const size_t patch = (size_t)shape->points[0] * shape->points[1];

    if (passes_by_lanes(grid, shape)) {
        const size_t rims = 2 * (size_t)shape->depth * shape->points[0] * item_bytes;

        return rims - rims / shape->items[1] + shape->ahead * patch * item_bytes + NV_BARRIERS;
    }
    return 2 * (size_t)shape->at_once * rim_of(shape, grid->spec.dim) * item_bytes;
}

static bool is_patch_side(unsigned points)
{
    return points == 1 || points == 2 || points == 4;
}

/* Rows of a tile are a warp's, rows of a patch one copy. */
static bool has_lanes(const struct am_ocl_wave *w)
{
    const struct am_ocl_wave_shape *const shape = &w->shape;
    const size_t row_bytes = shape->points[0] * w->grid->element_bytes;

    return w->grid->spec.dim == 3 && shape->items[0] == NV_LANES && shape->items[1] > 1 &&
           shape->points[0] > 1 && shape->points[1] > 1 && row_bytes <= COPY_BYTES;
}

static enum am_status check_shape(const struct am_ocl_wave *w, struct am_err *err)
{
    const struct am_ocl_wave_shape *const shape = &w->shape;
    const struct am_ocl_device *const d = w->grid->device;
    const unsigned dim = w->grid->spec.dim;
    const size_t rims = am_ocl_wave_local_bytes(w->grid, shape);

    if (shape->depth < 1 || shape->depth > AM_OCL_WAVE_DEPTH_MAX)
        return am_fail(err, AM_E_ABSENT, "passes of devices have 1 to %d steps, not %u",
                       AM_OCL_WAVE_DEPTH_MAX, shape->depth);
    if (!is_patch_side(shape->points[0]) || shape->points[1] < 1 ||
        shape->points[1] > ROWS_OF_PATCH || !shape->at_once || shape->ahead < 1 ||
        shape->ahead > 2 || shape->unroll < 1 || shape->unroll > AM_OCL_WAVE_DEPTH_MAX + 1 ||
        shape->unroll % shape->ahead || (shape->lanes && !has_lanes(w)) ||
        (dim == 2 && (shape->points[1] > 1 || shape->items[1] > 1)))
        return am_fail(err, AM_E_ABSENT, "no patch has %u x %u points", shape->points[0],
                       shape->points[1]);
    for (unsigned i = 0; i + 1 < dim; i++) {
        if (tile_side(shape, i) <= 2 * (size_t)w->halo[i])
            return am_fail(err, AM_E_ABSENT,
                           "passes of %u steps leave nothing of tiles of %zu points", shape->depth,
                           tile_side(shape, i));
    }
    if ((size_t)shape->items[0] * shape->items[1] > d->group_max)
        return am_fail(err, AM_E_ABSENT, "%s has groups of %zu work-items, not %u x %u", d->name,
                       d->group_max, shape->items[0], shape->items[1]);
    if (rims > d->local_bytes)
        return am_fail(err, AM_E_ABSENT, "%zu bytes of rims: local memory has %llu", rims,
                       (unsigned long long)d->local_bytes);
    return AM_OK;
}

static enum am_status compile(struct am_ocl_wave *w, struct am_err *err)
{
    const struct am_ocl_wave_shape *const shape = &w->shape;
    const struct am_ocl_grid *const g = w->grid;
    const bool wide = g->spec.type == AM_STENCIL_F64;
    const size_t items = (size_t)shape->items[0] * shape->items[1];
    char options[OPTIONS_MAX];
    size_t most = 0;
    enum am_status s;

    if (!am_str_format(options, sizeof(options),
                       "-DELEMENT=%s -DWIDE=%d -DDIM=%u -DDEPTH=%u -DLX=%u -DLY=%u -DQX=%u "
                       "-DQY=%u -DHALO_X=%u -DHALO_Y=%u -DAT_ONCE=%u -DAHEAD=%u -DUNROLL=%u "
                       "-DLANES=%d -DFETCH=%u -DPINNED=%d -DPACKED=%d",
                       wide ? "double" : "float", wide, g->spec.dim, shape->depth, shape->items[0],
                       shape->items[1], shape->points[0], shape->points[1], w->halo[0], w->halo[1],
                       shape->at_once, shape->ahead, shape->unroll, passes_by_lanes(g, shape),
                       shape->fetch, shape->pinned, is_packed(g, shape)))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&w->program, g->device, "stencil_wave", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, "am_wave_pass", &w->pass, err);
    if (s == AM_OK)
        s = am_ocl_program_group_max(g->device, w->pass, &most, err);
    if (s == AM_OK && most < items)
        return am_fail(err, AM_E_ABSENT, "%u steps leave registers for groups of %zu, not %zu",
                       shape->depth, most, items);
    return s;
}

enum am_status am_ocl_wave_build(struct am_ocl_wave *w, struct am_ocl_grid *grid,
                                 const struct am_ocl_wave_shape *shape, struct am_err *err)
{
    const unsigned grain = shape->points[0] ? shape->points[0] : 1;
    enum am_status s;

    *w = (struct am_ocl_wave){.grid = grid, .shape = *shape};
    if (w->shape.at_once > shape->depth)
        w->shape.at_once = shape->depth;
    w->halo[0] = is_packed(grid, shape) ? (shape->depth + grain - 1) / grain * grain : shape->depth;
    w->halo[1] = grid->spec.dim == 3 ? shape->depth : 0;
    s = check_shape(w, err);
    if (s == AM_OK)
        s = compile(w, err);
    if (s != AM_OK)
        return s;
    for (unsigned d = 0; d < 2; d++) {
        w->own[d] = (cl_uint)(tile_side(shape, d) - 2 * (size_t)w->halo[d]);
        w->groups[d] = (grid->across[d] + w->own[d] - 1) / w->own[d];
    }
    am_ocl_wave_cut(w, 1);
    return AM_OK;
}

void am_ocl_wave_cut(struct am_ocl_wave *w, unsigned cuts)
{
    const cl_uint planes = w->grid->far, pieces = cuts < 1 ? 1 : cuts > planes ? planes : cuts;

    w->chunk = (planes + pieces - 1) / pieces;
    w->groups[2] = (planes + w->chunk - 1) / w->chunk;
    w->shape.cuts = (unsigned)w->groups[2];
}

void am_ocl_wave_free(struct am_ocl_wave *w)
{
    am_ocl_release_kernel(w->pass);
    am_ocl_program_free(&w->program);
    *w = (struct am_ocl_wave){.grid = NULL};
}

/* ---- passes ---- */

static enum am_status set_pass(const struct am_ocl_wave *w, struct am_err *err)
{
    const struct am_ocl_arg own[] = {AM_OCL_ARG(w->own[0]), AM_OCL_ARG(w->own[1]),
                                     AM_OCL_ARG(w->chunk)};

    return am_ocl_grid_args(w->grid, w->pass, own, sizeof(own) / sizeof(own[0]), err);
}

enum am_status am_ocl_wave_advance(void *wave, size_t steps, struct am_ocl_ends *ends,
                                   struct am_err *err)
{
    struct am_ocl_wave *const w = wave;
    const size_t group[3] = {w->shape.items[0], w->shape.items[1], 1};
    const size_t items[3] = {w->groups[0] * group[0], w->groups[1] * group[1], w->groups[2]};
    enum am_status s = set_pass(w, err);

    for (size_t i = 0; i < steps / w->shape.depth && s == AM_OK; i++)
        s = am_ocl_grid_enqueue(w->grid, w->pass, items, group, ends, err);
    return s == AM_OK ? am_ocl_grid_sweep(w->grid, steps % w->shape.depth, ends, err) : s;
}

enum am_status am_ocl_wave_prove(struct am_ocl_wave *w, size_t steps, struct am_err *err)
{
    return am_ocl_grid_prove(w->grid, am_ocl_wave_advance, w, steps, err);
}
