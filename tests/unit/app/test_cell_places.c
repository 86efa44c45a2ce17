/* SPDX-License-Identifier: MIT */
/* Places of single cells between the pixels: a search for the strongest outline ends where no step
 * is better, and the place that a picture tells is off by what it is said to be. */
#include "app/leukocyte/cell_fit.h"
#include "app/leukocyte/refine.h"
#include "base/rng.h"
#include "tap.h"

#include <math.h>
#include <stdbool.h>

enum { SIDE = 64, PIXELS = SIDE * SIDE, TRIALS = 60, ANGLES = 60 };

/* ---- the strongest outline ---- */

struct slopes {
    float gx[PIXELS], gy[PIXELS];
};

/* A disc of this radius whose rim is some pixels wide, on a ground that rises along x. */
static void draw_slopes(struct slopes *to, struct am_centre at, double radius)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % SIDE) - at.x, y = (double)(i / SIDE) - at.y, r = hypot(x, y);
        const double slope = exp(-(r - radius) * (r - radius) / 8) / fmax(r, 1);

        to->gx[i] = (float)(slope * x + 0.01 * x * x / SIDE);
        to->gy[i] = (float)(slope * y);
    }
}

static double between(const float *map, double x, double y)
{
    const size_t i = (size_t)y * SIDE + (size_t)x;
    const double u = x - floor(x), v = y - floor(y);

    return (1 - u) * (1 - v) * map[i] + u * (1 - v) * map[i + 1] + (1 - u) * v * map[i + SIDE] +
           u * v * map[i + SIDE + 1];
}

/* Mean gradient across a circle. */
static double strength(const struct slopes *map, struct am_centre at, double radius)
{
    double sum = 0;

    for (int k = 0; k < ANGLES; k++) {
        const double c = cos(2 * M_PI * k / ANGLES), s = sin(2 * M_PI * k / ANGLES);
        const double x = at.x + radius * c, y = at.y + radius * s;

        sum += c * between(map->gx, x, y) + s * between(map->gy, x, y);
    }
    return sum / ANGLES;
}

/* Whether no step of 1/32 px leads to a stronger circle than the strongest around this place. */
static bool is_best(const struct slopes *map, struct am_centre at)
{
    double radius = 6, most = -INFINITY;

    for (int r = 6 * 32; r <= 15 * 32; r++) {
        if (strength(map, at, r / 32.0) > most) {
            radius = r / 32.0;
            most = strength(map, at, radius);
        }
    }
    for (int k = 0; k < 4; k++) {
        const double step = k % 2 ? 1.0 / 32 : -1.0 / 32;
        const struct am_centre beside = {at.x + (k < 2 ? step : 0), at.y + (k < 2 ? 0 : step)};

        if (strength(map, beside, radius) > most + 1e-12)
            return false;
    }
    return true;
}

static void check_refine(void)
{
    static struct slopes map;
    const struct am_gradients gradients = {map.gx, map.gy, SIDE};
    struct am_rng rng;
    size_t best = 0;

    am_rng_seed(&rng, 3, 1);
    for (int i = 0; i < TRIALS; i++) {
        const struct am_centre at = {30 + 4 * am_rng_unit(&rng), 30 + 4 * am_rng_unit(&rng)};
        const struct am_centre from = {at.x + 2 * am_rng_unit(&rng) - 1,
                                       at.y + 2 * am_rng_unit(&rng) - 1};

        draw_slopes(&map, at, 8 + 4 * am_rng_unit(&rng));
        best += is_best(&map, am_refine_centre(&gradients, from, 1));
    }
    ok(best == TRIALS, "no step of 1/32 px leads to a stronger outline (%zu of %d)", best, TRIALS);
}

/* ---- the place that a picture tells ---- */

struct picture {
    uint8_t pixels[PIXELS];
};

static void draw_cell(struct am_rng *rng, struct picture *to, struct am_centre at, double noise)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const double r = hypot((double)(i % SIDE) - at.x, (double)(i / SIDE) - at.y);
        double normal = -6;

        for (int k = 0; k < 12; k++)
            normal += am_rng_unit(rng);
        to->pixels[i] = (uint8_t)lround(90 + 60 / (1 + exp((r - 9) / 1.5)) + noise * normal);
    }
}

static struct am_image image_of(const struct picture *p)
{
    return (struct am_image){p->pixels, SIDE, SIDE};
}

static void check_error(void)
{
    static struct picture calm, noisy;
    const struct am_centre middle = {32, 32};
    struct am_cell_profile profile;
    struct am_rng rng;
    double off = 0, said = 0;
    size_t found = 0;

    am_rng_seed(&rng, 7, 1);
    draw_cell(&rng, &calm, middle, 0);
    am_cell_profile_learn(image_of(&calm), middle, &profile);
    for (int i = 0; i < 4 * TRIALS; i++) {
        const struct am_centre at = {31 + 2 * am_rng_unit(&rng), 31 + 2 * am_rng_unit(&rng)};
        struct am_cell_fit fit;

        draw_cell(&rng, &noisy, at, 8);
        fit = am_cell_profile_find(&profile, image_of(&noisy), middle, NULL, 0, NULL);
        if (!fit.found)
            continue;
        off += (fit.at.x - at.x) * (fit.at.x - at.x) + (fit.at.y - at.y) * (fit.at.y - at.y);
        said += fit.error * fit.error;
        found++;
    }
    ok(found > 3 * TRIALS && sqrt(off / said) > 0.7 && sqrt(off / said) < 1.4,
       "%zu places are off by %.2f times what is said (%.3f px)", found, sqrt(off / said),
       sqrt(said / (double)found));
}

/* Turned over, the same picture tells the same place. */
static void check_turned(void)
{
    static struct picture plain, turned;
    const struct am_centre from = {32, 31}, back = {31, 32};
    struct am_cell_profile profile;
    struct am_cell_fit a, b;
    struct am_rng rng;

    am_rng_seed(&rng, 9, 1);
    draw_cell(&rng, &plain, (struct am_centre){32.3, 31.4}, 8);
    for (size_t i = 0; i < PIXELS; i++)
        turned.pixels[PIXELS - 1 - i] = plain.pixels[i];
    am_cell_profile_learn(image_of(&plain), from, &profile);
    a = am_cell_profile_find(&profile, image_of(&plain), from, NULL, 0, NULL);
    b = am_cell_profile_find(&profile, image_of(&turned), back, NULL, 0, NULL);
    ok(a.found && b.found && fabs(a.at.x + b.at.x - (SIDE - 1)) < 1e-6 &&
           fabs(a.at.y + b.at.y - (SIDE - 1)) < 1e-6,
       "turned over it lies where it was: (%.6f, %.6f), (%.6f, %.6f)", a.at.x, a.at.y, b.at.x,
       b.at.y);
}

int main(void)
{
    check_refine();
    check_error();
    check_turned();
    return tap_done();
}
