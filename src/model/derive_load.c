/* SPDX-License-Identifier: MIT */
/* What mem.stanza and mem.loaded show: how long accesses must be, and what a busy memory costs. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

/* A stanza is long enough when it comes this close to the best. */
static const double near_peak = 0.9;

/* A result with what it measured. */
struct measured {
    const struct am_result *result; /* NULL: none */
    struct am_summary bandwidth;
};

static bool same_but(const struct am_result *a, const struct am_result *b, const char *param)
{
    if (strcmp(a->bench, b->bench) != 0 || a->n_params != b->n_params)
        return false;
    for (size_t i = 0; i < a->n_params; i++) {
        const char *const name = a->params[i].name, *const other = am_result_text(b, name);

        if (strcmp(name, param) != 0 && (!other || strcmp(other, a->params[i].text) != 0))
            return false;
    }
    return true;
}

/* Those that differ from `like` in `param` only, with the highest and the lowest bandwidth. */
static void find_ends(const struct am_result_set *set, const struct am_result *like,
                      const char *param, struct measured *high, struct measured *low)
{
    *high = *low = (struct measured){0};
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (!same_but(r, like, param) || !am_result_summary(r, "bandwidth", &s))
            continue;
        if (!high->result || s.median > high->bandwidth.median)
            *high = (struct measured){r, s};
        if (!low->result || s.median < low->bandwidth.median)
            *low = (struct measured){r, s};
    }
}

/* The shortest length near the best, and the longest below that is not. */
static void add_knee(const struct am_result_set *set, struct am_facts *facts,
                     const struct measured *peak)
{
    double shortest = am_result_number(peak->result, "length"), below = 0;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (same_but(r, peak->result, "length") && am_result_summary(r, "bandwidth", &s) &&
            s.median >= near_peak * peak->bandwidth.median)
            shortest = fmin(shortest, am_result_number(r, "length"));
    }
    for (size_t i = 0; i < set->n; i++) {
        const double length = am_result_number(&set->results[i], "length");

        if (same_but(&set->results[i], peak->result, "length") && length < shortest)
            below = fmax(below, length);
    }
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = "memory.stanza.knee",
                       .what = "f64 elements in a row from which on gaps hardly cost bandwidth",
                       .unit = "",
                       .value = shortest,
                       .ci = {below + 1, shortest, NAN},
                       .evidence = am_arena_printf(facts->arena,
                                                   "the shortest within %.0f %% of mem.stanza %s",
                                                   100 * (1 - near_peak), peak->result->text),
                   });
}

static void derive_stanza(const struct am_result_set *set, struct am_facts *facts,
                          const struct am_result *r)
{
    struct measured high, low;

    find_ends(set, r, "length", &high, &low);
    if (!high.result || high.result == low.result)
        return;
    am_facts_offer(facts, (struct am_fact){.id = "memory.stanza.peak",
                                           .what = "bandwidth of the best stanza, caches cold",
                                           .unit = "B/s",
                                           .value = high.bandwidth.median,
                                           .ci = high.bandwidth.ci,
                                           .evidence = am_arena_printf(
                                               facts->arena, "mem.stanza %s", high.result->text)});
    add_knee(set, facts, &high);
}

/* Latency beside the busiest generators, their bandwidth, and the price against the idlest. */
static void derive_loaded(const struct am_result_set *set, struct am_facts *facts,
                          const struct am_result *r)
{
    const char *const traffic = am_result_text(r, "traffic");
    const char *stem, *evidence;
    struct measured high, low;
    struct am_summary busy, idle;
    struct am_fact penalty = {.what = "that latency over the one beside nearly idle threads",
                              .unit = ""};

    find_ends(set, r, "delay", &high, &low);
    if (!traffic || !high.result || high.result == low.result ||
        !am_result_summary(high.result, "latency", &busy) ||
        !am_result_summary(low.result, "latency", &idle))
        return;
    stem = am_arena_printf(facts->arena, "memory.loaded.%s", traffic);
    evidence = am_arena_printf(facts->arena, "mem.loaded %s", high.result->text);
    if (!stem)
        return;
    am_facts_offer(facts, (struct am_fact){.id = am_arena_printf(facts->arena, "%s.latency", stem),
                                           .what = "time of a load while the other threads stream",
                                           .unit = "s",
                                           .value = busy.median,
                                           .ci = busy.ci,
                                           .evidence = evidence});
    am_facts_offer(facts,
                   (struct am_fact){.id = am_arena_printf(facts->arena, "%s.bandwidth", stem),
                                    .what = "bytes a second that they move then",
                                    .unit = "B/s",
                                    .value = high.bandwidth.median,
                                    .ci = high.bandwidth.ci,
                                    .evidence = evidence});
    am_fact_set_ratio(&penalty, &busy, &idle);
    penalty.id = am_arena_printf(facts->arena, "%s.penalty", stem);
    penalty.evidence =
        am_arena_printf(facts->arena, "mem.loaded %s over %s", high.result->text, low.result->text);
    am_facts_offer(facts, penalty);
}

void am_derive_load(const struct am_result_set *set, struct am_facts *facts)
{
    static const struct {
        const char *bench;
        void (*derive)(const struct am_result_set *, struct am_facts *, const struct am_result *);
    } rows[] = {{"mem.stanza", derive_stanza}, {"mem.loaded", derive_loaded}};

    for (size_t i = 0; i < set->n; i++) {
        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
            if (strcmp(set->results[i].bench, rows[k].bench) == 0)
                rows[k].derive(set, facts, &set->results[i]);
        }
    }
}
