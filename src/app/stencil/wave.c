/* SPDX-License-Identifier: MIT */
/* Grids for waves in memory: rows whose lanes are far apart (kernels/wave.h), parts of the slowest
 * dimension, and what parts copy from each other.
 *
 * A state lies `shift` rows, and in three dimensions as many planes, before its place, up to as
 * many as a pass has steps; around it are as many rows and planes of neighbours, none in x, and one
 * beyond fixed sides. Parts of two dimensions have all of this each; those of three dimensions are
 * planes of one array. That, and a single part of two, is a ring where it has no sides
 * (wave_ring.h): rows and planes have gone round by `shift`, and there is nothing before the first.
 */
#include "app/stencil/wave.h"

#include "app/stencil/elements.h"
#include "app/stencil/grid_layout.h"
#include "app/stencil/wave_order.h"
#include "app/stencil/wave_ring.h"
#include "app/stencil/wave_team.h"

#include <stdint.h>
#include <string.h>

enum {
    PAGE_BYTES = 4096,
    LONG_ROW = 16 /* vectors */,
    STRIPS_EACH = 2,
    DEPTH_LEAST = 4,
    DEPTH_SHARED = 3
};

/* ---- what is left to choose ---- */

/* Rows of a strip (2-D: of a wave) that a pass of so many steps may have, so that all of its levels
 * that are under way stay near: each lies two rows and planes behind the one before. */
static size_t rows_that_fit(const struct am_grid_spec *spec, size_t depth)
{
    const size_t row = spec->n[0] * (spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double));
    const size_t planes = spec->dim == 2 ? 1 : 2 * depth + am_wave_find(spec->kernels->isa)->planes;
    /* in two dimensions rows follow each other, and may be half as many again */
    const size_t room = spec->dim == 2 ? spec->near_bytes + spec->near_bytes / 2 : spec->near_bytes;
    const size_t all = room / (row * planes), around = spec->dim == 2 ? 2 * depth : 2;

    return all > around ? all - around : 0;
}

/* Shorter passes where the rows of a long one do not fit: from memory comes, and goes there, each
 * point once a pass, and two rows of every strip at each step. */
static size_t depth_that_fits(const struct am_grid_spec *spec, size_t depth)
{
    const size_t rows = am_wave_find(spec->kernels->isa)->rows;

    while (spec->near_bytes && depth > DEPTH_LEAST &&
           rows_that_fit(spec, depth) < (spec->dim == 2 ? rows : 2 * depth))
        depth--;
    return depth;
}

static size_t rows_of_wave(const struct am_grid_spec *spec)
{
    static const size_t short_row = 32; /* vectors: to begin it takes a twentieth of its time */
    const struct am_wave_variant *const waves = am_wave_find(spec->kernels->isa);

    return spec->n[0] <= short_row * waves->lanes[spec->type] ? waves->rows_short : waves->rows;
}

static bool is_depth(size_t depth)
{
    return depth >= 1 && depth <= AM_WAVE_DEPTH_MAX;
}

/* A grid that is in cache anyway is not cut by one thread. Several have strips by which they are
 * used best where these follow each other from pass to pass (wave_order.h), and else two each at
 * least; none is narrower than a block. Passes that are refused later on are not worth the time
 * that the choice takes. */
static size_t rows_of_strip(const struct am_grid_spec *spec, size_t usual)
{
    const size_t deep = am_wave_find(spec->kernels->isa)->deep;
    const size_t even = spec->n[1] / (STRIPS_EACH * spec->parts);
    const size_t all = spec->n[1] + 2 * spec->depth; /* one strip */
    size_t rows = spec->near_bytes ? rows_that_fit(spec, spec->depth) : usual;

    if (rows > all || (spec->parts == 1 && !spec->near_bytes && !am_wave_is_large(spec)))
        rows = all;
    if (rows < deep)
        rows = deep;
    if (spec->parts > 1 && am_wave_is_ring(spec) && is_depth(spec->depth))
        return am_wave_order_rows(spec, deep, rows);
    if (spec->parts > 1 && rows > even)
        rows = even;
    return rows > deep ? rows : deep;
}

static bool takes_too_much(const struct am_grid_spec *spec)
{
    static const double most = 1.3; /* times the grid */
    const double points = (double)spec->n[0] * (double)spec->n[1] * (double)spec->n[2];
    struct am_stencil_grid grid = {.spec = *spec};

    am_wave_lay_out(&grid);
    return (double)grid.bytes > most * points * (double)grid.element_bytes;
}

/* It goes round. The strip that closes it has a row more than a pass has steps, on average: that is
 * to be half of the rows that each thread has at most, as others wait for it. */
static size_t longest_ring(const struct am_grid_spec *spec, size_t least)
{
    const size_t most = least > 2 ? least / 2 : 1, half = spec->n[1] / (2 * spec->parts);
    const size_t shared = half > DEPTH_SHARED ? half - 1 : DEPTH_SHARED;

    return spec->parts > 1 && shared < most ? shared : most;
}

/* Where parts compute ghosts beside their points, passes are short against their sides. */
static size_t longest_pass(const struct am_grid_spec *spec, size_t share)
{
    const size_t side = spec->n[spec->dim - 1] / spec->parts;
    const size_t least = spec->n[2] < spec->n[1] ? spec->n[2] : spec->n[1];

    if (spec->fixed)
        return AM_WAVE_DEPTH_MAX;
    if (spec->dim == 2)
        return spec->parts == 1 ? longest_ring(spec, side) : side / share + 1;
    return longest_ring(spec, least);
}

/* As many passes, none of them a short one at the end, which would read all of the grid for a few
 * steps. */
static size_t even_depth(size_t depth, size_t steps)
{
    const size_t passes = (steps + depth - 1) / depth;

    return (steps + passes - 1) / passes;
}

/* Large grids have longer passes, since each reads them from memory, as long as what they need
 * beside the grid does not take too much of it. */
void am_wave_choose(struct am_grid_spec *spec, size_t steps)
{
    static const struct {
        size_t depth_small, depth_large, share, rows;
    } usual[AM_GRID_DIMS] = {{8, 16, 16, 0}, {6, 16, 24, 32}};
    const size_t kind = spec->dim - AM_GRID_DIM_LEAST;
    const bool large = am_wave_is_large(spec), open = !spec->depth, open_rows = !spec->tile[0];
    const size_t most = longest_pass(spec, usual[kind].share);
    /* without ghosts rows cost nothing, and each pass has its beginning and its end */
    const bool deep = large || (spec->dim == 2 && (spec->fixed || spec->parts == 1));
    size_t depth = deep ? usual[kind].depth_large : usual[kind].depth_small;

    if (depth > most)
        depth = most;
    if (open)
        spec->depth = depth_that_fits(spec, depth);
    if (spec->depth > steps)
        spec->depth = steps;
    if (!spec->tile[0])
        spec->tile[0] = spec->dim == 2 ? rows_of_wave(spec) : rows_of_strip(spec, usual[kind].rows);
    while (open && large && spec->depth > 1 && takes_too_much(spec))
        spec->depth--;
    if (open && steps)
        spec->depth = even_depth(spec->depth, steps);
    if (open_rows && spec->dim == 3)
        spec->tile[0] = rows_of_strip(spec, usual[kind].rows);
}

enum am_status am_wave_check(const struct am_grid_spec *spec, struct am_err *err)
{
    const struct am_wave_variant *const waves = am_wave_find(spec->kernels->isa);
    const unsigned lanes = waves->lanes[spec->type];

    if (!is_depth(spec->depth))
        return am_fail(err, AM_E_ABSENT, "wave makes 1 to %d steps per pass, not %zu",
                       AM_WAVE_DEPTH_MAX, spec->depth);
    if (spec->tile[0] < 1 || (spec->dim == 2 && spec->tile[0] > waves->rows))
        return am_fail(err, AM_E_ABSENT, "a wave of %zu rows; with %s it has 1 to %u",
                       spec->tile[0], spec->kernels->isa, waves->rows);
    if (lanes > 1 && spec->n[0] <= lanes)
        return am_fail(err, AM_E_ABSENT,
                       "rows of %zu points for vectors of %u: wave needs more, isa=scalar does not",
                       spec->n[0], lanes);
    return AM_OK;
}

/* ---- layout ---- */

/* Loads wait for stores before them that have the same offset in a page: rows of a block must not
 * lie so. */
static bool rows_collide(size_t pitch, size_t rows, size_t page)
{
    for (size_t k = 1; k < rows; k++) {
        const size_t rest = k * pitch % page;

        if (rest < 3 || rest + 3 > page)
            return true;
    }
    return false;
}

/* Rows begin at 8 places of a page or fewer, so that those of a block share sets of a cache. */
static bool rows_repeat(size_t pitch, size_t page)
{
    return 8 * pitch % page == 0;
}

/* Vectors from one row to the next. In three dimensions rows that have no gap are taken before
 * those with a wide one, whose memory longer passes take. */
static size_t row_pitch(const struct am_stencil_grid *grid, size_t page)
{
    const bool flat = grid->spec.dim == 2;
    const size_t rows = flat ? grid->spec.tile[0] : AM_WAVE_DEEP_MAX + 2, length = grid->length[0];
    size_t pitch = length | 1;

    if (!flat && length <= LONG_ROW)
        return length;
    if (page < 64) /* blocks of more rows than that would always collide */
        return pitch;
    if (!flat && rows_collide(pitch, rows, page) && !rows_collide(length, rows, page) &&
        !rows_repeat(length, page))
        return length;
    while (rows_collide(pitch, rows, page))
        pitch += 2;
    return pitch;
}

/* Vectors of a plane of so many: a number of them beyond whole pages that trials have shown. */
static size_t plane_pitch(const struct am_stencil_grid *grid, size_t vectors, size_t page)
{
    const size_t wanted = (grid->length[0] > LONG_ROW ? 11 : 43) % page;

    return vectors + (wanted + page - vectors % page) % page;
}

/* Rows or planes beyond the ends of a part. */
static size_t rows_around(const struct am_stencil_grid *grid, unsigned d)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const bool inner = d == am_grid_cut(grid) && spec->parts > 1 && !am_wave_is_shared(spec);
    const bool walled = spec->fixed && !inner;

    return walled ? 1 : spec->depth + 1;
}

/* All rows (d = 1) or planes (d = 2) of an array, and those of them that lie before the first. */
static size_t rows_in_all(const struct am_stencil_grid *grid, unsigned d, size_t *before)
{
    static const size_t beyond_ring = 2; /* at the end that a pass closes it at */

    if (grid->ring && d == 1 && am_wave_ring_is_narrow(grid)) {
        *before = grid->spec.depth + 1;
        return grid->length[d] + *before + 1;
    }
    *before = grid->ring ? beyond_ring : grid->spec.depth + rows_around(grid, d);
    return grid->length[d] + *before + (grid->ring ? beyond_ring : rows_around(grid, d));
}

/* One array, and behind it who is where; a pass has strips of all rows that any of its levels has,
 * and leans by as many as it has steps. */
static void lay_out_team(struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;

    grid->strips_most = (spec->n[1] + 3 * spec->depth) / spec->tile[0] + 2; /* one closes it */
    grid->team_offset = grid->part_bytes;
    grid->bytes =
        am_elements_up_to(grid->part_bytes + am_wave_team_bytes(grid->strips_most), PAGE_BYTES);
    grid->part_bytes = 0;
}

void am_wave_lay_out(struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const unsigned cut = am_grid_cut(grid);
    size_t page, row, rows, before;

    grid->waves = am_wave_find(spec->kernels->isa);
    grid->element_bytes = spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    grid->lanes = grid->waves->lanes[spec->type];
    grid->point_bytes = grid->lanes * grid->element_bytes;
    grid->ghosts = spec->depth;
    grid->ring = am_wave_is_ring(spec);
    memcpy(grid->length, spec->n, sizeof(grid->length));
    grid->length[0] = (spec->n[0] + grid->lanes - 1) / grid->lanes;
    if (!am_wave_is_shared(spec))
        grid->length[cut] = (spec->n[cut] + spec->parts - 1) / spec->parts;
    page = PAGE_BYTES / grid->point_bytes;
    row = row_pitch(grid, page);
    grid->row = (ptrdiff_t)(row * grid->point_bytes);
    grid->plane = 0;
    rows = rows_in_all(grid, 1, &before);
    grid->offset[0] = before * (size_t)grid->row;
    grid->part_bytes = rows * (size_t)grid->row;
    if (spec->dim == 3) {
        grid->plane = (ptrdiff_t)(plane_pitch(grid, rows * row, page) * grid->point_bytes);
        grid->part_bytes = rows_in_all(grid, 2, &before) * (size_t)grid->plane;
        grid->offset[0] += before * (size_t)grid->plane;
    }
    grid->offset[1] = grid->offset[0];
    grid->kept_offset = grid->part_bytes;
    if (grid->ring)
        grid->part_bytes += am_wave_ring_bytes(grid);
    grid->part_bytes = am_elements_up_to(grid->part_bytes, PAGE_BYTES);
    grid->bytes = grid->part_bytes * spec->parts;
    if (am_wave_is_shared(spec))
        lay_out_team(grid);
}

bool am_wave_is_shared(const struct am_grid_spec *spec)
{
    return spec->method == AM_STENCIL_BY_WAVE && spec->dim == 3 && spec->parts > 1;
}

struct am_wave_team *am_wave_team_of(const struct am_stencil_grid *grid)
{
    return (struct am_wave_team *)(void *)(grid->memory + grid->team_offset);
}

bool am_wave_is_large(const struct am_grid_spec *spec)
{
    static const double cached = 4 << 20; /* bytes: a second-level cache and more */
    const double points = (double)spec->n[0] * (double)spec->n[1] * (double)spec->n[2];

    return points * (spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double)) > cached;
}

size_t am_wave_pads(const struct am_stencil_grid *grid)
{
    return grid->lanes * grid->length[0] - grid->spec.n[0];
}

size_t am_wave_place(const struct am_stencil_grid *grid, size_t place)
{
    const size_t lane = place / grid->length[0], vector = place % grid->length[0];

    return vector * grid->point_bytes + lane * grid->element_bytes;
}

size_t am_wave_lane_start(const struct am_stencil_grid *grid, size_t lane)
{
    return lane * grid->length[0] % grid->spec.n[0];
}

/* The place of a point that may lie beyond the ends of a ring. */
static ptrdiff_t within(ptrdiff_t at, size_t n)
{
    const ptrdiff_t rest = at % (ptrdiff_t)n;

    return rest < 0 ? rest + (ptrdiff_t)n : rest;
}

char *am_wave_slot(const struct am_stencil_grid *grid, size_t part, size_t shift, ptrdiff_t y,
                   ptrdiff_t z)
{
    const ptrdiff_t back = (ptrdiff_t)shift;

    return grid->memory + part * grid->part_bytes + grid->offset[0] + (y - back) * grid->row +
           (grid->spec.dim == 3 ? (z - back) * grid->plane : 0);
}

char *am_wave_row(const struct am_stencil_grid *grid, size_t part, size_t shift, ptrdiff_t y,
                  ptrdiff_t z)
{
    const size_t *const n = grid->spec.n;

    if (am_wave_is_shared(&grid->spec))
        z += (ptrdiff_t)am_grid_part_start(grid, part);
    if (!grid->ring)
        return am_wave_slot(grid, part, shift, y, z);
    y -= (ptrdiff_t)shift;
    return am_wave_slot(grid, part, 0, am_wave_ring_is_narrow(grid) ? y : within(y, n[1]),
                        within(z - (ptrdiff_t)shift, n[2]));
}

double am_wave_value(const struct am_stencil_grid *grid, size_t part, const size_t local[3])
{
    const char *const row =
        am_wave_row(grid, part, grid->phase.shift, (ptrdiff_t)local[1], (ptrdiff_t)local[2]);
    const void *const at = row + am_wave_place(grid, local[0]);

    return grid->spec.type == AM_STENCIL_F32 ? (double)*(const float *)at : *(const double *)at;
}

/* ---- values in and out ---- */

/* Where row (y, z) of a part begins in x. */
static size_t row_in_x(const struct am_stencil_grid *grid, size_t part, size_t y, size_t z)
{
    const size_t *const n = grid->spec.n, start = am_grid_part_start(grid, part);

    if (grid->spec.dim == 2)
        return (y + start) * n[0];
    return ((z + start) * n[1] + y) * n[0];
}

static void set_element(const struct am_stencil_grid *grid, void *at, double value)
{
    if (grid->spec.type == AM_STENCIL_F32)
        *(float *)at = (float)value;
    else
        *(double *)at = value;
}

/* A row as it stands in x, the first points of it once more behind the last; where it has ends,
 * what lies beyond the right one. */
static void load_row(const struct am_stencil_grid *grid, char *to, const char *from)
{
    const size_t bytes = grid->element_bytes, m = grid->length[0];

    for (size_t lane = 0; lane < grid->lanes; lane++) {
        const size_t start = am_wave_lane_start(grid, lane), rest = grid->spec.n[0] - start;
        const size_t some = rest < m ? rest : m;
        char *const at = to + lane * bytes;

        am_elements_move(at, grid->lanes, from + start * bytes, 1, some, bytes);
        am_elements_move(at + some * grid->point_bytes, grid->lanes, from, 1, m - some, bytes);
    }
    if (grid->spec.fixed && am_wave_pads(grid) > 0)
        set_element(grid, to + am_wave_place(grid, grid->spec.n[0]), grid->spec.wall[0][1]);
}

static void store_row(const struct am_stencil_grid *grid, char *to, const char *from)
{
    const size_t bytes = grid->element_bytes, n = grid->spec.n[0], m = grid->length[0];

    for (size_t lane = 0; lane * m < n; lane++) {
        const size_t rest = n - lane * m;

        am_elements_move(to + lane * m * bytes, 1, from + lane * bytes, grid->lanes,
                         rest < m ? rest : m, bytes);
    }
}

void am_wave_load_part(const struct am_stencil_grid *grid, size_t part, const void *x)
{
    const size_t bytes = grid->element_bytes;
    size_t extent[3];

    if (am_wave_is_shared(&grid->spec) && part == 0)
        am_wave_team_reset(am_wave_team_of(grid), grid->strips_most);
    am_grid_extent(grid, part, extent);
    for (size_t i = 0; i < extent[1] * extent[2]; i++) {
        const size_t y = i % extent[1], z = i / extent[1];
        char *const to = am_wave_row(grid, part, 0, (ptrdiff_t)y, (ptrdiff_t)z);
        const char *const from = (const char *)x + row_in_x(grid, part, y, z) * bytes;

        load_row(grid, to, from);
    }
}

void am_wave_store_part(const struct am_stencil_grid *grid, size_t part, void *x)
{
    const size_t bytes = grid->element_bytes;
    size_t extent[3];

    am_grid_extent(grid, part, extent);
    for (size_t i = 0; i < extent[1] * extent[2]; i++) {
        const size_t y = i % extent[1], z = i / extent[1];
        const char *const from =
            am_wave_row(grid, part, grid->phase.shift, (ptrdiff_t)y, (ptrdiff_t)z);
        char *const to = (char *)x + row_in_x(grid, part, y, z) * bytes;

        store_row(grid, to, from);
    }
}

/* ---- ghosts ---- */

/* Rows (2-D) or planes (3-D) of neighbours along the dimension that is cut: `at` is counted from
 * the first of the part. */
static void fill_slow(const struct am_stencil_grid *grid, size_t part, size_t shift, ptrdiff_t at)
{
    const size_t n = grid->spec.n[am_grid_cut(grid)], start = am_grid_part_start(grid, part);
    const size_t turns = (size_t)(at < 0 ? -at : at) / n + 1;
    const size_t point = (size_t)((ptrdiff_t)(start + turns * n) + at) % n;
    const size_t owner = am_grid_part_of(grid, point);
    const ptrdiff_t there = (ptrdiff_t)(point - am_grid_part_start(grid, owner));
    const bool flat = grid->spec.dim == 2;
    const size_t rows = flat ? 1 : grid->spec.n[1];

    for (size_t y = 0; y < rows; y++)
        memcpy(am_wave_row(grid, part, shift, flat ? at : (ptrdiff_t)y, flat ? 0 : at),
               am_wave_row(grid, owner, shift, flat ? there : (ptrdiff_t)y, flat ? 0 : there),
               grid->length[0] * grid->point_bytes);
}

/* Rows before the first and after the last of a plane, which are rows of the same plane. */
static void fill_rows(const struct am_stencil_grid *grid, size_t part, size_t shift, size_t count,
                      ptrdiff_t z)
{
    const ptrdiff_t n = (ptrdiff_t)grid->spec.n[1];

    for (ptrdiff_t k = 1; k <= (ptrdiff_t)count; k++) {
        const ptrdiff_t low = within(n - k, (size_t)n), high = (k - 1) % n;
        const size_t bytes = grid->length[0] * grid->point_bytes;

        memcpy(am_wave_row(grid, part, shift, -k, z), am_wave_row(grid, part, shift, low, z),
               bytes);
        memcpy(am_wave_row(grid, part, shift, n + k - 1, z),
               am_wave_row(grid, part, shift, high, z), bytes);
    }
}

/* Of the rows around an array that is shared some for each; all are copies of rows within. */
static void exchange_shared(const struct am_stencil_grid *grid, size_t part, size_t shift,
                            size_t count)
{
    const size_t *const n = grid->spec.n;
    const size_t rows = n[1] + 2 * count, planes = n[2] + 2 * count;

    for (size_t i = part; i < rows * planes; i += grid->spec.parts) {
        const ptrdiff_t y = (ptrdiff_t)(i % rows) - (ptrdiff_t)count;
        const ptrdiff_t z = (ptrdiff_t)(i / rows) - (ptrdiff_t)count;
        const ptrdiff_t from_y = within(y, n[1]), from_z = within(z, n[2]);

        if (from_y != y || from_z != z)
            memcpy(am_wave_row(grid, 0, shift, y, z), am_wave_row(grid, 0, shift, from_y, from_z),
                   grid->length[0] * grid->point_bytes);
    }
}

void am_wave_exchange(const struct am_stencil_grid *grid, size_t part,
                      const struct am_grid_pass *pass)
{
    const unsigned cut = am_grid_cut(grid);
    const ptrdiff_t count = (ptrdiff_t)pass->steps;
    const bool first = grid->spec.fixed && part == 0;
    const bool last = grid->spec.fixed && part + 1 == grid->spec.parts;
    size_t extent[3];

    if (grid->ring)
        return;
    if (am_wave_is_shared(&grid->spec)) {
        if (!grid->spec.fixed)
            exchange_shared(grid, part, pass->from.shift, pass->steps);
        return;
    }
    am_grid_extent(grid, part, extent);
    for (ptrdiff_t k = 0; k < count; k++) {
        if (!first)
            fill_slow(grid, part, pass->from.shift, -1 - k);
        if (!last)
            fill_slow(grid, part, pass->from.shift, (ptrdiff_t)extent[cut] + k);
    }
    if (grid->spec.dim == 2 || grid->spec.fixed)
        return;
    for (ptrdiff_t z = -count; z < (ptrdiff_t)extent[2] + count; z++)
        fill_rows(grid, part, pass->from.shift, pass->steps, z);
}
