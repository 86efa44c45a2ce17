/* SPDX-License-Identifier: MIT */
/* Every pair meets exactly once, nobody twice in a round, for every number of players to 1000. */
#include "core/stats/tournament.h"

#include "tap.h"

#include <stdlib.h>

enum { PLAYERS_MAX = 1000 };

/* Whether all pairs of n players meet once; `met` has room for n * n. */
static bool is_complete(size_t n, unsigned char *met)
{
    size_t games = 0;

    memset(met, 0, n * n);
    for (size_t r = 0; r < am_tournament_rounds(n); r++) {
        for (size_t p = 0; p < n; p++) {
            const size_t q = am_tournament_partner(n, r, p);

            if (q == n)
                continue;
            if (q > n || q == p || am_tournament_partner(n, r, q) != p || met[p * n + q]++)
                return false;
            games++;
        }
    }
    return games == n * (n - 1);
}

static bool rounds_agree(size_t n)
{
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            if (a != b && am_tournament_partner(n, am_tournament_round(n, a, b), a) != b)
                return false;
        }
    }
    return true;
}

int main(void)
{
    unsigned char *const met = malloc((size_t)PLAYERS_MAX * PLAYERS_MAX);
    size_t bad = 0, bad_rounds = 0;

    if (!met)
        return 1;
    for (size_t n = 0; n <= 200; n++)
        bad += !is_complete(n, met);
    ok(bad == 0, "0 to 200 players: all pairs meet once");
    for (size_t n = 201; n <= PLAYERS_MAX; n += n < 990 ? 37 : 1)
        bad += !is_complete(n, met);
    ok(bad == 0, "and up to 1000");
    ok(am_tournament_rounds(1000) == 999 && am_tournament_rounds(999) == 999,
       "1000 and 999 players need 999 rounds");
    ok(am_tournament_rounds(1) == 0 && am_tournament_partner(1, 0, 0) == 1,
       "one player alone has no game");
    for (size_t n = 2; n <= 40; n++)
        bad_rounds += !rounds_agree(n);
    ok(bad_rounds == 0, "the round of a pair is the one in which it meets");
    free(met);
    return tap_done();
}
