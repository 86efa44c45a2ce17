/* SPDX-License-Identifier: MIT */
/* Strips of threads that share a ring, and what a wave waits for. */
#include "app/stencil/wave_order.h"

#include "app/stencil/wave.h"
#include "app/stencil/wave_course.h"
#include "app/stencil/wave_ring.h"

bool am_wave_runs_on(const struct am_stencil_grid *grid)
{
    return grid->ring && am_wave_is_shared(&grid->spec);
}

/* Rows that strips share evenly. */
static size_t rest_of(size_t n, size_t depth)
{
    return n > depth + 1 ? n - 1 - depth : 0;
}

size_t am_wave_order_strips(size_t n, size_t depth, size_t rows)
{
    const size_t open = (rest_of(n, depth) + rows - 1) / rows;

    return (open ? open : 1) + 1;
}

size_t am_wave_order_edge(size_t n, size_t depth, size_t strips, size_t strip)
{
    const size_t open = strips - 1, rest = rest_of(n, depth);

    if (strip == 0)
        return 0;
    return strip < open ? n - 1 - rest + rest * strip / open : n - 1;
}

struct am_wave_order am_wave_order_of(const struct am_stencil_grid *grid, size_t steps,
                                      size_t planes)
{
    const size_t *const n = grid->spec.n, depth = grid->spec.depth;
    const size_t waves = (size_t)am_wave_ring_pieces((ptrdiff_t)n[2], (ptrdiff_t)planes);

    /* as many that the slots from n - 2 T on, which the last wave has, lie behind those of a wave
     * that does not wait for it; then so do those of the others */
    return (struct am_wave_order){.passes = (steps + depth - 1) / depth,
                                  .strips = am_wave_order_strips(n[1], depth, grid->spec.tile[0]),
                                  .waves = waves,
                                  .lag = 1 + ((waves - 1) * planes + 2 * depth - n[2]) / planes};
}

size_t am_wave_order_waits(const struct am_wave_order *order, size_t pass, size_t strip,
                           size_t wave, struct am_wave_stage waits[AM_WAVE_WAITS_MAX])
{
    const size_t last = order->strips - 1, far = wave + 1 + order->lag;
    size_t n = 0;

    if (strip > 0)
        waits[n++] = (struct am_wave_stage){pass, strip - 1, wave + 1};
    else if (pass > 0)
        waits[n++] =
            (struct am_wave_stage){pass - 1, last, far < order->waves ? far : order->waves};
    if (pass > 0 && wave == 0)
        waits[n++] = (struct am_wave_stage){pass - 1, strip, order->waves};
    return n;
}

/* ---- choice ---- */

/* What strips of so many rows are worth. The two rows of a level that a strip reads and another
 * thread has just written take it no less than two that it makes. More waves than a thousand, one
 * behind the other, would only repeat what these show. */
static double worth_of(const struct am_grid_spec *spec, size_t rows)
{
    enum { PASSES_PLAYED = 6, FOREIGN = 2, WAVES_MOST = 1000 };
    const size_t planes = am_wave_find(spec->kernels->isa)->planes;
    const size_t enough = WAVES_MOST * planes;
    struct am_stencil_grid grid = {.spec = *spec, .ring = true};
    struct am_wave_order order;

    grid.spec.n[2] = spec->n[2] < enough ? spec->n[2] : enough;
    grid.spec.tile[0] = rows;
    order = am_wave_order_of(&grid, PASSES_PLAYED * spec->depth, planes);
    return am_wave_course_share(&grid, &order, planes, FOREIGN);
}

/* Wider strips than make one for each thread and the one that closes the ring leave threads without
 * any; narrower ones than make two read more of each other than they even out. Where the widest
 * make several for each thread, nobody waits for long, and they are not played. */
size_t am_wave_order_rows(const struct am_grid_spec *spec, size_t least, size_t most)
{
    enum { STRIPS_EACH = 8 };
    const size_t rest = rest_of(spec->n[1], spec->depth);
    const size_t widest = (rest + spec->parts - 1) / spec->parts;
    size_t rows = widest < most ? widest : most, found = least;
    double best = 0;

    if (rows >= least && rows > 0 && rest / rows >= STRIPS_EACH * spec->parts)
        return rows;
    for (const size_t narrowest = rows / 2 > least ? rows / 2 : least; rows >= narrowest; rows--) {
        const double worth = worth_of(spec, rows);

        if (worth > best) {
            best = worth;
            found = rows;
        }
    }
    return found;
}
