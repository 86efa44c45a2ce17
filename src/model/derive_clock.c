/* SPDX-License-Identifier: MIT */
/* The core clock as measured: points that carry the same quantity by the second and by the cycle.
 */
#include "model/derive.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* Above the highest clock that the system states by more than this: the statement is wrong. */
static const double tolerance = 0.05;

/* Metrics of one thread whose ratio is cycles a second. */
static const struct {
    const char *bench, *over, *under;
} pairs[] = {
    {"cpu.flops", "flops", "flops_per_cycle"},
    {"mem.bandwidth", "bandwidth", "bytes_per_cycle"},
    {"mem.latency", "cycles", "latency"},
};

static double clock_of(const struct am_result *r)
{
    struct am_summary over, under;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (strcmp(r->bench, pairs[i].bench) == 0 && !(am_result_number(r, "threads") > 1) &&
            !(am_result_number(r, "chains") > 1) && am_result_summary(r, pairs[i].over, &over) &&
            am_result_summary(r, pairs[i].under, &under))
            return over.median / under.median;
    }
    return NAN;
}

static void add_claim(const struct am_result_set *set, struct am_facts *facts, struct am_fact *fact)
{
    const char *const text = am_kvs_get(&set->environment, "frequency_max_khz");
    double khz;

    if (!text || !am_parse_f64(text, strlen(text), &khz) || khz <= 0)
        return;
    fact->claimed = am_arena_printf(facts->arena, "%.2f GHz at most", khz / 1e6);
    fact->contradicts = fact->ci.lo > khz * 1e3 * (1 + tolerance);
}

void am_derive_clock(const struct am_result_set *set, struct am_facts *facts)
{
    double *const clocks = am_arena_array(facts->arena, set->n + 1, sizeof(*clocks));
    struct am_fact fact = {.id = "cpu.clock", .what = "core clock while measuring", .unit = "Hz"};
    size_t n = 0;

    for (size_t i = 0; clocks && i < set->n; i++) {
        const double hz = clock_of(&set->results[i]);

        if (isfinite(hz) && hz > 0)
            clocks[n++] = hz;
    }
    if (n == 0)
        return;
    am_stats_sort(clocks, n);
    fact.value = am_stats_median(clocks, n);
    fact.ci = (struct am_interval){clocks[0], clocks[n - 1], NAN};
    fact.evidence =
        am_arena_printf(facts->arena,
                        "rates by the second over rates by the cycle of %zu points of one thread, "
                        "least to highest; the cycle by a chain of dependent additions",
                        n);
    add_claim(set, facts, &fact);
    am_facts_offer(facts, fact);
}
