/* SPDX-License-Identifier: MIT */
/* Time skewing: tiles that lean, one point in every dimension with each step, in one array.
 *
 * A tile makes all steps of a pass by itself, each on a box one point before that of the step
 * before. A point is written one place before its own in every dimension, where the value of the
 * step before is needed no more; after t steps it lies t places before its own. So boxes move by
 * two places per step, and at the near sides of a box there is still what the tiles before it have
 * left at just that step: two points, which is what the stencil reaches. Tiles need nothing but the
 * order that each dimension is gone through in. At the ends of a part boxes are cut to what the
 * steps still to come depend on. The next pass goes through the grid the other way round, and moves
 * it back.
 *
 * Sweeps are the same with one tile, one step and a second array. */
#include "app/stencil/grid_tiles.h"

#include "app/stencil/grid_layout.h"
#include "app/stencil/wave.h"

static enum am_stencil_loop loop_of(enum am_stencil_method method)
{
    static const enum am_stencil_loop loops[] = {
        [AM_STENCIL_BY_SCALAR] = AM_STENCIL_SCALAR,
        [AM_STENCIL_BY_AUTO] = AM_STENCIL_AUTO,
        [AM_STENCIL_BY_UNALIGNED] = AM_STENCIL_UNALIGNED,
        [AM_STENCIL_BY_INTERLEAVED] = AM_STENCIL_INTERLEAVED,
        [AM_STENCIL_BY_PREFETCH] = AM_STENCIL_PREFETCH,
        [AM_STENCIL_BY_SKEW] = AM_STENCIL_PREFETCH,
        [AM_STENCIL_BY_SLICE] = AM_STENCIL_PREFETCH,
    };

    return loops[method];
}

am_grid_fn *am_grid_loop(const struct am_grid_spec *spec)
{
    return spec->kernels
        ->step[spec->dim - AM_GRID_DIM_LEAST][loop_of(spec->method)][spec->form][spec->type];
}

/* The work of a pass grows by its steps over the length of a lane; a pass costs an exchange, and
 * all the grid's bytes. Tiles and what they leave beside them fit into a second-level cache of 1
 * MiB. */
void am_grid_choose(struct am_grid_spec *spec, size_t steps)
{
    static const struct {
        size_t depth_most, share; /* of a lane */
        size_t tile[3];
    } usual[AM_GRID_DIMS] = {{32, 12, {64, 32, 1}}, {6, 8, {64, 16, 4}}};
    const size_t kind = spec->dim - AM_GRID_DIM_LEAST;
    const size_t lane = spec->n[spec->dim - 1] / spec->kernels->lanes[spec->type];

    if (spec->method == AM_STENCIL_BY_WAVE)
        am_wave_choose(spec, steps);
    if (spec->method < AM_STENCIL_BY_SKEW || spec->method > AM_STENCIL_BY_SLICE)
        return;
    if (!spec->depth) {
        spec->depth = lane / usual[kind].share + 1;
        if (spec->depth > usual[kind].depth_most)
            spec->depth = usual[kind].depth_most;
    }
    if (spec->depth > steps)
        spec->depth = steps;
    for (unsigned d = 0; d < 3; d++) {
        if (!spec->tile[d])
            spec->tile[d] = usual[kind].tile[d];
    }
}

/* How a step is made. */
struct step {
    am_grid_fn *fn;
    double side, centre;
};

/* A pass of one part on its way. */
struct course {
    const struct am_stencil_grid *grid;
    const struct am_grid_pass *pass;
    char *u; /* point (0, 0, 0) at step 0, counted from the end that the pass begins at */
    char *v; /* and at step 1 */
    ptrdiff_t stride[3];
    ptrdiff_t diagonal;              /* bytes that a step moves the state by */
    ptrdiff_t extent[3];             /* points of the part */
    struct step plain, rescaling[2]; /* two: in between, and with the last step of a run */
};

static size_t age_at(const struct course *course, size_t t)
{
    return (course->pass->from.age + t) % course->grid->coefs.rescale_every;
}

/* Multiplied by a factor, the other forms are the paper's with other coefficients. */
static struct step rescaling_step(const struct am_stencil_grid *grid, size_t age)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const double factor = am_stencil_shrink(&grid->coefs, age);

    return (struct step){.fn = spec->kernels->step[spec->dim - AM_GRID_DIM_LEAST][loop_of(
                             spec->method)][AM_STENCIL_paper][spec->type],
                         .side = grid->coefs.side * factor,
                         .centre = grid->coefs.centre * factor};
}

static const struct step *step_at(const struct course *course, size_t t)
{
    const bool last = course->pass->last && t + 1 == course->pass->steps;

    if (course->grid->spec.form == AM_STENCIL_paper)
        return &course->plain;
    if (last)
        return &course->rescaling[1];
    return age_at(course, t) + 1 == course->grid->coefs.rescale_every ? &course->rescaling[0]
                                                                      : &course->plain;
}

/* The step from t on a box: [from, to) in each dimension. */
static void step_box(const struct course *course, ptrdiff_t t, const ptrdiff_t from[3],
                     const ptrdiff_t to[3])
{
    const struct step *const step = step_at(course, (size_t)t);
    ptrdiff_t first = -t * course->diagonal;
    struct am_grid_box box = {.step = course->stride[0],
                              .row = course->stride[1],
                              .plane = course->stride[2],
                              .side = step->side,
                              .centre = step->centre};

    for (unsigned d = 0; d < 3; d++) {
        first += from[d] * course->stride[d];
        box.n[d] = (size_t)(to[d] - from[d]);
    }
    box.u = course->u + first;
    box.v = course->v + first;
    step->fn(&box);
}

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* Steps t to `end` of the tile that would begin at `origin` at step 0. */
static void step_tile(const struct course *course, const ptrdiff_t origin[3],
                      const ptrdiff_t size[3], ptrdiff_t t, ptrdiff_t end)
{
    for (; t < end; t++) {
        /* Steps to come need as many ghosts. */
        const ptrdiff_t ahead = (ptrdiff_t)course->pass->steps - t - 1;
        ptrdiff_t from[3] = {0, 0, 0}, to[3] = {1, 1, 1};
        bool some = true;

        for (unsigned d = 0; d < course->grid->spec.dim; d++) {
            from[d] = most(origin[d] - t - 1, -ahead);
            to[d] = least(origin[d] + size[d] - t - 1, course->extent[d] + ahead);
            some = some && from[d] < to[d];
        }
        if (some)
            step_box(course, t, from, to);
    }
}

static void step_whole(const struct course *course, const ptrdiff_t origin[3],
                       const ptrdiff_t size[3])
{
    step_tile(course, origin, size, 0, (ptrdiff_t)course->pass->steps);
}

/* A tile in slices: as many rows as registers hold make a few steps before the next rows do, so
 * that these steps find them in the first-level cache. Three dimensions have less of that. */
static void step_in_slices(const struct course *course, const ptrdiff_t origin[3],
                           const ptrdiff_t size[3])
{
    const struct am_grid_spec *const spec = &course->grid->spec;
    const ptrdiff_t steps = (ptrdiff_t)course->pass->steps, few = spec->dim == 2 ? 8 : 2;
    const ptrdiff_t rows = (ptrdiff_t)spec->kernels->rows;

    for (ptrdiff_t t = 0; t < steps; t += few) {
        for (ptrdiff_t row = 0; row < size[1]; row += rows) {
            const ptrdiff_t at[3] = {origin[0], origin[1] + row, origin[2]};
            const ptrdiff_t slice[3] = {size[0], least(rows, size[1] - row), size[2]};

            step_tile(course, at, slice, t, least(t + few, steps));
        }
    }
}

/* Where the pass begins and which way it goes. */
static void set_out(struct course *course, size_t part)
{
    const struct am_stencil_grid *const grid = course->grid;
    const ptrdiff_t strides[3] = {(ptrdiff_t)grid->point_bytes, grid->row, grid->plane};
    const struct am_grid_phase *const from = &course->pass->from;
    const struct am_grid_phase other = {.front = !from->front};
    size_t extent[3];

    am_grid_extent(grid, part, extent);
    course->u = am_grid_array(grid, part, from);
    for (unsigned d = 0; d < 3; d++) {
        course->extent[d] = (ptrdiff_t)extent[d];
        course->stride[d] = course->pass->forth ? strides[d] : -strides[d];
        if (!course->pass->forth)
            course->u += (course->extent[d] - 1) * strides[d];
        if (d < grid->spec.dim)
            course->diagonal += course->stride[d];
    }
    course->v = grid->spec.method < AM_STENCIL_BY_SKEW ? am_grid_array(grid, part, &other)
                                                       : course->u - course->diagonal;
}

static struct course begin(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_pass *pass)
{
    const struct am_grid_spec *const spec = &grid->spec;
    struct course course = {.grid = grid,
                            .pass = pass,
                            .plain = {am_grid_loop(spec), grid->coefs.side, grid->coefs.centre}};

    set_out(&course, part);
    if (spec->form != AM_STENCIL_paper) {
        course.rescaling[0] = rescaling_step(grid, grid->coefs.rescale_every);
        course.rescaling[1] = rescaling_step(grid, age_at(&course, pass->steps - 1) + 1);
    }
    return course;
}

/* Along the slowest dimension first: its tiles share most of what is in cache. */
void am_grid_advance_tiles(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_pass *pass)
{
    const struct course course = begin(grid, part, pass);
    const bool sweeps = grid->spec.method < AM_STENCIL_BY_SKEW;
    void (*const step)(const struct course *, const ptrdiff_t[3], const ptrdiff_t[3]) =
        grid->spec.method == AM_STENCIL_BY_SLICE ? step_in_slices : step_whole;
    const ptrdiff_t steps = (ptrdiff_t)pass->steps;
    ptrdiff_t first[3] = {0, 0, 0}, end[3] = {1, 1, 1}, size[3] = {1, 1, 1}, at[3];

    for (unsigned d = 0; d < grid->spec.dim; d++) {
        first[d] = 2 - steps;
        end[d] = course.extent[d] + steps;
        size[d] = sweeps ? end[d] - first[d] : (ptrdiff_t)grid->spec.tile[d];
    }
    for (at[0] = first[0]; at[0] < end[0]; at[0] += size[0]) {
        for (at[1] = first[1]; at[1] < end[1]; at[1] += size[1]) {
            for (at[2] = first[2]; at[2] < end[2]; at[2] += size[2])
                step(&course, at, size);
        }
    }
}
