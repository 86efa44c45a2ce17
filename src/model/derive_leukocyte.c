/* SPDX-License-Identifier: MIT */
/* What app.leukocyte shows: what each step of the staircase gains (vectors, no arc, threads, a
 * device), and how near the top comes to its bound. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

/* What a step of the staircase is: parameters that a result must have; NULL: any. */
struct step {
    const char *variant, *executor;
    bool many; /* threads: more than one, else exactly one */
};

static const struct step naive = {"naive", "serial", false};
static const struct step atan_alone = {"atan", "serial", false};
static const struct step minmax_alone = {"minmax", "serial", false};
static const struct step minmax_threads = {"minmax", NULL, true};
static const struct step minmax_device = {"minmax", "opencl", false};

static const struct {
    const char *word, *what;
    const struct step *slow, *fast;
} gains[] = {
    {"vectors", "one pass of vectors over row pointers and the C library's arc, one thread", &naive,
     &atan_alone},
    {"no_arc", "weights without any arc over vectors of arcs, one thread", &atan_alone,
     &minmax_alone},
    {"one_thread", "the fastest of one thread over row pointers and the C library's arc", &naive,
     &minmax_alone},
    {"threads", "all threads over one, both without arc", &minmax_alone, &minmax_threads},
    {"all", "the fastest of all threads over row pointers on one", &naive, &minmax_threads},
    {"device", "an OpenCL device over one thread, transfers included", &minmax_alone,
     &minmax_device},
};

static bool is(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

static bool same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const value = am_result_text(a, param);

    return value && is(b, param, value);
}

/* The same work: fields of other videos, cells or frames need other numbers of steps. */
static bool is_same_work(const struct am_result *a, const struct am_result *b)
{
    return strcmp(b->bench, "app.leukocyte") == 0 && same(a, b, "type") && same(a, b, "video") &&
           same(a, b, "cells") && same(a, b, "frames");
}

static bool is_step(const struct am_result *r, const struct step *step)
{
    const bool device = is(r, "executor", "opencl");

    return is(r, "variant", step->variant) &&
           (step->executor ? is(r, "executor", step->executor) : !device) &&
           (am_result_number(r, "threads") > 1) == step->many;
}

/* The fastest of the work of `like` on a step; NULL: not measured. */
static const struct am_result *find_fastest(const struct am_result_set *set,
                                            const struct am_result *like, const struct step *step,
                                            struct am_summary *best)
{
    const struct am_result *found = NULL;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (!is_same_work(like, r) || !is_step(r, step) ||
            !am_result_summary(r, "time_per_frame", &s) || (found && s.median >= best->median))
            continue;
        found = r;
        *best = s;
    }
    return found;
}

/* "leukocyte.f64.cells36.frames1" */
static const char *stem_of(const struct am_result *r, struct am_arena *arena)
{
    const char *const cells = am_result_text(r, "cells"), *const frames =
                                                              am_result_text(r, "frames");

    return am_arena_printf(arena, "leukocyte.%s.cells%s.frames%s", am_result_text(r, "type"), cells,
                           frames);
}

static void add_gains(const struct am_result_set *set, const struct am_result *like,
                      struct am_facts *facts)
{
    struct am_arena *const a = facts->arena;

    for (size_t i = 0; i < sizeof(gains) / sizeof(gains[0]); i++) {
        struct am_summary slow, fast;
        const struct am_result *const from = find_fastest(set, like, gains[i].slow, &slow);
        const struct am_result *const to = find_fastest(set, like, gains[i].fast, &fast);
        struct am_fact fact = {.what = gains[i].what, .unit = ""};

        if (!from || !to)
            continue;
        fact.id = am_arena_printf(a, "%s.gain.%s", stem_of(like, a), gains[i].word);
        fact.evidence =
            am_arena_printf(a, "app.leukocyte time_per_frame: %s over %s", from->text, to->text);
        am_fact_set_ratio(&fact, &slow, &fast);
        am_facts_offer(facts, fact);
    }
}

static void add_metric(struct am_facts *facts, const struct am_result *r, const char *metric,
                       struct am_fact fact)
{
    struct am_summary s;

    if (!am_result_summary(r, metric, &s))
        return;
    fact.value = s.median;
    fact.ci = s.ci;
    fact.evidence = am_arena_printf(facts->arena, "app.leukocyte %s of %s", metric, r->text);
    am_facts_offer(facts, fact);
}

/* Of the top step of processors: on one thread, and on all. */
static void add_shares(const struct am_result_set *set, const struct am_result *like,
                       struct am_facts *facts)
{
    static const struct {
        const char *word, *what;
        const struct step *step;
    } tops[] = {
        {"bound_share", "part of the bound of its units and caches that one thread reaches",
         &minmax_alone},
        {"bound_share.threads", "the same, of the fastest on all threads", &minmax_threads},
    };
    struct am_arena *const a = facts->arena;

    for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
        struct am_summary s;
        const struct am_result *const r = find_fastest(set, like, tops[i].step, &s);

        if (!r)
            continue;
        add_metric(facts, r, "bound_share",
                   (struct am_fact){
                       .id = am_arena_printf(a, "%s.%s", stem_of(like, a), tops[i].word),
                       .what = tops[i].what,
                       .unit = "",
                   });
        if (i == 0)
            add_metric(facts, r, "time_per_update",
                       (struct am_fact){
                           .id = am_arena_printf(a, "%s.update", stem_of(like, a)),
                           .what = "one pixel's step on one thread, all else of a frame included",
                           .unit = "s",
                       });
    }
}

/* Facts of files would depend on the file: only the synthetic scene is the same everywhere. */
void am_derive_leukocyte(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        bool first = strcmp(r->bench, "app.leukocyte") == 0 && is(r, "video", "synthetic");

        for (size_t k = 0; k < i && first; k++)
            first = !is_same_work(r, &set->results[k]);
        if (!first)
            continue;
        add_gains(set, r, facts);
        add_shares(set, r, facts);
    }
}
