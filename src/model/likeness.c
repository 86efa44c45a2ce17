/* SPDX-License-Identifier: MIT */
/* Roofs of two machines that may be compared. */
#include "model/likeness.h"

#include "core/bench/isas.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* ---- the instruction set ---- */

static bool has_isa(const struct am_roofline *r, enum am_ceiling_kind kind, const char *isa)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->items[i].kind == kind && !r->items[i].device && r->items[i].isa &&
            strcmp(r->items[i].isa, isa) == 0)
            return true;
    }
    return false;
}

/* The narrowest that both have and that is not below the point's; NULL: none, any is taken. */
static const char *common_isa(const struct am_explanation *e, enum am_ceiling_kind kind,
                              const struct am_roofline *a, const struct am_roofline *b)
{
#define NAME(isa, bytes) #isa,
    static const char *const names[] = {AM_ISAS(NAME)};
#undef NAME
    const int rank = am_isa_rank(am_result_isa(e->result));

    for (int i = rank; i >= 0 && i < AM_ISA_RANKS; i++) {
        if (has_isa(a, kind, names[i]) && has_isa(b, kind, names[i]))
            return names[i];
    }
    return NULL;
}

/* ---- the operation ---- */

static bool has_op(const struct am_roofline *r, const char *op)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->items[i].kind == AM_CEILING_FLOPS && !r->items[i].device && r->items[i].op &&
            strcmp(r->items[i].op, op) == 0)
            return true;
    }
    return false;
}

static bool is_new(const char *const *ops, size_t n, const char *op)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(ops[i], op) == 0)
            return false;
    }
    return true;
}

/* The point's own, where both measured it: cores that are alike in one operation differ in another
 * by a factor of two. Of a point that states none, all that both measured; where there is none, one
 * that is NULL: any. */
static size_t common_ops(const struct am_explanation *e, const struct am_roofline *a,
                         const struct am_roofline *b, const char *ops[AM_LIKENESSES_MAX])
{
    const char *const own = am_result_operation(e->result);
    size_t n = 0;

    ops[0] = NULL;
    if (!(e->work.flops > 0) || am_result_device(e->result))
        return 1;
    if (own) {
        ops[0] = own;
        return has_op(a, own) && has_op(b, own);
    }
    for (size_t i = 0; i < a->n && n < AM_LIKENESSES_MAX; i++) {
        const char *const op = a->items[i].kind == AM_CEILING_FLOPS ? a->items[i].op : NULL;

        if (op && is_new(ops, n, op) && has_op(b, op) && !a->items[i].device)
            ops[n++] = op;
    }
    return n ? n : 1;
}

/* ---- levels ---- */

/* The roof at this level, else at the next one that was measured, faster or slower. */
static bool find_roof(const struct am_roofline *r, const struct am_roof_query *asked, bool slower,
                      struct am_roof *out)
{
    struct am_roof_query q = *asked;

    if (!slower || q.kind == AM_CEILING_FLOPS || q.space)
        return am_roofline_find(r, &q, out);
    q.exact = true;
    for (; q.level < AM_TIER_COUNT; q.level++) {
        if (am_roofline_find(r, &q, out))
            return true;
    }
    return false;
}

/* One machine, and what of the point both are asked for. */
struct side {
    const struct am_explanation *e;
    const struct am_roofline *roofline;
    const char *isas[AM_CEILING_KINDS];
    const char *op; /* NULL: any */
    bool turns; /* reads and writes may take turns, which the bytes of both together do not tell */
};

/* The work by one roof alone. Of threads that were not measured, between what they have at most and
 * at least. */
static struct am_roof_time alone(double amount, const struct am_roof *roof)
{
    struct am_roof least = *roof;
    struct am_roof_time fast = {0}, slow = {0};

    least.rate = fmin(roof->least_rate, roof->rate);
    (void)am_roof_time_raise(&fast, amount, roof);
    (void)am_roof_time_raise(&slow, amount, &least);
    return (struct am_roof_time){sqrt(fast.s * slow.s), fast.least, slow.most};
}

/* Seconds at one end of the levels. False where work has no roof that could be compared. */
static bool seconds_at(const struct side *s, bool slower, struct am_roof_time *out)
{
    double amounts[AM_CEILING_KINDS];
    double turns = 0;
    bool found = true;

    *out = (struct am_roof_time){0};
    am_explanation_amounts(s->e, amounts);
    for (enum am_ceiling_kind k = AM_CEILING_FLOPS; k < AM_CEILING_KINDS; k++) {
        const struct am_roof_query query = {
            .kind = k,
            .level = slower ? s->e->slowest : s->e->level,
            .type = am_result_type(s->e->result),
            .isa = s->isas[k],
            .op = s->op,
            .threads = am_result_threads(s->e->result),
            .device = am_result_device(s->e->result),
            .space = k == AM_CEILING_FLOPS ? NULL : s->e->space,
        };
        struct am_roof roof;

        if (!(amounts[k] > 0))
            continue;
        if (find_roof(s->roofline, &query, slower, &roof)) {
            const struct am_roof_time one = alone(amounts[k], &roof);

            *out = (struct am_roof_time){fmax(out->s, one.s), fmax(out->least, one.least),
                                         fmax(out->most, one.most)};
            turns += k == AM_CEILING_READ || k == AM_CEILING_WRITE ? one.most : 0;
        } else if (k == AM_CEILING_FLOPS || (k == AM_CEILING_BYTES && !query.device))
            found = false; /* reads and writes alone may lack a roof, as in a bound */
    }
    if (s->turns)
        out->most = fmax(out->most, turns);
    return found && out->s > 0;
}

static bool seconds_of(const struct side *s, struct am_seconds *out)
{
    struct am_roof_time fast, slow;

    if (!seconds_at(s, false, &fast) || !seconds_at(s, true, &slow))
        return false;
    *out = (struct am_seconds){fmin(fast.least, slow.least), sqrt(fast.s * slow.s),
                               fmax(fast.most, slow.most)};
    return true;
}

/* Both by one level, and the same: what it does at once on the one it may do on the other. */
static bool same_level(const struct am_explanation *a, const struct am_explanation *b)
{
    return a->level == b->level && a->level == a->slowest && b->level == b->slowest;
}

size_t am_likenesses(const struct am_explanation *here, const struct am_machine_model *here_by,
                     const struct am_explanation *there, const struct am_machine_model *machine,
                     struct am_likeness out[AM_LIKENESSES_MAX], const char **missing)
{
    struct side a = {.e = here, .roofline = &here_by->roofline};
    struct side b = {.e = there, .roofline = &machine->roofline};
    const char *ops[AM_LIKENESSES_MAX];
    const size_t n_ops = common_ops(here, a.roofline, b.roofline, ops);
    size_t n = 0;

    for (enum am_ceiling_kind k = AM_CEILING_FLOPS; k < AM_CEILING_KINDS; k++)
        a.isas[k] = b.isas[k] = common_isa(here, k, a.roofline, b.roofline);
    a.turns = b.turns = !same_level(here, there);
    *missing = n_ops ? "no ceiling that could be compared was measured here"
                     : "its operation was not measured on both machines";
    for (size_t i = 0; i < n_ops; i++) {
        a.op = b.op = ops[i];
        if (!seconds_of(&a, &out[n].here))
            continue;
        *missing = "no ceiling that could be compared was measured there";
        n += seconds_of(&b, &out[n].there);
    }
    return n;
}
