/* SPDX-License-Identifier: MIT */
/* What threads reach together: several on one core, and as many as there are CPUs.
 *
 * Threads on one core are those of the places smt2, smt4, ...; the number of cores is counted by
 * arithmetic per cycle, on the machine and on each kind of core. */
#include "family/core.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* As much of the cores' arithmetic is missing before the claim is denied: two threads of one core
 * have half of it each, a clock that falls under load costs a few tenths. */
static const double missing = 0.7;

/* ---- threads of one core ---- */

static void offer_gain(const struct am_deriving *d, const char *work, const struct am_picks *pair,
                       const struct am_picks *single)
{
    struct am_fact fact;

    if (pair->n == 0 || single->n == 0)
        return;
    fact = am_fact_of_ratio(am_picks_best(pair), am_picks_best(single), d->arena);
    fact.name = "smt_gain";
    fact.what = "so many threads on one core over one";
    am_fact_label_axes(&fact, pair->items[0].result, "type,isa,threads");
    am_fact_label(&fact, d->arena, "work", AM_AXIS_NAME, work);
    am_facts_offer(d->facts, fact);
}

/* Whether all threads of a result stood on one core: on=smt4 threads=4, in older files smt=pair. */
static bool is_one_core(const struct am_result *r, const void *context)
{
    const char *const on = am_result_text(r, "on"), *const smt = am_result_text(r, "smt");
    const double threads = am_result_number(r, "threads");
    double each = 0;

    (void)context;
    if (smt)
        return strcmp(smt, "pair") == 0 && !(threads > 2);
    return on && strncmp(on, "smt", 3) == 0 && am_parse_f64(on + 3, strlen(on + 3), &each) &&
           !(threads > each);
}

/* What further threads on the core gain: nothing where one keeps the units busy (work=peak), up to
 * their number where each waits for its own chain of the same operation (work=chain). */
void am_core_derive_smt(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.flops", "op threads>1", "flops"};
    const struct am_picks several = am_select(d->all, &selector, d->arena);
    const struct am_picks pairs = am_picks_filter(&several, is_one_core, NULL);
    const struct am_selector alone = {"cpu.flops", "op threads=1", "flops"};
    const struct am_picks singles = am_select(d->set, &alone, d->arena);
    const struct am_groups groups = am_picks_group(&pairs, "type,isa,threads");

    if (d->facts->on)
        return; /* places are compared once, from the machine's side */
    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks pair = am_picks_sound(&groups.items[i].picks);
        const struct am_picks alike = am_picks_like(&singles, pair.items[0].result, "type,isa");
        const struct am_picks single = am_picks_sound(&alike);
        struct am_picks pair_chain = am_picks_where(&pair, "streams=1");
        struct am_picks single_chain = am_picks_where(&single, "streams=1");

        if (single.n == 0)
            continue;
        offer_gain(d, "peak", &pair, &single);
        pair_chain = am_picks_like(&pair_chain, am_picks_best(&single)->result, "op");
        single_chain = am_picks_like(&single_chain, am_picks_best(&single)->result, "op");
        offer_gain(d, "chain", &pair_chain, &single_chain);
    }
}

/* ---- cores ---- */

static double number_in(const struct am_kvs *kvs, const char *key)
{
    const char *const text = am_kvs_get(kvs, key);
    double value;

    return text && am_parse_f64(text, strlen(text), &value) ? value : NAN;
}

/* One thread may not keep the units of a core busy: what all threads of a core reach, where that
 * was measured and is more than `one`. */
static struct am_pick best_core(const struct am_deriving *d, const struct am_pick *one)
{
    const struct am_selector selector = {"cpu.flops", "op threads>1", "flops_per_cycle"};
    const struct am_picks several = am_select(d->all, &selector, d->arena);
    const struct am_picks cores = am_picks_filter(&several, is_one_core, NULL);
    const struct am_picks alike = am_picks_like(&cores, one->result, "type,isa");
    const struct am_picks sound = am_picks_sound(&alike);
    const struct am_pick *const best = am_picks_best(&sound);

    return best && best->metric->summary.median > one->metric->summary.median ? *best : *one;
}

/* The best rate of so many threads by the core clock; its metric is NULL without it. */
static struct am_pick best_per_cycle(const struct am_deriving *d, const struct am_fact *speedup,
                                     double threads)
{
    const char *const where =
        am_arena_printf(d->arena, "op type=%s isa=%s threads=%.0f", am_fact_text(speedup, "type"),
                        am_fact_text(speedup, "isa"), threads);
    const struct am_selector selector = {"cpu.flops", where, "flops_per_cycle"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks sound = am_picks_sound(&all);
    const struct am_pick *const best = where ? am_picks_best(&sound) : NULL;

    return best ? *best : (struct am_pick){NULL, NULL, NAN};
}

/* SMT threads share a core's arithmetic units, so the speed-up of at least as many threads as there
 * are cores estimates the number of cores: by the clock of all threads, since cores that are busy
 * together may run slower than one alone. Cores of several kinds are counted kind by kind. */
void am_core_derive_count(const struct am_deriving *d)
{
    const double claimed = number_in(&d->set->machine, "cores");
    const struct am_fact *const best = am_facts_most(d->facts, "core.speedup", NULL);
    struct am_pick many, one;
    struct am_fact fact;

    if (!best || !(am_fact_number(best, "threads") >= claimed) ||
        (!d->facts->on && number_in(&d->set->machine, "core_kinds") > 1))
        return; /* fewer threads than cores say nothing of their number */
    many = best_per_cycle(d, best, am_fact_number(best, "threads"));
    one = best_per_cycle(d, best, 1);
    if (one.metric && !d->facts->on) /* whose threads are of the first kind of core */
        one = best_core(d, &one);
    fact = many.metric && one.metric ? am_fact_of_ratio(&many, &one, d->arena) : *best;
    fact.id = NULL;
    fact.name = "count";
    fact.what = "cores by their arithmetic per cycle: as many threads as there are over one";
    fact.n_labels = 0;
    fact.claimed = am_arena_printf(d->arena, "%.0f cores", claimed);
    fact.contradicts = fact.ci.hi < missing * claimed;
    am_facts_offer(d->facts, fact);
}

/* ---- clocks ---- */

/* Rate per second over rate per cycle of the best result: the mean clock of its threads. */
void am_core_derive_busy_clock(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.flops", "op threads>1", "flops"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, "type,isa");

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks most = am_picks_extreme(&groups.items[i].picks, "threads", false);
        const struct am_picks sound = am_picks_sound(&most);
        const struct am_pick *const best = am_picks_best(&sound);
        const struct am_pick cycles = {best->result,
                                       am_result_metric(best->result, "flops_per_cycle"), NAN};
        struct am_fact fact;

        if (!cycles.metric)
            continue;
        fact = am_fact_of_ratio(best, &cycles, d->arena);
        fact.name = "clock_busy";
        fact.what = "mean core clock of these threads at their peak";
        fact.unit = "Hz";
        fact.evidence = am_arena_printf(d->arena, "cpu.flops %s, flops over flops_per_cycle",
                                        best->result->text);
        am_fact_label_axes(&fact, best->result, "type,isa,threads");
        am_facts_offer(d->facts, fact);
    }
}
