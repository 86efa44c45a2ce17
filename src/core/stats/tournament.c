/* SPDX-License-Identifier: MIT */
/* The circle method: the last player sits in the middle, the others move on by one place per round.
 */
#include "core/stats/tournament.h"

size_t am_tournament_rounds(size_t n)
{
    if (n < 2)
        return 0;
    return n % 2 ? n : n - 1;
}

size_t am_tournament_partner(size_t n, size_t round, size_t player)
{
    const size_t seats = am_tournament_rounds(n); /* odd: each has one opposite but the top */
    size_t partner;

    if (n < 2 || player >= n || round >= seats)
        return n;
    if (player == seats) /* in the middle: meets the one at the top, whose double is the round */
        return round * ((seats + 1) / 2) % seats;
    partner = (round + seats - player) % seats;
    if (partner != player)
        return partner;
    return n % 2 ? n : seats;
}

size_t am_tournament_round(size_t n, size_t a, size_t b)
{
    const size_t seats = am_tournament_rounds(n);

    if (a == seats) /* the middle meets who sits at the top */
        return 2 * b % seats;
    return b == seats ? 2 * a % seats : (a + b) % seats;
}
