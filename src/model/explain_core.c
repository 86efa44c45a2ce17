/* SPDX-License-Identifier: MIT */
/* Where the time of a point goes, as far as it is known inside of a core: loops by the code that
 * its launches kept (the same bounds as `predict` has of any function), bytes by their roofs,
 * steps, the same loops on near data and the way of their data as the application measured them,
 * and what the median lost against the best samples. What none of them accounts for is left. */
#include "model/explain.h"

#include "base/text.h"
#include "core/stats/stats.h"
#include "family/roles.h"
#include "model/block/bound.h"

#include <math.h>
#include <string.h>

/* A model that misses mixes by more than this explains no loop. */
static const double error_most = 0.1;

/* Where the code stood is not known, and does not matter; a jump to 0 would be one to nowhere. */
static const uint64_t any_address = 0x1000;
/* Compilers begin functions at multiples of this; where in a line is not kept with the code. */
static const unsigned functions_at = 16;

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

static const char *limit_of(const struct am_predicted *p)
{
    return p->limit == AM_LIMIT_RESOURCE ? p->core->resources[p->busiest]
           : p->limit == AM_LIMIT_CHAIN  ? "a chain from one pass to the next"
           : p->limit == AM_LIMIT_WINDOW ? "what the window holds"
           : p->limit == AM_LIMIT_TURNS  ? "units that operations are bound to"
                                         : "the jump";
}

/* Adds a loop's cycles, and keeps the name of what limits the longest. */
static void add_loop(const struct am_predicted *p, double *longest, struct am_core_bound *out)
{
    const bool resource = p->limit == AM_LIMIT_RESOURCE;

    out->cycles += p->cycles;
    out->lo += resource ? fmin(p->lo, p->free) : p->free;
    out->hi += resource ? fmax(p->hi, p->cycles) : fmax(p->cycles, p->turned);
    out->unknown += p->unknown;
    out->wide = out->wide || p->wide;
    if (p->cycles > *longest) {
        *longest = p->cycles;
        out->limit = limit_of(p);
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
                                 .kept = functions_at,
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
        add_loop(&p, &longest, out);
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

static const struct am_core_part nothing = {0, 0, 0};

/* A number that the latest launch said of itself; NAN: none. */
static double said(const struct am_explanation *e, const char *name)
{
    const char *const text = am_kvs_get(&e->result->chosen, name);
    double number;

    return text && am_parse_f64(text, strlen(text), &number) && number >= 0 ? number : (double)NAN;
}

/* What launches said of a part of their time; one that is no number is left out. `quiet`: the share
 * of the median's time that the best samples took, of which all of them are shares. */
static struct am_core_part said_part(const struct am_core_telling *t,
                                     const struct am_explanation *e, const char *name, double quiet)
{
    static const double level = 0.95;
    const struct am_kvs *const parts = &e->result->parts;
    double *const shares = am_arena_array(t->arena, parts->n + 1, sizeof(*shares));
    struct am_interval interval;
    size_t n = 0;

    for (size_t i = 0; shares && i < parts->n; i++) {
        const char *const text = parts->items[i].value;
        double share;

        if (strcmp(parts->items[i].key, name) == 0 && am_parse_f64(text, strlen(text), &share) &&
            share >= 0)
            shares[n++] = quiet * share;
    }
    if (n == 0)
        return nothing;
    am_stats_sort(shares, n);
    interval = am_stats_median_interval(shares, n, level);
    return (struct am_core_part){am_stats_median(shares, n), interval.lo, interval.hi};
}

static bool has_step(const struct am_core_bound *c, const char *name)
{
    for (size_t i = 0; i < c->n_steps; i++) {
        if (strcmp(c->steps[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Steps are kept as shares of an iteration's time (chosen `step_NAME`). */
static void tell_steps(const struct am_core_telling *t, const struct am_explanation *e,
                       double quiet, struct am_core_bound *c)
{
    static const char prefix[] = "step_";
    const struct am_kvs *const parts = &e->result->parts;

    c->n_steps = 0;
    for (size_t i = 0; i < parts->n && c->n_steps < AM_CORE_STEPS_MAX; i++) {
        const char *const key = parts->items[i].key, *const name = key + sizeof(prefix) - 1;
        struct am_core_part part;

        if (strncmp(key, prefix, sizeof(prefix) - 1) != 0 || has_step(c, name))
            continue;
        part = said_part(t, e, key, quiet);
        if (part.share > 0 && part.share <= 1)
            c->steps[c->n_steps++] = (struct am_core_step){name, part};
    }
}

/* All that was measured of the launches' own parts. */
static struct am_core_part measured_parts(const struct am_core_bound *c)
{
    struct am_core_part all = c->far.share > 0 ? c->far : c->near;

    for (size_t i = 0; i < c->n_steps; i++) {
        all.share += c->steps[i].part.share;
        all.lo += c->steps[i].part.lo;
        all.hi += c->steps[i].part.hi;
    }
    return all;
}

/* ---- what is left ---- */

/* How long data may be waited for. Of a walk the part that it takes near may or may not hide what
 * it waits for. */
static struct am_core_part moved_part(const struct am_core_bound *c)
{
    const double roofs = c->moved + c->moved_l2;

    if (c->walk.share > 0)
        return (struct am_core_part){c->walk.share, fmax(c->walk.lo - c->walk_near.hi, 0),
                                     c->walk.hi};
    return (struct am_core_part){roofs, roofs, roofs};
}

static double above(double x, double limit)
{
    return fmax(x - limit, 0);
}

/* Where the loops were timed on near data: what they take beyond that where data lie was waited for
 * data, as far as these need it; the rest of it is left, and so is what is beside loops and steps.
 * Without such a time all that is beside near loops and steps may be either. */
static void tell_left_of_near(double quiet, struct am_core_bound *c)
{
    const struct am_core_part parts = measured_parts(c), moved = moved_part(c);
    const struct am_core_part *const far = &c->far, *const near = &c->near;
    const bool apart = far->share > 0;
    const double beside = apart ? 1 : 0; /* what is beside them is not waited for */

    c->inside = near->share - c->begin.share - c->crossing.share - c->share;
    c->inside_lo = near->lo - c->begin.hi - c->crossing.hi - c->share_hi;
    c->inside_hi = near->hi - c->begin.lo - c->crossing.lo - c->share_lo;
    c->over = above(parts.share, quiet);
    c->waited = apart ? above(far->share, near->share) : above(quiet, parts.share);
    c->left_apart = c->left_beside =
        beside * above(quiet, parts.share) + above(c->waited, moved.share);
    c->left_lo = beside * above(quiet, parts.hi) +
                 above(apart ? far->lo - near->hi : quiet - parts.hi, moved.hi);
    c->left_hi = beside * above(quiet, parts.lo) +
                 above(apart ? far->hi - near->lo : quiet - parts.lo, moved.lo);
}

/* What is left of `rest` beside loops that need `loops`. */
static double left_of(const struct am_core_bound *c, double rest, double loops, bool overlap)
{
    const double moved = c->moved + c->moved_l2;

    return fmax(rest - (overlap ? fmax(loops, fmax(c->moved, c->moved_l2)) : loops + moved), 0);
}

static void tell_left(enum am_grade grade, double quiet, struct am_core_bound *c)
{
    const struct am_core_part steps = measured_parts(c);

    if (c->near.share > 0) {
        tell_left_of_near(quiet, c);
    } else {
        c->over = fmax(steps.share - quiet, 0);
        c->left_apart = left_of(c, quiet - steps.share, c->share, false);
        c->left_beside = left_of(c, quiet - steps.share, c->share, true);
        c->left_lo = left_of(c, quiet - steps.hi, c->share_hi, false);
        c->left_hi = left_of(c, quiet - steps.lo, c->share_lo, true);
    }
    if (grade == AM_GRADE_C)
        c->left_apart = c->left_beside = c->left_lo = c->left_hi = NAN;
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
    error = am_incore_error(t->core, c->wide);
    c->share = passes_of(e) * c->cycles / t->hz / am_explain_seconds(e);
    c->share_lo = c->share * c->lo / c->cycles * (1 - error);
    c->share_hi = c->share * c->hi / c->cycles * (1 + error);
    c->moved = moved_share(e);
    c->moved_l2 = l2_share(t, e);
    c->held = 1 - quiet;
    c->near = said_part(t, e, "code_near", quiet);
    c->begin = c->near.share > 0 ? said_part(t, e, "code_begin", quiet) : nothing;
    c->crossing = c->near.share > 0 ? said_part(t, e, "code_crossing", quiet) : nothing;
    c->far = c->near.share > 0 ? said_part(t, e, "code_far", quiet) : nothing;
    c->walk = said_part(t, e, "code_walk", quiet);
    c->walk_near = said_part(t, e, "code_walk_near", quiet);
    tell_steps(t, e, quiet, c);
    tell_left(e->metric->grading.grade, quiet, c);
    return true;
}

static const char no_clock[] = "the clock of its core is not concluded: measure on a "
                               "quieter machine";

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

    for (size_t i = 0; i < all->n; i++) {
        struct am_explanation *const e = &all->items[i];

        if (!is_candidate(e))
            continue;
        if (!inferred)
            all->no_accounts = clock ? infer(measured, arena, &core) : no_clock;
        if (all->no_accounts)
            return;
        inferred = true;
        if (am_explain_loops(&telling, e))
            e->next = am_explain_next(e, facts, roofline, arena);
    }
}
