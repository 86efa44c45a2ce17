/* SPDX-License-Identifier: MIT */
/* A core of made-up forms: weights by resource, and latencies as cpu.instr would have measured
 * them. */
#ifndef AM_TESTS_CORE_FIXTURE_H
#define AM_TESTS_CORE_FIXTURE_H

#include "model/block/bound.h"
#include "result_fixture.h"

#include <stdlib.h>

enum { CX_RESOURCES_MAX = 5 };

struct cx_form {
    const char *name; /* NULL ends */
    double latency;   /* cycles; below 0: cpu.instr has none */
    double weights[CX_RESOURCES_MAX];
};

struct cx_core {
    struct rx_run run;
    struct am_incore incore;
};

static void cx_add_latency(struct cx_core *c, const char *form, double cycles)
{
    (void)rx_add(&c->run, "cpu.instr", am_arena_printf(&c->run.arena, "instr=%s", form),
                 (const struct rx_metric[]){{"latency", "cycle", cycles}, {0}});
}

/* Each form is a class of its own; weights have an interval of `spread` of them on each side. The
 * caller adds what else was measured, then calls cx_settle(). */
static void cx_make(struct cx_core *c, const struct cx_form *forms, const char **resources,
                    size_t n_resources, double spread)
{
    struct am_incore *const in = &c->incore;
    struct am_arena *const arena = &c->run.arena;
    struct am_resources_weight *w;
    size_t n = 0;

    while (forms[n].name)
        n++;
    w = am_arena_array(arena, n * n_resources, sizeof(*w));
    in->forms = am_arena_array(arena, n, sizeof(*in->forms));
    in->kinds = am_arena_array(arena, n, sizeof(*in->kinds));
    in->n_forms = in->n_kinds = n;
    in->resources = resources;
    for (size_t i = 0; i < n; i++) {
        in->forms[i].name = forms[i].name;
        in->forms[i].kind = i;
        for (size_t r = 0; r < n_resources; r++) {
            const double x = forms[i].weights[r];

            w[i * n_resources + r] =
                (struct am_resources_weight){x, (1 - spread) * x, (1 + spread) * x};
        }
        if (forms[i].latency >= 0)
            cx_add_latency(c, forms[i].name, forms[i].latency);
    }
    in->model = (struct am_resources_model){.kinds = n, .resources = n_resources, .weights = w};
}

static void cx_settle(struct cx_core *c)
{
    am_evidence_settle(&c->run.set);
    if (!am_incore_read_ways(&c->run.set, &c->run.arena, &c->incore))
        abort();
}

#endif
