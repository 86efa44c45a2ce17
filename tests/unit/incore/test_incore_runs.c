/* SPDX-License-Identifier: MIT */
/* What loops of cpu.loop say of units of memory, on made-up cores and by the times of a Zen 5. */
#include "family/incore/incore.h"
#include "loops_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

#define LENGTHS(loads, others) {loads, others},
static const unsigned char lengths[AM_MIX_SET][2] = {AM_MIX_RUN_LENGTH_MAP(LENGTHS)};
#undef LENGTHS
enum { WIDTH = 8, UNITS_MAX = 8 };

/* A core with as many units, of which some take loads of vectors, and two stores per cycle. */
static struct am_incore_memory found(const double loads[AM_MIX_SET], const double *stores,
                                     double load, double vector)
{
    struct am_incore_form forms[] = {
        {.name = "mov_r64_m64_row", .alone = {.value = load}},
        {.name = "mov_m64_r64", .alone = {.value = 0.5}},
        {.name = "movups_xmm_m128", .alone = {.value = vector}},
    };
    struct am_incore core = {.forms = forms, .n_forms = 3, .width = WIDTH};
    struct rx_run run = {0};

    lx_put(&run, "load_runs", loads);
    if (stores)
        lx_put(&run, "store_runs", stores);
    am_evidence_settle(&run.set);
    am_incore_read_runs(&run.set, &core);
    am_arena_fini(&run.arena);
    return core.memory;
}

/* Played access by access, in words of its own: the units stand in a row, and a pointer goes round.
 */
static void play(const char *row, bool others_turn, double more, double cycles[AM_MIX_SET])
{
    const unsigned units = (unsigned)strlen(row);

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        unsigned long given[UNITS_MAX] = {0}, at = 0, most = 0;

        for (unsigned k = 0; k < 1000; k++) {
            for (unsigned n = 0; n < lengths[i][0]; n++) {
                while (row[at % units] != 'v')
                    at++;
                given[at++ % units]++;
            }
            for (unsigned n = 0; others_turn && n < lengths[i][1]; n++)
                given[at++ % units]++;
        }
        for (unsigned u = 0; u < units; u++)
            most = given[u] > most ? given[u] : most;
        cycles[i] = AM_MIX_RUN_TURNS * fmax((double)most / 1000, more * lengths[i][1]);
    }
}

static void units_are_free(double units, double vectors, double cycles[AM_MIX_SET])
{
    for (unsigned i = 0; i < AM_MIX_SET; i++)
        cycles[i] = AM_MIX_RUN_TURNS *
                    fmax(lengths[i][0] / vectors, (lengths[i][0] + lengths[i][1]) / units);
}

static void check_zen5(void)
{
    static const double loads[AM_MIX_SET] = {
        3.34, 6.01,  9.51,  12.16, 15.03, 18.01, 5.67,  8.51,  11.35, 14.14, 18.01, 20.26,
        9.34, 12.36, 15.05, 21.06, 11.11, 13.69, 16.63, 23.04, 28.66, 25.45, 30.04, 34.23};
    static const double stores[AM_MIX_SET] = {
        3.26, 6.01, 9.51,  12.07, 15.03, 18.02, 6.01,  8.51,  11.63, 14.65, 18.02, 20.03,
        9.33, 12.4, 15.02, 21.15, 12.03, 15.03, 17.08, 23.06, 28.91, 25.77, 30.06, 34.56};
    const struct am_incore_memory m = found(loads, stores, 0.2505, 0.501);

    ok(m.units == 4 && m.wide == 2 && m.apart && m.stores,
       "a Zen 5 gives loads and stores to four units by turns, every second of which takes vectors");
    ok(found(loads, NULL, 0.2505, 0.501).units == 4 && !found(loads, NULL, 0.2505, 0.501).stores,
       "of stores nothing is said where they were not measured");
}

/* Three units, one of which takes vectors, where turns cost little: what lies between them and
 * units that are free is near to both. */
static void check_between(void)
{
    double by_turns[AM_MIX_SET], is_free[AM_MIX_SET], between[AM_MIX_SET], nearer[AM_MIX_SET];

    units_are_free(3, 1, is_free);
    play("v--", true, 0, by_turns);
    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        between[i] = is_free[i] + 0.6 * (by_turns[i] - is_free[i]);
        nearer[i] = is_free[i] + 0.8 * (by_turns[i] - is_free[i]);
    }
    ok(found(between, NULL, 1 / 3.0, 1).units == 0, "between free units and turns is neither");
    ok(found(nearer, NULL, 1 / 3.0, 1).units == 3, "what is near to turns is that");
}

static void check_units(void)
{
    double by_turns[AM_MIX_SET], behind[AM_MIX_SET], stores[AM_MIX_SET], is_free[AM_MIX_SET];
    struct am_incore_memory m;

    units_are_free(4, 2, is_free);
    ok(found(is_free, is_free, 0.25, 0.5).units == 0, "units that are free take no turns");
    units_are_free(3, 2, is_free);
    ok(found(is_free, is_free, 1 / 3.0, 0.5).units == 0, "nor do three");
    play("v-v-", true, 0, by_turns);
    play("v-v-", false, 0.5, stores);
    m = found(by_turns, stores, 0.25, 0.5);
    ok(m.units == 4 && m.apart && !m.stores, "stores that have ways of their own take none");
    play("vv-", true, 0, behind);
    m = found(behind, NULL, 1 / 3.0, 0.5);
    ok(m.units == 3 && m.wide == 2, "three units by turns, two of which take vectors");
    play("vv--", true, 0, behind);
    m = found(behind, NULL, 0.25, 0.5);
    ok(m.units == 4 && m.wide == 2 && !m.apart, "units of vectors that lie beside one another");
    ok(found(by_turns, NULL, 0.25, 0.25).units == 0, "all take vectors: no turn can be seen");
    ok(found(by_turns, NULL, 0.29, 0.5).units == 0, "no whole number of units, no rule");
    for (unsigned i = 0; i < AM_MIX_SET; i++)
        by_turns[i] *= i % 2 ? 1.2 : 0.9;
    ok(found(by_turns, NULL, 0.25, 0.5).units == 0, "loops that scatter say nothing");
}

int main(void)
{
    check_zen5();
    check_units();
    check_between();
    return tap_done();
}
