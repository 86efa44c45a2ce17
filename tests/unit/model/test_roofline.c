/* SPDX-License-Identifier: MIT */
/* Levels, ceilings and bounds on a made-up machine whose numbers are known. */
#include "evidence/evidence.h"
#include "family/roles.h"
#include "family/tiers.h"
#include "model/explain.h"
#include "model/facts.h"
#include "model/roofline.h"

#include "fact_fixture.h"
#include "tap.h"

#define KIB(n) ((n)*1024.0)
#define MIB(n) ((n)*1048576.0)

/* L1 32 KiB: 100 GB/s read, 50 written; L2 1 MiB: 60 and 30; memory beyond 16 MiB: 10 and 5, both
 * together 12. Arithmetic: 10 Gflop/s scalar, 80 avx2 in f64. */
static void claim(struct rx_run *run)
{
    am_kvs_add(&run->set.machine, &run->arena, "l1d_bytes", "32768");
    am_kvs_add(&run->set.machine, &run->arena, "l2_bytes", "1048576");
    am_kvs_add(&run->set.machine, &run->arena, "l3_bytes", "16777216");
}

static struct am_result *add_stream(struct rx_run *run, const char *kernel, double size,
                                    const char *isa, double threads, double rate)
{
    const struct rx_metric metrics[] = {{"bandwidth", "B/s", rate}, {NULL, NULL, 0}};
    struct am_result *r;
    char text[128];

    (void)snprintf(text, sizeof(text), "kernel=%s nt=0 size=%.0f isa=%s threads=%.0f prefetch=0",
                   kernel, size, isa, threads);
    r = rx_add(run, "mem.bandwidth", text, metrics);
    r->work.bytes_read = strcmp(kernel, "write") == 0 ? 0 : size / 2;
    r->work.bytes_written = strcmp(kernel, "read") == 0 ? 0 : size / 2;
    return r;
}

static struct am_result *add_flops(struct rx_run *run, const char *isa, double streams,
                                   double threads, double rate)
{
    const struct rx_metric metrics[] = {{"flops", "flop/s", rate}, {NULL, NULL, 0}};
    struct am_result *r;
    char text[128];

    (void)snprintf(text, sizeof(text), "op=fma type=f64 isa=%s streams=%.0f threads=%.0f", isa,
                   streams, threads);
    r = rx_add(run, "cpu.flops", text, metrics);
    r->work.flops = 100;
    return r;
}

static void make_machine(struct rx_run *run)
{
    claim(run);
    (void)add_stream(run, "read", KIB(16), "avx2", 1, 100e9);
    (void)add_stream(run, "write", KIB(16), "avx2", 1, 50e9);
    (void)add_stream(run, "copy", KIB(16), "avx2", 1, 90e9);
    (void)add_stream(run, "read", KIB(512), "avx2", 1, 60e9);
    (void)add_stream(run, "write", KIB(512), "avx2", 1, 30e9);
    (void)add_stream(run, "read", MIB(256), "avx2", 1, 10e9);
    (void)add_stream(run, "write", MIB(256), "avx2", 1, 5e9);
    (void)add_stream(run, "copy", MIB(256), "avx2", 1, 12e9);
    (void)add_stream(run, "copy", MIB(256), "avx2", 4, 30e9);
    (void)add_flops(run, "scalar", 12, 1, 10e9);
    (void)add_flops(run, "avx2", 12, 1, 80e9);
    (void)add_flops(run, "avx2", 2, 1, 20e9);
}

static void check_tiers(void)
{
    static const struct {
        double bytes, threads;
        enum am_tier of, fastest;
    } cases[] = {
        {KIB(16), 1, AM_TIER_L1D, AM_TIER_L1D},       {KIB(32), 1, AM_TIER_COUNT, AM_TIER_L1D},
        {KIB(64), 1, AM_TIER_L2, AM_TIER_L2},         {KIB(64), 4, AM_TIER_L1D, AM_TIER_L1D},
        {KIB(1024), 1, AM_TIER_COUNT, AM_TIER_L2},    {MIB(8), 1, AM_TIER_L3, AM_TIER_L3},
        {MIB(16), 1, AM_TIER_COUNT, AM_TIER_L3},      {MIB(16), 64, AM_TIER_L2, AM_TIER_L2},
        {MIB(32), 1, AM_TIER_MEMORY, AM_TIER_MEMORY},
    };
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_reach alone = {{1, 1, 1}};
    struct am_result recorded = {0};
    struct am_reach eight;
    struct am_tiers tiers;

    am_kvs_add(&recorded.chosen, &run.arena, "caches", "64 32 8");
    eight = am_tiers_reach(&recorded);
    tiers = am_tiers_find(&run.set, &facts);
    ok(am_tiers_of(&tiers, MIB(999), &alone) == AM_TIER_COUNT &&
           am_tiers_fastest(&tiers, MIB(999), &alone) == AM_TIER_COUNT,
       "without sizes no level is known");
    claim(&run);
    tiers = am_tiers_find(&run.set, &facts);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_reach reach = {{cases[i].threads, cases[i].threads, 1}};

        ok(am_tiers_of(&tiers, cases[i].bytes, &reach) == cases[i].of,
           "%.0f KiB by %.0f threads are in %s", cases[i].bytes / 1024, cases[i].threads,
           am_tier_title(cases[i].of));
        ok(am_tiers_fastest(&tiers, cases[i].bytes, &reach) == cases[i].fastest,
           "and at best in %s", am_tier_title(cases[i].fastest));
    }
    ok(am_tiers_of(&tiers, MIB(1), &eight) == AM_TIER_L1D &&
           am_tiers_of(&tiers, MIB(16), &eight) == AM_TIER_L2 &&
           am_tiers_of(&tiers, MIB(80), &eight) == AM_TIER_L3 &&
           am_tiers_of(&tiers, MIB(250), &eight) == AM_TIER_COUNT &&
           am_tiers_of(&tiers, MIB(256), &eight) == AM_TIER_MEMORY,
       "threads that reach several caches fill all of them");
    ok(am_tiers_slowest(&tiers, KIB(16), &alone) == AM_TIER_L1D &&
           am_tiers_slowest(&tiers, KIB(512), &alone) == AM_TIER_L2 &&
           am_tiers_slowest(&tiers, MIB(2), &alone) == AM_TIER_MEMORY,
       "caches of a core's own are as stated, a shared one that was never seen may be memory");
    fx_fact(&facts, "memory.size", "level=l3", "B", MIB(4));
    tiers = am_tiers_find(&run.set, &facts);
    ok(am_tiers_of(&tiers, MIB(8), &alone) == AM_TIER_COUNT,
       "a cache measured smaller than claimed does not hold more");
    ok(am_tiers_slowest(&tiers, MIB(2), &alone) == AM_TIER_L3 &&
           am_tiers_slowest(&tiers, MIB(4), &alone) == AM_TIER_MEMORY,
       "at worst a set is where it is measured to fit");
    am_arena_fini(&run.arena);
}

static void check_ceilings(void)
{
    static const struct {
        struct am_roof_query query;
        double rate; /* 0: none */
        bool scaled;
        const char *what;
    } cases[] = {
        {{.kind = AM_CEILING_READ, .level = AM_TIER_L1D, .isa = "avx2", .threads = 1},
         100e9,
         false,
         "the ceiling of reads is that of the read kernel"},
        {{.kind = AM_CEILING_WRITE, .level = AM_TIER_MEMORY, .isa = "avx2", .threads = 1},
         6e9,
         false,
         "a copy that writes faster than the write kernel raises the ceiling of writes"},
        {{.kind = AM_CEILING_BYTES, .level = AM_TIER_MEMORY, .threads = 1},
         12e9,
         false,
         "both together are bounded by the best kernel"},
        {{.kind = AM_CEILING_READ, .level = AM_TIER_L1D, .isa = "sse2", .threads = 1},
         100e9,
         false,
         "a wider instruction set bounds one that was not measured"},
        {{.kind = AM_CEILING_READ, .level = AM_TIER_L1D, .isa = "avx512", .threads = 1},
         0,
         false,
         "a narrower one does not"},
        {{.kind = AM_CEILING_READ, .level = AM_TIER_L3, .isa = "avx2", .threads = 1},
         60e9,
         false,
         "a faster level bounds one that was not measured"},
        {{.kind = AM_CEILING_BYTES, .level = AM_TIER_MEMORY, .threads = 2},
         24e9,
         true,
         "two threads have at most twice what one has"},
        {{.kind = AM_CEILING_BYTES, .level = AM_TIER_MEMORY, .threads = 3},
         30e9,
         true,
         "three have at most what four were measured with"},
        {{.kind = AM_CEILING_FLOPS, .type = "f64", .isa = "scalar", .threads = 1},
         10e9,
         false,
         "arithmetic by instruction set"},
        {{.kind = AM_CEILING_FLOPS, .type = "f32", .threads = 1},
         0,
         false,
         "a precision that was not measured has no ceiling"},
        {{.kind = AM_CEILING_FLOPS, .type = "f64", .threads = 1, .device = "gpu0"},
         0,
         false,
         "nor has a device"},
    };
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_roofline r;

    make_machine(&run);
    am_evidence_settle(&run.set);
    am_roofline_build(&run.set, &facts, &run.arena, &r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_roof roof = {0};
        const bool found = am_roofline_find(&r, &cases[i].query, &roof);

        ok(found == (cases[i].rate > 0) && (!found || (fabs(roof.rate / cases[i].rate - 1) < 2e-3 &&
                                                       roof.scaled == cases[i].scaled)),
           "%s: %g", cases[i].what, roof.rate);
    }
    am_arena_fini(&run.arena);
}

/* An application: flops and bytes of an iteration, and the rate it reached. */
static struct am_result *add_app(struct rx_run *run, const char *text, double flops, double read,
                                 double written, double rate)
{
    const struct rx_metric metrics[] = {{"flops", "flop/s", rate}, {NULL, NULL, 0}};
    struct am_result *const r = rx_add(run, "app.any", text, metrics);

    r->work.flops = flops;
    r->work.bytes_read = read;
    r->work.bytes_written = written;
    return r;
}

static const struct am_explanation *last_of(const struct am_explanations *all)
{
    return &all->items[all->n - 1];
}

static void explain_with(struct rx_run *run, struct am_explanations *out)
{
    struct am_facts facts;
    struct am_roofline *const r = am_arena_alloc(&run->arena, sizeof(*r));

    am_evidence_settle(&run->set);
    am_facts_derive(&run->set, &run->arena, &facts);
    fx_fact(&facts, "core.streams", "type=f64 isa=avx2", "", 12);
    fx_fact(&facts, "memory.nt_gain", "level=memory kernel=triad threads=1", "", 1.5);
    fx_fact(&facts, "memory.prefetch_gain", "level=l2 kernel=triad threads=1", "", 1.3);
    fx_fact(&facts, "memory.stanza_knee", "", "", 64);
    am_roofline_build(&run->set, &facts, &run->arena, r);
    am_explain(&run->set, &facts, r, &run->arena, out);
}

/* Tiles bound what says that it multiplies bytes, and nothing that says no type. */
static void check_narrow(void)
{
    struct rx_run run = {0};
    struct am_roofline roofline;
    struct am_facts facts = {.arena = &run.arena};
    struct am_roof_query q = {.kind = AM_CEILING_FLOPS, .threads = 1};
    struct am_roof roof;

    make_machine(&run);
    (void)rx_add(&run, "cpu.dot", "instr=tdpbssd threads=1",
                 (const struct rx_metric[]){{"rate", "op/s", 2e12}, {0}});
    (void)rx_add(&run, "cpu.dot", "instr=vpdpbusd_zmm threads=1",
                 (const struct rx_metric[]){{"rate", "op/s", 3e11}, {0}});
    (void)rx_add(&run, "cpu.dot", "instr=tdpbf16ps threads=1",
                 (const struct rx_metric[]){{"rate", "op/s", 1e12}, {0}});
    (void)rx_add(&run, "cpu.dot", "instr=unheard_of threads=1",
                 (const struct rx_metric[]){{"rate", "op/s", 9e12}, {0}});
    am_evidence_settle(&run.set);
    am_roofline_build(&run.set, &facts, &run.arena, &roofline);
    q.type = "i8";
    ok(am_roofline_find(&roofline, &q, &roof) && fabs(roof.rate / 4e12 - 1) < 0.02 &&
           strcmp(roof.ceiling->op, "tdpbssd") == 0,
       "the best instruction of a type is its ceiling, a multiply-add counts as two: %g",
       roof.rate);
    ok(strcmp(am_ceiling_unit_of(roof.ceiling->kind, roof.ceiling->type), "op/s") == 0,
       "whole numbers are no flops");
    q.op = "vpdpbusd_zmm";
    ok(am_roofline_find(&roofline, &q, &roof) && fabs(roof.rate / 6e11 - 1) < 0.02,
       "each instruction has its own");
    q.op = NULL;
    q.type = "bf16";
    ok(am_roofline_find(&roofline, &q, &roof) && fabs(roof.rate / 2e12 - 1) < 0.02 &&
           strcmp(am_ceiling_unit_of(roof.ceiling->kind, roof.ceiling->type), "flop/s") == 0,
       "and each type");
    q.type = "f16";
    ok(!am_roofline_find(&roofline, &q, &roof), "a type that was not measured bounds nothing");
    q.type = NULL;
    ok(am_roofline_find(&roofline, &q, &roof) && roof.rate < 1e11,
       "tiles do not bound what says no type: %g", roof.rate);
    am_arena_fini(&run.arena);
}

static void check_bounds(void)
{
    static const struct {
        const char *text;
        double flops, read, written, rate;
        double bound;
        enum am_ceiling_kind limit;
        const char *resource, *next;
    } cases[] = {
        {"type=f64 isa=avx2 threads=1", 8000, MIB(64), 0, 1e3, 8000 / (MIB(64) / 10e9),
         AM_CEILING_READ, "memory reads", "4 threads"},
        {"type=f64 isa=avx2 threads=1", 1e9, KIB(8), KIB(8), 76e9, 80e9, AM_CEILING_FLOPS,
         "f64 arithmetic", "at the roof"},
        {"type=f64 isa=scalar threads=1", 1e9, KIB(8), KIB(8), 9e9, 10e9, AM_CEILING_FLOPS,
         "f64 arithmetic", "isa=avx2: 8.0 x"},
        {"type=f64 isa=avx2 threads=1", 1e9, KIB(8), KIB(8), 20e9, 80e9, AM_CEILING_FLOPS,
         "f64 arithmetic", "far from every roof"},
        {"type=f64 isa=avx2 threads=1", 1e9, KIB(8), KIB(8), 60e9, 80e9, AM_CEILING_FLOPS,
         "f64 arithmetic", "25 % left"},
        {"type=f64 isa=avx2 threads=1", 1000, 0, KIB(600), 900, 1000 / (KIB(600) / 30e9),
         AM_CEILING_WRITE, "L2 writes", "block for L1"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rx_run run = {0};
        struct am_explanations all;
        const struct am_explanation *e;

        make_machine(&run);
        (void)add_app(&run, cases[i].text, cases[i].flops, cases[i].read, cases[i].written,
                      cases[i].rate);
        explain_with(&run, &all);
        e = last_of(&all);
        ok(!e->why_not && fabs(e->bound / cases[i].bound - 1) < 2e-3,
           "case %zu: the bound is %.4g, got %.4g%s%s", i, cases[i].bound, e->bound,
           e->why_not ? ": " : "", e->why_not ? e->why_not : "");
        ok(e->limit == cases[i].limit && e->resource &&
               strncmp(e->resource, cases[i].resource, strlen(cases[i].resource)) == 0,
           "and %s set it: %s", cases[i].resource, e->resource ? e->resource : "?");
        ok(e->next && strncmp(e->next, cases[i].next, strlen(cases[i].next)) == 0, "next: %s (%s)",
           cases[i].next, e->next ? e->next : "?");
        ok(!e->above && all.above == 0, "nothing lies above its bound");
        am_arena_fini(&run.arena);
    }
}

static void check_micro(void)
{
    struct rx_run run = {0};
    struct am_explanations all;
    bool below = true;

    make_machine(&run);
    (void)add_stream(&run, "copy", MIB(1.5), "avx2", 1, 55e9);
    explain_with(&run, &all);
    for (size_t i = 0; i < all.n; i++)
        below &= !all.items[i].why_not && all.items[i].share <= 1.0;
    ok(all.n == run.set.n && below, "every micro kernel lies below its bound");
    ok(last_of(&all)->between && last_of(&all)->level == AM_TIER_L2,
       "a set between L2 and L3 is bounded by L2");
    for (size_t i = 0; i < all.n; i++) {
        if (am_result_number(all.items[i].result, "streams") < 3)
            ok(strstr(all.items[i].next, "12 independent streams") != NULL,
               "too few streams are told: %s", all.items[i].next);
    }
    am_arena_fini(&run.arena);
}

/* What families know: gains measured with the point's kernel, threads and level, and no others. */
static void check_tries(void)
{
    static const struct {
        const char *bench, *text, *next;
        double size, written;
    } cases[] = {
        {"mem.bandwidth", "kernel=triad nt=0 isa=avx2 threads=1 prefetch=0 size=268435456",
         "non-temporal stores: 1.50 x", MIB(256), 0.5},
        {"mem.bandwidth", "kernel=triad nt=1 isa=avx2 threads=1 prefetch=0 size=268435456",
         "4 threads", MIB(256), 0.5},
        {"mem.bandwidth", "kernel=triad nt=0 isa=avx2 threads=1 prefetch=0 size=524288",
         "software prefetch: 1.30 x", KIB(512), 0},
        {"mem.bandwidth", "kernel=triad nt=0 isa=avx2 threads=1 prefetch=4 size=524288",
         "block for L1", KIB(512), 0},
        {"mem.stanza", "length=8 threads=1", "rows of 64 elements or more", MIB(256), 0},
        {"mem.stanza", "length=128 threads=1", "4 threads", MIB(256), 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct rx_metric metrics[] = {{"bandwidth", "B/s", 1e9}, {NULL, NULL, 0}};
        struct rx_run run = {0};
        struct am_explanations all;
        struct am_result *r;

        make_machine(&run);
        r = rx_add(&run, cases[i].bench, cases[i].text, metrics);
        r->work.bytes_read = (1 - cases[i].written) * cases[i].size;
        r->work.bytes_written = cases[i].written * cases[i].size;
        explain_with(&run, &all);
        ok(strncmp(last_of(&all)->next, cases[i].next, strlen(cases[i].next)) == 0,
           "%s %s: %s (%s)", cases[i].bench, cases[i].text, cases[i].next, last_of(&all)->next);
        am_arena_fini(&run.arena);
    }
}

/* The ceiling of f64 arithmetic by avx2 and one thread, 0: there is none. */
static double flops_ceiling(const struct am_roofline *r, double threads)
{
    const struct am_roof_query query = {
        .kind = AM_CEILING_FLOPS, .type = "f64", .isa = "avx2", .threads = threads};
    struct am_roof roof;

    return am_roofline_find(r, &query, &roof) ? roof.rate : 0;
}

/* No application exceeds a ceiling without a word, and none lowers one. */
static void check_executed(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_explanations all;
    struct am_roofline r;
    struct am_result *app;

    make_machine(&run);
    app = rx_add(&run, "app.gemm", "variant=own type=f64 isa=avx2 threads=1",
                 (const struct rx_metric[]){{"flops", "flop/s", 95e9}, {0}});
    app->work.flops = 1e9;
    (void)rx_add(&run, "app.gemm", "variant=own type=f64 isa=avx2 threads=4",
                 (const struct rx_metric[]){{"flops", "flop/s", 100e9}, {0}});
    am_evidence_settle(&run.set);
    am_roofline_build(&run.set, &facts, &run.arena, &r);
    is_near(flops_ceiling(&r, 1) / 95e9, 1, 2e-3, "what an application executed raises a ceiling");
    is_near(flops_ceiling(&r, 4) / 380e9, 1, 2e-3, "what lies below one does not become one");
    ok(r.n_remarks == 1 && strstr(r.remarks[0], "95") && strstr(r.remarks[0], "raised to it"),
       "and it is said: %s", r.n_remarks ? r.remarks[0] : "");
    explain_with(&run, &all);
    ok(all.above == 0 && all.n_remarks == 1, "so nothing lies above its bound");
    app->metrics[0].series.n = 1;
    am_evidence_settle(&run.set);
    am_roofline_build(&run.set, &facts, &run.arena, &r);
    is_near(flops_ceiling(&r, 1) / 80e9, 1, 2e-3, "one launch raises nothing");
    ok(r.n_remarks == 1 && strstr(r.remarks[0], "not raised"), "but is remarked: %s",
       r.n_remarks ? r.remarks[0] : "");
    app->params[0].text = "openblas";
    am_roofline_build(&run.set, &facts, &run.arena, &r);
    ok(r.n_remarks == 0, "a library executes what it chooses: no evidence");
    am_arena_fini(&run.arena);
}

/* Ceilings are conclusions: evidence of grade C gives none, and that is why. */
static void check_doubtful(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_explanations all;
    struct am_roofline r;

    claim(&run);
    add_flops(&run, "avx2", 12, 1, 80e9)->metrics[0].series.n = 1;
    (void)add_app(&run, "type=f64 isa=avx2 threads=1", 1e9, 0, 0, 60e9);
    am_evidence_settle(&run.set);
    am_roofline_build(&run.set, &facts, &run.arena, &r);
    ok(r.n == 0 && r.doubtful == 1, "a rate of one launch is no ceiling");
    explain_with(&run, &all);
    ok(last_of(&all)->why_not && strstr(last_of(&all)->why_not, "grade C"), "and that is told: %s",
       last_of(&all)->why_not ? last_of(&all)->why_not : "");
    am_arena_fini(&run.arena);
}

/* Evidence that concludes nothing accuses no model. */
static void check_grade(void)
{
    struct rx_run run = {0};
    struct am_explanations all;
    struct am_result *r;

    make_machine(&run);
    r = add_app(&run, "type=f64 isa=avx2 threads=1", 1e9, KIB(8), 0, 100e9);
    r->metrics[0].series.n = 1;
    explain_with(&run, &all);
    ok(last_of(&all)->share > 1 && !last_of(&all)->above && all.above == 0,
       "one launch above the bound is no finding");
    ok(strstr(last_of(&all)->next, "too noisy to deny it"), "but is not called the roof: %s",
       last_of(&all)->next);
    am_arena_fini(&run.arena);
}

static void check_noise(void)
{
    struct rx_run run = {0};
    struct am_explanations all;
    struct am_result *r;

    make_machine(&run);
    r = add_stream(&run, "read", KIB(16), "avx2", 1, 50e9);
    r->metrics[0].series.launches[0].values = (const double[]){99e9};
    r->metrics[0].series.launches[1].values = (const double[]){98e9};
    explain_with(&run, &all);
    ok(strncmp(last_of(&all)->next, "a quiet machine", 15) == 0,
       "samples at the roof speak of noise: %s", last_of(&all)->next);
    am_arena_fini(&run.arena);
}

/* A bench that knows its own mix of instructions: flops by a nominal count, the share by its own.
 */
static void check_own(void)
{
    static const struct {
        const char *text;
        double rate, share, read, bound;
        enum am_ceiling_kind limit;
        const char *resource;
    } cases[] = {
        {"type=f64 isa=avx2 variant=slice n=512 device=cpu threads=1", 120e9, 0.8, KIB(8), 150e9,
         AM_CEILING_FLOPS, "f64 arithmetic (its own mix)"},
        {"type=f32 isa=avx2 variant=auto n=8388608 device=cpu threads=1", 2e9, 0.02, MIB(32),
         1e6 / (MIB(32) / 10e9), AM_CEILING_READ, "memory reads"},
        {"type=f64 variant=slice n=512 device=gpu0 threads=1", 1e12, 0.5, MIB(64), 2e12,
         AM_CEILING_FLOPS, "f64 arithmetic (its own mix)"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct rx_metric metrics[] = {{"flops", "flop/s", cases[i].rate},
                                            {"bound_share", "", cases[i].share},
                                            {NULL, NULL, 0}};
        struct rx_run run = {0};
        struct am_explanations all;
        const struct am_explanation *e;
        struct am_result *r;

        make_machine(&run);
        r = rx_add(&run, "app.stencil", cases[i].text, metrics);
        r->worker = "task";
        r->work.flops = 1e6;
        r->work.bytes_read = cases[i].read;
        explain_with(&run, &all);
        e = last_of(&all);
        ok(!e->why_not && fabs(e->bound / cases[i].bound - 1) < 2e-3 &&
               e->limit == cases[i].limit && strcmp(e->resource, cases[i].resource) == 0,
           "%s: bounded at %.4g by %s%s", cases[i].text, e->bound, e->resource ? e->resource : "?",
           e->why_not ? e->why_not : "");
        am_arena_fini(&run.arena);
    }
}

/* All passes of an iteration over a grid that a cache holds are not a set that memory holds. */
static void check_described(void)
{
    static const struct {
        const char *text;
        enum am_tier level;
    } cases[] = {{"variant=plain steps=16 depth=0", AM_TIER_L3},
                 {"variant=plain steps=1 depth=0", AM_TIER_MEMORY},
                 {"variant=tiled steps=16 depth=4", AM_TIER_MEMORY},
                 {"variant=wave steps=16 depth=1", AM_TIER_L3},
                 {"variant=wave steps=16 depth=0", AM_TIER_L3}};
    struct am_explanations all;
    struct rx_run run = {0};

    make_machine(&run);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const text = am_arena_printf(
            &run.arena, "%s type=f64 isa=avx2 strip=0 device=0 threads=1", cases[i].text);
        struct am_result *const r = add_app(&run, text, 1e6, MIB(64), MIB(64), 1e9);

        r->bench = "own.heat3d"; /* 128 MiB: 16 passes over 8 */
        r->work.ops = 16 * MIB(4) / 8;
        explain_with(&run, &all);
        ok(last_of(&all)->level == cases[i].level, "%s: level %d", text, last_of(&all)->level);
    }
    am_arena_fini(&run.arena);
}

static void check_refusals(void)
{
    struct rx_run run = {0};
    struct am_explanations all;
    struct am_result *r;

    claim(&run);
    (void)add_app(&run, "type=f64 isa=avx2 threads=1", 1e6, 1e6, 0, 1e9);
    explain_with(&run, &all);
    ok(all.n == 1 && all.unexplained == 1 && strstr(last_of(&all)->why_not, "cpu.flops"),
       "without ceilings there is no bound, and the bench that lacks is named");
    make_machine(&run);
    r = add_app(&run, "type=f64 isa=avx2 threads=1", 1e9, KIB(8), 0, 100e9);
    explain_with(&run, &all);
    ok(all.above == 1 && last_of(&all)->above && strstr(last_of(&all)->next, "FINDING"),
       "a point above its bound is a finding");
    r->state = AM_POINT_FAIL;
    (void)add_app(&run, "type=f64 device=gpu0", 1e9, KIB(8), 0, 1e12);
    explain_with(&run, &all);
    ok(all.above == 0 && last_of(&all)->why_not && strstr(last_of(&all)->why_not, "device"),
       "the memory of another device is not bounded by the processor's");
    (void)rx_add(&run, "ocl.arith", "type=double device=gpu0",
                 (const struct rx_metric[]){{"flops", "flop/s", 2e12}, {NULL, NULL, 0}});
    (void)add_app(&run, "type=f64 device=gpu0", 1e9, 0, 0, 1e12);
    explain_with(&run, &all);
    is_near(last_of(&all)->share, 0.5, 2e-3, "its arithmetic is bounded by its own ceiling");
    (void)add_app(&run, "type=f64 device=gpu1", 1e9, 0, 0, 1e12);
    r = add_app(&run, "type=f64", 1e9, 0, 0, 1e9);
    r->worker = "omp-gcc";
    explain_with(&run, &all);
    ok(last_of(&all)[-1].why_not && strstr(last_of(&all)[-1].why_not, "run ocl.arith in the"),
       "and not by another's, nor by the processor's");
    ok(last_of(&all)->why_not && strstr(last_of(&all)->why_not, "threads"),
       "a worker that says nothing of its threads has no bound");
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_tiers();
    check_ceilings();
    check_narrow();
    check_bounds();
    check_micro();
    check_tries();
    check_executed();
    check_doubtful();
    check_grade();
    check_noise();
    check_own();
    check_described();
    check_refusals();
    return tap_done();
}
