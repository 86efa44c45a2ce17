/* SPDX-License-Identifier: MIT */
/* Orders in which a chase goes through all lines of a set: next(i) = (factor * i + shift) mod
 * lines.
 *
 * With the right factor and shift (Hull and Dobell) that is one cycle through all of them, without
 * a table, and the place after any number of steps is known at once: the proof that they were made.
 */
#ifndef AM_BENCH_OCL_CYCLE_H
#define AM_BENCH_OCL_CYCLE_H

#include "base/status.h"

#include <stdint.h>

enum { AM_CYCLE_LINES_LOG_MAX = 31 };

struct am_cycle {
    uint64_t lines, factor, shift;
};

/* AM_E_ABSENT for numbers of lines that have other primes than 2, 3, 5 and 7, or are too many. */
enum am_status am_cycle_make(struct am_cycle *c, uint64_t lines, struct am_err *err);

/* Where `steps` steps lead from `start`. */
uint64_t am_cycle_after(const struct am_cycle *c, uint64_t start, uint64_t steps);

#endif
