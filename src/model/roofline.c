/* SPDX-License-Identifier: MIT */
/* Ceilings from results. A bound must not lie below what can be done, so each is the best of its
 * kind: the 95 % quantile of the best sound point, by any kernel and any means. */
#include "model/roofline.h"

#include "base/array.h"
#include "core/bench/isas.h"
#include "family/family.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

const char *const am_ceiling_words[AM_CEILING_KINDS] = {
    [AM_CEILING_FLOPS] = "flops",
    [AM_CEILING_READ] = "read",
    [AM_CEILING_WRITE] = "write",
    [AM_CEILING_BYTES] = "bytes",
};

const char *am_ceiling_unit(enum am_ceiling_kind kind)
{
    return kind == AM_CEILING_FLOPS ? "flop/s" : "B/s";
}

const char *am_ceiling_unit_of(enum am_ceiling_kind kind, const char *type)
{
    return kind == AM_CEILING_FLOPS && type && type[0] == 'i' ? "op/s" : am_ceiling_unit(kind);
}

const struct am_result_metric *am_result_rate(const struct am_result *result, const char *unit)
{
    for (size_t i = 0; result->state == AM_POINT_OK && i < result->n_metrics; i++) {
        const struct am_result_metric *const m = &result->metrics[i];

        if (m->has_summary && strcmp(m->unit, unit) == 0)
            return m;
    }
    return NULL;
}

/* ---- building ---- */

/* Never NULL, so that whoever tells the evidence need not ask. */
static const char *evidence_of(const struct am_result *point, struct am_arena *arena)
{
    const char *const text = am_arena_printf(arena, "%s %s", point->bench, point->text);

    return text ? text : point->bench;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_key(const struct am_ceiling *a, const struct am_ceiling *b)
{
    return a->kind == b->kind && a->level == b->level && same_text(a->type, b->type) &&
           same_text(a->isa, b->isa) && same_text(a->op, b->op) &&
           same_text(a->device, b->device) && same_text(a->space, b->space) &&
           fabs(a->threads - b->threads) < 0.5;
}

void am_roofline_add(struct am_roofline *r, const struct am_ceiling *c)
{
    struct am_ceiling *to = NULL;

    if (!isfinite(c->rate) || c->rate <= 0)
        return;
    for (size_t i = 0; !to && i < r->n; i++)
        to = same_key(&r->items[i], c) ? &r->items[i] : NULL;
    if (to && !(c->rate > to->rate))
        return;
    if (!to)
        to = AM_ARRAY_ADD(r->arena, r->items, r->n, r->cap);
    if (!to)
        return;
    *to = *c;
    if (!to->from)
        to->from = c->point ? evidence_of(c->point, r->arena) : "";
    if (!(to->ci.lo > 0 && isfinite(to->ci.hi)))
        to->ci = (struct am_interval){fmin(c->median, c->rate), fmax(c->median, c->rate), NAN};
}

/* Evidence of grade C is counted, so that its absence can be told. */
static bool is_sound(struct am_roofline *r, const struct am_result_metric *m)
{
    const bool doubtful = m->grading.grade == AM_GRADE_C;

    r->doubtful += doubtful;
    return !doubtful;
}

static void add_flops(struct am_roofline *r, const struct am_bound_row *row,
                      const struct am_result *point)
{
    const double each = row->type ? row->operations : 1;
    struct am_ceiling c = {
        .kind = AM_CEILING_FLOPS,
        .level = AM_TIER_COUNT,
        .type = row->type ? row->type(point) : am_result_type(point),
        .isa = am_result_isa(point),
        .op = row->operation ? row->operation(point) : am_result_operation(point),
        .device = am_result_device(point),
        .threads = am_result_threads(point),
        .point = point,
    };
    const struct am_result_metric *const m =
        am_result_rate(point, row->type ? "op/s" : am_ceiling_unit(AM_CEILING_FLOPS));

    if (!c.type || !m || !is_sound(r, m))
        return;
    c.rate = each * m->summary.p95;
    c.median = each * m->summary.median;
    c.ci = (struct am_interval){each * m->summary.ci.lo, each * m->summary.ci.hi,
                                m->summary.ci.coverage};
    am_roofline_add(r, &c);
}

/* Where the bytes of a point are, if nothing else serves a part of them; false otherwise. */
static bool place(const struct am_roofline *r, const struct am_facts *facts, struct am_ceiling *c)
{
    const struct am_placing placing = {
        .result = c->point, .facts = facts, .bytes = am_result_size(c->point), .ceiling = true};
    const struct am_reach reach = am_tiers_reach(c->point);

    if (c->device)
        c->space = am_families_space(&placing);
    else
        c->level = am_tiers_of(&r->levels, placing.bytes, &reach);
    return c->space || c->level < AM_TIER_COUNT;
}

static void add_bytes(struct am_roofline *r, const struct am_facts *facts,
                      const struct am_result *point)
{
    const double read = point->work.bytes_read, written = point->work.bytes_written;
    const double shares[AM_CEILING_KINDS] = {
        [AM_CEILING_READ] = read / (read + written),
        [AM_CEILING_WRITE] = written / (read + written),
        [AM_CEILING_BYTES] = 1,
    };
    struct am_ceiling c = {
        .level = AM_TIER_COUNT,
        .isa = am_result_isa(point),
        .device = am_result_device(point),
        .threads = am_result_threads(point),
        .point = point,
    };
    const struct am_result_metric *const m =
        am_result_rate(point, am_ceiling_unit(AM_CEILING_BYTES));

    if (!(read + written > 0) || !m || !place(r, facts, &c) || !is_sound(r, m))
        return;
    for (c.kind = AM_CEILING_READ; c.kind < AM_CEILING_KINDS; c.kind++) {
        const double share = shares[c.kind];

        if (c.device && c.kind == AM_CEILING_BYTES && !(read > 0 && written > 0))
            continue; /* both ways at once may be more than either */
        c.rate = share * m->summary.p95;
        c.median = share * m->summary.median;
        c.ci = (struct am_interval){share * m->summary.ci.lo, share * m->summary.ci.hi,
                                    m->summary.ci.coverage};
        am_roofline_add(r, &c);
    }
}

/* ---- what applications executed ---- */

static void remark(struct am_roofline *r, const struct am_pick *executed, double rate,
                   const char *consequence)
{
    const char *const text =
        am_arena_printf(r->arena, "%s %s executed %.3g Gflop/s, above the ceiling of %.3g: %s",
                        executed->result->bench, executed->result->text,
                        executed->metric->summary.median / 1e9, rate / 1e9, consequence);
    const char **const added =
        text ? AM_ARRAY_ADD(r->arena, r->remarks, r->n_remarks, r->cap_remarks) : NULL;

    if (added)
        *added = text;
}

/* A rate within the spread of the ceiling raises it without a word. */
static void raise_by_executed(struct am_roofline *r, const struct am_pick *executed)
{
    const struct am_summary *const s = &executed->metric->summary;
    const struct am_ceiling c = {
        .kind = AM_CEILING_FLOPS,
        .level = AM_TIER_COUNT,
        .type = am_result_type(executed->result),
        .isa = am_result_isa(executed->result),
        .threads = am_result_threads(executed->result),
        .rate = s->p95,
        .median = s->median,
        .point = executed->result,
    };
    const struct am_roof_query query = {
        .kind = c.kind, .type = c.type, .isa = c.isa, .threads = c.threads};
    const bool doubtful = executed->metric->grading.grade == AM_GRADE_C;
    struct am_roof roof;

    if (!c.type || !am_roofline_find(r, &query, &roof) || !(c.rate > roof.rate))
        return;
    if (doubtful && s->median > roof.rate)
        remark(r, executed, roof.rate, "not raised to it, for it is of grade C");
    else if (!doubtful && s->ci.lo > roof.rate)
        remark(r, executed, roof.rate, "raised to it, as evidence of what the cores can do");
    if (!doubtful)
        am_roofline_add(r, &c);
}

void am_roofline_build(const struct am_result_set *set, const struct am_facts *facts,
                       struct am_arena *arena, struct am_roofline *out)
{
    *out = (struct am_roofline){.levels = am_tiers_find(set, facts), .arena = arena};
    for (size_t i = 0; i < set->n; i++) {
        const struct am_bound_row *const row = am_families_bound(&set->results[i]);

        if (row && row->role == AM_BOUND_FLOPS)
            add_flops(out, row, &set->results[i]);
        else if (row && row->role == AM_BOUND_BYTES)
            add_bytes(out, facts, &set->results[i]);
    }
    for (size_t i = 0; i < set->n; i++) {
        struct am_pick executed;

        if (am_families_executed(&set->results[i], &executed))
            raise_by_executed(out, &executed);
    }
}

/* ---- asking ---- */

/* How a ceiling's instruction set may stand for that of a query, the strictest first. */
enum isa_fit { ISA_SAME, ISA_WIDER, ISA_FITS };

static bool isa_fits(const struct am_ceiling *c, const char *isa, enum isa_fit fit)
{
    if (!isa || same_text(c->isa, isa))
        return true;
    return fit == ISA_WIDER && am_isa_rank(isa) >= 0 && am_isa_rank(c->isa) > am_isa_rank(isa);
}

/* Bounds of programs that do not say their type: hardly any computes in such numbers. */
static bool is_narrow(const struct am_ceiling *c)
{
    return !same_text(c->type, "f32") && !same_text(c->type, "f64");
}

static bool fits(const struct am_ceiling *c, const struct am_roof_query *q, enum isa_fit fit)
{
    if (c->kind != q->kind || !same_text(c->device, q->device) || !isa_fits(c, q->isa, fit))
        return false;
    if (c->kind == AM_CEILING_FLOPS)
        return (q->type ? same_text(c->type, q->type) : !is_narrow(c)) &&
               (!q->op || same_text(c->op, q->op));
    return c->level == q->level && same_text(c->space, q->space);
}

/* The best by exactly these threads; NULL: none. */
static const struct am_ceiling *best_of(const struct am_roofline *r, const struct am_roof_query *q,
                                        enum isa_fit fit, double threads)
{
    const struct am_ceiling *best = NULL;

    for (size_t i = 0; i < r->n; i++) {
        const struct am_ceiling *const c = &r->items[i];

        if (fits(c, q, fit) && fabs(c->threads - threads) < 0.5 && (!best || c->rate > best->rate))
            best = c;
    }
    return best;
}

/* The nearest numbers of threads on both sides that something fitting was measured with; 0: none.
 */
static void neighbours(const struct am_roofline *r, const struct am_roof_query *q, enum isa_fit fit,
                       double *fewer, double *more)
{
    *fewer = *more = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double t = r->items[i].threads;

        if (!fits(&r->items[i], q, fit))
            continue;
        if (t < q->threads && t > *fewer)
            *fewer = t;
        if (t > q->threads && (!(*more > 0) || t < *more))
            *more = t;
    }
}

static bool find_scaled(const struct am_roofline *r, const struct am_roof_query *q,
                        enum isa_fit fit, struct am_roof *out)
{
    const struct am_ceiling *below, *above;
    double fewer, more;

    neighbours(r, q, fit, &fewer, &more);
    below = fewer > 0 ? best_of(r, q, fit, fewer) : NULL;
    above = more > 0 ? best_of(r, q, fit, more) : NULL;
    if (!below && !above)
        return false;
    *out = (struct am_roof){.scaled = true};
    if (below) {
        out->ceiling = below;
        out->rate = below->rate * q->threads / fewer;
        out->least_rate = below->rate;
    }
    if (above)
        out->least_rate = fmax(out->least_rate, above->rate * q->threads / more);
    if (above && (!below || above->rate < out->rate)) {
        out->ceiling = above;
        out->rate = above->rate;
    }
    return true;
}

static bool find_at_level(const struct am_roofline *r, const struct am_roof_query *q,
                          struct am_roof *out)
{
    for (enum isa_fit fit = ISA_SAME; fit < ISA_FITS; fit++) {
        const struct am_ceiling *const c = best_of(r, q, fit, q->threads);

        if (c) {
            *out = (struct am_roof){.ceiling = c, .rate = c->rate, .least_rate = c->rate};
            return true;
        }
        if (find_scaled(r, q, fit, out))
            return true;
    }
    return false;
}

bool am_roofline_find(const struct am_roofline *roofline, const struct am_roof_query *query,
                      struct am_roof *out)
{
    struct am_roof_query q = *query;

    if (q.kind == AM_CEILING_FLOPS || q.space || q.exact)
        return find_at_level(roofline, &q, out);
    for (int level = (int)query->level; level >= 0; level--) {
        q.level = (enum am_tier)level;
        if (query->level < AM_TIER_COUNT && find_at_level(roofline, &q, out))
            return true;
    }
    return false;
}

bool am_roof_time_raise(struct am_roof_time *time, double amount, const struct am_roof *roof)
{
    const struct am_ceiling *const c = roof->ceiling;
    const double scale = roof->rate / c->rate, before = time->s;

    time->s = fmax(time->s, amount / roof->rate);
    time->least = fmax(time->least, amount / (scale * fmax(c->ci.hi, c->rate)));
    time->most = fmax(time->most, amount / (scale * fmin(c->ci.lo, c->rate)));
    return time->s > before;
}
