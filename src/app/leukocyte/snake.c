/* SPDX-License-Identifier: MIT */
/* Contours at rest: their settings, their beginning, their size. */
#include "app/leukocyte/snake.h"

const struct am_snake_setup am_snake_defaults = AM_SNAKE_DEFAULTS;

void am_snake_init(struct am_snake *snake, struct am_centre centre)
{
    snake->centre = centre;
    for (size_t i = 0; i < AM_SNAKE_POINTS; i++)
        snake->radius[i] = AM_SNAKE_RADIUS;
}

double am_snake_mean_radius(const struct am_snake *snake)
{
    double sum = 0;

    for (size_t i = 0; i < AM_SNAKE_POINTS; i++)
        sum += snake->radius[i];
    return sum / AM_SNAKE_POINTS;
}
