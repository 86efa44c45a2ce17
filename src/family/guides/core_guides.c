/* SPDX-License-Identifier: MIT */
/* Advice about cores: what a programmer should do, as the facts say.
 *
 * A rule speaks where the facts it needs are there, which they are only with a grade of A or B. It
 * gives advice where their intervals lie on one side of what is worth a change of code, and says
 * "Not decided" with the interval where they do not. */
#include "family/core.h"

#include <math.h>

/* Smaller effects are no advice. */
static const double worth = 1.1;

static bool say_streams(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    const struct am_fact *const peak = am_facts_most(facts, "core.peak", "type=f64 threads=1");
    const char *const isa = peak ? am_fact_text(peak, "isa") : NULL;
    const struct am_fact *const streams =
        isa ? am_facts_only(facts, "core.streams", am_arena_printf(arena, "type=f64 isa=%s", isa))
            : NULL;

    if (!streams)
        return false;
    *out = (struct am_guideline){
        .text =
            am_arena_printf(arena,
                            streams->ci.hi <= 2 * streams->ci.lo
                                ? "Keep at least %.0f independent f64 operations of %s under "
                                  "way: as many streams reach the peak, %.0f do not."
                                : "Not decided: %.0f independent f64 operations of %s reach the "
                                  "peak, %.0f do not; what lies between was not measured.",
                            streams->value, isa, streams->ci.lo - 1),
        .evidence = am_arena_printf(arena, "%s = %.0f, between %.0f and %.0f", streams->id,
                                    streams->value, streams->ci.lo, streams->ci.hi),
        .command =
            am_arena_printf(arena, "run cpu.flops -p type=f64 -p isa=%s -p streams=1:16", isa),
        .grading = am_grading_worse(peak->grading, streams->grading),
    };
    return true;
}

/* " (1.9 to 2.1)": the ratio's interval, by the ends of both. */
static const char *ratio_range(const struct am_fact *a, const struct am_fact *b,
                               struct am_arena *arena)
{
    const char *const text =
        am_arena_printf(arena, " (%.3g to %.3g)", a->ci.lo / b->ci.hi, a->ci.hi / b->ci.lo);

    return text ? text : "";
}

static bool say_vectors(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    static const char *const advice[] = {
        [AM_SIDE_ABOVE] = "Vectorise with %s: %.1f x the arithmetic of %s code%s.",
        [AM_SIDE_BELOW] = "Vectors hardly matter: %s has %.2f x the arithmetic of %s code%s.",
        [AM_SIDE_OPEN] = "Not decided: %s has about %.2f x the arithmetic of %s code%s."};
    static const char where[] = "type=f64 threads=1";
    const struct am_fact *const peak = am_facts_most(facts, "core.peak", where);
    const struct am_fact *base = am_facts_only(facts, "core.peak", "type=f64 isa=scalar threads=1");

    for (const struct am_fact *f = base ? NULL : am_facts_next(facts, "core.peak", where, NULL); f;
         f = am_facts_next(facts, "core.peak", where, f)) {
        if (f != peak && (!base || f->value > base->value))
            base = f;
    }
    if (!peak || !base || peak == base)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena, advice[am_facts_side(peak, base, worth)],
                                am_fact_text(peak, "isa"), peak->value / base->value,
                                am_fact_text(base, "isa"), ratio_range(peak, base, arena)),
        .evidence = am_arena_printf(arena, "%s = %.3g, %s = %.3g Gflop/s", peak->id,
                                    peak->value / 1e9, base->id, base->value / 1e9),
        .command = "run cpu.flops -p type=f64 -p isa=usable",
        .grading = am_grading_worse(peak->grading, base->grading),
    };
    return true;
}

/* A ratio is quoted with a digit behind the point where its interval is this narrow. */
static const double quotable = 1.3;

static enum am_fact_side quoted_side(const struct am_fact *a, const struct am_fact *b)
{
    const double width = a->ci.hi / a->ci.lo * (b->ci.hi / b->ci.lo);

    return width <= quotable ? am_facts_side(a, b, worth) : AM_SIDE_OPEN;
}

/* The single-precision peak of the same instruction set; NULL when it is not known. */
static const struct am_fact *single_of(const struct am_facts *facts, const struct am_fact *f64,
                                       struct am_arena *arena)
{
    const char *const where =
        am_arena_printf(arena, "type=f32 isa=%s threads=1", am_fact_text(f64, "isa"));

    return where ? am_facts_only(facts, "core.peak", where) : NULL;
}

/* Of one instruction set, the fastest that has both: peaks of different ones say nothing of types.
 */
static bool say_precision(const struct am_facts *facts, struct am_arena *arena,
                          struct am_guideline *out)
{
    static const char *const advice[] = {
        [AM_SIDE_ABOVE] = "Single precision has %.1f x the arithmetic of double%s, with %s.",
        [AM_SIDE_BELOW] = "Single precision gains no arithmetic: %.2f x that of double%s, with %s.",
        [AM_SIDE_OPEN] =
            "Not decided: single precision has %.2f x that of double or so%s, with %s."};
    static const char where[] = "type=f64 threads=1";
    const struct am_fact *f64 = NULL, *f32 = NULL;

    for (const struct am_fact *f = am_facts_next(facts, "core.peak", where, NULL); f;
         f = am_facts_next(facts, "core.peak", where, f)) {
        const struct am_fact *const single = single_of(facts, f, arena);

        if (single && (!f64 || f->value > f64->value)) {
            f64 = f;
            f32 = single;
        }
    }
    if (!f64)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena, advice[quoted_side(f32, f64)], f32->value / f64->value,
                                ratio_range(f32, f64, arena), am_fact_text(f64, "isa")),
        .evidence = am_arena_printf(arena, "%s = %.3g, %s = %.3g Gflop/s", f32->id,
                                    f32->value / 1e9, f64->id, f64->value / 1e9),
        .command = "run cpu.flops -p type=f32,f64 -p isa=best",
        .grading = am_grading_worse(f32->grading, f64->grading),
    };
    return true;
}

static bool say_division(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    static const char *const pairs[][2] = {{"vdivpd_zmm", "vfmadd231pd_zmm"},
                                           {"vdivpd_ymm", "vfmadd231pd_ymm"},
                                           {"fdiv_2d", "fmla_2d"}};
    static const char *const opening[] = {"Not decided", "Divide as little as possible", ""};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct am_fact *const divide =
            am_facts_only(facts, "core.rate", am_arena_printf(arena, "instr=%s", pairs[i][0]));
        const struct am_fact *const fma =
            am_facts_only(facts, "core.rate", am_arena_printf(arena, "instr=%s", pairs[i][1]));

        if (!fma || !divide || am_facts_side(fma, divide, worth) == AM_SIDE_BELOW)
            continue;
        *out = (struct am_guideline){
            .text = am_arena_printf(arena,
                                    "%s: one f64 division takes the time of %.0f multiplications "
                                    "and additions.",
                                    opening[am_facts_side(fma, divide, worth)],
                                    2 * fma->value / divide->value),
            .evidence = am_arena_printf(arena, "%s = %.3g, %s = %.3g per cycle", divide->id,
                                        divide->value, fma->id, fma->value),
            .command =
                am_arena_printf(arena, "run cpu.instr -p instr=%s,%s", pairs[i][0], pairs[i][1]),
            .grading = am_grading_worse(fma->grading, divide->grading),
        };
        return true;
    }
    return false;
}

static bool say_smt(const struct am_facts *facts, struct am_arena *arena, struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_most(facts, "core.smt_gain", "work=peak");

    if (!f || !am_fact_is_decided(f))
        return false;
    out->text =
        f->ci.lo > worth
            ? am_arena_printf(arena,
                              "Use %.0f hardware threads of a core: together they reach %.2f x "
                              "the peak of one.",
                              am_fact_number(f, "threads"), f->value)
        : f->ci.hi <= worth
            ? am_arena_printf(arena,
                              "One thread per core is enough where code reaches the peak: %.0f "
                              "give %.2f x.",
                              am_fact_number(f, "threads"), f->value)
            : am_arena_printf(arena,
                              "Not decided: %.0f threads of a core reach between %.2f and %.2f x "
                              "the peak of one.",
                              am_fact_number(f, "threads"), f->ci.lo, f->ci.hi);
    out->evidence =
        am_arena_printf(arena, "%s = %.3g, from %.3g to %.3g", f->id, f->value, f->ci.lo, f->ci.hi);
    out->command = "run cpu.flops -p on=machine,smt* -p threads=1,smt";
    out->grading = f->grading;
    return true;
}

static bool say_count(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "core.count", NULL);

    if (!f || !f->contradicts)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena,
                                "Count on the arithmetic of %.0f cores, not of the %s that are "
                                "claimed: CPUs share cores, or the rest belongs to others.",
                                round(f->value), f->claimed),
        .evidence = am_arena_printf(arena, "core.count = %.3g (%s)", f->value, f->evidence),
        .command = "run cpu.flops -p threads=1:cpus:*2",
        .grading = f->grading,
    };
    return true;
}

const struct am_guideline_rule am_core_guidelines[] = {
    {"core.streams", say_streams},
    {"core.vectors", say_vectors},
    {"core.precision", say_precision},
    {"core.division", say_division},
    {"core.smt", say_smt},
    {"cores.effective", say_count},
    {NULL, NULL},
};
