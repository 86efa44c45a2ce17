/* SPDX-License-Identifier: MIT */
/* What ocl.global, ocl.local, ocl.cache, ocl.bus and ocl.scale show, from made-up devices. */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

enum { RESULTS_MAX = 32, PARAMS_MAX = 8, LAUNCHES = 6 };

/* A run in which every launch tells the same. */
struct made {
    struct am_arena arena;
    struct am_facts facts;
    struct am_result results[RESULTS_MAX];
    struct am_result_metric metrics[RESULTS_MAX];
    struct am_launch_values launches[RESULTS_MAX][LAUNCHES];
    double values[RESULTS_MAX][LAUNCHES];
    struct am_result_set set;
};

static void put(struct made *m, const char *bench, const char *text, double value)
{
    const size_t i = m->set.n++;
    struct am_result *const r = &m->results[i];

    *r = (struct am_result){.bench = bench, .state = AM_POINT_OK, .text = text};
    rx_params(&m->arena, r, r->text, PARAMS_MAX);
    for (size_t l = 0; l < LAUNCHES; l++) {
        m->values[i][l] = value;
        m->launches[i][l] = (struct am_launch_values){.values = &m->values[i][l], .n = 1};
    }
    m->metrics[i] =
        (struct am_result_metric){.name = strcmp(bench, "ocl.scale") == 0 ? "time" : "bandwidth",
                                  .unit = "",
                                  .series = {.launches = m->launches[i], .n = LAUNCHES}};
    r->metrics = &m->metrics[i];
    r->n_metrics = 1;
    m->set.results = m->results;
}

static void derive(struct made *m)
{
    m->facts.arena = &m->arena;
    am_derive_ocl_memory(&m->set, &m->facts);
}

/* NAN: nothing may be said. */
static void check_fact(const struct made *m, const char *id, double want, const char *of)
{
    const struct am_fact *const f = am_facts_find(&m->facts, id);

    if (isnan(want)) {
        ok(!f, "%s: nothing is said of %s", of, id);
        return;
    }
    ok(f && fabs(f->value / want - 1) < 1e-9, "%s: %s is %g, meant to be %g", of, id,
       f ? f->value : NAN, want);
    ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi && f->evidence && f->what,
       "with its evidence: %s", f ? f->evidence : "none");
}

/* ---- strides ---- */

/* Bandwidths at strides 1, 2, 4, ...; 0: not measured. */
struct strided {
    const char *what;
    double at[8];
    double knee; /* a stride */
};

static const struct strided climbs[] = {
    {"32 banks", {33.2, 16.6, 8.31, 4.16, 2.08, 1.04, 1.04}, 32},
    {"32 banks, four strides only", {33.2, 0, 0, 0, 2.08, 1.04, 1.04}, 32},
    {"16 banks", {300, 151, 75, 37, 19, 19, 19.1}, 16},
    {"no more than two places", {33.2, 16.6}, NAN},
    {"climbing to the last stride", {32, 16, 8, 4, 2, 1}, NAN},
    {"a CPU, where no stride costs anything", {30, 30.1, 29.9, 30, 30, 29, 30}, NAN},
    {"a price a little below the stride", {30, 18, 12, 6, 5.5, 5.5, 5.5}, 8},
    {"a price far below the stride", {30, 20, 14, 9, 6, 5.9}, NAN},
    {"nothing at stride 1", {0, 16, 8, 4, 2, 1}, NAN},
};

static void check_strides(const struct strided *x)
{
    struct made m = {0};

    /* The order of results is nobody's promise: the last place first. */
    for (unsigned i = 8; i-- > 0;) {
        if (!(x->at[i] > 0))
            continue;
        put(&m, "ocl.local",
            am_arena_printf(&m.arena, "device=thing kernel=read stride=%u width=1", 1U << i),
            1e12 * x->at[i]);
        put(&m, "ocl.global",
            am_arena_printf(&m.arena,
                            "device=thing kernel=read shape=strided stride=%u width=1 size=0",
                            1U << i),
            1e12 * x->at[i]);
    }
    derive(&m);
    check_fact(&m, "ocl.thing.local.banks", x->knee, x->what);
    check_fact(&m, "ocl.thing.global.segment", 4 * x->knee, x->what);
    am_arena_fini(&m.arena);
}

/* A shape that is held up by its instructions does not hide what another one shows. */
static void check_shape(void)
{
    static const double single[] = {1.7, 1.65, 1.1, 0.57, 0.29, 0.24};
    static const double strided[] = {4.6, 2.3, 1.15, 0.57, 0.29, 0.24};
    struct made m = {0};

    for (unsigned i = 0; i < 6; i++) {
        put(&m, "ocl.global",
            am_arena_printf(&m.arena,
                            "device=thing kernel=read shape=single stride=%u width=1 size=0",
                            1U << i),
            1e12 * single[i]);
        put(&m, "ocl.global",
            am_arena_printf(&m.arena,
                            "device=thing kernel=read shape=strided stride=%u width=1 size=0",
                            1U << i),
            1e12 * strided[i]);
    }
    derive(&m);
    check_fact(&m, "ocl.thing.global.segment", 64, "the faster shape");
    am_arena_fini(&m.arena);
}

/* ---- rates ---- */

static void check_rates(void)
{
    struct made m = {0};

    put(&m, "ocl.global", "device=thing kernel=read shape=single stride=0 width=4 size=0", 9e12);
    put(&m, "ocl.global", "device=thing kernel=read shape=single stride=1 width=1 size=0", 1.7e12);
    put(&m, "ocl.global", "device=thing kernel=read shape=single stride=1 width=4 size=0", 4.55e12);
    put(&m, "ocl.global", "device=thing kernel=read shape=row stride=1 width=16 size=0", 4.6e12);
    put(&m, "ocl.global", "device=thing kernel=read shape=row stride=1 width=4 size=65536", 20e12);
    put(&m, "ocl.global", "device=thing kernel=write shape=single stride=1 width=4 size=0", 4e12);
    put(&m, "ocl.global", "device=thing kernel=read shape=row stride=64 width=4 size=0", 2e12);
    put(&m, "ocl.global", "device=thing kernel=read shape=column stride=64 width=4 size=0", 4e12);
    put(&m, "ocl.bus", "device=thing direction=h2d method=map memory=pinned size=4096", 5e9);
    put(&m, "ocl.bus", "device=thing direction=h2d method=map memory=pinned size=8192", 6e9);
    put(&m, "ocl.bus", "device=other direction=h2d method=map memory=pinned size=8192", 7e9);
    derive(&m);
    check_fact(&m, "ocl.thing.global.read.peak", 4.6e12, "memory, and not one place or a cache");
    check_fact(&m, "ocl.thing.global.write.peak", 4e12, "writing");
    check_fact(&m, "ocl.thing.global.read.width", 4, "the narrowest of those that are as fast");
    check_fact(&m, "ocl.thing.global.column_over_row", 2, "columns for a GPU");
    check_fact(&m, "ocl.thing.bus.h2d.peak", 6e9, "the best of the sizes");
    check_fact(&m, "ocl.other.bus.h2d.peak", 7e9, "each device by itself");
    check_fact(&m, "ocl.thing.bus.d2h.peak", NAN, "a direction that was not measured");
    check_fact(&m, "ocl.thing.local.read.peak", NAN, "no local memory");
    am_arena_fini(&m.arena);
}

/* ---- caches and scaling ---- */

static void check_caches(void)
{
    struct made m = {0};
    const struct am_fact *f;

    for (unsigned i = 14; i < 30; i++) {
        put(&m, "ocl.cache",
            am_arena_printf(&m.arena, "device=thing kernel=read size=%u width=4", 1U << i),
            i <= 17   ? 20e12
            : i <= 25 ? 8e12
                      : 4e12);
    }
    derive(&m);
    f = am_facts_find(&m.facts, "ocl.thing.cache1.size");
    ok(f && f->value >= 1 << 17 && f->value <= 1 << 18, "the first cache ends at %g bytes",
       f ? f->value : NAN);
    f = am_facts_find(&m.facts, "ocl.thing.cache2.size");
    ok(f && f->value >= 1 << 25 && f->value <= 1 << 26, "the second one at %g", f ? f->value : NAN);
    check_fact(&m, "ocl.thing.cache2.bandwidth", 8e12, "of the level");
    check_fact(&m, "ocl.thing.cache3.size", NAN, "memory does not end");
    am_arena_fini(&m.arena);
}

static void check_scaling(void)
{
    struct made m = {0};

    put(&m, "ocl.scale", "device=thing backend=opencl items=1 size=64", 8);
    put(&m, "ocl.scale", "device=thing backend=opencl items=256 size=64", 1.05);
    put(&m, "ocl.scale", "device=thing backend=opencl items=4096 size=64", 1);
    put(&m, "ocl.scale", "device=host backend=pthread items=1 size=64", 6);
    put(&m, "ocl.scale", "device=host backend=pthread items=16 size=64", 4);
    put(&m, "ocl.scale", "device=libgomp backend=openmp items=16 size=64", 3);
    derive(&m);
    check_fact(&m, "ocl.thing.scale.items", 256, "the fewest that are about as fast");
    check_fact(&m, "ocl.thing.scale.over_host", 3, "the best of all threads");
    check_fact(&m, "ocl.host.scale.items", NAN, "the host is no device");
    am_arena_fini(&m.arena);
}

/* The same device as a CPU, which says so by a note. */
static void check_native(void)
{
    struct am_kv kind = {"device_kind", "cpu"};
    struct made m = {0};

    put(&m, "ocl.scale", "device=thing backend=opencl items=4096 size=64", 4);
    put(&m, "ocl.scale", "device=host backend=pthread items=16 size=64", 3);
    put(&m, "ocl.global", "device=thing kernel=read shape=row stride=1 width=16 size=0", 30e9);
    put(&m, "ocl.global", "device=thing kernel=write shape=row stride=1 width=16 size=0", 30e9);
    for (size_t i = 0; i < m.set.n; i++)
        m.results[i].notes = (struct am_kvs){&kind, 1, 1};
    m.facts.arena = &m.arena;
    am_facts_offer(&m.facts, (struct am_fact){.id = "memory.bandwidth.read.threads2",
                                              .what = "native",
                                              .unit = "B/s",
                                              .value = 40e9,
                                              .ci = {39e9, 41e9, 0.95},
                                              .evidence = "made up"});
    am_facts_offer(&m.facts, (struct am_fact){.id = "memory.bandwidth.read.threads",
                                              .what = "a count",
                                              .unit = "",
                                              .value = 9e99,
                                              .evidence = "made up"});
    derive(&m);
    check_fact(&m, "ocl.thing.scale.native_ratio", 0.75, "a CPU");
    check_fact(&m, "ocl.thing.scale.over_host", NAN, "a CPU");
    check_fact(&m, "ocl.thing.global.read.native_ratio", 0.75, "a CPU");
    check_fact(&m, "ocl.thing.global.write.native_ratio", NAN, "without native writing");
    am_arena_fini(&m.arena);
}

static void check_other_size(void)
{
    struct made m = {0};

    put(&m, "ocl.scale", "device=thing backend=opencl items=4096 size=64", 1);
    put(&m, "ocl.scale", "device=host backend=pthread items=1 size=128", 6);
    derive(&m);
    check_fact(&m, "ocl.thing.scale.over_host", NAN, "arrays of two sizes");
    am_arena_fini(&m.arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(climbs) / sizeof(climbs[0]); i++)
        check_strides(&climbs[i]);
    check_shape();
    check_rates();
    check_caches();
    check_scaling();
    check_native();
    check_other_size();
    return tap_done();
}
