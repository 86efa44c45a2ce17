/* SPDX-License-Identifier: MIT */
/* Facts of mem.bandwidth, mem.stanza and mem.loaded, from made-up results. */
#include "base/text.h"
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { LAUNCHES = 6, RESULTS_MAX = 64, PARAMS_MAX = 6 };

struct run {
    struct am_arena arena;
    struct am_result_set set;
};

/* A measured point: "kernel=read size=4096", the value of a metric, and perhaps of a second. */
struct row {
    const char *bench, *text;
    double bandwidth, latency; /* latency 0: the bench has none */
};

/* Launches differ by 2 % about the value. */
static struct am_series series_of(struct run *run, double value)
{
    struct am_launch_values *const l = am_arena_array(&run->arena, LAUNCHES, sizeof(*l));

    for (size_t i = 0; i < LAUNCHES; i++) {
        double *const v = am_arena_array(&run->arena, 1, sizeof(*v));

        *v = value * (0.99 + 0.02 * (double)i / (LAUNCHES - 1));
        l[i] = (struct am_launch_values){.launch_id = (int64_t)i, .values = v, .n = 1};
    }
    return (struct am_series){l, LAUNCHES};
}

static void add(struct run *run, const struct row *row)
{
    struct am_result *const r = &run->set.results[run->set.n++];

    *r = (struct am_result){.bench = row->bench, .text = row->text, .state = AM_POINT_OK};
    rx_params(&run->arena, r, row->text, PARAMS_MAX);
    r->metrics = am_arena_array(&run->arena, 2, sizeof(*r->metrics));
    r->metrics[r->n_metrics++] =
        (struct am_result_metric){.name = "bandwidth",
                                  .unit = "B/s",
                                  .better = AM_HIGHER,
                                  .series = series_of(run, row->bandwidth)};
    if (row->latency > 0)
        r->metrics[r->n_metrics++] =
            (struct am_result_metric){.name = "latency",
                                      .unit = "s",
                                      .better = AM_LOWER,
                                      .series = series_of(run, row->latency)};
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
    const char *id;
    double value; /* NAN: there is no such fact */
} wanted[] = {
    {"cache.l1d.bandwidth.read", 200e9},
    {"cache.l1d.bandwidth.read.threads2", 380e9}, /* 16 KiB each */
    {"cache.l2.bandwidth.read", 100e9},
    {"cache.l3.bandwidth.read", 50e9}, /* not 32 MiB's: as large as the cache */
    {"memory.bandwidth.read", 20e9},
    {"memory.bandwidth.read.prefetch_gain", 1.25},
    {"memory.bandwidth.read.threads2", 39e9},
    {"memory.bandwidth.read.threads", 2},
    {"memory.bandwidth.copy", 15e9},
    {"memory.bandwidth.copy.nt_gain", 1.6},
    {"memory.bandwidth.copy.threads", NAN}, /* one number of threads tells nothing */
    {"memory.bandwidth.read.nt_gain", NAN},
    {"cache.l3.bandwidth.copy.nt_gain", NAN},
    {"memory.bandwidth.add", 18e9}, /* as the machine was found */
    {"memory.bandwidth.add.hwprefetch_gain", 1.5},
    {"memory.bandwidth.read.hwprefetch_gain", NAN},
    {"cache.l2.bandwidth.add", NAN}, /* measured with prefetchers off only */
    {"memory.stanza.peak", 20e9},
    {"memory.stanza.knee", 1024},
    {"memory.loaded.read.bandwidth", 40e9},
    {"memory.loaded.read.latency", 300e-9},
    {"memory.loaded.read.penalty", 3},
};

static void check_wanted(const struct am_facts *facts)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct am_fact *const f = am_facts_find(facts, wanted[i].id);

        if (isnan(wanted[i].value))
            ok(!f, "%s is not claimed", wanted[i].id);
        else
            ok(f && fabs(f->value / wanted[i].value - 1) < 0.005 && f->ci.lo <= f->value &&
                   f->value <= f->ci.hi && f->evidence && f->unit && f->what,
               "%s is %g", wanted[i].id, f ? f->value : NAN);
    }
}

/* Without what it needs, a deriver is silent. */
static void check_silent(struct run *run, size_t first, size_t n, const char *what)
{
    struct am_facts facts = {.arena = &run->arena};
    const struct am_result_set part = {.results = run->set.results + first, .n = n};

    am_derive_bandwidth(&part, &facts);
    am_derive_load(&part, &facts);
    ok(facts.n == 0, "%s: no fact", what);
}

/* A last cache measured at a quarter of its claim: what fits the claim only is no longer in it. */
static void check_measured_share(struct run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    (void)am_facts_add(&facts, &(struct am_fact){.id = "cache.l3.size", .value = 8 << 20});
    am_derive_bandwidth(&run->set, &facts);
    ok(!am_facts_find(&facts, "cache.l3.bandwidth.read") &&
           am_facts_find(&facts, "memory.bandwidth.read"),
       "a cache is as large as it was measured to be");
}

int main(void)
{
    static const char *const claims[][2] = {
        {"l1d_bytes", "32768"}, {"l2_bytes", "1048576"}, {"l3_bytes", "33554432"}};
    struct run run = {0};
    struct am_facts facts = {.arena = &run.arena};

    run.set.results = am_arena_array(&run.arena, RESULTS_MAX, sizeof(*run.set.results));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        add(&run, &rows[i]);
    check_silent(&run, 0, 18, "bandwidths on a machine without a word on its caches");
    check_silent(&run, 18, 1, "one stanza");
    check_silent(&run, 22, 1, "one delay");
    check_silent(&run, 0, 0, "nothing measured");
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
        am_kvs_add(&run.set.machine, &run.arena, claims[i][0], claims[i][1]);
    am_derive_bandwidth(&run.set, &facts);
    am_derive_load(&run.set, &facts);
    check_wanted(&facts);
    check_measured_share(&run);
    am_arena_fini(&run.arena);
    return tap_done();
}
