/* SPDX-License-Identifier: MIT */
/* Blocks of the stencil: what each part has done, and what is its turn. */
#include "app/stencil/turns.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* On lines of its own: parts are at work at the same time. */
struct am_stencil_turn {
    _Alignas(2 * LINE_BYTES) struct am_stencil_phase phase;
    struct am_stencil_pass pass; /* exchanged, not advanced yet */
    size_t left;                 /* steps of this iteration */
    bool exchanged;
};

enum am_status am_stencil_turns_init(struct am_stencil_turns *turns, struct am_stencil *st,
                                     size_t steps, const void *x, struct am_err *err)
{
    const size_t bytes = st->spec.parts * sizeof(*turns->turn);

    *turns = (struct am_stencil_turns){.st = st, .x = x, .steps = steps};
    turns->turn = aligned_alloc(2 * LINE_BYTES, bytes);
    if (!turns->turn)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu parts", st->spec.parts);
    memset(turns->turn, 0, bytes);
    for (size_t part = 0; part < st->spec.parts; part++)
        turns->turn[part] = (struct am_stencil_turn){.phase = st->phase, .left = steps};
    return AM_OK;
}

void am_stencil_turns_fini(struct am_stencil_turns *turns)
{
    free(turns->turn);
    turns->turn = NULL;
}

static void fill(void *app, size_t part)
{
    const struct am_stencil_turns *const turns = app;
    struct am_stencil_turn *const turn = &turns->turn[part];

    *turn = (struct am_stencil_turn){.left = turns->steps};
    am_stencil_load_part(turns->st, part, turn->phase.front, turns->x);
}

static void take_turn(void *app, size_t part)
{
    const struct am_stencil_turns *const turns = app;
    struct am_stencil_turn *const turn = &turns->turn[part];

    if (!turn->exchanged) {
        turn->pass = am_stencil_next(turns->st, &turn->phase, turn->left);
        am_stencil_exchange(turns->st, part, &turn->pass);
        turn->exchanged = true;
        return;
    }
    am_stencil_advance(turns->st, part, &turn->pass);
    am_stencil_passed(turns->st, &turn->phase, &turn->pass);
    turn->exchanged = false;
    turn->left -= turn->pass.steps;
    if (!turn->left)
        turn->left = turns->steps;
}

struct am_blocks am_stencil_filling(struct am_stencil_turns *turns)
{
    return (struct am_blocks){.count = turns->st->spec.parts, .app = turns, .run = fill};
}

struct am_blocks am_stencil_stepping(struct am_stencil_turns *turns)
{
    return (struct am_blocks){.count = turns->st->spec.parts, .app = turns, .run = take_turn};
}

uint64_t am_stencil_rounds(const struct am_stencil_turns *turns)
{
    const size_t passes = (turns->steps - 1) / turns->st->reach + 1;

    return 2 * (uint64_t)passes;
}

void am_stencil_turns_settle(const struct am_stencil_turns *turns)
{
    turns->st->phase = turns->turn[0].phase;
}
