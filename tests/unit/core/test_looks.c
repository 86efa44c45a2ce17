/* SPDX-License-Identifier: MIT */
/* The stop rule: its looks, and whether the intervals of what stopped hold the median.
 *
 *     test_looks            few points per law, checked: part of the unit tests
 *     test_looks N [SEED]   N points per law, as the table of doc/internals/verdicts.md
 */
#include "base/rng.h"
#include "base/text.h"
#include "core/stats/looks.h"
#include "core/stats/stats.h"
#include "noise_laws.h"
#include "tap.h"

#include <string.h>

enum { LEAST = 8, MOST = 15 };
static const double target = 0.01;

/* How points of one law ended. */
struct outcome {
    size_t points, launches;
    size_t held;           /* the interval shown holds the true median */
    size_t stopped, lucky; /* at the target; and of those, the interval does not hold it */
};

/* One point as the conductor measures it, or as who looks after every launch from the fifth on. */
static void measure(const struct noise_law *law, const struct am_looks *looks, bool every,
                    struct am_rng *rng, struct outcome *out)
{
    double medians[MOST], sorted[MOST];
    struct am_interval ci = {0};
    bool precise = false;
    size_t n = 0;

    while (n < MOST && !precise) {
        medians[n++] = exp(law->draw(rng));
        if (every ? n < 5 : !am_looks_at(looks, n))
            continue;
        memcpy(sorted, medians, n * sizeof(*sorted));
        am_stats_sort(sorted, n);
        ci = am_stats_median_interval(sorted, n, 0.95);
        precise = every ? (ci.hi - ci.lo) / 2 <= target * am_stats_median(sorted, n)
                        : am_looks_precision(medians, n) <= target;
    }
    out->points++;
    out->launches += n;
    out->held += ci.lo <= exp(law->median) && exp(law->median) <= ci.hi;
    out->stopped += precise;
    out->lucky += precise && !(ci.lo <= exp(law->median) && exp(law->median) <= ci.hi);
}

static struct outcome simulate(const struct noise_law *law, bool every, size_t points,
                               struct am_rng *rng)
{
    const struct am_looks looks = am_looks_of(LEAST, MOST);
    struct outcome out = {0};

    for (size_t i = 0; i < points; i++)
        measure(law, &looks, every, rng, &out);
    return out;
}

static double percent(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static void print_outcome(const struct outcome *o)
{
    printf(" %.1f | %.1f | %.1f | %.2f | %.1f |", percent(o->stopped, o->points),
           percent(o->stopped - o->lucky, o->stopped), percent(o->held, o->points),
           percent(o->lucky, o->points), (double)o->launches / (double)o->points);
}

static void add(struct outcome *sum, const struct outcome *o)
{
    sum->points += o->points;
    sum->launches += o->launches;
    sum->held += o->held;
    sum->stopped += o->stopped;
    sum->lucky += o->lucky;
}

static void print_row(const char *law, bool every, const struct outcome *o)
{
    printf("| %s | %s |", law, every ? "every launch from 5" : "looks");
    print_outcome(o);
    printf("\n");
}

static void print_table(size_t points, struct am_rng *rng)
{
    struct outcome mixed[2] = {{0}, {0}};

    printf("| noise | rule | stop at `target` | of these hold | all hold | `target` and wrong | "
           "launches |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < NOISE_LAWS; i++) {
        for (int every = 1; every >= 0; every--) {
            const struct outcome o = simulate(&noise_laws[i], every, points, rng);

            print_row(noise_laws[i].name, every, &o);
            add(&mixed[every], &o);
        }
    }
    for (int every = 1; every >= 0; every--)
        print_row("a run of all these", every, &mixed[every]);
}

static void test_counts(void)
{
    const struct am_looks standard = am_looks_of(8, 15), fixed = am_looks_of(5, 5),
                          wide = am_looks_of(5, 15), many = am_looks_of(5, 30),
                          late = am_looks_of(20, 20);

    ok(standard.n == 3 && standard.at[0] == 8 && standard.at[1] == 11 && standard.at[2] == 15,
       "8 to 15 launches are looked at three times");
    ok(fabs(standard.coverage - 0.95849609375) < 1e-12, "all three hold with 95.8 %%: %.11f",
       standard.coverage);
    ok(fixed.n == 1 && fixed.at[0] == 5 && fabs(fixed.coverage - 0.9375) < 1e-12,
       "five launches are looked at once, and hold with 93.75 %%");
    ok(wide.at[0] == 8, "nobody looks before the eighth where more are allowed");
    ok(many.at[many.n - 1] == 30 && many.coverage >= 0.95 && many.n > 1, "30 launches: %zu looks",
       many.n);
    ok(late.n == 1 && late.at[0] == 20, "as few as as many: one look");
    for (size_t most = 8; most < 120; most++) {
        const struct am_looks l = am_looks_of(5, most);

        if (l.coverage < 0.95 || l.at[l.n - 1] != most)
            ok(false, "up to %zu launches: coverage %g, last %zu", most, l.coverage, l.at[l.n - 1]);
    }
    ok(am_looks_next(&standard, 0) == 8 && am_looks_next(&standard, 8) == 11 &&
           am_looks_next(&standard, 15) == 0,
       "the next look");
    ok(!am_looks_at(&standard, 9) && am_looks_at(&standard, 11), "nine is no look, eleven is");
}

static void test_precision(void)
{
    const double even[] = {1, 1.001, 0.999, 1, 1.001, 0.999, 1, 1};
    const double outlier[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1.4};
    const double zero[] = {0, 0, 0};

    ok(am_looks_precision(even, 8) < 0.002, "narrow by both");
    ok(am_looks_precision(outlier, 11) > 0.05, "one launch far out: the median does not show it");
    ok(isinf(am_looks_precision(zero, 3)) && isinf(am_looks_precision(even, 1)),
       "zero and one launch have no precision");
}

/* Limits at about four standard errors of 3000 points. */
static void test_coverage(struct am_rng *rng)
{
    enum { N = 3000 };
    struct outcome mixed = {0};

    for (size_t i = 0; i < NOISE_LAWS; i++) {
        const struct outcome o = simulate(&noise_laws[i], false, N, rng);

        add(&mixed, &o);
        ok((double)o.held >= N * 0.94, "%s: %.1f %% of the intervals shown hold",
           noise_laws[i].name, percent(o.held, N));
        ok((double)o.lucky <= N * 0.035, "%s: %.2f %% stop at the target and are wrong",
           noise_laws[i].name, percent(o.lucky, N));
        if (noise_laws[i].reaches)
            ok(o.stopped >= N / 2 && (double)(o.stopped - o.lucky) >= 0.955 * (double)o.stopped,
               "%s: of the %zu that stop at the target %.1f %% hold", noise_laws[i].name, o.stopped,
               percent(o.stopped - o.lucky, o.stopped));
    }
    ok((double)(mixed.stopped - mixed.lucky) >= 0.955 * (double)mixed.stopped,
       "a run of all these: of the %zu that stop at the target %.1f %% hold", mixed.stopped,
       percent(mixed.stopped - mixed.lucky, mixed.stopped));
}

int main(int argc, char **argv)
{
    uint64_t numbers[] = {0, 2026}; /* points per law, seed */
    struct am_rng rng;

    for (int i = 1; i < argc; i++) {
        if (i > 2 || !am_parse_u64(argv[i], strlen(argv[i]), &numbers[i - 1])) {
            (void)fprintf(stderr, "test_looks [POINTS [SEED]]\n");
            return 2;
        }
    }
    am_rng_seed(&rng, numbers[1], 1);
    printf("# seed %llu\n", (unsigned long long)numbers[1]);
    if (argc > 1) {
        print_table(numbers[0], &rng);
        return 0;
    }
    test_counts();
    test_precision();
    test_coverage(&rng);
    return tap_done();
}
