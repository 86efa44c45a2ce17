/* SPDX-License-Identifier: MIT */
/* Waves that fit the second-level cache and waves that need not, in turn on a piece of a grid. */
#include "bench/apps/wave_room.h"

#include "bench/shared/memory.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ROUNDS = 6,             /* what disturbs a try only makes it longer */
    ROUNDS_LEAST = 2,       /* on grids that take longer than all of it should */
    L2_BYTES_MAX = 8 << 20, /* more is no cache of one core */
    PIECE_BYTES = 64 << 20, /* of the larger ones some come from memory, as the grid does */
    PIECE_MOST = 4,         /* times as much: rows are too long to be tried */
    PASSES = 4,             /* lengths of a pass, or strips, that are enough of a dimension */
};
static const double all_s = 0.3;
/* Part of the cache holds other things, and lines that a wave leaves are still there when the next
 * ones come. */
static const double share = 0.45;
/* By as much waves that fit must be better: what cannot be told apart stays the same in every
 * launch, and long passes go to memory less often, which others may want too. */
static const double dear = 1.05;

struct trial {
    struct am_stencil_grid grid;
    struct am_memory memory;
    size_t steps;
    double seconds; /* of a step */
};

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool am_wave_room_piece(const struct am_grid_spec *spec, size_t depth, size_t rows, size_t piece[3])
{
    const size_t *const n = spec->n;
    const size_t row = n[0] * (spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double));
    const bool flat = spec->dim == 2;

    piece[0] = n[0];
    piece[2] = flat ? 1 : least(n[2], most(PASSES * depth, PIECE_BYTES / (row * n[1])));
    piece[1] = least(n[1], most(PASSES * (flat ? depth : rows), PIECE_BYTES / (row * piece[2])));
    return row <= (size_t)PIECE_MOST * PIECE_BYTES / (piece[1] * piece[2]);
}

/* False: such a grid cannot be had. */
static bool open_trial(struct trial *trial, struct am_grid_spec spec, const size_t piece[3],
                       size_t steps, const void *x)
{
    struct am_err err;
    size_t bytes;

    for (unsigned d = 0; d < 3; d++)
        spec.n[d] = piece[d];
    spec.parts = 1;
    if (am_grid_bytes(&spec, &bytes, &err) != AM_OK)
        return false;
    trial->steps = (steps + spec.depth - 1) / spec.depth * spec.depth;
    trial->seconds = INFINITY;
    return am_memory_map(&trial->memory, bytes, AM_PAGES_ANY, &err) == AM_OK &&
           am_stencil_grid_init(&trial->grid, &spec, trial->memory.base, &err) == AM_OK &&
           am_grid_load(&trial->grid, x, &err) == AM_OK;
}

static void try_once(struct trial *trial, const struct am_clock *clock)
{
    const uint64_t begin = clock->now_ns(clock->self);

    am_grid_run(&trial->grid, trial->steps);
    trial->seconds = fmin(trial->seconds, 1e-9 * (double)(clock->now_ns(clock->self) - begin) /
                                              (double)trial->steps);
}

/* Each comes first in every second round. */
static void try_both(struct trial trials[2], const struct am_clock *clock)
{
    const uint64_t begin = clock->now_ns(clock->self);

    for (int i = 0; i < ROUNDS; i++) {
        try_once(&trials[i % 2], clock);
        try_once(&trials[(i + 1) % 2], clock);
        if (i + 1 >= ROUNDS_LEAST && 1e-9 * (double)(clock->now_ns(clock->self) - begin) > all_s)
            break;
    }
}

static size_t bytes_near(size_t l2_bytes)
{
    return (size_t)(share * (double)l2_bytes);
}

void am_wave_room_measure(const struct am_grid_spec *spec, size_t steps,
                          const struct am_clock *clock, struct am_wave_room *room)
{
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    struct am_grid_spec close = *spec, wide = *spec;
    struct trial trials[2] = {{.steps = 0}};
    size_t piece[3];
    void *x;

    *room = (struct am_wave_room){0};
    if (l2 <= 0 || l2 > L2_BYTES_MAX)
        return;
    close.near_bytes = bytes_near((size_t)l2);
    wide.near_bytes = 0;
    am_grid_choose(&close, steps);
    am_grid_choose(&wide, steps);
    if ((close.depth == wide.depth && close.tile[0] == wide.tile[0]) ||
        !am_wave_room_piece(spec, most(close.depth, wide.depth), most(close.tile[0], wide.tile[0]),
                            piece))
        return;
    x = calloc(piece[0] * piece[1] * piece[2], sizeof(double));
    if (x && open_trial(&trials[0], close, piece, wide.depth, x) &&
        open_trial(&trials[1], wide, piece, wide.depth, x)) {
        try_both(trials, clock);
        *room = (struct am_wave_room){(size_t)l2, trials[0].seconds, trials[1].seconds};
    }
    am_memory_unmap(&trials[0].memory);
    am_memory_unmap(&trials[1].memory);
    free(x);
}

size_t am_wave_room_bytes(const struct am_wave_room *room)
{
    if (!room->l2_bytes || !(room->inside > 0) || !(room->beyond > dear * room->inside))
        return 0;
    return bytes_near(room->l2_bytes);
}
