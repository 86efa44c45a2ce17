/* SPDX-License-Identifier: MIT */
/* Steps of a contour with a constraint on its shape and size: radii are drawn to 10 px, the centre
 * to the height at which the cell has been rolling. */
#include "app/leukocyte/snake.h"

#include <math.h>
#include <stdbool.h>

#define RADIUS 10.0     /* pixels, of a usual cell */
#define STEP 0.2        /* of descent */
#define SIZE_PULL 0.2   /* of radii, to RADIUS */
#define TRACK_PULL 0.05 /* of the centre, to the expected row */

const struct am_snake_setup am_snake_defaults = AM_SNAKE_DEFAULTS;

/* The field and its direction, as the contour samples them; one window, dense. */
struct force {
    const double *f, *fx, *fy;
    size_t rows, columns;
};

struct sample {
    double x, y, f, fx, fy;
};

/* cos and sin of the contour's angles. */
struct circle {
    double cosine[AM_SNAKE_POINTS], sine[AM_SNAKE_POINTS];
};

static void make_circle(struct circle *c)
{
    for (size_t i = 0; i < AM_SNAKE_POINTS; i++) {
        const double angle = 2 * M_PI * (double)i / AM_SNAKE_POINTS;

        c->cosine[i] = cos(angle);
        c->sine[i] = sin(angle);
    }
}

void am_snake_init(struct am_snake *snake, struct am_centre centre)
{
    snake->centre = centre;
    for (size_t i = 0; i < AM_SNAKE_POINTS; i++)
        snake->radius[i] = RADIUS;
}

double am_snake_mean_radius(const struct am_snake *snake)
{
    double sum = 0;

    for (size_t i = 0; i < AM_SNAKE_POINTS; i++)
        sum += snake->radius[i];
    return sum / AM_SNAKE_POINTS;
}

/* ---- the field's direction ---- */

static double slope(const double *at, size_t step, size_t i, size_t n)
{
    if (i == 0)
        return at[step] - at[0];
    if (i + 1 == n)
        return at[0] - *(at - step);
    return (at[step] - *(at - step)) / 2;
}

/* Gradient of the field, scaled to length 1; none where the field is flat. */
static void make_directions(const struct am_window *w, const double *f, double *fx, double *fy)
{
    for (size_t i = 0; i < w->rows; i++) {
        for (size_t j = 0; j < w->columns; j++) {
            const size_t at = i * w->columns + j;
            const double dx = slope(f + at, 1, j, w->columns);
            const double dy = slope(f + at, w->columns, i, w->rows);
            const double length = sqrt(dx * dx + dy * dy);

            fx[at] = length > 0 ? dx / length : 0;
            fy[at] = length > 0 ? dy / length : 0;
        }
    }
}

/* ---- one step ---- */

/* Bilinear. False when the point is not between pixels of the window. */
static bool take_sample(const struct force *force, double x, double y, struct sample *s)
{
    size_t at;
    double u, v, w[4];

    if (!(x >= 0 && x < (double)(force->columns - 1) && y >= 0 && y < (double)(force->rows - 1)))
        return false;
    at = (size_t)y * force->columns + (size_t)x;
    u = x - floor(x);
    v = y - floor(y);
    w[0] = (1 - u) * (1 - v);
    w[1] = u * (1 - v);
    w[2] = (1 - u) * v;
    w[3] = u * v;
    *s = (struct sample){.x = x, .y = y};
    for (size_t k = 0; k < 4; k++) {
        const size_t corner = at + (k & 1) + (k >> 1) * force->columns;

        s->f += w[k] * force->f[corner];
        s->fx += w[k] * force->fx[corner];
        s->fy += w[k] * force->fy[corner];
    }
    return true;
}

static double perimeter(const struct sample *s)
{
    double sum = 0;

    for (size_t i = 0; i < AM_SNAKE_POINTS; i++) {
        const struct sample *const next = &s[(i + 1) % AM_SNAKE_POINTS];

        sum += hypot(next->x - s[i].x, next->y - s[i].y);
    }
    return sum;
}

/* Radii and centre move at once, all by the old ones. Returns the sum of |changes|. */
static double move(struct am_snake *snake, const struct sample *s, double expected_y)
{
    const double length = perimeter(s);
    const struct am_centre old = snake->centre;
    double f = 0, fx = 0, fy = 0, change = 0;

    for (size_t i = 0; i < AM_SNAKE_POINTS; i++) {
        f += s[i].f / length;
        fx += s[i].fx / length;
        fy += s[i].fy / length;
    }
    for (size_t i = 0; i < AM_SNAKE_POINTS; i++) {
        const double pull =
            (s[i].f + s[i].fx * (s[i].x - old.x) + s[i].fy * (s[i].y - old.y) - f) / length;
        const double radius =
            (snake->radius[i] + STEP * pull + STEP * SIZE_PULL * RADIUS) / (1 + STEP * SIZE_PULL);

        change += fabs(radius - snake->radius[i]);
        snake->radius[i] = radius;
    }
    snake->centre.x += STEP * fx;
    snake->centre.y =
        (old.y + STEP * fy + STEP * TRACK_PULL * expected_y) / (1 + STEP * TRACK_PULL);
    return change + fabs(snake->centre.x - old.x) + fabs(snake->centre.y - old.y);
}

/* False when the contour has left the window. */
static bool sample_contour(const struct force *force, const struct circle *circle,
                           const struct am_snake *snake, struct sample *s)
{
    for (size_t i = 0; i < AM_SNAKE_POINTS; i++) {
        const double x = snake->centre.x + snake->radius[i] * circle->cosine[i];
        const double y = snake->centre.y + snake->radius[i] * circle->sine[i];

        if (!take_sample(force, x, y, &s[i]))
            return false;
    }
    return true;
}

/* The flow's direction leaves the first harmonic in the radii: the contour lies beside its centre.
 * Moves the centre into the contour's middle, to first order. */
static void recentre(struct am_snake *snake, const struct circle *circle)
{
    double dx = 0, dy = 0;

    for (size_t i = 0; i < AM_SNAKE_POINTS; i++) {
        dx += 2 * snake->radius[i] * circle->cosine[i] / AM_SNAKE_POINTS;
        dy += 2 * snake->radius[i] * circle->sine[i] / AM_SNAKE_POINTS;
    }
    snake->centre.x += dx;
    snake->centre.y += dy;
    for (size_t i = 0; i < AM_SNAKE_POINTS; i++)
        snake->radius[i] -= dx * circle->cosine[i] + dy * circle->sine[i];
}

size_t am_snake_move(struct am_snake *snake, const struct am_snake_setup *setup,
                     const struct am_window *window, const double *field, double expected_y,
                     double *work)
{
    const size_t n = window->rows * window->columns;
    const struct force force = {field, work, work + n, window->rows, window->columns};
    const double x0 = (double)window->x0, y0 = (double)window->y0;
    struct sample samples[AM_SNAKE_POINTS];
    struct circle circle;
    size_t steps = 0;

    make_circle(&circle);
    make_directions(window, field, work, work + n);
    snake->centre.x -= x0;
    snake->centre.y -= y0;
    while (steps < setup->limit && sample_contour(&force, &circle, snake, samples)) {
        steps++;
        if (move(snake, samples, expected_y - y0) <= setup->stop)
            break;
    }
    recentre(snake, &circle);
    snake->centre.x += x0;
    snake->centre.y += y0;
    return steps;
}
