/* SPDX-License-Identifier: MIT */
/* What loops of cpu.loop say of vectors per cycle, on made-up cores and by the times of a Zen 5. */
#include "family/incore/incore.h"
#include "loops_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 8 };

static double most_of(const double cycles[AM_MIX_SET], bool moved, double logic)
{
    struct am_incore_form forms[] = {
        {.name = "pand_xmm", .alone = {.value = logic}},
        {.name = "movups_xmm_m128", .alone = {.value = 0.5}},
        {.name = "movups_m128_xmm", .alone = {.value = 0.5}},
    };
    struct am_incore core = {.forms = forms, .n_forms = 3, .width = WIDTH};
    struct rx_run run = {0};

    lx_put(&run, moved ? "moved_vectors" : "vectors", cycles);
    am_evidence_settle(&run.set);
    for (size_t i = 0; i < run.set.n; i++)
        am_incore_read_vectors(&core, &run.set.results[i]);
    am_arena_fini(&run.arena);
    return core.vectors[moved ? AM_MIX_IN_moved_vectors : AM_MIX_IN_vectors];
}

static void check_vectors(void)
{
    static const double zen5[AM_MIX_SET] = {3.00, 3.36, 3.67, 4.00, 4.34, 4.67,  5.01,  5.34,
                                            5.68, 6.01, 6.34, 6.68, 7.01, 7.34,  7.67,  8.01,
                                            8.34, 8.68, 9.01, 9.34, 9.67, 10.01, 10.35, 10.68};
    static const double moved[AM_MIX_SET] = {
        4.98,  5.29,  5.94,  6.25,  7.04,  7.34,  8.00,  8.33,  9.14,  9.45,  10.03, 10.42,
        11.19, 11.51, 12.12, 12.52, 13.30, 13.64, 14.22, 14.58, 15.40, 15.70, 16.27, 16.67};
    double slots[AM_MIX_SET], units[AM_MIX_SET];

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        const unsigned counts[] = AM_MIX_ALL_VECTORS_OF(i + 1, true);

        slots[i] = fmax(1, (counts[0] + counts[1] + counts[2] + counts[3] + 1) / (double)WIDTH);
        units[i] = fmax(slots[i], counts[1] * 0.5);
    }
    ok(fabs(most_of(zen5, false, 0.25) - 6) < 0.06, "a Zen 5 takes in six vectors per cycle: %.2f",
       most_of(zen5, false, 0.25));
    ok(fabs(most_of(moved, true, 0.25) - 5.25) < 0.11,
       "and fewer where some are loaded and stored: %.2f", most_of(moved, true, 0.25));
    ok(most_of(slots, true, 0.25) == 0, "a core that takes in as many as slots has no limit");
    ok(most_of(units, true, 0.5) == 0, "nor has one whose units are the limit");
}

int main(void)
{
    check_vectors();
    return tap_done();
}
