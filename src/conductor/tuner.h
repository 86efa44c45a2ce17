/* SPDX-License-Identifier: MIT */
/* The tuner: which values of its tunable axes are best for one point of a bench. Candidates are
 * measured by short launches, stored like those of any run; the worker verifies each before it is
 * timed, and what is wrong is never chosen. */
#ifndef AM_CONDUCTOR_TUNER_H
#define AM_CONDUCTOR_TUNER_H

#include "base/arena.h"
#include "base/status.h"
#include "conductor/conductor.h"
#include "conductor/tune_duel.h"
#include "core/stats/stats.h"
#include "core/tune/saved_tuning.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_TUNE_LEAST_VISITS = 2 + 2 * AM_DUEL_LEAST, /* of two candidates, and to tell them apart */
};

struct am_tuner {
    /* Its plan gives the settings of the launches; its progress is told after every visit, the
     * candidates being the points. */
    const struct am_conductor *conductor;
    enum am_tune_mode mode;
    double budget_s;       /* for one point; 0: none */
    unsigned round;        /* of the next launch; one after the other over all points */
    const char *metric;    /* that decides; NULL: the bench's first */
    uint64_t simulated_ns; /* where a simulated machine's clock stands; 0: at now */
    /* What several workers found is compared afterwards: there are fresh visits of every outcome.
     */
    bool weighs_parts;
};

/* What may be tried on one axis. */
struct am_candidates {
    struct am_values values; /* none: the axis is not tuned */
    bool given;              /* by the user, in place of what the bench proposes for the point */
    bool joint;              /* searched though the point has a value: it is where one begins */
};

/* What came of one point. */
struct am_tuned {
    const char *why_not;          /* it cannot be measured, or has nothing to tune; else NULL */
    bool broken;                  /* and that is a failure, not a point that is not for here */
    const struct am_value *model; /* what the bench itself chooses, as far as it says */
    const struct am_value *found; /* what to use: the best where it is kept, else the model */
    double model_value, value;    /* of the first metric; NAN: not measured */
    /* By how much fresh visits of both, in turns, show the best to be better than the model (0.05:
     * 5 %), and the bounds of that; NAN: not compared. `kept`: it is, beyond doubt; else `found` is
     * the model, and `doubt` says why. */
    double gain;
    struct am_interval gain_bounds;
    bool kept;
    const char *doubt;
    size_t candidates, visited, skipped, failed, launches;
    double elapsed_s;
    bool budget_spent, interrupted;
    size_t metric;              /* index of the one that decided */
    uint64_t joint;             /* a bit per axis that was searched though the point has a value */
    double fresh[AM_DUEL_MOST]; /* visits of what `found` is, after the search */
    size_t n_fresh;
};

/* Sampler and limits as a tuner wants them: many short visits, few samples each. */
void am_tuner_settings(struct am_plan_settings *settings);
/* Where the meters need windows of seconds, a visit has one: another launch tells more than another
 * window of the same one. To be called when the length of batches is known. */
void am_tuner_spare_windows(struct am_plan_settings *settings);

/* Tunes one point of the conductor's plan, which leaves open what is tuned. `candidates` are
 * indexed as the bench's axes. */
enum am_status am_tuner_run(struct am_tuner *tuner, const struct am_point *point,
                            const struct am_candidates *candidates, struct am_arena *arena,
                            struct am_tuned *out, struct am_err *err);

#endif
