/* SPDX-License-Identifier: MIT */
/* Summaries: which samples count, what the launches say, when it is precise enough. */
#include "base/rng.h"
#include "core/bench/bench.h"
#include "core/stats/summary.h"
#include "tap.h"

enum { LAUNCHES = 12, SAMPLES = 5 };

/* A series with its storage. */
struct fixture {
    double values[LAUNCHES][SAMPLES];
    uint32_t labels[LAUNCHES][SAMPLES];
    struct am_launch_values launches[LAUNCHES];
    struct am_series series;
};

/* Launch i has the samples base + i - 2 .. base + i + 2, unsorted. */
static void fixture_init(struct fixture *f, size_t launches, double base)
{
    static const double offsets[SAMPLES] = {0, 2, -1, 1, -2};

    *f = (struct fixture){0};
    for (size_t i = 0; i < launches; i++) {
        for (size_t k = 0; k < SAMPLES; k++)
            f->values[i][k] = base + (double)i + offsets[k];
        f->launches[i] = (struct am_launch_values){.launch_id = (int64_t)i + 1,
                                                   .values = f->values[i],
                                                   .labels = f->labels[i],
                                                   .n = SAMPLES};
    }
    f->series = (struct am_series){.launches = f->launches, .n = launches};
}

static void test_launch_median(void)
{
    struct fixture f;
    double scratch[SAMPLES];

    fixture_init(&f, 1, 100);
    is_near(am_launch_median(f.launches, scratch), 100, 0, "a launch's median");
    f.labels[0][0] = AM_LABEL_STEAL;
    f.labels[0][3] = AM_LABEL_DRIFT;
    is_near(am_launch_median(f.launches, scratch), 99, 0, "is that of undisturbed samples");
    for (size_t k = 0; k < SAMPLES; k++)
        f.labels[0][k] = AM_LABEL_SWITCH;
    is_near(am_launch_median(f.launches, scratch), 100, 0, "or of all, if all are disturbed");
    f.launches[0].labels = NULL;
    f.values[0][1] = NAN;
    f.values[0][3] = INFINITY;
    is_near(am_launch_median(f.launches, scratch), 99, 0,
            "values that are not finite do not count");
    f.launches[0].n = 0;
    ok(isnan(am_launch_median(f.launches, scratch)), "an empty launch has no median");
}

static void test_medians(void)
{
    struct fixture f;
    double medians[LAUNCHES];

    fixture_init(&f, 4, 100);
    f.launches[1].n = 0;
    ok(am_series_medians(&f.series, medians) == 3, "a launch without samples is left out");
    ok(medians[0] == 100 && medians[1] == 102 && medians[2] == 103, "the others keep their order");
    f.series.n = 0;
    ok(am_series_medians(&f.series, medians) == 0, "no launches, no medians");
}

static void test_figures(void)
{
    struct fixture f;
    struct am_summary s;

    fixture_init(&f, 6, 100);
    f.labels[5][1] = AM_LABEL_STEAL; /* the largest sample, 107 */
    ok(am_summarise(&f.series, &s), "six launches are summarised");
    /* Launch 5 without 107: 103 104 105 106, median 104.5. */
    is_near(s.median, 102.5, 1e-15, "the median of the launch medians");
    ok(s.ci.lo == 100 && s.ci.hi == 104.5, "its interval is [min, max] of six launch medians");
    is_near(s.ci.coverage, 0.96875, 1e-15, "with 96.9 % coverage");
    ok(s.min == 98 && s.max == 106, "min and max are of the samples used");
    ok(s.launches == 6 && s.samples == 29, "29 samples of 6 launches are used");
    ok(s.disturbed == 1, "one sample is disturbed");
    is_near(s.mad, 1.5, 1e-15, "MAD of the launch medians");
    is_near(s.between, 4.5 / 102.5, 1e-15, "spread between launches");
    /* Within: 3.6 over 100, 101, 102, 103, 104, and 2.7 over 104.5. */
    is_near(s.within, (3.6 / 102 + 3.6 / 103) / 2, 1e-12, "median spread within launches");
    ok(!s.bimodal, "neighbouring launches have one mode");
    is_near(am_summary_precision(&s), 2.25 / 102.5, 1e-15, "precision is the relative half-width");
}

/* Disturbed launches count only where there are too few others. */
static void test_quiet(void)
{
    struct fixture f;
    struct am_summary s;
    double medians[LAUNCHES];

    fixture_init(&f, 7, 100);
    f.launches[0].busy = 1;
    for (size_t k = 0; k < SAMPLES; k++)
        f.labels[6][k] = AM_LABEL_OFF;
    ok(am_launch_disturbed(&f.launches[0]) && am_launch_disturbed(&f.launches[6]) &&
           !am_launch_disturbed(&f.launches[1]),
       "a launch is disturbed by neighbours, or when all of its samples are");
    ok(am_summarise(&f.series, &s) && s.launches == 5 && s.median == 103 && s.busy == 0 &&
           s.labelled == 0 && s.taken == 25 && s.disturbed == 5,
       "five quiet launches stand for all seven");
    ok(am_series_medians(&f.series, medians) == 5 && medians[0] == 101, "in what is compared, too");
    f.launches[1].busy = 2;
    ok(am_summarise(&f.series, &s) && s.launches == 7 && s.busy == 2 && s.labelled == 5,
       "four are too few: all count, and the summary says so");
    f.labels[6][0] = 0;
    f.launches[1].busy = 0;
    ok(am_summarise(&f.series, &s) && s.launches == 6 && s.labelled == 4,
       "one good sample makes a launch good");
}

static void test_edges(void)
{
    struct fixture f;
    struct am_summary s;

    fixture_init(&f, 4, 100);
    ok(am_summarise(&f.series, &s) && isinf(am_summary_precision(&s)),
       "four launches cover too little to tell the precision");
    fixture_init(&f, 5, 100);
    ok(am_summarise(&f.series, &s) && am_summary_precision(&s) < 0.02, "five are enough");
    fixture_init(&f, 5, -2);
    ok(am_summarise(&f.series, &s) && isinf(am_summary_precision(&s)),
       "a median of 0 has no relative precision");
    ok(isinf(s.between), "nor a relative spread");
    fixture_init(&f, 3, 100);
    f.launches[0].n = f.launches[1].n = f.launches[2].n = 0;
    ok(!am_summarise(&f.series, &s), "launches without samples cannot be summarised");
    f.series.n = 0;
    ok(!am_summarise(&f.series, &s), "nor can nothing");
}

/* Every sample is 100 with a little noise, or 120 where `high` says so. */
static bool bimodal_series(size_t launches, bool (*high)(size_t launch, size_t sample))
{
    struct fixture f;
    struct am_summary s;
    struct am_rng r;

    fixture_init(&f, launches, 0);
    am_rng_seed(&r, 1, launches);
    for (size_t i = 0; i < launches; i++) {
        for (size_t k = 0; k < SAMPLES; k++)
            f.values[i][k] = (high(i, k) ? 120 : 100) + 0.1 * am_rng_unit(&r);
    }
    return am_summarise(&f.series, &s) && s.bimodal;
}

static bool alternate(size_t launch, size_t sample)
{
    return (launch + sample) % 2 == 0;
}

static bool every_third_launch(size_t launch, size_t sample)
{
    (void)sample;
    return launch % 3 == 0;
}

static bool first_launch(size_t launch, size_t sample)
{
    (void)sample;
    return launch == 0;
}

static bool last_sample(size_t launch, size_t sample)
{
    return launch == 0 && sample == SAMPLES - 1;
}

static void test_modes(void)
{
    ok(bimodal_series(5, alternate), "modes that alternate within launches are seen in five");
    ok(bimodal_series(2, alternate), "and in two");
    ok(bimodal_series(12, every_third_launch), "modes between launches are seen in twelve");
    ok(bimodal_series(5, every_third_launch), "and in five, where two are of the other mode");
    ok(!bimodal_series(5, first_launch), "one odd launch in five is no mode");
    ok(!bimodal_series(12, first_launch), "nor one in twelve");
    ok(!bimodal_series(5, last_sample), "one odd sample is no mode");
}

/* Launches that differ more than their samples do: the usual picture, and one mode. */
static void test_false_alarms(void)
{
    struct fixture f;
    struct am_summary s;
    struct am_rng r;
    int found = 0;

    am_rng_seed(&r, 6, 1);
    for (int t = 0; t < 2000; t++) {
        fixture_init(&f, 5, 0);
        for (size_t i = 0; i < 5; i++) {
            const double launch = 100 + 20 * am_rng_unit(&r);

            for (size_t k = 0; k < SAMPLES; k++)
                f.values[i][k] = launch + am_rng_unit(&r);
        }
        found += am_summarise(&f.series, &s) && s.bimodal;
    }
    ok(found < 40, "launches that differ are called bimodal in %.2f %%", found / 20.0);
}

int main(void)
{
    test_launch_median();
    test_medians();
    test_figures();
    test_quiet();
    test_edges();
    test_modes();
    test_false_alarms();
    return tap_done();
}
