/* SPDX-License-Identifier: MIT */
/* Into how many schedulers operations of integers go, each with a part of the units.
 *
 * The sums of cpu.ports go through general registers in turn, so that each waits for one before it;
 * comparisons wait for nothing. Units that take whatever is ready do both alike. Where an operation
 * is bound to one of several schedulers before it is ready, those that are ready meet in one while
 * units of another idle, and sums take longer. By what an operation is bound is not known: it is
 * played by chance. The number of schedulers is the one that explains the sums, where it does so
 * clearly better than units that are free. */
#include "base/rng.h"
#include "family/incore/incore.h"

#include <math.h>

enum {
    CHAINS = 8, /* general registers that mixes go through */
    PLAYED = 24000,
    CYCLES_KEPT = 4096, /* more than any window of sums lasts */
    UNITS_MOST = 16,
    WINDOW_MOST = 4096,
};

struct player {
    unsigned schedulers, units; /* units of each */
    struct am_rng rng;
    uint64_t cycles[CYCLES_KEPT];
    unsigned taken[CYCLES_KEPT][UNITS_MOST];
    uint64_t left[WINDOW_MOST]; /* when the window's instructions left it */
};

/* The first cycle from this one on in which the scheduler has a unit left, which is taken. */
static uint64_t take(struct player *p, unsigned scheduler, uint64_t cycle)
{
    for (;; cycle++) {
        const size_t at = cycle % CYCLES_KEPT;

        if (p->cycles[at] != cycle) {
            p->cycles[at] = cycle;
            for (unsigned s = 0; s < p->schedulers; s++)
                p->taken[at][s] = 0;
        }
        if (p->taken[at][scheduler] < p->units) {
            p->taken[at][scheduler]++;
            return cycle;
        }
    }
}

/* Cycles per sum. */
static double play(struct player *p, const struct am_incore *core)
{
    const size_t window = (size_t)fmin(core->window, WINDOW_MOST);
    uint64_t ready[CHAINS] = {0}, last = 0, half = 0;

    am_rng_seed(&p->rng, 0, 0);
    for (size_t i = 0; i < CYCLES_KEPT; i++)
        p->cycles[i] = UINT64_MAX;
    for (size_t i = 0; i < PLAYED; i++) {
        uint64_t at = i / core->width;

        at = ready[i % CHAINS] > at ? ready[i % CHAINS] : at;
        at = i >= window && p->left[i % window] > at ? p->left[i % window] : at;
        at = take(p, (unsigned)am_rng_below(&p->rng, p->schedulers), at) + 1;
        ready[i % CHAINS] = at;
        last = at > last ? at : last;
        p->left[i % window] = last;
        half = i + 1 == PLAYED / 2 ? last : half;
    }
    return (double)(last - half) / (PLAYED - PLAYED / 2);
}

void am_incore_read_schedulers(struct am_incore *core, struct am_arena *arena)
{
    static const double close = 0.05, clearly = 0.5;
    const struct am_incore_form *const sum = am_incore_find(core, "add_r64");
    const struct am_incore_form *const free = am_incore_find(core, "cmp_r64");
    const double longer = sum && free ? sum->alone.value / free->alone.value : NAN;
    const unsigned units =
        longer > 0 ? (unsigned)fmin(1 / free->alone.value + 0.5, WINDOW_MOST) : 0;
    struct player *const p = am_arena_alloc(arena, sizeof(*p));
    double best = fmin(close, clearly * (longer - 1));

    core->schedulers = 0;
    if (!p || core->turns || !(core->window >= 1) || core->width < 1 || units > UNITS_MOST)
        return;
    for (unsigned n = 2; n < units && longer > 1; n++) {
        double off = INFINITY;

        p->schedulers = n;
        p->units = units / n;
        if (units % n == 0)
            off = fabs(play(p, core) * units / longer - 1);
        if (off < best) {
            best = off;
            core->schedulers = n;
        }
    }
}
