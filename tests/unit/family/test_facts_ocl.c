/* SPDX-License-Identifier: MIT */
/* The facts of ocl.arith and ocl.launch, from made-up devices. */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

enum { PARAMS_MAX = 12, LAUNCHES = 6, ROWS_MAX = 16 };

struct row {
    const char *bench, *text, *metric;
    double value;
    const char *kind; /* of the device, as the worker notes it */
};

struct made {
    struct am_arena arena;
    struct am_result results[ROWS_MAX];
    struct am_result_metric metrics[ROWS_MAX];
    struct am_launch_values launches[ROWS_MAX][LAUNCHES];
    double values[ROWS_MAX];
    struct am_result_set set;
    struct am_facts facts;
};

static void put(struct made *m, const struct row *row)
{
    const size_t i = m->set.n++;
    struct am_result *const r = &m->results[i];

    *r = (struct am_result){.bench = row->bench, .state = AM_POINT_OK, .text = row->text};
    rx_params(&m->arena, r, row->text, PARAMS_MAX);
    if (row->kind)
        am_kvs_add(&r->notes, &m->arena, "device_kind", row->kind);
    m->values[i] = row->value;
    for (size_t l = 0; l < LAUNCHES; l++)
        m->launches[i][l] = (struct am_launch_values){.values = &m->values[i], .n = 1};
    m->metrics[i] = (struct am_result_metric){
        .name = row->metric, .unit = "", .series = {.launches = m->launches[i], .n = LAUNCHES}};
    r->metrics = &m->metrics[i];
    r->n_metrics = 1;
    m->set.results = m->results;
}

#define ARITH(device, op, type, width, mode)                                                       \
    "device=" device " op=" op " type=" type " width=" #width                                      \
    " chains=auto form=affine mode=" mode " items=auto group=auto"

static const struct row rows[] = {
    {"ocl.arith", ARITH("a", "add", "float", 8, "throughput"), "flops", 100, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 1, "throughput"), "flops", 20, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 8, "throughput"), "flops", 196, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 16, "throughput"), "flops", 200, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 1, "latency"), "latency", 1e-9, "cpu"},
    {"ocl.arith", ARITH("a", "fma", "float", 16, "latency"), "latency", 2e-9, "cpu"},
    {"ocl.arith", ARITH("b", "fma", "float", 4, "throughput"), "flops", 6e4, "other"},
    {"cpu.flops", "op=fma type=f32 isa=avx2 streams=12 threads=1", "flops", 125, NULL},
    {"cpu.flops", "op=fma type=f32 isa=avx2 streams=12 threads=2", "flops", 250, NULL},
    {"cpu.flops", "op=fma type=f64 isa=avx2 streams=12 threads=2", "flops", 900, NULL},
    {"ocl.launch", "device=b items=1", "round_trip", 1e-5, "other"},
    {"ocl.launch", "device=b items=64", "round_trip", 9e-5, "other"},
};

/* What must be said; NAN: nothing. */
static const struct {
    const char *id;
    double value;
} wanted[] = {
    {"ocl.a.flops.float.peak", 200},
    {"ocl.a.flops.float.width", 8},
    {"ocl.a.flops.float.native_ratio", 0.8},
    {"ocl.a.latency.fma.float", 1e-9},
    {"ocl.b.flops.float.peak", 6e4},
    {"ocl.b.flops.float.width", NAN},        /* one width shows nothing */
    {"ocl.b.flops.float.native_ratio", NAN}, /* no CPU */
    {"ocl.b.launch.round_trip", 1e-5},
    {"ocl.b.launch.build", NAN},
};

static void check(bool backwards)
{
    struct made m = {.set = {.n = 0}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        put(&m, &rows[backwards ? sizeof(rows) / sizeof(rows[0]) - 1 - i : i]);
    m.facts.arena = &m.arena;
    am_derive_ocl(&m.set, &m.facts);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct am_fact *const f = am_facts_find(&m.facts, wanted[i].id);

        if (isnan(wanted[i].value))
            ok(!f, "nothing is said of %s", wanted[i].id);
        else
            ok(f && fabs(f->value / wanted[i].value - 1) < 1e-9 && f->evidence && f->what,
               "%s is %g: %s", wanted[i].id, wanted[i].value, f ? f->evidence : "not there");
    }
    am_arena_fini(&m.arena);
}

int main(void)
{
    check(false);
    check(true); /* the order of results is nobody's promise */
    return tap_done();
}
