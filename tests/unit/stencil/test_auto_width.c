/* SPDX-License-Identifier: MIT */
/* Halves of vectors or whole ones: loops that only take time, in a time that passes by them. */
#include "bench/apps/auto_width.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 16 };

/* Nanoseconds of a plane, and the time that has passed: loops have no other place for it. */
static uint64_t half_ns, whole_ns, now_ns;
static size_t halves, wholes;

static uint64_t now(void *self)
{
    (void)self;
    return now_ns;
}

static void step_half(const struct am_grid_box *box)
{
    (void)box;
    now_ns += half_ns;
    halves++;
}

static void step_whole(const struct am_grid_box *box)
{
    (void)box;
    now_ns += whole_ns;
    wholes++;
}

static struct am_grid_variant taking_time(bool has_whole)
{
    struct am_grid_variant v = *am_grid_find(am_isa_names[1]);

    for (size_t form = 0; form < AM_STENCIL_FORMS; form++) {
        for (size_t type = 0; type < AM_STENCIL_TYPES; type++) {
            v.step[1][AM_STENCIL_AUTO][form][type] = step_half;
            v.step[1][AM_GRID_WHOLE][form][type] = has_whole ? step_whole : NULL;
        }
    }
    return v;
}

/* Whether whole vectors are taken. */
static bool chooses_whole(uint64_t half, uint64_t whole, bool has_whole)
{
    static const struct am_clock clock = {.now_ns = now};
    const struct am_grid_variant kernels = taking_time(has_whole);
    const struct am_grid_spec spec = {.kernels = &kernels,
                                      .dim = 3,
                                      .method = AM_STENCIL_BY_AUTO,
                                      .type = AM_STENCIL_F64,
                                      .n = {SIDE, SIDE, SIDE},
                                      .r = 0.1,
                                      .parts = 1};
    double *const x = calloc((size_t)SIDE * SIDE * SIDE, sizeof(*x));
    struct am_stencil_grid grid;
    struct am_auto_width width;
    struct am_err err = {0};
    size_t bytes = 0;
    void *memory;

    half_ns = half;
    whole_ns = whole;
    now_ns = 1;
    halves = wholes = 0;
    if (!x || am_grid_bytes(&spec, &bytes, &err) != AM_OK)
        abort();
    memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory || am_stencil_grid_init(&grid, &spec, memory, &err) != AM_OK ||
        am_grid_load(&grid, x, &err) != AM_OK)
        abort();
    am_auto_width_choose(&grid, &clock, &width);
    ok(grid.phase.front == 0 && grid.phase.passes == 0 && (has_whole || (!halves && !wholes)),
       "%zu planes by halves and %zu by whole vectors, then the grid is to be filled anew", halves,
       wholes);
    free(memory);
    free(x);
    return grid.spec.whole;
}

int main(void)
{
    ok(chooses_whole(1000, 900, true), "whole vectors where they are a tenth faster");
    ok(!chooses_whole(1000, 1100, true), "halves where they are faster");
    ok(!chooses_whole(1000, 990, true), "halves where whole ones gain a percent only");
    ok(chooses_whole(200000000, 100000000, true), "a grid that takes seconds a step: whole");
    ok(halves <= (size_t)6 * SIDE && wholes <= (size_t)4 * SIDE, "and few steps of it are made");
    ok(!chooses_whole(1000, 900, false), "one width only: nothing is tried");
    return tap_done();
}
