/* SPDX-License-Identifier: MIT */
/* Loops over shared lines, played by one: each leaves the words that its rule says. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/handoff.h"

#include <stddef.h>
#include <string.h>

enum { CELLS = 37, STEPS_MAX = 200, COUNT_MAX = 100 };

/* From cell 0, `steps` on: the end, and a tag on each cell that was passed, as often. */
static bool own_is_right(uintptr_t *cells, const size_t *order, size_t steps)
{
    const void *end;
    bool right = true;

    for (size_t i = 0; i < CELLS; i++)
        cells[order[i]] = (uintptr_t)&cells[order[(i + 1) % CELLS]];
    end = am_chase_own(&cells[order[0]], steps, 1);
    right &= end == &cells[order[steps % CELLS]];
    for (size_t i = 0; i < CELLS; i++) {
        const size_t passes = steps / CELLS + (i < steps % CELLS);

        right &= cells[order[i]] == (uintptr_t)&cells[order[(i + 1) % CELLS]] + passes;
    }
    end = am_chase_own(&cells[order[0]], steps, UINT64_MAX);
    for (size_t i = 0; i < CELLS; i++)
        right &= cells[order[i]] == (uintptr_t)&cells[order[(i + 1) % CELLS]];
    return right && end == &cells[order[steps % CELLS]];
}

static void check_own(struct am_rng *rng)
{
    static uintptr_t cells[CELLS];
    size_t order[CELLS];
    size_t bad = 0;

    for (size_t i = 0; i < CELLS; i++)
        order[i] = i;
    am_rng_shuffle(rng, order, CELLS);
    guarded_charge("chase_own");
    for (size_t steps = 0; steps < STEPS_MAX; steps++)
        bad += !own_is_right(cells, order, steps);
    kcheck_report(bad == 0, "chase_own: 0 to %d steps end where they must, tags go up and down",
                  STEPS_MAX - 1);
}

/* With the partner's move already made, a turn needs nobody else. */
static void check_games(void)
{
    _Atomic uint64_t mine = 5, theirs = 7;

    guarded_charge("handoff");
    am_handoff_cas(&mine, 5, 0);
    kcheck_report(mine == 5, "handoff_cas: no turn changes nothing");
    am_handoff_cas(&mine, 5, 1);
    kcheck_report(mine == 6, "handoff_cas: a turn raises the word by one");
    am_handoff_lead(&mine, &theirs, 7, 1);
    kcheck_report(mine == 7 && theirs == 7, "handoff_lead: writes its word, not the other's");
    mine = 0;
    am_handoff_follow(&mine, &theirs, 7, 1);
    kcheck_report(mine == 7 && theirs == 7, "handoff_follow: answers with what it saw");
}

static void check_counts(void)
{
    size_t bad = 0;

    guarded_charge("share");
    for (uint32_t n = 0; n < COUNT_MAX; n++) {
        _Atomic uint32_t words[3] = {1, UINT32_MAX, 1};

        am_share_add(&words[1], n);
        bad += words[0] != 1 || words[1] != n - 1 || words[2] != 1;
        words[1] = UINT32_MAX;
        am_share_count(&words[1], n);
        bad += words[0] != 1 || words[1] != n - 1 || words[2] != 1;
    }
    kcheck_report(bad == 0, "share: words count 0 to %d, and their neighbours nothing",
                  COUNT_MAX - 1);
}

static void check_flush(struct am_rng *rng)
{
    static _Alignas(64) uint64_t line[8];
    uint64_t copy[8];

    for (size_t i = 0; i < 8; i++)
        line[i] = copy[i] = am_rng_u64(rng);
    guarded_charge("line_flush");
    am_line_flush(line);
    am_line_fence();
    kcheck_report(memcmp(line, copy, sizeof(line)) == 0, "line_flush: what was written is kept");
}

void kcheck_handoff(struct am_rng *rng)
{
    check_own(rng);
    check_games();
    check_counts();
    check_flush(rng);
}
