/* SPDX-License-Identifier: MIT */
/* The family of coherence: what cores cost each other.
 *
 * Hand-offs of a line (mem.pingpong) and lines in other caches by state (mem.coherence) are told by
 * what the system states of the pair (label `relation`), each as the median over its pairs. Sharing
 * of lines (mem.sharing) and placement (mem.placement) are ratios of results that differ in one
 * axis only. Which CPUs are alike, whatever the system states, is found in coherence_groups.c. */
#include "family/coherence.h"

#include "family/families.h"

#include <math.h>
#include <string.h>

/* Ways that the system states to be alike do not differ by this factor: the next relation would. */
static const double alike_limit = 2.5;
/* Placements nearer than this are alike: less is seen between two runs of one. */
static const double symmetric_limit = 0.95;
/* Smaller effects are no advice. */
static const double worth = 1.1;

/* By the metric `distance`. */
static const struct {
    const char *word, *what;
} relations[AM_RELATIONS] = {
    {"self", "of its own caches"},
    {"core", "between hardware threads of one core"},
    {"cache", "between cores of one last-level cache"},
    {"package", "between cores of one package"},
    {"far", "between packages"},
};

int am_coherence_relation(const struct am_result *result)
{
    const struct am_result_metric *const m = am_result_metric(result, "distance");
    const double distance = m ? round(m->summary.median) : -1;

    return distance >= 0 && distance < AM_RELATIONS ? (int)distance : -1;
}

static bool is_relation(const struct am_result *result, const void *wanted)
{
    return am_coherence_relation(result) == *(const int *)wanted;
}

static struct am_picks of_relation(const struct am_picks *all, int relation)
{
    const struct am_picks picks = am_picks_filter(all, is_relation, &relation);

    return am_picks_sound(&picks);
}

static void offer(const struct am_deriving *d, struct am_fact fact, const char *name,
                  const char *what, int relation)
{
    fact.name = name;
    fact.what = am_arena_printf(d->arena, "%s %s", what, relations[relation].what);
    am_fact_label(&fact, d->arena, "relation", AM_AXIS_NAME, relations[relation].word);
    am_facts_offer(d->facts, fact);
}

/* ---- mem.pingpong ---- */

/* Cores that are stated to share a cache, and take several times as long with each other as others
 * that share one, are not where the system says: so it is in many virtual machines. A pair with two
 * modes counts with both. */
static struct am_fact spread_of(const struct am_deriving *d, const struct am_picks *picks,
                                const struct am_pick *fast, const struct am_pick *slow)
{
    const struct am_summary *const f = &fast->metric->summary, *const s = &slow->metric->summary;
    const double lo = f->bimodal ? f->p5 : f->median, hi = s->bimodal ? s->p95 : s->median;
    struct am_fact fact = {
        .unit = "",
        .value = lo > 0 ? hi / lo : NAN,
        .ci = {hi / lo, hi / lo, 1},
        .claimed = "alike",
        .contradicts = hi > alike_limit * lo,
    };
    size_t bimodal = 0;

    for (size_t i = 0; i < picks->n; i++)
        bimodal += picks->items[i].metric->summary.bimodal;
    fact.evidence = am_arena_printf(
        d->arena,
        "mem.pingpong method=cas, medians (5th and 95th percentile where there are two modes) "
        "of %zu pairs, %zu of them with two modes",
        picks->n, bimodal);
    am_fact_rest_on(&fact, fast);
    am_fact_rest_on(&fact, slow);
    return fact;
}

static void derive_handoff(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.pingpong", "method=cas", "latency"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);

    for (int i = AM_RELATION_CORE; i < AM_RELATIONS; i++) {
        const struct am_picks picks = of_relation(&all, i);
        const struct am_pick *const fast = am_picks_best(&picks), *slow = fast;
        struct am_fact middle = am_fact_of_middle(&picks, d->arena);

        for (size_t k = 0; k < picks.n; k++) {
            if (picks.items[k].metric->summary.median > slow->metric->summary.median)
                slow = &picks.items[k];
        }
        if (picks.n > 1) { /* one pair has no ends and no spread */
            offer(d, am_fact_of(fast, d->arena), "handoff_least", "fastest hand-off of a line", i);
            offer(d, am_fact_of(slow, d->arena), "handoff_most", "slowest hand-off of a line", i);
            offer(d, spread_of(d, &picks, fast, slow), "handoff_spread",
                  "slowest over fastest hand-off", i);
        }
        middle.evidence =
            am_arena_printf(d->arena, "mem.pingpong method=cas, median of %zu pairs", picks.n);
        offer(d, middle, "handoff", "hand-off of a line", i);
    }
}

/* ---- mem.coherence ---- */

static void derive_states(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.coherence", "op state", "latency"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, "op,state,sharers");

    for (size_t g = 0; g < groups.n; g++) {
        const struct am_result *const r = groups.items[g].picks.items[0].result;
        const char *const op = am_result_text(r, "op"), *const state = am_result_text(r, "state");
        const char *const what = am_arena_printf(d->arena, "%s of a line in state %s,", op, state);
        const bool many = am_result_number(r, "sharers") > 1; /* else as in older files */

        for (int i = 0; what && i < AM_RELATIONS; i++) {
            const struct am_picks picks = of_relation(&groups.items[g].picks, i);
            struct am_fact fact = am_fact_of_middle(&picks, d->arena);

            am_fact_label_axes(&fact, r, "op");
            am_fact_label_axes(&fact, r, "state");
            am_fact_label_axes(&fact, r, many ? "sharers" : "");
            fact.evidence = am_arena_printf(
                d->arena, "mem.coherence op=%s state=%s, median of %zu pairs and sizes", op, state,
                picks.n);
            offer(d, fact, "latency", what, i);
        }
    }
}

/* ---- contrasts: results that differ in one axis only ---- */

/* One value of an axis over another, where everything else is the same; of the largest number of
 * threads that has both. */
static const struct contrast {
    const char *name, *what;
    struct am_selector over;
    const char *axis, *under; /* the axis in which they differ; what the other side is */
    const char *largest;      /* axis of which the highest number counts */
    const char *labels;
} contrasts[] = {
    {"sharing_penalty",
     "increment in a shared line, over lines of their own",
     {"mem.sharing", "layout=shared_line threads>1", "increment"},
     "layout",
     "layout=separate_lines",
     "threads",
     "op"},
    {"placement_same_memory",
     "bandwidth of threads that read the same memory, over separate",
     {"mem.placement", "memory=same placement=compact cores>1", "bandwidth"},
     "memory",
     "memory=separate",
     "cores",
     ""},
    {"placement_same_core",
     "bandwidth of threads on one core, over separate cores",
     {"mem.placement", "placement=same_core memory=separate cores>1", "bandwidth"},
     "placement",
     "placement=compact",
     "cores",
     ""},
};

/* A contrast with the results of its other side. */
struct sides {
    const struct contrast *contrast;
    struct am_picks under;
};

/* The only result that is like `over` but on the other side; NULL without. */
static const struct am_pick *partner(const struct sides *sides, const struct am_result *over)
{
    const struct am_picks beside = am_picks_beside(&sides->under, over, sides->contrast->axis);
    const char *several;

    return am_picks_only(&beside, &several);
}

static bool has_partner(const struct am_result *over, const void *sides)
{
    return partner(sides, over) != NULL;
}

static void derive_contrast(const struct am_deriving *d, const struct sides *sides,
                            const struct am_picks *group)
{
    const struct contrast *const c = sides->contrast;
    const struct am_picks with = am_picks_filter(group, has_partner, sides);
    const struct am_picks largest = am_picks_extreme(&with, c->largest, false);
    const char *several = NULL;
    const struct am_pick *const over = am_picks_only(&largest, &several);
    struct am_fact fact;

    if (several)
        am_facts_remark(d->facts, "coherence.%s is not concluded: several results (%s)", c->name,
                        several);
    if (!over)
        return;
    fact = am_fact_of_ratio(over, partner(sides, over->result), d->arena);
    fact.name = c->name;
    fact.what = c->what;
    am_fact_label_axes(&fact, over->result, c->labels);
    am_facts_offer(d->facts, fact);
}

static void derive_contrasts(const struct am_deriving *d)
{
    for (size_t i = 0; i < sizeof(contrasts) / sizeof(contrasts[0]); i++) {
        const struct contrast *const c = &contrasts[i];
        const struct am_selector under = {c->over.bench, c->under, c->over.metric};
        const struct sides sides = {c, am_select(d->set, &under, d->arena)};
        const struct am_picks all = am_select(d->set, &c->over, d->arena);
        const struct am_groups groups = am_picks_group(&all, c->labels);

        for (size_t g = 0; g < groups.n; g++)
            derive_contrast(d, &sides, &groups.items[g].picks);
    }
}

/* ---- mem.placement: symmetry ---- */

/* The slowest placement over the fastest of as many threads, each on a core of its own with memory
 * of its own: the worst over the numbers of threads. NAN where nothing can be compared. */
static struct am_fact worst_placement(const struct am_deriving *d)
{
    const struct am_selector selector = {
        "mem.placement", "memory=separate placement!=same_core cores>1", "bandwidth"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, am_picks_varying(&all, "placement"));
    struct am_fact worst = {.value = NAN};

    for (size_t g = 0; g < groups.n; g++) {
        const struct am_picks picks = am_picks_sound(&groups.items[g].picks);
        const struct am_pick *const fast = am_picks_best(&picks), *slow = fast;
        struct am_fact fact;

        for (size_t i = 0; i < picks.n; i++) {
            if (picks.items[i].metric->summary.median < slow->metric->summary.median)
                slow = &picks.items[i];
        }
        fact = am_fact_of_ratio(slow, fast, d->arena);
        if (picks.n > 1 && !(fact.value > worst.value))
            worst = fact;
    }
    return worst;
}

static void derive_placement(const struct am_deriving *d)
{
    struct am_fact fact = worst_placement(d);

    fact.name = "placement";
    fact.what = "bandwidth of the slowest placement over the fastest, as many threads each";
    am_facts_offer(d->facts, fact);
    if (fact.ci.lo < symmetric_limit && fact.ci.hi >= symmetric_limit)
        return; /* the run does not tell */
    fact.name = "placement_symmetric";
    fact.what = "1: it does not matter where threads are placed; 0: it does";
    fact.value = isfinite(fact.value) ? fact.ci.lo >= symmetric_limit : NAN;
    fact.ci = (struct am_interval){fact.value, fact.value, fact.ci.coverage};
    am_facts_offer(d->facts, fact);
}

static const struct am_fact_rule rules[] = {
    {.name = "handoff,handoff_least,handoff_most,handoff_spread",
     .what = "hand-off of a line between two CPUs",
     .labels = "relation",
     .derive = derive_handoff},
    {.name = "latency",
     .what = "lines in other caches by state",
     .labels = "op,state,sharers,relation",
     .derive = derive_states},
    {.name = "placement,placement_symmetric",
     .what = "whether it matters where threads are",
     .derive = derive_placement},
    {.name = "sharing_penalty,placement_same_memory,placement_same_core",
     .what = "what sharing a line, memory or a core costs",
     .labels = "op",
     .derive = derive_contrasts},
    {.name = "groups,group_ratio",
     .what = "groups of CPUs that hand lines on faster among themselves",
     .derive = am_coherence_derive_groups},
    {.name = NULL},
};

/* ---- guidelines ---- */

/* A line that another core has written, by the first relation that was measured. */
static const struct am_fact *remote_line(const struct am_facts *facts, struct am_arena *arena)
{
    static const char *const order[] = {"package", "cache", "far"};
    const struct am_fact *f = NULL;

    for (size_t i = 0; !f && i < sizeof(order) / sizeof(order[0]); i++) {
        f = am_facts_only(facts, "coherence.latency",
                          am_arena_printf(arena, "op=read state=modified relation=%s", order[i]));
        if (!f)
            f = am_facts_only(facts, "coherence.handoff",
                              am_arena_printf(arena, "relation=%s", order[i]));
    }
    return f;
}

/* Compared with loads that stay within the reach of the TLB, where those were measured: the lines
 * of other cores were taken so too. */
static bool say_remote(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const f = remote_line(facts, arena);
    const struct am_fact *const local = am_facts_only(facts, "memory.latency_local", NULL);
    const struct am_fact *const memory =
        local ? local : am_facts_only(facts, "memory.latency", "level=memory");

    if (!f || !memory)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(
            arena,
            "A line that another core has written costs %.3g ns, %.2f x a load from memory%s",
            f->value * 1e9, f->value / memory->value,
            f->ci.lo > 0.5 * memory->ci.hi   ? ": treat the caches of other cores as memory."
            : f->ci.hi < 0.5 * memory->ci.lo ? ": passing small results through the cache pays."
                                             : "."),
        .evidence =
            am_arena_printf(arena, "%s, %s = %.3g ns", f->id, memory->id, memory->value * 1e9),
        .command = "run mem.coherence mem.pingpong mem.latency",
        .grading = am_grading_worse(f->grading, memory->grading),
    };
    return true;
}

static bool say_sharing(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    static const char *const advice[] = {
        [AM_SIDE_ABOVE] = "Keep counters of different threads in lines of their own: atomic "
                          "additions in a shared line are %.1f x slower.",
        [AM_SIDE_BELOW] = "Counters of different threads may share a line: atomic additions there "
                          "take %.2f x the time.",
        [AM_SIDE_OPEN] = "Not decided: atomic additions in a shared line take about %.2f x the "
                         "time."};
    const struct am_fact *const f = am_facts_only(facts, "coherence.sharing_penalty", "op=add");

    if (!f || !am_fact_is_decided(f))
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena, advice[am_fact_side(f, worth)], f->value),
        .evidence = am_arena_printf(arena, "%s = %.3g, from %.3g to %.3g", f->id, f->value,
                                    f->ci.lo, f->ci.hi),
        .command = "run mem.sharing",
        .grading = f->grading,
    };
    return true;
}

static bool say_placement(const struct am_facts *facts, struct am_arena *arena,
                          struct am_guideline *out)
{
    const struct am_fact *const symmetric =
        am_facts_only(facts, "coherence.placement_symmetric", NULL);
    const struct am_fact *const ratio = am_facts_only(facts, "coherence.placement", NULL);

    if (!ratio || !am_fact_is_decided(ratio))
        return false;
    out->text =
        !symmetric
            ? am_arena_printf(arena,
                              "Not decided: the worst placement of threads has between %.2f and "
                              "%.2f x the bandwidth of the best.",
                              ratio->ci.lo, ratio->ci.hi)
        : symmetric->value > 0.5
            ? am_arena_printf(arena,
                              "Cores are symmetric for memory: where threads are placed matters by "
                              "less than %.0f %%.",
                              100 * (1 - fmin(ratio->ci.lo, 1)))
            : am_arena_printf(arena,
                              "Place threads with care: the worst placement has %.2f x the "
                              "bandwidth of the best.",
                              ratio->value);
    out->evidence =
        am_arena_printf(arena, "%s = %.3g (%s)", ratio->id, ratio->value, ratio->evidence);
    out->command = "run mem.placement";
    out->grading = ratio->grading;
    return true;
}

/* Advice by which side of "the same" a ratio of bandwidths lies on. */
static bool say_ratio(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out, const char *name, const char *const advice[4])
{
    enum { LESS, SAME, MORE, OPEN };
    const struct am_fact *const f = am_facts_only(facts, name, NULL);
    int side = OPEN;

    if (!f || !am_fact_is_decided(f))
        return false;
    if (am_fact_side(f, 1 / worth) == AM_SIDE_BELOW)
        side = LESS;
    else if (am_fact_side(f, worth) == AM_SIDE_ABOVE)
        side = MORE;
    else if (am_fact_side(f, 1 / worth) == AM_SIDE_ABOVE && am_fact_side(f, worth) == AM_SIDE_BELOW)
        side = SAME;
    out->text = am_arena_printf(arena, advice[side], f->value);
    out->evidence =
        am_arena_printf(arena, "%s = %.3g, from %.3g to %.3g", f->id, f->value, f->ci.lo, f->ci.hi);
    out->command = "run mem.placement";
    out->grading = f->grading;
    return true;
}

static bool say_same_core(const struct am_facts *facts, struct am_arena *arena,
                          struct am_guideline *out)
{
    static const char *const advice[] = {
        "Threads are not symmetric: those of one core share its way to memory and get %.2f x the "
        "bandwidth of as many on cores of their own. Spread them first.",
        "Threads of one core get as much of memory as threads on cores of their own (%.2f x).",
        "Put threads that memory bounds on one core: they get %.2f x the bandwidth.",
        "Not decided: threads of one core get about %.2f x the bandwidth of as many on cores of "
        "their own."};

    return say_ratio(facts, arena, out, "coherence.placement_same_core", advice);
}

static bool say_same_memory(const struct am_facts *facts, struct am_arena *arena,
                            struct am_guideline *out)
{
    static const char *const advice[] = {
        "Give threads copies of what all of them read: from the same memory they get %.2f x the "
        "bandwidth of separate ones.",
        "Threads may read the same memory: they get as much as from separate ones (%.2f x).",
        "Let threads read the same memory where they can: they get %.2f x the bandwidth of "
        "separate ones.",
        "Not decided: threads that read the same memory get about %.2f x the bandwidth of separate "
        "ones."};

    return say_ratio(facts, arena, out, "coherence.placement_same_memory", advice);
}

static bool say_groups(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "coherence.groups", NULL);
    const double ratio = am_facts_value(facts, "coherence.group_ratio", NULL);

    if (!f || !isfinite(ratio))
        return false;
    out->text =
        f->ci.hi - f->ci.lo > 0.5
            ? am_arena_printf(arena,
                              "Not decided: hand-offs show between %.0f and %.0f groups of CPUs, "
                              "as pairs lie within their intervals.",
                              f->ci.lo, f->ci.hi)
        : f->value > 1.5
            ? am_arena_printf(arena,
                              "Keep threads that exchange data in one of the %.0f groups of CPUs: "
                              "between them a hand-off takes %.1f x as long.",
                              f->value, ratio)
            : am_arena_printf(arena,
                              "All CPUs are symmetric peers for hand-offs: the slowest pair takes "
                              "%.2f x the fastest.",
                              ratio);
    out->evidence = f->evidence;
    out->command = "run mem.pingpong -p method=cas -p from=first:last -p to=first:last";
    out->grading = f->grading;
    return true;
}

static const struct am_guideline_rule guidelines[] = {
    {"cores.remote", say_remote},
    {"cores.sharing", say_sharing},
    {"cores.placement", say_placement},
    {"cores.same_core", say_same_core},
    {"cores.same_memory", say_same_memory},
    {"cores.groups", say_groups},
    {NULL, NULL},
};

/* ---- figures, headlines, bounds ---- */

static const struct am_figure_row figures[] = {
    {
        .name = "pingpong",
        .section = "Between cores",
        .title = "From core to core",
        .caption = "One hand-off of a line between two CPUs, half of a round trip. Blocks of one "
                   "shade are cores that are equally far: hardware threads of a core, cores on one "
                   "cache, packages.",
        .bench = "mem.pingpong",
        .metric = "latency",
        .kind = AM_FIGURE_HEAT,
        .x = "to",
        .series = "from",
        .panel = "method",
        .x_title = "CPU that begins",
        .y_title = "CPU that answers",
    },
    {
        .name = "coherence",
        .section = "Between cores",
        .title = "Lines in another core's cache",
        .caption = "Time to take one line that another CPU holds, by its state there. Modified and "
                   "exclusive lines must be asked for; shared ones may come from nearer.",
        .bench = "mem.coherence",
        .metric = "latency",
        .kind = AM_FIGURE_HEAT,
        .x = "from",
        .series = "state",
        .panel = "op",
        .x_title = "CPU that holds the lines",
        .y_title = "state of the lines",
    },
    {
        .name = "placement",
        .section = "Between cores",
        .title = "What placement is worth",
        .caption = "Bandwidth of threads on cores near each other, spread evenly, at random, or on "
                   "hardware threads of the same cores. Equal curves: the cores are symmetric.",
        .bench = "mem.placement",
        .metric = "bandwidth",
        .kind = AM_FIGURE_LINES,
        .x = "cores",
        .series = "placement",
        .panel = "memory",
        .x_title = "threads",
        .y_title = "bandwidth of all threads",
    },
    {
        .name = "sharing",
        .section = "Between cores",
        .title = "The price of sharing a line",
        .caption = "Time from one increment of a thread to its next while all do the same: on "
                   "words of one line (false sharing), and each on a line of its own.",
        .bench = "mem.sharing",
        .metric = "increment",
        .kind = AM_FIGURE_BARS,
        .x = "layout",
        .series = "threads",
        .panel = "op",
        .y_title = "time of an increment",
    },
    {.name = NULL},
};

static const struct am_headline headlines[] = {
    {.title = "hand-off between cores",
     .fact = "coherence.handoff",
     .least = true,
     .rank = 50,
     .place = AM_HEADLINE_WORDS,
     .row = "core to core",
     .each = "relation"},
    {.title = NULL},
};

static const char latency_only[] = "a matter of latency, not of rates";
static const struct am_bound_row bounds[] = {
    {.bench = "mem.pingpong", .role = AM_BOUND_FOREIGN, .why = latency_only},
    {.bench = "mem.coherence", .role = AM_BOUND_FOREIGN, .why = latency_only},
    {.bench = "mem.sharing", .role = AM_BOUND_FOREIGN, .why = latency_only},
    {.bench = "mem.placement",
     .where = "memory=same",
     .role = AM_BOUND_FOREIGN,
     .why = "threads read the same memory: one fetch serves several"},
    {.bench = NULL},
};

const struct am_family am_family_coherence = {
    .name = "coherence",
    .title = "Between cores",
    .facts = rules,
    .figures = figures,
    .guidelines = guidelines,
    .headlines = headlines,
    .bounds = bounds,
};
