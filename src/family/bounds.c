/* SPDX-License-Identifier: MIT */
/* How points of benches are bounded, and what to try next: of families that have no tables of
 * their own yet. */
#include "family/family.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* A grid is stepped from one array to another, or in its place. */
static double grid_bytes(const struct am_result *r)
{
    const char *const type = am_result_type(r);
    const double points = am_result_number(r, "n");
    const bool in_place = am_result_is(r, "variant", "skew") || am_result_is(r, "variant", "slice");

    return points * (type && strcmp(type, "f32") == 0 ? 4 : 8) * (in_place ? 1 : 2);
}

static const char latency[] = "a matter of latency, not of rates";

const struct am_bound_row am_bounds_rest[] = {
    {.bench = "cpu.flops", .role = AM_BOUND_FLOPS},
    {.bench = "ocl.arith", .role = AM_BOUND_FLOPS},
    {.bench = "mem.bandwidth", .role = AM_BOUND_BYTES},
    {.bench = "mem.placement",
     .where = "memory=same",
     .role = AM_BOUND_FOREIGN,
     .why = "threads read the same memory: one fetch serves several"},
    {.bench = "mem.stanza", .cold = true},
    {.bench = "mem.numa",
     .role = AM_BOUND_FOREIGN,
     .why = "reads by all CPUs of a node, which the point does not state"},
    {.bench = "mem.loaded", .role = AM_BOUND_FOREIGN, .why = "two kinds of work at once"},
    {.bench = "mem.coherence", .role = AM_BOUND_FOREIGN, .why = latency},
    {.bench = "mem.sharing", .role = AM_BOUND_FOREIGN, .why = latency},
    {.bench = "mem.pingpong", .role = AM_BOUND_FOREIGN, .why = latency},
    {.bench = "app.stencil",
     .where = "variant=fft",
     .role = AM_BOUND_FOREIGN,
     .why = "a transform does other work than the steps that it stands for"},
    {.bench = "app.stencil", .working_set = grid_bytes, .own_share = "bound_share"},
    {.bench = "app.leukocyte", .own_share = "bound_share"},
    {.bench = NULL},
};

/* ---- what to try next ---- */

/* Too few independent chains for the latency of its instruction. */
static const char *try_streams(const struct am_trying *t)
{
    const char *const type = am_result_type(t->result), *const isa = am_result_isa(t->result);
    const struct am_fact *const f =
        type && isa && t->computes && t->share <= t->at_roof
            ? am_facts_only(t->facts, "core.streams",
                            am_arena_printf(t->arena, "type=%s isa=%s", type, isa))
            : NULL;

    if (!f || !(am_result_number(t->result, "streams") < f->value))
        return NULL;
    return am_arena_printf(t->arena, "%.0f independent streams reach it", f->value);
}

static const char *try_length(const struct am_trying *t)
{
    const struct am_fact *const f = am_facts_only(t->facts, "memory.stanza_knee", NULL);

    if (!f || strcmp(t->result->bench, "mem.stanza") != 0 ||
        !(am_result_number(t->result, "length") < f->value))
        return NULL;
    return am_arena_printf(t->arena, "rows of %.0f elements or more", f->value);
}

/* A gain that was measured with the point's kernel (a copy, where it has none) and threads at its
 * level of memory, and is worth a change of code. */
static const struct am_fact *gain(const struct am_trying *t, const char *name)
{
    const char *const kernel = am_result_text(t->result, "kernel");
    const struct am_fact *const f =
        t->level
            ? am_facts_only(t->facts, name,
                            am_arena_printf(t->arena, "level=%s kernel=%s threads=%.0f", t->level,
                                            kernel ? kernel : "copy", am_result_threads(t->result)))
            : NULL;

    return f && am_fact_is_decided(f) && f->ci.lo >= 1 && f->value >= t->worth ? f : NULL;
}

static const char *try_nt(const struct am_trying *t)
{
    const struct am_fact *const f = gain(t, "memory.nt_gain");
    const char *const nt = am_result_text(t->result, "nt");

    if (!f || strcmp(t->level, "memory") != 0 || !(t->result->work.bytes_written > 0) ||
        (nt && strcmp(nt, "0") != 0))
        return NULL;
    return am_arena_printf(t->arena, "non-temporal stores: %.2f x", f->value);
}

static const char *try_prefetch(const struct am_trying *t)
{
    const struct am_fact *const f = gain(t, "memory.prefetch_gain");

    if (!f || am_result_number(t->result, "prefetch") > 0)
        return NULL;
    return am_arena_printf(t->arena, "software prefetch: %.2f x", f->value);
}

am_try_fn *const am_tries_rest[] = {try_streams, try_length, try_nt, try_prefetch, NULL};
