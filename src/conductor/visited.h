/* SPDX-License-Identifier: MIT */
/* What is known of a point while its run goes on: how often it was visited, what came of it, and
 * whether it needs another launch.
 *
 * A launch of a point is a visit. The medians of its launches are those of the primary metric. All
 * of it follows from what the store keeps, so that a resumed run goes on as the first one would
 * have. */
#ifndef AM_CONDUCTOR_VISITED_H
#define AM_CONDUCTOR_VISITED_H

#include "core/bench/plan.h"
#include "core/stats/looks.h"
#include "store/store.h"

struct am_visited {
    double *medians; /* launch medians of the primary metric, where it has a finite value; owned */
    size_t n_medians, cap;
    unsigned visits, failures;
    unsigned repeats;    /* visits that do not count, because they were disturbed */
    unsigned next_round; /* rounds below this have a visit */
    bool stopped, worked, skipped;
    bool chosen;           /* its turn in this block */
    bool waits;            /* has no place in the order of this block yet */
    double seconds;        /* spent in its launches */
    unsigned behind;       /* visits behind another point in one process */
    double seconds_behind; /* spent in those */
};

/* Takes a visit into account; `busy`: what else the machine did meanwhile. True where it was
 * disturbed; one in its place is asked for as long as `repeats` of the point were not used up. */
bool am_visited_note(struct am_visited *p, unsigned repeats, const struct am_visit *visit,
                     uint32_t busy);
/* The same of what is stored, launch by launch. */
void am_visited_take_over(struct am_visited *p, const struct am_plan_settings *set,
                          const struct am_resume_point *state, const struct am_result *result);
/* Why the point needs no further launch; AM_STOP_OPEN where it does. */
enum am_stop_reason am_visited_stop(const struct am_visited *p, const struct am_plan_settings *set,
                                    const struct am_looks *looks, const struct am_point *point);
/* The median of what was measured so far; NAN where nothing was. */
double am_visited_median(const struct am_visited *p);

#endif
