/* SPDX-License-Identifier: MIT */
/* Where the levels of a ring begin and end, and the rows that are kept of each. */
#include "app/stencil/wave_ring.h"

#include "app/stencil/wave.h"

#include <string.h>

enum {
    EDGE = 2,   /* rows or planes of each level */
    PASSES = 2, /* that may be under way at a time */
};

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

bool am_wave_is_ring(const struct am_grid_spec *spec)
{
    if (spec->fixed || spec->n[1] < 2 * spec->depth)
        return false;
    return spec->dim == 2 ? spec->parts == 1 : spec->n[2] >= 2 * spec->depth;
}

static size_t row_bytes(const struct am_stencil_grid *grid)
{
    return grid->length[0] * grid->point_bytes;
}

bool am_wave_ring_is_narrow(const struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;

    return spec->dim == 3 && spec->parts == 1 && spec->tile[0] >= spec->n[1];
}

/* Rows of a plane that are kept at a time. One thread brings back those of a strip before it begins
 * the next: no level has more rows of a strip than that, and what few there are stay near. */
static size_t plane_rows(const struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const size_t regular = spec->tile[0] + 1, closing = EDGE * spec->depth;
    const size_t strip = regular > closing ? regular : closing;

    return spec->parts == 1 && strip < spec->n[1] ? strip : spec->n[1];
}

size_t am_wave_ring_bytes(const struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const bool narrow = am_wave_ring_is_narrow(grid);
    const size_t corners = (size_t)EDGE * PASSES;
    size_t rows = 1;

    if (spec->dim == 3)
        rows = narrow ? spec->n[1] : spec->n[2] + plane_rows(grid) + corners;
    return EDGE * spec->depth * rows * row_bytes(grid);
}

ptrdiff_t am_wave_ring_pieces(ptrdiff_t n, ptrdiff_t size)
{
    return (n + size - 2) / size + 1;
}

void am_wave_ring_range(const struct am_wave_piece *piece, ptrdiff_t t, ptrdiff_t range[2])
{
    if (piece->closes) {
        range[0] = most(least(piece->from, piece->n - 1) - t, t + 1);
        range[1] = piece->n + t + 1;
    } else {
        range[0] = most(piece->from - t, t + 1);
        range[1] = least(piece->to - t, piece->n - t - 1);
    }
}

/* What the step before has made of level t; of the first level what step 0 is the first to read. */
static void present(const struct am_wave_piece *piece, ptrdiff_t t, ptrdiff_t range[2])
{
    am_wave_ring_range(piece, t - 1, range);
    if (piece->from == 0)
        range[0] = t;
}

static char *slot(const struct am_wave_way *way, ptrdiff_t t, ptrdiff_t y, ptrdiff_t z)
{
    return way->origin + (y - t) * way->row + (z - t) * way->plane;
}

/* ---- what is kept aside: two rows of each level and plane, and two planes of each level ---- */

/* Row k of the edge of level t; its planes follow each other. */
static char *kept_row(const struct am_stencil_grid *grid, ptrdiff_t t, ptrdiff_t k)
{
    const size_t rows = (size_t)(EDGE * t + k) * grid->spec.n[2];

    return grid->memory + grid->kept_offset + rows * row_bytes(grid);
}

/* Plane k of it; its rows follow each other. */
static char *kept_plane(const struct am_stencil_grid *grid, ptrdiff_t t, ptrdiff_t k)
{
    const size_t planes = am_wave_ring_is_narrow(grid) ? 0 : grid->spec.n[2];
    const size_t before = EDGE * grid->spec.depth * planes;
    const size_t rows = (size_t)(EDGE * t + k) * plane_rows(grid);

    return grid->memory + grid->kept_offset + (before + rows) * row_bytes(grid);
}

/* Where row `t` of plane k of that edge is kept once more, and the one behind it: the last piece of
 * all needs them when the next pass may have put its own in their place. */
static char *kept_corner(const struct am_stencil_grid *grid, const struct am_wave_way *way,
                         ptrdiff_t t, ptrdiff_t k)
{
    const size_t before = EDGE * grid->spec.depth * (grid->spec.n[2] + plane_rows(grid));
    const size_t at = (way->pass % PASSES * grid->spec.depth + (size_t)t) * EDGE + (size_t)k;

    return grid->memory + grid->kept_offset + (before + EDGE * at) * row_bytes(grid);
}

/* Rows [from, to) of a ring of n that are `apart` in the grid and one behind the other where they
 * are kept, there or back. */
struct copy {
    char *kept; /* row 0 */
    char *at;   /* row `from` */
    ptrdiff_t apart, n;
    size_t bytes; /* of a row */
};

static void copy_rows(const struct copy *c, ptrdiff_t from, ptrdiff_t to, bool back)
{
    char *kept = c->kept + (size_t)(from % c->n) * c->bytes, *at = c->at;
    const char *const end = c->kept + (size_t)c->n * c->bytes;

    for (; from < to; from++, at += c->apart) {
        memcpy(back ? at : kept, back ? kept : at, c->bytes);
        kept += c->bytes;
        if (kept == end)
            kept = c->kept;
    }
}

/* Row k of the edge, in planes [z[0], z[1]), which is row y of the array. */
static void copy_edge_row(const struct am_stencil_grid *grid, const struct am_wave_way *way,
                          ptrdiff_t t, ptrdiff_t k, ptrdiff_t y, const ptrdiff_t z[2], bool back)
{
    const struct copy c = {.kept = kept_row(grid, t, k),
                           .at = slot(way, t, y, z[0]),
                           .apart = way->plane,
                           .n = (ptrdiff_t)grid->spec.n[2],
                           .bytes = row_bytes(grid)};

    copy_rows(&c, z[0], z[1], back);
}

static void copy_edge_plane(const struct am_stencil_grid *grid, const struct am_wave_way *way,
                            ptrdiff_t t, ptrdiff_t k, const ptrdiff_t y[2], ptrdiff_t z, bool back)
{
    const struct copy c = {.kept = kept_plane(grid, t, k),
                           .at = slot(way, t, y[0], z),
                           .apart = way->row,
                           .n = (ptrdiff_t)plane_rows(grid),
                           .bytes = row_bytes(grid)};
    const ptrdiff_t corner = t + (back ? (ptrdiff_t)grid->spec.n[1] : 0);
    const bool narrow = am_wave_ring_is_narrow(grid);

    copy_rows(&c, y[0], !back || narrow ? y[1] : least(y[1], corner), back);
    for (ptrdiff_t j = 0; j < EDGE && !narrow; j++) {
        char *const kept = kept_corner(grid, way, t, k) + (size_t)j * c.bytes;
        char *const at = slot(way, t, corner + j, z);

        if (y[0] <= corner + j && corner + j < y[1])
            memcpy(back ? at : kept, back ? kept : at, c.bytes);
    }
}

/* Of all planes that are there. */
static void wrap_rows(const struct am_stencil_grid *grid, const struct am_wave_way *way,
                      ptrdiff_t t, const ptrdiff_t z[2])
{
    const ptrdiff_t n = (ptrdiff_t)grid->spec.n[1];
    char *first = slot(way, t, 0, z[0]);

    for (ptrdiff_t at = z[0]; at < z[1]; at++, first += way->plane) {
        memcpy(first - way->row, first + (n - 1) * way->row, row_bytes(grid));
        memcpy(first + n * way->row, first, row_bytes(grid));
    }
}

/* Neither end of a ring is near: nothing is to be kept or brought back. Short rows make even
 * finding that out a good part of all. */
static bool is_inner(const struct am_wave_piece *piece, ptrdiff_t t)
{
    return !piece->closes && piece->from > 2 * t;
}

void am_wave_ring_turn(const struct am_stencil_grid *grid, const struct am_wave_way *way,
                       ptrdiff_t t, const struct am_wave_piece *rows,
                       const struct am_wave_piece *planes)
{
    const bool flat = grid->spec.dim == 2, narrow = am_wave_ring_is_narrow(grid);
    ptrdiff_t y[2] = {0, rows->n}, z[2] = {0, 1};

    if (is_inner(rows, t) && (flat || is_inner(planes, t)))
        return;
    if (!narrow)
        present(rows, t, y);
    if (!flat)
        present(planes, t, z);
    for (ptrdiff_t k = 0; k < EDGE; k++) {
        if (!narrow && y[0] <= t + k && t + k < y[1])
            copy_edge_row(grid, way, t, k, t + k, z, false);
        if (!flat && z[0] <= t + k && t + k < z[1])
            copy_edge_plane(grid, way, t, k, y, t + k, false);
    }
    for (ptrdiff_t k = 0; k < EDGE && !narrow && rows->closes; k++)
        copy_edge_row(grid, way, t, k, rows->n + t + k, z, true);
    if (!narrow && rows->closes)
        y[1] += EDGE;
    for (ptrdiff_t k = 0; k < EDGE && planes->closes; k++)
        copy_edge_plane(grid, way, t, k, y, planes->n + t + k, true);
    if (planes->closes)
        z[1] += EDGE;
    if (narrow)
        wrap_rows(grid, way, t, z);
}
