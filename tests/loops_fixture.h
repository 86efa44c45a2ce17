/* SPDX-License-Identifier: MIT */
/* Made-up results of cpu.loop. */
#ifndef AM_TESTS_LOOPS_FIXTURE_H
#define AM_TESTS_LOOPS_FIXTURE_H

#include "kernels/mix/anchors.h"
#include "result_fixture.h"

/* A point of so many cycles per pass, by the number of the loop. */
static inline void lx_put(struct rx_run *run, const char *with, const double cycles[AM_MIX_SET])
{
    struct am_result *const r =
        rx_add(run, "cpu.loop", am_arena_printf(&run->arena, "with=%s on=machine", with),
               (const struct rx_metric[]){{0}});

    r->state = AM_POINT_OK;
    r->metrics = am_arena_array(&run->arena, AM_MIX_SET, sizeof(*r->metrics));
    for (unsigned i = 0; i < AM_MIX_SET; i++)
        rx_metric_put(run, &r->metrics[r->n_metrics++],
                      &(struct rx_metric){.name = am_arena_printf(&run->arena, "loop_%u", i + 1),
                                          .unit = "cycle",
                                          .value = cycles[i]});
}

#endif
