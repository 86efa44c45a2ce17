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
 * Sweeps are the same with one tile, one step and a second array; those of plain loops go plane by
 * plane. */
#include "app/stencil/grid_tiles.h"

#include "app/stencil/grid_layout.h"
#include "app/stencil/wave.h"

static unsigned loop_of(const struct am_grid_spec *spec)
{
    static const unsigned loops[] = {
        [AM_STENCIL_BY_SCALAR] = AM_STENCIL_SCALAR,
        [AM_STENCIL_BY_AUTO] = AM_STENCIL_AUTO,
        [AM_STENCIL_BY_UNALIGNED] = AM_STENCIL_UNALIGNED,
        [AM_STENCIL_BY_INTERLEAVED] = AM_STENCIL_INTERLEAVED,
        [AM_STENCIL_BY_PREFETCH] = AM_STENCIL_PREFETCH,
        [AM_STENCIL_BY_SKEW] = AM_STENCIL_PREFETCH,
        [AM_STENCIL_BY_SLICE] = AM_STENCIL_PREFETCH,
    };

    return spec->method == AM_STENCIL_BY_AUTO && spec->whole ? AM_GRID_WHOLE : loops[spec->method];
}

am_grid_fn *am_grid_loop(const struct am_grid_spec *spec)
{
    return spec->kernels
        ->step[spec->dim - AM_GRID_DIM_LEAST][loop_of(spec)][spec->form][spec->type];
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
    size_t part;
    const struct am_grid_pass *pass;
    char *u; /* point (0, 0, 0) at step 0, counted from the end that the pass begins at */
    char *v; /* and at step 1 */
    ptrdiff_t stride[3];
    ptrdiff_t diagonal;            /* bytes that a step moves the state by */
    ptrdiff_t extent[3];           /* points of the part */
    struct am_grid_counts *counts; /* boxes are counted in place of being stepped; NULL: stepped */
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

    return (struct step){.fn = spec->kernels->step[spec->dim - AM_GRID_DIM_LEAST][loop_of(spec)]
                                                  [AM_STENCIL_paper][spec->type],
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

/* Of a slice before the next rows are taken. Three dimensions have less in the first-level cache.
 */
static ptrdiff_t few_steps(unsigned dim)
{
    return dim == 2 ? 8 : 2;
}

/* Rows that the loop takes at once, and points of each that one turn of it takes a step further. */
static size_t rows_at_once(const struct am_grid_spec *spec)
{
    return loop_of(spec) == AM_STENCIL_PREFETCH ? spec->kernels->rows : 1;
}

static size_t points_per_turn(const struct am_grid_spec *spec)
{
    const size_t lanes = spec->kernels->lanes[spec->type];
    const size_t points[AM_GRID_LOOPS] = {[AM_STENCIL_SCALAR] = 1,
                                          [AM_STENCIL_AUTO] = spec->kernels->auto_lanes[spec->type],
                                          [AM_STENCIL_UNALIGNED] = 4 * lanes,
                                          [AM_STENCIL_INTERLEAVED] = 4,
                                          [AM_STENCIL_PREFETCH] = 2,
                                          [AM_GRID_WHOLE] = lanes};

    return points[loop_of(spec)];
}

/* Bytes that move between first- and second-level cache though they do not between there and where
 * the grid lies: of a tile all that a step of a box reads and writes, or one of a few steps where
 * the box stays in the first-level cache meanwhile; of a sweep through three dimensions the planes
 * before and behind, unless three planes stay there. */
static double bytes_again(const struct am_stencil_grid *grid, const size_t n[3], size_t l1_bytes)
{
    const bool solid = grid->spec.dim == 3;
    const double plane = (double)((n[0] + 2) * (n[1] + 2) * grid->point_bytes);
    const double touched = plane * (solid ? (double)(n[2] + 2) : 1);
    const double moved = touched + (double)(n[0] * n[1] * n[2] * grid->point_bytes);

    if (grid->spec.method < AM_STENCIL_BY_SKEW)
        return solid && 3 * plane > (double)l1_bytes ? 2 * touched : 0;
    if (grid->spec.method == AM_STENCIL_BY_SLICE && touched <= (double)l1_bytes)
        return moved / (double)few_steps(grid->spec.dim);
    return moved;
}

static void count_box(const struct am_stencil_grid *grid, const size_t n[3],
                      struct am_grid_counts *counts)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const size_t rows = rows_at_once(spec), bands = n[1] / rows * n[2], single = n[1] % rows * n[2];

    counts->turns += (double)(bands * (n[0] / points_per_turn(spec)));
    counts->bands[0] += (double)bands;
    counts->points[0] += (double)(bands * n[0]);
    counts->bands[1] += (double)single;
    counts->points[1] += (double)(single * n[0]);
    counts->l2_bytes += bytes_again(grid, n, counts->l1_bytes);
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
                              .centre = step->centre,
                              .wraps = am_grid_is_plain(&course->grid->spec) &&
                                       am_grid_is_whole(course->grid, 0)};

    for (unsigned d = 0; d < 3; d++) {
        first += from[d] * course->stride[d];
        box.n[d] = (size_t)(to[d] - from[d]);
    }
    box.u = course->u + first;
    box.v = course->v + first;
    if (course->counts)
        count_box(course->grid, box.n, course->counts);
    else
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
 * that these steps find them in the first-level cache. */
static void step_in_slices(const struct course *course, const ptrdiff_t origin[3],
                           const ptrdiff_t size[3])
{
    const struct am_grid_spec *const spec = &course->grid->spec;
    const ptrdiff_t steps = (ptrdiff_t)course->pass->steps, few = few_steps(spec->dim);
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
static void set_out(struct course *course)
{
    const struct am_stencil_grid *const grid = course->grid;
    const ptrdiff_t strides[3] = {(ptrdiff_t)grid->point_bytes, grid->row, grid->plane};
    const struct am_grid_phase *const from = &course->pass->from;
    const struct am_grid_phase other = {.front = !from->front};
    size_t extent[3];

    am_grid_extent(grid, course->part, extent);
    course->u = am_grid_array(grid, course->part, from);
    for (unsigned d = 0; d < 3; d++) {
        course->extent[d] = (ptrdiff_t)extent[d];
        course->stride[d] = course->pass->forth ? strides[d] : -strides[d];
        if (!course->pass->forth)
            course->u += (course->extent[d] - 1) * strides[d];
        if (d < grid->spec.dim)
            course->diagonal += course->stride[d];
    }
    course->v = grid->spec.method < AM_STENCIL_BY_SKEW ? am_grid_array(grid, course->part, &other)
                                                       : course->u - course->diagonal;
}

static struct course begin(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_pass *pass)
{
    const struct am_grid_spec *const spec = &grid->spec;
    struct course course = {.grid = grid,
                            .part = part,
                            .pass = pass,
                            .plain = {am_grid_loop(spec), grid->coefs.side, grid->coefs.centre}};

    set_out(&course);
    if (spec->form != AM_STENCIL_paper) {
        course.rescaling[0] = rescaling_step(grid, grid->coefs.rescale_every);
        course.rescaling[1] = rescaling_step(grid, age_at(&course, pass->steps - 1) + 1);
    }
    return course;
}

/* A plain loop: plane after plane, and what lies beyond the sides of each while it is in cache. */
static void sweep_planes(const struct course *course)
{
    const struct am_grid_phase to = {.front = !course->pass->from.front};
    const ptrdiff_t *const n = course->extent;

    for (ptrdiff_t z = 0; z < n[2]; z++) {
        const ptrdiff_t from[3] = {0, 0, z}, end[3] = {n[0], n[1], z + 1};

        step_box(course, 0, from, end);
        am_grid_wrap_plane(course->grid, course->part, &to, (size_t)z);
    }
}

/* Along the slowest dimension first: its tiles share most of what is in cache. */
static void go_through(const struct course *course)
{
    const struct am_grid_spec *const spec = &course->grid->spec;
    const bool sweeps = spec->method < AM_STENCIL_BY_SKEW;
    void (*const step)(const struct course *, const ptrdiff_t[3], const ptrdiff_t[3]) =
        spec->method == AM_STENCIL_BY_SLICE ? step_in_slices : step_whole;
    const ptrdiff_t steps = (ptrdiff_t)course->pass->steps;
    ptrdiff_t first[3] = {0, 0, 0}, end[3] = {1, 1, 1}, size[3] = {1, 1, 1}, at[3];

    for (unsigned d = 0; d < spec->dim; d++) {
        first[d] = 2 - steps;
        end[d] = course->extent[d] + steps;
        size[d] = sweeps ? end[d] - first[d] : (ptrdiff_t)spec->tile[d];
    }
    for (at[0] = first[0]; at[0] < end[0]; at[0] += size[0]) {
        for (at[1] = first[1]; at[1] < end[1]; at[1] += size[1]) {
            for (at[2] = first[2]; at[2] < end[2]; at[2] += size[2])
                step(course, at, size);
        }
    }
}

void am_grid_advance_tiles(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_pass *pass)
{
    const struct course course = begin(grid, part, pass);

    if (am_grid_is_plain(&grid->spec))
        sweep_planes(&course);
    else
        go_through(&course);
}

/* ---- what a run is made of ---- */

void am_grid_count(const struct am_stencil_grid *grid, size_t steps, struct am_grid_counts *counts)
{
    struct am_grid_phase phase = {.age = 0};

    while (steps) {
        const struct am_grid_pass pass = am_grid_next(grid, &phase, steps);
        struct course course = begin(grid, 0, &pass);

        course.counts = counts;
        go_through(&course);
        am_grid_passed(grid, &phase, &pass);
        steps -= pass.steps;
    }
}

size_t am_grid_band(const struct am_stencil_grid *grid, size_t bands, size_t columns, bool single,
                    struct am_grid_box *box)
{
    const struct am_grid_pass pass = {.steps = 1, .forth = true};
    const struct course course = begin(grid, 0, &pass);
    const size_t rows = single ? 1 : rows_at_once(&grid->spec);
    const size_t planes = grid->spec.dim == 3 ? 3 : 1;

    if (columns > (size_t)course.extent[0] || bands * rows > (size_t)course.extent[1])
        return 0;
    *box = (struct am_grid_box){.u = course.u,
                                .v = course.v,
                                .n = {columns, bands * rows, 1},
                                .step = course.stride[0],
                                .row = course.stride[1],
                                .plane = course.stride[2],
                                .centre = 1};
    return (rows * bands + 2) * (columns + 2) * grid->point_bytes *
           (grid->spec.method < AM_STENCIL_BY_SKEW ? planes + 1 : planes);
}
