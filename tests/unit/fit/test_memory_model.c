/* SPDX-License-Identifier: MIT */
/* Both models of main memory on the thesis's own measurements: seed 001, tables B.6, B.11 and B.12
 * (one thread, AVX) with the misses of table B.13. Prints the tables of doc/benches/thesis.md,
 * which are made from it, and checks what that page says of them. */
#include "fit/task_fit.h"
#include "tap.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* As the thesis has them: twice the latency of its third cache (62 cycles at 3.4 GHz), lines of a
 * Core i7-2600. The bandwidth is a low one for that machine: any above it says the same. */
static const double latency = 62 / 3.4e9, line = 64, bandwidth = 7e9;

struct row {
    const char *name;
    double misses; /* per operation */
    double rate;   /* Gflop/s */
};

static const struct row transforms[] = {{"2^18", 0.000073, 16.395}, {"2^19", 0.000494, 6.063},
                                        {"2^20", 0.002005, 5.866},  {"2^21", 0.00285, 5.895},
                                        {"2^22", 0.002606, 5.972},  {"2^23", 0.002279, 6.066},
                                        {"2^24", 0.003502, 5.832},  {"2^25", 0.002144, 5.727}};
static const double transform_best = 30.896; /* 2^9 */
static const struct row options = {"Black-Scholes, 2^25", 7.2e-5, 9.574};
static const double options_best = 9.574;
static const struct row product = {"product of matrices, 8192", 3.6e-5, 39.096};
static const double product_best = 39.096;

/* What is missing of the best rate, and what each model says is. */
struct overheads {
    double observed, by_latency, by_overlap;
};

static struct overheads of(const struct row *row, double best)
{
    return (struct overheads){.observed = 1 - row->rate / best,
                              .by_latency = am_memory_overhead(latency, row->misses, 1e9 * best),
                              .by_overlap =
                                  am_memory_overlap(bandwidth, line * row->misses, 1e9 * best)};
}

/* Nanoseconds that each miss would have cost, had they made it slower than 2^18. */
static double lost_per_miss(const struct row *row)
{
    const struct row *const fitting = &transforms[0];

    return (1 / row->rate - 1 / fitting->rate) / row->misses;
}

static void print_row(const struct row *row, double best)
{
    const struct overheads o = of(row, best);

    printf("# | %s | %.2g | %.3g | %.2f | %.2f | %.2g |\n", row->name, row->misses, row->rate,
           o.observed, o.by_latency, o.by_overlap);
}

static void test_transforms(void)
{
    const size_t n = sizeof(transforms) / sizeof(*transforms);
    double worst_latency = 1, worst_overlap = 1;

    printf("# | transform of | misses per operation | Gflop/s | observed | latency | overlap |\n");
    for (size_t i = 0; i < n; i++) {
        const struct overheads o = of(&transforms[i], transform_best);

        print_row(&transforms[i], transform_best);
        worst_latency = fmin(worst_latency, o.observed - o.by_latency);
        worst_overlap = fmin(worst_overlap, o.observed - o.by_overlap);
    }
    ok(worst_latency > 0.1 && worst_overlap > 0.4, "neither model accounts for any transform");
    ok(fabs(of(&transforms[0], transform_best).observed - 0.47) < 0.005,
       "half is gone before there are misses worth counting");
    ok(fabs(lost_per_miss(&transforms[1]) - 210) < 1, "at 2^19 a miss would have cost %.0f ns",
       lost_per_miss(&transforms[1]));
}

static void test_in_order(void)
{
    const struct overheads o = of(&options, options_best), p = of(&product, product_best);

    print_row(&options, options_best);
    print_row(&product, product_best);
    ok(o.observed <= 0 && o.by_overlap <= 0 && o.by_latency > 0 && o.by_latency < 0.02,
       "options are read in order: overlap is right, latency nearly");
    ok(p.observed <= 0 && p.by_overlap <= 0 && p.by_latency > 0.02 && p.by_latency < 0.03,
       "and so are tiles of a product");
}

int main(void)
{
    test_transforms();
    test_in_order();
    return tap_done();
}
