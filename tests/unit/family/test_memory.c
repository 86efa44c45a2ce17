/* SPDX-License-Identifier: MIT */
/* The family of memory: levels of made-up machines whose caches are known, line, ways, TLBs,
 * parallelism. What streams show is tested in test_memory_rates.c. */
#include "family/families.h"

#include "base/rng.h"
#include "base/text.h"
#include "fact_fixture.h"
#include "fit/curve.h"
#include "tap.h"

#include <math.h>

enum { SAMPLES = 3, LEVELS = 4 };

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

/* A run and what disturbs it. */
struct noisy {
    struct rx_run run;
    struct am_rng rng;
};

static void noisy_init(struct noisy *n)
{
    *n = (struct noisy){0};
    am_rng_seed(&n->rng, 11, 0);
}

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_memory, &run->set, &facts);
    return facts;
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
static struct am_result *add(struct noisy *n, const char *bench, const char *text,
                             const double cycles[2])
{
    static const struct rx_metric metrics[] = {
        {"cycles", "cycle", 1}, {"latency", "s", 1}, {"load_time", "s", 1}, {NULL, NULL, 0}};
    struct am_result *const r = rx_add(&n->run, bench, text, metrics);

    for (size_t k = 0; k < r->n_metrics; k++) {
        for (size_t i = 0; i < RX_LAUNCHES; i++) {
            struct am_launch_values *const l = &r->metrics[k].series.launches[i];
            double *const v = am_arena_array(&n->run.arena, SAMPLES, sizeof(*v));

            for (size_t s = 0; s < SAMPLES; s++)
                v[s] = cycles[i % 2] * (1 + 0.03 * am_rng_unit(&n->rng)) * (k ? 1e-9 / ghz : 1);
            l->values = v;
            l->n = SAMPLES;
        }
    }
    return r;
}

/* Plans hold no point twice. */
static bool has_size(const struct noisy *n, double bytes)
{
    for (size_t i = 0; i < n->run.set.n; i++) {
        if (am_result_number(&n->run.set.results[i], "size") == bytes)
            return true;
    }
    return false;
}

static void add_latency(struct noisy *run, const struct machine *m, double bytes)
{
    const double cycles[] = {load_cycles(m, bytes, false), load_cycles(m, bytes, true)};
    char text[128];

    if (has_size(run, bytes))
        return;
    (void)am_str_format(text, sizeof(text), "size=%.0f pattern=random pages=any stride=64 chains=1",
                        bytes);
    (void)add(run, "mem.latency", text, cycles);
}

/* The sizes of the standard profile, as the claims would place them. */
static void add_latencies(struct noisy *run, const struct machine *m)
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

static void claim(struct noisy *run, const struct machine *m)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes"};

    for (size_t i = 0; i + 1 < LEVELS; i++)
        am_kvs_add(&run->run.set.machine, &run->run.arena, keys[i], m->claimed[i]);
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
    struct noisy run;
    struct am_facts facts;

    noisy_init(&run);
    claim(&run, m);
    add_latencies(&run, m);
    facts = derive(&run.run);
    for (size_t i = 0; i + 1 < LEVELS; i++) {
        char where[64];
        const struct am_fact *size, *cycles;
        const double true_size =
            m->llc_other > 0 && i == 2 ? 0.5 * (m->size[i] + m->llc_other) : m->size[i];
        /* knees that are no policy of caches move a capacity by 1.4 at most; two modes:
         * anywhere between them will do */
        const double allowed = m->llc_other > 0 && i == 2 ? 2 : 1.4;

        (void)am_str_format(where, sizeof(where), "level=%s", names[i]);
        size = am_facts_only(&facts, "memory.size", where);
        cycles = am_facts_only(&facts, "memory.cycles", where);
        if (true_size == 0) {
            ok(!size && !cycles, "%s: no %s is invented", m->name, names[i]);
            continue;
        }
        if (!ok(size && cycles, "%s: %s is found", m->name, names[i]))
            continue;
        ok(fabs(log(size->value / true_size)) < log(allowed), "%s: %s has %.0f B, found %.0f",
           m->name, names[i], true_size, size->value);
        ok(size->ci.lo <= size->value && size->value <= size->ci.hi && size->evidence,
           "%s: %s has an interval, %.0f to %.0f, and evidence", m->name, names[i], size->ci.lo,
           size->ci.hi);
        ok(fabs(cycles->value / m->cycles[i] - 1) < 0.15, "%s: %s takes %.0f cycles, found %.1f",
           m->name, names[i], m->cycles[i], cycles->value);
        ok(size->claimed && size->contradicts == m->denied[i], "%s: the claim on %s is %s", m->name,
           names[i], m->denied[i] ? "contradicted" : "confirmed");
    }
    {
        const struct am_fact *const memory =
            am_facts_only(&facts, "memory.latency", "level=memory");
        const double seconds = m->cycles[LEVELS - 1] * 1e-9 / ghz;

        ok(memory && fabs(memory->value / seconds - 1) < 0.15, "%s: memory takes %.3g s", m->name,
           seconds);
    }
    am_arena_fini(&run.run.arena);
}

static void add_line_and_ways(struct noisy *run, double line, int ways)
{
    char text[64];

    for (int stride = 8; stride <= 512; stride *= 2) {
        const double c = stride < line ? 9 : 14, both[] = {c, c};

        (void)am_str_format(text, sizeof(text), "size=524288 stride=%d", stride);
        (void)add(run, "mem.line", text, both);
    }
    for (int cells = 1; cells <= 24; cells++) {
        const double c = cells <= ways ? 4 : 14, both[] = {c, c};

        (void)am_str_format(text, sizeof(text), "cells=%d stride=65536", cells);
        (void)add(run, "mem.ways", text, both);
    }
}

static bool has_remark(const struct am_facts *facts, const char *words)
{
    for (size_t i = 0; i < facts->n_remarks; i++) {
        if (strstr(facts->remarks[i].text, words))
            return true;
    }
    return false;
}

/* Lines and sets that are larger than anything that was measured, or hidden by a neighbour's load.
 */
static void check_no_line(void)
{
    struct noisy run;
    struct am_facts facts;

    noisy_init(&run);
    add_line_and_ways(&run, 1024, 64);
    facts = derive(&run.run);
    ok(!am_facts_only(&facts, "memory.line", NULL) &&
           has_remark(&facts, "memory.line is not concluded: "),
       "where no pair costs more than another, that is said");
    ok(!am_facts_only(&facts, "memory.ways", NULL) &&
           has_remark(&facts, "memory.ways{level=l1d} is not concluded: "),
       "and so it is where all lines find room in a set");
    am_arena_fini(&run.run.arena);
}

static void check_line_and_ways(double line, int ways)
{
    struct noisy run;
    struct am_facts facts;
    const struct am_fact *fact;

    noisy_init(&run);
    add_line_and_ways(&run, line, ways);
    facts = derive(&run.run);
    fact = am_facts_only(&facts, "memory.line", NULL);
    ok(fact && fact->value == line && fact->ci.lo == line && fact->ci.hi == line,
       "a line of %.0f bytes is found exactly", line);
    fact = am_facts_only(&facts, "memory.ways", "level=l1d");
    ok(fact && fact->value == ways && fact->ci.lo == ways && fact->ci.hi == ways,
       "%d ways are found exactly", ways);
    am_arena_fini(&run.run.arena);
}

/* Seventy-two translations at once, 7 cycles for those of 2048 others, a walk beyond; 512 lines in
 * the first cache, so that the caches' knees lie between. */
static void check_tlb(void)
{
    const struct machine *const m = &machines[0];
    struct noisy run;
    struct am_facts facts;
    const struct am_fact *first, *second;

    noisy_init(&run);
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
    facts = derive(&run.run);
    first = am_facts_only(&facts, "memory.tlb_pages", "level=l1d");
    second = am_facts_only(&facts, "memory.tlb_pages", "level=l2");
    ok(first && first->ci.lo <= 72 && first->ci.hi >= 72, "72 pages lie in the interval: %.0f",
       first ? first->value : NAN);
    ok(second && second->ci.lo <= 2048 && second->ci.hi >= 2048,
       "2048 pages lie in the interval: %.0f", second ? second->value : NAN);
    am_arena_fini(&run.run.arena);
}

static void check_parallelism(void)
{
    static const int chains[] = {1, 2, 4, 8, 16, 32};
    struct noisy run;
    struct am_facts facts;
    const struct am_fact *fact;

    noisy_init(&run);
    for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        const double far[] = {320.0 / fmin(chains[i], 12), 320.0 / fmin(chains[i], 12)};
        const double near[] = {4.0 / fmin(chains[i], 3), 4.0 / fmin(chains[i], 3)};
        char text[64];

        (void)am_str_format(text, sizeof(text), "size=16384 chains=%d", chains[i]);
        (void)add(&run, "mem.parallel", text, near);
        (void)am_str_format(text, sizeof(text), "size=268435456 chains=%d", chains[i]);
        (void)add(&run, "mem.parallel", text, far);
    }
    facts = derive(&run.run);
    fact = am_facts_only(&facts, "memory.parallelism", NULL);
    ok(fact && fabs(fact->value - 12) < 1, "12 loads under way in the largest set, found %.1f",
       fact ? fact->value : NAN);
    ok(fact && isfinite(fact->ci.coverage) && fact->ci.lo <= 12 && fact->ci.hi >= 12,
       "with an interval of a stated coverage");
    am_arena_fini(&run.run.arena);
}

static void check_impossible(void)
{
    const double tenth[] = {0.4, 0.4}, slow[] = {90, 90}, fast[] = {12, 12};
    struct noisy run;
    struct am_facts facts;
    const struct am_fact *fact;

    noisy_init(&run);
    for (int k = 4; k <= 16; k *= 2) {
        char text[96];

        (void)am_str_format(text, sizeof(text), "size=%d pattern=random pages=any", k * 1024);
        (void)add(&run, "mem.latency", text, tenth);
    }
    (void)add(&run, "mem.latency", "size=1048576 pattern=random pages=any", slow);
    (void)add(&run, "mem.latency", "size=4194304 pattern=random pages=any", fast);
    facts = derive(&run.run);
    fact = am_facts_only(&facts, "memory.cycles", "level=l1d");
    ok(fact && fact->contradicts, "a load of less than a cycle is a contradiction");
    fact = am_facts_only(&facts, "memory.order", NULL);
    ok(fact && fact->contradicts && strstr(fact->evidence, "over 4 MiB"),
       "a larger working set that is faster is a contradiction");
    am_arena_fini(&run.run.arena);
}

/* Every third octave or so: sizes are too uncertain to tell, but not to deny a statement of 8 MiB.
 */
static void check_wide(void)
{
    struct machine m = machines[0];
    const struct am_fact *fact;
    struct am_facts facts;
    struct noisy run;

    m.claimed[1] = "8388608";
    noisy_init(&run);
    claim(&run, &m);
    for (double b = 4096; b < 2e9; b *= 2.9)
        add_latency(&run, &m, b);
    facts = derive(&run.run);
    fact = am_facts_only(&facts, "memory.size", "level=l2");
    ok(am_facts_only(&facts, "memory.levels", NULL) && fact && fact->contradicts &&
           fact->ci.hi > 2.1 * fact->ci.lo,
       "a size that is not known well denies what is far outside of it (%zu facts, %s)", facts.n,
       facts.n_remarks ? facts.remarks[0].text : "no remark");
    ok(!am_facts_only(&facts, "memory.size", "level=l1d"), "and a true one is not told by it");
    am_arena_fini(&run.run.arena);
}

/* The sizes of a quick run: too far apart to tell plateaus from climbs; and a run that begins
 * beyond the first cache. */
static void check_too_few(void)
{
    static const double quick[] = {KIB(16), KIB(256), MIB(8), MIB(256), MIB(512)};
    const struct machine *const m = &machines[0];
    struct noisy run;
    struct am_facts facts;

    noisy_init(&run);
    claim(&run, m);
    for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
        add_latency(&run, m, quick[i]);
    facts = derive(&run.run);
    ok(!am_facts_only(&facts, "memory.size", NULL) && facts.n_remarks > 0,
       "points far apart show no size of a cache, and why is told: %s",
       facts.n_remarks ? facts.remarks[0].text : "");
    ok(am_facts_only(&facts, "memory.cycles", "level=l1d"),
       "but 16 KiB are in the first cache, whatever its size");
    am_arena_fini(&run.run.arena);
    noisy_init(&run);
    claim(&run, m);
    for (double b = MIB(1); b <= MIB(512); b *= 1.5)
        add_latency(&run, m, b);
    facts = derive(&run.run);
    ok(facts.n == 0, "working sets beyond the first cache show no levels that could be named");
    am_arena_fini(&run.run.arena);
}

/* Curves that end ever further behind the last cache: there is always a latency to show, and it is
 * said when it is not memory's own. */
static void check_largest(void)
{
    enum { ENDS = 8, MACHINES = sizeof(machines) / sizeof(machines[0]) };
    size_t own = 0, least = 0, both = 0;

    for (size_t i = 0; i < ENDS * MACHINES; i++) {
        struct noisy run;
        struct am_facts facts;
        const struct am_fact *memory, *largest;

        noisy_init(&run);
        claim(&run, &machines[i / ENDS]);
        for (double b = KIB(4); b <= ldexp(MIB(8), (int)(i % ENDS)); b *= 2)
            add_latency(&run, &machines[i / ENDS], b);
        facts = derive(&run.run);
        memory = am_facts_only(&facts, "memory.latency", "level=memory");
        largest = am_facts_only(&facts, "memory.latency_largest", NULL);
        own += memory != NULL;
        least += largest != NULL;
        both += memory && largest;
        am_arena_fini(&run.run.arena);
    }
    ok(own > 0 && least > 0 && both == 0,
       "memory's own latency %zu times, that of the largest set %zu times, never both", own, least);
}

static void check_nothing(void)
{
    const double any[] = {4, 4};
    struct noisy run;
    struct am_facts facts;
    struct am_result *r;

    noisy_init(&run);
    facts = derive(&run.run);
    ok(facts.n == 0, "an empty run shows nothing");
    r = add(&run, "mem.latency", "size=4096 pattern=random pages=any", any);
    facts = derive(&run.run);
    ok(facts.n == 0, "one point shows no levels");
    ok(am_result_number(r, "size") == 4096 && isnan(am_result_number(r, "pattern")) &&
           isnan(am_result_number(r, "absent")),
       "numbers of parameters");
    is_str(am_result_text(r, "pattern"), "random", "text of a parameter");
    ok(!am_result_text(r, "absent"), "no text of a parameter that it lacks");
    ok(am_result_metric(r, "cycles") && am_result_metric(r, "cycles")->summary.median > 4,
       "a metric is summarised");
    ok(!am_result_metric(r, "absent"), "a metric that it lacks is not");
    r->state = AM_POINT_FAIL;
    ok(!am_result_metric(r, "cycles"), "nor one of a point that failed");
    for (size_t i = 0; i < 8; i++) {
        r = add(&run, "mem.line", "size=524288 stride=64", any);
        r->state = AM_POINT_SKIP;
    }
    facts = derive(&run.run);
    ok(facts.n == 0, "points that were skipped show nothing");
    am_arena_fini(&run.run.arena);
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
    check_no_line();
    check_line_and_ways(64, 8);
    check_line_and_ways(128, 12);
    check_line_and_ways(32, 4);
    check_tlb();
    check_parallelism();
    check_impossible();
    check_too_few();
    check_wide();
    check_largest();
    check_nothing();
    check_curve();
    return tap_done();
}
