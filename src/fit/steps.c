/* SPDX-License-Identifier: MIT */
/* Smooth steps: the model and its derivatives, and the search for the best parameters. */
#include "fit/steps.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_MAX = 1 + 4 * AM_STEPS_MAX, TRIES = 6, GAMMA_TERMS = 400 };

static const double freedom = 4;                       /* degrees of freedom of the residuals */
static const double tail_least = 0.95, tail_most = 60; /* no policy hits more than c/s */
static const double ways_least = 2, ways_most = 1000;
static const double height_least = 0.01, height_most = 3000;
static const double stride_most = 0.7;   /* a parameter moves no further in one iteration */
static const double gamma_error = 1e-10; /* relative */
static const double gain_least = 1e-3;   /* of the loss: less ends the search */

/* ---- the model ---- */

/* A step's shape with what all sizes need of it. */
struct shape {
    double height, place;                  /* height over the base level, not its logarithm */
    double p, w, log_w, gamma_w, gamma_wp; /* logarithms of G(w) and G(w + p) */
};

static struct shape shape_of(double p, double w)
{
    return (struct shape){
        .p = p, .w = w, .log_w = log(w), .gamma_w = lgamma(w), .gamma_wp = lgamma(w + p)};
}

/* Sum over n of y^n / ((a + 1) ... (a + n)): the series of the lower incomplete gamma function,
 * without its factor. */
static double gamma_series(double a, double y)
{
    double term = 1, sum = 1;

    for (int n = 1; n < GAMMA_TERMS && term > gamma_error * sum; n++) {
        term *= y / (a + n);
        sum += term;
    }
    return sum;
}

/* The continued fraction of the upper one, without its factor; for y > a + 1. */
static double gamma_fraction(double a, double y)
{
    double b = y + 1 - a, c = 1e300, d = 1 / b, h = d;

    for (int n = 1; n < GAMMA_TERMS; n++) {
        const double an = -n * (n - a);
        double change;

        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        change = c * d;
        h *= change;
        if (fabs(change - 1) < gamma_error)
            break;
    }
    return h;
}

/* m and dm/dz at z = log(s/c). With y = w s/c the sets that overflow are P(w, y); a part of their
 * loads still hits, S = (c/s)^p P(w + p, y) G(w + p) / (G(w) w^p), and dm/dz is p S. */
static double misses(const struct shape *t, double z, double *slope)
{
    const double log_y = t->log_w + fmin(z, 60), y = exp(log_y);
    const double density = exp(t->w * log_y - y - t->gamma_w); /* y^w e^-y / G(w) */
    double lost = 1, kept;

    if (y <= t->w + 1)
        lost = density * gamma_series(t->w, y) / t->w;
    else if (density > gamma_error)
        lost = 1 - density * gamma_fraction(t->w, y);
    if (y <= t->w + t->p + 1)
        kept = density * gamma_series(t->w + t->p, y) / (t->w + t->p);
    else
        kept = exp(t->gamma_wp - t->gamma_w - t->p * log_y) -
               (density > 0 ? density * gamma_fraction(t->w + t->p, y) : 0);
    if (slope)
        *slope = t->p * kept;
    return fmax(lost - kept, 0);
}

/* The shapes of all steps. */
struct shapes {
    struct shape items[AM_STEPS_MAX];
    size_t n;
    double base;
};

static struct shapes shapes_of(const struct am_steps *s)
{
    struct shapes out = {.n = s->n, .base = s->base};

    for (size_t i = 0; i < s->n; i++) {
        out.items[i] = shape_of(exp(s->items[i].tail), exp(s->items[i].ways));
        out.items[i].height = exp(s->items[i].height);
        out.items[i].place = s->items[i].place;
    }
    return out;
}

/* 1 + sum e^b m, and its derivative by x. */
static double growth(const struct shapes *s, double x, double *slope)
{
    double g = 1, d = 0;

    for (size_t i = 0; i < s->n; i++) {
        double own;

        g += s->items[i].height * misses(&s->items[i], x - s->items[i].place, &own);
        d += s->items[i].height * own;
    }
    if (slope)
        *slope = d;
    return g;
}

static double value_at(const struct shapes *s, double x)
{
    return s->base + log(growth(s, x, NULL));
}

double am_steps_at(const struct am_steps *s, double x)
{
    const struct shapes shapes = shapes_of(s);

    return value_at(&shapes, x);
}

double am_steps_slope(const struct am_steps *s, double x)
{
    const struct shapes shapes = shapes_of(s);
    double d;
    const double g = growth(&shapes, x, &d);

    return d / g;
}

/* ---- parameters as one vector: base, then height, place, tail, ways of each step ---- */

static size_t count(const struct am_steps *s)
{
    return 1 + 4 * s->n;
}

static double *parameter(struct am_steps *s, size_t i)
{
    struct am_step *const step = i ? &s->items[(i - 1) / 4] : NULL;
    double *const of[] = {step ? &step->height : NULL, step ? &step->place : NULL,
                          step ? &step->tail : NULL, step ? &step->ways : NULL};

    return i ? of[(i - 1) % 4] : &s->base;
}

/* What is known of a parameter before sizes near the step are measured. */
struct prior {
    double centre, width; /* width 0: nothing */
};
/* Height, place, tail, ways. Policies keep between c/s (p = 1) and nothing (p large), caches have
 * 4 to 20 ways, or more where sets fill evenly: both are inside one or two widths. */
static const struct prior priors[] = {{0, 0}, {0, 0}, {2.08, 2}, {3.18, 1.5}};

static struct prior prior_of(size_t i)
{
    return i ? priors[(i - 1) % 4] : (struct prior){0, 0};
}

static void clamp(struct am_steps *s, const struct am_steps_data *d)
{
    for (size_t i = 0; i < s->n; i++) {
        struct am_step *const step = &s->items[i];

        step->height = fmax(fmin(step->height, log(height_most)), log(height_least));
        step->place = fmax(fmin(step->place, d->x[d->n - 1]), d->x[0]);
        step->tail = fmax(fmin(step->tail, log(tail_most)), log(tail_least));
        step->ways = fmax(fmin(step->ways, log(ways_most)), log(ways_least));
    }
}

static double loss_of(struct am_steps *s, const struct am_steps_data *d)
{
    const struct shapes shapes = shapes_of(s);
    double loss = 0;

    for (size_t i = 0; i < d->n; i++) {
        const double r = (d->y[i] - value_at(&shapes, d->x[i])) / d->sigma[i];

        loss += (freedom + 1) * log1p(r * r / freedom);
    }
    for (size_t i = 0; i < count(s); i++) {
        const struct prior prior = prior_of(i);
        const double off = prior.width > 0 ? (*parameter(s, i) - prior.centre) / prior.width : 0;

        loss += off * off;
    }
    return loss;
}

/* Shapes of a fit and of its neighbours: each step with a little more tail, a little more ways. */
struct nearby {
    struct shapes at;
    struct shape tail[AM_STEPS_MAX], ways[AM_STEPS_MAX];
};
static const double little = 1e-4;

static void nearby_of(const struct am_steps *s, struct nearby *out)
{
    out->at = shapes_of(s);
    for (size_t i = 0; i < s->n; i++) {
        const double p = out->at.items[i].p, w = out->at.items[i].w;

        out->tail[i] = shape_of(p * exp(little), w);
        out->ways[i] = shape_of(p, w * exp(little));
    }
}

/* log f at x, and its derivatives by every parameter. */
static double derivatives(const struct nearby *s, double x, double *out)
{
    double m[AM_STEPS_MAX], slope[AM_STEPS_MAX], g = 1;

    for (size_t i = 0; i < s->at.n; i++) {
        m[i] = misses(&s->at.items[i], x - s->at.items[i].place, &slope[i]);
        g += s->at.items[i].height * m[i];
    }
    out[0] = 1;
    for (size_t i = 0; i < s->at.n; i++) {
        const double z = x - s->at.items[i].place, e = s->at.items[i].height / g;

        out[1 + 4 * i] = e * m[i];
        out[2 + 4 * i] = -e * slope[i];
        out[3 + 4 * i] = e * (misses(&s->tail[i], z, NULL) - m[i]) / little;
        out[4 + 4 * i] = e * (misses(&s->ways[i], z, NULL) - m[i]) / little;
    }
    return s->at.base + log(g);
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
    struct nearby shapes;

    nearby_of(s, &shapes);
    memset(e, 0, sizeof(*e));
    for (size_t i = 0; i < count(s); i++) {
        if (hold == SIZE_MAX || i != 2 + 4 * hold)
            e->free[e->n++] = i;
    }
    for (size_t i = 0; i < d->n; i++) {
        double row[PARAMS_MAX];
        const double value = derivatives(&shapes, d->x[i], row);

        add_place(e, row, (d->y[i] - value) / d->sigma[i], d->sigma[i]);
    }
    for (size_t i = 0; i < e->n; i++) {
        const struct prior prior = prior_of(e->free[i]);
        const double weight = prior.width > 0 ? 1 / (prior.width * prior.width) : 0;

        e->a[i][i] += weight;
        e->g[i] -= weight * (*parameter(s, e->free[i]) - prior.centre);
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
    return (struct am_step){log(fmax(height, height_least)), place, priors[2].centre,
                            priors[3].centre};
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

/* The fit with a small step more half way between its steps `i` - 1 and `i`, or behind the last: as
 * translation makes a plateau climb. */
static struct am_steps add_creep(const struct am_steps *old, const struct am_steps_data *d,
                                 size_t i)
{
    const double from = i ? old->items[i - 1].place : d->x[0];
    const double to = i < old->n ? old->items[i].place : d->x[d->n - 1];
    const double at = 0.5 * (from + to);
    struct am_steps s = *old;

    s.items[s.n++] = step_at(0.05 * exp(am_steps_at(old, at) - old->base), at);
    return s;
}

/* The fit with step `i` as two, one before and one behind its place. */
static struct am_steps split_step(const struct am_steps *old, size_t i)
{
    static const double first = 0.25, away = 0.25; /* part of the height; a logarithm */
    const struct am_step *const whole = &old->items[i];
    struct am_steps s = *old;

    s.items[i] = step_at(first * exp(whole->height), whole->place - away);
    s.items[s.n] = *whole;
    s.items[s.n].height += log(1 - first);
    s.items[s.n++].place += away;
    return s;
}

/* Follows a start for some iterations, and to its end if it is then not far behind the best. */
static void try_start(struct am_steps start, const struct am_steps_data *d, struct am_steps *best)
{
    enum { FEW = 6, MANY = 40 };
    static const double behind = 20; /* of the loss */

    am_steps_improve(&start, d, FEW, SIZE_MAX);
    if (start.loss < best->loss + behind)
        am_steps_improve(&start, d, MANY, SIZE_MAX);
    if (start.loss < best->loss)
        *best = start;
}

static struct am_steps best_of(const struct segments *t, const struct am_steps_data *d, size_t k,
                               const struct am_steps *previous)
{
    struct am_steps best = {.loss = INFINITY};

    try_start(start_from(t, d, k), d, &best);
    if (!previous)
        return best;
    try_start(add_step(previous, d, t->scratch), d, &best);
    for (size_t i = 0; i <= previous->n; i++) {
        try_start(add_creep(previous, d, i), d, &best);
        if (i < previous->n)
            try_start(split_step(previous, i), d, &best);
    }
    return best;
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
