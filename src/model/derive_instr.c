/* SPDX-License-Identifier: MIT */
/* What cpu.instr shows of the core: latencies and rates of the instructions that bound programs. */
#include "model/derive.h"

#include <string.h>

/* An instruction that programs spend their time in; on each architecture some of these exist. */
struct key_form {
    const char *instr;
    const char *what; /* in words, for a person */
};

static const struct key_form key_forms[] = {
    {"add_r64", "64-bit integer addition"},
    {"imul_r64", "64-bit integer multiplication"},
    {"div_r64", "128-by-64-bit integer division"},
    {"mov_r64_m64", "load from the first-level cache"},
    {"addsd_xmm", "scalar f64 addition"},
    {"mulsd_xmm", "scalar f64 multiplication"},
    {"divsd_xmm", "scalar f64 division"},
    {"vaddpd_ymm", "256-bit f64 addition"},
    {"vmulpd_ymm", "256-bit f64 multiplication"},
    {"vfmadd231pd_ymm", "256-bit f64 fused multiply-add"},
    {"vfmadd231ps_ymm", "256-bit f32 fused multiply-add"},
    {"vdivpd_ymm", "256-bit f64 division"},
    {"vsqrtpd_ymm", "256-bit f64 square root"},
    {"vfmadd231pd_zmm", "512-bit f64 fused multiply-add"},
    {"vdivpd_zmm", "512-bit f64 division"},
    {"vpermd_ymm", "256-bit permutation across lanes"},
    {"vpgatherdd_ymm", "gather of eight words from one cache line"},
    {"add_x", "64-bit integer addition"},
    {"mul_x", "64-bit integer multiplication"},
    {"udiv_x", "64-bit integer division"},
    {"ldr_x", "load from the first-level cache"},
    {"fadd_d", "scalar f64 addition"},
    {"fmadd_d", "scalar f64 fused multiply-add"},
    {"fadd_2d", "128-bit f64 addition"},
    {"fmul_2d", "128-bit f64 multiplication"},
    {"fmla_2d", "128-bit f64 fused multiply-add"},
    {"fmla_4s", "128-bit f32 fused multiply-add"},
    {"fdiv_2d", "128-bit f64 division"},
    {"fsqrt_2d", "128-bit f64 square root"},
};

static void add_latency(const struct am_result *r, const struct key_form *key,
                        struct am_facts *facts)
{
    struct am_summary s;

    if (!am_result_summary(r, "latency", &s))
        return;
    (void)am_facts_add(
        facts, &(struct am_fact){
                   .id = am_arena_printf(facts->arena, "cpu.latency.%s", key->instr),
                   .what = am_arena_printf(facts->arena, "latency of %s", key->what),
                   .unit = "cycle",
                   .value = s.median,
                   .ci = s.ci,
                   .evidence = am_arena_printf(
                       facts->arena, "cpu.instr instr=%s: a chain of dependent ones, %zu launches",
                       key->instr, s.launches),
               });
}

/* A rate is the reciprocal of what is measured, and so is its interval. */
static void add_rate(const struct am_result *r, const struct key_form *key, struct am_facts *facts)
{
    struct am_summary s;

    if (!am_result_summary(r, "throughput", &s) || !(s.ci.lo > 0) || !(s.median > 0))
        return;
    (void)am_facts_add(
        facts, &(struct am_fact){
                   .id = am_arena_printf(facts->arena, "cpu.rate.%s", key->instr),
                   .what = am_arena_printf(facts->arena, "rate of %s", key->what),
                   .unit = "1/cycle",
                   .value = 1 / s.median,
                   .ci = {.lo = 1 / s.ci.hi, .hi = 1 / s.ci.lo, .coverage = s.ci.coverage},
                   .evidence = am_arena_printf(
                       facts->arena,
                       "cpu.instr instr=%s: reciprocal of the throughput of independent ones, %zu "
                       "launches",
                       key->instr, s.launches),
               });
}

static const struct am_result *find_form(const struct am_result_set *set, const char *instr)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *const text = am_result_text(r, "instr");

        if (strcmp(r->bench, "cpu.instr") == 0 && text && strcmp(text, instr) == 0)
            return r;
    }
    return NULL;
}

void am_derive_instr(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < sizeof(key_forms) / sizeof(key_forms[0]); i++) {
        const struct am_result *const r = find_form(set, key_forms[i].instr);

        if (!r)
            continue;
        add_latency(r, &key_forms[i], facts);
        add_rate(r, &key_forms[i], facts);
    }
}
