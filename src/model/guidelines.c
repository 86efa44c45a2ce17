/* SPDX-License-Identifier: MIT */
/* Guidelines from facts: one function a rule, in the order of the table. Each says what to do and
 * by how much it matters, or nothing where the measurement does not decide. */
#include "model/guidelines.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Smaller effects are no advice. */
static const double worth = 1.1;

struct maker {
    const struct am_facts *facts;
    struct am_guidelines *out;
    struct am_arena *arena;
};

static void add(const struct maker *m, const char *id, const char *text, const char *evidence,
                const char *command)
{
    struct am_guidelines *const g = m->out;

    if (!text || !evidence || !command)
        return;
    if (g->n == g->cap) {
        const size_t cap = g->cap ? 2 * g->cap : 16;
        struct am_guideline *const items = am_arena_array(m->arena, cap, sizeof(*items));

        if (!items)
            return;
        if (g->n)
            memcpy(items, g->items, g->n * sizeof(*items));
        g->items = items;
        g->cap = cap;
    }
    g->items[g->n++] =
        (struct am_guideline){.id = id, .text = text, .evidence = evidence, .command = command};
}

static const struct am_fact *find(const struct maker *m, const char *id)
{
    return id ? am_facts_find(m->facts, id) : NULL;
}

static double value_of(const struct maker *m, const char *id)
{
    const struct am_fact *const f = find(m, id);

    return f ? f->value : NAN;
}

/* The id's part between `before` and `after`, in the arena; NULL when it has another form. */
static const char *middle(const struct maker *m, const char *id, const char *before,
                          const char *after)
{
    const size_t n = strlen(id), b = strlen(before), a = strlen(after);

    if (n <= b + a || strncmp(id, before, b) != 0 || strcmp(id + n - a, after) != 0)
        return NULL;
    return am_arena_strndup(m->arena, id + b, n - b - a);
}

/* The fact with the highest value among those of a form whose middle has no ".threads" in it. */
static const struct am_fact *highest(const struct maker *m, const char *before, const char *after)
{
    const struct am_fact *best = NULL;

    for (size_t i = 0; i < m->facts->n; i++) {
        const struct am_fact *const f = &m->facts->items[i];
        const char *const part = middle(m, f->id, before, after);

        if (part && !strstr(part, "threads") && (!best || f->value > best->value))
            best = f;
    }
    return best;
}

/* ---- the core ---- */

/* "f64.avx512" into its words. */
static bool split(const char *pair, char type[16], char isa[16])
{
    return sscanf(pair, "%15[^.].%15[^.]", type, isa) == 2;
}

static void say_streams(const struct maker *m)
{
    const struct am_fact *const peak = highest(m, "cpu.flops.f64.", ".peak");
    const char *const pair = peak ? middle(m, peak->id, "cpu.flops.", ".peak") : NULL;
    const struct am_fact *const streams =
        pair ? find(m, am_arena_printf(m->arena, "cpu.flops.%s.streams", pair)) : NULL;
    char type[16], isa[16];

    if (!streams || !split(pair, type, isa))
        return;
    add(m, "core.streams",
        am_arena_printf(m->arena,
                        "Keep at least %.0f independent %s operations of %s under way: as many "
                        "streams reach the peak of %.3g Gflop/s, fewer do not.",
                        streams->value, type, isa, peak->value / 1e9),
        am_arena_printf(m->arena, "%s = %.0f, between %.0f and %.0f", streams->id, streams->value,
                        streams->ci.lo, streams->ci.hi),
        am_arena_printf(m->arena, "run cpu.flops -p type=%s -p isa=%s -p streams=1:16", type, isa));
}

/* The widest gain among instruction sets of one type. */
static void say_vectors(const struct maker *m)
{
    const struct am_fact *const peak = highest(m, "cpu.flops.f64.", ".peak");
    const char *const isa = peak ? middle(m, peak->id, "cpu.flops.f64.", ".peak") : NULL;
    const struct am_fact *next = NULL, *const scalar = find(m, "cpu.flops.f64.scalar.peak");

    for (size_t i = 0; isa && i < m->facts->n; i++) {
        const struct am_fact *const f = &m->facts->items[i];
        const char *const part = middle(m, f->id, "cpu.flops.f64.", ".peak");

        if (part && f != peak && !strstr(part, "threads") && (!next || f->value > next->value))
            next = f;
    }
    if (!next || peak->value < worth * next->value)
        next = NULL;
    if (!scalar && !next)
        return;
    add(m, "core.vectors",
        am_arena_printf(m->arena, "Vectorise with %s: %.1f x the arithmetic of %s.", isa,
                        peak->value / (scalar ? scalar : next)->value,
                        scalar ? "scalar code" : middle(m, next->id, "cpu.flops.f64.", ".peak")),
        am_arena_printf(m->arena, "%s = %.3g, %s = %.3g Gflop/s", peak->id, peak->value / 1e9,
                        (scalar ? scalar : next)->id, (scalar ? scalar : next)->value / 1e9),
        "run cpu.flops -p type=f64 -p isa=usable");
}

static void say_precision(const struct maker *m)
{
    const struct am_fact *const f64 = highest(m, "cpu.flops.f64.", ".peak");
    const struct am_fact *const f32 = highest(m, "cpu.flops.f32.", ".peak");

    if (!f64 || !f32 || f32->value < worth * f64->value)
        return;
    add(m, "core.precision",
        am_arena_printf(m->arena, "Single precision has %.1f x the arithmetic of double.",
                        f32->value / f64->value),
        am_arena_printf(m->arena, "%s = %.3g, %s = %.3g Gflop/s", f32->id, f32->value / 1e9,
                        f64->id, f64->value / 1e9),
        "run cpu.flops -p type=f32,f64 -p isa=best");
}

static void say_division(const struct maker *m)
{
    static const char *const widths[] = {"zmm", "ymm"};

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        const double divide =
            value_of(m, am_arena_printf(m->arena, "cpu.rate.vdivpd_%s", widths[i]));
        const double fma =
            value_of(m, am_arena_printf(m->arena, "cpu.rate.vfmadd231pd_%s", widths[i]));

        if (!(fma > worth * divide))
            continue;
        add(m, "core.division",
            am_arena_printf(m->arena,
                            "Divide as little as possible: one f64 division takes the time of "
                            "%.0f multiplications and additions.",
                            2 * fma / divide),
            am_arena_printf(m->arena,
                            "cpu.rate.vdivpd_%s = %.3g, cpu.rate.vfmadd231pd_%s = %.3g a cycle",
                            widths[i], divide, widths[i], fma),
            am_arena_printf(m->arena, "run cpu.instr -p instr=vdivpd_%s,vfmadd231pd_%s", widths[i],
                            widths[i]));
        return;
    }
}

static void say_smt(const struct maker *m)
{
    const struct am_fact *const f = highest(m, "cpu.flops.", ".smt_gain");

    if (!f || !am_fact_is_decided(f))
        return;
    add(m, "core.smt",
        f->ci.lo > worth ? am_arena_printf(m->arena,
                                           "Use both hardware threads of a core: together they "
                                           "reach %.2f x the peak of one.",
                                           f->value)
                         : am_arena_printf(m->arena,
                                           "One thread a core is enough where code reaches the "
                                           "peak: a second one gives %.2f x.",
                                           f->value),
        am_arena_printf(m->arena, "%s = %.3g, from %.3g to %.3g", f->id, f->value, f->ci.lo,
                        f->ci.hi),
        "run cpu.flops -p smt=single,pair -p threads=2");
}

/* ---- memory ---- */

static void say_levels(const struct maker *m)
{
    const double l1 = value_of(m, "cache.l1d.latency"), l2 = value_of(m, "cache.l2.latency");
    const double l3 = value_of(m, "cache.l3.latency"), memory = value_of(m, "memory.latency");
    const double size = value_of(m, "cache.l2.size");

    if (!isfinite(l1) || !isfinite(l2) || !isfinite(memory) || !isfinite(size))
        return;
    add(m, "memory.levels",
        am_arena_printf(m->arena,
                        "Block for L2: keep what is used again below %.0f KiB a core. A load takes "
                        "%.2g ns from L1, %.2g ns from L2 and %.3g ns from memory (%.0f x L2).",
                        size / 1024, l1 * 1e9, l2 * 1e9, memory * 1e9, memory / l2),
        isfinite(l3) ? am_arena_printf(m->arena,
                                       "cache.l2.size, cache.l1d.latency, cache.l2.latency, "
                                       "cache.l3.latency = %.3g ns, memory.latency",
                                       l3 * 1e9)
                     : "cache.l2.size, cache.l1d.latency, cache.l2.latency, memory.latency",
        "run mem.latency -p pattern=random");
}

static void say_parallelism(const struct maker *m)
{
    const struct am_fact *const f = find(m, "memory.parallelism");

    if (!f || f->value < 2)
        return;
    add(m, "memory.parallelism",
        am_arena_printf(m->arena,
                        "Make misses independent: one core keeps %.0f loads under way, so that a "
                        "chain of dependent ones (a list, a tree) is up to %.0f times slower than "
                        "as many loads whose addresses are known.",
                        f->value, f->value),
        am_arena_printf(m->arena, "memory.parallelism = %.3g (%s)", f->value, f->evidence),
        "run mem.parallel");
}

/* Where the interval lies beyond 1 on one side: gained, or lost. */
static void say_nt(const struct maker *m)
{
    const struct am_fact *const f = highest(m, "memory.bandwidth.", ".nt_gain");
    const char *const kernel = f ? middle(m, f->id, "memory.bandwidth.", ".nt_gain") : NULL;
    const double cache = value_of(m, "cache.l3.size");

    if (!kernel || !am_fact_is_decided(f))
        return;
    if (f->ci.lo > worth)
        add(m, "memory.streaming",
            am_arena_printf(
                m->arena,
                "Write large results with non-temporal stores: they gain %.2f x (%s) "
                "beyond the last cache%s, and lose inside it.",
                f->value, kernel,
                isfinite(cache) ? am_arena_printf(m->arena, " (%.3g MiB)", cache / 1048576) : ""),
            am_arena_printf(m->arena, "%s, from %.2f to %.2f", f->id, f->ci.lo, f->ci.hi),
            am_arena_printf(m->arena, "run mem.bandwidth -p kernel=%s -p nt=0,1 -p size=1G",
                            kernel));
    else if (f->ci.hi < 1)
        add(m, "memory.streaming",
            am_arena_printf(m->arena,
                            "Leave non-temporal stores alone: even the kernel that they suit best "
                            "(%s) falls to %.2f x.",
                            kernel, f->value),
            am_arena_printf(m->arena, "%s, from %.2f to %.2f", f->id, f->ci.lo, f->ci.hi),
            am_arena_printf(m->arena, "run mem.bandwidth -p kernel=%s -p nt=0,1 -p size=1G",
                            kernel));
}

/* The most threads that a rate was measured with; 1 when only one was. */
static double most_threads(const struct maker *m, const char *stem)
{
    const size_t n = strlen(stem);
    double most = 1;

    for (size_t i = 0; i < m->facts->n; i++) {
        const char *const id = m->facts->items[i].id;
        const size_t digits = strncmp(id, stem, n) == 0 ? strspn(id + n, "0123456789") : 0;
        double threads;

        if (digits && am_parse_f64(id + n, digits, &threads))
            most = fmax(most, threads);
    }
    return most;
}

/* What filling the memory takes: one thread, some, or more than there are. */
static const char *threads_advice(const struct maker *m, double fill, double most, double gain)
{
    if (fill < 2)
        return am_arena_printf(m->arena,
                               "One thread fills the memory: more of them gain only where the work "
                               "is in the caches (%.2f x here).",
                               gain);
    if (fill < most)
        return am_arena_printf(m->arena,
                               "Use %.0f threads for work that memory bounds: fewer do not fill "
                               "it, more gain nothing.",
                               fill);
    return am_arena_printf(m->arena,
                           "Use all threads for work that memory bounds: %.0f of them move %.2f x "
                           "what one does.",
                           most, gain);
}

static void say_threads(const struct maker *m)
{
    static const char *const kernels[] = {"triad", "copy", "read"};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const char *const stem =
            am_arena_printf(m->arena, "memory.bandwidth.%s.threads", kernels[i]);
        const struct am_fact *const f = find(m, stem);
        const double gain =
            value_of(m, am_arena_printf(m->arena, "scaling.memory.bandwidth.%s", kernels[i]));

        if (!f || !isfinite(gain))
            continue;
        add(m, "memory.threads", threads_advice(m, f->value, most_threads(m, stem), gain),
            am_arena_printf(m->arena, "%s = %.0f; %s", f->id, f->value, f->evidence),
            am_arena_printf(m->arena, "run mem.bandwidth -p kernel=%s -p threads=1:cpus -p size=1G",
                            kernels[i]));
        return;
    }
}

static void say_stanza(const struct maker *m)
{
    const struct am_fact *const f = find(m, "memory.stanza.knee");

    if (!f)
        return;
    add(m, "memory.stanza",
        am_arena_printf(m->arena,
                        "Touch memory in rows of at least %.0f B (%.0f f64 elements): from there "
                        "on gaps between them hardly cost bandwidth.",
                        8 * f->value, f->value),
        am_arena_printf(m->arena, "memory.stanza.knee: %s", f->evidence), "run mem.stanza");
}

static void say_tlb(const struct maker *m)
{
    const double pages = value_of(m, "tlb.l2.pages"), cache = value_of(m, "cache.l3.size");

    if (!isfinite(pages))
        return;
    add(m, "memory.pages",
        am_arena_printf(m->arena,
                        "Random access beyond %.3g MiB pays for address translation: use huge "
                        "pages%s.",
                        pages * 4096 / 1048576,
                        isfinite(cache) && pages * 4096 < cache
                            ? ", even for what the last cache would hold"
                            : ""),
        am_arena_printf(m->arena, "tlb.l2.pages = %.0f of 4 KiB", pages),
        "run mem.tlb mem.latency -p pages=small,huge");
}

/* ---- cores among each other ---- */

static void say_remote(const struct maker *m)
{
    static const char *const relations[] = {"package", "cache", "far"};
    const double memory = value_of(m, "memory.latency");

    for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
        const char *const id =
            am_arena_printf(m->arena, "coherence.read.modified.%s.latency", relations[i]);
        const char *const other = am_arena_printf(m->arena, "handoff.%s.latency", relations[i]);
        const struct am_fact *f = find(m, id);

        f = f ? f : find(m, other);
        if (!f || !isfinite(memory))
            continue;
        add(m, "cores.remote",
            am_arena_printf(
                m->arena,
                "A line that another core has written costs %.3g ns, %.2f x a load from "
                "memory: %s.",
                f->value * 1e9, f->value / memory,
                f->value > 0.5 * memory ? "treat the caches of other cores as memory"
                                        : "passing small results through the cache pays"),
            am_arena_printf(m->arena, "%s, memory.latency = %.3g ns", f->id, memory * 1e9),
            "run mem.coherence mem.pingpong mem.latency");
        return;
    }
}

static void say_sharing(const struct maker *m)
{
    const struct am_fact *const f = find(m, "sharing.add.penalty");

    if (!f || !am_fact_is_decided(f) || f->ci.lo < worth)
        return;
    add(m, "cores.sharing",
        am_arena_printf(m->arena,
                        "Keep counters of different threads in lines of their own: atomic "
                        "additions in a shared line are %.1f x slower.",
                        f->value),
        am_arena_printf(m->arena, "%s = %.3g, from %.3g to %.3g", f->id, f->value, f->ci.lo,
                        f->ci.hi),
        "run mem.sharing");
}

static void say_placement(const struct maker *m)
{
    const struct am_fact *const symmetric = find(m, "placement.symmetric");
    const struct am_fact *const ratio = find(m, "placement.symmetry");

    if (!symmetric || !ratio)
        return;
    add(m, "cores.placement",
        symmetric->value > 0.5
            ? am_arena_printf(m->arena,
                              "Cores are symmetric for memory: where threads are placed matters by "
                              "less than %.0f %%.",
                              100 * (1 - fmin(ratio->ci.lo, 1)))
            : am_arena_printf(m->arena,
                              "Place threads with care: the worst placement has %.2f x the "
                              "bandwidth of the best.",
                              ratio->value),
        am_arena_printf(m->arena, "placement.symmetry = %.3g (%s)", ratio->value, ratio->evidence),
        "run mem.placement");
}

static void say_groups(const struct maker *m)
{
    const struct am_fact *const f = find(m, "symmetry.groups");
    const double ratio = value_of(m, "symmetry.ratio");

    if (!f || !isfinite(ratio))
        return;
    add(m, "cores.groups",
        f->value > 1.5
            ? am_arena_printf(m->arena,
                              "Keep threads that exchange data in one of the %.0f groups "
                              "of CPUs: between them a hand-off takes %.1f x as long.",
                              f->value, ratio)
            : am_arena_printf(m->arena,
                              "All CPUs are symmetric peers for hand-offs: the slowest "
                              "pair takes %.2f x the fastest.",
                              ratio),
        f->evidence, "run mem.pingpong -p method=cas -p from=first:last -p to=first:last");
}

static void say_cores(const struct maker *m)
{
    const struct am_fact *const f = find(m, "cpu.cores.effective");

    if (!f || !f->contradicts)
        return;
    add(m, "cores.effective",
        am_arena_printf(m->arena,
                        "Count on the arithmetic of %.0f cores, not of the %s that are claimed: "
                        "CPUs share cores, or the rest belongs to others.",
                        round(f->value), f->claimed),
        am_arena_printf(m->arena, "cpu.cores.effective = %.3g (%s)", f->value, f->evidence),
        "run cpu.flops -p threads=1:cpus:*2");
}

void am_guidelines_make(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guidelines *out)
{
    static void (*const rules[])(const struct maker *) = {
        say_streams, say_vectors,   say_precision, say_division,    say_smt, say_levels,
        say_nt,      say_threads,   say_stanza,    say_parallelism, say_tlb, say_remote,
        say_sharing, say_placement, say_groups,    say_cores,
    };
    const struct maker m = {facts, out, arena};

    *out = (struct am_guidelines){.arena = arena};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        rules[i](&m);
}
