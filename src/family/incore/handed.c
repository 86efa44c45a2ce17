/* SPDX-License-Identifier: MIT */
/* How many instructions of a kind a core hands out per cycle.
 *
 * Loops of cpu.loop have a row of one kind and behind it twice as many that need no unit.
 * Instructions are handed out in order: where a cycle takes no more than so many of the kind,
 * whatever waits for them, the row and what is behind it take their times one after the other;
 * else all of it takes as long as its slots, or as its units. The number that explains all loops,
 * where it does so clearly better than none, is what is used. */
#include "family/incore/incore.h"

#include <math.h>
#include <string.h>

#define NAMES(kind, other, arm) {#kind, other, arm},
static const char *const rows[AM_MIX_ROWS][3] = {AM_MIX_ROW_MAP(NAMES)};
#undef NAMES

enum { PASSES = 96, BEFORE = 24 }; /* of a loop; those before the steady state */

/* A loop of a row, twice as many others and the jump. */
struct loop {
    unsigned row, width;
    unsigned most;   /* of the row's kind in a cycle */
    bool jump_alike; /* the jump is an operation, too */
};

/* Cycles per pass in which it is handed out. */
static double handed_in(const struct loop *l)
{
    const unsigned n = l->row + AM_MIX_ROW_SLOTS * l->row + 1;
    unsigned slots = l->width, alike = 0;
    size_t cycles = 0, begun = 0;

    for (int pass = 0; pass < PASSES; pass++) {
        begun = pass == BEFORE ? cycles : begun;
        for (unsigned i = 0; i < n; i++) {
            const bool own = i < l->row || (i + 1 == n && l->jump_alike);

            if (slots == l->width || (own && alike == l->most)) {
                slots = alike = 0;
                cycles++;
            }
            slots++;
            alike += own;
        }
    }
    return (double)(cycles - begun) / (PASSES - BEFORE);
}

/* Mean relative deviation of the loops; a row takes at least as long as its units do. */
static double deviation(const double *cycles, struct loop l, double alone)
{
    double sum = 0;

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        l.row = i + 1;
        sum += fabs(fmax(handed_in(&l), l.row * alone) / cycles[i] - 1);
    }
    return sum / AM_MIX_SET;
}

static unsigned find_most(const struct am_incore *core, enum am_mix_row kind, const double *cycles,
                          double alone)
{
    static const double close = 0.05, clearly = 0.5;
    struct loop l = {.width = core->width, .jump_alike = kind == AM_MIX_ROW_operations};
    double best;
    unsigned found = 0;

    l.most = core->width;
    best = clearly * deviation(cycles, l, alone);
    for (l.most = 1; l.most < core->width; l.most++) {
        const double d = deviation(cycles, l, alone);

        if (d <= close && d < best) {
            best = d;
            found = l.most;
        }
    }
    return found;
}

void am_incore_read_handed(struct am_incore *core, const struct am_result *result)
{
    const char *const with = am_result_text(result, "with");
    double cycles[AM_MIX_SET];
    size_t kind = 0;
    const struct am_incore_form *form;

    while (with && kind < AM_MIX_ROWS && strcmp(rows[kind][0], with) != 0)
        kind++;
    if (!with || kind == AM_MIX_ROWS || core->width < 2)
        return;
    form = am_incore_find(core, rows[kind][1]);
    form = form ? form : am_incore_find(core, rows[kind][2]);
    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        cycles[i] = am_incore_loop(core, result, i);
        if (!(cycles[i] > 0))
            return;
    }
    if (form && form->alone.value > 0)
        core->handed[kind] = find_most(core, (enum am_mix_row)kind, cycles, form->alone.value);
}
