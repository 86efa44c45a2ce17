/* SPDX-License-Identifier: MIT */
/* What ocl.arith and ocl.launch show: peaks and latencies of a device, the vector width that
 * reaches them, how near a CPU's driver comes to native code, and what starting costs. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

/* A narrower vector is as good as the best when it comes this close: the spread of such results. */
static const double near_peak = 0.97;

struct best {
    const struct am_result *result; /* NULL: none */
    struct am_summary summary;
};

static bool has(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

static bool same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const value = am_result_text(b, param);

    return value && has(a, param, value);
}

static bool is_arith(const struct am_result *r, const char *mode)
{
    return strcmp(r->bench, "ocl.arith") == 0 && has(r, "mode", mode) &&
           am_result_text(r, "device") && am_result_text(r, "type") && am_result_text(r, "op");
}

/* Of the throughput rows of one device and type. */
static struct best find_peak(const struct am_result_set *set, const struct am_result *like)
{
    struct best best = {.result = NULL};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (is_arith(r, "throughput") && same(r, like, "device") && same(r, like, "type") &&
            am_result_summary(r, "flops", &s) && (!best.result || s.median > best.summary.median))
            best = (struct best){r, s};
    }
    return best;
}

/* The narrowest vector of the peak's operation that reaches it; 0 when only one was measured. */
static double find_width(const struct am_result_set *set, const struct best *peak)
{
    double narrowest = am_result_number(peak->result, "width");
    bool others = false;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const double width = am_result_number(r, "width");
        struct am_summary s;

        if (!is_arith(r, "throughput") || !same(r, peak->result, "device") ||
            !same(r, peak->result, "type") || !same(r, peak->result, "op") ||
            !am_result_summary(r, "flops", &s))
            continue;
        others = others || fabs(width - am_result_number(peak->result, "width")) > 0.5;
        if (s.median >= near_peak * peak->summary.median && width < narrowest)
            narrowest = width;
    }
    return others ? narrowest : 0;
}

/* The best of native code, all threads together. */
static struct best find_native(const struct am_result_set *set, const char *type)
{
    const char *const native = strcmp(type, "float") == 0    ? "f32"
                               : strcmp(type, "double") == 0 ? "f64"
                                                             : NULL;
    struct best best = {.result = NULL};

    for (size_t i = 0; native && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (strcmp(r->bench, "cpu.flops") == 0 && has(r, "type", native) && has(r, "op", "fma") &&
            am_result_summary(r, "flops", &s) && (!best.result || s.median > best.summary.median))
            best = (struct best){r, s};
    }
    return best;
}

static void add_native(const struct am_result_set *set, struct am_facts *facts,
                       const struct best *peak, const char *stem)
{
    const char *const kind = am_kvs_get(&peak->result->notes, "device_kind");
    const struct best native = find_native(set, am_result_text(peak->result, "type"));
    struct am_fact fact = {.id = am_arena_printf(facts->arena, "%s.native_ratio", stem),
                           .what = "OpenCL over native code on the same CPUs",
                           .unit = ""};

    if (!kind || strcmp(kind, "cpu") != 0 || !native.result)
        return;
    am_fact_set_ratio(&fact, &peak->summary, &native.summary);
    fact.evidence = am_arena_printf(facts->arena, "ocl.arith %s over cpu.flops %s",
                                    peak->result->text, native.result->text);
    am_facts_offer(facts, fact);
}

static void add_peak(const struct am_result_set *set, struct am_facts *facts,
                     const struct best *peak)
{
    const struct am_result *const r = peak->result;
    const double width = find_width(set, peak);
    const char *const winner = am_kvs_get(&r->notes, "winner");
    const char *const stem = am_arena_printf(
        facts->arena, "ocl.%s.flops.%s", am_result_text(r, "device"), am_result_text(r, "type"));

    if (!stem)
        return;
    am_facts_offer(facts, (struct am_fact){.id = am_arena_printf(facts->arena, "%s.peak", stem),
                                           .what = "arithmetic peak of the device",
                                           .unit = "flop/s",
                                           .value = peak->summary.median,
                                           .ci = peak->summary.ci,
                                           .evidence = am_arena_printf(
                                               facts->arena, "ocl.arith op=%s width=%s%s%s",
                                               am_result_text(r, "op"), am_result_text(r, "width"),
                                               winner ? ": " : "", winner ? winner : "")});
    if (width > 0)
        am_facts_offer(
            facts,
            (struct am_fact){.id = am_arena_printf(facts->arena, "%s.width", stem),
                             .what = "narrowest vector that reaches it",
                             .unit = "",
                             .value = width,
                             .ci = {width, width, NAN},
                             .evidence = am_arena_printf(
                                 facts->arena, "ocl.arith op=%s: within %.0f %% of the best width",
                                 am_result_text(r, "op"), 100 * (1 - near_peak))});
    add_native(set, facts, peak, stem);
}

static void add_latency(struct am_facts *facts, const struct am_result *r)
{
    struct am_summary s;

    if (!(am_result_number(r, "width") <= 1) || has(r, "form", "quadratic") ||
        !am_result_summary(r, "latency", &s))
        return;
    am_facts_offer(facts, (struct am_fact){
                              .id = am_arena_printf(
                                  facts->arena, "ocl.%s.latency.%s.%s", am_result_text(r, "device"),
                                  am_result_text(r, "op"), am_result_text(r, "type")),
                              .what = "one step of a dependent chain",
                              .unit = "s",
                              .value = s.median,
                              .ci = s.ci,
                              .evidence = am_arena_printf(facts->arena, "ocl.arith %s", r->text),
                          });
}

static void add_launch(struct am_facts *facts, const struct am_result *r)
{
    static const struct {
        const char *metric, *what;
    } prices[] = {
        {"round_trip", "start a kernel that does nothing, and wait for it"},
        {"start", "from queued to start"},
        {"enqueue", "queue a kernel without waiting"},
        {"build", "compile a small program"},
        {"first_launch", "round trip of its first launch"},
    };

    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++) {
        struct am_summary s;

        if (am_result_summary(r, prices[i].metric, &s))
            am_facts_offer(
                facts, (struct am_fact){
                           .id = am_arena_printf(facts->arena, "ocl.%s.launch.%s",
                                                 am_result_text(r, "device"), prices[i].metric),
                           .what = prices[i].what,
                           .unit = "s",
                           .value = s.median,
                           .ci = s.ci,
                           .evidence = am_arena_printf(facts->arena, "ocl.launch %s", r->text)});
    }
}

void am_derive_ocl(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (is_arith(r, "throughput")) { /* of one device and type the first row offers all */
            const struct best peak = find_peak(set, r);

            if (peak.result)
                add_peak(set, facts, &peak);
        }
        if (is_arith(r, "latency"))
            add_latency(facts, r);
        if (strcmp(r->bench, "ocl.launch") == 0 && am_result_number(r, "items") <= 1)
            add_launch(facts, r);
    }
}
