/* SPDX-License-Identifier: MIT */
/* The inside of a tuner: what it knows while it tunes one point, and the visits that it makes. */
#ifndef AM_CONDUCTOR_TUNE_VISITS_H
#define AM_CONDUCTOR_TUNE_VISITS_H

#include "conductor/launch.h"
#include "conductor/tuner.h"
#include "core/tune/search.h"

/* One candidate that was thought of; candidates of a search point to these. */
struct am_tune_try {
    struct am_point point;
    enum am_point_state state; /* of the latest visit; a skip also where it did other work */
    double value;              /* the best of the batch at hand; NAN: none */
    bool calm;                 /* its latest visit had an undisturbed sample */
};

struct am_tune_run {
    struct am_tuner *tuner;
    const struct am_point *asked;
    const struct am_candidates *given;
    struct am_values values[AM_AXES_MAX]; /* of the axes that are searched; n is 0 for others */
    struct am_arena *arena;
    struct am_tuned *out;
    struct am_launcher launcher;
    struct am_search *search;
    struct am_search_space space;
    size_t axis_of[AM_SEARCH_DIMENSIONS_MAX]; /* of each dimension */
    struct am_tune_try **known;               /* by number; NULL: not thought of yet */
    size_t metric;                            /* index of the one that decides */
    struct am_work work;                      /* of the bench's own choice */
    struct am_stop *stops;
    size_t n_stops, cap_stops;
    uint64_t start_ns; /* by the launcher's clock, as all times here */
    double good_s;     /* spent in visits that gave a score */
    size_t good;
};

double am_tune_elapsed(const struct am_tune_run *t);
bool am_tune_interrupted(const struct am_tune_run *t);
bool am_tune_over_budget(const struct am_tune_run *t);

/* Whether more of the metric that decides is better. */
enum am_better am_tune_better(const struct am_tune_run *t);

/* Launches the points and stores what came of it; the record lives in `arena`. */
enum am_status am_tune_launch(struct am_tune_run *t, const struct am_point *const *points, size_t n,
                              struct am_arena *arena, struct am_launch *record, struct am_err *err);

/* The value of a visit by what decides: of the bench's first metric the best undisturbed sample,
 * since disturbances make it worse; of energy, whose errors go both ways, their median. */
double am_tune_value(const struct am_tune_run *t, const struct am_visit *visit);

/* Visits candidates that are known, launch by launch, as long as there is time; *done is how many.
 */
enum am_status am_tune_visit(struct am_tune_run *t, const size_t *batch, size_t n, size_t *done,
                             struct am_err *err);

#endif
