/* SPDX-License-Identifier: MIT */
/* The pointer chases: any number of steps of any number of chains ends where the cycle says. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/chase.h"

#include <stddef.h>

enum {
    CELLS = 37,
    STEPS_MAX = 200
}; /* a prime number of cells: the unrolled step never divides it */

static void check_single(const void *const *cells, const size_t *order)
{
    size_t bad = 0;

    guarded_charge("chase");
    for (size_t steps = 0; steps < STEPS_MAX; steps++) {
        const size_t from = steps % 5;

        if (am_chase(&cells[order[from]], steps) != &cells[order[(from + steps) % CELLS]])
            bad++;
    }
    kcheck_report(bad == 0, "chase: 0 to %d steps end where they must", STEPS_MAX - 1);
}

/* Chains start at different cells, so that one taken for another is noticed; what lies behind the
 * last one is not touched. */
static void check_many(const void *const *cells, const size_t *order, size_t chains)
{
    const void *at[AM_CHASE_CHAINS_MAX + 1];
    size_t bad = 0;

    guarded_charge("chase of several chains");
    for (size_t steps = 0; steps < STEPS_MAX; steps += 1 + steps / 7) {
        for (size_t i = 0; i <= AM_CHASE_CHAINS_MAX; i++)
            at[i] = &cells[order[i]];
        am_chase_many[chains](at, steps);
        for (size_t i = 0; i <= AM_CHASE_CHAINS_MAX; i++)
            bad += at[i] != &cells[order[(i + (i < chains ? steps : 0)) % CELLS]];
    }
    kcheck_report(bad == 0, "chase: %zu chains side by side end where they must", chains);
}

void kcheck_chase(struct am_rng *rng)
{
    static const void *cells[CELLS];
    size_t order[CELLS];

    for (size_t i = 0; i < CELLS; i++)
        order[i] = i;
    am_rng_shuffle(rng, order, CELLS);
    for (size_t i = 0; i < CELLS; i++)
        cells[order[i]] = &cells[order[(i + 1) % CELLS]];
    check_single(cells, order);
    for (size_t chains = 1; chains <= AM_CHASE_CHAINS_MAX; chains++)
        check_many(cells, order, chains);
}
