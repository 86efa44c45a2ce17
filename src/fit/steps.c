/* SPDX-License-Identifier: MIT */
/* Smooth steps: the model and its derivatives, and the search for the best parameters. */
#include "fit/steps.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_MAX = 1 + 4 * AM_STEPS_MAX, TRIES = 6 };

static const double freedom = 4;       /* degrees of freedom of the residuals */
static const double shape_width = 1.2; /* of the priors of log p and log q */
static const double start_tail = 4, start_onset = 8;
static const double shape_least = 0.8, shape_most = 60;
static const double height_least = 0.01, height_most = 3000;
static const double stride_most = 0.7; /* a parameter moves no further in one iteration */
static const double gain_least = 1e-3; /* of the loss: less ends the search */

/* ---- the model ---- */

/* m and dm/dz at z = log(s/u). */
static double misses(double z, double p, double q, double *slope)
{
    const double a = expm1(fmin(q / p * log(4.0 / 3.0), 50));
    const double t = a * exp(fmax(fmin(q * z, 60), -60));
    const double hits = exp(-p / q * log1p(t));

    if (slope)
        *slope = p * hits * t / (1 + t);
    return 1 - hits;
}

/* 1 + sum e^b m, and its derivative by x. */
static double growth(const struct am_steps *s, double x, double *slope)
{
    double g = 1, d = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct am_step *const step = &s->items[i];
        double own;

        g += exp(step->height) * misses(x - step->place, exp(step->tail), exp(step->onset), &own);
        d += exp(step->height) * own;
    }
    if (slope)
        *slope = d;
    return g;
}

double am_steps_at(const struct am_steps *s, double x)
{
    return s->base + log(growth(s, x, NULL));
}

double am_steps_slope(const struct am_steps *s, double x)
{
    double d;
    const double g = growth(s, x, &d);

    return d / g;
}

/* ---- parameters as one vector: base, then height, place, tail, onset of each step ---- */

static size_t count(const struct am_steps *s)
{
    return 1 + 4 * s->n;
}

static double *parameter(struct am_steps *s, size_t i)
{
    struct am_step *const step = i ? &s->items[(i - 1) / 4] : NULL;
    double *const of[] = {step ? &step->height : NULL, step ? &step->place : NULL,
                          step ? &step->tail : NULL, step ? &step->onset : NULL};

    return i ? of[(i - 1) % 4] : &s->base;
}

/* The centre of the prior of a shape; NAN of parameters without one. */
static double prior_of(size_t i)
{
    const size_t kind = i ? (i - 1) % 4 : 0;

    return i && kind >= 2 ? log(kind == 2 ? start_tail : start_onset) : NAN;
}

static void clamp(struct am_steps *s, const struct am_steps_data *d)
{
    for (size_t i = 0; i < s->n; i++) {
        struct am_step *const step = &s->items[i];

        step->height = fmax(fmin(step->height, log(height_most)), log(height_least));
        step->place = fmax(fmin(step->place, d->x[d->n - 1]), d->x[0]);
        step->tail = fmax(fmin(step->tail, log(shape_most)), log(shape_least));
        step->onset = fmax(fmin(step->onset, log(shape_most)), log(shape_least));
    }
}

static double loss_of(struct am_steps *s, const struct am_steps_data *d)
{
    double loss = 0;

    for (size_t i = 0; i < d->n; i++) {
        const double r = (d->y[i] - am_steps_at(s, d->x[i])) / d->sigma[i];

        loss += (freedom + 1) * log1p(r * r / freedom);
    }
    for (size_t i = 0; i < count(s); i++) {
        const double off = (*parameter(s, i) - prior_of(i)) / shape_width;

        loss += isnan(off) ? 0 : off * off;
    }
    return loss;
}

/* Derivatives of log f at x by every parameter. */
static void derivatives(const struct am_steps *s, double x, double *out)
{
    static const double little = 1e-4;
    const double g = growth(s, x, NULL);

    out[0] = 1;
    for (size_t i = 0; i < s->n; i++) {
        const struct am_step *const step = &s->items[i];
        const double z = x - step->place, p = exp(step->tail), q = exp(step->onset);
        const double e = exp(step->height) / g;
        double slope;
        const double m = misses(z, p, q, &slope);

        out[1 + 4 * i] = e * m;
        out[2 + 4 * i] = -e * slope;
        out[3 + 4 * i] = e * (misses(z, p * exp(little), q, NULL) - m) / little;
        out[4 + 4 * i] = e * (misses(z, p, q * exp(little), NULL) - m) / little;
    }
}

/* ---- Levenberg-Marquardt ---- */

/* The normal equations at a place; `free` lists the parameters that move. */
struct normal {
    double a[PARAMS_MAX][PARAMS_MAX], g[PARAMS_MAX];
    size_t free[PARAMS_MAX], n;
};

static void add_place(struct normal *e, const double *row, double r, double sigma)
{
    const double w = (freedom + 1) / (freedom + r * r);

    for (size_t i = 0; i < e->n; i++) {
        const double ji = row[e->free[i]] / sigma;

        e->g[i] += w * ji * r;
        for (size_t k = 0; k <= i; k++)
            e->a[i][k] += w * ji * row[e->free[k]] / sigma;
    }
}

static void make_normal(struct normal *e, struct am_steps *s, const struct am_steps_data *d,
                        size_t hold)
{
    memset(e, 0, sizeof(*e));
    for (size_t i = 0; i < count(s); i++) {
        if (hold == SIZE_MAX || i != 2 + 4 * hold)
            e->free[e->n++] = i;
    }
    for (size_t i = 0; i < d->n; i++) {
        double row[PARAMS_MAX];

        derivatives(s, d->x[i], row);
        add_place(e, row, (d->y[i] - am_steps_at(s, d->x[i])) / d->sigma[i], d->sigma[i]);
    }
    for (size_t i = 0; i < e->n; i++) {
        const double prior = prior_of(e->free[i]);

        if (isnan(prior))
            continue;
        e->a[i][i] += 1 / (shape_width * shape_width);
        e->g[i] -= (*parameter(s, e->free[i]) - prior) / (shape_width * shape_width);
    }
}

/* Solves (A + lambda diag) x = g by Cholesky; false where A is not positive. */
static bool solve(const struct normal *e, double lambda, double *x)
{
    double l[PARAMS_MAX][PARAMS_MAX];

    for (size_t i = 0; i < e->n; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = e->a[i][k] + (i == k ? lambda * (e->a[i][i] + 1e-3) : 0);

            for (size_t j = 0; j < k; j++)
                sum -= l[i][j] * l[k][j];
            if (i == k && !(sum > 0))
                return false;
            l[i][k] = i == k ? sqrt(sum) : sum / l[k][k];
        }
    }
    for (size_t i = 0; i < e->n; i++) {
        x[i] = e->g[i];
        for (size_t j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] /= l[i][i];
    }
    for (size_t i = e->n; i-- > 0;) {
        for (size_t j = i + 1; j < e->n; j++)
            x[i] -= l[j][i] * x[j];
        x[i] /= l[i][i];
    }
    return true;
}

/* One step of the search: the first lambda that lowers the loss; false when none does. */
static bool advance(struct am_steps *s, const struct am_steps_data *d, const struct normal *e,
                    double *lambda)
{
    for (int k = 0; k < TRIES; k++) {
        struct am_steps next = *s;
        double x[PARAMS_MAX];

        if (!solve(e, *lambda, x)) {
            *lambda *= 10;
            continue;
        }
        for (size_t i = 0; i < e->n; i++)
            *parameter(&next, e->free[i]) += fmax(fmin(x[i], stride_most), -stride_most);
        clamp(&next, d);
        next.loss = loss_of(&next, d);
        if (next.loss < s->loss - 1e-9) {
            *s = next;
            return true;
        }
        *lambda *= 4;
    }
    return false;
}

void am_steps_improve(struct am_steps *s, const struct am_steps_data *d, size_t iterations,
                      size_t hold)
{
    double lambda = 0.01;

    clamp(s, d);
    s->loss = loss_of(s, d);
    for (size_t i = 0; i < iterations; i++) {
        const double before = s->loss;
        struct normal e;

        make_normal(&e, s, d, hold);
        if (!advance(s, d, &e, &lambda) || before - s->loss < gain_least)
            return;
        lambda = fmax(lambda * 0.3, 1e-6);
    }
}

/* ---- where to start: the best piecewise constant approximations ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(const double *v, size_t n, double *scratch)
{
    memcpy(scratch, v, n * sizeof(*v));
    qsort(scratch, n, sizeof(*v), by_value);
    return n % 2 ? scratch[n / 2] : 0.5 * (scratch[n / 2 - 1] + scratch[n / 2]);
}

/* Bellman's table: least[k][j] is the least cost of places 0..j in k + 1 segments, cut[k][j] where
 * the last of them begins. */
struct segments {
    double *cost; /* of one segment i..j, n x n */
    double *least;
    size_t *cut;
    double *scratch;
    size_t n, most;
};

static void fill_costs(struct segments *t, const struct am_steps_data *d)
{
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = i; j < t->n; j++) {
            const double m = median_of(d->y + i, j - i + 1, t->scratch);
            double sum = 0;

            for (size_t k = i; k <= j; k++)
                sum += fabs(d->y[k] - m) / d->sigma[k];
            t->cost[i * t->n + j] = sum;
        }
    }
}

static void fill_least(struct segments *t)
{
    for (size_t j = 0; j < t->n; j++)
        t->least[j] = t->cost[j];
    for (size_t k = 1; k < t->most; k++) {
        for (size_t j = k; j < t->n; j++) {
            double *const best = &t->least[k * t->n + j];

            *best = INFINITY;
            for (size_t i = k; i <= j; i++) {
                const double v = t->least[(k - 1) * t->n + i - 1] + t->cost[i * t->n + j];

                if (v < *best) {
                    *best = v;
                    t->cut[k * t->n + j] = i;
                }
            }
        }
    }
}

static struct am_step step_at(double height, double place)
{
    return (struct am_step){log(fmax(height, height_least)), place, log(start_tail),
                            log(start_onset)};
}

/* The approximation by k steps as parameters. */
static struct am_steps start_from(const struct segments *t, const struct am_steps_data *d, size_t k)
{
    size_t edges[AM_STEPS_MAX + 2];
    struct am_steps s = {.n = k};
    double level = 0, base = 0;

    edges[k + 1] = t->n;
    for (size_t i = k + 1; i > 1; i--)
        edges[i - 1] = t->cut[(i - 1) * t->n + edges[i] - 1];
    edges[0] = 0;
    for (size_t i = 0; i <= k; i++) {
        const double m = median_of(d->y + edges[i], edges[i + 1] - edges[i], t->scratch);
        const double next = i ? fmax(m, level + 0.02) : m;

        base = i ? base : next;
        if (i)
            s.items[i - 1] = step_at((exp(next) - exp(level)) / exp(base),
                                     0.5 * (d->x[edges[i] - 1] + d->x[edges[i]]));
        level = next;
    }
    s.base = base;
    return s;
}

/* One step more where the running sum of the residuals turns most. */
static struct am_steps add_step(const struct am_steps *old, const struct am_steps_data *d,
                                double *scratch)
{
    struct am_steps s = *old;
    double mean = 0, sum = 0, most = -1, rise;
    size_t at = 0;

    for (size_t i = 0; i < d->n; i++) {
        const double r = (d->y[i] - am_steps_at(old, d->x[i])) / d->sigma[i];

        scratch[i] = fmax(fmin(r, 3), -3);
        mean += scratch[i] / (double)d->n;
    }
    for (size_t i = 0; i + 1 < d->n; i++) {
        sum += scratch[i] - mean;
        if (fabs(sum) > most) {
            most = fabs(sum);
            at = i;
        }
    }
    for (size_t i = at + 1; i < d->n; i++)
        scratch[i] = d->y[i] - am_steps_at(old, d->x[i]);
    rise = fmax(fabs(median_of(scratch + at + 1, d->n - at - 1, scratch + d->n)), 0.05);
    s.items[s.n++] = step_at(fmax(exp(am_steps_at(old, d->x[at]) - old->base) * rise, 0.02),
                             0.5 * (d->x[at] + d->x[at + 1]));
    return s;
}

static int by_place(const void *a, const void *b)
{
    const struct am_step *const x = a, *const y = b;

    return (x->place > y->place) - (x->place < y->place);
}

static void sort_steps(struct am_steps *s)
{
    qsort(s->items, s->n, sizeof(s->items[0]), by_place);
}

/* ---- all of it ---- */

static bool segments_init(struct segments *t, const struct am_steps_data *d)
{
    const size_t n = d->n;

    *t = (struct segments){.n = n, .most = n - 1 < AM_STEPS_MAX ? n : AM_STEPS_MAX + 1};
    t->cost = calloc(n * n, sizeof(double));
    t->least = calloc(t->most * n, sizeof(double));
    t->cut = calloc(t->most * n, sizeof(size_t));
    t->scratch = calloc(2 * n, sizeof(double));
    return t->cost && t->least && t->cut && t->scratch;
}

static void segments_fini(struct segments *t)
{
    free(t->cost);
    free(t->least);
    free(t->cut);
    free(t->scratch);
}

/* The better of both starts. */
static struct am_steps best_of(const struct segments *t, const struct am_steps_data *d, size_t k,
                               const struct am_steps *previous)
{
    enum { ITERATIONS = 40 };
    struct am_steps a = start_from(t, d, k), b;

    am_steps_improve(&a, d, ITERATIONS, SIZE_MAX);
    if (!previous)
        return a;
    b = add_step(previous, d, t->scratch);
    am_steps_improve(&b, d, ITERATIONS, SIZE_MAX);
    return b.loss < a.loss ? b : a;
}

size_t am_steps_fit(const struct am_steps_data *d, struct am_steps fits[AM_STEPS_MAX])
{
    const double worth = d->n ? 2 * log((double)d->n) : 0;
    struct segments t = {0};
    size_t k = 0, idle = 0;

    if (d->n < 3 || d->n > AM_STEPS_POINTS_MAX || !segments_init(&t, d)) {
        segments_fini(&t);
        return 0;
    }
    fill_costs(&t, d);
    fill_least(&t);
    while (k < AM_STEPS_MAX && k + 1 < d->n && idle < 2) {
        fits[k] = best_of(&t, d, k + 1, k ? &fits[k - 1] : NULL);
        sort_steps(&fits[k]);
        idle = k && fits[k - 1].loss - fits[k].loss < worth ? idle + 1 : 0;
        k++;
    }
    segments_fini(&t);
    return k;
}
