/* SPDX-License-Identifier: MIT */
/* Steps of a contour with a constraint on its shape and size: radii are drawn to 10 px, the centre
 * to the height at which the cell has been rolling. Compiled once more with AVX2 (wide.h). */
#include "app/leukocyte/snake.h"

#include "app/leukocyte/wide.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define STEP 0.2        /* of descent */
#define SIZE_PULL 0.2   /* of radii, to AM_SNAKE_RADIUS */
#define TRACK_PULL 0.05 /* of the centre, to the expected row */

#define REACH 17 /* pixels around the centre that directions are made of first */

enum { N = AM_SNAKE_POINTS };
_Static_assert(N % 4 == 0, "sums of four");

/* The field at a pixel, its direction along x and y, and 0: a sample takes four of them, and
 * calculates with their numbers at once. */
typedef double pixel __attribute__((vector_size(32), aligned(8), may_alias));

/* Pixels of one window; those with a direction are x0 to x1, y0 to y1. */
struct force {
    pixel *at;
    const double *field;
    size_t rows, columns, x0, x1, y0, y1;
};

/* The contour's points and the field at each. */
struct samples {
    double x[N], y[N], f[N], fx[N], fy[N];
};

/* cos and sin of the contour's angles. */
struct circle {
    double cosine[AM_SNAKE_POINTS], sine[AM_SNAKE_POINTS];
};

static void make_circle(struct circle *c)
{
    for (size_t i = 0; i < N; i++) {
        const double angle = 2 * M_PI * (double)i / AM_SNAKE_POINTS;

        c->cosine[i] = cos(angle);
        c->sine[i] = sin(angle);
    }
}

/* ---- the field's direction ---- */

/* Slopes along x: central differences, one-sided at the row's ends. */
static void slopes_of_row(const struct force *force, const double *f, double *slopes)
{
    const size_t last = force->columns - 1;
    const size_t begin = force->x0 > 0 ? force->x0 : 1;
    const size_t end = force->x1 < last ? force->x1 + 1 : last;

    slopes[0] = f[1] - f[0];
    slopes[last] = f[last] - f[last - 1];
    for (size_t j = begin; j < end; j++)
        slopes[j] = (f[j + 1] - f[j - 1]) / 2;
}

/* Gradient of the field, scaled to length 1; none where the field is flat. */
static void make_directions(const struct force *force)
{
    const size_t columns = force->columns;
    double dx[AM_WINDOW_COLUMNS_MAX], dy[AM_WINDOW_COLUMNS_MAX];

    for (size_t i = force->y0; i <= force->y1; i++) {
        const bool first = i == 0, last = i + 1 == force->rows;
        const double *const f = force->field + i * columns;
        const double *const up = first ? f : f - columns, *const down = last ? f : f + columns;
        const double by = first || last ? 1 : 0.5;
        pixel *const to = force->at + i * columns;

        slopes_of_row(force, f, dx);
        for (size_t j = force->x0; j <= force->x1; j++) {
            const double y = (down[j] - up[j]) * by, length = sqrt(dx[j] * dx[j] + y * y);
            const double size = length > 0 ? length : 1;

            dx[j] = dx[j] / size;
            dy[j] = y / size;
        }
        for (size_t j = force->x0; j <= force->x1; j++)
            to[j] = (pixel){f[j], dx[j], dy[j], 0};
    }
}

static void limit_to(double centre, size_t n, size_t *first, size_t *last)
{
    const double most = (double)(n - 1);

    *first = (size_t)fmin(fmax(centre - REACH, 0), most);
    *last = (size_t)fmax(fmin(centre + REACH, most), 0);
}

/* False when everything has its direction already. */
static bool widen(struct force *force)
{
    if (force->x0 == 0 && force->y0 == 0 && force->x1 == force->columns - 1 &&
        force->y1 == force->rows - 1)
        return false;
    force->x0 = force->y0 = 0;
    force->x1 = force->columns - 1;
    force->y1 = force->rows - 1;
    make_directions(force);
    return true;
}

/* ---- one step ---- */

/* False when a point is not between pixels that have a direction. */
static bool place_points(const struct force *force, const struct circle *circle,
                         const struct am_snake *snake, struct samples *s)
{
    const double x0 = (double)force->x0, x1 = (double)force->x1;
    const double y0 = (double)force->y0, y1 = (double)force->y1;
    unsigned outside = 0;

    for (size_t i = 0; i < N; i++) {
        s->x[i] = snake->centre.x + snake->radius[i] * circle->cosine[i];
        s->y[i] = snake->centre.y + snake->radius[i] * circle->sine[i];
    }
    for (size_t i = 0; i < N; i++)
        outside |= (unsigned)!(s->x[i] >= x0) | (unsigned)!(s->x[i] < x1) |
                   (unsigned)!(s->y[i] >= y0) | (unsigned)!(s->y[i] < y1);
    return !outside;
}

/* Bilinear. Places are in the window, and so not negative. */
static void take_samples(const struct force *force, struct samples *s)
{
    for (size_t i = 0; i < N; i++) {
        const int32_t x = (int32_t)s->x[i], y = (int32_t)s->y[i];
        const pixel *const a = force->at + (size_t)y * force->columns + (size_t)x;
        const pixel *const b = a + force->columns;
        const double u = s->x[i] - x, v = s->y[i] - y;
        const double w0 = (1 - u) * (1 - v), w1 = u * (1 - v), w2 = (1 - u) * v, w3 = u * v;
        const pixel sample = (w0 * a[0] + w1 * a[1]) + (w2 * b[0] + w3 * b[1]);

        s->f[i] = sample[0];
        s->fx[i] = sample[1];
        s->fy[i] = sample[2];
    }
}

/* Four sums side by side: a single one would wait for each addition. */
static double sum_of(const double *x)
{
    double sum[4] = {0};

    for (size_t i = 0; i < N; i += 4) {
        for (size_t k = 0; k < 4; k++)
            sum[k] += x[i + k];
    }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static double perimeter(const struct samples *s)
{
    double side[N];

    for (size_t i = 0; i < N; i++) {
        const size_t next = i + 1 < N ? i + 1 : 0;
        const double dx = s->x[next] - s->x[i], dy = s->y[next] - s->y[i];

        side[i] = sqrt(dx * dx + dy * dy);
    }
    return sum_of(side);
}

/* Radii and centre move at once, all by the old ones. Returns the sum of |changes|. */
static double move(struct am_snake *snake, const struct samples *s, double expected_y)
{
    const double inverse = 1 / perimeter(s), rest = 1 / (1 + STEP * SIZE_PULL);
    const struct am_centre old = snake->centre;
    const double f = sum_of(s->f) * inverse;
    double change[N];

    for (size_t i = 0; i < N; i++) {
        const double pull =
            (s->f[i] + s->fx[i] * (s->x[i] - old.x) + s->fy[i] * (s->y[i] - old.y) - f) * inverse;
        const double radius =
            (snake->radius[i] + STEP * pull + STEP * SIZE_PULL * AM_SNAKE_RADIUS) * rest;

        change[i] = fabs(radius - snake->radius[i]);
        snake->radius[i] = radius;
    }
    snake->centre.x += STEP * (sum_of(s->fx) * inverse);
    snake->centre.y = (old.y + STEP * (sum_of(s->fy) * inverse) + STEP * TRACK_PULL * expected_y) /
                      (1 + STEP * TRACK_PULL);
    return sum_of(change) + fabs(snake->centre.x - old.x) + fabs(snake->centre.y - old.y);
}

/* The flow's direction leaves the first harmonic in the radii: the contour lies beside its centre.
 * Moves the centre into the contour's middle, to first order. */
static void recentre(struct am_snake *snake, const struct circle *circle)
{
    double dx = 0, dy = 0;

    for (size_t i = 0; i < N; i++) {
        dx += 2 * snake->radius[i] * circle->cosine[i] / AM_SNAKE_POINTS;
        dy += 2 * snake->radius[i] * circle->sine[i] / AM_SNAKE_POINTS;
    }
    snake->centre.x += dx;
    snake->centre.y += dy;
    for (size_t i = 0; i < N; i++)
        snake->radius[i] -= dx * circle->cosine[i] + dy * circle->sine[i];
}

size_t AM_LEUKO_NAME(am_snake_move)(struct am_snake *snake, const struct am_snake_setup *setup,
                                    const struct am_window *window, const double *field,
                                    double expected_y, double *work)
{
    struct force force = {(pixel *)(void *)work, field, .rows = window->rows,
                          .columns = window->columns};
    const double x0 = (double)window->x0, y0 = (double)window->y0;
    struct samples samples;
    struct circle circle;
    size_t steps = 0;

    make_circle(&circle);
    snake->centre.x -= x0;
    snake->centre.y -= y0;
    limit_to(snake->centre.x, window->columns, &force.x0, &force.x1);
    limit_to(snake->centre.y, window->rows, &force.y0, &force.y1);
    make_directions(&force);
    while (steps < setup->limit) {
        if (!place_points(&force, &circle, snake, &samples)) {
            if (!widen(&force))
                break;
            continue;
        }
        take_samples(&force, &samples);
        steps++;
        if (move(snake, &samples, expected_y - y0) <= setup->stop)
            break;
    }
    recentre(snake, &circle);
    snake->centre.x += x0;
    snake->centre.y += y0;
    return steps;
}
