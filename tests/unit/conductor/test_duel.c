/* SPDX-License-Identifier: MIT */
/* The last word of a tuner: what cannot be told apart is not kept, whatever the noise; what is
 * plainly better is. */
#include "conductor/tune_duel.h"
#include "conductor/tune_candidates.h"
#include "conductor/tuner.h"
#include "noise_laws.h"
#include "tap.h"

enum { TRIALS = 4000 };

typedef double noise_fn(struct am_rng *r);

static struct am_duel play(struct am_rng *rng, noise_fn *noise, double gain, size_t n)
{
    struct am_duel duel = {.n = n};

    for (size_t i = 0; i < n; i++) {
        duel.own[i] = 1e-3 * exp(noise(rng));
        duel.other[i] = 1e-3 / (1 + gain) * exp(noise(rng));
    }
    return duel;
}

static double share_kept(noise_fn *noise, double gain, size_t n, struct am_rng *rng)
{
    size_t kept = 0;

    for (size_t i = 0; i < TRIALS; i++) {
        const struct am_duel duel = play(rng, noise, gain, n);

        kept += am_duel_judge(&duel, AM_LOWER).better;
    }
    return (double)kept / TRIALS;
}

/* One of a hundred may be kept for nothing on one side of a test on both; three of a hundred leave
 * room for what 4000 trials and long tails add. */
static void test_laws(struct am_rng *rng)
{
    static const struct {
        const char *name;
        noise_fn *noise;
        double plain; /* a gain that must be seen */
    } laws[] = {
        {"normal, 0.3 %", noise_normal03, 0.02},  {"normal, 1 %", noise_normal1, 0.05},
        {"normal, 3 %", noise_normal3, 0.15},     {"lognormal", noise_lognormal, 0.15},
        {"exponential", noise_exponential, 0.25},
    };

    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        double share = share_kept(laws[i].noise, 0, AM_DUEL_MOST, rng);

        ok(share < 0.03, "%s: of equals %.2f %% are kept", laws[i].name, 100 * share);
        share = share_kept(laws[i].noise, 0, AM_DUEL_LEAST, rng);
        ok(share < 0.03, "%s: of equals with few visits %.2f %%", laws[i].name, 100 * share);
        share = share_kept(laws[i].noise, -0.05, AM_DUEL_MOST, rng);
        ok(share < 0.001, "%s: of losses %.2f %%", laws[i].name, 100 * share);
        share = share_kept(laws[i].noise, laws[i].plain, AM_DUEL_MOST, rng);
        ok(share > 0.9, "%s: of gains of %.0f %%, %.1f %%", laws[i].name, 100 * laws[i].plain,
           100 * share);
    }
}

/* ---- looks ---- */

/* Many duels, each played until it is over. */
struct played {
    double kept, holding; /* shares: that keep the other; whose bounds hold the true gain */
    double rounds;        /* mean */
};

static struct played play_on(noise_fn *noise, double gain, struct am_rng *rng)
{
    struct played out = {0};

    for (size_t i = 0; i < TRIALS; i++) {
        struct am_duel duel = play(rng, noise, gain, AM_DUEL_MOST);
        struct am_duel_verdict v;

        duel.n = 0;
        while (!am_duel_is_over(&duel, AM_LOWER))
            duel.n++;
        v = am_duel_look(&duel, AM_LOWER);
        out.kept += (double)v.better / TRIALS;
        out.holding += (double)(v.bounds.lo <= gain && gain <= v.bounds.hi) / TRIALS;
        out.rounds += (double)duel.n / TRIALS;
    }
    return out;
}

/* Looking three times errs no more often than looking once, and saves rounds where a gain or a loss
 * is plain. */
static void test_looks(struct am_rng *rng)
{
    static const struct {
        const char *name;
        noise_fn *noise;
        double plain;
    } laws[] = {{"normal, 1 %", noise_normal1, 0.05},
                {"lognormal", noise_lognormal, 0.15},
                {"exponential", noise_exponential, 0.25}};

    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        struct played p = play_on(laws[i].noise, 0, rng);

        ok(p.kept < 0.02, "%s: of equals %.2f %% are kept after looks", laws[i].name, 100 * p.kept);
        ok(p.rounds > 8, "%s: equals are played to the end, %.1f rounds", laws[i].name, p.rounds);
        p = play_on(laws[i].noise, laws[i].plain, rng);
        ok(p.kept > 0.9, "%s: of gains of %.0f %%, %.1f %%", laws[i].name, 100 * laws[i].plain,
           100 * p.kept);
        ok(p.rounds < 6, "%s: a plain gain takes %.1f rounds", laws[i].name, p.rounds);
        ok(p.holding > 0.9, "%s: the bounds hold it in %.1f %%", laws[i].name, 100 * p.holding);
        p = play_on(laws[i].noise, -laws[i].plain, rng);
        ok(p.kept < 0.001 && p.rounds < 6, "%s: a plain loss takes %.1f rounds", laws[i].name,
           p.rounds);
    }
}

static void test_words(struct am_rng *rng)
{
    struct am_duel duel = play(rng, noise_normal03, 0.25, AM_DUEL_MOST);
    struct am_duel_verdict v = am_duel_judge(&duel, AM_LOWER);

    ok(v.better && fabs(v.gain - 0.25) < 0.02 && v.bounds.lo < v.gain && v.gain < v.bounds.hi &&
           fabs(v.own / 1e-3 - 1) < 0.02 && fabs(v.other / 0.8e-3 - 1) < 0.02,
       "a gain of 25 %% is told as %.1f %% (%.1f to %.1f)", 100 * v.gain, 100 * v.bounds.lo,
       100 * v.bounds.hi);
    v = am_duel_judge(&duel, AM_HIGHER);
    ok(!v.better && v.gain < 0, "where more is better it is a loss");
    duel.n = AM_DUEL_LEAST - 1;
    v = am_duel_judge(&duel, AM_LOWER);
    ok(!v.better && isnan(v.gain), "with too few visits there is no gain to speak of");
    duel.n = 0;
    ok(isnan(am_duel_judge(&duel, AM_LOWER).own), "nor without any");
    ok(!am_duel_other_first(0) && am_duel_other_first(1) && !am_duel_other_first(2),
       "who begins alternates");
}

/* ---- visits of a meter ---- */

static unsigned samples_of(uint64_t window_ns)
{
    struct am_plan_settings set = {0};

    am_tuner_settings(&set);
    set.sampler.min_batch_ns = window_ns;
    am_tuner_spare_windows(&set);
    return set.sampler.samples + set.sampler.extra;
}

static void test_windows(void)
{
    struct am_arena arena = {0};
    struct am_visit visit = {.state = AM_POINT_OK};

    ok(samples_of(6000000000) == 1, "a window of six seconds is a visit");
    ok(samples_of(600000000) > 2, "of shorter ones there are several");
    ok(isnan(am_tune_visit_middle(&visit, 1)) &&
           strcmp(am_tune_why_no_value(&visit, &arena), "there is no number to judge by") == 0,
       "a visit without a sample has no value");
    am_kvs_add(&visit.notes, &arena, "remark", "of the bench");
    am_kvs_add(&visit.notes, &arena, "energy:gpu-0", "nvml: not valid: it hangs");
    ok(strstr(am_tune_why_no_value(&visit, &arena), "by: nvml: not valid: it hangs"),
       "and the meter's reason: %s", am_tune_why_no_value(&visit, &arena));
    am_arena_fini(&arena);
}

int main(void)
{
    struct am_rng rng;
    const uint64_t seed = am_rng_entropy();

    printf("# seed %llu\n", (unsigned long long)seed);
    am_rng_seed(&rng, seed, 0);
    test_laws(&rng);
    test_looks(&rng);
    test_words(&rng);
    test_windows();
    return tap_done();
}
