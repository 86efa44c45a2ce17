/* SPDX-License-Identifier: MIT */
/* What omp.sync, omp.sched and omp.start show: the prices that a program pays for its threads. */
#include "model/derive.h"
#include "model/omp_results.h"

#include <math.h>
#include <string.h>

/* Constructs whose overhead is a fact: those that programs count. */
static const char *const constructs[] = {
    "parallel",       "for",      "parallel_for",   "barrier",          "single",
    "reduction",      "critical", "lock_contended", "lock_uncontended", "atomic_add_f64",
    "atomic_add_i64",
};

/* Of every thread in a loop of omp.sched. */
static const double iterations = 1024;

/* Serial work that p threads do in the same time as one: it must be longer than O p / (p - 1). */
static void add_break_even(struct am_facts *facts, const struct am_result *r,
                           const struct am_summary *s)
{
    const double p = am_result_number(r, "threads"), factor = p / (p - 1);

    if (!(p > 1) || !(s->median > 0))
        return;
    am_facts_offer(facts, (struct am_fact){
                              .id = am_arena_printf(facts->arena, "omp.%s.loop.break_even",
                                                    am_result_text(r, "runtime")),
                              .what = "serial time from which a parallel loop is faster",
                              .unit = "s",
                              .value = factor * s->median,
                              .ci = {factor * s->ci.lo, factor * s->ci.hi, s->ci.coverage},
                              .evidence = am_omp_result_words(facts, r),
                          });
}

static void add_construct(const struct am_result_set *set, struct am_facts *facts,
                          const struct am_result *r, const char *construct)
{
    struct am_summary s;

    if (!am_omp_result_is(r, "construct", construct) || !am_result_summary(r, "overhead", &s) ||
        !am_omp_result_widest(set, r, "construct"))
        return;
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = am_arena_printf(facts->arena, "omp.%s.%s.overhead",
                                             am_result_text(r, "runtime"), construct),
                       .what = am_arena_printf(facts->arena, "overhead of %s with %s threads",
                                               construct, am_result_text(r, "threads")),
                       .unit = "s",
                       .value = s.median,
                       .ci = s.ci,
                       .evidence = am_omp_result_words(facts, r),
                   });
    if (strcmp(construct, "parallel_for") == 0)
        add_break_even(facts, r, &s);
}

/* The result measured as r is but for its chunk; the largest one. NULL when r has the largest. */
static const struct am_result *find_coarsest(const struct am_result_set *set,
                                             const struct am_result *r, struct am_summary *s)
{
    const struct am_result *best = NULL;
    double chunk = am_result_number(r, "chunk");

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const other = &set->results[i];

        if (am_omp_result_usual(other, "omp.sched") && am_omp_result_same(other, r, "runtime") &&
            am_omp_result_same(other, r, "schedule") && am_omp_result_same(other, r, "threads") &&
            am_omp_result_same(other, r, "body") && am_result_number(other, "chunk") > chunk &&
            am_result_summary(other, "overhead", s)) {
            chunk = am_result_number(other, "chunk");
            best = other;
        }
    }
    if (best)
        (void)am_result_summary(best, "overhead", s);
    return best;
}

/* What a thread pays to get one chunk: chunks of one against the coarsest, over their numbers. */
static void add_chunk(const struct am_result_set *set, struct am_facts *facts,
                      const struct am_result *r)
{
    struct am_summary fine, coarse;
    const struct am_result *far;
    double chunks;

    if (!am_omp_result_is(r, "schedule", "dynamic") || !am_omp_result_is(r, "chunk", "1") ||
        !am_result_summary(r, "overhead", &fine) || !am_omp_result_widest(set, r, "schedule"))
        return;
    far = find_coarsest(set, r, &coarse);
    if (!far)
        return;
    chunks = iterations - iterations / am_result_number(far, "chunk");
    am_facts_offer(
        facts,
        (struct am_fact){
            .id =
                am_arena_printf(facts->arena, "omp.%s.dynamic.chunk", am_result_text(r, "runtime")),
            .what = am_arena_printf(facts->arena, "a chunk of a dynamic loop, %s threads",
                                    am_result_text(r, "threads")),
            .unit = "s",
            .value = (fine.median - coarse.median) / chunks,
            .ci = {(fine.ci.lo - coarse.ci.hi) / chunks, (fine.ci.hi - coarse.ci.lo) / chunks,
                   fmax(fine.ci.coverage + coarse.ci.coverage - 1, 0)},
            .evidence =
                am_arena_printf(facts->arena, "omp.sched schedule=dynamic: chunk 1 against %s",
                                am_result_text(far, "chunk")),
        });
}

static void add_start(struct am_facts *facts, const struct am_result *r)
{
    struct am_summary s;

    if (!am_result_text(r, "event") || !am_result_summary(r, "first", &s))
        return;
    am_facts_offer(
        facts, (struct am_fact){
                   .id = am_arena_printf(facts->arena, "omp.%s.start.%s",
                                         am_result_text(r, "runtime"), am_result_text(r, "event")),
                   .what = am_arena_printf(
                       facts->arena, "the first %s of a process",
                       am_omp_result_is(r, "event", "task") ? "task" : "parallel region"),
                   .unit = "s",
                   .value = s.median,
                   .ci = s.ci,
                   .evidence = am_omp_result_words(facts, r),
               });
}

void am_derive_omp(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        for (size_t k = 0;
             am_omp_result_usual(r, "omp.sync") && k < sizeof(constructs) / sizeof(constructs[0]);
             k++)
            add_construct(set, facts, r, constructs[k]);
        if (am_omp_result_usual(r, "omp.sched"))
            add_chunk(set, facts, r);
        if (am_omp_result_usual(r, "omp.start"))
            add_start(facts, r);
    }
}
