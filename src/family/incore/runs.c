/* SPDX-License-Identifier: MIT */
/* Units of memory that loads and stores are given to by turns.
 *
 * Loops of cpu.loop have loads of vectors and others in runs, by turns. A core that gives each to a
 * unit that is free takes as long as the busiest set of units, however long the runs are. One that
 * gives them out by turns, before it knows which units will be free, gives others to the units of
 * vectors, too: two others in a row go to one that takes vectors and to one that does not, while
 * one alone behind a load of a vector goes to the next, which does not. Which of the two a core
 * does is what explains its loops, where turns do so clearly better. */
#include "family/incore/incore.h"

#include <math.h>
#include <string.h>

#define NAMES(kind, other, arm) {#kind, other, arm},
static const char *const runs[AM_MIX_RUNS][3] = {AM_MIX_RUN_MAP(NAMES)};
#undef NAMES
#define LENGTHS(loads, others) {loads, others},
static const unsigned char lengths[AM_MIX_SET][2] = {AM_MIX_RUN_LENGTH_MAP(LENGTHS)};
#undef LENGTHS

enum { UNITS_MAX = 8, PASSES = 60 }; /* of a pair of runs; a whole number of loops */

/* What was measured of one kind of runs, and how long one of each takes alone. */
struct run_loops {
    double cycles[AM_MIX_SET];
    double load, other; /* of a vector; of the kind */
    double width;
    bool seen;
};

static bool is_wide(const struct am_incore_memory *rule, unsigned unit)
{
    return rule->apart ? unit * rule->wide % rule->units < rule->wide : unit < rule->wide;
}

unsigned am_incore_memory_unit(const struct am_incore_memory *rule, bool wide, unsigned *next)
{
    unsigned unit = *next % rule->units;

    while (wide && !is_wide(rule, unit))
        unit = (unit + 1) % rule->units;
    *next = unit + 1;
    return unit;
}

/* Cycles that the busiest unit needs for a pair of runs. */
static double by_turns(const struct am_incore_memory *rule, const unsigned char length[2],
                       bool others)
{
    unsigned given[UNITS_MAX] = {0}, next = 0, most = 0;

    for (int pass = 0; pass < PASSES; pass++) {
        for (unsigned i = 0; i < length[0]; i++)
            given[am_incore_memory_unit(rule, true, &next)]++;
        for (unsigned i = 0; others && i < length[1]; i++)
            given[am_incore_memory_unit(rule, false, &next)]++;
    }
    for (unsigned u = 0; u < rule->units; u++)
        most = given[u] > most ? given[u] : most;
    return (double)most / PASSES;
}

/* Mean relative deviation of the loops from what a rule says, or units that are free. */
static double deviation(const struct run_loops *l, const struct am_incore_memory *rule, bool others,
                        unsigned units)
{
    double sum = 0;

    for (size_t i = 0; i < AM_MIX_SET; i++) {
        const double loads = lengths[i][0], rest = lengths[i][1];
        double pair = fmax(fmax(loads * l->load, rest * l->other), (loads + rest) / l->width);

        if (units)
            pair = fmax(pair, (loads + rest) / units);
        if (rule)
            pair = fmax(pair, by_turns(rule, lengths[i], others));
        sum += fabs(fmax(AM_MIX_RUN_TURNS * pair, 1) / l->cycles[i] - 1);
    }
    return sum / AM_MIX_SET;
}

/* Whether the rule explains the loops, and units that are free do not: those that all share, or
 * that each kind has for itself. */
static bool explains(const struct run_loops *l, const struct am_incore_memory *rule)
{
    static const double close = 0.06, clearly = 0.5;
    const double free = fmin(deviation(l, NULL, false, rule->units), deviation(l, NULL, false, 0));
    const double d = deviation(l, rule, true, 0);

    return d <= close && d <= clearly * free;
}

/* Units by the time that one takes alone; 0: no whole number. */
static unsigned units_of(double alone)
{
    static const double near = 0.1;
    const double units = 1 / alone, whole = floor(units + 0.5);

    return alone > 0 && whole <= UNITS_MAX && fabs(units - whole) <= near ? (unsigned)whole : 0;
}

static double alone_of(const struct am_incore *core, const char *form, const char *other)
{
    const struct am_incore_form *f = am_incore_find(core, form);

    f = f ? f : am_incore_find(core, other);
    return f ? f->alone.value : NAN;
}

static void read_loops(const struct am_incore *core, const struct am_result *r,
                       struct run_loops loops[AM_MIX_RUNS])
{
    const char *const with = am_result_text(r, "with");
    struct run_loops l = {.width = core->width, .seen = true};
    size_t kind = 0;

    while (with && kind < AM_MIX_RUNS && strcmp(runs[kind][0], with) != 0)
        kind++;
    if (!with || kind == AM_MIX_RUNS)
        return;
    l.load = alone_of(core, "movups_xmm_m128", "ldr_q");
    l.other = alone_of(core, runs[kind][1], runs[kind][2]);
    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        l.cycles[i] = am_incore_loop(core, r, i);
        l.seen = l.seen && l.cycles[i] > 0;
    }
    if (l.seen && l.load > 0 && l.other > 0 && l.width >= 2)
        loops[kind] = l;
}

void am_incore_read_runs(const struct am_result_set *set, struct am_incore *core)
{
    struct run_loops loops[AM_MIX_RUNS] = {{.seen = false}};
    const struct run_loops *const loads = &loops[AM_MIX_RUN_load_runs];
    const struct run_loops *const stores = &loops[AM_MIX_RUN_store_runs];
    struct am_incore_memory rule;

    for (size_t i = 0; i < set->n; i++) {
        if (set->results[i].state == AM_POINT_OK && strcmp(set->results[i].bench, "cpu.loop") == 0)
            read_loops(core, &set->results[i], loops);
    }
    if (!loads->seen)
        return;
    rule =
        (struct am_incore_memory){.units = units_of(loads->other), .wide = units_of(loads->load)};
    if (rule.wide == 0 || rule.units <= rule.wide)
        return;
    for (int apart = 1; apart >= 0 && !core->memory.units; apart--) {
        rule.apart = apart;
        if (explains(loads, &rule))
            core->memory = rule;
    }
    core->memory.stores = core->memory.units && stores->seen && explains(stores, &core->memory);
}
