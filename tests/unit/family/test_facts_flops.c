/* SPDX-License-Identifier: MIT */
/* Facts of cpu.flops on a core with two hardware threads, from made-up results. */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>

enum { LAUNCHES = 6, PARAMS_MAX = 6 };

static const struct {
    const char *text;
    double rate;
} rows[] = {
    {"op=fma type=f64 isa=avx2 streams=1 threads=1 smt=single", 2},
    {"op=fma type=f64 isa=avx2 streams=12 threads=1 smt=single", 16},
    {"op=fma type=f64 isa=avx2 streams=1 threads=2 smt=pair", 3.8},
    {"op=add type=f64 isa=avx2 streams=1 threads=2 smt=pair", 9},
    {"op=fma type=f64 isa=avx2 streams=12 threads=2 smt=pair", 16.8},
    {"op=fma type=f64 isa=avx2 streams=12 threads=2 smt=single", 32},
    {"op=fma type=f64 isa=avx2 streams=12 threads=4 smt=pair", 33},
    {"op=fma type=f32 isa=avx2 streams=12 threads=1 smt=single", 32},
    {"op=fma type=f32 isa=sse2 streams=12 threads=1", 8}, /* before there was such an axis */
};

static const struct {
    const char *id;
    double value; /* 0: there is no such fact */
} wanted[] = {
    {"cpu.flops.f64.avx2.peak", 16},
    {"cpu.flops.f64.avx2.threads2.peak", 32},
    {"cpu.flops.f64.avx2.threads4.peak", 33},
    {"cpu.flops.f64.avx2.smt_gain", 1.05},      /* one thread keeps the units busy */
    {"cpu.flops.f64.avx2.smt_gain.chain", 1.9}, /* of the same operation */
    {"cpu.flops.f32.avx2.smt_gain", 0},
    {"cpu.flops.f32.sse2.peak", 8},
    {"cpu.flops.f32.sse2.smt_gain", 0},
};

/* Launches differ by 2 % about the rate. */
static void add(struct am_result_set *set, struct am_arena *arena, const char *text, double rate)
{
    struct am_result *const r = &set->results[set->n++];
    struct am_launch_values *const l = am_arena_array(arena, LAUNCHES, sizeof(*l));
    double *const v = am_arena_array(arena, LAUNCHES, sizeof(*v));

    for (size_t i = 0; i < LAUNCHES; i++) {
        v[i] = rate * (0.99 + 0.02 * (double)i / (LAUNCHES - 1));
        l[i] = (struct am_launch_values){.launch_id = (int64_t)i, .values = &v[i], .n = 1};
    }
    *r = (struct am_result){
        .bench = "cpu.flops", .text = text, .state = AM_POINT_OK, .n_metrics = 1};
    rx_params(arena, r, text, PARAMS_MAX);
    r->metrics = am_arena_array(arena, 1, sizeof(*r->metrics));
    r->metrics[0] = (struct am_result_metric){.name = "flops",
                                              .unit = "flop/s",
                                              .better = AM_HIGHER,
                                              .series = {.launches = l, .n = LAUNCHES}};
}

int main(void)
{
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};
    struct am_result_set set = {0};

    set.results = am_arena_array(&arena, sizeof(rows) / sizeof(rows[0]), sizeof(*set.results));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        add(&set, &arena, rows[i].text, rows[i].rate);
    am_derive_flops(&set, &facts);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct am_fact *const fact = am_facts_find(&facts, wanted[i].id);

        if (wanted[i].value > 0)
            ok(fact && fabs(fact->value / wanted[i].value - 1) < 0.005 &&
                   fact->ci.lo <= fact->value && fact->value <= fact->ci.hi && fact->evidence,
               "%s is %g", wanted[i].id, fact ? fact->value : NAN);
        else
            ok(!fact, "%s is not claimed", wanted[i].id);
    }
    am_arena_fini(&arena);
    return tap_done();
}
