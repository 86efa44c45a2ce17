/* SPDX-License-Identifier: MIT */
/* Rows decided by fresh pairs of launches. */
#include "core/stats/stats.h"
#include "model/pairs.h"

#include "rows_fixture.h"
#include "tap.h"

enum { PAIRS = 12 };

static void test_numbers(void)
{
    static const struct {
        size_t rows, pairs;
    } cases[] = {{1, 8}, {2, 9}, {3, 10}, {4, 10}, {8, 11}, {15, 12}, {29, 13}, {54, 14}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_pairs_needed(cases[i].rows) == cases[i].pairs, "%zu rows need %zu pairs: %zu",
           cases[i].rows, cases[i].pairs, am_pairs_needed(cases[i].rows));
    is_near(am_stats_sign(8, 0), 1.0 / 256, 1e-9, "no pair of eight disagrees");
    is_near(am_stats_sign(8, 1), 9.0 / 256, 1e-9, "one does");
    is_near(am_stats_sign(8, 8), 1, 1e-9, "all do");
}

/* Two files in which rows 1 and 2 look slower, measured again: one is, the other is not. */
static void test_decide(struct am_rng *rng)
{
    static const double flat[ROWS] = {1, 1, 1}, flagged[ROWS] = {1.2, 1.2, 1},
                        true_change[ROWS] = {1.2, 1, 1};
    struct rx_run a = {0}, b = {0}, fresh_a = {0}, fresh_b = {0};
    struct am_arena arena = {0};
    struct am_comparison c;
    struct am_err err = {0};

    rows_make(&a, flat, 5, 0.004, rng);
    rows_make(&b, flagged, 5, 0.004, rng);
    rows_make(&fresh_a, flat, PAIRS, 0.004, rng);
    rows_make(&fresh_b, true_change, PAIRS, 0.004, rng);
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_comparison_open(&c) == 2 && c.count[AM_VERDICT_MAYBE_SLOWER] == 2,
       "two rows look slower between two runs");
    ok(am_pairs_decide(&fresh_a.set, &fresh_b.set, &rows_settings, &c, &err) == AM_OK,
       "measured again");
    ok(rows_find(&c, "size=1")->verdict == AM_VERDICT_SLOWER &&
           rows_find(&c, "size=1")->pairs == PAIRS &&
           rows_find(&c, "size=1")->pairs_agree == PAIRS &&
           rows_find(&c, "size=1")->basis == AM_BASIS_PAIRS,
       "the one that is slower is confirmed");
    ok(rows_find(&c, "size=2")->verdict == AM_VERDICT_SAME &&
           rows_find(&c, "size=2")->pairs_agree == 0 &&
           fabs(rows_find(&c, "size=2")->change.d) < 0.02,
       "the other is the same, by its fresh launches");
    ok(rows_find(&c, "size=3")->pairs == 0 && rows_find(&c, "size=3")->basis == AM_BASIS_ONE_RUN,
       "the third was not in question");
    ok(c.count[AM_VERDICT_SLOWER] == 1 && c.count[AM_VERDICT_MAYBE_SLOWER] == 0 &&
           c.count[AM_VERDICT_SAME] == 2,
       "counted anew");
    am_arena_fini(&arena);
    am_arena_fini(&a.arena);
    am_arena_fini(&b.arena);
    am_arena_fini(&fresh_a.arena);
    am_arena_fini(&fresh_b.arena);
}

/* B alone again: as A was is `same`, as B was stays a question. */
static void test_refresh(struct am_rng *rng)
{
    static const double flat[ROWS] = {1, 1, 1}, flagged[ROWS] = {1.2, 1.2, 1},
                        now[ROWS] = {1.2, 1, 1};
    struct rx_run a = {0}, b = {0}, again = {0};
    struct am_arena arena = {0};
    struct am_comparison c;
    struct am_err err = {0};

    rows_make(&a, flat, 5, 0.002, rng);
    rows_make(&b, flagged, 5, 0.002, rng);
    rows_make(&again, now, PAIRS, 0.002, rng);
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_pairs_refresh(&again.set, &rows_settings, &c, &err) == AM_OK,
       "B measured again");
    ok(rows_find(&c, "size=1")->verdict == AM_VERDICT_MAYBE_SLOWER &&
           rows_find(&c, "size=1")->basis == AM_BASIS_AGAIN,
       "still slower: a question, because time alone is no proof");
    ok(rows_find(&c, "size=2")->verdict == AM_VERDICT_SAME, "it was a state that passed");
    am_arena_fini(&arena);
    am_arena_fini(&a.arena);
    am_arena_fini(&b.arena);
    am_arena_fini(&again.arena);
}

/* Without a change, whatever the law, suspects are confirmed in at most 5 %: rows whose first
 * files said +20 %, and whose fresh pairs differ by exactly delta. */
static void test_level(struct am_rng *rng)
{
    enum { N = 400 };

    for (size_t law = 0; law < NOISE_LAWS; law++) {
        size_t wrong = 0;

        for (size_t i = 0; i < N; i++) {
            size_t agree = 0;

            for (size_t k = 0; k < 8; k++)
                agree +=
                    log(1.02) + noise_laws[law].draw(rng) - noise_laws[law].draw(rng) > log(1.02);
            wrong += am_stats_sign(8, 8 - agree) <= 0.05;
        }
        ok((double)wrong <= N * 0.075, "%s: a change of delta is confirmed in %zu of %d",
           noise_laws[law].name, wrong, N);
    }
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 2026, 7);
    printf("# seed 2026\n");
    test_numbers();
    test_decide(&rng);
    test_refresh(&rng);
    test_level(&rng);
    return tap_done();
}
