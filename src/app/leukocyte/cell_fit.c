/* SPDX-License-Identifier: MIT */
/* Normal equations of a moved profile, by sectors, so that each can be left out. */
#include "app/leukocyte/cell_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unknowns of a step: how far the place moves, then background (level, slopes) and contrast. */
enum { DX, DY, LEVEL, SLOPE_X, SLOPE_Y, CONTRAST, UNKNOWNS };

enum {
    SECTORS = 8,
    SECTORS_MIN = 3, /* fewer do not surround a place */
    STEPS_MAX = 40,
    PIXELS_MAX = 2 * AM_CELL_RINGS * 2 * AM_CELL_RINGS,
};

#define BACKGROUND 2.0   /* px around the cell that are fitted, too */
#define STEP_MAX 2.0     /* px; the profile is a straight line no further than that */
#define SETTLED 0.02     /* px: little against the noise of a place, some 0.1 */
#define MOVE_MAX 8.0     /* px from where the search began */
#define CONTRAST_OFF 0.5 /* from that of the profile at most, to be the same cell, and one */
#define SHARE_MIN 0.5    /* of its pixels that must be seen: of less the rest can be anything */
#define HUBER 1.345      /* standard deviations; 95 % efficient for normal noise */
#define SEEN_SHARE 0.1   /* of the range; less of a cell is taken for background */
#define ROUNDING 0.29    /* standard deviation of grey values that are whole numbers */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(x, n, sizeof(*x), by_value);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* ---- pixels around a place ---- */

struct bounds {
    size_t x0, x1, y0, y1; /* x0 <= x < x1 */
};

static size_t limited(double x, size_t n)
{
    return x <= 0 ? 0 : x >= (double)n ? n : (size_t)x;
}

static struct bounds bounds_around(struct am_image frame, struct am_centre at, double radius)
{
    return (struct bounds){limited(ceil(at.x - radius), frame.width),
                           limited(floor(at.x + radius) + 1, frame.width),
                           limited(ceil(at.y - radius), frame.height),
                           limited(floor(at.y + radius) + 1, frame.height)};
}

/* ---- the profile ---- */

static double ring_median(struct am_image frame, struct am_centre at, size_t ring)
{
    const struct bounds b = bounds_around(frame, at, (double)ring + 1);
    double grey[PIXELS_MAX];
    size_t n = 0;

    for (size_t y = b.y0; y < b.y1; y++) {
        for (size_t x = b.x0; x < b.x1; x++) {
            const double r = hypot((double)x - at.x, (double)y - at.y);

            /* two pixels wide around the centre, where one pixel in width may hold none */
            if (fabs(r - (double)ring) <= (ring == 0 ? 1 : 0.5))
                grey[n++] = frame.pixels[y * frame.width + x];
        }
    }
    return median(grey, n);
}

/* The first ring from which on no more than SEEN_SHARE of the range is seen. */
static size_t ring_behind(const struct am_cell_profile *profile)
{
    size_t ring = AM_CELL_RINGS - 1;

    while (ring > 1 && fabs(profile->grey[ring - 1]) <= SEEN_SHARE * profile->range)
        ring--;
    return ring;
}

void am_cell_profile_learn(struct am_image frame, struct am_centre at,
                           struct am_cell_profile *profile)
{
    double low = INFINITY, high = -INFINITY, last;

    for (size_t i = 0; i < AM_CELL_RINGS; i++) {
        const double ring = ring_median(frame, at, i);

        /* a ring outside of the picture is like the one before it */
        profile->grey[i] = isnan(ring) ? (i ? profile->grey[i - 1] : 0) : ring;
    }
    last = profile->grey[AM_CELL_RINGS - 1];
    for (size_t i = 0; i < AM_CELL_RINGS; i++) {
        profile->grey[i] -= last;
        low = fmin(low, profile->grey[i]);
        high = fmax(high, profile->grey[i]);
    }
    profile->range = high - low;
    profile->reach = (double)ring_behind(profile);
}

/* Grey at a distance, and its slope there. */
static double profile_at(const struct am_cell_profile *profile, double r, double *slope)
{
    const size_t i = (size_t)r;

    if (i + 1 >= AM_CELL_RINGS) {
        *slope = 0;
        return 0;
    }
    *slope = profile->grey[i + 1] - profile->grey[i];
    return profile->grey[i] + (r - (double)i) * *slope;
}

/* ---- normal equations ---- */

struct equations {
    double matrix[UNKNOWNS][UNKNOWNS]; /* lower triangle */
    double right[UNKNOWNS];
    size_t pixels;
};

struct pixel {
    double u, v; /* from where the search began */
    double grey;
    size_t sector;
};

/* A search under way. */
struct search {
    const struct am_cell_profile *profile;
    struct pixel *pixels;
    double *residuals;
    size_t n;
    double model[UNKNOWNS]; /* DX, DY: place; the rest as in a step */
    double scale;           /* of the residuals; INFINITY before there are any */
};

/* The line of one pixel, and what the model leaves of its grey. */
static double make_row(const struct search *s, const struct pixel *p, double row[UNKNOWNS])
{
    const double x = p->u - s->model[DX], y = p->v - s->model[DY], r = hypot(x, y);
    double slope;
    const double grey = profile_at(s->profile, r, &slope);
    const double along = r > 0 ? -s->model[CONTRAST] * slope / r : 0;

    row[DX] = along * x;
    row[DY] = along * y;
    row[LEVEL] = 1;
    row[SLOPE_X] = p->u;
    row[SLOPE_Y] = p->v;
    row[CONTRAST] = grey;
    return p->grey - s->model[LEVEL] - s->model[SLOPE_X] * p->u - s->model[SLOPE_Y] * p->v -
           s->model[CONTRAST] * grey;
}

static void add_equations(struct equations *to, const struct equations *from, double sign)
{
    for (size_t i = 0; i < UNKNOWNS; i++) {
        for (size_t k = 0; k <= i; k++)
            to->matrix[i][k] += sign * from->matrix[i][k];
        to->right[i] += sign * from->right[i];
    }
}

static void make_equations(struct search *s, struct equations sectors[SECTORS])
{
    memset(sectors, 0, SECTORS * sizeof(*sectors));
    for (size_t j = 0; j < s->n; j++) {
        struct equations *const e = &sectors[s->pixels[j].sector];
        double row[UNKNOWNS];
        const double left = make_row(s, &s->pixels[j], row), size = fabs(left);
        const double weight = size > HUBER * s->scale ? HUBER * s->scale / size : 1;

        s->residuals[j] = size;
        e->pixels++;
        for (size_t i = 0; i < UNKNOWNS; i++) {
            for (size_t k = 0; k <= i; k++)
                e->matrix[i][k] += weight * row[i] * row[k];
            e->right[i] += weight * row[i] * left;
        }
    }
    /* of normal noise, by its median size */
    s->scale = fmax(1.4826 * median(s->residuals, s->n), ROUNDING);
}

/* By Cholesky's factors. False where the equations do not determine the unknowns. */
static bool solve(const struct equations *e, double x[UNKNOWNS])
{
    double l[UNKNOWNS][UNKNOWNS];

    for (size_t i = 0; i < UNKNOWNS; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = e->matrix[i][k];

            for (size_t j = 0; j < k; j++)
                sum -= l[i][j] * l[k][j];
            if (k < i)
                l[i][k] = sum / l[k][k];
            else if (sum > 1e-9 * e->matrix[i][i])
                l[i][i] = sqrt(sum);
            else
                return false;
        }
    }
    for (size_t i = 0; i < UNKNOWNS; i++) {
        x[i] = e->right[i];
        for (size_t j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] /= l[i][i];
    }
    for (size_t i = UNKNOWNS; i-- > 0;) {
        for (size_t j = i + 1; j < UNKNOWNS; j++)
            x[i] -= l[j][i] * x[j];
        x[i] /= l[i][i];
    }
    return true;
}

/* ---- a search ---- */

static bool is_covered(const struct am_cell_cover *covers, size_t n, double x, double y)
{
    for (size_t k = 0; k < n; k++) {
        if (hypot(x - covers[k].at.x, y - covers[k].at.y) < covers[k].radius)
            return true;
    }
    return false;
}

/* The share of the pixels that are taken. */
static double take_pixels(struct search *s, struct am_image frame, struct am_centre from,
                          const struct am_cell_cover *covers, size_t n, const float *ground)
{
    const double radius = fmin(s->profile->reach + BACKGROUND, AM_CELL_RINGS - 1);
    const struct bounds b = bounds_around(frame, from, radius);
    size_t all = 0;

    s->n = 0;
    for (size_t y = b.y0; y < b.y1; y++) {
        for (size_t x = b.x0; x < b.x1; x++) {
            const double u = (double)x - from.x, v = (double)y - from.y;
            const double turn = (atan2(v, u) + M_PI) * SECTORS / (2 * M_PI);
            const double under = ground ? (double)ground[y * frame.width + x] : 0;

            if (hypot(u, v) > radius)
                continue;
            all++;
            if (!isnan(under) && !is_covered(covers, n, (double)x, (double)y))
                s->pixels[s->n++] = (struct pixel){u, v, frame.pixels[y * frame.width + x] - under,
                                                   (size_t)turn % SECTORS};
        }
    }
    return all ? (double)s->n / (double)all : 0;
}

/* Each sector left out in turn: how far its place lies from that of all. */
static double jackknife(const struct equations sectors[SECTORS], const struct equations *all)
{
    double x[SECTORS], y[SECTORS], mean_x = 0, mean_y = 0, sum = 0;
    size_t n = 0;

    for (size_t k = 0; k < SECTORS; k++) {
        struct equations rest = *all;
        double step[UNKNOWNS];

        if (sectors[k].pixels == 0)
            continue;
        add_equations(&rest, &sectors[k], -1);
        if (!solve(&rest, step))
            return INFINITY;
        x[n] = step[DX];
        y[n++] = step[DY];
    }
    if (n < SECTORS_MIN)
        return INFINITY;
    for (size_t k = 0; k < n; k++) {
        mean_x += x[k] / (double)n;
        mean_y += y[k] / (double)n;
    }
    for (size_t k = 0; k < n; k++)
        sum += (x[k] - mean_x) * (x[k] - mean_x) + (y[k] - mean_y) * (y[k] - mean_y);
    return sqrt(sum * (double)(n - 1) / (double)n);
}

/* One step. Its length; NAN: the pixels do not tell. */
static double take_step(struct search *s, struct equations sectors[SECTORS], struct equations *all)
{
    double step[UNKNOWNS], length, part;

    make_equations(s, sectors);
    *all = (struct equations){0};
    for (size_t k = 0; k < SECTORS; k++)
        add_equations(all, &sectors[k], 1);
    if (!solve(all, step))
        return NAN;
    length = hypot(step[DX], step[DY]);
    part = length > STEP_MAX ? STEP_MAX / length : 1;
    for (size_t i = 0; i < UNKNOWNS; i++)
        s->model[i] += i <= DY ? part * step[i] : step[i];
    return length;
}

/* Whether the steps settled near where they began. */
static bool settle(struct search *s, struct equations sectors[SECTORS], struct equations *all)
{
    for (size_t i = 0; i < STEPS_MAX; i++) {
        const double length = take_step(s, sectors, all);

        if (!(length >= 0) || hypot(s->model[DX], s->model[DY]) > MOVE_MAX)
            return false;
        if (length < SETTLED && i > 0) /* the first has no weights yet */
            return true;
    }
    return false;
}

struct am_cell_fit am_cell_profile_find(const struct am_cell_profile *profile,
                                        struct am_image frame, struct am_centre from,
                                        const struct am_cell_cover *covers, size_t n,
                                        const float *ground)
{
    struct pixel pixels[PIXELS_MAX];
    double residuals[PIXELS_MAX];
    struct search s = {.profile = profile,
                       .pixels = pixels,
                       .residuals = residuals,
                       .model = {[CONTRAST] = 1},
                       .scale = INFINITY};
    struct equations sectors[SECTORS], all;
    struct am_cell_fit fit = {.error = INFINITY};

    if (take_pixels(&s, frame, from, covers, n, ground) < SHARE_MIN || s.n < UNKNOWNS ||
        !(profile->range > 0) || !settle(&s, sectors, &all))
        return fit;
    fit.at = (struct am_centre){from.x + s.model[DX], from.y + s.model[DY]};
    fit.contrast = s.model[CONTRAST];
    fit.found = fabs(fit.contrast - 1) <= CONTRAST_OFF;
    fit.error = jackknife(sectors, &all);
    return fit;
}
