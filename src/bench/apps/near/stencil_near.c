/* SPDX-License-Identifier: MIT */
/* Loops of a grid on a few rows of it. */
#include "bench/apps/near/stencil_near.h"

#include "app/stencil/grid_tiles.h"
#include "bench/apps/near/wave_near.h"
#include "bench/shared/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    L1_USUAL = 32 << 10,   /* where the system does not say */
    NEAR_BYTES = 20 << 10, /* that a timed box touches: they stay */
    SWEPT_BANDS = 4,       /* per call of a sweep, which has all rows in one */
    COLUMNS_LEAST = 8,
    LINE_BYTES = 64,
    PLANES = 3,                        /* that a step of a plane reads */
    STAGGER_BYTES = 2048 + LINE_BYTES, /* loads are held back by stores to the same offset in
                                        * another page */
};

struct banding {
    am_grid_fn *fn;
    struct am_grid_box box;
};

static void step_band(void *self)
{
    const struct banding *const b = self;

    b->fn(&b->box);
}

/* Seconds of a band of so many columns; 0 where the grid has no such. */
static double band_seconds(const struct am_stencil_grid *grid, size_t bands, size_t columns,
                           bool single, const struct am_clock *clock)
{
    struct banding b = {.fn = am_grid_loop(&grid->spec)};

    if (!am_grid_band(grid, bands, columns, single, &b.box))
        return 0;
    return am_near_seconds(clock, step_band, &b) / (double)bands;
}

/* ---- the same rows, each at the beginning of a line ---- */

static size_t up_to_line(size_t bytes)
{
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Seconds of a band of `like`, in memory of its own; 0: no memory. */
static double lined_seconds(const struct am_stencil_grid *grid, size_t bands, size_t columns,
                            const struct am_clock *clock)
{
    struct banding b = {.fn = am_grid_loop(&grid->spec)};
    const size_t row = up_to_line((columns + 1) * grid->point_bytes) + LINE_BYTES;
    size_t plane, bytes;
    double seconds;
    char *memory;

    if (!am_grid_band(grid, bands, columns, false, &b.box))
        return 0;
    plane = (b.box.n[1] + 2) * row;
    bytes = up_to_line(PLANES * plane);
    memory = aligned_alloc(LINE_BYTES, 2 * bytes + STAGGER_BYTES);
    if (!memory)
        return 0;
    memset(memory, 0, 2 * bytes + STAGGER_BYTES);
    b.box.u = memory + plane + row + LINE_BYTES;
    b.box.v = memory + bytes + STAGGER_BYTES + plane + row + LINE_BYTES;
    b.box.row = (ptrdiff_t)row;
    b.box.plane = (ptrdiff_t)plane;
    seconds = am_near_seconds(clock, step_band, &b) / (double)bands;
    free(memory);
    return seconds;
}

static bool begins_between_lines(const struct am_stencil_grid *grid)
{
    return (size_t)grid->row % LINE_BYTES != 0 || grid->offset[0] % LINE_BYTES != 0;
}

/* The longest rows, up to the mean, whose box is near. */
static size_t near_columns(const struct am_stencil_grid *grid, size_t bands, double mean,
                           bool single)
{
    struct am_grid_box box;
    size_t columns = mean < (double)grid->spec.n[0] ? (size_t)mean : grid->spec.n[0];

    while (columns > COLUMNS_LEAST && am_grid_band(grid, bands, columns, single, &box) > NEAR_BYTES)
        columns /= 2;
    return columns;
}

/* Adds seconds of all bands, or of all single rows. False: they cannot be told. */
static bool add_bands(const struct am_stencil_grid *grid, const struct am_grid_counts *counts,
                      bool single, const struct am_clock *clock, struct am_stencil_parts *parts)
{
    const double n = counts->bands[single], points = counts->points[single];
    const size_t bands = grid->spec.method < AM_STENCIL_BY_SKEW ? SWEPT_BANDS : 1;
    const size_t longer = n > 0 ? near_columns(grid, bands, points / n, single) : 0;
    const size_t shorter = longer / 2;
    double a, b, per_point;

    if (!(n > 0))
        return true;
    if (longer < COLUMNS_LEAST)
        return false;
    a = band_seconds(grid, bands, shorter, single, clock);
    b = band_seconds(grid, bands, longer, single, clock);
    if (!(a > 0) || !(b > a))
        return false;
    per_point = (b - a) / (double)(longer - shorter);
    parts->near += n * b + (points - n * (double)longer) * per_point;
    parts->begin += fmax(n * (b - (double)longer * per_point), 0);
    if (!single && begins_between_lines(grid)) {
        const double lined = lined_seconds(grid, bands, longer, clock);

        parts->crossing = lined > 0 ? fmax(b - lined, 0) * points / (double)longer : 0;
    }
    return true;
}

void am_stencil_parts_measure(const struct am_stencil_grid *grid, size_t steps,
                              const struct am_clock *clock, struct am_stencil_parts *parts)
{
    const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    struct am_grid_counts counts = {.l1_bytes = l1 > 0 ? (size_t)l1 : L1_USUAL};

    *parts = (struct am_stencil_parts){.code = 0};
    if (grid->spec.method == AM_STENCIL_BY_WAVE) {
        am_wave_parts_measure(grid, steps, clock, parts);
        return;
    }
    am_grid_count(grid, steps, &counts);
    if (!(counts.bands[0] > 0))
        return;
    parts->code = (uintptr_t)am_grid_loop(&grid->spec);
    parts->turns = counts.turns;
    parts->l2_bytes = counts.l2_bytes;
    if (!add_bands(grid, &counts, false, clock, parts) ||
        !add_bands(grid, &counts, true, clock, parts))
        parts->near = parts->begin = parts->crossing = 0;
}
