/* SPDX-License-Identifier: MIT */
/* Sums of uncovered pixels. */
#include "app/leukocyte/background.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct am_background {
    size_t width, height;
    float *sum, *mean;
    uint16_t *frames; /* that are in the sum */
    uint8_t *covered; /* in the frame that is being added */
};

struct am_background *am_background_new(size_t width, size_t height)
{
    struct am_background *const b = calloc(1, sizeof(*b));
    const size_t pixels = width * height;

    if (!b)
        return NULL;
    *b = (struct am_background){.width = width,
                                .height = height,
                                .sum = calloc(pixels, sizeof(*b->sum)),
                                .mean = calloc(pixels, sizeof(*b->mean)),
                                .frames = calloc(pixels, sizeof(*b->frames)),
                                .covered = calloc(pixels, sizeof(*b->covered))};
    if (!b->sum || !b->mean || !b->frames || !b->covered) {
        am_background_free(b);
        return NULL;
    }
    for (size_t i = 0; i < pixels; i++)
        b->mean[i] = NAN;
    return b;
}

void am_background_free(struct am_background *background)
{
    if (!background)
        return;
    free(background->sum);
    free(background->mean);
    free(background->frames);
    free(background->covered);
    free(background);
}

/* The pixels of 0, ..., n - 1 within r of x: *first to before *last. */
static void span(double x, double r, size_t n, size_t *first, size_t *last)
{
    *first = (size_t)fmin(fmax(ceil(x - r), 0), (double)n);
    *last = (size_t)fmin(fmax(floor(x + r) + 1, 0), (double)n);
}

static void cover(struct am_background *b, const struct am_cell_cover *cell)
{
    size_t x0, x1, y0, y1;

    span(cell->at.x, cell->radius, b->width, &x0, &x1);
    span(cell->at.y, cell->radius, b->height, &y0, &y1);
    for (size_t y = y0; y < y1; y++) {
        for (size_t x = x0; x < x1; x++) {
            if (hypot((double)x - cell->at.x, (double)y - cell->at.y) <= cell->radius)
                b->covered[y * b->width + x] = 1;
        }
    }
}

void am_background_add(struct am_background *background, struct am_image frame,
                       const struct am_cell_cover *cells, size_t n)
{
    struct am_background *const b = background;

    memset(b->covered, 0, b->width * b->height);
    for (size_t i = 0; i < n; i++)
        cover(b, &cells[i]);
    for (size_t i = 0; i < b->width * b->height; i++) {
        if (b->covered[i] || b->frames[i] == UINT16_MAX)
            continue;
        b->sum[i] += frame.pixels[i];
        b->frames[i]++;
        if (b->frames[i] >= AM_BACKGROUND_FRAMES_MIN)
            b->mean[i] = b->sum[i] / b->frames[i];
    }
}

const float *am_background_grey(const struct am_background *background)
{
    return background->mean;
}
