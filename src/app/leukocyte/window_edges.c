/* SPDX-License-Identifier: MIT */
/* The edges in a sub-image. Compiled for several ISAs (wide.h). */
#include "app/leukocyte/image.h"

#include "app/leukocyte/wide.h"

#include <math.h>
#include <stdbool.h>

/* Four times the squared length of the gradient in one row: integers, which have the extremes of
 * the lengths. `up` and `down` are the rows beside it; at the window's border one of them is the
 * row itself, and differences are one-sided there. */
static void square_row(const uint8_t *up, const uint8_t *at, const uint8_t *down, bool inside,
                       size_t columns, int32_t *squares)
{
    const size_t last = columns - 1;
    const int32_t by = inside ? 1 : 2;

    for (size_t j = 1; j < last; j++) {
        const int32_t dx = at[j + 1] - at[j - 1], dy = by * (down[j] - up[j]);

        squares[j] = dx * dx + dy * dy;
    }
    for (size_t j = 0; j <= last; j += last) {
        const int32_t dx = 2 * (j > 0 ? at[j] - at[j - 1] : at[1] - at[0]);
        const int32_t dy = by * (down[j] - up[j]);

        squares[j] = dx * dx + dy * dy;
    }
}

void AM_LEUKO_NAME(am_window_edges)(struct am_image frame, const struct am_window *window,
                                    double *edge)
{
    const size_t columns = window->columns, n = window->rows * columns;
    int32_t squares[AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX], least = INT32_MAX, most = 0;
    double low, range;

    for (size_t i = 0; i < window->rows; i++) {
        const uint8_t *const at = frame.pixels + (window->y0 + i) * frame.width + window->x0;
        const bool first = i == 0, last = i + 1 == window->rows;

        square_row(first ? at : at - frame.width, at, last ? at : at + frame.width, !first && !last,
                   columns, squares + i * columns);
    }
    for (size_t i = 0; i < n; i++) {
        least = squares[i] < least ? squares[i] : least;
        most = squares[i] > most ? squares[i] : most;
    }
    low = sqrt(least * 0.25);
    range = sqrt(most * 0.25) - low;
    if (!(range > 0)) { /* flat */
        low = 0;
        range = 1;
    }
    for (size_t i = 0; i < n; i++)
        edge[i] = (sqrt(squares[i] * 0.25) - low) / range;
}
