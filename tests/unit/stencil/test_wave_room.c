/* SPDX-License-Identifier: MIT */
/* How large a wave may be: what follows from measured times, and shapes that follow from it. */
#include "bench/apps/wave_room.h"

#include "app/stencil/grid.h"
#include "bench/apps/wave_bound.h"
#include "kernels/isa.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A clock by which waves that fit take `took[0]` ns per run and others `took[1]`. It is read once
 * at the begin, at both ends of each run, and behind each round of two runs but the first. */
struct scripted {
    uint64_t took[2], now;
    unsigned readings;
};

static uint64_t scripted_now(void *self)
{
    struct scripted *const c = self;
    const unsigned k = c->readings++;
    const unsigned round = k < 5 ? 0 : k / 5, place = k < 5 ? k - 1 : k % 5;
    const bool behind = k == 0 || (k >= 5 && place == 4);
    const unsigned run = place / 2; /* of the two of a round; each comes first in every second */

    if (!behind && place % 2)
        c->now += c->took[(round + run) % 2];
    return c->now;
}

/* Seconds of a step by each kind of waves, out of ns of a run; false: which fit is not known. */
static bool seconds_of(const struct am_grid_spec *spec, const uint64_t took[2], double seconds[2])
{
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    const struct am_wave_room near = {
        .l2_bytes = l2 > 0 ? (size_t)l2 : 0, .inside = 1, .beyond = 2};
    struct am_grid_spec kinds[2] = {*spec, *spec};

    kinds[0].near_bytes = am_wave_room_bytes(&near);
    for (int i = 2; i-- > 0;) {
        size_t steps;

        am_grid_choose(&kinds[i], 24);
        steps = (kinds[1].depth + kinds[i].depth - 1) / kinds[i].depth * kinds[i].depth;
        seconds[i] = 1e-9 * (double)took[i] / (double)steps;
    }
    return kinds[0].near_bytes > 0;
}

/* Waves of both kinds are run in turn, and which is which is kept apart. */
static void test_measured(void)
{
    static const uint64_t tooks[][2] = {
        {3000000, 2000000}, {2000000, 5000000}, {90000000, 80000000}};

    for (size_t i = 0; i < sizeof(tooks) / sizeof(tooks[0]); i++) {
        struct scripted script = {.took = {tooks[i][0], tooks[i][1]}};
        const struct am_clock clock = {.now_ns = scripted_now, .self = &script};
        const struct am_grid_spec spec = waves_of(3, 100, AM_STENCIL_F64);
        struct am_wave_room room = {.l2_bytes = 1};
        double seconds[2];
        const bool known = seconds_of(&spec, tooks[i], seconds);

        am_wave_room_measure(&spec, 24, &clock, &room);
        ok(known ? fabs(room.inside / seconds[0] - 1) < 1e-9 &&
                       fabs(room.beyond / seconds[1] - 1) < 1e-9
                 : room.l2_bytes == 0,
           "%zu bytes: %g and %g s a step", room.l2_bytes, room.inside, room.beyond);
        ok(script.readings == (!known  ? 0
                               : i < 2 ? 30
                                       : 10),
           "by %u readings: %s", script.readings, i < 2 ? "six rounds" : "two rounds of long runs");
    }
}

static void test_not_measured(void)
{
    struct scripted script = {.took = {1000000, 1000000}};
    const struct am_clock clock = {.now_ns = scripted_now, .self = &script};
    struct am_grid_spec spec = waves_of(3, 100, AM_STENCIL_F64);
    struct am_wave_room room = {.l2_bytes = 1};

    am_wave_room_measure(&spec, 0, &clock, &room);
    ok(am_wave_room_bytes(&room) == 0, "no steps say nothing");
    ok(!spec.depth && !spec.tile[0] && !spec.near_bytes, "nothing is chosen by that");
    script.readings = 0;
    spec = waves_of(2, 20, AM_STENCIL_F32);
    am_wave_room_measure(&spec, 24, &clock, &room);
    ok(room.l2_bytes == 0 && script.readings == 0,
       "both kinds have one shape: there is nothing to try");
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
    test_not_measured();
    test_shapes(2);
    test_shapes(3);
    test_refused();
    test_prefetching();
    return tap_done();
}
