/* SPDX-License-Identifier: MIT */
/* The search for the best of many candidates by as few visits as possible: asked what to visit
 * next, told what came of it. It knows no process and no clock, so that tests can script both.
 *
 * Candidates are the product of the values of some dimensions, numbered with the last dimension
 * lowest. A visit gives a score, more being better; noise makes scores worse, rarely better, so a
 * candidate's score is the best of its visits, and only candidates of equal many visits are
 * compared in the end. */
#ifndef AM_CORE_SEARCH_H
#define AM_CORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_SEARCH_DIMENSIONS_MAX = 6,
    AM_SEARCH_CANDIDATES_MAX = 1 << 20,
    AM_SEARCH_BATCH_MAX = 1 << 10, /* candidates asked for at once */
};

struct am_search_dimension {
    size_t n;     /* values, 1 or more */
    bool ordered; /* neighbours are alike: numbers; else names */
};

struct am_search_space {
    struct am_search_dimension dimensions[AM_SEARCH_DIMENSIONS_MAX];
    size_t n; /* 1 or more */
};

/* The candidates of a space; 0 when there are too many. */
size_t am_search_count(const struct am_search_space *space);

struct am_search;

/* `start` is visited first and takes part in the final comparison: the outcome is no worse, as
 * measured. Exhaustive: every candidate is visited before the final comparison. NULL without
 * memory. */
struct am_search *am_search_new(const struct am_search_space *space, size_t start, bool exhaustive);
void am_search_free(struct am_search *search); /* accepts NULL */

/* What to visit next, each once: writes up to AM_SEARCH_BATCH_MAX candidates and returns how many;
 * 0: the search is over. `affordable` is how many visits there is time for; the last ones are kept
 * for the final comparison. The visits of the batch before have been told. */
size_t am_search_next(struct am_search *search, size_t affordable, size_t *batch);

/* A visit's outcome: a score, or (not finite) that the candidate cannot be, whatever other visits
 * said. */
void am_search_tell(struct am_search *search, size_t candidate, double score);

/* The best candidate, and the best score of any of its visits; false when none was good. */
bool am_search_best(const struct am_search *search, size_t *candidate, double *score);
/* NAN when the candidate was never good. */
double am_search_score(const struct am_search *search, size_t candidate);
/* Whether any other candidate was good. */
bool am_search_has_other(const struct am_search *search, size_t candidate);
/* Candidates with a visit. */
size_t am_search_visited(const struct am_search *search);

#endif
