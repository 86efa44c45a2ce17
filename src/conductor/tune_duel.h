/* SPDX-License-Identifier: MIT */
/* The last word of a tuner: fresh visits of the bench's own choice and of the best candidate, in
 * turns. The winner of a search is the luckiest of many, so the visits of the search say nothing of
 * its gain; these do. A candidate is kept only where they show that it is better.
 *
 * The judgement is that of comparisons (core/stats/change.h): Welch's test of the logarithms
 * against no change at all, with exact ranks that must agree. A visit may take seconds, so the duel
 * is looked at after five, seven and nine rounds and ends at the first look that shows a gain or a
 * loss; the looks share the doubt of one test, the first having the least of it. */
#ifndef AM_CONDUCTOR_TUNE_DUEL_H
#define AM_CONDUCTOR_TUNE_DUEL_H

#include "core/bench/bench.h"
#include "core/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_DUEL_LEAST = 5, /* visits of each: with fewer nothing is shown */
    AM_DUEL_MOST = 9,
};

/* Values of the metric that decides, visit by visit. */
struct am_duel {
    double own[AM_DUEL_MOST], other[AM_DUEL_MOST];
    size_t n; /* of each */
};

struct am_duel_verdict {
    bool better;               /* the other one is, beyond reasonable doubt */
    double own, other;         /* medians; NAN without a visit */
    double gain;               /* 0.05: 5 % better; NAN with too few visits */
    struct am_interval bounds; /* of the gain, 95 % */
};

/* By all that is there, looked at once. */
struct am_duel_verdict am_duel_judge(const struct am_duel *duel, enum am_better better);
/* The same with the share of doubt of the look that this is. */
struct am_duel_verdict am_duel_look(const struct am_duel *duel, enum am_better better);
/* Whether further rounds are in vain: there were enough, or this look shows a gain or a loss. */
bool am_duel_is_over(const struct am_duel *duel, enum am_better better);

/* Whether the next round begins with the other one: own, other, other, own, own, other, ... A drift
 * of the machine then weighs on both alike. */
bool am_duel_other_first(size_t round);

#endif
