/* SPDX-License-Identifier: MIT */
/* How well threads that share a ring would be used, played through before anything runs.
 *
 * Threads claim strips in turn and make their waves as soon as the order (wave_order.h) allows. A
 * row of a level takes each of them the same time. What a thread reads beyond its own rows of a
 * level was just written by another thread, and comes out of that one's cache: it is taken to cost
 * so many rows more per level and plane. */
#ifndef AM_APP_STENCIL_WAVE_COURSE_H
#define AM_APP_STENCIL_WAVE_COURSE_H

#include "app/stencil/wave_order.h"

/* Of the time that the threads of a grid's parts take for passes of that order, by waves of so many
 * planes: the share in which they make rows. NAN: no memory. */
double am_wave_course_share(const struct am_stencil_grid *grid, const struct am_wave_order *order,
                            size_t planes, double foreign);

#endif
