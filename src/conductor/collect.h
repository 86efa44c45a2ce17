/* SPDX-License-Identifier: MIT */
/* From a worker's lines to the record of a launch.
 *
 * The collector is a state machine over the messages of core/protocol/protocol.h: a table says
 * which message may come when (`actions` in collect.c). It believes no line that cannot be true (a
 * sample outside the launch's time, a point that was not asked for, more than was asked for) and no
 * number that does not follow from the others (conductor/judge.h): the rest of the launch is then a
 * failure of kind `protocol` or `flood`, charged to the point at hand. So is an end of the process
 * that is no good one; behind the last point it is charged to that, unless all was said. What
 * arrived before is kept, as what a failed visit said. */
#ifndef AM_CONDUCTOR_COLLECT_H
#define AM_CONDUCTOR_COLLECT_H

#include "conductor/process.h"
#include "core/bench/plan.h"
#include "store/store.h"

/* What the conductor says itself among the things that a visit was done with, and notes of. */
#define AM_SAID_CACHES "caches"  /* how many caches of each level the threads reach */
#define AM_SAID_ENERGY "energy:" /* and a meter's id: how sure its energy is */

/* Gathers one launch. Zero-initialise, then am_collect_init(). */
struct am_collect {
    struct am_arena *arena; /* of the launch: everything in the record lives there */
    const struct am_point *const *points;
    size_t n_points;
    const char *worker;
    unsigned samples_max;
    double drift_limit; /* of the sampler's settings */
    size_t cpus;        /* that the launch was given */
    size_t n_counts;    /* events that the worker counts: their numbers follow its values */
    struct am_launch launch;
    size_t at;    /* points begun */
    size_t ended; /* points with a visit */
    size_t cap_samples;
    unsigned char *data; /* of the latest attachment, until all of it has come */
    size_t data_got, data_left;
    size_t attached;      /* bytes of all attachments of the point at hand */
    size_t attached_all;  /* and of the launch */
    size_t stream_limit;  /* protocol bytes that are believed; an attachment raises it by its own */
    uint64_t progress_ns; /* when the latest point ended: each has the launch limit to itself */
    uint64_t last_ns;     /* end of the latest sample; time does not run backwards */
    bool greeted, open, done;
    bool simulated; /* the worker's clock is not ours */
};

/* `points` are those requested, in order. */
enum am_status am_collect_init(struct am_collect *c, struct am_arena *arena, const char *worker,
                               const struct am_point *const *points, size_t n_points,
                               unsigned samples_max, struct am_err *err);

/* An am_process_line_fn: takes one line; AM_E_PROTOCOL or AM_E_LIMIT refuse it. */
enum am_status am_collect_line(void *self, const char *line, size_t len, struct am_err *err);

/* Closes the record when the process is gone. The point at hand (or the first, when none was
 * begun) is charged with what went wrong; points after it stay without a visit. */
void am_collect_finish(struct am_collect *c, const struct am_process_result *result,
                       double limit_s);

/* The same when the process could not even be started. */
void am_collect_unstarted(struct am_collect *c, const char *reason);

/* Takes the labels of samples and surroundings away where the times are those of a device's own
 * clock (AM_CHOSEN_CLOCK): what keeps the host busy is no reason to doubt them. Counters stay,
 * since they tell what the host did. For a closed record whose surroundings are known. */
void am_collect_acquit(struct am_collect *c);

/* What else the machine did around the launch (AM_BUSY_*), as far as it may have disturbed this
 * visit: nothing of it where a device's own clock timed the samples. */
uint32_t am_visit_busy(const struct am_launch *launch, size_t visit);

#endif
