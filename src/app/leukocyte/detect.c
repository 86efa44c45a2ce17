/* SPDX-License-Identifier: MIT */
/* GICOV (gradient inverse coefficient of variation) of every pixel, and its peaks. */
#include "app/leukocyte/detect.h"

#include "app/leukocyte/refine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    ANGLES = 150,
    CIRCLES = 7,
    RADIUS_FIRST = 8,
    RADIUS_STEP = 2,
    MARGIN = 22, /* pixels from the border that no centre has: the largest circle and a gradient */
    GAP = 20,    /* pixels: two radii of a usual cell */
    REACH = 12,  /* pixels in which a cell's score is the highest: the radius of the dilation */
};

_Static_assert((int)MARGIN > (int)AM_REFINE_REACH, "a search for a centre stays inside the frame");

const struct am_detect_setup am_detect_defaults = {.first = 166, .last = 306, .threshold = 1.8};

/* Where a circle is sampled, and the direction from its centre there. */
struct spoke {
    ptrdiff_t offset; /* pixels from the centre, in the frame */
    float cosine, sine;
};

struct am_detect {
    struct am_detect_setup setup;
    struct am_image frame;
    size_t first, last; /* rows with scores: REACH more than centres may have; none: first > last */
    float *gx, *gy;
    float *score;
    uint8_t *is_cell;
    struct spoke spokes[CIRCLES][ANGLES];
    struct am_detected *marked, *found; /* AM_CELLS_MAX each */
};

/* ---- set up ---- */

static void make_spokes(struct am_detect *d)
{
    const int width = (int)d->frame.width;

    for (int k = 0; k < CIRCLES; k++) {
        const int radius = RADIUS_FIRST + k * RADIUS_STEP;

        for (int n = 0; n < ANGLES; n++) {
            const double angle = 2 * M_PI * n / ANGLES;

            d->spokes[k][n] = (struct spoke){
                .offset = (int)(radius * sin(angle)) * width + (int)(radius * cos(angle)),
                .cosine = (float)cos(angle),
                .sine = (float)sin(angle),
            };
        }
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Rows that centres may have, and those whose scores they are compared with. */
static void choose_rows(struct am_detect *d)
{
    const size_t end = d->frame.height - MARGIN - 1;

    d->setup.first = most(d->setup.first, MARGIN);
    d->setup.last = least(d->setup.last, end);
    d->first = most(d->setup.first - REACH, MARGIN);
    d->last = least(d->setup.last + REACH, end);
}

void am_detect_free(struct am_detect *detect)
{
    if (!detect)
        return;
    free(detect->gx);
    free(detect->gy);
    free(detect->score);
    free(detect->is_cell);
    free(detect->marked);
    free(detect->found);
    free(detect);
}

/* Gradients in the rows that circles reach; elsewhere they stay 0. Values are halves: exact. */
static void make_gradients(struct am_detect *d)
{
    const size_t width = d->frame.width;

    for (size_t i = d->first - (MARGIN - 1); i < d->last + MARGIN; i++) {
        const uint8_t *const row = d->frame.pixels + i * width;

        for (size_t j = 1; j + 1 < width; j++) {
            d->gx[i * width + j] = (float)(row[j + 1] - row[j - 1]) / 2;
            d->gy[i * width + j] = (float)(row[j + width] - *(row + j - width)) / 2;
        }
    }
}

enum am_status am_detect_new(const struct am_detect_setup *setup, struct am_image frame,
                             struct am_detect **detect_p, struct am_err *err)
{
    const size_t n = frame.width * frame.height;
    struct am_detect *d;

    if (frame.width < AM_IMAGE_SIDE_MIN || frame.width > AM_IMAGE_SIDE_MAX ||
        frame.height < AM_IMAGE_SIDE_MIN || frame.height > AM_IMAGE_SIDE_MAX)
        return am_fail(err, AM_E_LIMIT, "a frame of %zu x %zu: sides are %d to %d", frame.width,
                       frame.height, AM_IMAGE_SIDE_MIN, AM_IMAGE_SIDE_MAX);
    d = calloc(1, sizeof(*d));
    if (!d)
        return am_fail(err, AM_E_NOMEM, "no memory for detection");
    d->setup = *setup;
    d->frame = frame;
    d->gx = calloc(n, sizeof(*d->gx));
    d->gy = calloc(n, sizeof(*d->gy));
    d->score = calloc(n, sizeof(*d->score));
    d->is_cell = calloc(n, sizeof(*d->is_cell));
    d->marked = calloc(AM_CELLS_MAX, sizeof(*d->marked));
    d->found = calloc(AM_CELLS_MAX, sizeof(*d->found));
    if (!d->gx || !d->gy || !d->score || !d->is_cell || !d->marked || !d->found) {
        am_detect_free(d);
        return am_fail(err, AM_E_NOMEM, "no memory for maps of %zu x %zu", frame.width,
                       frame.height);
    }
    choose_rows(d);
    make_spokes(d);
    if (d->setup.first <= d->setup.last)
        make_gradients(d);
    *detect_p = d;
    return AM_OK;
}

/* ---- scores ---- */

/* Sums along one circle around each of n pixels from `at` on. */
static void sum_circle(const struct am_detect *d, const struct spoke *spokes, size_t at, size_t n,
                       float *restrict sum, float *restrict squares)
{
    for (size_t j = 0; j < n; j++)
        sum[j] = squares[j] = 0;
    for (size_t k = 0; k < ANGLES; k++) {
        const float *const gx = d->gx + (ptrdiff_t)at + spokes[k].offset;
        const float *const gy = d->gy + (ptrdiff_t)at + spokes[k].offset;
        const float c = spokes[k].cosine, s = spokes[k].sine;

        for (size_t j = 0; j < n; j++) {
            const float outward = gx[j] * c + gy[j] * s;

            sum[j] += outward;
            squares[j] += outward * outward;
        }
    }
}

/* mean / deviation; single precision cannot tell a deviation of a thousandth of the mean. */
static float ratio(float sum, float squares)
{
    const float mean = sum / ANGLES;
    const float variance = (squares - sum * mean) / (ANGLES - 1);
    const float floor = mean * mean * 1e-6f;

    if (!(variance > 0) && !(floor > 0))
        return 0;
    return mean / sqrtf(variance > floor ? variance : floor);
}

enum { PIECE = 256 }; /* pixels of a row at a time: what the sums take of the stack */

static void score_row(void *app, size_t block)
{
    struct am_detect *const d = app;
    const size_t width = d->frame.width;
    float sum[PIECE], squares[PIECE];

    for (size_t j = MARGIN; j < width - MARGIN; j += PIECE) {
        const size_t at = (d->first + block) * width + j, n = least(PIECE, width - MARGIN - j);

        for (size_t k = 0; k < CIRCLES; k++) {
            sum_circle(d, d->spokes[k], at, n, sum, squares);
            for (size_t i = 0; i < n; i++) {
                const float score = ratio(sum[i], squares[i]);

                if (fabsf(score) > fabsf(d->score[at + i]))
                    d->score[at + i] = score;
            }
        }
    }
}

/* ---- cells ---- */

/* No pixel within REACH has a higher score; of equals the first in reading order counts. */
static int is_peak(const struct am_detect *d, size_t row, size_t column)
{
    const float *const at = d->score + row * d->frame.width + column;
    const float mine = fabsf(*at);

    for (int i = -REACH; i <= REACH; i++) {
        for (int j = -REACH; j <= REACH; j++) {
            const float other = fabsf(at[i * (ptrdiff_t)d->frame.width + j]);
            const int earlier = i < 0 || (i == 0 && j < 0);

            if (i * i + j * j <= REACH * REACH && (other > mine || (other >= mine && earlier)))
                return 0;
        }
    }
    return 1;
}

static void mark_row(void *app, size_t block)
{
    struct am_detect *const d = app;
    const size_t row = d->setup.first + block, width = d->frame.width;

    for (size_t j = MARGIN; j < width - MARGIN; j++) {
        const size_t at = row * width + j;

        d->is_cell[at] = fabsf(d->score[at]) > (float)d->setup.threshold && is_peak(d, row, j);
    }
}

void am_detect_blocks(struct am_detect *detect, struct am_blocks *scores,
                      struct am_blocks *candidates)
{
    const int any = detect->setup.first <= detect->setup.last;

    *scores = (struct am_blocks){
        .count = any ? detect->last - detect->first + 1 : 0, .app = detect, .run = score_row};
    *candidates =
        (struct am_blocks){.count = any ? detect->setup.last - detect->setup.first + 1 : 0,
                           .app = detect,
                           .run = mark_row};
}

/* Between strong bright cells lies a dark spot, round enough to score, and the other way round: one
 * of the other sign, within two radii, twice as strong. */
static int is_gap(const struct am_detected *all, size_t n, const struct am_detected *one)
{
    for (size_t i = 0; i < n; i++) {
        const double distance =
            hypot(all[i].centre.x - one->centre.x, all[i].centre.y - one->centre.y);

        if (distance < GAP && all[i].score * one->score < 0 &&
            fabs(all[i].score) >= 2 * fabs(one->score))
            return 1;
    }
    return 0;
}

/* Those that were marked, at whole pixels. */
static enum am_status collect(struct am_detect *d, size_t *n, struct am_err *err)
{
    const size_t width = d->frame.width;

    *n = 0;
    for (size_t at = 0; at < width * d->frame.height; at++) {
        if (!d->is_cell[at])
            continue;
        if (*n == AM_CELLS_MAX)
            return am_fail(err, AM_E_LIMIT, "more than %d cells: is this a picture of cells?",
                           AM_CELLS_MAX);
        d->marked[(*n)++] = (struct am_detected){
            .centre = {(double)(at % width), (double)(at / width)}, .score = d->score[at]};
    }
    return AM_OK;
}

enum am_status am_detect_found(struct am_detect *detect, const struct am_detected **found,
                               size_t *n, struct am_err *err)
{
    const struct am_gradients map = {detect->gx, detect->gy, detect->frame.width};
    size_t marked = 0, count = 0;
    const enum am_status s = collect(detect, &marked, err);

    for (size_t i = 0; s == AM_OK && i < marked; i++) {
        struct am_detected cell = detect->marked[i];

        if (is_gap(detect->marked, marked, &cell))
            continue;
        cell.centre = am_refine_centre(&map, cell.centre, cell.score);
        detect->found[count++] = cell;
    }
    *found = detect->found;
    *n = count;
    return s;
}

enum am_status am_detect_run(struct am_detect *detect, const struct am_executor *executor,
                             void *self, struct am_err *err)
{
    struct am_blocks loops[2];
    enum am_status s = AM_OK;

    am_detect_blocks(detect, &loops[0], &loops[1]);
    for (size_t i = 0; s == AM_OK && i < 2; i++) {
        s = executor->prepare(self, &loops[i], err);
        if (s == AM_OK)
            executor->run(self, &loops[i], 1);
    }
    return s;
}
