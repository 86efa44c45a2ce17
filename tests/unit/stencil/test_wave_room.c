/* SPDX-License-Identifier: MIT */
/* How large a wave may be: what follows from measured times, and shapes that follow from it. */
#include "bench/apps/wave_room.h"

#include "app/stencil/grid.h"
#include "bench/apps/wave_bound.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void test_rule(void)
{
    struct am_wave_room room = {.l2_bytes = 1 << 20, .inside = 1e-3, .beyond = 1.02e-3};

    ok(am_wave_room_bytes(&room) == 0, "waves beyond the cache are nearly as fast: any size");
    room.beyond = 0.7e-3;
    ok(am_wave_room_bytes(&room) == 0, "or faster, as they go to memory less often");
    room.beyond = 1.4e-3;
    ok(am_wave_room_bytes(&room) > 1 << 18 && am_wave_room_bytes(&room) < 1 << 20,
       "they are slower: a wave fits the second-level cache");
    room.inside = 0;
    ok(am_wave_room_bytes(&room) == 0, "times that were not measured say nothing");
    room = (struct am_wave_room){0};
    ok(am_wave_room_bytes(&room) == 0, "nor does a cache that is not known");
}

static struct am_grid_spec waves_of(unsigned dim, size_t side, enum am_stencil_type type)
{
    return (struct am_grid_spec){.kernels = am_grid_find(am_isa_names[1]),
                                 .dim = dim,
                                 .method = AM_STENCIL_BY_WAVE,
                                 .type = type,
                                 .n = {side, side, dim == 2 ? 1 : side},
                                 .r = 0.1,
                                 .parts = 1};
}

/* Small grids are tried as they are; of large ones a piece, which is large enough to tell. */
static void test_piece(void)
{
    static const size_t sides[] = {64, 256, 320, 1000, 3000, 4096, 60000};

    for (size_t i = 0; i < 2 * sizeof(sides) / sizeof(sides[0]); i++) {
        const unsigned dim = 2 + i % 2;
        const struct am_grid_spec spec = waves_of(dim, sides[i / 2], AM_STENCIL_F64);
        size_t piece[3];
        const bool any = am_wave_room_piece(&spec, 16, 32, piece);
        const size_t row = spec.n[0] * sizeof(double), bytes = row * piece[1] * piece[2];
        const size_t slow = piece[dim - 1], side = sides[i / 2];

        ok(piece[0] == side && piece[1] <= side && piece[2] <= spec.n[2] &&
               (slow == side || slow >= 64) &&
               (bytes >= 60 << 20 || piece[1] * piece[2] == side * spec.n[2]) &&
               any == (bytes <= 256 << 20),
           "of %zu^%u %zu x %zu x %zu, %zu MiB%s", side, dim, piece[0], piece[1], piece[2],
           bytes >> 20, any ? "" : ": not tried");
    }
}

/* A clock that says how often it was read, and that long as that. */
static uint64_t readings;

static uint64_t count(void *self)
{
    (void)self;
    return ++readings * 1000000;
}

static void test_measured(void)
{
    static const struct am_clock clock = {.now_ns = count};
    struct am_grid_spec spec = waves_of(3, 72, AM_STENCIL_F64);
    struct am_wave_room room = {.l2_bytes = 1};

    am_wave_room_measure(&spec, 24, &clock, &room);
    ok(room.l2_bytes == 0 ? readings == 0 : room.inside > 0 && room.beyond > 0 && readings > 4,
       "%zu bytes: %g and %g s a step, by %ju readings", room.l2_bytes, room.inside, room.beyond,
       (uintmax_t)readings);
    ok(!spec.depth && !spec.tile[0] && !spec.near_bytes, "nothing is chosen by that");
    am_wave_room_measure(&spec, 0, &clock, &room);
    ok(am_wave_room_bytes(&room) == 0, "no steps say nothing");
    readings = 0;
    spec = waves_of(2, 20, AM_STENCIL_F32);
    am_wave_room_measure(&spec, 24, &clock, &room);
    ok(room.l2_bytes == 0 && readings == 0, "both kinds have one shape: there is nothing to try");
}

/* Rows from short ones to such as hardly fit. */
static void test_shapes(unsigned dim)
{
    static const size_t sides[] = {64, 256, 320, 1000}, flat[] = {256, 4096, 8192, 20000};

    for (size_t i = 0; i < 16; i++) {
        const size_t side = dim == 2 ? flat[i % 4] : sides[i % 4];
        struct am_grid_spec spec = waves_of(dim, side, i & 4 ? AM_STENCIL_F32 : AM_STENCIL_F64);
        struct am_grid_spec free;
        size_t under_way;

        spec.fixed = i & 8;
        free = spec;
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

/* Passes that no wave makes are refused by the check, whatever was chosen beside them. */
static void test_refused(void)
{
    static const size_t depths[] = {0, 65, 480};

    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        struct am_grid_spec spec = waves_of(3, 72, AM_STENCIL_F64);
        struct am_err err = {0};
        size_t bytes;

        spec.parts = 3;
        spec.depth = depths[i] ? depths[i] : 1;
        am_grid_choose(&spec, depths[i]);
        ok(am_grid_bytes(&spec, &bytes, &err) == AM_E_ABSENT && strstr(err.text, "steps per pass"),
           "three threads, a pass of %zu steps: %s", depths[i], err.text);
    }
}

/* Only the largest blocks prefetch. */
static void test_prefetching(void)
{
    enum { SIDE = 100 };
    for (size_t i = 1; am_isa_names[i]; i++) {
        struct am_grid_spec spec = waves_of(3, SIDE, AM_STENCIL_F64);
        struct am_stencil_grid grid;
        struct am_err err;
        size_t bytes = 0, vectors = 0;
        void *memory;

        spec.kernels = am_isa_why_not(am_isa_names[i]) ? NULL : am_grid_find(am_isa_names[i]);
        if (!spec.kernels)
            continue;
        am_grid_choose(&spec, 24);
        memory = am_grid_bytes(&spec, &bytes, &err) == AM_OK ? aligned_alloc(4096, bytes) : NULL;
        if (!memory || am_stencil_grid_init(&grid, &spec, memory, &err) != AM_OK)
            abort();
        (void)am_grid_hot_loop(&grid, &vectors);
        ok(vectors % grid.waves->planes == 0 &&
               grid.waves->solid_ahead[spec.type][vectors / grid.waves->planes - 1],
           "%s: blocks of %zu vectors of a grid of 8 MB prefetch", spec.kernels->isa, vectors);
        free(memory);
    }
}

int main(void)
{
    test_rule();
    test_piece();
    test_measured();
    test_shapes(2);
    test_shapes(3);
    test_refused();
    test_prefetching();
    return tap_done();
}
