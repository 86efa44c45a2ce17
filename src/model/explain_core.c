/* SPDX-License-Identifier: MIT */
/* What the loops of a point need inside of a core, by the code that its launches kept: the same
 * bounds as `predict` has of any function. */
#include "model/explain.h"

#include "base/text.h"
#include "family/roles.h"
#include "model/block/bound.h"

#include <math.h>
#include <string.h>

/* A model that misses mixes by more than this explains no loop. */
static const double error_most = 0.1;

/* Where the code stood is not known, and does not matter; a jump to 0 would be one to nowhere. */
static const uint64_t any_address = 0x1000;

struct telling {
    const struct am_incore *core;
    struct am_arena *arena;
};

static double passes_of(const struct am_explanation *e)
{
    const char *const text = am_kvs_get(&e->result->chosen, "code_passes");
    double passes;

    return text && am_parse_f64(text, strlen(text), &passes) && passes > 0 ? passes : NAN;
}

static bool is_candidate(const struct am_explanation *e)
{
    return !e->why_not && !am_result_device(e->result) && am_result_threads(e->result) < 1.5 &&
           am_result_attachment(e->result, "code") && !isnan(passes_of(e));
}

static const char *limit_of(const struct telling *t, const struct am_predicted *p)
{
    return p->limit == AM_LIMIT_RESOURCE ? t->core->resources[p->busiest]
           : p->limit == AM_LIMIT_CHAIN  ? "a chain from one pass to the next"
           : p->limit == AM_LIMIT_WINDOW ? "what the window holds"
                                         : "the jump";
}

/* Adds a loop's cycles, and keeps the name of what limits the longest. */
static void add_loop(const struct telling *t, const struct am_predicted *p, double *longest,
                     struct am_core_bound *out)
{
    const bool resource = p->limit == AM_LIMIT_RESOURCE;

    out->cycles += p->cycles;
    out->lo += resource ? fmin(p->lo, p->cycles) : p->cycles;
    out->hi += resource ? fmax(p->hi, p->cycles) : p->cycles;
    out->unknown += p->unknown;
    if (p->cycles > *longest) {
        *longest = p->cycles;
        out->limit = limit_of(t, p);
    }
}

/* Where only the longest loop counts: all others, and calls and other things in them, are left out.
 */
static void keep_longest(const struct am_explanation *e, struct am_loops *loops)
{
    const char *const which = am_kvs_get(&e->result->chosen, "code_loops");
    size_t longest = 0;

    if (!which || strcmp(which, "longest") != 0 || loops->n == 0)
        return;
    for (size_t i = 1; i < loops->n; i++) {
        const struct am_loop *const l = &loops->items[i], *const best = &loops->items[longest];

        longest = l->last - l->first > best->last - best->first ? i : longest;
    }
    loops->items[0] = loops->items[longest];
    loops->n = 1;
}

/* Every innermost loop of the code, or the longest, runs once per pass. False when nothing can be
 * said. */
static bool tell_loops(const struct telling *t, const struct am_explanation *e,
                       struct am_core_bound *out)
{
    const struct am_attachment *const a = am_result_attachment(e->result, "code");
    const struct am_code code = {.arch = am_core_arch(t->core),
                                 .name = e->result->bench,
                                 .bytes = a->data,
                                 .n = a->n,
                                 .address = any_address,
                                 .open_ended = true};
    struct am_insns insns;
    struct am_loops loops;
    struct am_err err = {.text = ""};
    double longest = 0;

    *out = (struct am_core_bound){.limit = NULL};
    if (am_insns_decode(&code, t->arena, &insns, &err) != AM_OK ||
        !am_loops_find(&insns, t->arena, &loops))
        return false;
    keep_longest(e, &loops);
    for (size_t i = 0; i < loops.n; i++) {
        struct am_predicted p;

        if (loops.items[i].calls ||
            !am_loop_predict(t->core, &insns, &loops.items[i], t->arena, &p))
            return false;
        add_loop(t, &p, &longest, out);
    }
    return loops.n > 0;
}

/* The largest of what reading, writing and both take of the point's time by their roofs. Within the
 * first-level cache the loops' own loads and stores count. */
static double moved_share(const struct am_explanation *e)
{
    const double amounts[AM_CEILING_KINDS] = {[AM_CEILING_READ] = e->work.bytes_read,
                                              [AM_CEILING_WRITE] = e->work.bytes_written,
                                              [AM_CEILING_BYTES] =
                                                  e->work.bytes_read + e->work.bytes_written};
    double most = 0;

    if (e->level <= AM_TIER_L1D || e->level >= AM_TIER_COUNT)
        return 0;
    for (size_t i = 0; i < AM_CEILING_KINDS; i++) {
        if (e->roofs[i].ceiling && e->roofs[i].rate > 0)
            most = fmax(most, amounts[i] / e->roofs[i].rate);
    }
    return most / am_explain_seconds(e);
}

bool am_explain_loops(const struct am_incore *core, double hz, struct am_arena *arena,
                      struct am_explanation *e)
{
    const struct telling t = {.core = core, .arena = arena};
    struct am_core_bound *const c = &e->core;

    if (!is_candidate(e) || !tell_loops(&t, e, c))
        return false;
    c->share = passes_of(e) * c->cycles / hz / am_explain_seconds(e);
    c->moved = moved_share(e);
    c->share_lo = c->share * c->lo / c->cycles * (1 - core->held_error);
    c->share_hi = c->share * c->hi / c->cycles * (1 + core->held_error);
    return true;
}

static bool infer(const struct am_result_set *measured, struct am_arena *arena,
                  struct am_incore *core)
{
    const char *why_not;

    return am_incore_infer(measured, arena, core, &why_not) && core->held_error <= error_most &&
           core->grading.grade != AM_GRADE_C;
}

void am_explain_core(const struct am_result_set *measured, const struct am_facts *facts,
                     const struct am_roofline *roofline, struct am_arena *arena,
                     struct am_explanations *all)
{
    const struct am_fact *const clock = am_facts_only(facts, "core.clock", NULL);
    struct am_incore core;
    bool inferred = false;

    for (size_t i = 0; clock && i < all->n; i++) {
        struct am_explanation *const e = &all->items[i];

        if (!is_candidate(e))
            continue;
        if (!inferred && !infer(measured, arena, &core))
            return;
        inferred = true;
        if (am_explain_loops(&core, clock->value, arena, e))
            e->next = am_explain_next(e, facts, roofline, arena);
    }
}
