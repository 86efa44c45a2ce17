/* SPDX-License-Identifier: MIT */
/* Sub-images around cells and the edges in them. */
#include "app/leukocyte/image.h"

#include <math.h>

/* The nearest of 0, ..., n - 1. */
static size_t nearest(double x, size_t n)
{
    if (!(x > 0))
        return 0;
    return x < (double)(n - 1) ? (size_t)(x + 0.5) : n - 1;
}

struct am_window am_window_around(struct am_centre centre, size_t width, size_t height)
{
    const size_t x0 = nearest(centre.x - AM_WINDOW_REACH_X, width);
    const size_t x1 = nearest(centre.x + AM_WINDOW_REACH_X, width);
    const size_t y0 = nearest(centre.y - AM_WINDOW_REACH_Y, height);
    const size_t y1 = nearest(centre.y + AM_WINDOW_REACH_Y, height);

    return (struct am_window){.x0 = x0, .y0 = y0, .columns = x1 - x0 + 1, .rows = y1 - y0 + 1};
}

/* Central difference of values `step` apart, one-sided at the ends; i is one of 0, ..., n - 1. */
static double slope(const uint8_t *at, size_t step, size_t i, size_t n)
{
    const uint8_t *const before = i > 0 ? at - step : at;
    const uint8_t *const after = i + 1 < n ? at + step : at;
    const double difference = *after - *before;

    return i > 0 && i + 1 < n ? difference / 2 : difference;
}

static void normalise(double *edge, size_t n)
{
    double low = edge[0], high = edge[0];

    for (size_t i = 1; i < n; i++) {
        low = fmin(low, edge[i]);
        high = fmax(high, edge[i]);
    }
    for (size_t i = 0; i < n; i++)
        edge[i] = high > low ? (edge[i] - low) / (high - low) : 0;
}

void am_window_edges(struct am_image frame, const struct am_window *window, double *edge)
{
    for (size_t i = 0; i < window->rows; i++) {
        const uint8_t *const row = frame.pixels + (window->y0 + i) * frame.width + window->x0;

        for (size_t j = 0; j < window->columns; j++) {
            const double dx = slope(row + j, 1, j, window->columns);
            const double dy = slope(row + j, frame.width, i, window->rows);

            edge[i * window->columns + j] = sqrt(dx * dx + dy * dy);
        }
    }
    normalise(edge, window->rows * window->columns);
}
