/* SPDX-License-Identifier: MIT */
/* How many steps a pass over a field has: what follows from measured times. */
#include "bench/apps/leukocyte_pass.h"

#include "app/leukocyte/mgvf_pass.h"
#include "kernels/isa.h"
#include "tap.h"

#include <math.h>

enum { KINDS = 5 };

/* A clock by which passes of 1, 2, 4, 8, 16 steps take so many ns. It is read at both ends of each
 * try; each kind comes first in a round in turn. Some tries are disturbed. */
struct scripted {
    const uint64_t *took;
    uint64_t now;
    unsigned readings;
};

static uint64_t scripted_now(void *self)
{
    struct scripted *const c = self;
    const unsigned k = c->readings++, i = k / 2;

    if (k % 2)
        c->now += c->took[(i + i / KINDS) % KINDS] + (i % 7 == 0 ? 5000 : 0);
    return c->now;
}

static void check_rule(void)
{
    static const struct {
        uint64_t took[KINDS];
        size_t steps;
    } cases[] = {
        {{10000, 10000, 10000, 10000, 10000}, 1}, {{10000, 9990, 9985, 9980, 9975}, 1},
        {{10000, 9500, 9200, 9000, 9050}, 8},     {{10000, 9500, 9020, 9000, 9050}, 4},
        {{10000, 11000, 12000, 13000, 9000}, 16}, {{10000, 9000, 12000, 13000, 14000}, 2},
    };
    const struct am_mgvf_loop loop =
        am_mgvf_loop_of(am_isa_names[0], AM_MGVF_BY_LANES, AM_MGVF_F64);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scripted script = {.took = cases[i].took};
        const struct am_clock clock = {.now_ns = scripted_now, .self = &script};
        struct am_leuko_pass pass = {0};
        size_t kind = 0;

        am_leuko_pass_measure(&loop, &clock, &pass);
        while ((size_t)1 << kind < cases[i].steps)
            kind++;
        ok(pass.steps == cases[i].steps &&
               fabs(pass.one - 1e-9 * (double)cases[i].took[0]) < 1e-15 &&
               fabs(pass.best - 1e-9 * (double)cases[i].took[kind]) < 1e-15,
           "case %zu: %zu steps, %g and %g s", i, pass.steps, pass.one, pass.best);
    }
}

int main(void)
{
    check_rule();
    return tap_done();
}
