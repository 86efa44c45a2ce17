/* SPDX-License-Identifier: MIT */
/* Time on a simulated machine: its clock, what disturbs it, and samples made from an answer.
 *
 * The clock of a simulated machine advances by what batches take, without anybody waiting. It is
 * kept between launches in the file `clock` of the machine's folder, so that drifts and neighbours
 * belong to the run and not to a launch. Everything drawn comes from the launch's seed and from the
 * machine's; the same run is the same to the last bit, but for the time of day that stamps carry:
 * stamps begin at the real clock's time, or where the launch before ended if that is later. */
#ifndef AM_SIM_NOISE_H
#define AM_SIM_NOISE_H

#include "sim/launch.h"
#include "sim/tree.h"

struct am_sim_clock {
    double now_s;                    /* since the machine was made */
    uint64_t stamp_ns;               /* the same moment in the stamps of samples */
    double busy_s, steal_s, other_s; /* CPU time: ours, stolen, of a neighbour in this system */
};

/* Reads the clock file of a machine's folder; a missing or broken one begins at 0. */
void am_sim_clock_load(struct am_sim_clock *c, const char *folder);
enum am_status am_sim_clock_save(const struct am_sim_clock *c, const char *folder,
                                 struct am_err *err);
void am_sim_clock_advance(struct am_sim_clock *c, double seconds);

/* Part of [from, from + length] in which the neighbour was here. */
double am_sim_visited(const struct am_sim_machine *m, double from, double length);

/* Draws what a launch gets of shared things at this moment, by its request's seed and its turn. */
void am_sim_launch_draw(struct am_sim_launch *l, const struct am_sim_clock *c);

/* What all samples of a point in one launch have in common. */
struct am_sim_visit {
    const struct am_sim_question *question;
    const struct am_sim_answer *answer;
    uint64_t iters;
    double factor; /* on time, of this launch */
    double stolen; /* seconds not yet seen as a whole tick */
};
void am_sim_visit_begin(struct am_sim_visit *v, const struct am_sim_question *q,
                        const struct am_sim_answer *a, struct am_sim_clock *c);
/* The next batch; advances the clock. */
void am_sim_visit_sample(struct am_sim_visit *v, struct am_sim_clock *c, struct am_sample *out);

#endif
