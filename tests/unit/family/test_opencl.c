/* SPDX-License-Identifier: MIT */
/* The facts of ocl.arith, ocl.launch and ocl.branch, from made-up devices. */
#include "family_fixture.h"

#define ARITH(device, op, type, width, mode)                                                       \
    "device=" device " op=" op " type=" type " width=" #width                                      \
    " chains=auto form=affine mode=" mode " items=auto group=auto"

static const struct row {
    const char *bench, *text;
    struct rx_metric metric;
    const char *kind; /* of the device, as the worker tells it */
} rows[] = {
    {"ocl.arith", ARITH("a", "add", "float", 8, "throughput"), {"flops", "flop/s", 100}, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 1, "throughput"), {"flops", "flop/s", 20}, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 8, "throughput"), {"flops", "flop/s", 196}, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 16, "throughput"), {"flops", "flop/s", 200}, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 1, "latency"), {"latency", "s", 1e-9}, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 16, "latency"), {"latency", "s", 2e-9}, "cpu"},
    {"ocl.arith", ARITH("b", "fma", "float", 4, "throughput"), {"flops", "flop/s", 6e4}, "other"},
    {"cpu.flops", "op=fma type=f32 isa=avx2 streams=12 threads=1", {"flops", "flop/s", 125}, NULL},
    {"cpu.flops", "op=fma type=f32 isa=avx2 streams=12 threads=2", {"flops", "flop/s", 250}, NULL},
    {"cpu.flops", "op=fma type=f64 isa=avx2 streams=12 threads=2", {"flops", "flop/s", 900}, NULL},
    {"ocl.launch", "device=b items=1", {"round_trip", "s", 1e-5}, "other"},
    {"ocl.launch", "device=b items=64", {"round_trip", "s", 9e-5}, "other"},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const struct {
    const char *name, *where;
    double value; /* NAN: nothing may be said */
} wanted[] = {
    {"opencl.peak", "device=a type=float", 200},
    {"opencl.width", "device=a type=float", 8},
    {"opencl.peak_over_native", "device=a type=float", 0.8},
    {"opencl.latency", "device=a op=fma type=float", 1e-9},
    {"opencl.peak", "device=b type=float", 6e4},
    {"opencl.width", "device=b", NAN},            /* one width shows nothing */
    {"opencl.peak_over_native", "device=b", NAN}, /* no CPU */
    {"opencl.launch", "device=b", 1e-5},
    {"opencl.build", "device=b", NAN},
};

static void check_arithmetic(bool backwards)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < ROWS; i++) {
        const struct row *const row = &rows[backwards ? ROWS - 1 - i : i];
        struct am_result *const r =
            rx_add(&run, row->bench, row->text, (const struct rx_metric[]){row->metric, {0}});

        if (row->kind)
            am_kvs_add(&r->chosen, &run.arena, "device_kind", row->kind);
    }
    facts = fx_derive(&run, &am_family_opencl);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        fx_check(&facts, wanted[i].name, wanted[i].where, wanted[i].value,
                 backwards ? "backwards" : "in order");
    am_arena_fini(&run.arena);
}

/* ---- branches ---- */

enum { PLACES = 8 };

static const struct device {
    const char *what;
    double times[PLACES];     /* seconds at 1, 2, 4, ... paths; 0 ends them */
    double width, divergence; /* NAN: nothing may be said */
} devices[] = {
    {"in lock step of 32", {1, 2, 4, 8, 15.8, 31, 31.5}, 32, 31.5},
    {"as the paper's GTX 460SE", {2.05, 4, 6.55, 13, 26.78, 60.12, 60}, 32, 60 / 2.05},
    {"in lock step of 8", {1, 1.9, 3.8, 7.4, 7.5, 7.5, 7.6}, 8, 7.6},
    {"one by one", {1, 1, 1.02, 1.01, 1, 1.04, 1.06}, 1, 1.06},
    {"that climbs to the last place", {1, 2, 4, 8, 16}, NAN, 16},
    {"whose branches only cost something", {1, 1.2, 1.4, 1.6, 1.8, 2, 2}, NAN, 2},
    {"of one place", {1}, NAN, NAN},
};

static struct am_result *put_paths(struct rx_run *run, const char *by, unsigned paths, double time)
{
    const char *const text =
        am_arena_printf(&run->arena, "device=thing paths=%u by=%s work=fma items=32768", paths, by);

    return rx_add(run, "ocl.branch", text, (const struct rx_metric[]){{"time", "s", time}, {0}});
}

static void check_device(const struct device *d)
{
    struct rx_run run = {0};
    struct am_facts facts;

    /* The order of results is nobody's promise: the last place first. */
    for (size_t i = PLACES; i-- > 0;) {
        if (d->times[i] > 0)
            (void)put_paths(&run, "local", 1U << i, d->times[i]);
    }
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.simd_width", "device=thing", d->width, d->what);
    fx_check(&facts, "opencl.divergence", "device=thing", d->divergence, d->what);
    am_arena_fini(&run.arena);
}

/* A neighbour that takes the device away from most launches of one place does not make it wider. */
static void check_disturbed(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (unsigned i = 0; i < 7; i++)
        (void)put_paths(&run, "local", 1U << i, i == 3 ? 8 : 1);
    *(double *)run.set.results[3].metrics[0].series.launches[0].values = 1;
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.simd_width", "device=thing", 1, "busy for most of one place");
    am_arena_fini(&run.arena);
}

/* Groups that part are not work-items that part. */
static void check_groups(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (unsigned i = 0; i < 7; i++)
        (void)put_paths(&run, "group", 1U << i, i < 5 ? 1U << i : 32);
    facts = fx_derive(&run, &am_family_opencl);
    ok(facts.n == 0, "paths of whole groups say nothing of the width");
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_arithmetic(false);
    check_arithmetic(true); /* the order of results is nobody's promise */
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        check_device(&devices[i]);
    check_disturbed();
    check_groups();
    return tap_done();
}
