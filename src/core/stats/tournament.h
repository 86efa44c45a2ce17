/* SPDX-License-Identifier: MIT */
/* A tournament: every one of n players meets every other once, all at the same time round by round.
 */
#ifndef AM_CORE_TOURNAMENT_H
#define AM_CORE_TOURNAMENT_H

#include <stddef.h>

/* n - 1 rounds of n / 2 games for an even n; n rounds for an odd one, in each of which one player
 * rests. */
size_t am_tournament_rounds(size_t n);

/* Whom `player` meets in `round`; n: nobody. */
size_t am_tournament_partner(size_t n, size_t round, size_t player);

/* The round in which two different players meet. */
size_t am_tournament_round(size_t n, size_t a, size_t b);

#endif
