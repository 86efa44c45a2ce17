/* SPDX-License-Identifier: MIT */
/* A block of a wave on short rows, and how many such blocks a run is made of. */
#include "bench/apps/near/wave_near.h"

#include "app/stencil/wave.h"
#include "bench/shared/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    NEAR_BYTES = 20 << 10, /* that a timed block touches: they stay */
    VECTORS_LEAST = 2,
};

/* Rows and planes of a block, as most blocks have them. */
struct shape {
    size_t planes, rows;
};

static struct shape shape_of(const struct am_stencil_grid *grid, size_t vectors)
{
    const struct am_wave_variant *const waves = grid->waves;
    const bool all = vectors % waves->planes == 0 && vectors / waves->planes <= waves->deep;

    if (grid->spec.dim == 2)
        return (struct shape){1, vectors};
    return all ? (struct shape){waves->planes, vectors / waves->planes}
               : (struct shape){vectors / 2, 2};
}

struct stepping {
    am_wave_fn *fn;
    struct am_wave_block block;
};

static void step_block(void *self)
{
    const struct stepping *const s = self;

    s->fn(&s->block);
}

/* Seconds of a block whose rows have so many vectors; 0: no memory. */
static double block_seconds(const struct am_stencil_grid *grid, const struct shape *shape,
                            size_t vectors, const struct am_clock *clock)
{
    const enum am_stencil_type type = grid->spec.type;
    const bool flat = grid->spec.dim == 2;
    const size_t row = (vectors | 1) * grid->point_bytes, plane = (shape->rows + 2) * row;
    const size_t bytes = (shape->planes + 2) * plane;
    const bool padded = am_wave_pads(grid) > 0; /* then two points of each row are loaded alone */
    struct stepping s = {.fn = flat ? grid->waves->flat[type][shape->rows - 1]
                                    : grid->waves->solid[type][shape->planes - 1][shape->rows - 1],
                         .block = {.row = (ptrdiff_t)row,
                                   .plane = flat ? 0 : (ptrdiff_t)plane,
                                   .vectors = vectors,
                                   .left = padded ? (vectors - 1) * grid->point_bytes : 0,
                                   .right = padded ? grid->point_bytes : 0,
                                   .side = grid->coefs.side,
                                   .centre = grid->coefs.centre}};
    char *const memory =
        aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    double seconds;

    if (!memory)
        return 0;
    memset(memory, 0, bytes);
    s.block.first = memory + row + plane;
    seconds = am_near_seconds(clock, step_block, &s);
    free(memory);
    return seconds;
}

/* Rows of all levels of a pass: where there are ghosts each level has one fewer than the one
 * before, on either side of each dimension that rows are counted in. */
static double rows_of_pass(const struct am_stencil_grid *grid)
{
    const struct am_grid_spec *const spec = &grid->spec;
    double rows = 0;

    for (size_t t = 0; t < spec->depth; t++) {
        const double ghosts = grid->ring ? 0 : 2.0 * (double)(spec->depth - 1 - t);

        rows += ((double)spec->n[1] + ghosts) * (spec->dim == 3 ? (double)spec->n[2] + ghosts : 1);
    }
    return rows;
}

/* A strip is as many blocks as it takes, of which the last may have fewer rows. */
static double rows_per_block(const struct am_grid_spec *spec, const struct shape *shape)
{
    const double strip = fmin((double)spec->tile[0], (double)spec->n[1]);

    if (spec->dim == 2)
        return (double)shape->rows;
    return (double)shape->planes * strip / ceil(strip / (double)shape->rows);
}

void am_wave_parts_measure(const struct am_stencil_grid *grid, size_t steps,
                           const struct am_clock *clock, struct am_stencil_parts *parts)
{
    const double passes = (double)steps / (double)grid->spec.depth;
    const double rows = passes * rows_of_pass(grid), vectors = (double)grid->length[0];
    size_t together, longer;
    const uintptr_t code = am_grid_hot_loop(grid, &together);
    struct shape shape;
    double a, b, per_vector, blocks;

    if (!code || grid->spec.fixed)
        return;
    shape = shape_of(grid, together);
    blocks = rows / rows_per_block(&grid->spec, &shape);
    parts->code = code;
    parts->turns = rows * vectors / (double)together;
    longer = NEAR_BYTES / ((shape.planes + 2) * (shape.rows + 2) * grid->point_bytes);
    longer = longer < grid->length[0] ? longer : grid->length[0];
    if (longer / 2 < VECTORS_LEAST)
        return;
    a = block_seconds(grid, &shape, longer / 2, clock);
    b = block_seconds(grid, &shape, longer, clock);
    if (!(a > 0) || !(b > a))
        return;
    per_vector = (b - a) / (double)(longer - longer / 2);
    parts->begin = blocks * fmax(b - (double)longer * per_vector, 0);
    parts->near = parts->begin + rows * vectors * per_vector / (double)together;
}
