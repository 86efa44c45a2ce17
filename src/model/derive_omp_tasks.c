/* SPDX-License-Identifier: MIT */
/* What omp.task and omp.array show: what a task costs by the way it goes, and how fast arrays of
 * data-sharing clauses are copied. */
#include "model/derive.h"
#include "model/omp_results.h"

#include <math.h>
#include <string.h>

/* Facts that are a metric of one construct, with the largest team and rounds of 1024 tasks. */
static const struct {
    const char *construct, *metric;
    const char *name; /* the last word of the id */
    const char *what, *unit;
} tasks[] = {
    {"task_inline", "overhead", "inline", "a task that is run on the spot, the queue being full",
     "s"},
    {"task_deferred", "overhead", "deferred", "a task that its maker queues and runs", "s"},
    {"task_stolen", "overhead", "stolen", "a task that is queued and run by another thread", "s"},
    {"depend_chain", "thread_overhead", "depend", "a task that depends on the one before it", "s"},
    {"parallel_task", "deferred_share", "queued", "share of 1024 tasks a thread that is queued",
     ""},
};

/* Clauses that move the whole array. */
static const char *const clauses[] = {"firstprivate", "lastprivate", "copyin", "copyprivate",
                                      "reduction"};

static void add_task(const struct am_result_set *set, struct am_facts *facts,
                     const struct am_result *r, size_t k)
{
    struct am_summary s;

    if (!am_omp_result_is(r, "construct", tasks[k].construct) ||
        !am_omp_result_is(r, "tasks", "1024") || !am_result_summary(r, tasks[k].metric, &s) ||
        !am_omp_result_widest(set, r, "construct"))
        return;
    am_facts_offer(facts, (struct am_fact){
                              .id = am_arena_printf(facts->arena, "omp.%s.task.%s",
                                                    am_result_text(r, "runtime"), tasks[k].name),
                              .what = am_arena_printf(facts->arena, "%s, %s threads", tasks[k].what,
                                                      am_result_text(r, "threads")),
                              .unit = tasks[k].unit,
                              .value = s.median,
                              .ci = s.ci,
                              .evidence = am_omp_result_words(facts, r),
                          });
}

/* Measured as r is, but for the elements; its cost beyond the construct's own. */
static bool is_alike(const struct am_result *other, const struct am_result *r, struct am_summary *s)
{
    return am_omp_result_usual(other, r->bench) && am_omp_result_same(other, r, "runtime") &&
           am_omp_result_same(other, r, "clause") && am_omp_result_same(other, r, "threads") &&
           am_result_summary(other, "beyond_parallel", s);
}

/* The result with the fewest elements of those alike; NULL when r has, or when r has not the most.
 */
static const struct am_result *find_smallest(const struct am_result_set *set,
                                             const struct am_result *r, struct am_summary *s)
{
    const struct am_result *best = NULL;
    double fewest = am_result_number(r, "elements");
    const double most = fewest;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const other = &set->results[i];
        const double elements = am_result_number(other, "elements");
        struct am_summary t;

        if (!is_alike(other, r, &t))
            continue;
        if (elements > most)
            return NULL;
        if (elements < fewest) {
            fewest = elements;
            best = other;
            *s = t;
        }
    }
    return best;
}

/* From the smallest array to the largest: what is paid whatever the size falls out. */
static void add_rate(const struct am_result_set *set, struct am_facts *facts,
                     const struct am_result *r, const char *clause)
{
    struct am_summary large, small = {0};
    const struct am_result *from;
    double bytes;

    if (!am_omp_result_is(r, "clause", clause) ||
        !am_result_summary(r, "beyond_parallel", &large) || !am_omp_result_widest(set, r, "clause"))
        return;
    from = find_smallest(set, r, &small);
    if (!from || !(large.ci.lo > small.ci.hi))
        return; /* nothing that grows with the array was seen */
    bytes = 8 * (am_result_number(r, "elements") - am_result_number(from, "elements"));
    am_facts_offer(
        facts,
        (struct am_fact){
            .id = am_arena_printf(facts->arena, "omp.%s.array.%s.rate",
                                  am_result_text(r, "runtime"), clause),
            .what = am_arena_printf(facts->arena, "bytes of the array a second for %s, %s threads",
                                    clause, am_result_text(r, "threads")),
            .unit = "B/s",
            .value = bytes / (large.median - small.median),
            .ci = {bytes / (large.ci.hi - small.ci.lo), bytes / (large.ci.lo - small.ci.hi),
                   fmax(large.ci.coverage + small.ci.coverage - 1, 0)},
            .evidence = am_arena_printf(facts->arena,
                                        "omp.array clause=%s: beyond_parallel of %s elements "
                                        "against %s",
                                        clause, am_result_text(r, "elements"),
                                        am_result_text(from, "elements")),
        });
}

void am_derive_omp_tasks(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        for (size_t k = 0;
             am_omp_result_usual(r, "omp.task") && k < sizeof(tasks) / sizeof(tasks[0]); k++)
            add_task(set, facts, r, k);
        for (size_t k = 0;
             am_omp_result_usual(r, "omp.array") && k < sizeof(clauses) / sizeof(clauses[0]); k++)
            add_rate(set, facts, r, clauses[k]);
    }
}
