/* SPDX-License-Identifier: MIT */
/* The conductor: carries out a plan.
 *
 * It works in rounds. A round visits every point that is still open (with a budget: of those whose
 * turn it is, conductor/schedule.h), in an order shuffled by the run's seed: points of one bench
 * are gathered into a launch, a worker process is started for it,
 * its lines are collected and judged, and the launch is stored in one commit. After a round each
 * point is asked whether it needs more launches; why not (target, max-launches, budget, ...) is
 * stored. The decision looks only at what was stored, so that a resumed run decides as an
 * undisturbed one. Assumed: the points of the plan have their ids from am_store_begin_run().
 * Promised: a crash, a hang or a lie of a worker costs its point a stored failure and nothing else,
 * and killing this process loses at most the launch in flight. */
#ifndef AM_CONDUCTOR_CONDUCTOR_H
#define AM_CONDUCTOR_CONDUCTOR_H

#include "conductor/catalogue.h"
#include "conductor/counting.h"
#include "conductor/energy.h"
#include "core/bench/plan.h"
#include "store/store.h"
#include "topo/topo.h"

#include <signal.h>
#include <stdbool.h>

/* Told after every launch, between measurements: never while a kernel is timed. */
struct am_progress {
    const struct am_point *point;       /* just measured */
    const struct am_point *first_point; /* of the plan that it stands in; NULL: in none */
    size_t launches_done, points_done, points;
    size_t visits_done, visits_left; /* left: of what fits into the budget */
    unsigned round;
    double elapsed_s, eta_s; /* eta: what the plan still needs, bounded by the budget */
    double value, precision; /* of the point so far: median of a metric, and half-width of its
                              * interval relative to it; NAN: none */
    size_t metric;           /* which: an index of the bench's */
    unsigned visits, visits_wanted;    /* of the point */
    size_t samples, samples_disturbed; /* of this invocation */
    enum am_point_state state;
    const char *reason; /* of a skip or failure, else NULL */
};
typedef void am_progress_fn(void *self, const struct am_progress *progress);

struct am_conductor {
    const struct am_catalogue *catalogue;
    const struct am_topo *topo;
    struct am_store *store;
    struct am_plan *plan;
    struct am_energy_rig *energy; /* NULL: time only */
    struct am_counting counting;  /* without events: time only */
    const struct am_fsroot *root; /* what else the machine does is read below it; NULL:
                                   * nobody looks */
    bool foreign;                 /* workers serve in processes that are not our children:
                                   * who else works cannot be told */
    bool ends_at_failure; /* the first launch that fails is the last; else its point alone has no
                           * result */
    const volatile sig_atomic_t *interrupted; /* set by the program's signal handler */
    am_progress_fn *progress;                 /* may be NULL */
    void *progress_self;
    uint64_t origin_ns; /* when the time that a budget bounds began; 0: now */
};

struct am_outcome {
    size_t ok, skipped, failed, open; /* points by final state */
    size_t cut;   /* of those that are ok: without their least number of launches */
    size_t asked; /* of those that are ok: not standards, which are measured unasked; all of them
                   * where the plan has nothing else */
    size_t launches;
    size_t repeated; /* visits that were repeated because they were disturbed */
    double elapsed_s;
    bool interrupted, budget_spent;
    bool ended_at_failure; /* as was asked for: what is open stays open */
};

/* `resume` is NULL for a fresh run. Results are in the store; AM_OK also when points failed. */
enum am_status am_conductor_run(const struct am_conductor *conductor,
                                const struct am_resume *resume, struct am_outcome *outcome,
                                struct am_err *err);

#endif
