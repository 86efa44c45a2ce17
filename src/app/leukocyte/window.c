/* SPDX-License-Identifier: MIT */
/* Sub-images around cells. */
#include "app/leukocyte/image.h"

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
