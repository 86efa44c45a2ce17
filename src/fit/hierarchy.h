/* SPDX-License-Identifier: MIT */
/* The levels of memory in a curve of latency over working set: how many, how large, how slow, and
 * what cannot be told.
 *
 * Input is one latency per launch and size, of random order, and where there is some of page-local
 * order. What the system states is no input: it is compared afterwards (am_hierarchy_judge). Smooth
 * steps are fitted (fit/steps.h), for every number of steps; each fit has a weight by its Bayesian
 * information criterion. Steps become rises, rises are named: a level, creep (address translation
 * makes a plateau climb by less than 1.33), or doubtful. Where fits of some weight disagree, or a
 * rise may hide a level, the number is undecided with the reasons in words. */
#ifndef AM_FIT_HIERARCHY_H
#define AM_FIT_HIERARCHY_H

#include "base/arena.h"
#include "fit/steps.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_HIERARCHY_WHY_MAX = 12, AM_HIERARCHY_STATED_MAX = 6 };

/* One size: one value per launch, in cycles or nanoseconds. */
struct am_hierarchy_point {
    double size;
    const double *values;
    size_t n;
};

struct am_hierarchy_input {
    const struct am_hierarchy_point *points; /* random order, any order of sizes */
    size_t n;
    const struct am_hierarchy_point *local; /* page-local order; may be empty */
    size_t n_local;
    double ns_per_unit; /* of the values */
};

struct am_hierarchy_cache {
    double latency, latency_lo, latency_hi;
    bool no_plateau; /* the curve never flattens there: at most this latency */
    double size, lo, hi;
    bool varies;   /* launches disagree about it: a share of what others use too */
    bool resolved; /* hi is at most twice lo */
};

struct am_hierarchy {
    struct am_hierarchy_cache caches[AM_STEPS_MAX];
    size_t n;                              /* levels of the best fit */
    bool decided;                          /* that number, and that the last plateau is memory */
    size_t at_least;                       /* levels, where it is not */
    size_t sure;                           /* innermost ones that no doubt concerns; n if decided */
    const char *why[AM_HIERARCHY_WHY_MAX]; /* why undecided, in words */
    size_t n_why;
    bool gaps;                        /* sizes so far apart that a level may lie between */
    bool has_memory, memory_at_least; /* the last plateau is memory; its end was not reached */
    double memory, memory_lo, memory_hi;
    bool memory_doubted; /* faster than any memory we know was, so that it may be a cache: one
                          * reason of `why`, the last */
};

/* False when memory is refused or fewer than three sizes have values: `out` then says why. */
bool am_hierarchy_find(const struct am_hierarchy_input *input, struct am_arena *arena,
                       struct am_hierarchy *out);

enum am_claim_verdict {
    AM_CLAIM_UNDECIDED,
    AM_CLAIM_AGREES,
    AM_CLAIM_DENIED,
    AM_CLAIM_NOT_SEEN, /* no cache of the curve is a partner of the stated one: no denial */
};
struct am_claim {
    enum am_claim_verdict verdict;
    size_t cache; /* the partner's index; SIZE_MAX: none */
};
/* What was stated (bytes, the innermost first; at most AM_HIERARCHY_STATED_MAX) against what was
 * seen. A statement that is false by less than about 2 x cannot be found. Where the last plateau is
 * doubted only for being fast, and every stated cache agrees with one that was seen, one to one,
 * the plateau behind them is memory: statements may confirm a measurement, never replace it. */
void am_hierarchy_judge(struct am_hierarchy *seen, const double *stated, size_t n,
                        struct am_claim *out);

#endif
