/* SPDX-License-Identifier: MIT */
/* The order of a run that has a budget: which points the time suffices for, and whose turn it is.
 *
 * Points have a rank by worth. What fits is decided rank by rank from the most worthy one on: all
 * points of a rank get their launches, or none of them; a rank that does not fit leaves its time to
 * those after it (if it was begun when that comes out, it has what time there is). Launches beyond
 * the least number are the last two ranks: those of the first class, and all others. Ranks of one
 * hundred are a class: its points are measured together, in rounds, and the next class begins when
 * they have their least number of launches. What is left of the time goes to more launches of all.
 * Everything here is a function of its arguments: no clock, no store. */
#ifndef AM_CONDUCTOR_SCHEDULE_H
#define AM_CONDUCTOR_SCHEDULE_H

#include "core/bench/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* What is due of one point. */
struct am_due {
    unsigned worth; /* rank, of struct am_point */
    unsigned least; /* launches that it has in any case; 0: as many as all */
    unsigned visits;
    unsigned next;   /* launches when it is looked at again; 0: not known, one at a time */
    double each_s;   /* that a visit is expected to take */
    double guess_s;  /* the same before any was made */
    double start_s;  /* of guess_s: what a visit behind another one in a process does not pay */
    double spent_s;  /* in its visits */
    unsigned behind; /* of its visits: behind another point in its process */
    double spent_behind_s; /* in those */
    double behind_s;       /* that such a visit is expected to take */
    bool stopped;          /* it needs no more */
    unsigned turn;         /* set by am_schedule_fit(): its rank, or that of further launches */
    bool fits;             /* the same */
};

/* Time that plans leave free of what they have: costs are guesses, and a rank that was begun should
 * be finished. */
#define AM_SCHEDULE_RESERVE 0.08

enum { AM_SCHEDULE_FITS = 50 }; /* times that a plan is fitted again in its budget, at most */

/* Sets each_s and behind_s from the rest: the mean of the point's own visits, else what was
 * guessed, times what visits of others take of their guesses (guesses err in one direction on one
 * machine). */
void am_schedule_expect(struct am_due *due, size_t n);

/* Seconds that what fits still needs, and its visits. */
double am_schedule_left(const struct am_due *due, size_t n, unsigned min_launches, size_t *visits);

/* Visits that the point still needs: up to the least number, then up to its next look. */
unsigned am_due_visits(const struct am_due *due, unsigned min_launches);

/* Says of each point whether it fits into `left_s`; ranks of which no point was visited yet must
 * leave `reserve_s` of it. The first rank fits in any case while there is time at all. Returns the
 * seconds that all that fits is expected to take. Memory refused: everything fits. */
double am_schedule_fit(struct am_due *due, size_t n, unsigned min_launches, double left_s,
                       double reserve_s);

/* The class whose turn it is among the points that fit; false when there is none. */
bool am_schedule_turn(const struct am_due *due, size_t n, unsigned min_launches, unsigned *turn);
unsigned am_schedule_class(const struct am_due *due, unsigned min_launches);

/* Sorts indices of `due` by worth; equals stay as they are. */
void am_schedule_sort(const struct am_due *due, size_t *order, size_t n);

/* Expected seconds of a visit of a point that was never measured: what the plan says of it, else
 * what the settings of the sampler come to. */
double am_schedule_guess(const struct am_plan *plan, const struct am_point *point);

/* Seconds that the plan is expected to take, within its budget. `fits`, where it is not NULL, has
 * room for as many as there are points and is told which of them the budget suffices for. */
double am_schedule_estimate(const struct am_plan *plan, bool *fits);

#endif
