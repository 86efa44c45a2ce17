/* SPDX-License-Identifier: MIT */
/* The background that is learnt from frames, and what it is for: a cell beside a wall is found
 * where it is, not where the wall pulls it. */
#include "app/leukocyte/background.h"

#include "base/rng.h"
#include "tap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SIDE = 96, PIXELS = SIDE * SIDE };

static struct am_image image_of(const uint8_t *pixels)
{
    return (struct am_image){pixels, SIDE, SIDE};
}

/* A wall along row 48, a bright cell unless `cell` is NULL, and noise. */
static void draw(struct am_rng *rng, double wall, const struct am_centre *cell, uint8_t *pixels)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % SIDE), y = (double)(i / SIDE), off = y - 48;
        const double r = cell ? hypot(x - cell->x, y - cell->y) : INFINITY;
        const double noise = 4 * (am_rng_unit(rng) - 0.5);

        pixels[i] = (uint8_t)lround(90 + wall * exp(-off * off / 8) +
                                    90 / (1 + exp((r - 9) / 1.4)) + noise);
    }
}

static void check_mean(void)
{
    static uint8_t pixels[PIXELS];
    const struct am_cell_cover disc = {{20, 30}, 5};
    struct am_background *const b = am_background_new(SIDE, SIDE);
    const float *grey;

    if (!ok(b != NULL, "a background"))
        return;
    grey = am_background_grey(b);
    for (int t = 0; t < 4; t++) {
        memset(pixels, 10 * (t + 1), PIXELS);
        ok(isnan(grey[0]), "%d frames are too few", t);
        am_background_add(b, image_of(pixels), &disc, t < 3 ? 1 : 0);
    }
    ok(grey[0] == 25 && grey[PIXELS - 1] == 25, "the mean of four: %g", (double)grey[0]);
    ok(isnan(grey[30 * SIDE + 20]) && isnan(grey[30 * SIDE + 25]) && grey[30 * SIDE + 26] == 25 &&
           isnan(grey[35 * SIDE + 20]) && grey[36 * SIDE + 20] == 25,
       "what was covered is not known yet");
    memset(pixels, 50, PIXELS);
    for (int t = 0; t < 3; t++)
        am_background_add(b, image_of(pixels), &(struct am_cell_cover){{-30, 200}, 8}, 1);
    ok(grey[30 * SIDE + 20] == 47.5f, "later it is: %g", (double)grey[30 * SIDE + 20]);
    am_background_free(b);
    am_background_free(NULL);
}

/* The error of a fit on a drawn cell, mean of several. */
static double mean_error(bool on_background)
{
    enum { TRIALS = 20, FRAMES = 8 };
    static uint8_t pixels[PIXELS];
    struct am_background *const b = am_background_new(SIDE, SIDE);
    struct am_cell_profile profile;
    struct am_rng rng;
    double sum = 0;

    am_rng_seed(&rng, 17, 3);
    draw(&rng, 0, &(struct am_centre){48, 48}, pixels);
    am_cell_profile_learn(image_of(pixels), (struct am_centre){48, 48}, &profile);
    for (int t = 0; b && t < FRAMES; t++) {
        draw(&rng, 35, NULL, pixels);
        am_background_add(b, image_of(pixels), NULL, 0);
    }
    for (int k = 0; b && k < TRIALS; k++) {
        const struct am_centre at = {40 + 10 * am_rng_unit(&rng), 36 + 2 * am_rng_unit(&rng)};
        const struct am_centre from = {at.x + 1, at.y - 1};
        struct am_cell_fit fit;

        draw(&rng, 35, &at, pixels);
        fit = am_cell_profile_find(&profile, image_of(pixels), from, NULL, 0,
                                   on_background ? am_background_grey(b) : NULL);
        sum += fit.found ? hypot(fit.at.x - at.x, fit.at.y - at.y) : 8;
    }
    am_background_free(b);
    return sum / TRIALS;
}

static void check_unknown(void)
{
    static uint8_t pixels[PIXELS];
    static float half[PIXELS];
    const struct am_centre at = {48, 48};
    struct am_cell_profile profile;
    struct am_rng rng;

    am_rng_seed(&rng, 19, 4);
    draw(&rng, 0, &at, pixels);
    am_cell_profile_learn(image_of(pixels), at, &profile);
    for (size_t i = 0; i < PIXELS; i++)
        half[i] = i % SIDE < 42 ? NAN : 90;
    ok(am_cell_profile_find(&profile, image_of(pixels), at, NULL, 0, half).found,
       "less than half of the background is missing: found");
    for (size_t i = 0; i < PIXELS; i++)
        half[i] = i % SIDE < 54 ? NAN : 90;
    ok(!am_cell_profile_find(&profile, image_of(pixels), at, NULL, 0, half).found,
       "more than half of it: not found");
}

int main(void)
{
    double plain, on_background;

    check_mean();
    plain = mean_error(false);
    on_background = mean_error(true);
    ok(plain > 0.1 && on_background < 0.05,
       "a cell beside a wall is %.2f px off, and %.2f px where the wall is known", plain,
       on_background);
    check_unknown();
    return tap_done();
}
