/* SPDX-License-Identifier: MIT */
/* Blocks of a grid: what each part has done, and what is its turn. */
#include "app/stencil/grid_turns.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* On lines of its own: parts are at work at the same time. */
struct am_grid_turn {
    _Alignas(2 * LINE_BYTES) struct am_grid_phase phase;
    struct am_grid_pass pass; /* exchanged, not advanced yet */
    size_t left;              /* steps of this iteration */
    bool exchanged;
};

enum am_status am_grid_turns_init(struct am_grid_turns *turns, struct am_stencil_grid *grid,
                                  size_t steps, const void *x, struct am_err *err)
{
    const size_t bytes = grid->spec.parts * sizeof(*turns->turn);

    *turns = (struct am_grid_turns){.grid = grid, .x = x, .steps = steps};
    turns->turn = aligned_alloc(2 * LINE_BYTES, bytes);
    if (!turns->turn)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu parts", grid->spec.parts);
    memset(turns->turn, 0, bytes);
    for (size_t part = 0; part < grid->spec.parts; part++)
        turns->turn[part] = (struct am_grid_turn){.phase = grid->phase, .left = steps};
    return AM_OK;
}

void am_grid_turns_fini(struct am_grid_turns *turns)
{
    free(turns->turn);
    turns->turn = NULL;
}

static void fill(void *app, size_t part)
{
    const struct am_grid_turns *const turns = app;

    turns->turn[part] = (struct am_grid_turn){.left = turns->steps};
    am_grid_load_part(turns->grid, part, turns->x);
}

static void take_turn(void *app, size_t part)
{
    const struct am_grid_turns *const turns = app;
    struct am_grid_turn *const turn = &turns->turn[part];

    if (!turn->exchanged) {
        turn->pass = am_grid_next(turns->grid, &turn->phase, turn->left);
        am_grid_exchange(turns->grid, part, &turn->pass);
        turn->exchanged = true;
        return;
    }
    am_grid_advance(turns->grid, part, &turn->pass);
    am_grid_passed(turns->grid, &turn->phase, &turn->pass);
    turn->exchanged = false;
    turn->left -= turn->pass.steps;
    if (!turn->left)
        turn->left = turns->steps;
}

struct am_blocks am_grid_filling(struct am_grid_turns *turns)
{
    return (struct am_blocks){.count = turns->grid->spec.parts, .app = turns, .run = fill};
}

struct am_blocks am_grid_stepping(struct am_grid_turns *turns)
{
    return (struct am_blocks){.count = turns->grid->spec.parts, .app = turns, .run = take_turn};
}

uint64_t am_grid_rounds(const struct am_grid_turns *turns)
{
    const size_t depth = turns->grid->ghosts;

    return 2 * ((uint64_t)(turns->steps + depth - 1) / depth);
}

void am_grid_turns_settle(const struct am_grid_turns *turns)
{
    turns->grid->phase = turns->turn[0].phase;
}
