/* SPDX-License-Identifier: MIT */
/* A stored point as a point of a plan again: by the worker, bench and text that a results file has.
 *
 * Only benches that the catalogue has can be named so, and only values that their axes accept:
 * nothing that a file says is executed or believed beyond that. */
#ifndef AM_CONDUCTOR_REPLAN_H
#define AM_CONDUCTOR_REPLAN_H

#include "conductor/catalogue.h"
#include "core/bench/plan.h"

struct am_stored_point {
    const char *worker, *bench;
    unsigned version;
    const char *text; /* "size=4096 pattern=random" */
};

/* AM_E_ABSENT where the bench is not here, or of another version; AM_E_STORE where the text is no
 * point of it. An axis of the plan alone (core/bench/axis.h) that the text lacks gets its default.
 * The values live in the arena; id and expected time are the caller's business. */
enum am_status am_replan_point(const struct am_catalogue *catalogue,
                               const struct am_stored_point *stored, struct am_arena *arena,
                               struct am_point *point, struct am_err *err);

#endif
