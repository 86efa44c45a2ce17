/* SPDX-License-Identifier: MIT */
/* Two sides in one run: the same points measured by two builds, or with two environments, in turns.
 *
 * Every bench gets one more axis, `side`, which only the plan knows: its value is `new` for what
 * this program's own workers measure and `base` for the other side's. So a run with two sides is a
 * run like any other (rounds, launches, stop rule, store, resume), and what two of its points
 * differ by is compared as `compare --between side=base,new`. The workers of the base are called
 * NAME@base. Points that differ in the side only are twins: the conductor launches them one after
 * the other, which of them first is drawn. */
#ifndef AM_CONDUCTOR_SIDES_H
#define AM_CONDUCTOR_SIDES_H

#include "base/array.h"
#include "conductor/catalogue.h"
#include "core/bench/plan.h"

#define AM_SIDE_AXIS "side"
#define AM_SIDE_BASE "base"
#define AM_SIDE_NEW "new"

/* What the base differs by; at least one of both. */
struct am_side_request {
    const char *build;             /* folder of the base's workers; NULL: this program's own */
    struct am_strings environment; /* NAME=VALUE each, for the launches of the base */
};

/* Gives the catalogue its base, and all benches of both the axis. What the base lacks is found by
 * am_sides_mirror(). AM_E_USAGE where the folder has no workers. */
enum am_status am_sides_open(const struct am_side_request *request, struct am_catalogue *catalogue,
                             struct am_arena *arena, struct am_err *err);

/* The same with the base at hand: both catalogues are completed. False without memory. */
bool am_sides_join(struct am_catalogue *catalogue, struct am_catalogue *base,
                   const struct am_strings *environment, struct am_arena *arena);

/* Adds the base's twin of every point of the plan. A point that the base cannot measure (another
 * version of the bench, no such value) is taken out of the plan, and `left_out` counts it; `why` is
 * the reason of the first. */
enum am_status am_sides_mirror(struct am_plan *plan, const struct am_catalogue *catalogue,
                               struct am_arena *arena, size_t *left_out, struct am_err *why,
                               struct am_err *err);

/* Finds the twins of a plan that was read back. */
void am_sides_pair(struct am_plan *plan);

#endif
