/* SPDX-License-Identifier: MIT */
/* Grids on several OpenCL devices: runs of planes, their exchange, comparisons. */
#include "bench/ocl/app/stencil_parts.h"

#include "base/rng.h"
#include "bench/apps/grid_check.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALL = 1 << 24,     /* points that the host compares, a transfer for each row, */
    SAMPLES = 1 << 13, /* and how many more of larger grids, each by one */
};

static size_t plane_bytes(const struct am_ocl_parts *w)
{
    const struct am_ocl_grid *const g = &w->part[0].grid;

    return (size_t)g->across[0] * g->across[1] * g->element_bytes;
}

/* ---- open ---- */

static enum am_status open_part(struct am_ocl_parts *w, size_t i,
                                const struct am_ocl_device *device,
                                const struct am_ocl_wave_shape *shape, struct am_err *err)
{
    struct am_ocl_grid_part *const part = &w->part[i];
    const size_t whole = w->spec.n[w->spec.dim - 1], all = w->ring.total ? w->ring.total : w->count;
    const size_t number = w->ring.before + i;
    struct am_ocl_grid_spec spec = w->spec;
    struct am_ocl_sweep_found found;
    enum am_status s;

    part->origin = am_ocl_ring_start(whole, number, all);
    part->planes = am_ocl_ring_start(whole, number + 1, all) - part->origin;
    if (whole / all < w->depth) /* of the shortest: all processes say so, or none */
        return am_fail(err, AM_E_ABSENT, "%zu planes for %zu devices, passes of %zu steps", whole,
                       all, w->depth);
    spec.first = (part->origin + whole - w->depth) % whole;
    spec.planes = part->planes + 2 * w->depth;
    s = am_ocl_grid_open(&part->grid, device, &spec, err);
    if (s == AM_OK && shape)
        s = am_ocl_wave_build(&part->wave, &part->grid, shape, err);
    if (s == AM_OK && shape)
        am_ocl_wave_cut(&part->wave, shape->cuts);
    if (s == AM_OK && !shape)
        s = am_ocl_sweep_tune(&part->sweep, &part->grid, &found, err);
    return s;
}

enum am_status am_ocl_parts_open(struct am_ocl_parts *w, const struct am_ocl_device *const *devices,
                                 size_t count, const struct am_ocl_grid_spec *spec,
                                 const struct am_ocl_wave_shape *shape,
                                 const struct am_ocl_ring *ring, struct am_err *err)
{
    enum am_status s = AM_OK;

    if (count < 1 || count > AM_OCL_STENCIL_PARTS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu devices, not 1 to %d", count,
                       AM_OCL_STENCIL_PARTS_MAX);
    *w = (struct am_ocl_parts){
        .spec = *spec, .count = count, .depth = shape ? shape->depth : 1, .passes = shape};
    if (ring)
        w->ring = *ring;
    for (size_t i = 0; i < count && s == AM_OK; i++)
        s = open_part(w, i, devices[i], shape, err);
    if (s != AM_OK)
        return s;
    w->borders = malloc(2 * (count + 1) * w->depth * plane_bytes(w));
    return w->borders ? AM_OK : am_fail(err, AM_E_NOMEM, "borders of %zu planes", w->depth);
}

void am_ocl_parts_close(struct am_ocl_parts *w)
{
    for (size_t i = 0; i < w->count; i++) {
        am_ocl_wave_free(&w->part[i].wave);
        am_ocl_sweep_free(&w->part[i].sweep);
        am_ocl_grid_close(&w->part[i].grid);
    }
    free(w->borders);
    *w = (struct am_ocl_parts){.count = 0};
}

enum am_status am_ocl_parts_fill(struct am_ocl_parts *w, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < w->count && s == AM_OK; i++)
        s = am_ocl_grid_fill(&w->part[i].grid, err);
    return s;
}

/* ---- steps ---- */

/* Planes of the part's array, from or to the host. */
static enum am_status take_planes(const struct am_ocl_parts *w, size_t i, size_t first, char *to,
                                  struct am_err *err)
{
    const struct am_ocl_grid *const g = &w->part[i].grid;

    return am_ocl_device_read(g->device, g->u[g->front], first * plane_bytes(w),
                              w->depth * plane_bytes(w), to, err);
}

static enum am_status give_planes(const struct am_ocl_parts *w, size_t i, size_t first,
                                  const char *from, struct am_err *err)
{
    const struct am_ocl_grid *const g = &w->part[i].grid;

    return am_ocl_device_write(g->device, g->u[g->front], first * plane_bytes(w),
                               w->depth * plane_bytes(w), from, err);
}

/* What lies before the first part and behind the last: with other processes, or at the other end.
 */
static enum am_status trade(const struct am_ocl_parts *w, size_t bytes, char *outside[2],
                            struct am_err *err)
{
    char *const first = w->borders, *const last = w->borders + (2 * w->count - 1) * bytes;

    outside[0] = w->ring.total ? w->borders + 2 * w->count * bytes : last;
    outside[1] = w->ring.total ? outside[0] + bytes : first;
    return w->ring.total
               ? w->ring.trade(w->ring.self, first, last, (void *const *)outside, bytes, err)
               : AM_OK;
}

/* Each part's first and last planes go to its neighbours. */
static enum am_status exchange(const struct am_ocl_parts *w, struct am_err *err)
{
    const size_t bytes = w->depth * plane_bytes(w);
    char *outside[2];
    enum am_status s = AM_OK;

    for (size_t i = 0; i < w->count && s == AM_OK; i++) {
        s = take_planes(w, i, w->depth, w->borders + 2 * i * bytes, err);
        if (s == AM_OK)
            s = take_planes(w, i, w->part[i].planes, w->borders + (2 * i + 1) * bytes, err);
    }
    if (s == AM_OK)
        s = trade(w, bytes, outside, err);
    for (size_t i = 0; i < w->count && s == AM_OK; i++) {
        const char *const before = i ? w->borders + (2 * i - 1) * bytes : outside[0];
        const char *const after = i + 1 < w->count ? w->borders + 2 * (i + 1) * bytes : outside[1];

        s = give_planes(w, i, 0, before, err);
        if (s == AM_OK)
            s = give_planes(w, i, w->depth + w->part[i].planes, after, err);
    }
    return s;
}

/* Up to `depth` steps of all parts, at the same time. */
static enum am_status advance_all(struct am_ocl_parts *w, size_t steps, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < w->count && s == AM_OK; i++) {
        struct am_ocl_grid_part *const part = &w->part[i];

        if (w->passes)
            s = am_ocl_wave_advance(&part->wave, steps, NULL, err);
        else
            s = am_ocl_sweep_advance(&part->sweep, steps, NULL, err);
        if (s == AM_OK && clFlush(part->grid.device->queue) != CL_SUCCESS)
            s = am_fail(err, AM_E_WRONG, "clFlush");
    }
    return s;
}

enum am_status am_ocl_parts_advance(struct am_ocl_parts *w, size_t steps, struct am_err *err)
{
    enum am_status s = AM_OK;

    while (steps > 0 && s == AM_OK) {
        const size_t now = steps < w->depth ? steps : w->depth;

        s = exchange(w, err);
        if (s == AM_OK)
            s = advance_all(w, now, err);
        steps -= now;
    }
    for (size_t i = 0; i < w->count; i++) {
        if (clFinish(w->part[i].grid.device->queue) != CL_SUCCESS && s == AM_OK)
            s = am_fail(err, AM_E_WRONG, "clFinish");
    }
    return s;
}

/* ---- comparisons ---- */

/* The planes that lie here. */
static size_t first_plane(const struct am_ocl_parts *w)
{
    return w->part[0].origin;
}

static size_t end_plane(const struct am_ocl_parts *w)
{
    return w->part[w->count - 1].origin + w->part[w->count - 1].planes;
}

static const struct am_ocl_grid_part *part_of(const struct am_ocl_parts *w, size_t plane)
{
    size_t i = 0;

    while (plane >= w->part[i].origin + w->part[i].planes)
        i++;
    return &w->part[i];
}

/* A plane of both states. */
static enum am_status compare_plane(const struct am_ocl_parts *w, const struct am_ocl_grid *plain,
                                    size_t plane, char *room, struct am_err *err)
{
    const struct am_ocl_grid_part *const part = part_of(w, plane);
    const struct am_ocl_grid *const g = &part->grid;
    const size_t bytes = plane_bytes(w), local = plane - part->origin + w->depth;
    enum am_status s =
        am_ocl_device_read(g->device, g->u[g->front], local * bytes, bytes, room, err);

    if (s == AM_OK)
        s = am_ocl_device_read(plain->device, plain->u[plain->front], plane * bytes, bytes,
                               room + bytes, err);
    if (s == AM_OK && memcmp(room, room + bytes, bytes) != 0)
        return am_fail(err, AM_E_WRONG, "plane %zu of device %zu is not what plain steps make",
                       plane, (size_t)(part - w->part));
    return s;
}

enum am_status am_ocl_parts_match(const struct am_ocl_parts *w, size_t steps, struct am_err *err)
{
    struct am_ocl_grid plain = {.front = 0};
    char *const room = malloc(2 * plane_bytes(w));
    enum am_status s = room ? AM_OK : am_fail(err, AM_E_NOMEM, "two planes");

    if (s == AM_OK)
        s = am_ocl_grid_open(&plain, w->part[0].grid.device, &w->spec, err);
    if (s == AM_OK)
        s = am_ocl_grid_sweep(&plain, steps, NULL, err);
    for (size_t plane = first_plane(w); plane < end_plane(w) && s == AM_OK; plane++)
        s = compare_plane(w, &plain, plane, room, err);
    am_ocl_grid_close(&plain);
    free(room);
    return s;
}

enum am_status am_ocl_parts_prove(struct am_ocl_parts *w, size_t steps, struct am_err *err)
{
    enum am_status s = am_ocl_parts_fill(w, err);

    if (s == AM_OK)
        s = am_ocl_parts_advance(w, steps, err);
    return s == AM_OK ? am_ocl_parts_match(w, steps, err) : s;
}

static double value_of(const void *self, const size_t at[3])
{
    const struct am_ocl_parts *const w = self;
    const unsigned last = w->spec.dim - 1;
    const struct am_ocl_grid_part *const part = part_of(w, at[last]);
    size_t local[3] = {at[0], at[1], at[2]};

    local[last] = at[last] - part->origin + w->depth;
    return am_ocl_grid_value(&part->grid, local);
}

static void row_of(const void *self, size_t y, size_t z, double *values)
{
    const struct am_ocl_parts *const w = self;
    const size_t cut = w->spec.dim == 2 ? y : z;
    const struct am_ocl_grid_part *const part = part_of(w, cut);
    const size_t here = cut - part->origin + w->depth;

    am_ocl_grid_row(&part->grid, w->spec.dim == 2 ? here : y, w->spec.dim == 2 ? z : here, values);
}

/* A quarter of all points lies where two parts meet, a quarter at a side of the grid. */
static void to_seam(const void *self, struct am_rng *rng, size_t i, size_t at[3])
{
    const struct am_ocl_parts *const w = self;
    const unsigned last = w->spec.dim - 1, d = (unsigned)(am_rng_u64(rng) % w->spec.dim);
    const struct am_ocl_grid_part *const part = &w->part[i / 4 % w->count];

    if (i % 4 == 3)
        at[d] = i / 4 % 2 ? w->spec.n[d] - 1 : 0;
    at[last] = first_plane(w) + at[last] % (end_plane(w) - first_plane(w));
    if (i % 4 == 1)
        at[last] = part->origin + (i / 4 / w->count % 2 ? part->planes - 1 : 0);
}

static struct am_grid_view view_of(const struct am_ocl_parts *w)
{
    const size_t rows = w->spec.dim == 2 ? 1 : w->spec.n[1]; /* of a plane */

    return (struct am_grid_view){.spec = am_ocl_grid_spec_of(&w->part[0].grid),
                                 .self = w,
                                 .value = value_of,
                                 .seam = to_seam,
                                 .row = row_of,
                                 .first = first_plane(w) * rows,
                                 .rows = (end_plane(w) - first_plane(w)) * rows,
                                 .all = ALL,
                                 .samples = SAMPLES};
}

enum am_status am_ocl_parts_look(const struct am_ocl_parts *w, uint64_t seed, struct am_err *err)
{
    const struct am_grid_view view = view_of(w);

    return am_grid_view_look(&view, seed, err);
}

enum am_status am_ocl_parts_compare(const struct am_ocl_parts *w, size_t steps, uint64_t seed,
                                    double *residual, struct am_err *err)
{
    const struct am_grid_view view = view_of(w);

    return am_grid_view_compare(&view, steps, seed, residual, err);
}
