/* SPDX-License-Identifier: MIT */
/* Steps of a contour against the formulas, one point at a time in long double: places, radii and
 * the number of steps, in windows of many sizes. */
#include "app/leukocyte/snake.h"

#include "app/leukocyte/wide.h"
#include "base/rng.h"
#include "tap.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { N = AM_SNAKE_POINTS, PIXELS_MAX = AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX };

struct trial {
    struct am_window window;
    double field[PIXELS_MAX];
    struct am_centre start;
    double expected_y;
};

/* What the formulas give. */
struct plain {
    long double x, y, radius[N];
    size_t steps;
};

static double field_at(const struct trial *t, size_t i, size_t j)
{
    return t->field[i * t->window.columns + j];
}

static long double slope(double before, double here, double after, bool first, bool last)
{
    if (first)
        return (long double)after - here;
    if (last)
        return (long double)here - before;
    return ((long double)after - before) / 2;
}

/* Field and direction of pixel (i, j). */
static void look(const struct trial *t, size_t i, size_t j, long double out[3])
{
    const size_t rows = t->window.rows, columns = t->window.columns;
    const double here = field_at(t, i, j);
    const long double dx =
        slope(j > 0 ? field_at(t, i, j - 1) : 0, here, j + 1 < columns ? field_at(t, i, j + 1) : 0,
              j == 0, j + 1 == columns);
    const long double dy = slope(i > 0 ? field_at(t, i - 1, j) : 0, here,
                                 i + 1 < rows ? field_at(t, i + 1, j) : 0, i == 0, i + 1 == rows);
    const long double length = sqrtl(dx * dx + dy * dy);

    out[0] = here;
    out[1] = length > 0 ? dx / length : 0;
    out[2] = length > 0 ? dy / length : 0;
}

static bool sample(const struct trial *t, long double x, long double y, long double out[3])
{
    const long double u = x - floorl(x), v = y - floorl(y);

    if (!(x >= 0 && x < (long double)(t->window.columns - 1) && y >= 0 &&
          y < (long double)(t->window.rows - 1)))
        return false;
    out[0] = out[1] = out[2] = 0;
    for (size_t k = 0; k < 4; k++) {
        const long double weight = (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v);
        long double pixel[3];

        look(t, (size_t)y + (k >> 1), (size_t)x + (k & 1), pixel);
        for (size_t q = 0; q < 3; q++)
            out[q] += weight * pixel[q];
    }
    return true;
}

/* Returns false when a point left the window; *change is how far all moved. */
static bool step(const struct trial *t, struct plain *p, long double *change)
{
    const long double size = 0.2L, pull = 0.2L, back = 0.05L; /* of a step; to 10 px; to the row */
    long double at[N][3], px[N], py[N], length = 0, sum[3] = {0};
    const long double x = p->x, y = p->y, row = t->expected_y - (double)t->window.y0;

    for (size_t i = 0; i < N; i++) {
        const long double angle = 2 * acosl(-1) * (long double)i / N;

        px[i] = x + p->radius[i] * cosl(angle);
        py[i] = y + p->radius[i] * sinl(angle);
        if (!sample(t, px[i], py[i], at[i]))
            return false;
        for (size_t q = 0; q < 3; q++)
            sum[q] += at[i][q];
    }
    for (size_t i = 0; i < N; i++)
        length += hypotl(px[(i + 1) % N] - px[i], py[(i + 1) % N] - py[i]);
    p->x = x + size * sum[1] / length;
    p->y = (y + size * sum[2] / length + size * back * row) / (1 + size * back);
    *change = fabsl(p->x - x) + fabsl(p->y - y);
    for (size_t i = 0; i < N; i++) {
        const long double force =
            (at[i][0] + at[i][1] * (px[i] - x) + at[i][2] * (py[i] - y) - sum[0] / length) / length;
        const long double r = (p->radius[i] + size * force + size * pull * 10) / (1 + size * pull);

        *change += fabsl(r - p->radius[i]);
        p->radius[i] = r;
    }
    p->steps++;
    return true;
}

static struct plain follow(const struct trial *t, const struct am_snake_setup *setup)
{
    struct plain p = {.x = t->start.x - (double)t->window.x0,
                      .y = t->start.y - (double)t->window.y0};
    long double change = INFINITY, dx = 0, dy = 0;

    for (size_t i = 0; i < N; i++)
        p.radius[i] = AM_SNAKE_RADIUS;
    while (p.steps < setup->limit && change > (long double)setup->stop && step(t, &p, &change))
        ;
    for (size_t i = 0; i < N; i++) {
        dx += 2 * p.radius[i] * cosl(2 * acosl(-1) * (long double)i / N) / N;
        dy += 2 * p.radius[i] * sinl(2 * acosl(-1) * (long double)i / N) / N;
    }
    for (size_t i = 0; i < N; i++) {
        const long double angle = 2 * acosl(-1) * (long double)i / N;

        p.radius[i] -= dx * cosl(angle) + dy * sinl(angle);
    }
    p.x += dx + (long double)t->window.x0;
    p.y += dy + (long double)t->window.y0;
    return p;
}

enum kind { INSIDE, BESIDE, PULLED, KINDS };

/* A ring that the contour begins beside, on a rough ground, in a window that may be cut off: or so
 * near to a border that the contour reaches the pixels there, or pulled to a row far away. */
static void draw(struct am_rng *rng, struct trial *t, enum kind kind)
{
    const double side = kind == BESIDE ? AM_SNAKE_RADIUS + 1.5 : 20 + AM_SNAKE_RADIUS;
    const double a = am_rng_unit(rng), b = am_rng_unit(rng);
    const double x = side + (160 - 2 * side) * (kind == BESIDE ? round(a) : a);
    const double y = side + (100 - 2 * side) * (kind == BESIDE ? round(b) : b);

    t->window = am_window_around((struct am_centre){x, y}, 160, 100);
    t->start = (struct am_centre){x + 4 * am_rng_unit(rng) - 2, y + 4 * am_rng_unit(rng) - 2};
    t->expected_y = y + 2 * am_rng_unit(rng) - 1 + (kind == PULLED ? 20 : 0);
    for (size_t i = 0; i < t->window.rows; i++) {
        for (size_t j = 0; j < t->window.columns; j++) {
            const double r = hypot((double)(t->window.x0 + j) - x, (double)(t->window.y0 + i) - y);

            t->field[i * t->window.columns + j] =
                exp(-(r - 9) * (r - 9) / 8) + 0.1 * am_rng_unit(rng);
        }
    }
}

static double farthest(const struct am_snake *got, const struct plain *want)
{
    double most =
        fmax(fabs(got->centre.x - (double)want->x), fabs(got->centre.y - (double)want->y));

    for (size_t i = 0; i < N; i++)
        most = fmax(most, fabs(got->radius[i] - (double)want->radius[i]));
    return most;
}

static void check_steps(const char *name, size_t limit, struct am_leuko_parts parts)
{
    enum { TRIALS = 60 };
    static struct trial t;
    static double work[4 * PIXELS_MAX];
    const struct am_snake_setup setup = {.stop = am_snake_defaults.stop, .limit = limit};
    struct am_rng rng;
    double most = 0;
    size_t same = 0;

    am_rng_seed(&rng, 5, limit);
    for (size_t i = 0; i < TRIALS; i++) {
        struct am_snake snake;
        struct plain want;
        size_t steps;

        draw(&rng, &t, (enum kind)(i % KINDS));
        want = follow(&t, &setup);
        am_snake_init(&snake, t.start);
        steps = parts.move(&snake, &setup, &t.window, t.field, t.expected_y, work);
        same += steps == want.steps;
        most = fmax(most, farthest(&snake, &want));
    }
    ok(same == TRIALS && most < 1e-11, "%s, up to %zu steps: %zu of %d by the formulas (%.1e px)",
       name, limit, same, TRIALS, most);
}

#if defined(__x86_64__)
static bool has(enum am_leuko_width width)
{
    return width == AM_LEUKO_AVX512
               ? __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               : __builtin_cpu_supports("avx2");
}
#else
static bool has(enum am_leuko_width width)
{
    return width < AM_LEUKO_WIDTHS; /* the parts are the same ones */
}
#endif

int main(void)
{
    static const size_t limits[] = {1, 2, 7, 1000};

    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        check_steps("plain", limits[i], am_leuko_parts_of(AM_LEUKO_ANY));
        if (has(AM_LEUKO_AVX2))
            check_steps("AVX2", limits[i], am_leuko_parts_of(AM_LEUKO_AVX2));
        if (has(AM_LEUKO_AVX512))
            check_steps("AVX-512", limits[i], am_leuko_parts_of(AM_LEUKO_AVX512));
    }
    return tap_done();
}
