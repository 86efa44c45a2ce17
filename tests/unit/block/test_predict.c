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
    const struct am_predicting with = {
        .here = &here, .there = &there, .here_by = &own, .machine = &other, .arena = &run.arena};
    struct am_predictions p;
    struct am_err err = {0};
    struct am_result *both;

    (void)compute(&run, "cpu.flops", "op=fma type=f64 isa=avx512 streams=8 threads=1", 50e9);
    (void)compute(&run, "app.any", "type=f64 isa=avx512 threads=1", 30e9);
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
    ok(am_predict(&with, &p, &err) == AM_OK && p.n == run.set.n, "every point is looked at (%s)",
       err.text);
    is_near(p.items[0].there->bound, 100e9, 1e-9, "the other machine's ceiling bounds");
    is_str(p.items[0].there->resource, "f64 arithmetic (of avx2)", "by the set that it has");
    ok(p.items[0].there->bound_lo < 96.1e9 && p.items[0].there->bound_hi > 99.9e9,
       "with the interval of its ceiling");
    ok(p.items[0].unsure && strstr(p.items[0].unsure, "operation") && isnan(p.items[0].expected),
       "an operation that nobody measured there expects nothing: %s", p.items[0].unsure);
    is_near(p.items[1].expected, 60e9, 2e-3, "as much of the bound here is as much of it there");
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

/* ---- like with like ---- */

/* A machine of one thread: what it measured, in GB/s and Gflop/s; 0: not. */
struct like {
    double avx2_l1, avx512_l1, l3, memory;
    double l3_stated, l3_measured; /* MiB */
    double clock, chain;           /* GHz; cycles of instructions */
};

static void add_bytes(struct am_machine_model *m, enum am_tier level, const char *isa, double rate)
{
    for (enum am_ceiling_kind k = AM_CEILING_READ; rate > 0 && k <= AM_CEILING_BYTES; k++)
        am_roofline_add(&m->roofline, &(struct am_ceiling){.kind = k,
                                                           .level = level,
                                                           .isa = isa,
                                                           .threads = 1,
                                                           .rate = 1e9 * rate,
                                                           .median = 1e9 * rate,
                                                           .ci = {0.9e9 * rate, 1e9 * rate, 0.95},
                                                           .from = "made up"});
}

static void make_like(struct am_arena *arena, const struct like *like, struct am_machine_model *m)
{
    static const char *const forms[] = {"form=add", "form=mul", "form=fma"};
    char bytes[32];

    *m = (struct am_machine_model){.name = "like", .read = true};
    m->facts.arena = m->roofline.arena = arena;
    (void)snprintf(bytes, sizeof(bytes), "%.0f", MIB(like->l3_stated));
    am_kvs_add(&m->set.machine, arena, "l1d_bytes", "32768");
    am_kvs_add(&m->set.machine, arena, "l2_bytes", "1048576");
    am_kvs_add(&m->set.machine, arena, "l3_bytes", am_arena_strdup(arena, bytes));
    if (like->l3_measured > 0)
        fx_fact(&m->facts, "memory.size", "level=l3", "B", MIB(like->l3_measured));
    if (like->clock > 0)
        fx_fact(&m->facts, "core.clock", "", "Hz", 1e9 * like->clock);
    for (size_t i = 0; like->chain > 0 && i < 3; i++)
        fx_fact(&m->facts, "core.latency", forms[i], "cycle", like->chain * (double)(1 + i));
    m->roofline.levels = am_tiers_find(&m->set, &m->facts);
    add_bytes(m, AM_TIER_L1D, "avx2", like->avx2_l1);
    add_bytes(m, AM_TIER_L1D, "avx512", like->avx512_l1);
    add_bytes(m, AM_TIER_L3, "avx2", like->l3);
    add_bytes(m, AM_TIER_MEMORY, "avx2", like->memory);
}

/* What is expected of a point that reads `mib` at `rate` GB/s here. */
struct like_case {
    const char *what, *isa;
    double mib, rate;
    struct like here, there;
    double factor, lo, hi; /* 0: nothing is expected */
    const char *words;     /* of what limits, or of the reason */
};

static void test_like_case(const struct like_case *c)
{
    struct rx_run run = {0};
    struct am_machine_model here_by, machine;
    struct am_explanations here, there;
    const struct am_predicting with = {.here = &here,
                                       .there = &there,
                                       .here_by = &here_by,
                                       .machine = &machine,
                                       .arena = &run.arena};
    struct am_predictions all;
    const struct am_prediction *p;
    struct am_err err = {0};

    make_like(&run.arena, &c->here, &here_by);
    make_like(&run.arena, &c->there, &machine);
    (void)move(&run, "app.any",
               am_arena_printf(&run.arena, "size=%.0f isa=%s threads=1", MIB(c->mib), c->isa),
               false, 1e9 * c->rate);
    am_evidence_settle(&run.set);
    am_explain(&run.set, &here_by.facts, &here_by.roofline, &run.arena, &here);
    am_explain_on(&run.set, &machine.facts, &machine.roofline, &run.arena, &there);
    if (am_predict(&with, &all, &err) != AM_OK || all.n != 1) {
        ok(false, "%s: %s", c->what, err.text);
        am_arena_fini(&run.arena);
        return;
    }
    p = all.items;
    if (c->factor > 0)
        ok(!p->unsure && fabs(p->factor / c->factor - 1) < 0.02 && p->factor_lo <= 1.02 * c->lo &&
               p->factor_hi >= 0.98 * c->hi && p->factor_lo > 0.7 * c->lo &&
               p->factor_hi < 1.3 * c->hi && strstr(p->limit, c->words),
           "%s: %.2f x [%.2f, %.2f], %s", c->what, p->factor, p->factor_lo, p->factor_hi, p->limit);
    else
        ok(p->unsure && isnan(p->expected) && strstr(p->unsure, c->words), "%s: %s", c->what,
           p->unsure ? p->unsure : "expected");
    am_arena_fini(&run.arena);
}

static void test_like(void)
{
    /* 64 MiB: memory here. What is stated there and was never seen may be memory too. */
    static const struct like small = {.avx2_l1 = 150, .memory = 20, .l3_stated = 8};
    static const struct like boasting = {
        .avx2_l1 = 150, .avx512_l1 = 270, .l3 = 25, .memory = 13, .l3_stated = 300};
    static const struct like honest = {
        .avx2_l1 = 150, .l3 = 25, .memory = 13, .l3_stated = 300, .l3_measured = 290};
    static const struct like plain = {.avx2_l1 = 100, .memory = 20, .l3_stated = 8, .clock = 3};
    static const struct like slow = {.avx2_l1 = 200, .memory = 20, .l3_stated = 8, .clock = 1.5};
    static const struct like known = {
        .avx2_l1 = 100, .memory = 20, .l3_stated = 8, .clock = 3, .chain = 4};
    static const struct like better = {
        .avx2_l1 = 200, .memory = 20, .l3_stated = 8, .clock = 3, .chain = 2};
    const struct like_case cases[] = {
        {"a cache that is only stated", "avx2", 64, 18, small, boasting, 0.9, 13 / 20.0, 25 / 20.0,
         "L3 reads, or memory"},
        {"one that was measured", "avx2", 64, 18, small, honest, 1.25, 1.12, 1.25, "L3 reads"},
        {"a narrower set is compared by the same one", "sse2", 0.016, 120, small, boasting, 1, 0.9,
         1.11, "L1 reads"},
        {"far below every roof", "avx2", 0.016, 20, plain, better, 0, 0, 0, "no roof holds them"},
        {"the same, with instructions measured", "avx2", 0.016, 20, known, better, 2, 1.8, 2.2,
         "its core"},
        {"a part of the time is the core's", "avx2", 0.016, 60, plain, slow, 2, 0.88, 2.2,
         "L1 reads"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        test_like_case(&cases[i]);
}

int main(void)
{
    test_device();
    test_elsewhere();
    test_like();
    return tap_done();
}
