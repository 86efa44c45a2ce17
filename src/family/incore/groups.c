/* SPDX-License-Identifier: MIT */
/* Slots of the front end in groups: instructions are handed out in order, so many slots per cycle,
 * and one that is split in two may stand only among the first of a cycle. */
#include "family/incore/incore.h"

enum { PASSES = 96, BEFORE = 24 }; /* of a loop; those before the steady state */

struct group {
    unsigned instructions, slots;
};

static bool has_room(const struct am_incore *core, const struct group *g, unsigned slots)
{
    return g->slots + slots <= core->width &&
           (slots == 1 || core->split_first == 0 ||
            (g->instructions < core->split_first && g->slots < core->split_slots));
}

double am_incore_groups(const struct am_incore *core, const unsigned *slots, size_t n)
{
    struct group g = {.slots = core->width};
    size_t cycles = 0, begun = 0;

    for (int pass = 0; pass < PASSES; pass++) {
        begun = pass == BEFORE ? cycles : begun;
        for (size_t i = 0; i < n; i++) {
            const unsigned own = slots[i] < core->width ? slots[i] : core->width;

            if (own == 0)
                continue;
            if (!has_room(core, &g, own)) {
                g = (struct group){.slots = 0};
                cycles++;
            }
            g.instructions++;
            g.slots += own;
        }
    }
    return (double)(cycles - begun) / (PASSES - BEFORE);
}
