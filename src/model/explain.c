/* SPDX-License-Identifier: MIT */
/* Bounds of points: each resource would need its time for the work; the longest is the least that
 * the whole can take, even if all of them work at once. */
#include "model/explain.h"

#include "family/events.h"
#include "family/programs.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* What points are explained with. */
struct explaining {
    const struct am_kvs *machine; /* of the points */
    const struct am_facts *facts;
    const struct am_roofline *roofline;
    struct am_arena *arena;
    bool elsewhere; /* of another machine than the points' */
};

static double bytes_of(const struct am_explanation *e)
{
    return e->work.bytes_read + e->work.bytes_written;
}

/* What part of its own bound a bench says that it reaches. 0: it says nothing of it. */
static double own_share(const struct am_explanation *e)
{
    const char *const name = e->row ? e->row->own_share : NULL;
    const struct am_result_metric *const m = name ? am_result_metric(e->result, name) : NULL;

    return m && m->summary.median > 0 ? m->summary.median : 0;
}

static bool is_unstated(const struct am_explanation *e)
{
    return !(e->work.flops > 0) && !(bytes_of(e) > 0);
}

/* The work of a program: as stated, else as counted. NULL, or why none is known. */
static const char *find_work(struct am_explanation *e, const struct explaining *x)
{
    struct am_counted counted;
    const char *missing, *text;

    e->work = e->result->work;
    if (!am_result_is_program(e->result) || !is_unstated(e))
        return NULL;
    if (am_events_work(e->result, x->machine, x->arena, &counted, &missing)) {
        e->work = counted.work;
        e->counted = counted.from;
        return NULL;
    }
    text =
        am_arena_printf(x->arena,
                        "neither flops nor bytes are known: none were stated (am_mark_end_work() "
                        "of a region, \"work\" of an experiment), and no events were counted "
                        "that tell them: %s",
                        missing);
    return text ? text : "neither flops nor bytes are known";
}

/* Points whose work the ceilings say nothing of; NULL when they do. */
static const char *foreign(const struct am_explanation *e, bool elsewhere)
{
    const struct am_result *const r = e->result;

    if (e->row && e->row->role == AM_BOUND_FOREIGN)
        return e->row->why;
    if (elsewhere && e->row && e->row->own_share)
        return "bounded by its own mix of instructions, which only a run there shows";
    if (e->row && e->row->rate)
        return own_share(e) > 0 ? NULL : "its device states no bound of its own";
    if (!am_result_device(r) && !am_result_states_threads(r))
        return "the point does not state its threads";
    return NULL;
}

/* Of flops where there is one, else of bytes; NULL: none. */
static const struct am_result_metric *rate_of_work(const struct am_explanation *e,
                                                   const struct explaining *x)
{
    const enum am_ceiling_kind kind = e->work.flops > 0 ? AM_CEILING_FLOPS : AM_CEILING_BYTES;
    const char *const unit = am_ceiling_unit(kind);
    const struct am_result_metric *found = am_result_rate(e->result, unit);

    if (is_unstated(e))
        return NULL;
    if (!found && am_result_is_program(e->result))
        return am_program_rate(e->result, kind == AM_CEILING_FLOPS ? e->work.flops : bytes_of(e),
                               unit, x->arena);
    if (!found && kind == AM_CEILING_FLOPS && bytes_of(e) > 0)
        found = am_result_rate(e->result, am_ceiling_unit(AM_CEILING_BYTES));
    return found;
}

/* The rate that the work is measured by: as its family says, of flops where there is one, else of
 * bytes. NULL: none. */
static const struct am_result_metric *rate_of(const struct am_explanation *e,
                                              const struct explaining *x)
{
    const struct am_result *const r = e->result;

    if (e->row && e->row->rate)
        return am_result_metric(r, e->row->rate);
    if (e->why_not) /* of a program whose work is not known */
        return r->n_metrics && r->metrics[0].has_summary ? &r->metrics[0] : NULL;
    return rate_of_work(e, x);
}

double am_explanation_amount(const struct am_explanation *e)
{
    if (e->row && e->row->rate) /* of operations, which its family names */
        return e->work.ops;
    return strcmp(e->metric->unit, am_ceiling_unit(AM_CEILING_FLOPS)) == 0 ? e->work.flops
                                                                           : bytes_of(e);
}

double am_explain_seconds(const struct am_explanation *e)
{
    return am_explanation_amount(e) / e->measured.median;
}

/* Benches that empty the caches before every pass work on memory, whatever their size; and bytes
 * that were counted are memory's. */
static bool is_cold(const struct am_explanation *e)
{
    return (e->row && e->row->cold) || e->counted;
}

/* Bytes that a point works on: as its axes or its family say, else what one iteration touches,
 * which holds if it touches nothing twice and is on the safe side of the caches otherwise. */
static double working_set(const struct am_explanation *e)
{
    const struct am_result *const r = e->result;
    const double size = am_result_size(r);

    if (e->row && e->row->working_set)
        return e->row->working_set(r);
    if (isfinite(size))
        return size;
    return bytes_of(e);
}

static const char *kind_words(enum am_ceiling_kind kind)
{
    static const char *const words[AM_CEILING_KINDS] = {
        [AM_CEILING_FLOPS] = "arithmetic",
        [AM_CEILING_READ] = "reads",
        [AM_CEILING_WRITE] = "writes",
        [AM_CEILING_BYTES] = "reads and writes",
    };

    return words[kind];
}

/* "L2 reads", "f64 arithmetic", "f64 arithmetic (its own mix)"; how the ceiling differs from the
 * point, where it does: "L1 writes (of avx512; scaled)". */
static const char *resource_of(const struct am_explanation *e, struct am_arena *arena)
{
    const struct am_roof *const roof = &e->roofs[e->limit];
    const struct am_ceiling *const c = roof->ceiling;
    const char *const isa = am_result_isa(e->result);
    const bool other = c->isa && isa && strcmp(c->isa, isa) != 0;
    const bool own = e->own && c->kind == AM_CEILING_FLOPS;
    const char *const text = am_arena_printf(arena, "%s %s%s%s%s%s%s%s",
                                             c->kind == AM_CEILING_FLOPS ? c->type
                                             : c->space                  ? c->space
                                                                         : am_tier_title(c->level),
                                             kind_words(c->kind), own ? " (its own mix)" : "",
                                             other || roof->scaled ? " (" : "", other ? "of " : "",
                                             other ? c->isa : "", other && roof->scaled ? "; " : "",
                                             roof->scaled ? "scaled)"
                                             : other      ? ")"
                                                          : "");

    return text ? text : kind_words(c->kind);
}

/* A ceiling made by the bench itself: measured rate over the share of its bound. */
static bool own_roof(const struct am_explanation *e, struct am_arena *arena, struct am_roof *out)
{
    const double share = e->work.flops > 0 ? own_share(e) : 0;
    struct am_ceiling *const c = share > 0 ? am_arena_alloc(arena, sizeof(*c)) : NULL;
    const char *const type = am_result_type(e->result);

    if (!c)
        return false;
    *c = (struct am_ceiling){
        .kind = AM_CEILING_FLOPS,
        .level = AM_TIER_COUNT,
        .type = type ? type : "its",
        .isa = am_result_isa(e->result),
        .device = am_result_device(e->result),
        .threads = am_result_threads(e->result),
        .rate = e->measured.median / share,
        .median = e->measured.median / share,
        .ci = {e->measured.ci.lo / share, e->measured.ci.hi / share, e->measured.ci.coverage},
        .from = e->result->text,
        .point = e->result,
    };
    *out = (struct am_roof){.ceiling = c, .rate = c->rate, .least_rate = c->rate};
    return true;
}

/* The roof of one kind of work. On another machine, which may lack the instruction set, that of any
 * set stands in for it. */
static bool find_roof(const struct explaining *x, const struct am_explanation *e,
                      enum am_ceiling_kind kind, struct am_roof *out)
{
    struct am_roof_query query = {
        .kind = kind,
        .level = e->level,
        .type = am_result_type(e->result),
        .isa = am_result_isa(e->result),
        .threads = am_result_threads(e->result),
        .device = am_result_device(e->result),
        .space = kind == AM_CEILING_FLOPS ? NULL : e->space,
    };

    if (am_roofline_find(x->roofline, &query, out))
        return true;
    query.isa = NULL;
    return x->elsewhere && am_roofline_find(x->roofline, &query, out);
}

void am_explanation_amounts(const struct am_explanation *e, double amounts[AM_CEILING_KINDS])
{
    const struct am_work *const w = &e->work;
    const double moved =
        e->level < AM_TIER_COUNT || e->space ? 1 : 0; /* else: nobody knows where */

    amounts[AM_CEILING_FLOPS] = w->flops;
    amounts[AM_CEILING_READ] = moved * w->bytes_read;
    amounts[AM_CEILING_WRITE] = moved * w->bytes_written;
    amounts[AM_CEILING_BYTES] = moved * (w->bytes_read + w->bytes_written);
}

/* Fills roofs and limit; returns the least seconds of one iteration, 0 when nothing bounds it. */
static struct am_roof_time least_time(struct am_explanation *e, const struct explaining *x)
{
    struct am_roof_time least = {0, 0, 0};
    double amounts[AM_CEILING_KINDS];

    am_explanation_amounts(e, amounts);
    for (enum am_ceiling_kind k = AM_CEILING_FLOPS; k < AM_CEILING_KINDS; k++) {
        const bool own = k == AM_CEILING_FLOPS && own_roof(e, x->arena, &e->roofs[k]);
        struct am_roof roof = e->roofs[k];

        e->own |= own;
        if (!(amounts[k] > 0) || (!own && !find_roof(x, e, k, &roof)))
            continue;
        e->roofs[k] = roof;
        if (am_roof_time_raise(&least, amounts[k], &roof))
            e->limit = k;
    }
    return least;
}

/* Bytes of a device are bounded by both of their ways; ours by what they have together. */
static bool lacks_bytes(const struct am_explanation *e)
{
    const struct am_work *const w = &e->work;

    if (!am_result_device(e->result))
        return bytes_of(e) > 0 && !e->roofs[AM_CEILING_BYTES].ceiling;
    return (w->bytes_read > 0 && !e->roofs[AM_CEILING_READ].ceiling) ||
           (w->bytes_written > 0 && !e->roofs[AM_CEILING_WRITE].ceiling);
}

/* What a point lacks a ceiling of, in words. */
static const char *lacking_words(const struct am_explanation *e, bool flops)
{
    const bool device = am_result_device(e->result) != NULL;

    if (flops)
        return device ? "device's arithmetic" : "arithmetic";
    if (e->space)
        return e->space;
    return device ? "device's memory" : "level of memory";
}

/* Work of both kinds is bounded only when both ceilings are known. */
static const char *lacking(const struct am_explanation *e, const struct explaining *x)
{
    const bool flops = e->work.flops > 0 && !e->roofs[AM_CEILING_FLOPS].ceiling;
    const bool bytes = lacks_bytes(e) && !(e->own && am_result_device(e->result));
    const char *text;

    if (!flops && !bytes)
        return NULL;
    if (am_result_is_program(e->result) && x->roofline->n == 0)
        return "no ceilings were measured beside it: make a model of the machine (run, then model "
               "-o MODEL), and give it by --on MODEL";
    text = am_arena_printf(
        x->arena, "no ceiling of its %s was measured%s: run %s %s%s", lacking_words(e, flops),
        x->roofline->doubtful ? " well enough (grade C gives none)" : "",
        am_families_benches(flops ? AM_BOUND_FLOPS : AM_BOUND_BYTES, e->result, x->arena),
        x->elsewhere ? "there" : "in the same run",
        x->roofline->doubtful ? ", on a quiet machine" : "");
    return text ? text : "no ceiling was measured";
}

/* Which memory serves the bytes of a point. */
static void place(struct am_explanation *e, const struct explaining *x)
{
    const struct am_result *const r = e->result;
    const double set = working_set(e);
    const struct am_reach reach = am_tiers_reach(r);
    const struct am_tiers *const levels = &x->roofline->levels;
    const struct am_placing placing = {.result = r, .facts = x->facts, .bytes = set};

    if (!(bytes_of(e) > 0))
        return;
    if (am_result_device(r)) {
        e->space = am_families_space(&placing);
        return;
    }
    e->level = am_tiers_fastest(levels, set, &reach);
    e->slowest = am_tiers_slowest(levels, set, &reach);
    if (e->level < AM_TIER_COUNT && is_cold(e))
        e->level = e->slowest = AM_TIER_MEMORY;
    e->between = !is_cold(e) && am_tiers_of(levels, set, &reach) != e->level;
}

/* A bench that states neither flops nor bytes, but what part of its own bound it reaches. */
static void explain_by_share(struct am_explanation *e)
{
    const struct am_result_metric *const share = am_result_metric(e->result, e->row->own_share);

    e->share = share->summary.median;
    e->bound = e->measured.median / e->share;
    e->bound_lo = e->measured.median / share->summary.ci.hi;
    e->bound_hi = e->measured.median / share->summary.ci.lo;
    e->above = share->grading.grade != AM_GRADE_C && share->summary.ci.lo > 1;
    e->resource = e->row->limit;
    e->own = true;
}

static void explain_point(struct am_explanation *e, const struct explaining *x)
{
    const struct am_work *const w = &e->work;
    const double bytes = w->bytes_read + w->bytes_written;
    struct am_roof_time least;

    e->intensity = w->flops > 0 && bytes > 0 ? w->flops / bytes : NAN;
    if (e->row && e->row->rate) {
        explain_by_share(e);
        return;
    }
    place(e, x);
    least = least_time(e, x);
    e->why_not = lacking(e, x);
    if (e->why_not)
        return;
    e->bound = am_explanation_amount(e) / least.s;
    e->bound_lo = am_explanation_amount(e) / least.most;
    e->bound_hi = am_explanation_amount(e) / least.least;
    e->share = e->measured.median / e->bound;
    e->above =
        !x->elsewhere && e->metric->grading.grade != AM_GRADE_C && e->measured.ci.lo > e->bound;
    e->resource = resource_of(e, x->arena);
}

static void explain_all(const struct am_result_set *set, const struct explaining *x,
                        struct am_explanations *out)
{
    *out = (struct am_explanations){
        .items = am_arena_array(x->arena, set->n + 1, sizeof(*out->items)),
        .remarks = x->roofline->remarks,
        .n_remarks = x->roofline->n_remarks,
    };
    for (size_t i = 0; out->items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_explanation *const e = &out->items[out->n];

        *e = (struct am_explanation){.result = r,
                                     .row = am_families_bound(r),
                                     .level = AM_TIER_COUNT,
                                     .slowest = AM_TIER_COUNT};
        e->why_not = find_work(e, x);
        e->metric = rate_of(e, x);
        if (!e->metric)
            continue;
        e->measured = e->metric->summary;
        if (!e->why_not)
            e->why_not = foreign(e, x->elsewhere);
        if (!e->why_not)
            explain_point(e, x);
        if (!e->why_not && !x->elsewhere)
            e->next = am_explain_next(e, x->facts, x->roofline, x->arena);
        out->above += e->above;
        out->unexplained += e->why_not != NULL;
        out->n++;
    }
}

void am_explain(const struct am_result_set *set, const struct am_facts *facts,
                const struct am_roofline *roofline, struct am_arena *arena,
                struct am_explanations *out)
{
    const struct explaining x = {&set->machine, facts, roofline, arena, false};

    explain_all(set, &x, out);
}

void am_explain_on(const struct am_result_set *set, const struct am_facts *facts,
                   const struct am_roofline *roofline, struct am_arena *arena,
                   struct am_explanations *out)
{
    const struct explaining x = {&set->machine, facts, roofline, arena, true};

    explain_all(set, &x, out);
}
