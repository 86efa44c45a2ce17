/* SPDX-License-Identifier: MIT */
/* Student's t, Holm, one-sided ranks and the change against a margin: published and worked values,
 * enumeration, and coverage by simulation with a fixed seed. */
#include "core/stats/change.h"

#include "base/rng.h"
#include "core/stats/stats.h"
#include "core/stats/student.h"
#include "tap.h"

static double normal(struct am_rng *r)
{
    const double u = 1 - am_rng_unit(r), v = am_rng_unit(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void test_student(void)
{
    static const struct {
        double tail, df, t;
    } published[] = {
        {0.05, 1, 6.313751515},   {0.025, 1, 12.70620474},    {0.025, 2, 4.302652730},
        {0.025, 4, 2.776445105},  {0.025, 10, 2.228138852},   {0.005, 10, 3.169272673},
        {0.025, 30, 2.042272456}, {0.0005, 100, 3.390491311}, {0.1, 8, 1.396815310},
    };

    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
        is_near(am_student_quantile(published[i].tail, published[i].df), published[i].t, 2e-8,
                "the published quantile");
        is_near(am_student_tail(published[i].t, published[i].df), published[i].tail, 1e-9,
                "and back");
    }
    is_near(am_student_tail(5.41, 8), 3.19179e-4, 5e-10, "T(5.41, 8)");
    is_near(am_student_tail(1.5, 3.7), 0.106799, 5e-7, "broken degrees of freedom");
    is_near(am_student_tail(0, 5), 0.5, 1e-15, "half lies above zero");
    is_near(am_student_tail(-1.5, 3.7), 1 - 0.106799, 5e-7, "the law is symmetric");
    is_near(am_student_quantile(0.975, 4), -2.776445105, 2e-8, "quantiles too");
    is_near(am_student_tail(3, 1), 0.5 - atan(3) / M_PI, 1e-14, "one degree is Cauchy's law");
    ok(am_student_tail(1e200, 3) <= 0 && am_student_tail(-1e200, 3) >= 1, "far out: 0 and 1");
    ok(isnan(am_student_tail(NAN, 3)) && isnan(am_student_tail(1, 0)) &&
           isnan(am_student_quantile(0, 3)) && isnan(am_student_quantile(1, 3)),
       "what has no answer is NAN");
}

static void test_holm(void)
{
    double p[] = {0.04, NAN, 0.01, 0.005, 0.03};

    am_stats_holm(p, 5);
    is_near(p[3], 0.02, 1e-15, "the smallest times all rows");
    is_near(p[2], 0.03, 1e-15, "the next times the rest");
    is_near(p[4], 0.06, 1e-15, "and so on");
    is_near(p[0], 0.06, 1e-15, "never below a smaller one");
    ok(isnan(p[1]), "NAN stays and does not count");
}

/* P by looking at every choice of which values are b: slow and obviously right. */
static double enumerated(const double *x, size_t na, size_t n)
{
    int total = 0, tail = 0, seen = -1;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned mask = 0; mask < 1u << n; mask++) {
            int u = 0;

            if (__builtin_popcount(mask) != (int)na)
                continue;
            for (size_t i = 0; i < n; i++) {
                for (size_t k = 0; k < n; k++)
                    u += mask >> i & 1 && !(mask >> k & 1) && x[k] > x[i];
            }
            if (pass == 0 && mask == (1u << na) - 1)
                seen = u;
            total += pass;
            tail += pass && u >= seen;
        }
    }
    return (double)tail / total;
}

static void test_ranks(void)
{
    static const double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10}, tie[] = {6, 7, 8, 9, 5};
    static double low[30], high[30];
    struct am_rng r;
    double worst = 0;

    is_near(am_stats_rank_above(a, 5, b, 5, 0), 1.0 / 252, 1e-15, "separated: the least p");
    is_near(am_stats_rank_above(b, 5, a, 5, 0), 1, 0, "the other way round: 1");
    is_near(am_stats_rank_above(a, 5, tie, 5, 0), 2.0 / 252, 1e-15, "a tie counts against");
    is_near(am_stats_rank_above(a, 5, b, 5, 1), 2.0 / 252, 1e-15,
            "so does a difference that is not beyond the margin");
    am_rng_seed(&r, 11, 1);
    for (int t = 0; t < 40; t++) {
        double x[9];

        for (size_t i = 0; i < 9; i++)
            x[i] = am_rng_unit(&r);
        worst = fmax(worst, fabs(am_stats_rank_above(x, 4, x + 4, 5, 0) - enumerated(x, 4, 9)));
    }
    ok(worst < 1e-14, "as enumerated (off by %g at most)", worst);
    for (size_t i = 0; i < 30; i++) {
        low[i] = (double)i;
        high[i] = (double)i + 0.5;
    }
    is_near(am_stats_rank_above(low, 30, high, 30, 0), 0.415128, 5e-7,
            "large samples: normal with continuity correction");
    ok(isnan(am_stats_rank_above(a, 0, b, 5, 0)), "an empty side has no p");
}

/* What both of a pair met is no part of the error. */
static void test_pairs(void)
{
    static const double a[] = {100, 150, 120, 180, 90, 200}, b[] = {111, 165, 131, 199, 100, 219};
    const struct am_change c = am_change_paired(a, b, 6, 0.02);
    const struct am_change apart = am_change_of(a, 6, b, 6, 0.02);
    const struct am_change back = am_change_paired(b, a, 6, 0.02);

    is_near(c.d, apart.d, 1e-12, "of pairs the change is the same");
    ok(c.p < 1e-4 && apart.p > 0.3, "and sure where the sides as a whole are not (%g, %g)", c.p,
       apart.p);
    is_near(c.p_rank, 1.0 / 64, 1e-12, "six of six pairs agree");
    is_near(c.least_rank, c.p_rank, 1e-12, "more cannot");
    is_near(back.d, -c.d, 1e-12, "turned round it is the opposite");
    is_near(back.p_rank, c.p_rank, 1e-12, "by signs too");
    ok(isnan(am_change_paired(a, b, 2, 0.02).p), "two pairs decide nothing");
    is_near(am_change_paired(a, a, 6, 0.02).p_rank, 1, 1e-12, "equal pairs are not beyond it");
}

/* The worked example of doc: five launches per side. */
static void test_example(void)
{
    static const double a[] = {100, 101, 99, 102, 100}, b[] = {110, 112, 109, 111, 113};
    struct am_change c = am_change_of(a, 5, b, 5, 0.02);
    const struct am_change back = am_change_of(b, 5, a, 5, 0.02);

    is_near(c.d, 0.100338, 5e-7, "d");
    is_near(c.se, 0.008143, 5e-7, "its error");
    is_near(c.df, 7.6173, 5e-5, "Welch's degrees of freedom");
    is_near(c.p / 6.847e-6, 1, 1e-3, "p against the margin");
    is_near(exp(c.lo), 1.0848, 5e-5, "lower end");
    is_near(exp(c.hi), 1.1267, 5e-5, "upper end");
    is_near(c.p_rank, 1.0 / 252, 1e-15, "ranks agree as far as they can");
    is_near(c.least_rank, 1.0 / 252, 1e-12, "which is known");
    ok(c.p * 7302 <= 0.05 && c.p * 7303 > 0.05, "slower among up to 7302 rows");
    is_near(back.d, -c.d, 1e-15, "turned round the change is the opposite");
    is_near(back.p, c.p, 1e-15, "as sure");
    is_near(back.p_rank, c.p_rank, 1e-15, "by ranks too");
    ok(c.p_same > 0.99, "and not the same");
}

static void test_edges(void)
{
    static const double same[] = {2, 2, 2, 2, 2}, twice[] = {4, 4, 4, 4, 4},
                        bad[] = {1, 0, 3, 1, 2};
    const struct am_change equal = am_change_of(same, 5, same, 5, 0.02);

    ok(equal.p_same < 1e-6 && equal.p >= 0.99, "equal values are the same");
    ok(am_change_of(same, 5, twice, 5, 0.02).p < 1e-9, "twice is beyond doubt");
    ok(isnan(am_change_of(same, 2, twice, 5, 0.02).p), "two values decide nothing");
    ok(isnan(am_change_of(same, 5, bad, 5, 0.02).p) && isnan(am_change_of(same, 5, bad, 0, 0.02).d),
       "what is not positive has no ratio");
    ok(am_change_needs(&equal, 5, 5, 10) == 0, "no number of launches shows what is not there");
}

/* What is promised to be seen is seen in about nine of ten; the interval holds in 95 of 100. */
static void test_promises(void)
{
    enum { TRIALS = 2000, N = 8, ROWS = 30 };
    struct am_rng r;
    int held = 0, seen = 0;
    double a[N], b[N];
    struct am_change c = {.se = 0.01 * sqrt(2.0 / N), .df = 2 * N - 2, .margin = log1p(0.02)};
    const double visible = log1p(am_change_seen(&c, ROWS));

    am_rng_seed(&r, 12, 1);
    for (int t = 0; t < TRIALS; t++) {
        for (size_t i = 0; i < N; i++) {
            a[i] = exp(0.01 * normal(&r));
            b[i] = exp(visible + 0.01 * normal(&r));
        }
        c = am_change_of(a, N, b, N, 0.02);
        held += c.lo <= visible && visible <= c.hi;
        seen += c.p <= 0.05 / ROWS;
    }
    ok(held > 0.935 * TRIALS && held < 0.965 * TRIALS, "the interval held in %.1f %%",
       100.0 * held / TRIALS);
    ok(seen > 0.85 * TRIALS && seen < 0.95 * TRIALS, "a change of %.1f %% was seen in %.1f %%",
       100 * expm1(visible), 100.0 * seen / TRIALS);
    c = (struct am_change){
        .d = visible, .se = 0.01 * sqrt(2.0 / N), .df = 14, .margin = log1p(0.02)};
    ok(am_change_needs(&c, N, N, ROWS) >= N - 1 && am_change_needs(&c, N, N, ROWS) <= N + 1,
       "and needs the launches it was made of (%zu)", am_change_needs(&c, N, N, ROWS));
}

int main(void)
{
    test_student();
    test_holm();
    test_ranks();
    test_example();
    test_pairs();
    test_edges();
    test_promises();
    return tap_done();
}
