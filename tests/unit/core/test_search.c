/* SPDX-License-Identifier: MIT */
/* The tuner's search on surfaces of known best places: how good what it finds is, how many visits
 * that takes, and that it ends whatever it is told. */
#include "base/rng.h"
#include "core/tune/search.h"

#include "tap.h"

#include <stdlib.h>

/* Scores by place; the best place has 1. */
typedef double surface_fn(const size_t *place);

/* Of seed 004's kind: rising with the width up to the registers, a broad hump of depths. */
static double slices(const size_t *p)
{
    const double w = (double)p[0] + 1, off = ((double)p[1] - 9) / 15;

    if (w > 20)
        return NAN; /* no such kernel */
    return w / (w + 1) * 17 / 16 * (w > 16 ? 1 - 0.05 * (w - 16) : 1) / (1 + off * off);
}

static double peak(const size_t *p)
{
    const double x = ((double)p[0] - 23) / 28, y = ((double)p[1] - 2) / 15;

    return 1 / (1 + 2 * x * x + 2 * y * y);
}

/* A ridge that follows neither axis. */
static double ridge(const size_t *p)
{
    const double x = (double)p[0] / 28, y = (double)p[1] / 15;
    const double along = x + y - 1.2, across = x - y;

    return 1 / (1 + 0.6 * along * along + 6 * across * across);
}

/* A broad low hill and a narrower high one. */
static double two_hills(const size_t *p)
{
    const double x = (double)p[0], y = (double)p[1];
    const double low = 0.9 / (1 + ((x - 6) * (x - 6) + (y - 10) * (y - 10)) / 200);
    const double high = 1 / (1 + ((x - 22) * (x - 22) + (y - 4) * (y - 4)) / 40);

    return low > high ? low : high;
}

static double plain(const size_t *p)
{
    (void)p;
    return 1;
}

static const struct am_search_space wide = {{{28, true}, {16, true}}, 2};
static const struct am_search_space named = {{{5, false}, {28, true}, {16, true}}, 3};

/* Names in front: the third is the best. */
static double named_peak(const size_t *p)
{
    return peak(p + 1) * (p[0] == 2 ? 1 : 0.8);
}

static void place_of(const struct am_search_space *space, size_t candidate, size_t *place)
{
    for (size_t d = space->n; d-- > 0;) {
        place[d] = candidate % space->dimensions[d].n;
        candidate /= space->dimensions[d].n;
    }
}

static double score_at(const struct am_search_space *space, surface_fn *f, size_t candidate)
{
    size_t place[AM_SEARCH_DIMENSIONS_MAX];

    place_of(space, candidate, place);
    return f(place);
}

static double best_of(const struct am_search_space *space, surface_fn *f)
{
    double best = 0;

    for (size_t i = 0; i < am_search_count(space); i++)
        best = fmax(best, score_at(space, f, i)); /* fmax() passes over NAN */
    return best;
}

struct outcome {
    double share; /* of the best score, without noise */
    size_t visits, distinct;
    bool found, repeated;
};

/* Plays a search: scores come with up to `noise` taken away, as disturbances do. */
static struct outcome play(const struct am_search_space *space, surface_fn *f, double noise,
                           size_t afford, bool exhaustive, uint64_t seed)
{
    struct am_search *const s = am_search_new(space, am_search_count(space) / 3, exhaustive);
    size_t *const batch = malloc(AM_SEARCH_BATCH_MAX * sizeof(*batch));
    struct outcome o = {0};
    struct am_rng rng;
    size_t n, best;
    double score;

    am_rng_seed(&rng, seed, 0);
    while ((n = am_search_next(s, afford > o.visits ? afford - o.visits : 0, batch)) > 0) {
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < i; k++)
                o.repeated |= batch[i] == batch[k];
            o.visits++;
            am_search_tell(s, batch[i],
                           score_at(space, f, batch[i]) * (1 - noise * am_rng_unit(&rng)));
        }
    }
    o.found = am_search_best(s, &best, &score);
    o.share = o.found ? score_at(space, f, best) / best_of(space, f) : 0;
    o.distinct = am_search_visited(s);
    free(batch);
    am_search_free(s);
    return o;
}

static const struct {
    const char *what;
    const struct am_search_space *space;
    surface_fn *f;
} surfaces[] = {
    {"slices of registers", &wide, slices},
    {"a peak at the side", &wide, peak},
    {"a ridge", &wide, ridge},
    {"two hills", &wide, two_hills},
    {"a plain", &wide, plain},
    {"a peak of one name", &named, named_peak},
};
enum { N_SURFACES = sizeof(surfaces) / sizeof(surfaces[0]) };

static void test_quality(void)
{
    static const double noises[] = {0, 0.01, 0.03};

    for (size_t i = 0; i < N_SURFACES; i++) {
        for (size_t k = 0; k < 3; k++) {
            double worst = 1;
            size_t most = 0;
            bool repeated = false;

            for (uint64_t seed = 1; seed <= 25; seed++) {
                const struct outcome o =
                    play(surfaces[i].space, surfaces[i].f, noises[k], 200, false, seed);

                worst = fmin(worst, o.share);
                most = o.visits > most ? o.visits : most;
                repeated |= o.repeated;
            }
            ok(worst >= 1 - 0.02 && most <= 150 && !repeated,
               "%s, noise %.0f %%: at worst %.2f %% of the best, %zu visits at most",
               surfaces[i].what, 100 * noises[k], 100 * worst, most);
        }
    }
}

static void test_little_time(void)
{
    for (size_t afford = 0; afford <= 40; afford += 5) {
        const struct outcome o = play(&wide, slices, 0, afford, false, 1);
        const struct outcome start = play(&wide, slices, 0, 1, false, 1);

        ok(o.found && o.visits <= (afford ? afford : 1) &&
               o.share >= (afford < 10 ? start.share : 0.96),
           "%zu visits: %zu made, %.0f %% of the best", afford, o.visits, 100 * o.share);
    }
}

static void test_exhaustive(void)
{
    const struct outcome o = play(&wide, two_hills, 0, SIZE_MAX, true, 1);
    const struct outcome cut = play(&wide, two_hills, 0, 100, true, 1);

    ok(o.distinct == 28 * 16 && !(o.share < 1), "patient: all %zu candidates, the best found",
       o.distinct);
    ok(cut.found && cut.visits <= 100, "patient, with time for a hundred: %zu", cut.visits);
}

static double nowhere(const size_t *p)
{
    (void)p;
    return NAN;
}

static double one_place(const size_t *p)
{
    return p[0] == 27 && p[1] == 15 ? 1 : NAN;
}

/* A candidate that was good once, and then wrong. */
static void test_disqualified(void)
{
    struct am_search *const s = am_search_new(&wide, 0, false);
    size_t *const batch = malloc(AM_SEARCH_BATCH_MAX * sizeof(*batch));
    size_t n, best = 0, trap = SIZE_MAX, visits = 0;
    double score;

    while ((n = am_search_next(s, 500 - visits, batch)) > 0) {
        for (size_t i = 0; i < n; i++, visits++) {
            if (trap == SIZE_MAX && visits == 20)
                trap = batch[i];
            am_search_tell(s, batch[i],
                           batch[i] != trap ? score_at(&wide, peak, batch[i])
                           : visits == 20   ? 5
                                            : NAN);
        }
    }
    ok(am_search_best(s, &best, &score) && best != trap && score <= 1,
       "what fails once is not chosen, however good it was before");
    free(batch);
    am_search_free(s);
}

static void test_hostile(void)
{
    static const struct am_search_space single = {{{1, true}}, 1};
    static const struct am_search_space six = {
        {{3, true}, {2, false}, {3, true}, {2, true}, {4, false}, {3, true}}, 6};
    static const struct am_search_space vast = {{{1 << 12, true}, {1 << 12, true}}, 2};
    static const struct am_search_space none = {{{0, true}}, 1};
    struct outcome o = play(&wide, nowhere, 0, 500, false, 1);

    ok(!o.found && o.visits <= 500, "nothing can be measured: an end after %zu", o.visits);
    o = play(&wide, one_place, 0, SIZE_MAX, true, 1);
    ok(o.found, "patient finds the only place that can be measured");
    o = play(&single, plain, 0, 100, false, 1);
    ok(o.found && o.visits == 1, "one candidate: one visit");
    o = play(&six, plain, 0.02, 200, false, 1);
    ok(o.found && !o.repeated, "six dimensions: %zu visits", o.visits);
    ok(am_search_count(&vast) == 0 && am_search_count(&none) == 0,
       "too many candidates, and none, are refused");
}

int main(void)
{
    test_quality();
    test_little_time();
    test_exhaustive();
    test_disqualified();
    test_hostile();
    return tap_done();
}
