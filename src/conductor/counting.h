/* SPDX-License-Identifier: MIT */
/* Hardware events beside time: which launches count, and the metrics that counts add to every
 * bench. The events are counted in the worker (worker/counters.h), which the request tells. */
#ifndef AM_CONDUCTOR_COUNTING_H
#define AM_CONDUCTOR_COUNTING_H

#include "conductor/catalogue.h"
#include "core/bench/plan.h"
#include "store/store.h"
#include "worker/counters.h"

struct am_counting {
    struct am_counter_names events; /* none: nothing is counted */
    bool with_time;                 /* counts and times from the same launches */
};

/* Adds "count:EVENT" (a number per iteration), miss ratios and memory accesses per flop to every
 * descriptor of the catalogue. After am_energy_rig_extend(), before planning. */
enum am_status am_counting_extend(const struct am_counting *counting,
                                  struct am_catalogue *catalogue, struct am_arena *arena,
                                  struct am_err *err);

/* Reading counters disturbs what is timed: every other round counts and has no times, unless both
 * are wanted together. */
bool am_counting_counts(const struct am_counting *counting, unsigned round);
/* Whether the round's launches have times. */
bool am_counting_times(const struct am_counting *counting, unsigned round);

/* Moves the counts, which the worker sends behind its own values, to their place; what the launch
 * did not measure becomes no number. Before energy is attributed. */
void am_counting_attribute(const struct am_counting *counting, const struct am_point *const *points,
                           struct am_launch *launch);

#endif
