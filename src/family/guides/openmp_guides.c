/* SPDX-License-Identifier: MIT */
/* Advice about OpenMP: which of equivalent directives, how large chunks, how threads should wait,
 * and what a program pays for the directives that it counts.
 *
 * Each rule looks at every runtime that was measured, in the order of the facts, and says one part
 * per runtime: "libgomp: ...". A part is advice where intervals are apart, else "not decided".
 * Where no runtime is decided the whole text begins with "Not decided". */
#include "family/openmp.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

/* Smaller effects are no advice; overheads of runtimes vary more than rates of arithmetic do. */
static const double worth = 1.2;
/* A chunk's work is this many times what handing it out costs: the overhead is then a tenth. */
static const double chunk_work = 10;

/* What a rule says of one runtime. */
struct part {
    const char *text; /* NULL: the run has not what it needs */
    bool decided;
};
typedef struct part say_fn(const struct am_facts *facts, const char *runtime,
                           struct am_guideline *out, struct am_arena *arena);

/* Adds a fact that the guideline rests on. */
static void rest_on(struct am_guideline *out, const struct am_fact *f, struct am_arena *arena)
{
    out->grading = out->evidence ? am_grading_worse(out->grading, f->grading) : f->grading;
    out->evidence =
        am_arena_printf(arena, "%s%s%s = %s", out->evidence ? out->evidence : "",
                        out->evidence ? ", " : "", f->id, am_units_text(f->value, f->unit, arena));
}

/* The fact of this name that has the runtime and what `where` says further. */
static const struct am_fact *of_runtime(const struct am_facts *facts, const char *name,
                                        const char *runtime, const char *where,
                                        struct am_arena *arena)
{
    const char *const both = am_arena_printf(arena, "runtime=%s %s", runtime, where);

    return both ? am_facts_only(facts, name, both) : NULL;
}

/* Asks the rule for each runtime that has facts of this name. */
static bool for_runtimes(const struct am_facts *facts, const char *name, say_fn *say,
                         struct am_arena *arena, struct am_guideline *out)
{
    const char *said = "", *text = NULL;
    bool decided = false;

    for (const struct am_fact *f = am_facts_next(facts, name, NULL, NULL); f && said;
         f = am_facts_next(facts, name, NULL, f)) {
        const char *const runtime = am_fact_text(f, "runtime");
        const char *const mark = runtime ? am_arena_printf(arena, "%s: ", runtime) : NULL;
        struct part part;

        if (!mark || strstr(said, mark))
            continue;
        part = say(facts, runtime, out, arena);
        if (!part.text)
            continue;
        said = am_arena_printf(arena, "%s%s%s%s", said, *said ? "; " : "", mark, part.text);
        decided |= part.decided;
    }
    if (said && *said)
        text = am_arena_printf(arena, "%s%s.", decided ? "" : "Not decided. ", said);
    out->text = text;
    return text != NULL;
}

/* ---- which of equivalent directives ---- */

/* Ways to add to a number that all threads want, from the most special to the most general. */
static const struct {
    const char *construct, *name;
} additions[] = {
    {"atomic_add_f64", "atomic"}, {"critical_contended", "critical"}, {"lock_contended", "a lock"}};
enum { ADDITIONS = sizeof(additions) / sizeof(additions[0]) };

static struct part say_addition(const struct am_facts *facts, const char *runtime,
                                struct am_guideline *out, struct am_arena *arena)
{
    const struct am_fact *ways[ADDITIONS] = {NULL};
    size_t best = ADDITIONS, next = ADDITIONS;

    for (size_t i = 0; i < ADDITIONS; i++) {
        ways[i] = of_runtime(
            facts, "openmp.overhead", runtime,
            am_arena_printf(arena, "construct=%s threads>1", additions[i].construct), arena);
        if (ways[i] && (best == ADDITIONS || ways[i]->value < ways[best]->value))
            best = i;
    }
    for (size_t i = 0; i < ADDITIONS; i++) {
        if (ways[i] && i != best && (next == ADDITIONS || ways[i]->value < ways[next]->value))
            next = i;
    }
    if (next == ADDITIONS)
        return (struct part){NULL, false};
    rest_on(out, ways[best], arena);
    rest_on(out, ways[next], arena);
    if (am_facts_side(ways[next], ways[best], worth) == AM_SIDE_ABOVE)
        return (struct part){
            am_arena_printf(arena, "protect an addition by %s, %s against %s by %s",
                            additions[best].name, am_units_text(ways[best]->value, "s", arena),
                            am_units_text(ways[next]->value, "s", arena), additions[next].name),
            true};
    return (struct part){am_arena_printf(arena, "not decided between %s and %s for an addition",
                                         additions[best].name, additions[next].name),
                         false};
}

static bool say_equivalent(const struct am_facts *facts, struct am_arena *arena,
                           struct am_guideline *out)
{
    out->command = "run omp.sync -p construct=critical_contended,lock_contended,atomic_add_f64";
    return for_runtimes(facts, "openmp.overhead", say_addition, arena, out);
}

/* ---- schedule and chunk ---- */

static struct part say_chunk(const struct am_facts *facts, const char *runtime,
                             struct am_guideline *out, struct am_arena *arena)
{
    const struct am_fact *const f = of_runtime(facts, "openmp.chunk", runtime, "threads>1", arena);

    if (!f)
        return (struct part){NULL, false};
    rest_on(out, f, arena);
    if (!(f->ci.lo > 0) || !am_fact_is_decided(f))
        return (struct part){am_arena_printf(arena,
                                             "what a chunk of a dynamic loop costs is not "
                                             "decided, %s at most",
                                             am_units_text(f->ci.hi, "s", arena)),
                             false};
    return (struct part){
        am_arena_printf(arena,
                        "a chunk of a dynamic loop costs %s, so take schedule(static) for even "
                        "work, and for uneven work chunks of %s at least",
                        am_units_text(f->value, "s", arena),
                        am_units_text(chunk_work * f->ci.hi, "s", arena)),
        true};
}

static bool say_schedule(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    out->command = "run omp.sched -p schedule=dynamic";
    return for_runtimes(facts, "openmp.chunk", say_chunk, arena, out);
}

/* ---- wait policy ---- */

static struct part say_policy(const struct am_facts *facts, const char *runtime,
                              struct am_guideline *out, struct am_arena *arena)
{
    const struct am_fact *const f = of_runtime(facts, "openmp.wait_ratio", runtime, "", arena);
    const enum am_fact_side side = f ? am_fact_side(f, worth) : AM_SIDE_OPEN;

    if (!f)
        return (struct part){NULL, false};
    out->grading = out->evidence ? am_grading_worse(out->grading, f->grading) : f->grading;
    out->evidence = am_arena_printf(arena, "%s%s%s = %.3g, from %.3g to %.3g",
                                    out->evidence ? out->evidence : "", out->evidence ? ", " : "",
                                    f->id, f->value, f->ci.lo, f->ci.hi);
    if (side == AM_SIDE_ABOVE)
        return (struct part){
            am_arena_printf(arena,
                            "OMP_WAIT_POLICY=active where every thread has a core of its own: with "
                            "passive a region takes %.2f x as long",
                            f->value),
            true};
    if (side == AM_SIDE_BELOW)
        return (struct part){
            am_arena_printf(arena,
                            "the wait policy hardly matters to regions that follow "
                            "each other, passive takes %.2f x as long",
                            f->value),
            true};
    return (struct part){
        am_arena_printf(arena, "with passive a region takes between %.2f and %.2f x as long",
                        f->ci.lo, f->ci.hi),
        false};
}

static bool say_wait(const struct am_facts *facts, struct am_arena *arena, struct am_guideline *out)
{
    out->command = "run omp.sync -p construct=parallel -p wait=active,passive";
    return for_runtimes(facts, "openmp.wait_ratio", say_policy, arena, out);
}

/* ---- regions after serial work ---- */

/* The facts of a runtime's regions after the shortest and the longest gap; false with one gap. */
static bool find_gaps(const struct am_facts *facts, const char *runtime,
                      const struct am_fact **shortest, const struct am_fact **longest)
{
    double least = INFINITY, most = -INFINITY;

    for (const struct am_fact *f = am_facts_next(facts, "openmp.region", NULL, NULL); f;
         f = am_facts_next(facts, "openmp.region", NULL, f)) {
        const char *const of = am_fact_text(f, "runtime");
        const double gap = am_fact_number(f, "gap");

        if (!of || strcmp(of, runtime) != 0 || !isfinite(gap))
            continue;
        if (gap < least) {
            least = gap;
            *shortest = f;
        }
        if (gap > most) {
            most = gap;
            *longest = f;
        }
    }
    return most > least;
}

static struct part say_asleep(const struct am_facts *facts, const char *runtime,
                              struct am_guideline *out, struct am_arena *arena)
{
    const struct am_fact *at_once = NULL, *later = NULL;
    enum am_fact_side side;
    double gap;

    if (!find_gaps(facts, runtime, &at_once, &later))
        return (struct part){NULL, false};
    gap = am_fact_number(later, "gap");
    side = am_facts_side(later, at_once, worth);
    rest_on(out, at_once, arena);
    rest_on(out, later, arena);
    if (side == AM_SIDE_ABOVE)
        return (struct part){
            am_arena_printf(arena,
                            "after %g us of serial work a region costs %.3g us, %.3g at once: its "
                            "threads sleep; join regions, or let threads spin longer where CPUs "
                            "are free",
                            gap, later->value * 1e6, at_once->value * 1e6),
            true};
    if (side == AM_SIDE_BELOW)
        return (struct part){
            am_arena_printf(arena, "serial work of up to %g us makes no region dearer", gap), true};
    return (struct part){
        am_arena_printf(arena, "whether a region after %g us of serial work costs more", gap),
        false};
}

static bool say_gap(const struct am_facts *facts, struct am_arena *arena, struct am_guideline *out)
{
    out->command = "run omp.region -p gap=0,1000";
    return for_runtimes(facts, "openmp.region", say_asleep, arena, out);
}

/* ---- an estimate by counting ---- */

/* "parallel 590 ns, barrier 240 ns": constructs whose overhead is told from zero. */
static struct part say_costs(const struct am_facts *facts, const char *runtime,
                             struct am_guideline *out, struct am_arena *arena)
{
    static const char *const counted[] = {"parallel", "for", "barrier", "single", "reduction"};
    const struct am_fact *const even = of_runtime(facts, "openmp.break_even", runtime, "", arena);
    const char *list = "";

    for (size_t i = 0; list && i < sizeof(counted) / sizeof(counted[0]); i++) {
        const struct am_fact *const f =
            of_runtime(facts, "openmp.overhead", runtime,
                       am_arena_printf(arena, "construct=%s threads>1", counted[i]), arena);

        if (!f || !(f->ci.lo > 0) || !am_fact_is_decided(f))
            continue;
        rest_on(out, f, arena);
        list = am_arena_printf(arena, "%s%s%s %s", list, *list ? ", " : "", counted[i],
                               am_units_text(f->value, "s", arena));
    }
    if (!list || !*list)
        return (struct part){NULL, false};
    if (!even || !(even->ci.lo > 0))
        return (struct part){list, true};
    rest_on(out, even, arena);
    return (struct part){am_arena_printf(arena, "%s; a loop of less than %s is faster serially",
                                         list, am_units_text(even->ci.lo, "s", arena)),
                         true};
}

static bool say_estimate(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    out->command = "run omp.sync";
    if (!for_runtimes(facts, "openmp.overhead", say_costs, arena, out))
        return false;
    out->text = am_arena_printf(
        arena, "Estimate what a program pays by counting its directives, all threads: %s",
        out->text);
    return out->text != NULL;
}

const struct am_guideline_rule am_openmp_guidelines[] = {
    {"openmp.equivalent", say_equivalent},
    {"openmp.schedule", say_schedule},
    {"openmp.wait", say_wait},
    {"openmp.gap", say_gap},
    {"openmp.estimate", say_estimate},
    {NULL, NULL},
};
