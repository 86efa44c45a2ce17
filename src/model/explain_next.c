/* SPDX-License-Identifier: MIT */
/* What to try next at a point: rules in the order in which they are worth trying, each with the
 * measured gain that speaks for it. */
#include "model/explain.h"

#include "evidence/evidence.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* Less than this is not worth a change of code. */
static const double worth = 1.1;
const double am_explain_at_roof = 0.9;
const double am_explain_far_below = 0.5;

struct point {
    const struct am_explanation *e;
    const struct am_facts *facts;
    const struct am_roofline *roofline;
    struct am_arena *arena;
};

/* The roof of the limiting kind with something else about the query changed; 0: none. */
static double other_roof(const struct point *p, const struct am_roof_query *change)
{
    struct am_roof roof;

    return am_roofline_find(p->roofline, change, &roof) ? roof.rate : 0;
}

static struct am_roof_query query_of(const struct point *p)
{
    return (struct am_roof_query){
        .kind = p->e->limit,
        .level = p->e->level,
        .type = am_result_type(p->e->result),
        .isa = am_result_isa(p->e->result),
        .threads = am_result_threads(p->e->result),
        .device = am_result_device(p->e->result),
        .space = p->e->limit == AM_CEILING_FLOPS ? NULL : p->e->space,
    };
}

/* Bounded by what the bench knows of itself alone: there are no ceilings to compare. */
static bool has_no_roofs(const struct point *p)
{
    return p->e->row && p->e->row->rate;
}

/* What other ceilings are compared with: one of the same benches, where the point's own roof is of
 * its own making. */
static double base_rate(const struct point *p)
{
    const struct am_roof_query q = query_of(p);
    const double same = p->e->own ? other_roof(p, &q) : 0;

    return same > 0 ? same : p->e->roofs[q.kind].rate;
}

/* ---- rules: a sentence, or NULL when they do not apply ---- */

static const char *try_model(const struct point *p)
{
    if (!p->e->above)
        return NULL;
    return "FINDING: above the bound; the model or the stated work is wrong";
}

/* A wider instruction set has a higher ceiling. */
static const char *try_isa(const struct point *p)
{
    struct am_roof_query q = query_of(p);
    const char *const isa = q.isa;
    struct am_roof roof;

    if (!isa || has_no_roofs(p))
        return NULL;
    q.isa = NULL;
    if (!am_roofline_find(p->roofline, &q, &roof) || !roof.ceiling->isa || roof.scaled ||
        strcmp(roof.ceiling->isa, isa) == 0 || roof.rate < worth * base_rate(p))
        return NULL;
    return am_arena_printf(p->arena, "isa=%s: %.1f x the ceiling", roof.ceiling->isa,
                           roof.rate / base_rate(p));
}

/* What its family knows of the point. */
static const char *try_family(const struct point *p)
{
    const struct am_trying trying = {
        .result = p->e->result,
        .facts = p->facts,
        .arena = p->arena,
        .level = p->e->level < AM_TIER_COUNT ? am_tier_label(p->e->level) : NULL,
        .computes = p->e->limit == AM_CEILING_FLOPS,
        .share = p->e->share,
        .worth = worth,
        .at_roof = am_explain_at_roof,
    };

    return am_families_try(&trying);
}

/* More threads have a higher ceiling, as measured. */
static const char *try_threads(const struct point *p)
{
    const struct am_roof_query q = query_of(p);
    const struct am_ceiling *best = NULL;

    for (size_t i = 0; !has_no_roofs(p) && i < p->roofline->n; i++) {
        const struct am_ceiling *const c = &p->roofline->items[i];

        if (c->kind != q.kind || c->threads <= q.threads || c->device || q.device)
            continue;
        if (q.kind == AM_CEILING_FLOPS ? q.type && strcmp(c->type, q.type) != 0
                                       : c->level != q.level)
            continue;
        if (!best || c->median > best->median)
            best = c;
    }
    if (!best || best->median < worth * base_rate(p))
        return NULL;
    return am_arena_printf(p->arena, "%.0f threads: %.1f x the ceiling", best->threads,
                           best->median / base_rate(p));
}

/* Near the roof of bytes: a nearer level has a higher one. */
static const char *try_blocking(const struct point *p)
{
    struct am_roof_query q = query_of(p);
    double higher;

    if (has_no_roofs(p) || p->e->limit == AM_CEILING_FLOPS || p->e->level == AM_TIER_L1D ||
        p->e->level >= AM_TIER_COUNT)
        return NULL;
    q.level = p->e->level - 1;
    higher = other_roof(p, &q);
    if (higher < worth * p->e->roofs[q.kind].rate)
        return NULL;
    return am_arena_printf(p->arena, "block for %s: %.1f x the ceiling", am_tier_title(q.level),
                           higher / p->e->roofs[q.kind].rate);
}

/* Clearly above, by samples too noisy to call the ceiling wrong. */
static const char *try_above(const struct point *p)
{
    return p->e->share > worth && !p->e->above ? "above the ceiling, too noisy to deny it" : NULL;
}

/* The best samples were at the roof: what held the others back was not the work. */
static const char *try_quiet(const struct point *p)
{
    const double best = p->e->measured.p95 / p->e->bound;

    if (p->e->share >= am_explain_at_roof || best < am_explain_at_roof ||
        best < worth * p->e->share)
        return NULL;
    return am_arena_printf(p->arena, "a quiet machine: the best samples reach %.0f %%", 100 * best);
}

/* Where its time goes inside of a core says more than how far away the roof is. */
static const char *try_core(const struct point *p)
{
    return p->e->share >= am_explain_at_roof ? NULL : am_explain_left(p->e, p->arena);
}

/* The roof was measured by a point of the same bench that does something else: other instructions,
 * another pattern. That it does, and no disturbance, is what is left. */
static const char *try_sibling(const struct point *p)
{
    const struct am_roof *const roof = &p->e->roofs[p->e->limit];
    const struct am_result *const own = p->e->result;
    const struct am_result *const at =
        !has_no_roofs(p) && !p->e->own && !roof->scaled && roof->ceiling ? roof->ceiling->point
                                                                         : NULL;
    const char *differs = "";

    if (!at || p->e->share >= am_explain_at_roof || strcmp(at->bench, own->bench) != 0)
        return NULL;
    for (size_t i = 0; differs && i < own->n_params; i++) {
        const struct am_result_param *const there = am_result_param(at, own->params[i].name);

        if (there && there->kind == AM_AXIS_NAME && !am_param_same(there, &own->params[i]))
            differs = am_arena_printf(p->arena, "%s%s=%s ", differs, there->name, there->text);
    }
    return differs && *differs ? am_arena_printf(p->arena, "%sreaches it", differs) : NULL;
}

static const char *try_latency(const struct point *p)
{
    if (p->e->share > am_explain_far_below)
        return NULL;
    return "far from every roof: latency or overhead";
}

static const char *try_nothing(const struct point *p)
{
    if (p->e->share >= am_explain_at_roof)
        return "at the roof";
    return am_arena_printf(p->arena, "%.0f %% left, cause not measured", 100 * (1 - p->e->share));
}

const char *am_explain_next(const struct am_explanation *e, const struct am_facts *facts,
                            const struct am_roofline *roofline, struct am_arena *arena)
{
    static const char *(*const rules[])(const struct point *) = {
        try_model,    try_above, try_quiet,   try_isa,     try_family,  try_threads,
        try_blocking, try_core,  try_sibling, try_latency, try_nothing,
    };
    const struct point p = {e, facts, roofline, arena};

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const char *const text = rules[i](&p);

        if (text)
            return text;
    }
    return "nothing";
}
