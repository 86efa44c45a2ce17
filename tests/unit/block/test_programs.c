/* SPDX-License-Identifier: MIT */
/* Regions of programs against ceilings that another file of their machine has, and elsewhere. */
#include "evidence/evidence.h"
#include "model/predict.h"

#include "fact_fixture.h"
#include "tap.h"

/* What a machine of 32 KiB, 512 KiB and 16 MiB of caches reaches; rates of one thread. */
struct rates {
    double flops, l1, memory;
};

static void add_ceiling(struct am_machine_model *m, enum am_ceiling_kind kind, enum am_tier level,
                        double rate)
{
    const struct am_ceiling c = {.kind = kind,
                                 .level = level,
                                 .type = kind == AM_CEILING_FLOPS ? "f64" : NULL,
                                 .threads = 1,
                                 .rate = rate,
                                 .median = rate,
                                 .ci = {0.9 * rate, rate, 0.95},
                                 .from = "made up"};

    am_roofline_add(&m->roofline, &c);
}

static void make_machine(struct am_arena *arena, const struct rates *rates,
                         struct am_machine_model *m)
{
    *m = (struct am_machine_model){.name = "made", .read = true};
    m->facts.arena = m->roofline.arena = arena;
    am_kvs_add(&m->set.machine, arena, "threads", "4");
    am_kvs_add(&m->set.machine, arena, "l1d_bytes", "32768");
    am_kvs_add(&m->set.machine, arena, "l2_bytes", "524288");
    am_kvs_add(&m->set.machine, arena, "l3_bytes", "16777216");
    m->roofline.levels = am_tiers_find(&m->set, &m->facts);
    add_ceiling(m, AM_CEILING_FLOPS, AM_TIER_COUNT, rates->flops);
    for (enum am_ceiling_kind k = AM_CEILING_READ; k <= AM_CEILING_BYTES; k++) {
        add_ceiling(m, k, AM_TIER_L1D, rates->l1);
        add_ceiling(m, k, AM_TIER_MEMORY, rates->memory);
    }
}

/* A region as an execution stated it. */
struct region {
    const char *name, *threads;
    double flops, bytes, calls, seconds;
};

static void add_region(struct rx_run *run, const struct region *region)
{
    const double rate = region->flops > 0 ? region->flops : region->bytes;
    const struct rx_metric metrics[] = {
        {"time", "s", region->seconds},
        {.name = rate > 0 ? "rate" : NULL,
         .unit = region->flops > 0 ? "flop/s" : "B/s",
         .value = rate / region->seconds},
        {.name = NULL},
    };
    struct am_result *const r = rx_add(run, "exec.program", region->name, metrics);

    r->worker = "exec";
    r->work =
        (struct am_work){.flops = region->flops, .bytes_read = region->bytes, .ops = region->calls};
    if (region->threads)
        am_kvs_add(&r->chosen, &run->arena, "threads", region->threads);
}

static const struct rates here_rates = {100e9, 400e9, 20e9}, there_rates = {300e9, 400e9, 40e9};

static void test_regions(void)
{
    static const struct {
        struct region region;
        double bound;
        const char *resource; /* of none: the beginning of the reason */
    } cases[] = {
        {{"region=compute", "1", 50e9, 0, 10, 1}, 100e9, "f64 arithmetic"},
        {{"region=copy", "1", 0, 10e9, 10, 1}, 20e9, "memory reads"},
        {{"region=mixed", "1", 1e9, 10e9, 10, 1}, 2e9, "memory reads"},
        {{"region=small_calls", "1", 0, 10e9, 1e6, 1}, 400e9, "L1 reads"},
        {{"region=team", "2", 50e9, 0, 10, 1}, 200e9, "f64 arithmetic (scaled)"},
        {{"region=silent", "1", 0, 0, 10, 1}, 0, "neither flops nor bytes are known"},
        {{"region=alone", NULL, 50e9, 0, 10, 1}, 0, "the point does not state its threads"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct rx_run run = {0};
        struct am_machine_model here;
        struct am_explanations all;
        const struct am_explanation *e;

        make_machine(&run.arena, &here_rates, &here);
        add_region(&run, &cases[i].region);
        am_evidence_settle(&run.set);
        am_explain(&run.set, &here.facts, &here.roofline, &run.arena, &all);
        e = all.items;
        if (cases[i].bound > 0)
            ok(all.n == 1 && !e->why_not && fabs(e->bound / cases[i].bound - 1) < 1e-6 &&
                   strcmp(e->resource, cases[i].resource) == 0,
               "%s: %g, %s", cases[i].region.name, e->bound,
               e->resource ? e->resource : e->why_not);
        else
            ok(all.n == 1 && e->why_not &&
                   strncmp(e->why_not, cases[i].resource, strlen(cases[i].resource)) == 0,
               "%s: %s", cases[i].region.name, e->why_not ? e->why_not : "bounded");
        am_arena_fini(&run.arena);
    }
}

static void test_without(void)
{
    static const struct region region = {"region=compute", "1", 50e9, 0, 10, 1};
    struct rx_run run = {0};
    struct am_machine_model none = {.name = "none"};
    struct am_explanations all;

    add_region(&run, &region);
    am_evidence_settle(&run.set);
    none.roofline.arena = &run.arena;
    am_explain(&run.set, &none.facts, &none.roofline, &run.arena, &all);
    ok(all.n == 1 && all.items[0].why_not && strstr(all.items[0].why_not, "--on MODEL"),
       "without ceilings: %s", all.items[0].why_not);
    am_arena_fini(&run.arena);
}

/* A program that states nothing is explained by what was counted, at the rate that follows from its
 * time; bytes that were counted are memory's, however few. */
static void test_counted(void)
{
    static const struct {
        const char *event;
        double count, bound;
        const char *resource;
    } cases[] = {{"count:PAPI_FP_OPS", 50e9, 100e9, "f64 arithmetic"},
                 {"count:PAPI_L3_TCM", 100, 20e9, "memory reads"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct rx_metric metrics[] = {
            {"time", "s", 2}, {cases[i].event, "", cases[i].count}, {.name = NULL}};
        struct rx_run run = {0};
        struct am_machine_model here;
        struct am_explanations all;
        const struct am_explanation *e;

        make_machine(&run.arena, &here_rates, &here);
        (void)rx_add(&run, "exec.program", "threads=1", metrics);
        am_evidence_settle(&run.set);
        am_explain(&run.set, &here.facts, &here.roofline, &run.arena, &all);
        e = all.items;
        ok(all.n == 1 && !e->why_not && fabs(e->bound / cases[i].bound - 1) < 1e-6 &&
               strcmp(e->resource, cases[i].resource) == 0 && e->counted &&
               strstr(e->counted, strchr(cases[i].event, ':') + 1),
           "%s: %g, %s, by %s", cases[i].event, e->bound, e->resource ? e->resource : e->why_not,
           e->counted ? e->counted : "nothing");
        ok(e->measured.ci.lo <= e->measured.median && e->measured.median <= e->measured.ci.hi &&
               e->share > 0 && e->share < 1,
           "its rate has an interval, and a share of the bound: %g", e->share);
        am_arena_fini(&run.arena);
    }
}

/* Three times the arithmetic and twice the memory: what limited here need not limit there. */
static void test_elsewhere(void)
{
    static const struct {
        struct region region;
        double factor;
        const char *limit;
    } cases[] = {
        {{"region=compute", "1", 50e9, 0, 10, 1}, 3, "f64 arithmetic"},
        {{"region=copy", "1", 0, 10e9, 10, 1}, 2, "memory reads"},
        {{"region=turns", "1", 60e9, 10e9, 10, 1}, 2.4, "memory reads"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct rx_run run = {0};
        struct am_machine_model here, there;
        struct am_explanations at_home, abroad;
        const struct am_predicting with = {.here = &at_home,
                                           .there = &abroad,
                                           .here_by = &here,
                                           .machine = &there,
                                           .arena = &run.arena};
        struct am_predictions all;
        const struct am_prediction *p;
        struct am_err err = {0};

        make_machine(&run.arena, &here_rates, &here);
        make_machine(&run.arena, &there_rates, &there);
        add_region(&run, &cases[i].region);
        am_evidence_settle(&run.set);
        am_explain(&run.set, &here.facts, &here.roofline, &run.arena, &at_home);
        am_explain_on(&run.set, &there.facts, &there.roofline, &run.arena, &abroad);
        ok(am_predict(&with, &all, &err) == AM_OK && all.n == 1, "%s is predicted",
           cases[i].region.name);
        p = all.items;
        ok(fabs(p->factor / cases[i].factor - 1) < 1e-3 && p->factor_lo < p->factor &&
               p->factor_lo > 0.8 * p->factor && p->factor_hi >= p->factor &&
               strcmp(p->there->resource, cases[i].limit) == 0,
           "%.3g x [%.3g, %.3g], then limited by %s", p->factor, p->factor_lo, p->factor_hi,
           p->there->resource);
        am_arena_fini(&run.arena);
    }
}

int main(void)
{
    test_regions();
    test_without();
    test_counted();
    test_elsewhere();
    return tap_done();
}
