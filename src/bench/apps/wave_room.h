/* SPDX-License-Identifier: MIT */
/* How much a wave (app/stencil/wave.h) should have under way at a time.
 *
 * What is under way lies in the second-level cache, or in the third where it does not fit. Some
 * cores take lines from the third nearly as fast, and gain by long passes that do not fit; others
 * lose half of their rate. Which kind this is, is measured here and now. */
#ifndef AM_BENCH_APPS_WAVE_ROOM_H
#define AM_BENCH_APPS_WAVE_ROOM_H

#include <stddef.h>

/* What it follows from; zeros: not known. */
struct am_wave_room {
    size_t l2_bytes;
    double inside, beyond; /* seconds per byte that is read and written again */
};

/* A few ms on the calling thread. */
void am_wave_room_measure(const char *isa, struct am_wave_room *room);
/* Bytes; 0: any. */
size_t am_wave_room_bytes(const struct am_wave_room *room);

#endif
