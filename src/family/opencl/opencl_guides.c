/* SPDX-License-Identifier: MIT */
/* Advice about OpenCL devices: what a programmer should do, as the facts say.
 *
 * A rule speaks of one device: of several, that which the fact it begins with is largest of. It
 * advises where intervals lie on one side of what is worth a change of code, and says "Not decided"
 * where they do not. */
#include "family/opencl/opencl.h"

#include "base/units.h"

#include <math.h>

/* Smaller effects are no advice. */
static const double worth = 1.1;
/* Data that come over a link so much slower than memory should stay. */
static const double far_slower = 4;

/* A fact of the same device as another. */
static const struct am_fact *beside(const struct am_facts *facts, const struct am_fact *first,
                                    const char *name, const char *where, struct am_arena *arena)
{
    const char *const device = first ? am_fact_text(first, "device") : NULL;
    const char *const all = device ? am_arena_printf(arena, "device=%s%s%s", device,
                                                     where ? " " : "", where ? where : "")
                                   : NULL;

    return all ? am_facts_most(facts, name, all) : NULL;
}

static const char *name_of(const struct am_fact *f)
{
    const char *const device = am_fact_text(f, "device");

    return device ? device : "the device";
}

static struct am_guideline line_of(const char *text, const struct am_fact *a,
                                   const struct am_fact *b, const char *command,
                                   struct am_arena *arena)
{
    return (struct am_guideline){
        .text = text,
        .evidence = b ? am_arena_printf(arena, "%s = %s, %s = %s", a->id,
                                        am_units_text(a->value, a->unit, arena), b->id,
                                        am_units_text(b->value, b->unit, arena))
                      : am_arena_printf(arena, "%s = %s, from %s to %s", a->id,
                                        am_units_text(a->value, a->unit, arena),
                                        am_units_text(a->ci.lo, a->unit, arena),
                                        am_units_text(a->ci.hi, a->unit, arena)),
        .command = command,
        .grading = b ? am_grading_worse(a->grading, b->grading) : a->grading,
    };
}

static bool say_ridge(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_most(facts, "opencl.ridge", NULL);
    const struct am_fact *const share =
        f ? beside(facts, f, "opencl.ridge_share",
                   am_arena_printf(arena, "type=%s", am_fact_text(f, "type")), arena)
          : NULL;

    if (!f || !am_fact_text(f, "type") || !am_fact_is_decided(f))
        return false;
    *out = line_of(
        f->ci.hi <= 2 * f->ci.lo
            ? am_arena_printf(arena,
                              "On %s make at least %.3g operations (%s) of every byte from its "
                              "memory: with fewer, memory is the limit, whatever the kernel "
                              "computes%s.",
                              name_of(f), f->value, am_fact_text(f, "type"),
                              share ? am_arena_printf(arena,
                                                      "; near there expect %.0f %% of either limit",
                                                      100 * share->value)
                                    : "")
            : am_arena_printf(arena,
                              "Not decided: on %s arithmetic (%s) becomes the limit between %.3g "
                              "and %.3g operations per byte.",
                              name_of(f), am_fact_text(f, "type"), f->ci.lo, f->ci.hi),
        f, share, "run ocl.intensity", arena);
    return true;
}

static bool say_items(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out)
{
    const struct am_fact *const read = am_facts_most(facts, "opencl.read_items", NULL);
    const struct am_fact *const f = read ? read : am_facts_most(facts, "opencl.scale_items", NULL);

    if (!f)
        return false;
    *out = line_of(
        am_arena_printf(arena,
                        "Start at least %.0f work-items on %s: with fewer %s takes more than a "
                        "tenth longer than it could.",
                        f->value, name_of(f), read ? "reading its memory" : "a vector addition"),
        f, NULL,
        read ? "run ocl.global -p kernel=read -p shape=strided -p stride=1 -p each=64:65536:*4"
             : "run ocl.scale",
        arena);
    return true;
}

static bool say_neighbours(const struct am_facts *facts, struct am_arena *arena,
                           struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_most(facts, "opencl.segment", NULL);

    if (!f)
        return false;
    *out = line_of(am_arena_printf(arena,
                                   "Let neighbouring work-items of %s touch neighbouring words: a "
                                   "word by itself moves %.0f bytes, %.0f times what is used.",
                                   name_of(f), f->value, f->value / 4),
                   f, NULL, "run ocl.global -p shape=strided -p width=1", arena);
    return true;
}

static bool say_stay(const struct am_facts *facts, struct am_arena *arena, struct am_guideline *out)
{
    const struct am_fact *const read = am_facts_most(facts, "opencl.read", NULL);
    const struct am_fact *const link =
        beside(facts, read, "opencl.transfer", "direction=h2d", arena);

    if (!link || am_facts_side(read, link, far_slower) != AM_SIDE_ABOVE)
        return false;
    *out = line_of(am_arena_printf(arena,
                                   "Leave data on %s between kernels: its memory is read %.0f "
                                   "times as fast as data come over the link, so that whatever is "
                                   "used fewer times than that waits for the link.",
                                   name_of(read), read->value / link->value),
                   read, link, "run ocl.global ocl.bus --quick", arena);
    return true;
}

static bool say_overlap(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_most(facts, "opencl.hidden", NULL);

    if (!f || !am_fact_is_decided(f))
        return false;
    *out = line_of(
        f->ci.lo > 0.8
            ? am_arena_printf(arena,
                              "Transfer beside kernels, in a queue of its own: %s hides %.0f %% of "
                              "the shorter of both.",
                              name_of(f), 100 * f->value)
        : f->ci.hi < 0.5
            ? am_arena_printf(arena,
                              "Do not count on transfers beside kernels: %s hides %.0f %% of the "
                              "shorter of both at best.",
                              name_of(f), 100 * f->value)
            : am_arena_printf(arena,
                              "Not decided: %s hides between %.0f and %.0f %% of transfers beside "
                              "kernels.",
                              name_of(f), 100 * f->ci.lo, 100 * f->ci.hi),
        f, NULL, "run ocl.overlap", arena);
    return true;
}

static bool say_launch(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const trip = am_facts_most(facts, "opencl.launch", NULL);
    const struct am_fact *const batch = beside(facts, trip, "opencl.launch_batch", NULL, arena);

    if (!batch)
        return false;
    switch (am_facts_side(trip, batch, worth)) {
    case AM_SIDE_ABOVE:
        *out = line_of(am_arena_printf(arena,
                                       "Queue kernels of %s without waiting for each: one of many "
                                       "costs %.3g us, one that is waited for %.3g us; kernels "
                                       "shorter than that are worth joining.",
                                       name_of(trip), 1e6 * batch->value, 1e6 * trip->value),
                       trip, batch, "run ocl.launch", arena);
        return true;
    case AM_SIDE_BELOW:
    case AM_SIDE_OPEN: break;
    }
    *out = line_of(am_arena_printf(arena,
                                   "Not decided: whether kernels of %s that are queued cost less "
                                   "(%.3g us) than those that are waited for (%.3g us).",
                                   name_of(trip), 1e6 * batch->value, 1e6 * trip->value),
                   trip, batch, "run ocl.launch", arena);
    return true;
}

static bool say_branches(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    const struct am_fact *const width = am_facts_most(facts, "opencl.simd_width", NULL);
    const struct am_fact *const price = beside(facts, width, "opencl.divergence", NULL, arena);

    if (!price || !(width->ci.lo > 1))
        return false;
    *out = line_of(am_arena_printf(arena,
                                   "Let %.0f neighbouring work-items of %s take the same branch: "
                                   "paths in which they part cost up to %.3g times one path.",
                                   width->value, name_of(width), price->value),
                   width, price, "run ocl.branch -p by=local", arena);
    return true;
}

static bool say_counters(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    const struct am_fact *const local =
        am_facts_most(facts, "opencl.atomic", "space=local counters=group");
    const struct am_fact *const one =
        beside(facts, local, "opencl.atomic", "space=global counters=one", arena);

    if (!one)
        return false;
    *out = line_of(
        am_facts_side(local, one, worth) == AM_SIDE_ABOVE
            ? am_arena_printf(arena,
                              "Count in local memory first, then once per group: counters of "
                              "groups of %s take %.3g times the additions of one that all share.",
                              name_of(local), local->value / one->value)
            : am_arena_printf(arena,
                              "Counters in local memory gain nothing worth it on %s: %.3g times "
                              "the additions of one that all share.",
                              name_of(local), local->value / one->value),
        local, one, "run ocl.atomic", arena);
    return true;
}

const struct am_guideline_rule am_opencl_guidelines[] = {
    {"opencl.ridge", say_ridge},
    {"opencl.items", say_items},
    {"opencl.neighbours", say_neighbours},
    {"opencl.stay", say_stay},
    {"opencl.overlap", say_overlap},
    {"opencl.launch", say_launch},
    {"opencl.branches", say_branches},
    {"opencl.counters", say_counters},
    {NULL, NULL},
};
