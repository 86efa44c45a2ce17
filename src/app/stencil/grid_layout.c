/* SPDX-License-Identifier: MIT */
/* Grids in memory: rows, lanes and parts, and points on their way there and back. */
#include "app/stencil/grid_layout.h"

#include "app/stencil/elements.h"
#include "app/stencil/wave.h"

#include <stdint.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    PAGE_LINES = PAGE_BYTES / LINE_BYTES,
    /* Plain loops have rows as anybody would lay them out, one behind the other: they are what the
     * others are compared with. Rows of a tile should not meet in the same sets of a cache: each
     * begins 25/64 of a page (the golden section of it) after the one before, planes a third of a
     * page. */
    ROW_LINES = 25,
    PLANE_LINES = 21,
    /* Loads are held back by stores to the same offset in another page. */
    STAGGER_BYTES = PAGE_BYTES / 2 + LINE_BYTES,
    BLOCK = 64, /* points of a lane that are moved at once: the vectors they go to stay in L1 */
};

/* The least number of lines for these bytes that is `rest` more than whole pages. */
static size_t spread(size_t bytes, size_t rest)
{
    const size_t lines = am_elements_up_to(bytes, LINE_BYTES) / LINE_BYTES;
    const size_t missing = (rest + PAGE_LINES - lines % PAGE_LINES) % PAGE_LINES;

    return (lines + missing) * LINE_BYTES;
}

bool am_grid_is_plain(const struct am_grid_spec *spec)
{
    return spec->method < AM_STENCIL_BY_INTERLEAVED;
}

unsigned am_grid_slow(const struct am_stencil_grid *grid)
{
    return grid->spec.method == AM_STENCIL_BY_WAVE ? 0 : grid->spec.dim - 1;
}

unsigned am_grid_cut(const struct am_stencil_grid *grid)
{
    return grid->spec.method == AM_STENCIL_BY_WAVE ? grid->spec.dim - 1 : grid->spec.dim - 2;
}

size_t am_grid_lane_start(const struct am_stencil_grid *grid, size_t lane)
{
    if (grid->spec.method == AM_STENCIL_BY_WAVE)
        return am_wave_lane_start(grid, lane);
    return (size_t)((uint64_t)lane * grid->spec.n[am_grid_slow(grid)] / grid->lanes);
}

size_t am_grid_part_start(const struct am_stencil_grid *grid, size_t part)
{
    return (size_t)((uint64_t)part * grid->spec.n[am_grid_cut(grid)] / grid->spec.parts);
}

/* Of `pieces` that n is cut into, the last that begins at or before the point: the only one of them
 * that is not empty. */
static size_t piece_of(size_t point, size_t n, size_t pieces)
{
    return (size_t)((((uint64_t)point + 1) * pieces - 1) / n);
}

size_t am_grid_part_of(const struct am_stencil_grid *grid, size_t point)
{
    return piece_of(point, grid->spec.n[am_grid_cut(grid)], grid->spec.parts);
}

/* Room before and after the points of a part. A state that moves is up to the depth before its
 * place, and its ghosts before it. */
static size_t room_before(const struct am_stencil_grid *grid)
{
    return grid->spec.method < AM_STENCIL_BY_SKEW ? 1 : 2 * grid->ghosts;
}

void am_grid_lay_out(struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const bool linear = am_grid_is_plain(spec);
    const bool sweeps = spec->method < AM_STENCIL_BY_SKEW;
    const unsigned slow = am_grid_slow(grid), cut = am_grid_cut(grid);
    size_t room, bytes, first, row, plane;

    if (spec->method == AM_STENCIL_BY_WAVE) {
        am_wave_lay_out(grid);
        return;
    }
    grid->element_bytes = spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    grid->lanes = linear ? 1 : spec->kernels->lanes[spec->type];
    grid->point_bytes = grid->lanes * grid->element_bytes;
    grid->ghosts = sweeps ? 1 : spec->depth;
    room = room_before(grid) + grid->ghosts;
    memcpy(grid->length, spec->n, sizeof(grid->length));
    grid->length[slow] = (spec->n[slow] + grid->lanes - 1) / grid->lanes;
    grid->length[cut] = (spec->n[cut] + spec->parts - 1) / spec->parts;
    row = (grid->length[0] + room) * grid->point_bytes;
    grid->row = (ptrdiff_t)(linear ? row : spread(row, ROW_LINES));
    plane = (grid->length[1] + room) * (size_t)grid->row;
    grid->plane = (ptrdiff_t)(linear ? plane : spread(plane, PLANE_LINES));
    first = room_before(grid) * (grid->point_bytes + (size_t)grid->row);
    bytes = (size_t)grid->plane;
    if (spec->dim == 3) {
        bytes *= grid->length[2] + room;
        first += room_before(grid) * (size_t)grid->plane;
    }
    bytes = am_elements_up_to(bytes + LINE_BYTES, PAGE_BYTES);
    first = am_elements_up_to(first, LINE_BYTES);
    grid->offset[0] = first;
    grid->offset[1] = first + (sweeps ? bytes + STAGGER_BYTES : 0);
    grid->part_bytes = sweeps ? am_elements_up_to(2 * bytes + STAGGER_BYTES, PAGE_BYTES) : bytes;
    grid->bytes = grid->part_bytes * spec->parts;
}

char *am_grid_array(const struct am_stencil_grid *grid, size_t part,
                    const struct am_grid_phase *phase)
{
    const ptrdiff_t plane = grid->spec.dim == 3 ? grid->plane : 0;

    return grid->memory + part * grid->part_bytes + grid->offset[phase->front] -
           (ptrdiff_t)phase->shift * ((ptrdiff_t)grid->point_bytes + grid->row + plane);
}

void am_grid_extent(const struct am_stencil_grid *grid, size_t part, size_t extent[3])
{
    memcpy(extent, grid->length, sizeof(grid->length));
    extent[am_grid_cut(grid)] = am_grid_part_start(grid, part + 1) - am_grid_part_start(grid, part);
}

/* A point of a part, x and y and z counted from its first; any of them may be a ghost. */
static char *point_at(const struct am_stencil_grid *grid, char *array, ptrdiff_t x, ptrdiff_t y,
                      ptrdiff_t z)
{
    return array + x * (ptrdiff_t)grid->point_bytes + y * grid->row + z * grid->plane;
}

double am_grid_value(const struct am_stencil_grid *grid, const size_t at[3])
{
    const unsigned slow = am_grid_slow(grid), cut = am_grid_cut(grid);
    const size_t lane = piece_of(at[slow], grid->spec.n[slow], grid->lanes);
    const size_t part = am_grid_part_of(grid, at[cut]);
    ptrdiff_t local[3] = {(ptrdiff_t)at[0], (ptrdiff_t)at[1], (ptrdiff_t)at[2]};
    const char *point;

    if (grid->spec.method == AM_STENCIL_BY_WAVE) {
        size_t here[3] = {at[0], at[1], at[2]};

        here[cut] -= am_grid_part_start(grid, part);
        return am_wave_value(grid, part, here);
    }
    local[slow] -= (ptrdiff_t)am_grid_lane_start(grid, lane);
    local[cut] -= (ptrdiff_t)am_grid_part_start(grid, part);
    point = point_at(grid, am_grid_array(grid, part, &grid->phase), local[0], local[1], local[2]) +
            lane * grid->element_bytes;
    return grid->spec.type == AM_STENCIL_F32 ? (double)*(const float *)(const void *)point
                                             : *(const double *)(const void *)point;
}

/* A row of a part as it stands in x, for a lane: where it begins there, or SIZE_MAX where the lane
 * has no such row. Lanes have one row too many where they are short: the next one's first. */
static size_t row_in_x(const struct am_stencil_grid *grid, size_t part, size_t lane, size_t y,
                       size_t z, bool too_many)
{
    const size_t *const n = grid->spec.n;
    const unsigned slow = am_grid_slow(grid), cut = am_grid_cut(grid);
    const size_t start = am_grid_lane_start(grid, lane);
    size_t at[3] = {0, y, z};

    if (!too_many && at[slow] >= am_grid_lane_start(grid, lane + 1) - start)
        return SIZE_MAX;
    at[slow] = (at[slow] + start) % n[slow];
    at[cut] += am_grid_part_start(grid, part);
    return (at[2] * n[1] + at[1]) * n[0] + at[0];
}

void am_grid_load_part(const struct am_stencil_grid *grid, size_t part, const void *x)
{
    static const struct am_grid_phase start = {.age = 0};
    const size_t bytes = grid->element_bytes;
    char *const array = am_grid_array(grid, part, &start);
    size_t extent[3];

    if (grid->spec.method == AM_STENCIL_BY_WAVE) {
        am_wave_load_part(grid, part, x);
        return;
    }
    am_grid_extent(grid, part, extent);
    for (size_t row = 0; row < extent[1] * extent[2]; row++) {
        const size_t y = row % extent[1], z = row / extent[1];

        for (size_t i = 0; i < extent[0]; i += BLOCK) {
            const size_t count = extent[0] - i < BLOCK ? extent[0] - i : BLOCK;
            char *const to = point_at(grid, array, (ptrdiff_t)i, (ptrdiff_t)y, (ptrdiff_t)z);

            for (size_t lane = 0; lane < grid->lanes; lane++) {
                const size_t from = row_in_x(grid, part, lane, y, z, true) + i;

                am_elements_move(to + lane * bytes, grid->lanes, (const char *)x + from * bytes, 1,
                                 count, bytes);
            }
        }
    }
}

enum am_status am_grid_load(struct am_stencil_grid *grid, const void *x, struct am_err *err)
{
    const size_t *const n = grid->spec.n;
    const enum am_status s =
        am_elements_check(grid->spec.form, grid->spec.type, x, n[0] * n[1] * n[2], err);

    if (s != AM_OK)
        return s;
    grid->phase = (struct am_grid_phase){.age = 0};
    for (size_t part = 0; part < grid->spec.parts; part++)
        am_grid_load_part(grid, part, x);
    return AM_OK;
}

static void store_part(const struct am_stencil_grid *grid, size_t part, void *x)
{
    const size_t bytes = grid->element_bytes;
    char *const array = am_grid_array(grid, part, &grid->phase);
    size_t extent[3];

    am_grid_extent(grid, part, extent);
    for (size_t row = 0; row < extent[1] * extent[2]; row++) {
        const size_t y = row % extent[1], z = row / extent[1];
        const char *const from = point_at(grid, array, 0, (ptrdiff_t)y, (ptrdiff_t)z);

        for (size_t lane = 0; lane < grid->lanes; lane++) {
            const size_t to = row_in_x(grid, part, lane, y, z, false);

            if (to != SIZE_MAX)
                am_elements_move((char *)x + to * bytes, 1, from + lane * bytes, grid->lanes,
                                 extent[0], bytes);
        }
    }
}

void am_grid_store(const struct am_stencil_grid *grid, void *x)
{
    for (size_t part = 0; part < grid->spec.parts; part++) {
        if (grid->spec.method == AM_STENCIL_BY_WAVE)
            am_wave_store_part(grid, part, x);
        else
            store_part(grid, part, x);
    }
}

/* `count` points of row (y, z) from x on, all of them ghosts, out of the parts that have them (2-D)
 * or of the row itself (3-D). */
static void fill_along_row(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_phase *phase, ptrdiff_t x, size_t count,
                           ptrdiff_t y, ptrdiff_t z)
{
    const bool cut = am_grid_cut(grid) == 0 && grid->spec.parts > 1;
    const size_t n = grid->spec.n[0], start = cut ? am_grid_part_start(grid, part) : 0;
    char *to = point_at(grid, am_grid_array(grid, part, phase), x, y, z);
    size_t point = (size_t)((ptrdiff_t)start + x + (ptrdiff_t)((count / n + 1) * n)) % n;

    while (count) {
        const size_t owner = cut ? piece_of(point, n, grid->spec.parts) : part;
        const size_t first = cut ? am_grid_part_start(grid, owner) : 0;
        const size_t there = (cut ? am_grid_part_start(grid, owner + 1) : n) - point;
        const size_t some = there < count ? there : count;

        memcpy(to,
               point_at(grid, am_grid_array(grid, owner, phase), (ptrdiff_t)(point - first), y, z),
               some * grid->point_bytes);
        to += some * grid->point_bytes;
        count -= some;
        point = (point + some) % n;
    }
}

/* Rows before the first and after the last of a part's plane (3-D), out of the parts that have
 * them, without the ghosts at their ends. */
static void fill_rows(const struct am_stencil_grid *grid, size_t part,
                      const struct am_grid_phase *phase, size_t count, ptrdiff_t z)
{
    const size_t n = grid->spec.n[1], start = am_grid_part_start(grid, part);
    const size_t length = am_grid_part_start(grid, part + 1) - start;

    for (size_t i = 0; i < 2 * count; i++) {
        const ptrdiff_t y =
            i < count ? (ptrdiff_t)i - (ptrdiff_t)count : (ptrdiff_t)(length + i - count);
        const size_t point = (size_t)((ptrdiff_t)start + y + (ptrdiff_t)((count / n + 1) * n)) % n;
        const size_t owner = piece_of(point, n, grid->spec.parts);
        const ptrdiff_t there = (ptrdiff_t)(point - am_grid_part_start(grid, owner));

        memcpy(point_at(grid, am_grid_array(grid, part, phase), 0, y, z),
               point_at(grid, am_grid_array(grid, owner, phase), 0, there, z),
               grid->spec.n[0] * grid->point_bytes);
    }
}

/* Ghosts of one row or plane, `at` along the slow dimension. */
struct layer {
    const struct am_stencil_grid *grid;
    char *array;
    size_t rows, points; /* of it, ghosts at their ends included */
    ptrdiff_t x, y;      /* the first of them */
    ptrdiff_t at;
};

/* Where a lane's ghosts are real: in that lane, so far along it. */
struct home {
    size_t lane;
    ptrdiff_t at;
};

static struct home home_of(const struct layer *layer, size_t lane)
{
    const struct am_stencil_grid *const grid = layer->grid;
    const size_t n = grid->spec.n[am_grid_slow(grid)], start = am_grid_lane_start(grid, lane);
    const size_t turns = (size_t)(layer->at < 0 ? -layer->at : layer->at) / n + 1;
    const size_t point = (size_t)((ptrdiff_t)(start + turns * n) + layer->at) % n;
    const size_t owner = piece_of(point, n, grid->lanes);

    return (struct home){owner, (ptrdiff_t)(point - am_grid_lane_start(grid, owner))};
}

/* Row i of the layer, at another place along the slow dimension. */
static char *row_at(const struct layer *layer, size_t i, ptrdiff_t at)
{
    const bool flat = layer->grid->spec.dim == 2;

    return point_at(layer->grid, layer->array, layer->x, flat ? at : layer->y + (ptrdiff_t)i,
                    flat ? 0 : at);
}

/* Lanes that come from at most two places, each from the same number of lanes on: so it is while
 * there are fewer ghosts than points of a lane, lanes being equal to one point. */
struct turn {
    ptrdiff_t at[2];
    uint32_t second; /* bit j: lane j comes from the second */
    size_t by;
};

/* False where they come from more places than that. */
static bool find_turn(const struct layer *layer, struct turn *turn)
{
    const size_t lanes = layer->grid->lanes;
    const struct home first = home_of(layer, 0);

    *turn = (struct turn){.at = {first.at, first.at}, .by = first.lane};
    for (size_t lane = 1; lane < lanes; lane++) {
        const struct home home = home_of(layer, lane);

        if (home.lane != (first.lane + lane) % lanes)
            return false;
        if (home.at == first.at)
            continue;
        if (turn->second && home.at != turn->at[1])
            return false;
        turn->at[1] = home.at;
        turn->second |= UINT32_C(1) << lane;
    }
    return lanes > 1;
}

static void turn_layer(const struct layer *layer, const struct turn *turn)
{
    const struct am_stencil_grid *const grid = layer->grid;
    am_grid_turn_fn *const fn = grid->spec.kernels->turn[grid->spec.type];

    for (size_t i = 0; i < layer->rows; i++) {
        const void *const from[2] = {row_at(layer, i, turn->at[0]), row_at(layer, i, turn->at[1])};

        fn(row_at(layer, i, layer->at), from, turn->second, layer->points, turn->by);
    }
}

static void fill_layer(const struct layer *layer)
{
    const struct am_stencil_grid *const grid = layer->grid;
    const size_t bytes = grid->element_bytes;
    struct turn turn;

    if (find_turn(layer, &turn)) {
        turn_layer(layer, &turn);
        return;
    }
    for (size_t lane = 0; lane < grid->lanes; lane++) {
        const struct home home = home_of(layer, lane);

        for (size_t i = 0; i < layer->rows; i++)
            am_elements_move(row_at(layer, i, layer->at) + lane * bytes, grid->lanes,
                             row_at(layer, i, home.at) + home.lane * bytes, grid->lanes,
                             layer->points, bytes);
    }
}

/* Both ends of whole rows, one below the other from `row` on. */
static void wrap_rows(const struct am_stencil_grid *grid, char *row, size_t rows, size_t count)
{
    const size_t length = grid->spec.n[0] * grid->point_bytes, bytes = count * grid->point_bytes;

    for (; rows; rows--, row += grid->row) {
        memcpy(row - bytes, row + length - bytes, bytes);
        memcpy(row + length, row, bytes);
    }
}

/* What other parts have, and what rows have themselves. */
static void fill_beside(const struct am_stencil_grid *grid, size_t part,
                        const struct am_grid_phase *phase, const struct layer *layer, size_t count)
{
    const bool flat = grid->spec.dim == 2;
    const size_t length = layer->points - 2 * count;

    if (!flat)
        fill_rows(grid, part, phase, count, layer->at);
    if (count <= grid->spec.n[0] && (am_grid_cut(grid) != 0 || grid->spec.parts == 1)) {
        wrap_rows(
            grid,
            point_at(grid, layer->array, 0, flat ? layer->at : layer->y, flat ? 0 : layer->at),
            layer->rows, count);
        return;
    }
    for (size_t i = 0; i < layer->rows; i++) {
        const ptrdiff_t y = flat ? layer->at : layer->y + (ptrdiff_t)i, z = flat ? 0 : layer->at;

        fill_along_row(grid, part, phase, -(ptrdiff_t)count, count, y, z);
        fill_along_row(grid, part, phase, (ptrdiff_t)length, count, y, z);
    }
}

/* Then what the part itself has in other lanes, corners included. */
void am_grid_fill_ghosts(const struct am_stencil_grid *grid, size_t part,
                         const struct am_grid_phase *phase, size_t count)
{
    const bool flat = grid->spec.dim == 2;
    const ptrdiff_t ghosts = (ptrdiff_t)count;
    const ptrdiff_t length = (ptrdiff_t)grid->length[am_grid_slow(grid)];
    struct layer layer = {.grid = grid,
                          .array = am_grid_array(grid, part, phase),
                          .rows = 1,
                          .x = -ghosts,
                          .y = flat ? 0 : -ghosts};
    size_t extent[3];

    am_grid_extent(grid, part, extent);
    layer.points = extent[0] + 2 * count;
    if (!flat)
        layer.rows = extent[1] + 2 * count;
    for (layer.at = 0; layer.at < length; layer.at++)
        fill_beside(grid, part, phase, &layer, count);
    for (layer.at = -ghosts; layer.at < 0; layer.at++)
        fill_layer(&layer);
    for (layer.at = length; layer.at < length + ghosts; layer.at++)
        fill_layer(&layer);
}

/* ---- plain loops ---- */

bool am_grid_is_whole(const struct am_stencil_grid *grid, unsigned d)
{
    return d != am_grid_cut(grid) || grid->spec.parts == 1;
}

void am_grid_wrap_plane(const struct am_stencil_grid *grid, size_t part,
                        const struct am_grid_phase *phase, size_t z)
{
    const ptrdiff_t at = (ptrdiff_t)z, planes = (ptrdiff_t)grid->spec.n[2];
    char *const array = am_grid_array(grid, part, phase);
    size_t extent[3], row_bytes, plane_bytes;
    ptrdiff_t rows;

    am_grid_extent(grid, part, extent);
    rows = (ptrdiff_t)extent[1];
    row_bytes = extent[0] * grid->point_bytes;
    plane_bytes = (extent[1] - 1) * (size_t)grid->row + row_bytes;
    if (am_grid_is_whole(grid, 1)) {
        memcpy(point_at(grid, array, 0, -1, at), point_at(grid, array, 0, rows - 1, at), row_bytes);
        memcpy(point_at(grid, array, 0, rows, at), point_at(grid, array, 0, 0, at), row_bytes);
    }
    if (grid->spec.dim == 3 && at == planes - 1)
        memcpy(point_at(grid, array, 0, 0, -1), point_at(grid, array, 0, 0, at), plane_bytes);
    if (grid->spec.dim == 3 && at == 0)
        memcpy(point_at(grid, array, 0, 0, planes), point_at(grid, array, 0, 0, 0), plane_bytes);
}

void am_grid_fill_from_parts(const struct am_stencil_grid *grid, size_t part,
                             const struct am_grid_phase *phase)
{
    size_t extent[3];

    if (grid->spec.parts == 1)
        return;
    am_grid_extent(grid, part, extent);
    for (size_t z = 0; z < extent[2] && grid->spec.dim == 3; z++)
        fill_rows(grid, part, phase, 1, (ptrdiff_t)z);
    for (size_t y = 0; y < extent[1] && grid->spec.dim == 2; y++) {
        fill_along_row(grid, part, phase, -1, 1, (ptrdiff_t)y, 0);
        fill_along_row(grid, part, phase, (ptrdiff_t)extent[0], 1, (ptrdiff_t)y, 0);
    }
}
