/* SPDX-License-Identifier: MIT */
/* Strips of threads that share a ring, and what a wave waits for. */
#include "app/stencil/wave_order.h"

#include "app/stencil/wave.h"
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

/* Work of a pass, of that which would take as long if all strips were as wide as the widest: those
 * behind a strip go at its pace. */
static double evenness(size_t n, size_t depth, size_t open)
{
    const size_t rest = rest_of(n, depth), even = (rest + open - 1) / open;
    const size_t widest = even > depth + 1 ? even : depth + 1; /* the last one's, on average */

    return (double)n / ((double)(open + 1) * (double)widest);
}

/* Strips that there are beside one for each thread: with fewer the one that closes the ring keeps
 * the first ones of the next pass waiting, the more so where strips are narrow against a pass. */
static size_t spare_of(size_t n, size_t depth, size_t open)
{
    const size_t narrowest = rest_of(n, depth) / open;

    return 2 + depth / (narrowest ? narrowest : 1);
}

size_t am_wave_order_rows(const struct am_grid_spec *spec, size_t least, size_t most)
{
    /* the fewer follow each other, the less a wide one keeps others waiting */
    const double enough = 1 - 0.3 / (double)spec->parts;
    const size_t n = spec->n[1], depth = spec->depth, rest = rest_of(n, depth);
    const size_t fewest = (rest + most - 1) / most, needed = spec->parts + 1;
    const size_t from = fewest > needed ? fewest : needed, to = from + spec->parts + 2;
    double best = 0;

    for (size_t open = from; open <= to && rest >= open * least; open++) {
        if (open >= spec->parts + spare_of(n, depth, open) && evenness(n, depth, open) > best)
            best = evenness(n, depth, open);
    }
    for (size_t open = from; open <= to && rest >= open * least; open++) {
        if (open >= spec->parts + spare_of(n, depth, open) &&
            evenness(n, depth, open) >= enough * best)
            return (rest + open - 1) / open;
    }
    return least;
}
