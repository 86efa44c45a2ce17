/* SPDX-License-Identifier: MIT */
/* E-divisive: energy distances by sums of rows, so that one search costs n squared. */
#include "core/stats/divisive.h"

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Shuffled series that reach as much end a test: the candidate's p is theirs. */
enum { REACHED_MAX = 20 };

struct split {
    double q; /* its statistic; 0: there is none */
    size_t at;
};

struct search {
    const struct am_divisive *how;
    const double *values;
    double *shuffled;
    double *sums; /* of a segment: sums[k * (n + 1) + i] = sum over j < i of |x_j - x_k| */
    size_t *order;
    size_t *ends; /* of the segments, rising */
    size_t n_ends;
    struct am_rng rng;
};

/* ---- one segment ---- */

static void sum_rows(const double *x, size_t n, double *sums)
{
    for (size_t k = 0; k < n; k++) {
        sums[k * (n + 1)] = 0;
        for (size_t j = 0; j < n; j++)
            sums[k * (n + 1) + j + 1] = sums[k * (n + 1) + j] + fabs(x[j] - x[k]);
    }
}

/* mn/(m+n) times the energy distance of m values before and n after, from the sums of distances
 * between and within. */
static double statistic(double m, double n, double between, double before, double after)
{
    const double e = 2 * between / (m * n) - before / (m * (m - 1) / 2) - after / (n * (n - 1) / 2);

    return m * n / (m + n) * e;
}

/* The best place to part x, compared with what follows up to any later place: a short segment in
 * between is seen too. */
static struct split best_split(const double *x, size_t n, double *sums)
{
    struct split best = {0};
    double before = 0; /* distances within x[0..at) */

    if (n < 2 * (size_t)AM_DIVISIVE_LEAST)
        return best;
    sum_rows(x, n, sums);
    for (size_t at = 1; at + AM_DIVISIVE_LEAST <= n; at++) {
        double between = 0, after = 0;

        before += sums[(at - 1) * (n + 1) + at - 1];
        for (size_t end = at + 1; end <= n; end++) {
            const double *const row = &sums[(end - 1) * (n + 1)];
            double q;

            between += row[at];
            after += row[end - 1] - row[at];
            if (at < AM_DIVISIVE_LEAST || end - at < AM_DIVISIVE_LEAST)
                continue;
            q = statistic((double)at, (double)(end - at), between, before, after);
            if (q > best.q)
                best = (struct split){q, at};
        }
    }
    return best;
}

/* ---- all segments ---- */

/* The best of all segments of x; `at` counts from the beginning of the series. */
static struct split best_of_all(struct search *s, const double *x)
{
    struct split best = {0};
    size_t from = 0;

    for (size_t i = 0; i < s->n_ends; i++) {
        struct split one = best_split(x + from, s->ends[i] - from, s->sums);

        one.at += from;
        if (one.q > best.q)
            best = one;
        from = s->ends[i];
    }
    return best;
}

/* Within segments only: what was found to differ stays apart. */
static void shuffle(struct search *s)
{
    size_t from = 0;

    for (size_t i = 0; i < s->n_ends; i++) {
        const size_t n = s->ends[i] - from;

        for (size_t k = 0; k < n; k++)
            s->order[k] = from + k;
        am_rng_shuffle(&s->rng, s->order, n);
        for (size_t k = 0; k < n; k++)
            s->shuffled[from + k] = s->values[s->order[k]];
        from = s->ends[i];
    }
}

/* How often shuffled series reach as much. */
static double chance(struct search *s, double q)
{
    size_t reached = 0, tried = 0;

    while (tried < s->how->permutations && reached < REACHED_MAX) {
        shuffle(s);
        reached += best_of_all(s, s->shuffled).q >= q * (1 - 1e-12);
        tried++;
    }
    if (reached == REACHED_MAX)
        return (double)reached / (double)tried;
    return (double)(reached + 1) / (double)(tried + 1);
}

static void part(struct search *s, size_t at)
{
    size_t i = s->n_ends++;

    for (; i > 0 && s->ends[i - 1] > at; i--)
        s->ends[i] = s->ends[i - 1];
    s->ends[i] = at;
}

static int by_place(const void *x, const void *y)
{
    const struct am_changepoint *const a = x, *const b = y;

    return (a->at > b->at) - (a->at < b->at);
}

static size_t search(struct search *s, size_t n, struct am_changepoint *out)
{
    size_t found = 0;

    s->ends[s->n_ends++] = n;
    am_rng_seed(&s->rng, s->how->seed, n);
    while (found < n) {
        const struct split best = best_of_all(s, s->values);
        const double p = best.q > 0 ? chance(s, best.q) : 1;

        if (!(p <= s->how->level))
            break;
        out[found++] = (struct am_changepoint){best.at, p};
        part(s, best.at);
    }
    qsort(out, found, sizeof(*out), by_place);
    return found;
}

size_t am_divisive_find(const double *values, size_t n, const struct am_divisive *how,
                        struct am_changepoint *out)
{
    struct search s = {.how = how, .values = values};
    size_t found = 0;
    bool room;

    if (n < 2 * (size_t)AM_DIVISIVE_LEAST || n > AM_DIVISIVE_MOST)
        return 0;
    s.shuffled = calloc(n, sizeof(*s.shuffled));
    s.sums = calloc(n * (n + 1), sizeof(*s.sums));
    s.order = calloc(n, sizeof(*s.order));
    s.ends = calloc(n + 1, sizeof(*s.ends));
    room = s.shuffled && s.sums && s.order && s.ends;
    if (room)
        found = search(&s, n, out);
    free(s.shuffled);
    free(s.sums);
    free(s.order);
    free(s.ends);
    return room ? found : SIZE_MAX;
}
