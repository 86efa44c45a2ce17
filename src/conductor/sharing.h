/* SPDX-License-Identifier: MIT */
/* Which points are measured by one process.
 *
 * A bench says how many of its points a process may measure in turn. Each of them then pays less:
 * the process, its runtime and its device's driver are started once. Benches of one worker that say
 * so share a process with each other, where it is of the same device. With a budget a launch is
 * short all the same, because the budget is looked at between launches only: it lasts as long as a
 * fiftieth of the budget, or until what its points save by sharing has paid for starting a few
 * times. Points of later classes ride along where the plan has time for them anyway.
 * Everything here is a function of its arguments: no clock, no store. */
#ifndef AM_CONDUCTOR_SHARING_H
#define AM_CONDUCTOR_SHARING_H

#include "conductor/catalogue.h"
#include "conductor/schedule.h"
#include "conductor/visited.h"

enum { AM_SHARING_MAX = 512 }; /* points of a launch, whatever a bench allows */

struct am_sharing {
    const struct am_catalogue *catalogue; /* NULL: all benches are of one worker */
    const struct am_plan *plan;
    const struct am_due *due;        /* parallel to the plan's points, as are */
    const struct am_visited *points; /* these */
    unsigned round;                  /* of the launch */
    double left_s;                   /* of the plan's budget; not looked at without one */
};

/* Moves the points that may share the process of order[0] to the front; returns how many they are
 * with it. Where one execution serves them all they are in the order of the plan: the first one is
 * executed. */
size_t am_sharing_gather(const struct am_sharing *s, size_t *order, size_t n);

/* Adds points that are not chosen to the n of `group`, the most worthy first, as long as they fit
 * into the launch; only with a budget. `group` has room for all points of the plan. Returns how
 * many there are then. */
size_t am_sharing_ride(const struct am_sharing *s, size_t *group, size_t n);

#endif
