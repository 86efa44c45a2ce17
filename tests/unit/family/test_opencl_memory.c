/* SPDX-License-Identifier: MIT */
/* What ocl.global, ocl.local, ocl.cache, ocl.latency, ocl.bus and ocl.scale show, from made-up
 * devices. */
#include "family_fixture.h"

static struct am_result *put(struct rx_run *run, const char *bench, const char *text, double value)
{
    const struct rx_metric time = {"time", "s", value}, rate = {"bandwidth", "B/s", value};

    return rx_add(run, bench, text,
                  (const struct rx_metric[]){strcmp(bench, "ocl.scale") == 0 ? time : rate, {0}});
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
    struct rx_run run = {0};
    struct am_facts facts;

    /* The order of results is nobody's promise: the last place first. */
    for (unsigned i = 8; i-- > 0;) {
        if (!(x->at[i] > 0))
            continue;
        (void)put(
            &run, "ocl.local",
            am_arena_printf(&run.arena, "device=thing kernel=read stride=%u width=1", 1U << i),
            1e12 * x->at[i]);
        (void)put(&run, "ocl.global",
                  am_arena_printf(&run.arena,
                                  "device=thing kernel=read shape=strided stride=%u width=1 size=0",
                                  1U << i),
                  1e12 * x->at[i]);
    }
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.banks", "device=thing", x->knee, x->what);
    fx_check(&facts, "opencl.segment", "device=thing", 4 * x->knee, x->what);
    am_arena_fini(&run.arena);
}

/* A shape that is held up by its instructions does not hide what another one shows. */
static void check_shape(void)
{
    static const double single[] = {1.7, 1.65, 1.1, 0.57, 0.29, 0.24};
    static const double strided[] = {4.6, 2.3, 1.15, 0.57, 0.29, 0.24};
    struct rx_run run = {0};
    struct am_facts facts;

    for (unsigned i = 0; i < 6; i++) {
        (void)put(&run, "ocl.global",
                  am_arena_printf(&run.arena,
                                  "device=thing kernel=read shape=single stride=%u width=1 size=0",
                                  1U << i),
                  1e12 * single[i]);
        (void)put(&run, "ocl.global",
                  am_arena_printf(&run.arena,
                                  "device=thing kernel=read shape=strided stride=%u width=1 size=0",
                                  1U << i),
                  1e12 * strided[i]);
    }
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.segment", "device=thing", 64, "the faster shape");
    am_arena_fini(&run.arena);
}

/* ---- rates ---- */

static void check_rates(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    (void)put(&run, "ocl.global", "device=thing kernel=read shape=single stride=0 width=4 size=0",
              9e12);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=single stride=1 width=1 size=0",
              1.7e12);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=single stride=1 width=4 size=0",
              4.55e12);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=row stride=1 width=16 size=0",
              4.6e12);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=row stride=1 width=4 size=65536",
              20e12);
    (void)put(&run, "ocl.global", "device=thing kernel=write shape=single stride=1 width=4 size=0",
              4e12);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=row stride=64 width=4 size=0",
              2e12);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=column stride=64 width=4 size=0",
              4e12);
    (void)put(&run, "ocl.bus", "device=thing direction=h2d method=map memory=pinned size=4096",
              5e9);
    (void)put(&run, "ocl.bus", "device=thing direction=h2d method=map memory=pinned size=8192",
              6e9);
    (void)put(&run, "ocl.bus", "device=other direction=h2d method=map memory=pinned size=8192",
              7e9);
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.read", "device=thing", 4.6e12, "memory, and not one place or a cache");
    fx_check(&facts, "opencl.write", "device=thing", 4e12, "writing");
    fx_check(&facts, "opencl.read_width", "device=thing", 4,
             "the narrowest of those that are as fast");
    fx_check(&facts, "opencl.column_over_row", "device=thing", 2, "columns for a GPU");
    fx_check(&facts, "opencl.transfer", "device=thing direction=h2d", 6e9, "the best of the sizes");
    fx_check(&facts, "opencl.transfer", "device=other direction=h2d", 7e9, "each device by itself");
    fx_check(&facts, "opencl.transfer", "device=thing direction=d2h", NAN,
             "a direction that was not measured");
    fx_check(&facts, "opencl.local_read", "device=thing", NAN, "no local memory");
    am_arena_fini(&run.arena);
}

/* ---- caches and scaling ---- */

static void check_caches(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (unsigned i = 14; i < 30; i++) {
        (void)put(&run, "ocl.cache",
                  am_arena_printf(&run.arena, "device=thing kernel=read size=%u width=4", 1U << i),
                  i <= 17   ? 20e12
                  : i <= 25 ? 8e12
                            : 4e12);
    }
    facts = fx_derive(&run, &am_family_opencl);
    f = am_facts_only(&facts, "opencl.cache_size", "level=1");
    ok(f && f->value >= 1 << 17 && f->value <= 1 << 18, "the first cache ends at %g bytes",
       f ? f->value : NAN);
    f = am_facts_only(&facts, "opencl.cache_size", "level=2");
    ok(f && f->value >= 1 << 25 && f->value <= 1 << 26, "the second one at %g", f ? f->value : NAN);
    fx_check(&facts, "opencl.cache_read", "device=thing level=2", 8e12, "of the level");
    fx_check(&facts, "opencl.cache_size", "device=thing level=3", NAN, "memory does not end");
    am_arena_fini(&run.arena);
}

/* An H200 as it was seen: a first cache, the near and the far half of the second, memory. */
static void check_levels(void)
{
    static const struct {
        unsigned kib;
        double ns;
    } seen[] = {{16, 16.2},   {64, 16.2},    {128, 16.2},    {192, 16.2},
                {512, 141},   {1024, 142},   {4096, 142},    {16384, 142},
                {24576, 142}, {40960, 258},  {49152, 258},   {57344, 259},
                {98304, 329}, {262144, 330}, {1048576, 335}, {4194304, 337}};
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        const struct rx_metric metric = {"latency", "s", seen[i].ns * 1e-9};

        (void)rx_add(&run, "ocl.latency",
                     am_arena_printf(&run.arena, "device=thing space=global size=%llu",
                                     1024ULL * seen[i].kib),
                     (const struct rx_metric[]){metric, {0}});
    }
    facts = fx_derive(&run, &am_family_opencl);
    f = am_facts_only(&facts, "opencl.level_size", "level=1");
    ok(f && f->value >= 192 << 10 && f->value <= 512 << 10, "the first level ends at %g bytes",
       f ? f->value : NAN);
    f = am_facts_only(&facts, "opencl.level_latency", "level=2");
    ok(f && fabs(f->value - 142e-9) < 2e-9, "the second one takes %g s", f ? f->value : NAN);
    f = am_facts_only(&facts, "opencl.level_latency", "level=memory");
    ok(f && f->value > 320e-9 && f->value < 340e-9, "memory takes %g s", f ? f->value : NAN);
    ok(!am_facts_only(&facts, "opencl.level_size", "level=memory"), "and does not end");
    am_arena_fini(&run.arena);
}

static void check_scaling(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    (void)put(&run, "ocl.scale", "device=thing backend=opencl items=1 size=64", 8);
    (void)put(&run, "ocl.scale", "device=thing backend=opencl items=256 size=64", 1.05);
    (void)put(&run, "ocl.scale", "device=thing backend=opencl items=4096 size=64", 1);
    (void)put(&run, "ocl.scale", "device=host backend=pthread items=1 size=64", 6);
    (void)put(&run, "ocl.scale", "device=host backend=pthread items=16 size=64", 4);
    (void)put(&run, "ocl.scale", "device=libgomp backend=openmp items=16 size=64", 3);
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.scale_items", "device=thing", 256,
             "the fewest that are about as fast");
    fx_check(&facts, "opencl.scale_over_host", "device=thing", 3, "the best of all threads");
    fx_check(&facts, "opencl.scale_items", "device=host", NAN, "the host is no device");
    am_arena_fini(&run.arena);
}

/* The same device as a CPU, which says so by device_kind. */
static void check_native(void)
{
    struct am_kv kind = {"device_kind", "cpu"};
    struct am_fact native = {.name = "bandwidth",
                             .what = "native",
                             .unit = "B/s",
                             .value = 40e9,
                             .ci = {39e9, 41e9, 0.95},
                             .evidence = "made up"};
    struct rx_run run = {0};
    struct am_facts facts;

    (void)put(&run, "ocl.scale", "device=thing backend=opencl items=4096 size=64", 4);
    (void)put(&run, "ocl.scale", "device=host backend=pthread items=16 size=64", 3);
    (void)put(&run, "ocl.global", "device=thing kernel=read shape=row stride=1 width=16 size=0",
              30e9);
    (void)put(&run, "ocl.global", "device=thing kernel=write shape=row stride=1 width=16 size=0",
              30e9);
    for (size_t i = 0; i < run.set.n; i++)
        run.set.results[i].chosen = (struct am_kvs){&kind, 1, 1};
    am_evidence_settle(&run.set);
    facts = (struct am_facts){.arena = &run.arena, .family = "memory"};
    am_fact_label(&native, &run.arena, "level", AM_AXIS_NAME, "memory");
    am_fact_label(&native, &run.arena, "kernel", AM_AXIS_NAME, "read");
    am_facts_offer(&facts, native);
    am_family_derive(&am_family_opencl, &run.set, &facts);
    fx_check(&facts, "opencl.scale_over_native", "device=thing", 0.75, "a CPU");
    fx_check(&facts, "opencl.scale_over_host", "device=thing", NAN, "a CPU");
    fx_check(&facts, "opencl.read_over_native", "device=thing", 0.75, "a CPU");
    fx_check(&facts, "opencl.write_over_native", "device=thing", NAN, "without native writing");
    am_arena_fini(&run.arena);
}

static void check_other_size(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    (void)put(&run, "ocl.scale", "device=thing backend=opencl items=4096 size=64", 1);
    (void)put(&run, "ocl.scale", "device=host backend=pthread items=1 size=128", 6);
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.scale_over_host", "device=thing", NAN, "arrays of two sizes");
    am_arena_fini(&run.arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(climbs) / sizeof(climbs[0]); i++)
        check_strides(&climbs[i]);
    check_shape();
    check_rates();
    check_caches();
    check_levels();
    check_scaling();
    check_native();
    check_other_size();
    return tap_done();
}
