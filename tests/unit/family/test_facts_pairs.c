/* SPDX-License-Identifier: MIT */
/* Facts of pairs, placements, sharing and nodes, from runs with known contents. */
#include "model/derive.h"
#include "tap.h"

#include <stdlib.h>

enum { RESULTS_MAX = 64, PARAMS_MAX = 4, LAUNCHES = 6 };

/* A run made by hand: every metric has the same value in all launches, a bit more in the last. */
struct made {
    struct am_result results[RESULTS_MAX];
    struct am_result_param params[RESULTS_MAX][PARAMS_MAX];
    struct am_result_metric metrics[RESULTS_MAX][2];
    struct am_launch_values launches[RESULTS_MAX][2][LAUNCHES];
    double values[RESULTS_MAX][2][LAUNCHES];
    char texts[RESULTS_MAX][128];
    struct am_result_set set;
};

static void put_metric(struct made *m, size_t i, size_t k, const char *name, double value)
{
    for (size_t l = 0; l < LAUNCHES; l++) {
        m->values[i][k][l] = l + 1 < LAUNCHES ? value : value * 1.001;
        m->launches[i][k][l] = (struct am_launch_values){.values = &m->values[i][k][l], .n = 1};
    }
    m->metrics[i][k] = (struct am_result_metric){
        .name = name, .unit = "", .series = {.launches = m->launches[i][k], .n = LAUNCHES}};
}

/* "cores=2 memory=same": numbers are INT, words NAME. */
static void put_params(struct made *m, size_t i, const char *point)
{
    char *s = m->texts[i];
    struct am_result *const r = &m->results[i];

    (void)snprintf(m->texts[i], sizeof(m->texts[i]), "%s", point);
    r->params = m->params[i];
    while (*s && r->n_params < PARAMS_MAX) {
        struct am_result_param *const p = &r->params[r->n_params++];

        p->name = s;
        s += strcspn(s, "=");
        *s++ = '\0';
        p->text = s;
        p->kind = *s >= '0' && *s <= '9' ? AM_AXIS_INT : AM_AXIS_NAME;
        s += strcspn(s, " ");
        if (*s)
            *s++ = '\0';
    }
}

static void put(struct made *m, const char *bench, const char *point, const char *first, double x,
                const char *second, double y)
{
    const size_t i = m->set.n++;
    struct am_result *const r = &m->results[i];

    *r = (struct am_result){.bench = bench, .text = point, .state = AM_POINT_OK};
    put_params(m, i, point);
    put_metric(m, i, 0, first, x);
    put_metric(m, i, 1, second, y);
    r->metrics = m->metrics[i];
    r->n_metrics = 2;
    m->set.results = m->results;
}

static void put_pair(struct made *m, const char *bench, const char *point, double latency,
                     double distance)
{
    put(m, bench, point, "latency", latency, "distance", distance);
}

static void put_band(struct made *m, const char *point, double bandwidth)
{
    put(m, "mem.placement", point, "bandwidth", bandwidth, "none", 0);
}

static void is_fact(const struct am_facts *facts, const char *id, double want)
{
    const struct am_fact *const f = am_facts_find(facts, id);

    if (isnan(want)) {
        ok(!f, "nothing is said of %s", id);
        return;
    }
    ok(f && fabs(f->value / want - 1) < 1e-9, "%s is %g", id, want);
    ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi && f->unit && f->what && f->evidence,
       "with an interval around it and its evidence: %s", f ? f->evidence : "none");
}

static void test_handoff(struct made *m, struct am_facts *facts)
{
    put_pair(m, "mem.pingpong", "method=cas from=1 to=0", 30e-9, 2);
    put_pair(m, "mem.pingpong", "method=cas from=2 to=0", 20e-9, 2);
    put_pair(m, "mem.pingpong", "method=cas from=3 to=0", 25e-9, 2);
    put_pair(m, "mem.pingpong", "method=store from=3 to=0", 1e-9, 2);
    put_pair(m, "mem.pingpong", "method=cas from=4 to=0", 10e-9, 1);
    put_pair(m, "mem.pingpong", "method=cas from=5 to=0", 100e-9, 3);
    put_pair(m, "mem.pingpong", "method=cas from=6 to=0", 500e-9, 3);
    put_pair(m, "mem.coherence", "state=modified op=read from=1 to=0", 40e-9, 2);
    put_pair(m, "mem.coherence", "state=modified op=write from=1 to=0", 50e-9, 2);
    put_pair(m, "mem.coherence", "state=shared op=read from=0 to=0", 1e-9, 0);
    m->results[4].state = AM_POINT_FAIL;
    am_derive_coherence(&m->set, facts);
    is_fact(facts, "handoff.cache.latency.min", 20e-9);
    is_fact(facts, "handoff.cache.latency", 25e-9);
    is_fact(facts, "handoff.cache.latency.max", 30e-9);
    is_fact(facts, "handoff.core.latency", NAN);
    is_fact(facts, "handoff.package.latency", 300e-9);
    is_fact(facts, "coherence.read.modified.cache.latency", 40e-9);
    is_fact(facts, "coherence.write.modified.cache.latency", 50e-9);
    is_fact(facts, "coherence.read.shared.self.latency", 1e-9);
    is_fact(facts, "coherence.read.exclusive.cache.latency", NAN);
    ok(!am_facts_find(facts, "handoff.cache.spread")->contradicts,
       "hand-offs within half of each other are alike");
    ok(am_facts_find(facts, "handoff.package.spread")->contradicts,
       "a factor of five between pairs of one kind contradicts the system");
    is_str(am_facts_find(facts, "handoff.cache.latency.min")->evidence,
           "mem.pingpong method=cas from=2 to=0", "the fastest pair is named");
}

static void test_placement(struct made *m, struct am_facts *facts)
{
    put_band(m, "placement=compact cores=1 memory=separate", 9e9);
    put_band(m, "placement=compact cores=2 memory=separate", 20e9);
    put_band(m, "placement=scattered cores=2 memory=separate", 25e9);
    put_band(m, "placement=random cores=2 memory=separate", 24e9);
    put_band(m, "placement=same_core cores=2 memory=separate", 10e9);
    put_band(m, "placement=compact cores=2 memory=same", 30e9);
    put_band(m, "placement=compact cores=4 memory=separate", 40e9);
    put_band(m, "placement=scattered cores=4 memory=separate", 39e9);
    put_band(m, "placement=compact cores=4 memory=same", 20e9);
    put_band(m, "placement=compact cores=8 memory=same", 1e9); /* nothing to compare it with */
    am_derive_placement(&m->set, facts);
    is_fact(facts, "placement.symmetry", 20.0 / 25);
    ok(am_facts_find(facts, "placement.symmetric")->value < 0.5, "a fifth less is not symmetric");
    is_fact(facts, "placement.same_memory", 0.5);
    is_fact(facts, "placement.same_core", 0.5);
    is_fact(facts, "numa.local.latency", NAN);
    is_fact(facts, "sharing.add.penalty", NAN);
}

static void test_symmetric(struct made *m, struct am_facts *facts)
{
    put_band(m, "placement=compact cores=4 memory=separate", 40e9);
    put_band(m, "placement=scattered cores=4 memory=separate", 39e9);
    am_derive_placement(&m->set, facts);
    is_fact(facts, "placement.symmetric", 1);
    is_fact(facts, "placement.same_memory", NAN);
}

static void test_undecided(struct made *m, struct am_facts *facts)
{
    put_band(m, "placement=compact cores=4 memory=separate", 40e9);
    put_band(m, "placement=random cores=4 memory=separate", 38e9);
    am_derive_placement(&m->set, facts);
    is_fact(facts, "placement.symmetry", 0.95);
    is_fact(facts, "placement.symmetric", NAN); /* the interval reaches to both sides */
}

static void test_others(struct made *m, struct am_facts *facts)
{
    static const char *const points[] = {
        "op=add layout=shared_line threads=1",   "op=add layout=separate_lines threads=1",
        "op=add layout=shared_line threads=2",   "op=add layout=separate_lines threads=2",
        "op=store layout=shared_line threads=1", "op=store layout=separate_lines threads=1",
    };
    static const double times[] = {2e-9, 2e-9, 40e-9, 2e-9, 1e-9, 1e-9};

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        put(m, "mem.sharing", points[i], "increment", times[i], "cycles", 1);
    put(m, "mem.numa", "cpu_node=0 memory_node=0", "latency", 80e-9, "bandwidth", 40e9);
    put(m, "mem.numa", "cpu_node=0 memory_node=1", "latency", 130e-9, "bandwidth", 20e9);
    put(m, "mem.numa", "cpu_node=1 memory_node=0", "latency", 150e-9, "bandwidth", 22e9);
    am_derive_placement(&m->set, facts);
    is_fact(facts, "sharing.add.penalty", 20);
    is_fact(facts, "sharing.store.penalty", NAN); /* one thread shares nothing */
    is_fact(facts, "numa.local.latency", 80e-9);
    is_fact(facts, "numa.remote.latency", 140e-9);
    is_fact(facts, "numa.local.bandwidth", 40e9);
    is_fact(facts, "numa.remote.bandwidth", 21e9);
    is_fact(facts, "placement.symmetry", NAN);
}

int main(void)
{
    static void (*const tests[])(struct made *, struct am_facts *) = {
        test_handoff, test_placement, test_symmetric, test_undecided, test_others};

    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        struct made *const m = calloc(1, sizeof(*m));
        struct am_arena arena = {0};
        struct am_facts facts = {.arena = &arena};

        if (m)
            tests[i](m, &facts);
        am_arena_fini(&arena);
        free(m);
    }
    return tap_done();
}
