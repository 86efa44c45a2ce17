/* SPDX-License-Identifier: MIT */
/* Steps of a contour with a constraint on its shape and size: radii are drawn to 10 px, the centre
 * to the height at which the cell has been rolling. Compiled for several ISAs (wide.h). */
#include "app/leukocyte/snake.h"

#include "app/leukocyte/wide.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define STEP 0.2        /* of descent */
#define SIZE_PULL 0.2   /* of radii, to AM_SNAKE_RADIUS */
#define TRACK_PULL 0.05 /* of the centre, to the expected row */

#define REACH 17 /* pixels around the centre that directions are made of first */

/* Points of the contour, four at a time: a processor without such vectors takes two and two. */
enum { N = AM_SNAKE_POINTS, FOURS = N / 4 };
_Static_assert(N == 20, "what is added in pairs, and the circle's numbers");

typedef double four __attribute__((vector_size(32), may_alias));
typedef int64_t four_words __attribute__((vector_size(32), may_alias));
typedef int32_t four_corner __attribute__((vector_size(16), may_alias));
#define ALL(x) ((four){0} + (x))
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 5") /* rounds at most */
#endif
#define EACH_FOUR UNROLLED for (size_t k = 0; k < FOURS; k++)

/* The field at a pixel, its direction along x and y, and 0: a sample takes four of them, and
 * calculates with their numbers at once. */
typedef double pixel __attribute__((vector_size(32), aligned(8), may_alias));

/* Pixels of one window; those with a direction are x0 to x1, y0 to y1. */
struct force {
    pixel *at;
    const double *field;
    size_t rows, columns, x0, x1, y0, y1;
    double low_x, high_x, low_y, high_y; /* x0, x1, y0, y1 again: every step asks for them */
};

/* The contour while it moves, in pixels of the window. */
struct contour {
    four radius[FOURS];
    double x, y;
};

/* The contour's points and the field at each. */
struct samples {
    four from_x[FOURS], from_y[FOURS]; /* the centre */
    four x[FOURS], y[FOURS], f[FOURS], fx[FOURS], fy[FOURS];
    pixel sum; /* of f, fx and fy */
};

/* cos and sin of the contour's angles, 18 degrees apart. */
#define C1 0x1.e6f0e134454ffp-1
#define C2 0x1.9e3779b97f4a8p-1
#define C3 0x1.2cf2304755a5ep-1
#define C4 0x1.3c6ef372fe95p-2
static const four circle_cosine[FOURS] = {
    {1, C1, C2, C3}, {C4, 0, -C4, -C3}, {-C2, -C1, -1, -C1}, {-C2, -C3, -C4, 0}, {C4, C3, C2, C1}};
static const four circle_sine[FOURS] = {
    {0, C4, C3, C2}, {C1, 1, C1, C2}, {C3, C4, 0, -C4}, {-C3, -C2, -C1, -1}, {-C1, -C2, -C3, -C4}};

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
static void make_directions(struct force *force)
{
    const size_t columns = force->columns;
    double dx[AM_WINDOW_COLUMNS_MAX], dy[AM_WINDOW_COLUMNS_MAX];

    force->low_x = (double)force->x0;
    force->high_x = (double)force->x1;
    force->low_y = (double)force->y0;
    force->high_y = (double)force->y1;
    for (size_t i = force->y0; i <= force->y1; i++) {
        const bool first = i == 0, last = i + 1 == force->rows;
        const double *const f = force->field + i * columns;
        const double *const up = first ? f : f - columns, *const down = last ? f : f + columns;
        const double by = first || last ? 1 : 0.5;
        pixel *const to = force->at + i * columns;

        slopes_of_row(force, f, dx);
        for (size_t j = force->x0; j <= force->x1; j++) {
            const double y = (down[j] - up[j]) * by, length = sqrt(dx[j] * dx[j] + y * y);
            const double inverse = 1 / (length > 0 ? length : 1);

            dx[j] = dx[j] * inverse;
            dy[j] = y * inverse;
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
static bool place_points(const struct force *force, const struct contour *c, struct samples *s)
{
    const four x0 = ALL(force->low_x), x1 = ALL(force->high_x);
    const four y0 = ALL(force->low_y), y1 = ALL(force->high_y);
    four_words inside = ~(four_words){0};

    EACH_FOUR
    {
        s->from_x[k] = c->radius[k] * circle_cosine[k];
        s->from_y[k] = c->radius[k] * circle_sine[k];
        s->x[k] = c->x + s->from_x[k];
        s->y[k] = c->y + s->from_y[k];
        inside &= (s->x[k] >= x0) & (s->x[k] < x1) & (s->y[k] >= y0) & (s->y[k] < y1);
    }
    return (inside[0] & inside[1] & inside[2] & inside[3]) != 0;
}

/* Four numbers of each of four points, as four points of each number; the last has none. */
static inline void turn(const pixel *p, four *f, four *fx, four *fy)
{
    const four a = __builtin_shufflevector(p[0], p[1], 0, 4, 2, 6);
    const four b = __builtin_shufflevector(p[0], p[1], 1, 5, 3, 7);
    const four c = __builtin_shufflevector(p[2], p[3], 0, 4, 2, 6);
    const four d = __builtin_shufflevector(p[2], p[3], 1, 5, 3, 7);

    *f = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    *fx = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    *fy = __builtin_shufflevector(a, c, 2, 3, 6, 7);
}

/* Bilinear: between two pixels of a row, then between two rows. Places are in the window, and so
 * not negative. */
static void take_samples(const struct force *force, struct samples *s)
{
    double u[N], v[N];
    pixel sum[FOURS];
    int32_t at[N];

    EACH_FOUR
    {
        const four_corner ix = __builtin_convertvector(s->x[k], four_corner);
        const four_corner iy = __builtin_convertvector(s->y[k], four_corner);

        *(four *)(void *)(u + 4 * k) = s->x[k] - __builtin_convertvector(ix, four);
        *(four *)(void *)(v + 4 * k) = s->y[k] - __builtin_convertvector(iy, four);
        *(four_corner *)(void *)(at + 4 * k) = iy * (int32_t)force->columns + ix;
    }
    /* Shares are read one by one: that is cheaper than taking them out of their vectors, which a
     * compiler that knows them does. */
    __asm__("" : "+m"(u), "+m"(v), "+m"(at));
    EACH_FOUR
    {
        pixel p[4];

        UNROLLED for (size_t q = 0; q < 4; q++)
        {
            const pixel *const a = force->at + at[4 * k + q], *const b = a + force->columns;
            const size_t i = 4 * k + q;
            const pixel top = a[0] + u[i] * (a[1] - a[0]), low = b[0] + u[i] * (b[1] - b[0]);

            p[q] = top + v[i] * (low - top);
        }
        sum[k] = (p[0] + p[1]) + (p[2] + p[3]);
        turn(p, &s->f[k], &s->fx[k], &s->fy[k]);
    }
    s->sum = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + sum[4];
}

/* Not one after the other: each addition would wait for the one before. */
static double sum_of(const four *x)
{
    const four sum = ((x[0] + x[1]) + (x[2] + x[3])) + x[4];

    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Lengths from each point to the next. */
static void make_sides(const struct samples *s, four *side)
{
    EACH_FOUR
    {
        const size_t next = k + 1 < FOURS ? k + 1 : 0;
        const four dx = __builtin_shufflevector(s->x[k], s->x[next], 1, 2, 3, 4) - s->x[k];
        const four dy = __builtin_shufflevector(s->y[k], s->y[next], 1, 2, 3, 4) - s->y[k];
        const four square = dx * dx + dy * dy;

        side[k] = (four){sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    }
}

/* Radii and centre move at once, all by the old ones. `inverse` is 1 / perimeter. Returns the sum
 * of |changes|. The next step waits for all of this one: what does not depend on the perimeter is
 * computed apart from it, so that little is left once it is known. */
static double move(struct contour *c, const struct samples *s, double inverse, double expected_y)
{
    const double rest = 1 / (1 + STEP * SIZE_PULL), rest_y = 1 / (1 + STEP * TRACK_PULL);
    const double f = s->sum[0] * inverse, x = c->x, y = c->y;
    const double by = inverse * (STEP * rest), by_y = inverse * (STEP * rest_y);
    four change[FOURS];

    EACH_FOUR
    {
        const four pull = s->f[k] + s->fx[k] * s->from_x[k] + s->fy[k] * s->from_y[k];
        const four kept = c->radius[k] * rest + STEP * SIZE_PULL * AM_SNAKE_RADIUS * rest;
        const four radius = kept + (pull - f) * by;

        change[k] = (four)((four_words)(radius - c->radius[k]) & INT64_MAX);
        c->radius[k] = radius;
    }
    c->x += s->sum[1] * (inverse * STEP);
    c->y = (y + STEP * TRACK_PULL * expected_y) * rest_y + s->sum[2] * by_y;
    return sum_of(change) + fabs(c->x - x) + fabs(c->y - y);
}

/* The flow's direction leaves the first harmonic in the radii: the contour lies beside its centre.
 * Moves the centre into the contour's middle, to first order. */
static void recentre(struct contour *c)
{
    four x[FOURS], y[FOURS];
    double dx, dy;

    EACH_FOUR
    {
        x[k] = c->radius[k] * circle_cosine[k];
        y[k] = c->radius[k] * circle_sine[k];
    }
    dx = 2 * sum_of(x) / N;
    dy = 2 * sum_of(y) / N;
    c->x += dx;
    c->y += dy;
    EACH_FOUR
    c->radius[k] -= dx * circle_cosine[k] + dy * circle_sine[k];
}

size_t AM_LEUKO_NAME(am_snake_move)(struct am_snake *snake, const struct am_snake_setup *setup,
                                    const struct am_window *window, const double *field,
                                    double expected_y, double *work)
{
    struct force force = {(pixel *)(void *)work, field, .rows = window->rows,
                          .columns = window->columns};
    const double x0 = (double)window->x0, y0 = (double)window->y0;
    struct contour c = {.x = snake->centre.x - x0, .y = snake->centre.y - y0};
    struct samples samples;
    size_t steps = 0;

    memcpy(c.radius, snake->radius, sizeof(c.radius));
    limit_to(c.x, window->columns, &force.x0, &force.x1);
    limit_to(c.y, window->rows, &force.y0, &force.y1);
    make_directions(&force);
    while (steps < setup->limit) {
        four side[FOURS];

        if (!place_points(&force, &c, &samples)) {
            if (!widen(&force))
                break;
            continue;
        }
        make_sides(&samples, side); /* roots take long: the samples are taken meanwhile */
        take_samples(&force, &samples);
        steps++;
        if (move(&c, &samples, 1 / sum_of(side), expected_y - y0) <= setup->stop)
            break;
    }
    recentre(&c);
    memcpy(snake->radius, c.radius, sizeof(c.radius));
    snake->centre.x = c.x + x0;
    snake->centre.y = c.y + y0;
    return steps;
}
