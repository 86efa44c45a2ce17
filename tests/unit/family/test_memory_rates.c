/* SPDX-License-Identifier: MIT */
/* The family of memory, second part: bandwidths by level and what raises them, stanzas, loads
 * beside traffic, nodes, from made-up results. */
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_memory, &run->set, &facts);
    return facts;
}

/* A measured point: "kernel=read size=4096", the value of a metric, and perhaps of a second. */
struct row {
    const char *bench, *text;
    double bandwidth, latency; /* latency 0: the bench has none */
};

static void add_rows(struct rx_run *run, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct rx_metric metrics[] = {
            {"bandwidth", "B/s", rows[i].bandwidth},
            {rows[i].latency > 0 ? "latency" : NULL, "s", rows[i].latency},
            {NULL, NULL, 0}};

        (void)rx_add(run, rows[i].bench, rows[i].text, metrics);
    }
}

/* Caches of 32 KiB, 1 MiB and 32 MiB. */
static const struct row rows[] = {
    {"mem.bandwidth", "kernel=read nt=0 size=16384 threads=1 prefetch=0", 200e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=8192 threads=1 prefetch=0", 190e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=32768 threads=2 prefetch=0", 380e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=524288 threads=1 prefetch=0", 100e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=8388608 threads=1 prefetch=0", 50e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=33554432 threads=1 prefetch=0", 40e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=268435456 threads=1 prefetch=0", 20e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=268435456 threads=1 prefetch=512", 21e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=268435456 threads=1 prefetch=2048", 25e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=268435456 threads=2 prefetch=0", 39e9, 0},
    {"mem.bandwidth", "kernel=read nt=0 size=268435456 threads=4 prefetch=0", 40e9, 0},
    {"mem.bandwidth", "kernel=copy nt=0 size=268435456 threads=1 prefetch=0", 15e9, 0},
    {"mem.bandwidth", "kernel=copy nt=1 size=268435456 threads=1 prefetch=0", 24e9, 0},
    {"mem.bandwidth", "kernel=copy nt=1 size=8388608 threads=1 prefetch=0", 10e9, 0},
    {"mem.bandwidth", "kernel=add nt=0 size=268435456 threads=1 hwprefetch=as-is", 18e9, 0},
    {"mem.bandwidth", "kernel=add nt=0 size=268435456 threads=1 hwprefetch=off", 12e9, 0},
    {"mem.bandwidth", "kernel=add nt=0 size=268435456 threads=1 hwprefetch=on", 30e9, 0},
    {"mem.bandwidth", "kernel=add nt=0 size=524288 threads=1 hwprefetch=off", 30e9, 0},
    {"mem.stanza", "length=1 jump=2048 size=134217728", 1e9, 0},
    {"mem.stanza", "length=64 jump=2048 size=134217728", 8e9, 0},
    {"mem.stanza", "length=1024 jump=2048 size=134217728", 18.5e9, 0},
    {"mem.stanza", "length=65536 jump=2048 size=134217728", 20e9, 0},
    {"mem.loaded", "delay=64000 traffic=read threads=4", 1e9, 100e-9},
    {"mem.loaded", "delay=1000 traffic=read threads=4", 20e9, 130e-9},
    {"mem.loaded", "delay=0 traffic=read threads=4", 40e9, 300e-9},
};

static const struct {
    const char *name, *where;
    double value; /* NAN: there is no such fact */
} wanted[] = {
    {"memory.bandwidth", "level=l1d kernel=read threads=1", 200e9},
    {"memory.bandwidth", "level=l1d kernel=read threads=2", 380e9}, /* 16 KiB each */
    {"memory.bandwidth", "level=l2 kernel=read threads=1", 100e9},
    {"memory.bandwidth", "level=l3 kernel=read threads=1",
     50e9}, /* not 32 MiB's: as large as the cache */
    {"memory.bandwidth", "level=memory kernel=read threads=1", 20e9},
    {"memory.prefetch_gain", "level=memory kernel=read threads=1", 1.25},
    {"memory.bandwidth", "level=memory kernel=read threads=2", 39e9},
    {"memory.fill_threads", "kernel=read", 2},
    {"memory.bandwidth", "level=memory kernel=copy threads=1", 15e9},
    {"memory.nt_gain", "level=memory kernel=copy threads=1", 1.6},
    {"memory.fill_threads", "kernel=copy", NAN}, /* one number of threads tells nothing */
    {"memory.nt_gain", "level=memory kernel=read threads=1", NAN},
    {"memory.nt_gain", "level=l3 kernel=copy threads=1", NAN},
    {"memory.bandwidth", "level=memory kernel=add threads=1", 18e9}, /* as the machine was found */
    {"memory.hwprefetch_gain", "level=memory kernel=add threads=1", 1.5},
    {"memory.hwprefetch_gain", "level=memory kernel=read threads=1", NAN},
    {"memory.bandwidth", "level=l2 kernel=add threads=1",
     NAN}, /* measured with prefetchers off only */
    {"memory.stanza_peak", NULL, 20e9},
    {"memory.stanza_knee", NULL, 1024},
    {"memory.loaded_bandwidth", "traffic=read", 40e9},
    {"memory.loaded_latency", "traffic=read", 300e-9},
    {"memory.loaded_penalty", "traffic=read", 3},
    {"memory.speedup", "level=memory kernel=read threads=4", 2},
    {"memory.speedup", "level=l1d kernel=read threads=2", 1.9},
};

static void check_wanted(const struct am_facts *facts)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct am_fact *const f = am_facts_only(facts, wanted[i].name, wanted[i].where);
        const char *const where = wanted[i].where ? wanted[i].where : "";

        if (isnan(wanted[i].value))
            ok(!f, "%s %s is not claimed", wanted[i].name, where);
        else
            ok(f && fabs(f->value / wanted[i].value - 1) < 0.005 && f->ci.lo <= f->value &&
                   f->value <= f->ci.hi && f->evidence && f->unit && f->what,
               "%s %s is %g", wanted[i].name, where, f ? f->value : NAN);
    }
}

/* Without what it needs, a rule is silent. */
static void check_silent(struct rx_run *run, size_t first, size_t n, const char *what)
{
    struct rx_run part = {.set = {.results = run->set.results + first, .n = n}};
    struct am_facts facts = derive(&part);

    ok(facts.n == 0, "%s: no fact", what);
    am_arena_fini(&part.arena);
}

/* A last cache measured at a quarter of its claim: what fits the claim only is no longer in it. */
static void check_measured_share(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    fx_fact(&facts, "memory.size", "level=l3", "B", 8 << 20);
    am_family_derive(&am_family_memory, &run->set, &facts);
    ok(!am_facts_only(&facts, "memory.bandwidth", "level=l3 kernel=read") &&
           am_facts_only(&facts, "memory.bandwidth", "level=memory kernel=read threads=1"),
       "a cache is as large as it was measured to be");
}

static void check_streams(void)
{
    static const char *const claims[][2] = {
        {"l1d_bytes", "32768"}, {"l2_bytes", "1048576"}, {"l3_bytes", "33554432"}};
    struct rx_run run = {0};
    struct am_facts facts;

    add_rows(&run, rows, sizeof(rows) / sizeof(rows[0]));
    check_silent(&run, 0, 18, "bandwidths on a machine without a word on its caches");
    check_silent(&run, 18, 1, "one stanza");
    check_silent(&run, 22, 1, "one delay");
    check_silent(&run, 0, 0, "nothing measured");
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
        am_kvs_add(&run.set.machine, &run.arena, claims[i][0], claims[i][1]);
    facts = derive(&run);
    check_wanted(&facts);
    check_measured_share(&run);
    am_arena_fini(&run.arena);
}

/* Two jumps, two patterns of load, two numbers of threads: facts of their own, never the first. */
static void check_varied(void)
{
    static const struct row varied[] = {
        {"mem.stanza", "length=1 jump=512", 1e9, 0},
        {"mem.stanza", "length=64 jump=512", 8e9, 0},
        {"mem.stanza", "length=1 jump=2048", 2e9, 0},
        {"mem.stanza", "length=64 jump=2048", 2.1e9, 0},
        {"mem.loaded", "delay=64000 traffic=read threads=4", 1e9, 100e-9},
        {"mem.loaded", "delay=0 traffic=read threads=4", 40e9, 300e-9},
        {"mem.loaded", "delay=64000 traffic=read threads=8", 1e9, 100e-9},
        {"mem.loaded", "delay=0 traffic=read threads=8", 40e9, 400e-9},
    };
    struct rx_run run = {0};
    struct am_facts facts;

    add_rows(&run, varied, sizeof(varied) / sizeof(varied[0]));
    facts = derive(&run);
    ok(!am_facts_only(&facts, "memory.stanza_knee", NULL), "two knees are not one");
    is_near(am_facts_value(&facts, "memory.stanza_knee", "jump=512"), 64, 1e-9, "each has a jump");
    is_near(am_facts_value(&facts, "memory.stanza_knee", "jump=2048"), 1, 1e-9, "of its own");
    is_near(am_facts_value(&facts, "memory.loaded_penalty", "traffic=read threads=8"), 4, 0.01,
            "loads by the number of threads");
    am_arena_fini(&run.arena);
}

static void check_nodes(void)
{
    static const struct {
        const char *text;
        double latency, bandwidth;
    } pairs[] = {
        {"cpu_node=0 memory_node=0", 80e-9, 40e9},
        {"cpu_node=0 memory_node=1", 130e-9, 20e9},
        {"cpu_node=1 memory_node=0", 150e-9, 22e9},
    };
    static const struct {
        const char *name, *where;
        double value;
    } nodes[] = {
        {"memory.node_latency", "place=local", 80e-9},
        {"memory.node_latency", "place=remote", 140e-9},
        {"memory.node_bandwidth", "place=local", 40e9},
        {"memory.node_bandwidth", "place=remote", 21e9},
    };
    struct rx_run run = {0};
    struct am_facts facts = derive(&run);

    ok(!am_facts_next(&facts, "memory.node_latency", NULL, NULL), "no nodes, no facts of them");
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        (void)rx_add(&run, "mem.numa", pairs[i].text,
                     (const struct rx_metric[]){{"latency", "s", pairs[i].latency},
                                                {"bandwidth", "B/s", pairs[i].bandwidth},
                                                {NULL, NULL, 0}});
    facts = derive(&run);
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        const struct am_fact *const f = am_facts_only(&facts, nodes[i].name, nodes[i].where);

        ok(f && fabs(f->value / nodes[i].value - 1) < 1e-9 && f->ci.lo <= f->value &&
               f->value <= f->ci.hi && f->evidence,
           "%s %s is %g", nodes[i].name, nodes[i].where, nodes[i].value);
    }
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_streams();
    check_varied();
    check_nodes();
    return tap_done();
}
