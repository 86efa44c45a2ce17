/* SPDX-License-Identifier: MIT */
/* Sizes of a core from made-up curves: launches that were quick beyond a step. */
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

enum { FROM = 16, TO = 496, STEP = 16 };

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_core, &run->set, &facts);
    return facts;
}

/* A point whose last launch took something else than the others. */
static void add_point(struct rx_run *run, int count, double cycles, double last)
{
    char text[64];
    struct am_result *r;
    double *const values = am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*launches));

    (void)snprintf(text, sizeof(text), "filler=store count=%d", count);
    r = rx_add(run, "cpu.window", text,
               (const struct rx_metric[]){{"cycles", "cycle", cycles}, {0}});
    r->metrics[0].better = AM_LOWER;
    for (size_t i = 0; i < RX_LAUNCHES; i++) {
        values[i] = i + 1 < RX_LAUNCHES ? cycles * (1 + 0.001 * (double)i) : last;
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1};
    }
    r->metrics[0].series.launches = launches;
}

/* 160 cycles up to the step, 320 beyond it; the last launch of one point takes `odd`. */
struct curve {
    const char *what;
    int step, at;
    double odd;
    double lo, value, hi; /* of the fact; 0: there is none */
    const char *remark;   /* NULL: none */
};

static const struct curve curves[] = {
    {"nobody was quick beyond the step", 240, 400, 321, 240, 248, 256, NULL},
    {"one launch was: the step is not the end", 240, 400, 162, 240, 408, 416, NULL},
    {"at the step itself, which nobody confirms, it is wider", 240, 256, 165, 240, 256, 272, NULL},
    {"half-way up is not quick", 240, 400, 250, 240, 248, 256, NULL},
    {"before the step everybody is", 240, 112, 160, 240, 248, 256, NULL},
    {"quicker than chains that come together was timed wrongly", 240, 400, 100, 240, 248, 256,
     NULL},
    {"with the largest count: nobody knows the end", 240, TO, 161, 0, 0, 0, "largest count"},
    {"a curve without a step needs no end", 1000, 400, 100, 0, 0, 0, "no clear step"},
};

static void check_curve(const struct curve *c)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (int n = FROM; n <= TO; n += STEP) {
        const double cycles = n > c->step ? 320 : 160;

        add_point(&run, n, cycles, n == c->at ? c->odd : cycles);
    }
    facts = derive(&run);
    f = am_facts_only(&facts, "core.window", "filler=store");
    ok(c->value > 0 ? f && fabs(f->value - c->value) < 1e-9 && fabs(f->ci.lo - c->lo) < 1e-9 &&
                          fabs(f->ci.hi - c->hi) < 1e-9
                    : !f,
       "%s: %g (%g to %g)", c->what, f ? f->value : NAN, f ? f->ci.lo : NAN, f ? f->ci.hi : NAN);
    ok(c->remark ? facts.n_remarks == 1 && strstr(facts.remarks[0], c->remark)
                 : facts.n_remarks == 0,
       "and %s", facts.n_remarks ? facts.remarks[0] : "nothing is remarked");
    if (c->value > 300)
        ok(f && strstr(f->evidence, "quick with 400"), "the evidence says so: %s",
           f ? f->evidence : "");
    am_arena_fini(&run.arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
        check_curve(&curves[i]);
    return tap_done();
}
