/* SPDX-License-Identifier: MIT */
/* Parts of a frame beside its fields, compiled twice on x86-64: for every processor, and with AVX2,
 * with the same bits as outcome, since the compiler fuses nothing. A frame whose fields are stepped
 * by `lanes` with AVX2 or more spends a fifth of its time in these parts otherwise. Who calls the
 * second form knows that the processor has AVX2. */
#ifndef AM_APP_LEUKOCYTE_WIDE_H
#define AM_APP_LEUKOCYTE_WIDE_H

#include "app/leukocyte/image.h"
#include "app/leukocyte/snake.h"

#include <stdbool.h>

#if defined(AM_LEUKO_WIDE)
#define AM_LEUKO_NAME(name) name##_avx2
#else
#define AM_LEUKO_NAME(name) name
#endif

/* As am_window_edges() and am_snake_move(). */
void am_window_edges_avx2(struct am_image frame, const struct am_window *window, double *edge);
size_t am_snake_move_avx2(struct am_snake *snake, const struct am_snake_setup *setup,
                          const struct am_window *window, const double *field, double expected_y,
                          double *work);

struct am_leuko_parts {
    void (*edges)(struct am_image frame, const struct am_window *window, double *edge);
    size_t (*move)(struct am_snake *snake, const struct am_snake_setup *setup,
                   const struct am_window *window, const double *field, double expected_y,
                   double *work);
};

/* The parts for every processor; wide: those with AVX2, where this architecture has it. */
struct am_leuko_parts am_leuko_parts_of(bool wide);

#endif
