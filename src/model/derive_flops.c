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

static void add(struct am_facts *facts, struct am_fact fact)
{
    if (fact.id && fact.evidence && !am_facts_find(facts, fact.id))
        (void)am_facts_add(facts, &fact);
}

static void add_streams(const struct am_result_set *set, struct am_facts *facts,
                        const struct peak *peak, const char *stem)
{
    double below;
    const double fewest = find_streams(set, peak, &below);

    if (!(below > 0))
        return; /* fewer streams were not measured, or reach it too: nothing bounds the number */
    add(facts, (struct am_fact){
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
    add(facts, (struct am_fact){.id = am_arena_printf(facts->arena, "%s.peak", stem),
                                .what = threads > 1 ? "peak rate of all these threads"
                                                    : "peak rate of one core",
                                .unit = "flop/s",
                                .value = peak->summary.median,
                                .ci = peak->summary.ci,
                                .evidence = evidence});
    if (threads > 1)
        return;
    if (am_result_summary(r, "flops_per_cycle", &s))
        add(facts, (struct am_fact){.id = am_arena_printf(facts->arena, "%s.per_cycle", stem),
                                    .what = "the same by the core clock",
                                    .unit = "flop/cycle",
                                    .value = s.median,
                                    .ci = s.ci,
                                    .evidence = evidence});
    add_streams(set, facts, peak, stem);
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
