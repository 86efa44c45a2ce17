/* SPDX-License-Identifier: MIT */
/* Advice about memory: what a programmer should do, as the facts say.
 *
 * A rule speaks where the facts it needs are there, which they are only with a grade of A or B. It
 * gives advice where their intervals lie on one side of what is worth a change of code, and says
 * "Not decided" with the interval where they do not. Nothing is advised that was not measured. */
#include "family/memory/memory.h"

#include <math.h>
#include <string.h>

/* Smaller effects are no advice. */
static const double worth = 1.1;
enum { SMALL_PAGE = 4096 };

static bool say_levels(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const l1 = am_facts_only(facts, "memory.latency", "level=l1d");
    const struct am_fact *const l2 = am_facts_only(facts, "memory.latency", "level=l2");
    const struct am_fact *const memory = am_facts_only(facts, "memory.latency", "level=memory");
    const struct am_fact *const size = am_facts_only(facts, "memory.size", "level=l2");

    if (!l1 || !l2 || !memory || !size || !(memory->ci.lo > worth * l2->ci.hi))
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(
            arena,
            "Block for L2: keep what one core uses again below %.0f KiB, its part where cores share "
            "it. A load takes %.2g ns from L1, %.2g ns from L2 and %.3g ns from memory (%.0f x L2).",
            size->ci.lo / 1024, l1->value * 1e9, l2->value * 1e9, memory->value * 1e9,
            memory->value / l2->value),
        .evidence = am_arena_printf(arena, "%s, %s, %s, %s", size->id, l1->id, l2->id, memory->id),
        .command = "run mem.latency -p pattern=random",
        .grading = am_grading_worse(am_grading_worse(size->grading, l1->grading),
                                    am_grading_worse(l2->grading, memory->grading)),
    };
    return true;
}

/* ", and lose inside it (0.41 x in l2)", where that was measured. */
static const char *inside_caches(const struct am_facts *facts, const struct am_fact *gain,
                                 struct am_arena *arena)
{
    const struct am_fact *const inside = am_facts_least(
        facts, "memory.nt_gain",
        am_arena_printf(arena, "level!=memory threads=1 kernel=%s", am_fact_text(gain, "kernel")));
    const char *const text = inside && am_fact_is_decided(inside) && inside->ci.hi < 1
                                 ? am_arena_printf(arena, ", and lose inside it (%.2f x in %s)",
                                                   inside->value, am_fact_text(inside, "level"))
                                 : NULL;

    return text ? text : "";
}

/* What non-temporal stores gain or lose. */
static const char *streaming_advice(const struct am_facts *facts, const struct am_fact *f,
                                    struct am_arena *arena)
{
    const char *const kernel = am_fact_text(f, "kernel");
    const double cache = am_facts_value(facts, "memory.size", "level=l3");

    if (f->ci.lo > worth)
        return am_arena_printf(
            arena,
            "Write large results with non-temporal stores: they gain %.2f x (%s) beyond the last "
            "cache%s%s.",
            f->value, kernel,
            isfinite(cache) ? am_arena_printf(arena, " (%.3g MiB)", cache / 1048576) : "",
            inside_caches(facts, f, arena));
    if (f->ci.hi < 1)
        return am_arena_printf(arena,
                               "Leave non-temporal stores alone: even the kernel that they suit "
                               "best (%s) falls to %.2f x.",
                               kernel, f->value);
    return am_arena_printf(arena,
                           "Not decided: with non-temporal stores the kernel that they suit best "
                           "(%s) runs between %.2f and %.2f x as fast.",
                           kernel, f->ci.lo, f->ci.hi);
}

static bool say_streaming(const struct am_facts *facts, struct am_arena *arena,
                          struct am_guideline *out)
{
    const struct am_fact *const f =
        am_facts_most(facts, "memory.nt_gain", "level=memory threads=1");
    const char *const kernel = f ? am_fact_text(f, "kernel") : NULL;

    if (!kernel || !am_fact_is_decided(f))
        return false;
    out->text = streaming_advice(facts, f, arena);
    out->evidence = am_arena_printf(arena, "%s, from %.2f to %.2f", f->id, f->ci.lo, f->ci.hi);
    out->command =
        am_arena_printf(arena, "run mem.bandwidth -p kernel=%s -p nt=0,1 -p size=1G", kernel);
    out->grading = f->grading;
    return true;
}

/* What filling the memory takes: one thread, some, or all that there are. */
static const char *threads_advice(const struct am_fact *fill, const struct am_fact *gain,
                                  struct am_arena *arena)
{
    const double most = am_fact_number(gain, "threads");

    if (fill->ci.hi < 2)
        return am_arena_printf(arena,
                               "One thread fills the memory: more of them gain only where the work "
                               "is in the caches (%.2f x here).",
                               gain->value);
    if (fill->value >= most && gain->ci.lo > worth)
        return am_arena_printf(arena,
                               "Use all threads for work that memory bounds: %.0f of them move "
                               "%.2f x what one does.",
                               most, gain->value);
    if (fill->ci.hi <= 2 * fill->ci.lo)
        return am_arena_printf(
            arena, "Use %.0f threads for work that memory bounds: more gain nothing.", fill->value);
    return am_arena_printf(arena,
                           "Not decided: memory is filled by some number of threads between %.0f "
                           "and %.0f.",
                           fill->ci.lo, fill->ci.hi);
}

static bool say_threads(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    static const char *const kernels[] = {"triad", "copy", "read"};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const struct am_fact *const fill = am_facts_only(
            facts, "memory.fill_threads", am_arena_printf(arena, "kernel=%s", kernels[i]));
        const struct am_fact *const gain = am_facts_only(
            facts, "memory.speedup", am_arena_printf(arena, "level=memory kernel=%s", kernels[i]));

        if (!fill || !gain)
            continue;
        *out = (struct am_guideline){
            .text = threads_advice(fill, gain, arena),
            .evidence =
                am_arena_printf(arena, "%s = %.0f; %s", fill->id, fill->value, fill->evidence),
            .command = am_arena_printf(
                arena, "run mem.bandwidth -p kernel=%s -p threads=1:cpus -p size=1G", kernels[i]),
            .grading = am_grading_worse(fill->grading, gain->grading),
        };
        return true;
    }
    return false;
}

/* Lengths are measured in doublings at best: an interval wider than that decides nothing. */
static bool say_stanza(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "memory.stanza_knee", NULL);

    if (!f)
        return false;
    *out = (struct am_guideline){
        .text = f->ci.hi <= 2 * f->ci.lo
                    ? am_arena_printf(arena,
                                      "Touch memory in rows of at least %.0f B (%.0f f64 "
                                      "elements): from there on gaps between them hardly cost "
                                      "bandwidth.",
                                      8 * f->value, f->value)
                    : am_arena_printf(arena,
                                      "Not decided: rows become long enough for gaps between them "
                                      "not to cost bandwidth somewhere between %.0f and %.0f B.",
                                      8 * f->ci.lo, 8 * f->ci.hi),
        .evidence = am_arena_printf(arena, "%s: %s", f->id, f->evidence),
        .command = "run mem.stanza",
        .grading = f->grading,
    };
    return true;
}

static bool say_parallelism(const struct am_facts *facts, struct am_arena *arena,
                            struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "memory.parallelism", NULL);
    const char *const level = f ? am_fact_text(f, "level") : NULL;

    if (!f)
        return false;
    *out = (struct am_guideline){
        .text = f->ci.lo >= 2
                    ? am_arena_printf(
                          arena,
                          "Make misses independent: one core keeps at least %.0f loads%s%s under "
                          "way, so that a chain of dependent ones (a list, a tree) is up to %.0f "
                          "times slower than as many loads whose addresses are known.",
                          f->ci.lo, level ? " from " : "", level ? level : "", f->value)
                    : am_arena_printf(arena,
                                      "Not decided: one core keeps between %.2f and %.2f loads "
                                      "under way.",
                                      f->ci.lo, f->ci.hi),
        .evidence = am_arena_printf(arena, "%s = %.3g (%s)", f->id, f->value, f->evidence),
        .command = "run mem.parallel",
        .grading = f->grading,
    };
    return true;
}

/* By which prefetching of software changes what memory gives one thread. */
static const char *prefetch_advice(const struct am_fact *f, struct am_arena *arena)
{
    switch (am_fact_side(f, worth)) {
    case AM_SIDE_ABOVE:
        return am_arena_printf(arena,
                               "Prefetch in software what memory bounds: it gains %.2f x (%s).",
                               f->value, am_fact_text(f, "kernel"));
    case AM_SIDE_BELOW:
        return am_arena_printf(arena,
                               "Leave prefetching of streams to the processor: in software it "
                               "gives %.2f x at best (%s).",
                               f->value, am_fact_text(f, "kernel"));
    case AM_SIDE_OPEN: break;
    }
    return am_arena_printf(arena,
                           "Not decided: prefetching in software gives between %.2f and %.2f x.",
                           f->ci.lo, f->ci.hi);
}

static bool say_prefetch(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    const struct am_fact *const f =
        am_facts_most(facts, "memory.prefetch_gain", "level=memory threads=1");

    if (!f || !am_fact_text(f, "kernel") || !am_fact_is_decided(f))
        return false;
    *out = (struct am_guideline){
        .text = prefetch_advice(f, arena),
        .evidence = am_arena_printf(arena, "%s, from %.2f to %.2f", f->id, f->ci.lo, f->ci.hi),
        .command = am_arena_printf(
            arena, "run mem.bandwidth -p kernel=%s -p prefetch=0,8,16,32 -p size=1G -p threads=1",
            am_fact_text(f, "kernel")),
        .grading = f->grading,
    };
    return true;
}

/* What huge pages gain, where both kinds were measured. */
static const char *pages_advice(const struct am_fact *gain, const char *beyond,
                                struct am_arena *arena)
{
    if (!gain)
        return am_arena_printf(arena,
                               "Not decided: random access%s pays for address translation; whether "
                               "huge pages help was not measured.",
                               beyond);
    switch (am_fact_side(gain, worth)) {
    case AM_SIDE_ABOVE:
        return am_arena_printf(arena,
                               "Use huge pages for random access%s: without them a load takes "
                               "%.2f x as long.",
                               beyond, gain->value);
    case AM_SIDE_BELOW:
        return am_arena_printf(arena,
                               "Small pages are good enough for random access: without huge ones a "
                               "load takes %.2f x as long.",
                               gain->value);
    case AM_SIDE_OPEN: break;
    }
    return am_arena_printf(arena,
                           "Not decided: on small pages random loads take between %.2f and %.2f x "
                           "as long as on huge ones.",
                           gain->ci.lo, gain->ci.hi);
}

static bool say_pages(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out)
{
    const struct am_fact *const reach = am_facts_only(facts, "memory.tlb_pages", "level=l2");
    const struct am_fact *const gain = am_facts_only(facts, "memory.huge_gain", NULL);
    const char *const beyond =
        reach ? am_arena_printf(arena, " beyond %.3g MiB", reach->value * SMALL_PAGE / 1048576)
              : "";
    const struct am_fact *const first = gain ? gain : reach;

    if (!first || !beyond)
        return false;
    *out = (struct am_guideline){
        .text = pages_advice(gain, beyond, arena),
        .evidence = am_arena_printf(arena, "%s = %.3g%s%s", first->id, first->value,
                                    gain && reach ? ", " : "", gain && reach ? reach->id : ""),
        .command = "run mem.tlb mem.latency -p pages=small,huge",
        .grading = gain && reach ? am_grading_worse(gain->grading, reach->grading) : first->grading,
    };
    return true;
}

const struct am_guideline_rule am_memory_guidelines[] = {
    {"memory.levels", say_levels},
    {"memory.streaming", say_streaming},
    {"memory.threads", say_threads},
    {"memory.stanza", say_stanza},
    {"memory.parallelism", say_parallelism},
    {"memory.prefetch", say_prefetch},
    {"memory.pages", say_pages},
    {NULL, NULL},
};
