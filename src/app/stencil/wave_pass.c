/* SPDX-License-Identifier: MIT */
/* A pass of waves over one part.
 *
 * Level t of row (y, z), the state after t steps, lies in slot (y - t, z - t): a result overwrites
 * the row before it in both dimensions, which nobody needs any more. In two dimensions wave w makes
 * rows [w R - t, w R - t + R) of every level t, one after the other: each finds what the level
 * before has just left in cache. In three dimensions rows are cut into strips, and in each strip
 * waves of planes go through all levels. No point is computed twice, but for the ghosts that parts
 * of two dimensions have where there are several: of those each level needs one row fewer than the
 * one before.
 *
 * The next pass goes the other way, with negative strides, and moves the state back, unless it is a
 * ring (wave_ring.h). All of this file counts from the end that the pass begins at. */
#include "app/stencil/wave.h"

#include "app/stencil/grid_layout.h"
#include "app/stencil/wave_order.h"
#include "app/stencil/wave_ring.h"
#include "app/stencil/wave_team.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { AHEAD_ROWS_MAX = 4096 };

/* Rows that the next wave will need from memory: some of them are prefetched by each block. */
struct ahead {
    const char *base;
    size_t n, next;
    ptrdiff_t offset[AHEAD_ROWS_MAX];
};

/* One step of a pass. */
struct level {
    double side, centre;
    double wall[3][2];        /* scaled as the state is */
    struct am_wave_ends ends; /* of rows, as blocks have them */
};

/* Points of one dimension, and where the grid ends: at the part's ends, among its ghosts, or (no
 * walls) nowhere. */
struct span {
    ptrdiff_t n;
    ptrdiff_t begin, end;
};

struct front {
    const struct am_stencil_grid *grid;
    ptrdiff_t steps;
    size_t pass;  /* its number */
    char *origin; /* row (0, 0) at level 0 */
    ptrdiff_t row, plane;
    struct span y, z;
    bool narrow;                /* each level has all rows (wave_ring.h) */
    struct am_wave_block block; /* what all blocks have alike */
    ptrdiff_t planes, deep;     /* of a block, and rows of each */
    struct level level[AM_WAVE_DEPTH_MAX];
    struct ahead ahead;
};

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* What level t + 1 has of a dimension: ghosts as many as the steps behind it need. */
static ptrdiff_t begin_of(const struct front *f, const struct span *span, ptrdiff_t t)
{
    return most(span->begin, -(f->steps - 1 - t));
}

static ptrdiff_t end_of(const struct front *f, const struct span *span, ptrdiff_t t)
{
    return least(span->end, span->n + f->steps - 1 - t);
}

/* Waves or strips of that size that a dimension needs for all levels. */
static ptrdiff_t pieces(const struct front *f, const struct span *span, ptrdiff_t size)
{
    if (f->narrow && span == &f->y)
        return 1;
    if (span == &f->y && am_wave_runs_on(f->grid))
        return (ptrdiff_t)am_wave_order_strips(f->grid->spec.n[1], f->grid->spec.depth,
                                               (size_t)size);
    if (f->grid->ring && f->grid->spec.dim == 2) /* the last wave closes it as well */
        return (span->n - 1) / size + 1;
    if (f->grid->ring)
        return am_wave_ring_pieces(span->n, size);
    return (span->n + f->steps - 1 - begin_of(f, span, 0) + size - 1) / size;
}

/* Where level 0 of a piece begins. */
static ptrdiff_t start_of(const struct front *f, const struct span *span, ptrdiff_t size,
                          ptrdiff_t at)
{
    if (span == &f->y && am_wave_runs_on(f->grid))
        return (ptrdiff_t)am_wave_order_edge(f->grid->spec.n[1], f->grid->spec.depth,
                                             (size_t)pieces(f, span, size), (size_t)at);
    return (f->grid->ring ? 0 : begin_of(f, span, 0)) + at * size;
}

static struct am_wave_piece piece_of(const struct front *f, const struct span *span, ptrdiff_t size,
                                     ptrdiff_t at)
{
    return (struct am_wave_piece){.n = span->n,
                                  .from = start_of(f, span, size, at),
                                  .to = start_of(f, span, size, at + 1),
                                  .closes = at == pieces(f, span, size) - 1};
}

/* Rows or planes of a piece that step t makes; false: none. */
static bool range_of(const struct front *f, const struct span *span,
                     const struct am_wave_piece *piece, ptrdiff_t t, ptrdiff_t range[2])
{
    if (f->narrow && span == &f->y) {
        range[0] = 0;
        range[1] = span->n;
    } else if (f->grid->ring) {
        am_wave_ring_range(piece, t, range);
    } else {
        range[0] = most(piece->from - t, begin_of(f, span, t));
        range[1] = least(piece->to - t, end_of(f, span, t));
    }
    return range[0] < range[1];
}

static char *slot(const struct front *f, ptrdiff_t t, ptrdiff_t y, ptrdiff_t z)
{
    const ptrdiff_t plane = f->grid->spec.dim == 3 ? (z - t) * f->plane : 0;

    return f->origin + (y - t) * f->row + plane;
}

/* ---- fixed sides ---- */

/* A vector of them, and copies of what there is. */
static void fill_row(const struct front *f, char *row, double value)
{
    const size_t bytes = f->grid->length[0] * f->grid->point_bytes;
    size_t done = f->grid->point_bytes;

    for (size_t i = 0; i < f->grid->lanes; i++) {
        if (f->grid->spec.type == AM_STENCIL_F32)
            ((float *)(void *)row)[i] = (float)value;
        else
            ((double *)(void *)row)[i] = value;
    }
    for (; done < bytes; done += least((ptrdiff_t)done, (ptrdiff_t)(bytes - done)))
        memcpy(row + done, row, (size_t)least((ptrdiff_t)done, (ptrdiff_t)(bytes - done)));
}

/* Rows that are so far apart: the first, and copies of it. */
static void fill_rows(const struct front *f, char *row, ptrdiff_t apart, ptrdiff_t count,
                      double value)
{
    if (count > 0)
        fill_row(f, row, value);
    for (ptrdiff_t i = 1; i < count; i++)
        memcpy(row + i * apart, row, f->grid->length[0] * f->grid->point_bytes);
}

/* The rows beyond fixed sides that a level of rows [y0, y1) in planes [z0, z1) reads. */
static void set_walls(const struct front *f, ptrdiff_t t, const ptrdiff_t y[2],
                      const ptrdiff_t z[2])
{
    const double(*const wall)[2] = f->level[t].wall;

    if (y[0] == f->y.begin)
        fill_rows(f, slot(f, t, f->y.begin - 1, z[0]), f->plane, z[1] - z[0], wall[1][0]);
    if (y[1] == f->y.end)
        fill_rows(f, slot(f, t, f->y.end, z[0]), f->plane, z[1] - z[0], wall[1][1]);
    if (f->grid->spec.dim == 3 && z[0] == f->z.begin)
        fill_rows(f, slot(f, t, y[0], f->z.begin - 1), f->row, y[1] - y[0], wall[2][0]);
    if (f->grid->spec.dim == 3 && z[1] == f->z.end)
        fill_rows(f, slot(f, t, y[0], f->z.end), f->row, y[1] - y[0], wall[2][1]);
}

/* ---- a level ---- */

/* Rows for a block to prefetch; false: none are left. */
static bool take_ahead(struct ahead *a, size_t count, const char **rows)
{
    if (a->next + count > a->n)
        return false;
    for (size_t i = 0; i < count; i++)
        rows[i] = a->base + a->offset[a->next++];
    return true;
}

static void step_flat(struct front *f, struct am_wave_block *block, size_t rows)
{
    const struct am_wave_variant *const waves = f->grid->waves;
    const enum am_stencil_type type = f->grid->spec.type;
    const char *ahead[AM_WAVE_AHEAD_FLAT];

    block->ahead = ahead;
    if (rows == waves->rows && take_ahead(&f->ahead, AM_WAVE_AHEAD_FLAT, ahead))
        waves->flat_ahead[type](block);
    else
        waves->flat[type][rows - 1](block);
}

static void step_solid(struct front *f, struct am_wave_block *block, size_t planes, size_t rows)
{
    const struct am_wave_variant *const waves = f->grid->waves;
    const enum am_stencil_type type = f->grid->spec.type;
    const char *ahead[AM_WAVE_AHEAD_SOLID];

    block->ahead = ahead;
    if (planes == waves->planes && waves->solid_ahead[type][rows - 1] &&
        take_ahead(&f->ahead, AM_WAVE_AHEAD_SOLID, ahead))
        waves->solid_ahead[type][rows - 1](block);
    else
        waves->solid[type][planes - 1][rows - 1](block);
}

/* Where the rows that a block of two rows per plane reads do not fit the first-level cache, all of
 * them come from the second with each block: then blocks are as large as registers allow, and even
 * a little larger. */
static bool has_long_rows(const struct am_stencil_grid *grid)
{
    static const long usual = 32 << 10; /* bytes, where nobody says */
    const long known = sysconf(_SC_LEVEL1_DCACHE_SIZE), l1 = known > 0 ? known : usual;
    const size_t rows = (size_t)(AM_WAVE_PLANES_MAX + 2) * (2 + 2);

    return rows * grid->length[0] * grid->point_bytes > (size_t)l1;
}

/* Rows of each plane that a block has. */
static ptrdiff_t deep_of(const struct am_stencil_grid *grid)
{
    if (grid->spec.dim == 2)
        return (ptrdiff_t)grid->spec.tile[0];
    return has_long_rows(grid) || grid->waves->deep < 3 ? (ptrdiff_t)grid->waves->deep : 2;
}

/* Blocks of a grid that comes from memory are those that prefetch: the largest. */
static ptrdiff_t planes_of(const struct am_stencil_grid *grid)
{
    const bool most_planes = has_long_rows(grid) || am_wave_is_large(&grid->spec);

    return most_planes || grid->waves->planes > 3 ? (ptrdiff_t)grid->waves->planes : 2;
}

/* Of a wave that is as high as they come; most are. */
uintptr_t am_grid_hot_loop(const struct am_stencil_grid *grid, size_t *vectors)
{
    const struct am_wave_variant *const waves = grid->waves;
    const enum am_stencil_type type = grid->spec.type;
    const size_t rows = grid->spec.tile[0];

    if (grid->spec.method != AM_STENCIL_BY_WAVE)
        return 0;
    if (grid->spec.dim == 2) {
        *vectors = rows;
        return (uintptr_t)waves->flat[type][rows - 1];
    }
    *vectors = (size_t)(planes_of(grid) * deep_of(grid));
    return (uintptr_t)waves->solid[type][planes_of(grid) - 1][deep_of(grid) - 1];
}

/* From level t to the next: rows y[0] to y[1] of planes z[0] to z[1], no more than a block has.
 * Short rows make this a good part of all: what does not depend on the level stands in f->block. */
static void step_planes(struct front *f, ptrdiff_t t, const ptrdiff_t y[2], const ptrdiff_t z[2])
{
    f->block.first = slot(f, t, y[0], z[0]);
    for (ptrdiff_t at = y[0], rows; at < y[1]; at += rows) {
        rows = least(f->deep, y[1] - at);
        if (f->grid->spec.dim == 2)
            step_flat(f, &f->block, (size_t)rows);
        else
            step_solid(f, &f->block, (size_t)(z[1] - z[0]), (size_t)rows);
        f->block.first += rows * f->row;
    }
}

/* The same of any number of planes. */
static void step_level(struct front *f, ptrdiff_t t, const ptrdiff_t y[2], const ptrdiff_t z[2])
{
    const struct level *const level = &f->level[t];

    f->block.side = level->side;
    f->block.centre = level->centre;
    if (f->block.ends) {
        f->block.ends = &level->ends;
        set_walls(f, t, y, z);
    }
    for (ptrdiff_t at = z[0]; at < z[1]; at += f->planes) {
        const ptrdiff_t some[2] = {at, least(at + f->planes, z[1])};

        step_planes(f, t, y, some);
    }
}

/* ---- waves ---- */

/* What the next wave brings in: new rows for the first level; for the others the last rows of the
 * strip before. */
static void list_ahead(struct front *f, ptrdiff_t planes, ptrdiff_t rows)
{
    struct ahead *const a = &f->ahead;

    a->n = 0;
    if (!am_wave_is_large(&f->grid->spec))
        return;
    if (f->grid->spec.dim == 2) {
        for (ptrdiff_t y = 1; y <= rows; y++)
            a->offset[a->n++] = y * f->row;
        return;
    }
    for (ptrdiff_t t = 0; t < f->steps; t++) {
        for (ptrdiff_t y = -1; y <= (t ? 0 : rows); y++) {
            for (ptrdiff_t z = 1; z <= planes && a->n < AHEAD_ROWS_MAX; z++)
                a->offset[a->n++] = (y - 2 * t) * f->row + (z - 2 * t) * f->plane;
        }
    }
}

/* All levels of wave w of a strip; f->ahead.base is where the next one begins. */
static void do_levels(struct front *f, const struct am_wave_piece *rows,
                      const struct am_wave_piece *planes)
{
    const struct am_wave_way way = {f->origin, f->row, f->plane, f->pass};

    f->ahead.next = 0;
    for (ptrdiff_t t = 0; t < f->steps; t++) {
        ptrdiff_t y[2], z[2] = {0, 1};

        if (f->grid->ring)
            am_wave_ring_turn(f->grid, &way, t, rows, planes);
        if (range_of(f, &f->y, rows, t, y) &&
            (f->grid->spec.dim == 2 || range_of(f, &f->z, planes, t, z)))
            step_level(f, t, y, z);
    }
}

static void pass_flat(struct front *f)
{
    const struct am_wave_piece planes = {.n = 1, .to = 1};
    const ptrdiff_t rows = (ptrdiff_t)f->grid->spec.tile[0], waves = pieces(f, &f->y, rows);

    list_ahead(f, 1, rows);
    for (ptrdiff_t w = 0; w < waves; w++) {
        const struct am_wave_piece piece = piece_of(f, &f->y, rows, w);

        f->ahead.base = slot(f, 0, piece.to, 0);
        do_levels(f, &piece, &planes);
    }
}

/* All levels of a wave; `next` is the strip that comes after this one. */
static void do_wave(struct front *f, ptrdiff_t strip, ptrdiff_t w, ptrdiff_t next)
{
    const ptrdiff_t height = (ptrdiff_t)f->grid->spec.tile[0];
    const struct am_wave_piece rows = piece_of(f, &f->y, height, strip);
    const struct am_wave_piece planes = piece_of(f, &f->z, f->planes, w);

    f->ahead.base = slot(f, 0, planes.closes ? start_of(f, &f->y, height, next) : rows.from,
                         planes.closes ? start_of(f, &f->z, f->planes, 0) : planes.to);
    do_levels(f, &rows, &planes);
}

static void pass_solid(struct front *f)
{
    const ptrdiff_t rows = (ptrdiff_t)f->grid->spec.tile[0], planes = f->planes;
    const ptrdiff_t strips = pieces(f, &f->y, rows), waves = pieces(f, &f->z, planes);

    list_ahead(f, planes, rows);
    for (ptrdiff_t i = 0; i < strips * waves; i++)
        do_wave(f, i / waves, i % waves, i / waves + 1);
}

/* ---- a pass ---- */

/* Coefficients of each step, and walls scaled by what came before it. */
static void set_levels(struct front *f, const struct am_grid_pass *pass)
{
    const struct am_stencil_grid *const grid = f->grid;
    const struct am_stencil_coefs *const coefs = &grid->coefs;
    size_t age = pass->from.age;

    for (ptrdiff_t t = 0; t < f->steps; t++) {
        const bool last = pass->last && t + 1 == f->steps;
        const bool shrinks = age + 1 == coefs->rescale_every || last;
        const double factor = shrinks ? am_stencil_shrink(coefs, age + 1) : 1;
        const double grown = 1 / am_stencil_shrink(coefs, age);
        struct level *const level = &f->level[t];

        level->side = coefs->side * factor;
        level->centre = coefs->centre * factor;
        for (unsigned d = 0; d < 3; d++) {
            const bool turned = d > 0 && !pass->forth;

            level->wall[d][0] = grid->spec.wall[d][turned] * grown;
            level->wall[d][1] = grid->spec.wall[d][!turned] * grown;
        }
        age = shrinks ? 0 : age + 1;
        level->ends =
            (struct am_wave_ends){.left = level->wall[0][0],
                                  .right = level->wall[0][1],
                                  .next = grid->spec.wall[0][1] / am_stencil_shrink(coefs, age)};
    }
}

/* ---- passes that threads share ---- */

/* Strip after strip, as long as there are any that nobody has. */
static void pass_shared(struct front *f)
{
    struct am_wave_team *const team = am_wave_team_of(f->grid);
    const ptrdiff_t rows = (ptrdiff_t)f->grid->spec.tile[0], planes = f->planes;
    const size_t strips = (size_t)pieces(f, &f->y, rows), waves = (size_t)pieces(f, &f->z, planes);
    size_t strip;

    list_ahead(f, planes, rows);
    while (am_wave_team_claim(team, f->pass, strips, &strip)) {
        for (size_t w = 0; w < waves; w++) {
            if (strip > 0)
                am_wave_team_await(team, f->pass, strip - 1, w + 1);
            do_wave(f, (ptrdiff_t)strip, (ptrdiff_t)w, (ptrdiff_t)(strip + f->grid->spec.parts));
            am_wave_team_tell(team, f->pass, strip, w);
        }
    }
}

/* Pass `at` of a run becomes the one that f is in. */
static void enter_pass(struct front *f, const struct am_grid_pass *run, size_t at)
{
    const size_t depth = f->grid->spec.depth, done = at * depth;
    struct am_grid_pass pass = *run;

    pass.steps = run->steps - done < depth ? run->steps - done : depth;
    pass.from.age = (run->from.age + done) % f->grid->coefs.rescale_every;
    pass.last = run->last && done + pass.steps == run->steps;
    f->pass = run->from.passes + at;
    f->steps = (ptrdiff_t)pass.steps;
    set_levels(f, &pass);
    list_ahead(f, f->planes, (ptrdiff_t)f->grid->spec.tile[0]);
}

/* The same of all passes of a run (wave_order.h). */
static void run_shared(struct front *f, const struct am_grid_pass *run)
{
    struct am_wave_team *const team = am_wave_team_of(f->grid);
    const size_t first = run->from.passes;
    const struct am_wave_order order = am_wave_order_of(f->grid, run->steps, (size_t)f->planes);
    struct am_wave_stage waits[AM_WAVE_WAITS_MAX];
    size_t claimed;

    while (am_wave_team_claim(team, first, order.passes * order.strips, &claimed)) {
        const size_t pass = claimed / order.strips, strip = claimed % order.strips;
        const size_t next = (claimed + f->grid->spec.parts) % order.strips;

        if (f->pass != first + pass)
            enter_pass(f, run, pass);
        for (size_t w = 0; w < order.waves; w++) {
            const size_t n = am_wave_order_waits(&order, pass, strip, w, waits);

            for (size_t i = 0; i < n; i++)
                am_wave_team_await(team, first + waits[i].pass, waits[i].strip, waits[i].waves);
            do_wave(f, (ptrdiff_t)strip, (ptrdiff_t)w, (ptrdiff_t)next);
            am_wave_team_tell(team, first + pass, strip, w);
        }
    }
}

static struct span span_of(const struct am_stencil_grid *grid, size_t part, unsigned d, bool forth)
{
    const bool whole = d != am_grid_cut(grid) || am_wave_is_shared(&grid->spec);
    const size_t start = whole ? 0 : am_grid_part_start(grid, part);
    struct span span = {.begin = PTRDIFF_MIN / 2, .end = PTRDIFF_MAX / 2};
    size_t extent[3];
    ptrdiff_t begin;

    am_grid_extent(grid, part, extent);
    span.n = (ptrdiff_t)(whole ? grid->spec.n[d] : extent[d]);
    if (!grid->spec.fixed)
        return span;
    span.begin = -(ptrdiff_t)start;
    span.end = (ptrdiff_t)(grid->spec.n[d] - start);
    begin = span.begin;
    if (!forth) {
        span.begin = span.n - span.end;
        span.end = span.n - begin;
    }
    return span;
}

/* Of row (0, 0), as the pass counts. What goes round begins where the array does. */
static char *first_slot(const struct front *f, size_t part, const struct am_grid_pass *pass)
{
    const struct am_stencil_grid *const grid = f->grid;
    const ptrdiff_t moved = (ptrdiff_t)pass->from.shift;
    const ptrdiff_t y = pass->forth ? 0 : f->y.n - 1;
    const ptrdiff_t z = pass->forth || grid->spec.dim == 2 ? 0 : f->z.n - 1;

    return am_wave_slot(grid, part, 0, grid->ring && !f->narrow ? y : y - moved,
                        grid->ring ? z : z - moved);
}

/* What rows have behind their last point, or lies beyond their lanes. */
static void set_pads(const struct am_stencil_grid *grid, struct am_wave_block *block)
{
    const size_t n = grid->spec.n[0], pads = am_wave_pads(grid);

    if (pads == 0)
        return;
    if (grid->spec.fixed) {
        block->pad = am_wave_place(grid, n);
    } else {
        block->left = am_wave_place(grid, n - 1);
        block->right = am_wave_place(grid, pads % n);
    }
}

void am_wave_advance(const struct am_stencil_grid *grid, size_t part,
                     const struct am_grid_pass *pass)
{
    const bool forth = pass->forth, shared = am_wave_is_shared(&grid->spec);
    struct front f; /* not zeroed: its tables are as large as a first-level cache */

    f.grid = grid;
    f.steps = (ptrdiff_t)pass->steps;
    f.pass = pass->from.passes;
    f.row = forth ? grid->row : -grid->row;
    f.plane = forth ? grid->plane : -grid->plane;
    f.y = span_of(grid, part, 1, forth);
    f.z = span_of(grid, part, 2, forth);
    f.ahead.n = f.ahead.next = 0;
    f.block = (struct am_wave_block){.row = f.row,
                                     .plane = f.plane,
                                     .vectors = grid->length[0],
                                     .ends = grid->spec.fixed ? &f.level[0].ends : NULL};
    set_pads(grid, &f.block);
    f.planes = planes_of(grid);
    f.deep = deep_of(grid);
    f.narrow = grid->ring && am_wave_ring_is_narrow(grid);
    f.origin = first_slot(&f, shared ? 0 : part, pass);
    if (am_wave_runs_on(grid)) {
        enter_pass(&f, pass, 0);
        run_shared(&f, pass);
        return;
    }
    set_levels(&f, pass);
    if (grid->spec.dim == 2)
        pass_flat(&f);
    else if (shared)
        pass_shared(&f);
    else
        pass_solid(&f);
}
