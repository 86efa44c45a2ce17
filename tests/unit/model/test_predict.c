/* SPDX-License-Identifier: MIT */
/* Memory of devices bounds its points; and points of one machine by the ceilings of another. */
#include "evidence/evidence.h"
#include "model/predict.h"

#include "fact_fixture.h"
#include "tap.h"

#define MIB(n) ((n)*1048576.0)

/* A point that moves bytes, reading all or writing all. */
static struct am_result *move(struct rx_run *run, const char *bench, const char *text, bool writes,
                              double rate)
{
    const struct rx_metric metrics[] = {{"bandwidth", "B/s", rate}, {.name = NULL}};
    struct am_result *const r = rx_add(run, bench, text, metrics);

    *(writes ? &r->work.bytes_written : &r->work.bytes_read) = 1e9;
    return r;
}

static struct am_result *compute(struct rx_run *run, const char *bench, const char *text,
                                 double rate)
{
    const struct rx_metric metrics[] = {{"flops", "flop/s", rate}, {.name = NULL}};
    struct am_result *const r = rx_add(run, bench, text, metrics);

    r->work.flops = 1e9;
    return r;
}

/* ---- devices ---- */

/* Caches of 1 and 32 MiB; 40, 8 and 2 TB/s behind each other. */
static void make_device(struct rx_run *run, struct am_facts *facts)
{
    *facts = (struct am_facts){.arena = &run->arena};
    fx_fact(facts, "opencl.cache_size", "device=gpu level=1", "B", MIB(1));
    fx_fact(facts, "opencl.cache_size", "device=gpu level=2", "B", MIB(32));
    fx_fact(facts, "opencl.read_width", "device=gpu", "", 4);
    (void)move(run, "ocl.global", "device=gpu kernel=read shape=strided stride=1 width=4 size=0",
               false, 2e12);
    (void)move(run, "ocl.global", "device=gpu kernel=write shape=strided stride=1 width=4 size=0",
               true, 1e12);
    (void)move(run, "ocl.cache", "device=gpu kernel=read size=262144 width=16", false, 40e12);
    (void)move(run, "ocl.cache", "device=gpu kernel=read size=4194304 width=16", false, 8e12);
    (void)move(run, "ocl.cache", "device=gpu kernel=read size=1073741824 width=16", false, 1.9e12);
    (void)move(run, "ocl.local", "device=gpu kernel=read stride=1 width=1", false, 30e12);
    (void)move(run, "ocl.bus", "device=gpu direction=h2d method=map memory=pinned size=16777216",
               true, 50e9);
}

static void test_device(void)
{
    static const struct {
        const char *bench, *text;
        bool writes;
        double rate, bound;          /* bound 0: none */
        const char *resource, *next; /* of none: the reason */
    } cases[] = {
        {"ocl.global", "device=gpu kernel=read shape=strided stride=16 width=4 size=0", false, 2e11,
         2e12, "global memory reads", "stride 1: up to 10.0 x"},
        {"ocl.global", "device=gpu kernel=read shape=strided stride=1 width=1 size=0", false,
         1.1e12, 2e12, "global memory reads", "vectors of 4 words"},
        {"ocl.global", "device=gpu kernel=write shape=strided stride=1 width=1 size=0", true,
         9.9e11, 1e12, "global memory writes", "at the roof"},
        {"ocl.global", "device=gpu kernel=read shape=group stride=1 width=4 size=4194304", false,
         4.8e12, 8e12, "cache 2 reads", "40 % left"},
        {"ocl.global", "device=gpu kernel=read shape=group stride=0 width=4 size=0", false, 9e13, 0,
         "all work-items touch one element", NULL},
        {"ocl.cache", "device=gpu kernel=read size=524288 width=4", false, 24e12, 40e12,
         "cache 1 reads", "40 % left"},
        {"ocl.cache", "device=gpu kernel=read size=1048576 width=4", false, 24e12, 40e12,
         "cache 1 reads", "40 % left"}, /* between two levels the faster one bounds */
        {"ocl.local", "device=gpu kernel=read stride=32 width=1", false, 1e12, 30e12,
         "local memory reads", "stride 1"},
        {"app.any", "device=gpu size=4194304", true, 1e12, 0, "no ceiling of its cache 2", NULL},
        {"ocl.bus", "device=gpu direction=h2d method=map memory=pageable size=16777216", true, 1e10,
         50e9, "host to device writes", "pinned memory"},
        {"app.any", "device=gpu size=536870912", false, 1.2e12, 2e12, "global memory reads",
         "40 % left"},
        {"app.any", "device=other size=536870912", false, 1e12, 0, "no ceiling of its", NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rx_run run = {0};
        struct am_facts facts;
        struct am_roofline roofline;
        struct am_explanations all;
        const struct am_explanation *e;

        make_device(&run, &facts);
        (void)move(&run, cases[i].bench, cases[i].text, cases[i].writes, cases[i].rate);
        am_evidence_settle(&run.set);
        am_roofline_build(&run.set, &facts, &run.arena, &roofline);
        am_explain(&run.set, &facts, &roofline, &run.arena, &all);
        e = &all.items[all.n - 1];
        if (cases[i].bound > 0)
            ok(!e->why_not && fabs(e->bound / cases[i].bound - 1) < 2e-3 &&
                   strcmp(e->resource, cases[i].resource) == 0 && !e->above &&
                   strncmp(e->next, cases[i].next, strlen(cases[i].next)) == 0,
               "%s: %s, %s (%s)", cases[i].text, e->resource ? e->resource : e->why_not,
               e->next ? e->next : "", cases[i].resource);
        else
            ok(e->why_not && strncmp(e->why_not, cases[i].resource, strlen(cases[i].resource)) == 0,
               "%s: %s", cases[i].text, e->why_not ? e->why_not : "bounded");
        am_arena_fini(&run.arena);
    }
}

/* ---- elsewhere ---- */

/* The other machine: 100 Gflop/s by avx2 and one thread, 20 GB/s from memory, 4 threads. */
static void make_other(struct am_arena *arena, struct am_machine_model *m)
{
    static const struct am_ceiling ceilings[] = {
        {.kind = AM_CEILING_FLOPS,
         .level = AM_TIER_COUNT,
         .type = "f64",
         .isa = "avx2",
         .threads = 1,
         .rate = 100e9,
         .median = 98e9,
         .ci = {96e9, 99e9, 0.95},
         .from = "made up"},
        {.kind = AM_CEILING_READ,
         .level = AM_TIER_MEMORY,
         .threads = 1,
         .rate = 20e9,
         .median = 20e9},
        {.kind = AM_CEILING_BYTES,
         .level = AM_TIER_MEMORY,
         .threads = 1,
         .rate = 20e9,
         .median = 20e9},
    };

    *m = (struct am_machine_model){.name = "other", .read = true};
    m->facts.arena = m->roofline.arena = arena;
    am_kvs_add(&m->set.machine, arena, "threads", "4");
    am_kvs_add(&m->set.machine, arena, "l1d_bytes", "32768");
    m->roofline.levels = am_tiers_find(&m->set, &m->facts);
    for (size_t i = 0; i < sizeof(ceilings) / sizeof(ceilings[0]); i++)
        am_roofline_add(&m->roofline, &ceilings[i]);
}

static void test_elsewhere(void)
{
    struct rx_run run = {0};
    struct am_machine_model own, other;
    struct am_explanations here, there;
    struct am_predictions p;
    struct am_err err = {0};
    struct am_result *both;

    (void)compute(&run, "cpu.flops", "op=fma type=f64 isa=avx512 streams=8 threads=1", 50e9);
    (void)compute(&run, "app.any", "type=f64 isa=avx512 threads=1", 25e9);
    (void)compute(&run, "app.any", "type=f64 isa=avx512 threads=8", 90e9);
    (void)compute(&run, "app.any", "type=f32 isa=avx512 threads=1", 90e9);
    (void)compute(&run, "app.any", "type=f64 device=gpu", 90e9);
    (void)compute(&run, "app.stencil", "type=f64 isa=avx512 threads=1 variant=slice", 60e9);
    both = compute(&run, "app.any", "type=f64 isa=avx512 threads=1 n=7", 1e9);
    both->work.bytes_read = 2e9;
    compute(&run, "app.any", "type=f64 isa=avx512 threads=1 n=8", 25e9)->metrics[0].series.n = 1;
    am_evidence_settle(&run.set);
    am_machine_make(&run.set, &run.arena, &own);
    make_other(&run.arena, &other);
    am_explain(&run.set, &own.facts, &own.roofline, &run.arena, &here);
    am_explain_on(&run.set, &other.facts, &other.roofline, &run.arena, &there);
    ok(am_predict(&here, &there, &other, &run.arena, &p, &err) == AM_OK && p.n == run.set.n,
       "every point is looked at (%s)", err.text);
    is_near(p.items[0].there->bound, 100e9, 1e-9, "the other machine's ceiling bounds");
    is_str(p.items[0].there->resource, "f64 arithmetic (of avx2)", "by the set that it has");
    ok(p.items[0].there->bound_lo < 96.1e9 && p.items[0].there->bound_hi > 99.9e9,
       "with the interval of its ceiling");
    is_near(p.items[1].expected, 50e9, 2e-3, "half of the bound here is half of it there");
    ok(p.items[1].lo <= p.items[1].expected && p.items[1].expected <= p.items[1].hi,
       "inside its interval");
    ok(p.items[2].why_not && strstr(p.items[2].why_not, "8 threads, and that machine has 4"),
       "more threads than it has are not predicted: %s", p.items[2].why_not);
    ok(p.items[3].why_not && strstr(p.items[3].why_not, "there"),
       "what was not measured there is said: %s", p.items[3].why_not);
    ok(p.items[4].why_not != NULL, "nor devices that it has not: %s", p.items[4].why_not);
    ok(p.items[5].why_not && strstr(p.items[5].why_not, "own mix"),
       "nor what only knows a bound of its own: %s", p.items[5].why_not);
    is_near(p.items[6].there->bound, 10e9, 1e-9, "bytes bound there too");
    ok(!p.items[6].why_not && isnan(p.items[6].expected),
       "without a bound here there is one there, and nothing is expected");
    ok(isnan(p.items[7].expected) && !p.items[7].why_not, "grade C expects nothing");
    ok(there.above == 0, "nothing there is a finding");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_device();
    test_elsewhere();
    return tap_done();
}
