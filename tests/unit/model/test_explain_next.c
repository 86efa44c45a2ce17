/* SPDX-License-Identifier: MIT */
/* What explain says of points that another point of their bench outdoes, of numbered devices, and
 * of devices whose chains alone were measured. */
#include "evidence/evidence.h"
#include "model/explain.h"
#include "model/facts.h"
#include "model/roofline.h"

#include "result_fixture.h"
#include "tap.h"

#include <math.h>

static void add(struct rx_run *run, const char *bench, const char *text, double rate)
{
    const struct rx_metric metrics[] = {{"flops", "flop/s", rate}, {NULL, NULL, 0}};

    rx_add(run, bench, text, metrics)->work.flops = 100;
}

/* The last point of a machine that makes 80 Gflop/s by products, and 120 by products and sums. */
static const struct am_explanation *explain(struct rx_run *run, const char *bench, const char *text,
                                            double rate)
{
    struct am_explanations *const all = am_arena_alloc(&run->arena, sizeof(*all));
    struct am_roofline *const roofline = am_arena_alloc(&run->arena, sizeof(*roofline));
    struct am_facts facts;

    add(run, "cpu.flops", "op=fma type=f64 isa=avx2 streams=12 threads=1", 80e9);
    add(run, "cpu.flops", "op=mix type=f64 isa=avx2 streams=12 threads=1", 120e9);
    add(run, bench, text, rate);
    am_evidence_settle(&run->set);
    am_facts_derive(&run->set, &run->arena, &facts);
    am_roofline_build(&run->set, &facts, &run->arena, roofline);
    am_explain(&run->set, &facts, roofline, &run->arena, all);
    return &all->items[all->n - 1];
}

/* Where another operation of the same bench made the roof, no cause is missing. */
static void check_siblings(void)
{
    struct rx_run run = {0}, other = {0};
    const struct am_explanation *const fma =
        explain(&run, "cpu.flops", "op=fma type=f64 isa=avx2 streams=14 threads=1", 79e9);
    const struct am_explanation *const app =
        explain(&other, "app.any", "type=f64 isa=avx2 threads=1", 90e9);

    ok(strcmp(fma->next, "op=mix reaches it") == 0,
       "products alone are below the roof of products and sums: %s", fma->next);
    ok(strncmp(app->next, "25 % left", 9) == 0, "of an application that is no cause: %s",
       app->next);
    am_arena_fini(&run.arena);
    am_arena_fini(&other.arena);
}

/* Described stencils name their device by a number, whether a variant uses it or not. */
static void check_numbered(void)
{
    struct rx_run run = {0}, other = {0};
    const struct am_explanation *const here =
        explain(&run, "own.heat2d", "variant=wave type=f64 isa=avx2 device=0 threads=1", 60e9);
    const struct am_explanation *const away =
        explain(&other, "own.heat2d", "variant=device type=f64 isa=avx2 device=0 threads=1", 60e9);

    ok(!here->why_not && fabs(here->bound / 120e9 - 1) < 2e-3,
       "a described stencil on the processor has its bound: %s",
       here->why_not ? here->why_not : "it has");
    ok(away->why_not && strstr(away->why_not, "on devices"),
       "and one on a device not that of the processor");
    am_arena_fini(&run.arena);
    am_arena_fini(&other.arena);
}

/* A chain of dependent operations shows how long one takes: units can do more, by a factor that it
 * does not know. */
static void check_chains(void)
{
    static const char chain[] = "type=double mode=latency device=gpu0";
    static const char full[] = "type=double mode=throughput device=gpu0";
    struct rx_run run = {0}, other = {0};
    const struct am_explanation *alone, *beside;

    add(&run, "ocl.arith", chain, 2e10);
    alone = explain(&run, "app.any", "type=f64 device=gpu0", 1e12);
    ok(!alone->above && alone->why_not, "a chain is no ceiling of its device: %s",
       alone->why_not ? alone->why_not : "it was taken for one");
    add(&other, "ocl.arith", full, 2e12);
    beside = explain(&other, "ocl.arith", chain, 2e10);
    is_near(beside->share, 0.01, 2e-3, "but is held against what is one");
    am_arena_fini(&run.arena);
    am_arena_fini(&other.arena);
}

/* A point that no run has a ceiling for: what to run is what bounds such points. */
static void check_missing(void)
{
    static const struct {
        const char *point, *run;
    } cases[] = {
        {"type=f64 isa=avx2 threads=1", "run cpu.flops in the same run"},
        {"threads=1", "run cpu.flops, cpu.dot in the same run"},
        {"type=f32 device=gpu0", "run ocl.arith in the same run"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rx_run run = {0};
        struct am_explanations all;
        struct am_roofline roofline;
        struct am_facts facts;

        add(&run, "app.any", cases[i].point, 1e9);
        am_evidence_settle(&run.set);
        am_facts_derive(&run.set, &run.arena, &facts);
        am_roofline_build(&run.set, &facts, &run.arena, &roofline);
        am_explain(&run.set, &facts, &roofline, &run.arena, &all);
        ok(all.items[0].why_not && strstr(all.items[0].why_not, cases[i].run),
           "a point of %s lacks its own benches: %s", cases[i].point,
           all.items[0].why_not ? all.items[0].why_not : "nothing");
        am_arena_fini(&run.arena);
    }
}

int main(void)
{
    check_siblings();
    check_numbered();
    check_chains();
    check_missing();
    return tap_done();
}
