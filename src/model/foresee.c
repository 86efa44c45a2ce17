/* SPDX-License-Identifier: MIT */
/* From what a program depends on to what it would gain elsewhere. */
#include "model/foresee.h"

static bool all_no(const struct am_sensitivity *s)
{
    return s->on[AM_BESIDE_CACHE] == AM_DEPENDS_NO && s->on[AM_BESIDE_MEMORY] == AM_DEPENDS_NO;
}

static void by_part(enum am_speed_part part, const char *by, const struct am_facts *here,
                    const struct am_facts *there, struct am_arena *arena, struct am_foresight *out)
{
    const char *missing;

    out->by = by;
    if (am_speeds(here, there, part, &out->range, &missing))
        return;
    out->why_not = am_arena_printf(arena, "missing: %s", missing);
    if (!out->why_not)
        out->why_not = "facts are missing";
}

void am_foresee(const struct am_sensitivity *of, const struct am_facts *here,
                const struct am_facts *there, struct am_arena *arena, struct am_foresight *out)
{
    *out = (struct am_foresight){.of = of};
    if (!here)
        out->why_not = "missing: the model of the machine that measured it (--on HERE --on THERE)";
    else if (all_no(of) && of->on[AM_BESIDE_SHARE] == AM_DEPENDS_YES)
        by_part(AM_SPEED_CORE, "its cores", here, there, arena, out);
    else if (all_no(of) && of->on[AM_BESIDE_SHARE] == AM_DEPENDS_NO) {
        out->by = "none of them";
        out->range = (struct am_speed_range){.lo = 1, .hi = 1};
    } else if (of->on[AM_BESIDE_MEMORY] == AM_DEPENDS_YES &&
               of->on[AM_BESIDE_CACHE] == AM_DEPENDS_NO)
        by_part(AM_SPEED_MEMORY, "its memory", here, there, arena, out);
    else if (of->on[AM_BESIDE_CACHE] == AM_DEPENDS_YES)
        out->why_not =
            "it depends on its share of the cache, and what share it needs is not known: "
            "measure it there";
    else
        out->why_not = "what it depends on is undecided: more --launches, a quieter machine";
}
