/* SPDX-License-Identifier: MIT */
/* Launches whose clock was wrong are set aside; others are not. */
#include "family/incore/incore.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 20, WRONG = 3 };

/* Cells of six launches, of which one is multiplied by `wrong`, in all cells or in every second;
 * the least of the first. */
static double least_with(double wrong, bool uneven, size_t *aside)
{
    struct rx_run run = {0};
    struct am_incore core = {.fetch = 0};
    struct am_result *const r =
        rx_add(&run, "cpu.ports", "instr=add_r64 counts=1:1", (const struct rx_metric[]){{0}});
    struct am_incore_cell cell;

    r->metrics = am_arena_array(&run.arena, CELLS, sizeof(*r->metrics));
    for (unsigned i = 0; i < CELLS; i++) {
        struct am_series *const s = &r->metrics[i].series;

        rx_metric_put(
            &run, &r->metrics[r->n_metrics++],
            &(struct rx_metric){am_arena_printf(&run.arena, "cell_%u", i), "cycle", 1 + i});
        for (size_t k = 0; k < s->n; k++) {
            double *const value = am_arena_alloc(&run.arena, sizeof(*value));
            const double share = uneven && i % 2 ? 1 : wrong;

            *value = (1 + i) * (k == WRONG ? share : 1);
            s->launches[k].values = value;
            s->launches[k].launch_id = (int64_t)k + 1;
        }
    }
    am_evidence_settle(&run.set);
    if (!am_incore_set_aside(&run.set, &run.arena, &core))
        abort();
    cell = am_incore_read_cell(&core, r, "cell_0");
    *aside = core.n_aside;
    am_arena_fini(&run.arena);
    return cell.value;
}

static void check_launches(void)
{
    size_t aside;
    double least = least_with(0.894, false, &aside);

    ok(aside == 1 && fabs(least - 1) < 1e-9,
       "a launch that is a ninth below all others is set aside: the least is %g", least);
    least = least_with(0.95, false, &aside);
    ok(aside == 1 && fabs(least - 1) < 1e-9, "and one that is a twentieth below: %g", least);
    least = least_with(1, false, &aside);
    ok(aside == 0 && fabs(least - 1) < 1e-9, "one that is as long as the others is not");
    least = least_with(1.4, false, &aside);
    ok(aside == 0 && fabs(least - 1) < 1e-9, "nor one that is longer: the least leaves it");
    least = least_with(0.95, true, &aside);
    ok(aside == 0 && fabs(least - 0.95) < 1e-9,
       "nor one that is below in half of its cells: a clock is wrong in all, %g", least);
    least = least_with(0.5, false, &aside);
    ok(aside == 0 && isnan(least), "half as long is no clock, and no evidence either");
}

int main(void)
{
    check_launches();
    return tap_done();
}
