/* SPDX-License-Identifier: MIT */
/* Loads and stores bound to units of memory by turns. */
#include "model/block/memory.h"

#include <math.h>

bool am_memory_turns_open(const struct am_incore *core, struct am_arena *arena,
                          struct am_memory_turns *out)
{
    *out = (struct am_memory_turns){.rule = &core->memory};
    return core->memory.units == 0 || am_units_open(core->memory.units, arena, &out->units);
}

static double take(struct am_memory_turns *turns, bool wide, double at)
{
    const unsigned unit = am_incore_memory_unit(turns->rule, wide, &turns->next);

    return fmax(at, (double)am_units_take(&turns->units, unit, (uint64_t)fmax(at, 0)));
}

double am_memory_turns_begin(struct am_memory_turns *turns, const struct am_predicted_line *line,
                             double front, double at, double load)
{
    const struct am_insn *const in = line->insn;

    if (turns->units.n && in->loads)
        at = fmax(at, take(turns, in->vector_bits || in->to_vector, at - load) + load);
    if (turns->units.n && in->stores && turns->rule->stores)
        (void)take(turns, false, front);
    return at;
}
