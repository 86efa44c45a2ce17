/* SPDX-License-Identifier: MIT */
/* A search by steps of one to 1/32 pixel over centre and radius. */
#include "app/leukocyte/refine.h"

#include <math.h>
#include <stdbool.h>

enum { ANGLES = 60, VARIABLES = 3 };

#define MOVE_MAX 4.0 /* pixels of the centre, along x and along y */
#define RADIUS_MIN 6.0
#define RADIUS_MAX 15.0
#define STEP_MIN (1.0 / 32)

struct circle {
    double at[VARIABLES]; /* x, y, radius */
};

/* What a search knows: where it began, and the best so far. */
struct search {
    const struct am_gradients *map;
    struct am_centre start;
    double sign;
    double cosine[ANGLES], sine[ANGLES];
    struct circle best;
    double strength;
};

static double bilinear(const float *map, size_t width, double x, double y)
{
    const float *const at = map + (size_t)y * width + (size_t)x;
    const double u = x - floor(x), v = y - floor(y);
    const double top = (1 - u) * at[0] + u * at[1];
    const double bottom = (1 - u) * at[width] + u * at[width + 1];

    return (1 - v) * top + v * bottom;
}

/* Mean gradient across a circle. */
static double strength_of(const struct search *s, const struct circle *c)
{
    const struct am_gradients *const map = s->map;
    double sum = 0;

    for (size_t i = 0; i < ANGLES; i++) {
        const double x = c->at[0] + c->at[2] * s->cosine[i];
        const double y = c->at[1] + c->at[2] * s->sine[i];

        sum += s->cosine[i] * bilinear(map->gx, map->width, x, y) +
               s->sine[i] * bilinear(map->gy, map->width, x, y);
    }
    return s->sign * sum / ANGLES;
}

static bool is_allowed(const struct search *s, const struct circle *c)
{
    return fabs(c->at[0] - s->start.x) <= MOVE_MAX && fabs(c->at[1] - s->start.y) <= MOVE_MAX &&
           c->at[2] >= RADIUS_MIN && c->at[2] <= RADIUS_MAX;
}

/* True when the circle is better than all before it. */
static bool try_circle(struct search *s, const struct circle *c)
{
    const double strength = is_allowed(s, c) ? strength_of(s, c) : -INFINITY;

    if (!(strength > s->strength))
        return false;
    s->strength = strength;
    s->best = *c;
    return true;
}

/* A step up and down along each variable. */
static bool try_steps(struct search *s, double step)
{
    bool better = false;

    for (size_t k = 0; k < VARIABLES; k++) {
        for (int direction = -1; direction <= 1; direction += 2) {
            struct circle c = s->best;

            c.at[k] += direction * step;
            better = try_circle(s, &c) || better;
        }
    }
    return better;
}

struct am_centre am_refine_centre(const struct am_gradients *map, struct am_centre centre,
                                  double sign)
{
    struct search s = {
        .map = map, .start = centre, .sign = sign > 0 ? 1 : -1, .strength = -INFINITY};
    double step = 1;

    for (size_t i = 0; i < ANGLES; i++) {
        s.cosine[i] = cos(2 * M_PI * (double)i / ANGLES);
        s.sine[i] = sin(2 * M_PI * (double)i / ANGLES);
    }
    for (int halves = (int)(2 * RADIUS_MIN); halves <= (int)(2 * RADIUS_MAX); halves++)
        (void)try_circle(&s, &(struct circle){{centre.x, centre.y, 0.5 * halves}});
    while (step >=
           STEP_MIN) { /* ends: strengths rise, and places are multiples of the least step */
        if (!try_steps(&s, step))
            step /= 2;
    }
    return (struct am_centre){s.best.at[0], s.best.at[1]};
}
