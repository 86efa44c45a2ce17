/* SPDX-License-Identifier: MIT */
/* Bounds of points: each resource would need its time for the work; the longest is the least that
 * the whole can take, even if all of them work at once. */
#include "model/explain.h"

#include "family/roles.h"

#include <math.h>
#include <string.h>

static bool moves_bytes(const struct am_result *r)
{
    return r->work.bytes_read + r->work.bytes_written > 0;
}

/* What part of its own bound a bench says that it reaches. 0: it says nothing of it. */
static double own_share(const struct am_explanation *e)
{
    const char *const name = e->row ? e->row->own_share : NULL;
    const struct am_result_metric *const m = name ? am_result_metric(e->result, name) : NULL;

    return m && m->summary.median > 0 ? m->summary.median : 0;
}

/* Points whose work the ceilings say nothing of; NULL when they do. */
static const char *foreign(const struct am_explanation *e)
{
    const struct am_result *const r = e->result;

    if (e->row && e->row->role == AM_BOUND_FOREIGN)
        return e->row->why;
    if (am_result_device(r) && moves_bytes(r) && !(own_share(e) > 0))
        return "memory of another device: only its arithmetic has ceilings";
    if (!am_result_device(r) && !am_result_states_threads(r))
        return "the point does not state its threads";
    return NULL;
}

/* The rate that the work is measured by: of flops where there is one, else of bytes. NULL: none. */
static const struct am_result_metric *rate_of(const struct am_result *r)
{
    const struct am_result_metric *const flops =
        r->work.flops > 0 ? am_result_rate(r, am_ceiling_unit(AM_CEILING_FLOPS)) : NULL;

    if (flops)
        return flops;
    return moves_bytes(r) ? am_result_rate(r, am_ceiling_unit(AM_CEILING_BYTES)) : NULL;
}

/* What the metric counts of one iteration. */
static double amount_of(const struct am_explanation *e)
{
    const struct am_work *const w = &e->result->work;

    return strcmp(e->metric->unit, am_ceiling_unit(AM_CEILING_FLOPS)) == 0
               ? w->flops
               : w->bytes_read + w->bytes_written;
}

/* Benches that empty the caches before every pass work on memory, whatever their size. */
static bool is_cold(const struct am_explanation *e)
{
    return e->row && e->row->cold;
}

/* Bytes that a point works on: as its axes or its family say, else what one iteration touches,
 * which holds if it touches nothing twice and is on the safe side of the caches otherwise. */
static double working_set(const struct am_explanation *e)
{
    const struct am_result *const r = e->result;
    const double size = am_result_size(r);

    if (isfinite(size))
        return size;
    if (e->row && e->row->working_set)
        return e->row->working_set(r);
    return r->work.bytes_read + r->work.bytes_written;
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
    const char *const text = am_arena_printf(
        arena, "%s %s%s%s%s%s%s%s", c->kind == AM_CEILING_FLOPS ? c->type : am_tier_title(c->level),
        kind_words(c->kind), own ? " (its own mix)" : "", other || roof->scaled ? " (" : "",
        other ? "of " : "", other ? c->isa : "", other && roof->scaled ? "; " : "",
        roof->scaled ? "scaled)"
        : other      ? ")"
                     : "");

    return text ? text : kind_words(c->kind);
}

/* A ceiling made by the bench itself: measured rate over the share of its bound. */
static bool own_roof(const struct am_explanation *e, struct am_arena *arena, struct am_roof *out)
{
    const double share = e->result->work.flops > 0 ? own_share(e) : 0;
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
        .point = e->result,
    };
    *out = (struct am_roof){.ceiling = c, .rate = c->rate};
    return true;
}

/* Fills roofs and limit; returns the least seconds of one iteration, 0 when nothing bounds it. */
static double least_time(struct am_explanation *e, const struct am_roofline *roofline,
                         struct am_arena *arena)
{
    const struct am_work *const w = &e->result->work;
    const double moved = e->level < AM_TIER_COUNT ? 1 : 0; /* elsewhere: not by our memory */
    const double amounts[AM_CEILING_KINDS] = {
        [AM_CEILING_FLOPS] = w->flops,
        [AM_CEILING_READ] = moved * w->bytes_read,
        [AM_CEILING_WRITE] = moved * w->bytes_written,
        [AM_CEILING_BYTES] = moved * (w->bytes_read + w->bytes_written),
    };
    double least = 0;

    for (enum am_ceiling_kind k = AM_CEILING_FLOPS; k < AM_CEILING_KINDS; k++) {
        const struct am_roof_query query = {
            .kind = k,
            .level = e->level,
            .type = am_result_type(e->result),
            .isa = am_result_isa(e->result),
            .threads = am_result_threads(e->result),
            .device = am_result_device(e->result),
        };
        const bool own = k == AM_CEILING_FLOPS && own_roof(e, arena, &e->roofs[k]);
        struct am_roof roof = e->roofs[k];

        e->own |= own;
        if (!(amounts[k] > 0) || (!own && !am_roofline_find(roofline, &query, &roof)))
            continue;
        e->roofs[k] = roof;
        if (amounts[k] / roof.rate > least) {
            least = amounts[k] / roof.rate;
            e->limit = k;
        }
    }
    return least;
}

/* Work of both kinds is bounded only when both ceilings are known. */
static const char *lacking(const struct am_explanation *e, const struct am_roofline *roofline,
                           struct am_arena *arena)
{
    const bool flops = e->result->work.flops > 0 && !e->roofs[AM_CEILING_FLOPS].ceiling;
    const bool bytes = moves_bytes(e->result) && !am_result_device(e->result) &&
                       !e->roofs[AM_CEILING_BYTES].ceiling;
    const char *text;

    if (!flops && !bytes)
        return NULL;
    text = am_arena_printf(arena, "no ceiling of its %s was measured: run %s in the same run%s",
                           flops ? "arithmetic" : "level of memory",
                           am_families_benches(flops ? AM_BOUND_FLOPS : AM_BOUND_BYTES, arena),
                           roofline->doubtful ? ", on a machine so quiet that they are not of "
                                                "grade C, which concludes nothing"
                                              : "");
    return text ? text : "no ceiling was measured";
}

static void explain_point(struct am_explanation *e, const struct am_roofline *roofline,
                          struct am_arena *arena)
{
    const struct am_result *const r = e->result;
    const double bytes = r->work.bytes_read + r->work.bytes_written, set = working_set(e);
    const struct am_reach reach = am_tiers_reach(r);
    const bool here = bytes > 0 && !am_result_device(r);
    double least;

    e->intensity = r->work.flops > 0 && bytes > 0 ? r->work.flops / bytes : NAN;
    e->level = here ? am_tiers_fastest(&roofline->levels, set, &reach) : AM_TIER_COUNT;
    if (e->level < AM_TIER_COUNT && is_cold(e))
        e->level = AM_TIER_MEMORY;
    e->between = here && !is_cold(e) && am_tiers_of(&roofline->levels, set, &reach) != e->level;
    least = least_time(e, roofline, arena);
    e->why_not = lacking(e, roofline, arena);
    if (e->why_not)
        return;
    e->bound = amount_of(e) / least;
    e->share = e->measured.median / e->bound;
    e->above = e->metric->grading.grade != AM_GRADE_C && e->measured.ci.lo > e->bound;
    e->resource = resource_of(e, arena);
}

void am_explain(const struct am_result_set *set, const struct am_facts *facts,
                const struct am_roofline *roofline, struct am_arena *arena,
                struct am_explanations *out)
{
    *out = (struct am_explanations){
        .items = am_arena_array(arena, set->n + 1, sizeof(*out->items)),
        .remarks = roofline->remarks,
        .n_remarks = roofline->n_remarks,
    };
    for (size_t i = 0; out->items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_explanation *const e = &out->items[out->n];

        *e = (struct am_explanation){
            .result = r, .metric = rate_of(r), .row = am_families_bound(r), .level = AM_TIER_COUNT};
        if (!e->metric)
            continue;
        e->measured = e->metric->summary;
        e->why_not = foreign(e);
        if (!e->why_not)
            explain_point(e, roofline, arena);
        if (!e->why_not)
            e->next = am_explain_next(e, facts, roofline, arena);
        out->above += e->above;
        out->unexplained += e->why_not != NULL;
        out->n++;
    }
}
