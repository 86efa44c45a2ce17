/* SPDX-License-Identifier: MIT */
/* Facts: what is derived from made-up machines whose caches are known. */
#include "model/facts.h"

#include "base/rng.h"
#include "base/text.h"
#include "fit/curve.h"
#include "report/facts.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 6, SAMPLES = 3, RESULTS_MAX = 512, LEVELS = 4, PARAMS_MAX = 5 };

static const double ghz = 3.2;

/* A machine as it is, and as its system describes it. */
struct machine {
    const char *name;
    double size[LEVELS - 1]; /* bytes of the caches; 0: none */
    double cycles[LEVELS];   /* of their loads; the last is memory's */
    double width;            /* how gradual the knees are, in doublings */
    double llc_other;        /* size of the last cache in every other launch; 0: as it is */
    const char *claimed[LEVELS - 1];
    bool denied[LEVELS - 1]; /* the claims that must be called contradicted */
};

/* Room for everything that a test makes. */
struct run {
    struct am_arena arena;
    struct am_result_set set;
    struct am_rng rng;
};

static void run_init(struct run *run)
{
    *run = (struct run){0};
    run->set.results = am_arena_array(&run->arena, RESULTS_MAX, sizeof(*run->set.results));
    am_rng_seed(&run->rng, 11, 0);
}

/* Share of the loads that miss a cache: none well below its size, all well above. */
static double miss_share(double bytes, double size, double width)
{
    return size > 0 ? 1 / (1 + exp2(-log2(bytes / size) / width * 4)) : 1;
}

static double load_cycles(const struct machine *m, double bytes, bool other)
{
    double cycles = m->cycles[0];

    for (size_t i = 0; i + 1 < LEVELS; i++) {
        const bool last = i + 2 == LEVELS || m->size[i + 1] == 0;
        const double size = last && other && m->llc_other > 0 ? m->llc_other : m->size[i];

        if (m->size[i] > 0)
            cycles += miss_share(bytes, size, m->width) *
                      (m->cycles[last ? LEVELS - 1 : i + 1] - m->cycles[i]);
    }
    return cycles;
}

/* A result of these parameters ("size=4096 pages=any"); `cycles` of even and odd launches. */
static struct am_result *add(struct run *run, const char *bench, const char *text,
                             const double cycles[2])
{
    struct am_result *const r = &run->set.results[run->set.n++];
    struct am_result_metric *const m = am_arena_array(&run->arena, 3, sizeof(*m));

    *r = (struct am_result){.bench = bench,
                            .text = am_arena_strdup(&run->arena, text),
                            .state = AM_POINT_OK,
                            .metrics = m};
    rx_params(&run->arena, r, text, PARAMS_MAX);
    m[0] = (struct am_result_metric){.name = "cycles", .unit = "cycle", .better = AM_LOWER};
    m[1] = (struct am_result_metric){.name = "latency", .unit = "s", .better = AM_LOWER};
    m[2] = (struct am_result_metric){.name = "load_time", .unit = "s", .better = AM_LOWER};
    r->n_metrics = 3;
    for (size_t k = 0; k < r->n_metrics; k++) {
        struct am_launch_values *const l = am_arena_array(&run->arena, LAUNCHES, sizeof(*l));

        m[k].series = (struct am_series){l, LAUNCHES};
        for (size_t i = 0; i < LAUNCHES; i++) {
            double *const v = am_arena_array(&run->arena, SAMPLES, sizeof(*v));

            for (size_t s = 0; s < SAMPLES; s++) {
                const double noise = 1 + 0.03 * am_rng_unit(&run->rng);

                v[s] = cycles[i % 2] * noise * (k ? 1e-9 / ghz : 1);
            }
            l[i] = (struct am_launch_values){
                .launch_id = (int64_t)i, .round = (unsigned)i, .values = v, .n = SAMPLES};
        }
    }
    return r;
}

static void add_latency(struct run *run, const struct machine *m, double bytes)
{
    const double cycles[] = {load_cycles(m, bytes, false), load_cycles(m, bytes, true)};
    char text[128];

    (void)am_str_format(text, sizeof(text), "size=%.0f pattern=random pages=any stride=64 chains=1",
                        bytes);
    (void)add(run, "mem.latency", text, cycles);
}

/* The sizes of the standard profile, as the claims would place them. */
static void add_latencies(struct run *run, const struct machine *m)
{
    for (double b = 4096; b <= 512 * 1048576.0; b *= 2)
        add_latency(run, m, b);
    for (double b = 6 * 1048576.0; b <= 96 * 1048576.0; b *= 2)
        add_latency(run, m, b);
    for (size_t i = 0; i < 2; i++) {
        double claimed;

        if (!am_parse_f64(m->claimed[i], strlen(m->claimed[i]), &claimed))
            continue;
        for (double b = claimed / 2; b <= claimed * 2; b += claimed / 8)
            add_latency(run, m, b);
    }
}

static void claim(struct run *run, const struct machine *m)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes"};

    for (size_t i = 0; i + 1 < LEVELS; i++)
        am_kvs_add(&run->set.machine, &run->arena, keys[i], m->claimed[i]);
}

#define KIB(n) ((n)*1024.0)
#define MIB(n) ((n)*1048576.0)

static const struct machine machines[] = {
    {"sharp knees",
     {KIB(32), KIB(512), MIB(32)},
     {4, 12, 46, 280},
     0.2,
     0,
     {"32768", "524288", "33554432"},
     {false, false, false}},
    {"gradual knees",
     {KIB(48), MIB(2), MIB(24)},
     {5, 15, 70, 330},
     1.2,
     0,
     {"49152", "2097152", "25165824"},
     {false, false, false}},
    {"a guest whose last cache is shared, in two modes",
     {KIB(32), MIB(1), MIB(12)},
     {4, 14, 52, 520},
     1,
     MIB(5),
     {"32768", "1048576", "33554432"},
     {false, false, true}},
    {"claims that are all wrong",
     {KIB(64), MIB(2), MIB(16)},
     {4, 14, 52, 400},
     0.5,
     0,
     {"32768", "524288", "134217728"},
     {true, true, true}},
    {"no third cache, nothing claimed of it",
     {KIB(32), MIB(1), 0},
     {4, 20, 0, 300},
     0.5,
     0,
     {"32768", "1048576", "unknown"},
     {false, false, false}},
};

static void check_machine(const struct machine *m)
{
    static const char *const names[] = {"l1d", "l2", "l3"};
    struct run run;
    struct am_facts facts;

    run_init(&run);
    claim(&run, m);
    add_latencies(&run, m);
    am_facts_derive(&run.set, &run.arena, &facts);
    for (size_t i = 0; i + 1 < LEVELS; i++) {
        char id[64];
        const struct am_fact *size, *cycles;
        const double true_size =
            m->llc_other > 0 && i == 2 ? 0.5 * (m->size[i] + m->llc_other) : m->size[i];
        /* two modes: anywhere between them will do */
        const double allowed = m->llc_other > 0 && i == 2 ? 0.5 : 0.15;

        (void)am_str_format(id, sizeof(id), "cache.%s.size", names[i]);
        size = am_facts_find(&facts, id);
        (void)am_str_format(id, sizeof(id), "cache.%s.cycles", names[i]);
        cycles = am_facts_find(&facts, id);
        if (true_size == 0) {
            ok(!size && !cycles, "%s: no %s is invented", m->name, names[i]);
            continue;
        }
        if (!ok(size && cycles, "%s: %s is found", m->name, names[i]))
            continue;
        ok(fabs(size->value / true_size - 1) < allowed, "%s: %s has %.0f B, found %.0f", m->name,
           names[i], true_size, size->value);
        ok(size->ci.lo <= size->value && size->value <= size->ci.hi && size->evidence,
           "%s: %s has an interval, %.0f to %.0f, and evidence", m->name, names[i], size->ci.lo,
           size->ci.hi);
        ok(fabs(cycles->value / m->cycles[i] - 1) < 0.15, "%s: %s takes %.0f cycles, found %.1f",
           m->name, names[i], m->cycles[i], cycles->value);
        ok(size->claimed && size->contradicts == m->denied[i], "%s: the claim on %s is %s", m->name,
           names[i], m->denied[i] ? "contradicted" : "confirmed");
    }
    {
        const struct am_fact *const memory = am_facts_find(&facts, "memory.latency");
        const double seconds = m->cycles[LEVELS - 1] * 1e-9 / ghz;

        ok(memory && fabs(memory->value / seconds - 1) < 0.15, "%s: memory takes %.3g s", m->name,
           seconds);
    }
    am_arena_fini(&run.arena);
}

static void check_line_and_ways(double line, int ways)
{
    struct run run;
    struct am_facts facts;
    const struct am_fact *fact;
    char text[64];

    run_init(&run);
    for (int stride = 8; stride <= 512; stride *= 2) {
        const double c = stride < line ? 9 : 14, both[] = {c, c};

        (void)am_str_format(text, sizeof(text), "size=524288 stride=%d", stride);
        (void)add(&run, "mem.line", text, both);
    }
    for (int cells = 1; cells <= 24; cells++) {
        const double c = cells <= ways ? 4 : 14, both[] = {c, c};

        (void)am_str_format(text, sizeof(text), "cells=%d stride=65536", cells);
        (void)add(&run, "mem.ways", text, both);
    }
    am_facts_derive(&run.set, &run.arena, &facts);
    fact = am_facts_find(&facts, "cache.line");
    ok(fact && fact->value == line && fact->ci.lo == line && fact->ci.hi == line,
       "a line of %.0f bytes is found exactly", line);
    fact = am_facts_find(&facts, "cache.l1d.ways");
    ok(fact && fact->value == ways && fact->ci.lo == ways && fact->ci.hi == ways,
       "%d ways are found exactly", ways);
    am_arena_fini(&run.arena);
}

/* Seventy-two translations at once, 7 cycles for those of 2048 others, a walk beyond; 512 lines in
 * the first cache, so that the caches' knees lie between. */
static void check_tlb(void)
{
    const struct machine *const m = &machines[0];
    struct run run;
    struct am_facts facts;
    const struct am_fact *first, *second;

    run_init(&run);
    claim(&run, m);
    add_latencies(&run, m);
    for (double pages = 16; pages <= 16384; pages *= 1.2) {
        const double walk = pages > 2048 ? 30 + 20 * log2(pages / 2048) : 0;
        const double c = load_cycles(m, floor(pages) * 64, false) + (pages > 72 ? 7 : 0) + walk;
        const double both[] = {c, c};
        char text[64];

        (void)am_str_format(text, sizeof(text), "size=%.0f pages=small", floor(pages) * 4096);
        (void)add(&run, "mem.tlb", text, both);
    }
    am_facts_derive(&run.set, &run.arena, &facts);
    first = am_facts_find(&facts, "tlb.l1d.pages");
    second = am_facts_find(&facts, "tlb.l2.pages");
    ok(first && first->ci.lo <= 72 && first->ci.hi >= 72, "72 pages lie in the interval: %.0f",
       first ? first->value : NAN);
    ok(second && second->ci.lo <= 2048 && second->ci.hi >= 2048,
       "2048 pages lie in the interval: %.0f", second ? second->value : NAN);
    am_arena_fini(&run.arena);
}

static void check_parallelism(void)
{
    static const int chains[] = {1, 2, 4, 8, 16, 32};
    struct run run;
    struct am_facts facts;
    const struct am_fact *fact;

    run_init(&run);
    for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        const double far[] = {320.0 / fmin(chains[i], 12), 320.0 / fmin(chains[i], 12)};
        const double near[] = {4.0 / fmin(chains[i], 3), 4.0 / fmin(chains[i], 3)};
        char text[64];

        (void)am_str_format(text, sizeof(text), "size=16384 chains=%d", chains[i]);
        (void)add(&run, "mem.parallel", text, near);
        (void)am_str_format(text, sizeof(text), "size=268435456 chains=%d", chains[i]);
        (void)add(&run, "mem.parallel", text, far);
    }
    am_facts_derive(&run.set, &run.arena, &facts);
    fact = am_facts_find(&facts, "memory.parallelism");
    ok(fact && fabs(fact->value - 12) < 1, "12 loads under way in the largest set, found %.1f",
       fact ? fact->value : NAN);
    am_arena_fini(&run.arena);
}

/* Peaks: fma with 8 streams or more; one thread and two. The generator's numbers stand for flop/s.
 */
static void check_flops(void)
{
    static const int streams[] = {1, 4, 8, 12};
    struct run run;
    struct am_facts facts;
    const struct am_fact *fact;

    run_init(&run);
    for (int threads = 1; threads <= 2; threads++) {
        for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
            const double fma = fmin(streams[i], 8) * 2 * threads, add_only = fma / 2;
            const double fast[] = {fma, fma}, slow[] = {add_only, add_only};
            char text[96];

            (void)am_str_format(text, sizeof(text),
                                "op=fma type=f64 isa=avx2 streams=%d threads=%d", streams[i],
                                threads);
            add(&run, "cpu.flops", text, fast)->metrics[0].name = "flops";
            (void)am_str_format(text, sizeof(text),
                                "op=add type=f64 isa=avx2 streams=%d threads=%d", streams[i],
                                threads);
            add(&run, "cpu.flops", text, slow)->metrics[0].name = "flops";
        }
    }
    am_facts_derive(&run.set, &run.arena, &facts);
    fact = am_facts_find(&facts, "cpu.flops.f64.avx2.peak");
    ok(fact && fabs(fact->value / 16 - 1) < 0.03 && strstr(fact->evidence, "op=fma"),
       "the peak of one core is that of fma");
    fact = am_facts_find(&facts, "cpu.flops.f64.avx2.streams");
    ok(fact && fact->value == 8 && fact->ci.lo == 5 && fact->ci.hi == 8,
       "8 streams reach it, 4 do not: 5 to 8");
    fact = am_facts_find(&facts, "cpu.flops.f64.avx2.threads2.peak");
    ok(fact && fabs(fact->value / 32 - 1) < 0.03, "two threads have a peak of their own");
    ok(!am_facts_find(&facts, "cpu.flops.f64.avx2.smt_gain"), "no pairs, no gain by them");
    am_arena_fini(&run.arena);
}

static char *report(const struct run *run, const struct am_facts *facts, enum am_format format,
                    struct am_arena *arena)
{
    const struct am_style style = {.format = format};
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    am_report_facts(&run->set, facts, &style, arena, out);
    (void)fclose(out);
    return text;
}

static void check_report(void)
{
    static const struct {
        enum am_format format;
        const char *needle, *what;
    } cases[] = {
        {AM_FORMAT_TABLE, "cache.l3.size", "a table has a row a fact"},
        {AM_FORMAT_TABLE, "8.5 MiB", "capacities are binary"},
        {AM_FORMAT_TABLE, "5 MiB .. 12 MiB", "with their interval"},
        {AM_FORMAT_TABLE, "32 MiB   CONTRADICTED", "and the claim that is denied"},
        {AM_FORMAT_TABLE, "95.0 ns", "times are scaled"},
        {AM_FORMAT_TABLE, "exact", "an exact value says so"},
        {AM_FORMAT_JSON, "\"value\": 8912896", "JSON is not scaled"},
        {AM_FORMAT_JSON, "\"contradicts\": true", "JSON tells contradictions"},
        {AM_FORMAT_JSON, "\"claimed\": null", "JSON tells that nothing is claimed"},
        {AM_FORMAT_JSON, "\"interval\": [5242880, 12582912]", "JSON has intervals"},
        {AM_FORMAT_CSV, "cache.l3.size,B,8912896,5242880,12582912,33554432 B,yes", "CSV has all"},
        {AM_FORMAT_MD, "| cache.l3.size", "Markdown has tables"},
    };
    struct run run;
    struct am_facts facts;

    run_init(&run);
    facts = (struct am_facts){.arena = &run.arena};
    (void)am_facts_add(&facts, &(struct am_fact){.id = "cache.l3.size",
                                                 .what = "capacity",
                                                 .unit = "B",
                                                 .value = 8912896,
                                                 .ci = {5242880, 12582912, NAN},
                                                 .evidence = "made up",
                                                 .claimed = "33554432 B",
                                                 .contradicts = true});
    (void)am_facts_add(&facts, &(struct am_fact){.id = "memory.latency",
                                                 .what = "latency",
                                                 .unit = "s",
                                                 .value = 95e-9,
                                                 .ci = {95e-9, 95e-9, NAN},
                                                 .evidence = "made up"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *const text = report(&run, &facts, cases[i].format, &run.arena);

        if (!ok(text && strstr(text, cases[i].needle), "%s", cases[i].what))
            printf("# %s\n", text ? text : "no memory");
        free(text);
    }
    am_arena_fini(&run.arena);
}

static void check_impossible(void)
{
    const double tenth[] = {0.4, 0.4}, slow[] = {90, 90}, fast[] = {12, 12};
    struct run run;
    struct am_facts facts;
    const struct am_fact *fact;

    run_init(&run);
    for (int k = 4; k <= 16; k *= 2) {
        char text[96];

        (void)am_str_format(text, sizeof(text), "size=%d pattern=random pages=any", k * 1024);
        (void)add(&run, "mem.latency", text, tenth);
    }
    (void)add(&run, "mem.latency", "size=1048576 pattern=random pages=any", slow);
    (void)add(&run, "mem.latency", "size=4194304 pattern=random pages=any", fast);
    am_facts_derive(&run.set, &run.arena, &facts);
    fact = am_facts_find(&facts, "cache.l1d.cycles");
    ok(fact && fact->contradicts, "a load of less than a cycle is a contradiction");
    fact = am_facts_find(&facts, "memory.order");
    ok(fact && fact->contradicts && strstr(fact->evidence, "over 4 MiB"),
       "a larger working set that is faster is a contradiction");
    am_arena_fini(&run.arena);
}

/* The sizes of a quick run: too far apart to tell plateaus from climbs; and a run that begins
 * beyond the first cache. */
static void check_too_few(void)
{
    static const double quick[] = {KIB(16), KIB(256), MIB(8), MIB(256), MIB(512)};
    const struct machine *const m = &machines[0];
    struct run run;
    struct am_facts facts;

    run_init(&run);
    claim(&run, m);
    for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
        add_latency(&run, m, quick[i]);
    am_facts_derive(&run.set, &run.arena, &facts);
    ok(!am_facts_find(&facts, "cache.l1d.size") && !am_facts_find(&facts, "cache.l1d.cycles"),
       "points far apart show no first cache");
    am_arena_fini(&run.arena);
    run_init(&run);
    claim(&run, m);
    for (double b = MIB(1); b <= MIB(512); b *= 1.5)
        add_latency(&run, m, b);
    am_facts_derive(&run.set, &run.arena, &facts);
    ok(facts.n == 1 && am_facts_find(&facts, "cpu.clock"),
       "working sets beyond the first cache show the clock, and no levels that could be named");
    am_arena_fini(&run.arena);
}

static void check_nothing(void)
{
    const double any[] = {4, 4};
    struct run run;
    struct am_facts facts;
    struct am_summary s;
    struct am_result *r;

    run_init(&run);
    am_facts_derive(&run.set, &run.arena, &facts);
    ok(facts.n == 0, "an empty run shows nothing");
    r = add(&run, "mem.latency", "size=4096 pattern=random pages=any", any);
    am_facts_derive(&run.set, &run.arena, &facts);
    ok(facts.n == 1 && am_facts_find(&facts, "cpu.clock"), "one point shows the clock at most");
    ok(am_result_number(r, "size") == 4096 && isnan(am_result_number(r, "pattern")) &&
           isnan(am_result_number(r, "absent")),
       "numbers of parameters");
    is_str(am_result_text(r, "pattern"), "random", "text of a parameter");
    ok(!am_result_text(r, "absent"), "no text of a parameter that it lacks");
    ok(am_result_summary(r, "cycles", &s) && s.median > 4, "a metric is summarised");
    ok(!am_result_summary(r, "absent", &s), "a metric that it lacks is not");
    r->state = AM_POINT_FAIL;
    ok(!am_result_summary(r, "cycles", &s), "nor one of a point that failed");
    for (size_t i = 0; i < 8; i++) {
        r = add(&run, "mem.line", "size=524288 stride=64", any);
        r->state = AM_POINT_SKIP;
    }
    am_facts_derive(&run.set, &run.arena, &facts);
    ok(facts.n == 0, "points that were skipped show nothing");
    am_arena_fini(&run.arena);
}

static void check_many(void)
{
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};
    bool added = true;

    for (int i = 0; i < 100; i++) {
        const struct am_fact fact = {.id = am_arena_printf(&arena, "id.%d", i), .value = i};

        added = added && am_facts_add(&facts, &fact);
    }
    ok(added && facts.n == 100 && am_facts_find(&facts, "id.77")->value == 77 &&
           !am_facts_find(&facts, "id.100"),
       "facts are kept and found by id");
    am_arena_fini(&arena);
}

static void check_curve(void)
{
    static const double raw[][2] = {{8, 4}, {1, 1}, {2, 3}, {4, 2}, {16, 3}};
    struct am_arena arena = {0};
    struct am_curve c = {0};
    struct am_interval bounds;
    double x;

    for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++)
        (void)am_curve_add(&c, &arena,
                           (struct am_curve_point){raw[i][0], raw[i][1], raw[i][1], raw[i][1]});
    (void)am_curve_add(&c, &arena, (struct am_curve_point){32, NAN, 1, 1});
    (void)am_curve_add(&c, &arena, (struct am_curve_point){32, 0, 1, 1});
    ok(am_curve_settle(&c), "a curve is settled");
    ok(c.n == 5 && c.points[0].x == 1 && c.points[4].x == 16, "sorted, without what is no number");
    ok(c.points[0].typical == 1 && c.points[1].typical == 2.5 && c.points[2].typical == 2.5 &&
           c.points[3].typical == 3.5 && c.points[4].typical == 3.5,
       "falls are averaged away");
    ok(fabs(am_curve_at(&c, 4 * sqrt(2)) - 3) < 1e-12 && am_curve_at(&c, 0.5) == 1 &&
           am_curve_at(&c, 99) == 3.5,
       "values between and beyond the places");
    ok(am_curve_crossing(&c, 3, AM_CURVE_TYPICAL, &x, &bounds) && fabs(x - 4 * sqrt(2)) < 1e-12 &&
           bounds.lo == 4 && bounds.hi == 8,
       "a crossing lies between its neighbours");
    ok(!am_curve_crossing(&c, 4, AM_CURVE_BEST, &x, &bounds) &&
           !am_curve_crossing(&c, 0.5, AM_CURVE_TYPICAL, &x, &bounds),
       "a level above the curve or below it is not crossed");
    am_arena_fini(&arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        check_machine(&machines[i]);
    check_line_and_ways(64, 8);
    check_line_and_ways(128, 12);
    check_line_and_ways(32, 4);
    check_tlb();
    check_parallelism();
    check_flops();
    check_report();
    check_impossible();
    check_too_few();
    check_nothing();
    check_many();
    check_curve();
    return tap_done();
}
