/* SPDX-License-Identifier: MIT */
/* Parts of a frame beside its fields, compiled three times on x86-64: for every processor, with
 * AVX2 and with AVX-512 (F, BW, DQ, VL), with the same bits as outcome, since the compiler fuses
 * nothing. A frame whose fields are stepped by `lanes` with AVX2 or more spends a fifth of its time
 * in these parts otherwise. Who calls a form knows that the processor has what it is compiled with.
 */
#ifndef AM_APP_LEUKOCYTE_WIDE_H
#define AM_APP_LEUKOCYTE_WIDE_H

#include "app/leukocyte/image.h"
#include "app/leukocyte/snake.h"

#if defined(AM_LEUKO_ISA)
#define AM_LEUKO_JOIN(name, isa) name##_##isa
#define AM_LEUKO_NAME_OF(name, isa) AM_LEUKO_JOIN(name, isa)
#define AM_LEUKO_NAME(name) AM_LEUKO_NAME_OF(name, AM_LEUKO_ISA)
#else
#define AM_LEUKO_NAME(name) name
#endif

/* As am_window_edges() and am_snake_move(). */
void am_window_edges_avx2(struct am_image frame, const struct am_window *window, double *edge);
size_t am_snake_move_avx2(struct am_snake *snake, const struct am_snake_setup *setup,
                          const struct am_window *window, const double *field, double expected_y,
                          double *work);
void am_window_edges_avx512(struct am_image frame, const struct am_window *window, double *edge);
size_t am_snake_move_avx512(struct am_snake *snake, const struct am_snake_setup *setup,
                            const struct am_window *window, const double *field, double expected_y,
                            double *work);

enum am_leuko_width { AM_LEUKO_ANY, AM_LEUKO_AVX2, AM_LEUKO_AVX512, AM_LEUKO_WIDTHS };

struct am_leuko_parts {
    void (*edges)(struct am_image frame, const struct am_window *window, double *edge);
    size_t (*move)(struct am_snake *snake, const struct am_snake_setup *setup,
                   const struct am_window *window, const double *field, double expected_y,
                   double *work);
};

/* The parts of that width; those for every processor where this architecture has no other. */
struct am_leuko_parts am_leuko_parts_of(enum am_leuko_width width);

#endif
