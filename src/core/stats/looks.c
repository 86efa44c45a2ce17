/* SPDX-License-Identifier: MIT */
/* Counts of launches at which a measurement may stop, and how precise it is there. */
#include "core/stats/looks.h"

#include "core/stats/stats.h"
#include "core/stats/student.h"
#include "core/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double level = 0.95;

/* Counts that are worth a look: the first at which an interval of 95 % leaves luck a chance of less
 * than 1 %, then such that each adds about a third. */
static const size_t counts[] = {8, 11, 15, 20, 27, 36, 48, 64, 86, 115};

/* The probability that the intervals at all looks hold the median: walks that leave the strip
 * between the ranks at a look are lost. -1 without memory. */
static double coverage_of(const struct am_looks *looks)
{
    const size_t most = looks->at[looks->n - 1];
    double *const w = calloc(most + 2, sizeof(*w));
    double sum = 0, alone;

    if (!w)
        return -1;
    w[0] = 1;
    for (size_t n = 1, look = 0; n <= most; n++) {
        for (size_t i = n; i > 0; i--)
            w[i] = (w[i] + w[i - 1]) / 2;
        w[0] /= 2;
        if (n != looks->at[look])
            continue;
        for (size_t i = 0, k = am_stats_median_rank(n, level, &alone); i <= n; i++)
            w[i] = i < k || i > n - k ? 0 : w[i];
        look++;
    }
    for (size_t i = 0; i <= most; i++)
        sum += w[i];
    free(w);
    return sum;
}

/* The same looks with one more before the last. */
static struct am_looks with(const struct am_looks *looks, size_t count)
{
    struct am_looks out = *looks;

    out.at[out.n] = out.at[out.n - 1];
    out.at[out.n++ - 1] = count;
    out.coverage = coverage_of(&out);
    return out;
}

struct am_looks am_looks_of(size_t least, size_t most)
{
    struct am_looks out = {.at = {most}, .n = 1};

    out.coverage = most ? coverage_of(&out) : 0;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        const bool fits = counts[i] >= least && counts[i] < most;
        const struct am_looks more = fits ? with(&out, counts[i]) : out;

        if (fits && more.coverage >= level)
            out = more;
    }
    return out;
}

bool am_looks_at(const struct am_looks *looks, size_t n)
{
    for (size_t i = 0; i < looks->n; i++) {
        if (looks->at[i] == n)
            return true;
    }
    return false;
}

size_t am_looks_next(const struct am_looks *looks, size_t n)
{
    for (size_t i = 0; i < looks->n; i++) {
        if (looks->at[i] > n)
            return looks->at[i];
    }
    return 0;
}

double am_looks_precision(const double *medians, size_t n)
{
    double *const sorted = n >= 2 ? malloc(n * sizeof(*sorted)) : NULL;
    const struct am_moments moments = am_stats_moments(medians, n);
    struct am_summary s = {.launches = n};
    double half;

    if (!sorted)
        return INFINITY;
    memcpy(sorted, medians, n * sizeof(*sorted));
    am_stats_sort(sorted, n);
    s.median = am_stats_median(sorted, n);
    s.ci = am_stats_median_interval(sorted, n, level);
    free(sorted);
    half = am_student_quantile((1 - level) / 2, (double)(n - 1)) * moments.sigma / sqrt((double)n);
    return fmax(am_summary_precision(&s),
                half / fabs(s.median)); /* NAN of 0/0: the first decides */
}
