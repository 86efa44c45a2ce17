/* SPDX-License-Identifier: MIT */
/* The pointer chase: any number of steps ends where a walk over the cycle says. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/chase.h"

#include <stddef.h>

enum {
    CELLS = 37,
    STEPS_MAX = 200
}; /* a prime number of cells: the unrolled step never divides it */

void kcheck_chase(struct am_rng *rng)
{
    static const void *cells[CELLS];
    size_t order[CELLS];
    size_t bad = 0;

    for (size_t i = 0; i < CELLS; i++)
        order[i] = i;
    am_rng_shuffle(rng, order, CELLS);
    for (size_t i = 0; i < CELLS; i++)
        cells[order[i]] = &cells[order[(i + 1) % CELLS]];
    guarded_charge("chase");
    for (size_t steps = 0; steps < STEPS_MAX; steps++) {
        const size_t from = steps % 5;

        if (am_chase(&cells[order[from]], steps) != &cells[order[(from + steps) % CELLS]])
            bad++;
    }
    kcheck_report(bad == 0, "chase: 0 to %d steps end where they must", STEPS_MAX - 1);
}
