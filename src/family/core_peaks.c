/* SPDX-License-Identifier: MIT */
/* What cores can do, and whether their cycles can be believed: peaks of arithmetic as capabilities,
 * and the standards of known latency.
 *
 * Evidence of a peak is cpu.flops by any operation, and the rate of operations that an application
 * executed (am_bound_row.executed) with the same type, instruction set and threads. A peak so never
 * lies below what was done: where an application did more, its rate is the peak, and the fact says
 * so.
 */
#include "family/core.h"

#include "evidence/standards.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* What an application with the same labels executed, where it is sound and more than the best so
 * far. */
static bool executed_more(const struct am_result *r, const struct am_pick *best,
                          struct am_pick *out)
{
    const char *const type = am_result_type(r), *const isa = am_result_isa(r);

    return am_families_executed(r, out) && type && isa &&
           am_result_is(best->result, "type", type) && am_result_is(best->result, "isa", isa) &&
           fabs(am_result_number(best->result, "threads") - am_result_threads(r)) < 0.5 &&
           out->metric->summary.median > best->metric->summary.median;
}

/* The best by cpu.flops of some labels, or what applications executed beyond it. Executed rates
 * that are not sound raise nothing, but are not passed over in silence. */
static struct am_pick best_peak(const struct am_deriving *d, const struct am_pick *measured)
{
    struct am_pick best = *measured, other;

    for (size_t i = 0; i < d->set->n; i++) {
        if (!executed_more(&d->set->results[i], &best, &other))
            continue;
        if (other.metric->grading.grade != AM_GRADE_C)
            best = other;
        else
            am_facts_remark(d->facts,
                            "%s %s executed %.3g Gflop/s, above the peak of %.3g that %s reached; "
                            "the peak is not raised to it, for it is of grade C",
                            other.result->bench, other.result->text,
                            other.metric->summary.median / 1e9, best.metric->summary.median / 1e9,
                            best.result->bench);
    }
    return best;
}

void am_core_derive_peaks(const struct am_deriving *d)
{
    static const char labels[] = "type,isa,threads";
    const struct am_selector selector = {"cpu.flops", "op", "flops"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, labels);

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks sound = am_picks_sound(&groups.items[i].picks);
        const struct am_pick *const measured = am_picks_best(&sound);
        const struct am_pick best = best_peak(d, measured);
        struct am_fact fact = am_fact_of(&best, d->arena);

        fact.name = "peak";
        fact.what = "peak rate of these threads together";
        fact.kind = AM_FACT_CAPABILITY;
        am_fact_label_axes(&fact, measured->result, labels);
        if (best.result != measured->result)
            fact.evidence =
                am_arena_printf(d->arena, "executed by %s %s; cpu.flops %s reached %.3g Gflop/s",
                                best.result->bench, best.result->text, measured->result->text,
                                measured->metric->summary.median / 1e9);
        am_facts_offer(d->facts, fact);
    }
}

/* ---- narrow types ---- */

static const struct {
    const char *instr, *type;
} dots[] = {
    {"vpmaddwd_ymm", "i16"},    {"vpdpwssd_ymm", "i16"},   {"vpdpwssd_zmm", "i16"},
    {"vpdpbusd_ymm", "i8"},     {"vpdpbusd_zmm", "i8"},    {"tdpbssd", "i8"},
    {"sdot_16b", "i8"},         {"smmla_16b", "i8"},       {"sdot_z", "i8"},
    {"tdpbf16ps", "bf16"},      {"vdpbf16ps_zmm", "bf16"}, {"bfdot_8h", "bf16"},
    {"vfmadd231ph_zmm", "f16"}, {"fmla_8h", "f16"},        {"fmla_z_h", "f16"},
    {"fmla_z_s", "f32"},        {"fmla_z_d", "f64"},
};

const char *am_core_dot_instr(const struct am_result *result)
{
    return am_result_text(result, "instr");
}

const char *am_core_dot_type(const struct am_result *result)
{
    const char *const instr = am_core_dot_instr(result);

    for (size_t i = 0; instr && i < sizeof(dots) / sizeof(dots[0]); i++) {
        if (strcmp(dots[i].instr, instr) == 0)
            return dots[i].type;
    }
    return NULL;
}

/* The best sound point of a type and of so many threads, NULL: there is none. */
static const struct am_pick *best_dot(const struct am_picks *sound, const char *type,
                                      double threads)
{
    const struct am_pick *best = NULL;

    for (size_t i = 0; i < sound->n; i++) {
        const struct am_pick *const p = &sound->items[i];
        const char *const own = am_core_dot_type(p->result);

        if (own && strcmp(own, type) == 0 && fabs(am_result_threads(p->result) - threads) < 0.5 &&
            (!best || p->metric->summary.median > best->metric->summary.median))
            best = p;
    }
    return best;
}

/* By whichever instruction does most: programs choose it. */
void am_core_derive_narrow(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.dot", NULL, "rate"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks sound = am_picks_sound(&all);

    for (size_t i = 0; i < sound.n; i++) {
        const struct am_pick *const p = &sound.items[i];
        const char *const type = am_core_dot_type(p->result);
        const double threads = am_result_threads(p->result);
        struct am_fact fact;

        if (!type || best_dot(&sound, type, threads) != p)
            continue;
        fact = am_fact_of(p, d->arena);
        am_fact_scale(&fact, AM_CORE_DOT_OPERATIONS);
        fact.name = "narrow_peak";
        fact.what = "operations on this type by the best instruction, these threads together";
        fact.kind = AM_FACT_CAPABILITY;
        fact.unit = "op/s";
        am_fact_label(&fact, d->arena, "type", AM_AXIS_NAME, type);
        am_fact_label_axes(&fact, p->result, "threads");
        am_facts_offer(d->facts, fact);
    }
}

/* ---- standards ---- */

void am_core_derive_standards(const struct am_deriving *d)
{
    const char *const missed = am_standards_tell(d->set, d->arena);

    for (size_t i = 0; i < d->set->n; i++) {
        const struct am_result *const r = &d->set->results[i];
        struct am_standard standard;
        struct am_fact fact;

        if (!am_standard_of(d->set, r, &standard))
            continue;
        fact = am_fact_of(&(struct am_pick){.result = r, .metric = standard.metric}, d->arena);
        fact.name = "standard";
        fact.what = "cycles of an instruction of known latency";
        fact.claimed = standard.known ? am_arena_printf(d->arena, "%u cycles", standard.known)
                                      : "a whole number";
        fact.contradicts = standard.missed;
        am_fact_label_axes(&fact, r, "form");
        am_facts_offer(d->facts, fact);
    }
    if (missed)
        am_facts_remark(
            d->facts,
            "numbers in cycles conclude nothing: %s. The core clock was misread, or the "
            "core is not what it says",
            missed);
}
