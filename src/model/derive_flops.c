/* SPDX-License-Identifier: MIT */
/* What cpu.flops shows: the peak of a type and an instruction set, and the streams it takes. */
#include "model/derive.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* A number of streams reaches the peak when it comes this close: the spread of such results. */
static const double near_peak = 0.97;

/* The best of the results with one type, instruction set and number of threads. */
struct peak {
    const struct am_result *result;
    struct am_summary summary;
};

static bool is_flops(const struct am_result *r)
{
    return strcmp(r->bench, "cpu.flops") == 0 && am_result_text(r, "type") &&
           am_result_text(r, "isa") && am_result_text(r, "op");
}

static bool same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const x = am_result_text(a, param), *const y = am_result_text(b, param);

    return x && y && strcmp(x, y) == 0;
}

/* One of those that are measured as `like` is, in type, instruction set and threads. */
static bool comparable(const struct am_result *r, const struct am_result *like)
{
    return is_flops(r) && same(r, like, "type") && same(r, like, "isa") && same(r, like, "threads");
}

static struct peak find_peak(const struct am_result_set *set, const struct am_result *like)
{
    struct peak peak = {0};

    for (size_t i = 0; i < set->n; i++) {
        struct am_summary s;

        if (comparable(&set->results[i], like) &&
            am_result_summary(&set->results[i], "flops", &s) &&
            (!peak.result || s.median > peak.summary.median))
            peak = (struct peak){&set->results[i], s};
    }
    return peak;
}

/* The fewest streams of the peak's operation that reach it; `below` is the most that do not. */
static double find_streams(const struct am_result_set *set, const struct peak *peak, double *below)
{
    double fewest = am_result_number(peak->result, "streams");

    *below = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const double streams = am_result_number(r, "streams");
        struct am_summary s;

        if (comparable(r, peak->result) && same(r, peak->result, "op") &&
            am_result_summary(r, "flops", &s) && s.median >= near_peak * peak->summary.median &&
            streams < fewest)
            fewest = streams;
    }
    for (size_t i = 0; i < set->n; i++) {
        const double streams = am_result_number(&set->results[i], "streams");

        if (comparable(&set->results[i], peak->result) &&
            same(&set->results[i], peak->result, "op") && streams < fewest && streams > *below)
            *below = streams;
    }
    return fewest;
}

static void add_streams(const struct am_result_set *set, struct am_facts *facts,
                        const struct peak *peak, const char *stem)
{
    double below;
    const double fewest = find_streams(set, peak, &below);

    if (!(below > 0))
        return; /* fewer streams were not measured, or reach it too: nothing bounds the number */
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = am_arena_printf(facts->arena, "%s.streams", stem),
                       .what = "independent streams that reach it",
                       .unit = "",
                       .value = fewest,
                       .ci = {below + 1, fewest, NAN},
                       .evidence = am_arena_printf(
                           facts->arena, "cpu.flops op=%s: the fewest within %.0f %% of the peak",
                           am_result_text(peak->result, "op"), 100 * (1 - near_peak)),
                   });
}

/* The best rate of two threads on one core, or of one alone; `streams` 0: of any number. */
static struct peak find_on_core(const struct am_result_set *set, const struct am_result *like,
                                bool pair, double streams)
{
    struct peak peak = {0};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *const smt = am_result_text(r, "smt");
        const bool paired = smt && strcmp(smt, "pair") == 0;
        struct am_summary s;

        if (is_flops(r) && same(r, like, "type") && same(r, like, "isa") && paired == pair &&
            fabs(am_result_number(r, "threads") - (pair ? 2 : 1)) < 0.5 &&
            (streams <= 0 || fabs(am_result_number(r, "streams") - streams) < 0.5) &&
            (streams <= 0 || same(r, like, "op")) && am_result_summary(r, "flops", &s) &&
            (!peak.result || s.median > peak.summary.median))
            peak = (struct peak){r, s};
    }
    return peak;
}

static void add_gain(struct am_facts *facts, const char *id, const char *what,
                     const struct peak *pair, const struct peak *single)
{
    struct am_fact fact = {.id = id, .what = what, .unit = ""};

    if (!pair->result || !single->result)
        return;
    am_fact_set_ratio(&fact, &pair->summary, &single->summary);
    fact.evidence = am_arena_printf(facts->arena, "cpu.flops %s over %s", pair->result->text,
                                    single->result->text);
    am_facts_offer(facts, fact);
}

/* What a second thread on the core gains: nothing where one keeps the units busy, up to twice where
 * each waits for its own chain. */
static void add_smt(const struct am_result_set *set, struct am_facts *facts,
                    const struct am_result *like, const char *stem)
{
    const struct peak pair = find_on_core(set, like, true, 0);
    const struct peak single = find_on_core(set, like, false, 0);
    const struct peak pair_chain = find_on_core(set, like, true, 1);
    const struct peak single_chain = find_on_core(set, like, false, 1);

    add_gain(facts, am_arena_printf(facts->arena, "%s.smt_gain", stem),
             "peak of two threads on one core over that of one", &pair, &single);
    add_gain(facts, am_arena_printf(facts->arena, "%s.smt_gain.chain", stem),
             "the same with one dependent chain a thread", &pair_chain, &single_chain);
}

static void add_peak(const struct am_result_set *set, struct am_facts *facts,
                     const struct peak *peak)
{
    const struct am_result *const r = peak->result;
    const double threads = am_result_number(r, "threads");
    const char *const of =
        threads > 1 ? am_arena_printf(facts->arena, ".threads%.0f", threads) : "";
    const char *const stem = am_arena_printf(
        facts->arena, "cpu.flops.%s.%s%s", am_result_text(r, "type"), am_result_text(r, "isa"), of);
    const char *const evidence = am_arena_printf(facts->arena, "cpu.flops %s", r->text);
    struct am_summary s;

    if (!stem)
        return;
    am_facts_offer(facts, (struct am_fact){.id = am_arena_printf(facts->arena, "%s.peak", stem),
                                           .what = threads > 1 ? "peak rate of all these threads"
                                                               : "peak rate of one core",
                                           .unit = "flop/s",
                                           .value = peak->summary.median,
                                           .ci = peak->summary.ci,
                                           .evidence = evidence});
    if (threads > 1)
        return;
    if (am_result_summary(r, "flops_per_cycle", &s))
        am_facts_offer(facts,
                       (struct am_fact){.id = am_arena_printf(facts->arena, "%s.per_cycle", stem),
                                        .what = "the same by the core clock",
                                        .unit = "flop/cycle",
                                        .value = s.median,
                                        .ci = s.ci,
                                        .evidence = evidence});
    add_streams(set, facts, peak, stem);
    add_smt(set, facts, r, stem);
}

void am_derive_flops(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct peak peak;
        bool first = is_flops(r);

        for (size_t k = 0; k < i && first; k++)
            first = !comparable(&set->results[k], r);
        if (!first)
            continue;
        peak = find_peak(set, r);
        if (peak.result)
            add_peak(set, facts, &peak);
    }
}
