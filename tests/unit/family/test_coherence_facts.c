/* SPDX-License-Identifier: MIT */
/* The family of coherence: hand-offs, states, placements, sharing, groups of CPUs, guidelines, from
 * runs with known contents. */
#include "family/coherence.h"
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_coherence, &run->set, &facts);
    return facts;
}

static struct am_result *put_pair(struct rx_run *run, const char *bench, const char *point,
                                  double latency, double distance)
{
    return rx_add(run, bench, point,
                  (const struct rx_metric[]){
                      {"latency", "s", latency}, {"distance", "", distance}, {NULL, NULL, 0}});
}

static void put(struct rx_run *run, const char *bench, const char *point, const char *metric,
                const char *unit, double value)
{
    (void)rx_add(run, bench, point,
                 (const struct rx_metric[]){{metric, unit, value}, {NULL, NULL, 0}});
}

static void put_band(struct rx_run *run, const char *point, double bandwidth)
{
    put(run, "mem.placement", point, "bandwidth", "B/s", bandwidth);
}

static void is_fact(const struct am_facts *facts, const char *name, const char *where, double want)
{
    const struct am_fact *const f = am_facts_only(facts, name, where);

    where = where ? where : "";
    if (isnan(want)) {
        ok(!f, "nothing is said of %s %s", name, where);
        return;
    }
    ok(f && fabs(f->value / want - 1) < 1e-9, "%s %s is %g", name, where, want);
    ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi && f->unit && f->what && f->evidence,
       "with an interval around it and its evidence: %s", f ? f->evidence : "none");
}

/* ---- pairs ---- */

static void test_handoff(struct rx_run *run)
{
    struct am_facts facts;

    put_pair(run, "mem.pingpong", "method=cas from=1 to=0", 30e-9, 2);
    put_pair(run, "mem.pingpong", "method=cas from=2 to=0", 20e-9, 2);
    put_pair(run, "mem.pingpong", "method=cas from=3 to=0", 25e-9, 2);
    put_pair(run, "mem.pingpong", "method=store from=3 to=0", 1e-9, 2);
    put_pair(run, "mem.pingpong", "method=cas from=4 to=0", 10e-9, 1)->state = AM_POINT_FAIL;
    put_pair(run, "mem.pingpong", "method=cas from=5 to=0", 100e-9, 3);
    put_pair(run, "mem.pingpong", "method=cas from=6 to=0", 500e-9, 3);
    put_pair(run, "mem.coherence", "state=modified op=read from=1 to=0", 40e-9, 2);
    put_pair(run, "mem.coherence", "state=modified op=write from=1 to=0", 50e-9, 2);
    put_pair(run, "mem.coherence", "state=shared op=read from=0 to=0", 1e-9, 0);
    facts = derive(run);
    is_fact(&facts, "coherence.handoff_least", "relation=cache", 20e-9);
    is_fact(&facts, "coherence.handoff", "relation=cache", 25e-9);
    is_fact(&facts, "coherence.handoff_most", "relation=cache", 30e-9);
    is_fact(&facts, "coherence.handoff", "relation=core", NAN);
    is_fact(&facts, "coherence.handoff", "relation=package", 300e-9);
    is_fact(&facts, "coherence.latency", "op=read state=modified relation=cache", 40e-9);
    is_fact(&facts, "coherence.latency", "op=write state=modified relation=cache", 50e-9);
    is_fact(&facts, "coherence.latency", "op=read state=shared relation=self", 1e-9);
    is_fact(&facts, "coherence.latency", "op=read state=exclusive relation=cache", NAN);
    ok(!am_facts_only(&facts, "coherence.handoff_spread", "relation=cache")->contradicts,
       "hand-offs within half of each other are alike");
    ok(am_facts_only(&facts, "coherence.handoff_spread", "relation=package")->contradicts,
       "a factor of five between pairs of one kind contradicts the system");
    is_str(am_facts_only(&facts, "coherence.handoff_least", "relation=cache")->evidence,
           "mem.pingpong method=cas from=2 to=0", "the fastest pair is named");
    is_str(am_facts_only(&facts, "coherence.latency", "op=write")->id,
           "coherence.latency{op=write,state=modified,relation=cache}", "labels have an order");
}

/* ---- placement, sharing ---- */

static void test_placement(struct rx_run *run)
{
    struct am_facts facts;

    put_band(run, "placement=compact cores=1 memory=separate", 9e9);
    put_band(run, "placement=compact cores=2 memory=separate", 20e9);
    put_band(run, "placement=scattered cores=2 memory=separate", 25e9);
    put_band(run, "placement=random cores=2 memory=separate", 24e9);
    put_band(run, "placement=same_core cores=2 memory=separate", 10e9);
    put_band(run, "placement=compact cores=2 memory=same", 30e9);
    put_band(run, "placement=compact cores=4 memory=separate", 40e9);
    put_band(run, "placement=scattered cores=4 memory=separate", 39e9);
    put_band(run, "placement=compact cores=4 memory=same", 20e9);
    put_band(run, "placement=compact cores=8 memory=same", 1e9); /* nothing to compare it with */
    facts = derive(run);
    is_fact(&facts, "coherence.placement", NULL, 20.0 / 25);
    ok(am_facts_only(&facts, "coherence.placement_symmetric", NULL)->value < 0.5,
       "a fifth less is not symmetric");
    is_fact(&facts, "coherence.placement_same_memory", NULL, 0.5);
    is_fact(&facts, "coherence.placement_same_core", NULL, 0.5);
    is_fact(&facts, "coherence.sharing_penalty", "op=add", NAN);
    put_band(run, "placement=compact cores=4 memory=same size=2", 20e9);
    put_band(run, "placement=compact cores=4 memory=separate size=2", 20e9);
    facts = derive(run);
    is_fact(&facts, "coherence.placement_same_memory", NULL, NAN);
    ok(facts.n_remarks == 1 && strstr(facts.remarks[0].text, "placement_same_memory"),
       "two sizes are not one, and are told: %s", facts.n_remarks ? facts.remarks[0].text : "");
}

static void test_symmetric(struct rx_run *run)
{
    struct am_facts facts;

    put_band(run, "placement=compact cores=4 memory=separate", 40e9);
    put_band(run, "placement=scattered cores=4 memory=separate", 39e9);
    facts = derive(run);
    is_fact(&facts, "coherence.placement_symmetric", NULL, 1);
    is_fact(&facts, "coherence.placement_same_memory", NULL, NAN);
}

static void test_undecided(struct rx_run *run)
{
    struct am_facts facts;

    put_band(run, "placement=compact cores=4 memory=separate", 40e9);
    put_band(run, "placement=random cores=4 memory=separate", 38e9);
    facts = derive(run);
    is_fact(&facts, "coherence.placement", NULL, 0.95);
    /* the interval reaches to both sides */
    is_fact(&facts, "coherence.placement_symmetric", NULL, NAN);
}

static void test_sharing(struct rx_run *run)
{
    static const char *const points[] = {
        "op=add layout=shared_line threads=1",   "op=add layout=separate_lines threads=1",
        "op=add layout=shared_line threads=2",   "op=add layout=separate_lines threads=2",
        "op=store layout=shared_line threads=1", "op=store layout=separate_lines threads=1",
    };
    static const double times[] = {2e-9, 2e-9, 40e-9, 2e-9, 1e-9, 1e-9};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        put(run, "mem.sharing", points[i], "increment", "s", times[i]);
    facts = derive(run);
    is_fact(&facts, "coherence.sharing_penalty", "op=add", 20);
    is_fact(&facts, "coherence.sharing_penalty", "op=store", NAN); /* one thread shares nothing */
    is_fact(&facts, "coherence.placement", NULL, NAN);
}

/* ---- groups ---- */

/* Two CPUs belong together when they agree in cpu / near; siblings are cpu and cpu + half. */
struct layout {
    int cpus, near, half;
    double within, between;
    double distance; /* stated for all that are no siblings */
    double groups, ratio;
    bool denied;
    const char *evidence;
};

static void add_pairs(struct rx_run *run, const struct layout *l)
{
    for (int from = 0; from < l->cpus; from++) {
        for (int to = 0; to < l->cpus; to++) {
            const bool sibling = l->half && abs(from - to) == l->half;
            const int a = l->half ? from % l->half : from, b = l->half ? to % l->half : to;
            const bool near = a / l->near == b / l->near;
            const double wobble = 1 + 0.02 * ((from * 7 + to * 3) % 5);
            char text[64];

            if (from == to)
                continue;
            (void)snprintf(text, sizeof(text), "method=cas from=%d to=%d", from, to);
            (void)put_pair(run, "mem.pingpong", text,
                           sibling ? 8e-9 : (near ? l->within : l->between) * wobble,
                           sibling ? 1 : l->distance);
        }
    }
}

static void check_layout(struct rx_run *run, const struct layout *l)
{
    struct am_facts facts;
    const struct am_fact *f;

    add_pairs(run, l);
    facts = derive(run);
    f = am_facts_only(&facts, "coherence.groups", NULL);
    if (!l->evidence) {
        ok(!f, "two CPUs show no groups");
        return;
    }
    ok(f && fabs(f->value - l->groups) < 0.5, "%.0f groups of %d CPUs", l->groups, l->cpus);
    ok(f && strstr(f->evidence, l->evidence), "they are %s: %s", l->evidence,
       f ? f->evidence : "?");
    ok(f && f->contradicts == l->denied, "%s what the system states",
       l->denied ? "against" : "in agreement with");
    ok(f && fabs(f->ci.hi - f->ci.lo) < 0.5, "their number is decided");
    if (l->groups > 1)
        ok(fabs(am_facts_value(&facts, "coherence.group_ratio", NULL) - l->ratio) < 0.2,
           "between groups a hand-off takes %.0f times as long", l->ratio);
}

/* Three groups of four CPUs that are all stated to be alike, each pair measured only with the first
 * CPU: whether the others belong together is open. */
static void test_open(struct rx_run *run)
{
    struct am_facts facts;
    const struct am_fact *f;
    struct am_open_pairs open;

    for (int cpu = 1; cpu < 12; cpu++) {
        char text[64];

        (void)snprintf(text, sizeof(text), "method=cas from=%d to=0", cpu);
        (void)put_pair(run, "mem.pingpong", text, cpu < 4 ? 20e-9 : 80e-9, 2);
    }
    facts = derive(run);
    f = am_facts_only(&facts, "coherence.groups", NULL);
    ok(f && f->ci.lo < 2.5 && f->ci.hi > 8.5, "between two and nine groups: %g to %g",
       f ? f->ci.lo : NAN, f ? f->ci.hi : NAN);
    ok(strstr(fx_said(&am_family_coherence, "cores.groups", &facts), "Not decided"),
       "which is not decided");
    open = am_coherence_open(&run->set, &run->arena);
    ok(open.n == 7 && open.pairs[0][0] == 5 && open.pairs[6][0] == 11 && open.pairs[6][1] == 4,
       "the next pairs hold all others against the first of them: %zu", open.n);
    for (int cpu = 5; cpu < 12; cpu++) {
        char text[64];

        (void)snprintf(text, sizeof(text), "method=cas from=%d to=4", cpu);
        (void)put_pair(run, "mem.pingpong", text, cpu < 8 ? 20e-9 : 80e-9, 2);
    }
    (void)derive(run);
    ok(am_coherence_open(&run->set, &run->arena).n == 3, "then those of the third group are left");
    for (int cpu = 9; cpu < 12; cpu++) {
        char text[64];

        (void)snprintf(text, sizeof(text), "method=cas from=%d to=8", cpu);
        (void)put_pair(run, "mem.pingpong", text, 20e-9, 2);
    }
    facts = derive(run);
    is_fact(&facts, "coherence.groups", NULL, 3);
    ok(am_coherence_open(&run->set, &run->arena).n == 0, "and nothing is open");
}

/* Few pairs of a relation stand for all that there are of it. */
static void test_weights(struct rx_run *run)
{
    struct am_facts facts;

    am_kvs_add(&run->set.machine, &run->arena, "pairs.cache", "4");
    am_kvs_add(&run->set.machine, &run->arena, "pairs.package", "10");
    am_kvs_add(&run->set.machine, &run->arena, "pairs.far", "90");
    (void)put_pair(run, "mem.pingpong", "method=cas from=1 to=0", 20e-9, 2);
    (void)put_pair(run, "mem.pingpong", "method=cas from=3 to=2", 20e-9, 2);
    (void)put_pair(run, "mem.pingpong", "method=cas from=2 to=0", 80e-9, 3);
    (void)put_pair(run, "mem.pingpong", "method=cas from=3 to=0", 80e-9, 3);
    (void)put_pair(run, "mem.pingpong", "method=cas from=4 to=0", 100e-9, 4);
    facts = derive(run);
    is_fact(&facts, "coherence.group_ratio", NULL, 5);
}

static void test_groups(struct rx_run *unused)
{
    static const struct layout layouts[] = {
        {8, 8, 0, 40e-9, 40e-9, 2, 1, 0, false, "{0-7}"},
        {8, 4, 0, 40e-9, 120e-9, 2, 2, 3, true, "{0-3} {4-7}"},
        {8, 2, 4, 40e-9, 120e-9, 2, 2, 3, true, "{0-1,4-5} {2-3,6-7}"},
        {2, 2, 0, 40e-9, 40e-9, 2, NAN, NAN, false, NULL},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct rx_run run = {0};

        check_layout(&run, &layouts[i]);
        am_arena_fini(&run.arena);
    }
}

/* One CPU that seems far, by results whose launches reach down to the others: groups by the
 * medians, none by the intervals. */
static void test_doubtful_groups(struct rx_run *run)
{
    static const double wide[] = {40e-9, 70e-9, 71e-9, 72e-9, 73e-9, 74e-9};
    const struct layout l = {4, 4, 0, 40e-9, 40e-9, 2, 1, 0, false, "{0-3}"};
    struct am_facts facts;
    const struct am_fact *f;

    add_pairs(run, &l);
    for (size_t i = 0; i < run->set.n; i++) {
        struct am_result *const r = &run->set.results[i];

        for (size_t k = 0; k < RX_LAUNCHES; k++) {
            if (am_result_is(r, "from", "3") || am_result_is(r, "to", "3"))
                r->metrics[0].series.launches[k].values = &wide[k];
        }
    }
    facts = derive(run);
    f = am_facts_only(&facts, "coherence.groups", NULL);
    ok(f && f->value > 1.5 && f->ci.lo < 1.5, "wide intervals leave the number of groups open");
    ok(strstr(fx_said(&am_family_coherence, "cores.groups", &facts), "Not decided"),
       "and no advice is given: %s", fx_said(&am_family_coherence, "cores.groups", &facts));
}

/* ---- guidelines ---- */

static void said(const struct am_facts *facts, const char *id, const char *words)
{
    const char *const text = fx_said(&am_family_coherence, id, facts);

    ok(*words ? strstr(text, words) != NULL : !*text, "%s: %s (%s)", id, *words ? words : "nothing",
       text);
}

/* A ratio of bandwidths: less, the same, more, not decided, and no ground at all. */
static void check_ratio(struct am_facts *facts, const char *name, const char *id,
                        const char *const words[4])
{
    static const struct am_interval intervals[] = {
        {0.5, 0.6, 0.95}, {0.97, 1.02, 0.95}, {1.5, 1.6, 0.95}, {0.6, 1.6, 0.95}};
    struct am_fact *const f = fx_fact(facts, name, "", "", 1);

    for (size_t i = 0; i < 4; i++) {
        f->ci = intervals[i];
        said(facts, id, words[i]);
    }
    f->ci = (struct am_interval){0.5, 0.5, 0};
    said(facts, id, "");
}

static void test_sharing_advice(struct rx_run *run)
{
    static const char *const core[] = {"Threads are not symmetric", "as much of memory",
                                       "on one core: they get", "Not decided"};
    static const char *const memory[] = {"Give threads copies", "may read the same memory",
                                         "Let threads read the same", "Not decided"};
    struct am_facts facts = {.arena = &run->arena};

    check_ratio(&facts, "coherence.placement_same_core", "cores.same_core", core);
    check_ratio(&facts, "coherence.placement_same_memory", "cores.same_memory", memory);
}

static void test_guidelines(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    for (const struct am_guideline_rule *r = am_family_coherence.guidelines; r->id; r++)
        said(&facts, r->id, "");
    fx_fact(&facts, "memory.latency", "level=memory", "s", 100e-9);
    fx_fact(&facts, "coherence.handoff", "relation=cache", "s", 20e-9);
    said(&facts, "cores.remote", "passing small results through the cache pays");
    fx_fact(&facts, "coherence.latency", "op=read state=modified relation=cache", "s", 90e-9);
    said(&facts, "cores.remote", "treat the caches of other cores as memory");
    facts.items[facts.n - 1].ci.lo = 20e-9;
    said(&facts, "cores.remote", "a load from memory.");
    fx_fact(&facts, "coherence.sharing_penalty", "op=add", "", 5);
    said(&facts, "cores.sharing", "5.0 x slower");
    facts.items[facts.n - 1].ci.lo = 0.9;
    said(&facts, "cores.sharing", "Not decided");
    facts.items[facts.n - 1].ci.hi = 1.05;
    said(&facts, "cores.sharing", "may share a line");
    facts.items[facts.n - 1].ci.coverage = 0;
    said(&facts, "cores.sharing", "");
    fx_fact(&facts, "coherence.placement", "", "", 0.8);
    said(&facts, "cores.placement", "Not decided");
    fx_fact(&facts, "coherence.placement_symmetric", "", "", 0);
    said(&facts, "cores.placement", "Place threads with care");
    facts.items[facts.n - 1].value = 1;
    said(&facts, "cores.placement", "matters by less than 21 %");
    fx_fact(&facts, "coherence.group_ratio", "", "", 3);
    fx_fact(&facts, "coherence.groups", "", "", 2);
    said(&facts, "cores.groups", "one of the 2 groups");
    facts.items[facts.n - 1].value = 1;
    said(&facts, "cores.groups", "symmetric peers");
}

int main(void)
{
    static void (*const tests[])(struct rx_run *) = {
        test_handoff,        test_placement, test_symmetric,       test_undecided,
        test_sharing,        test_groups,    test_doubtful_groups, test_guidelines,
        test_sharing_advice, test_open,      test_weights,
    };

    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        struct rx_run run = {0};

        tests[i](&run);
        am_arena_fini(&run.arena);
    }
    return tap_done();
}
