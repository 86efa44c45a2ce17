/* SPDX-License-Identifier: MIT */
/* Where the time of a point goes, as far as it is known inside of a core: loops by the code that
 * its launches kept (the same bounds as `predict` has of any function), bytes by their roofs, steps
 * and the same loops on near data as the application measured them, and what the median lost
 * against the best samples. What none of them accounts for is left. */
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

static const char *limit_of(const struct am_core_telling *t, const struct am_predicted *p)
{
    return p->limit == AM_LIMIT_RESOURCE ? t->core->resources[p->busiest]
           : p->limit == AM_LIMIT_CHAIN  ? "a chain from one pass to the next"
           : p->limit == AM_LIMIT_WINDOW ? "what the window holds"
                                         : "the jump";
}

/* Adds a loop's cycles, and keeps the name of what limits the longest. */
static void add_loop(const struct am_core_telling *t, const struct am_predicted *p, double *longest,
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
static bool tell_loops(const struct am_core_telling *t, const struct am_explanation *e,
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

/* ---- what is measured beside the loops ---- */

/* A number that the latest launch said of itself; NAN: none. */
static double said(const struct am_explanation *e, const char *name)
{
    const char *const text = am_kvs_get(&e->result->chosen, name);
    double number;

    return text && am_parse_f64(text, strlen(text), &number) && number >= 0 ? number : (double)NAN;
}

/* Steps are kept as shares of an iteration's time (chosen `step_NAME`). `quiet`: the share of the
 * median's time that the best samples took. */
static void tell_steps(const struct am_explanation *e, double quiet, struct am_core_bound *c)
{
    static const char prefix[] = "step_";
    const struct am_kvs *const chosen = &e->result->chosen;

    c->n_steps = 0;
    for (size_t i = 0; i < chosen->n && c->n_steps < AM_CORE_STEPS_MAX; i++) {
        const char *const key = chosen->items[i].key;
        const double share =
            strncmp(key, prefix, sizeof(prefix) - 1) == 0 ? said(e, key) : (double)NAN;

        if (share >= 0 && share <= 1)
            c->steps[c->n_steps++] = (struct am_core_step){key + sizeof(prefix) - 1, share * quiet};
    }
}

/* A share that the latest launch said of itself. */
static double said_share(const struct am_explanation *e, const char *name, double quiet)
{
    const double share = said(e, name);

    return share > 0 ? quiet * share : 0;
}

/* What is left of `rest` beside loops that need `loops`. */
static double left_of(const struct am_core_bound *c, double rest, double loops, bool overlap)
{
    const double waited = fmax(rest - c->near, 0), moved = c->moved + c->moved_l2;

    if (c->near > 0)
        return fmax(fmin(c->near, rest) - c->begin - loops, 0) + fmax(waited - moved, 0);
    return fmax(rest - (overlap ? fmax(loops, fmax(c->moved, c->moved_l2)) : loops + moved), 0);
}

static void tell_left(enum am_grade grade, double rest, struct am_core_bound *c)
{
    for (size_t i = 0; i < c->n_steps; i++)
        rest -= c->steps[i].share;
    if (grade == AM_GRADE_C) {
        c->left_apart = c->left_beside = c->left_lo = c->left_hi = NAN;
        return;
    }
    c->left_apart = left_of(c, rest, c->share, false);
    c->left_beside = left_of(c, rest, c->share, true);
    c->left_lo = left_of(c, rest, c->share_hi, false);
    c->left_hi = left_of(c, rest, c->share_lo, true);
}

/* Bytes of the second level by its roof of both ways. */
static double l2_share(const struct am_core_telling *t, const struct am_explanation *e)
{
    const double bytes = said(e, "code_l2_bytes");
    const struct am_roof_query query = {.kind = AM_CEILING_BYTES,
                                        .level = AM_TIER_L2,
                                        .isa = am_result_isa(e->result),
                                        .threads = 1};
    struct am_roof roof;

    return bytes > 0 && am_roofline_find(t->roofline, &query, &roof)
               ? bytes / roof.rate / am_explain_seconds(e)
               : 0;
}

bool am_explain_loops(const struct am_core_telling *t, struct am_explanation *e)
{
    struct am_core_bound *const c = &e->core;
    double quiet, error;

    if (!is_candidate(e) || !tell_loops(t, e, c))
        return false;
    quiet = e->measured.p95 > e->measured.median ? e->measured.median / e->measured.p95 : 1;
    error = t->core->held_error;
    c->share = passes_of(e) * c->cycles / t->hz / am_explain_seconds(e);
    c->share_lo = c->share * c->lo / c->cycles * (1 - error);
    c->share_hi = c->share * c->hi / c->cycles * (1 + error);
    c->moved = moved_share(e);
    c->moved_l2 = l2_share(t, e);
    c->held = 1 - quiet;
    c->near = said_share(e, "code_near", quiet);
    c->begin = fmin(said_share(e, "code_begin", quiet), c->near);
    tell_steps(e, quiet, c);
    tell_left(e->metric->grading.grade, quiet, c);
    return true;
}

/* NULL, or why the mixes of the run say too little of any loop. */
static const char *infer(const struct am_result_set *measured, struct am_arena *arena,
                         struct am_incore *core)
{
    const char *why_not;

    if (!am_incore_infer(measured, arena, core, &why_not))
        return why_not ? why_not : "nothing was inferred of its core";
    if (core->held_error > error_most)
        return am_arena_printf(arena,
                               "mixes that were not fitted are missed by %.0f %%, %.0f %% is the "
                               "most: measure more forms, or on a quieter machine",
                               100 * core->held_error, 100 * error_most);
    return core->grading.grade == AM_GRADE_C ? "the mixes that were measured are of grade C" : NULL;
}

void am_explain_core(const struct am_result_set *measured, const struct am_facts *facts,
                     const struct am_roofline *roofline, struct am_arena *arena,
                     struct am_explanations *all)
{
    const struct am_fact *const clock = am_facts_only(facts, "core.clock", NULL);
    struct am_incore core;
    const struct am_core_telling telling = {
        .core = &core, .hz = clock ? clock->value : 0, .roofline = roofline, .arena = arena};
    bool inferred = false;

    for (size_t i = 0; clock && i < all->n; i++) {
        struct am_explanation *const e = &all->items[i];

        if (!is_candidate(e))
            continue;
        if (!inferred)
            all->no_accounts = infer(measured, arena, &core);
        if (all->no_accounts)
            return;
        inferred = true;
        if (am_explain_loops(&telling, e))
            e->next = am_explain_next(e, facts, roofline, arena);
    }
}
