/* SPDX-License-Identifier: MIT */
/* How large a wave may be: what follows from measured times, and shapes that follow from it. */
#include "bench/apps/wave_room.h"

#include "app/stencil/grid.h"
#include "bench/apps/wave_bound.h"
#include "kernels/isa.h"
#include "tap.h"

#include <math.h>

static void test_rule(void)
{
    struct am_wave_room room = {.l2_bytes = 1 << 20, .inside = 1e-11, .beyond = 1.2e-11};

    ok(am_wave_room_bytes(&room) == 0, "a third-level cache that is nearly as fast: any size");
    room.beyond = 2e-11;
    ok(am_wave_room_bytes(&room) > 1 << 18 && am_wave_room_bytes(&room) < 1 << 20,
       "one that is not: a wave fits the second-level cache");
    room.inside = 0;
    ok(am_wave_room_bytes(&room) == 0, "times that were not measured say nothing");
    room = (struct am_wave_room){0};
    ok(am_wave_room_bytes(&room) == 0, "nor does a cache that is not known");
}

static void test_measured(void)
{
    struct am_wave_room room = {.l2_bytes = 1};

    am_wave_room_measure(am_isa_names[1], &room);
    ok(room.l2_bytes == 0 || (room.inside > 0 && room.beyond > 0),
       "%zu bytes: %g and %g s per byte", room.l2_bytes, room.inside, room.beyond);
}

/* Rows from short ones to such as hardly fit. */
static void test_shapes(unsigned dim)
{
    static const size_t sides[] = {64, 256, 320, 1000}, flat[] = {256, 4096, 8192, 20000};

    for (size_t i = 0; i < 16; i++) {
        const size_t side = dim == 2 ? flat[i % 4] : sides[i % 4];
        struct am_grid_spec spec = {.kernels = am_grid_find(am_isa_names[1]),
                                    .dim = dim,
                                    .method = AM_STENCIL_BY_WAVE,
                                    .type = i & 4 ? AM_STENCIL_F32 : AM_STENCIL_F64,
                                    .n = {side, side, dim == 2 ? 1 : side},
                                    .r = 0.1,
                                    .parts = 1,
                                    .fixed = i & 8};
        struct am_grid_spec free = spec;
        size_t under_way;

        spec.near_bytes = 3 << 20;
        am_grid_choose(&free, 1000);
        am_grid_choose(&spec, 1000);
        under_way = am_wave_needs_of(&spec).footprint;
        ok(under_way <= (dim == 2 ? 13 : 9) * spec.near_bytes / 8 || spec.depth == 4,
           "%zu^%u, %s: passes of %zu steps, strips of %zu rows have %zu KiB under way", side, dim,
           am_stencil_types[spec.type], spec.depth, spec.tile[0], under_way >> 10);
        ok(spec.depth <= free.depth && spec.depth >= 2 && spec.tile[0] >= 1,
           "passes are not longer than where there is room (%zu)", free.depth);
    }
}

int main(void)
{
    test_rule();
    test_measured();
    test_shapes(2);
    test_shapes(3);
    return tap_done();
}
