/* SPDX-License-Identifier: MIT */
/* Threads that read arrays together, and prove it: what mem.placement and mem.numa have in common.
 */
#ifndef AM_BENCH_CPU_READING_H
#define AM_BENCH_CPU_READING_H

#include "core/bench/bench.h"
#include "kernels/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one thread reads; a line pair of its own, since sums are written in the timed region. */
struct am_reader {
    _Alignas(128) struct am_stream_args args;
    uint64_t want;    /* exclusive or of the array's bits */
    uint64_t sums[2]; /* of the two calls of the latest run */
};

struct am_stream_reading {
    am_stream_fn *fn;
    size_t threads;
    double bytes_per_cycle_max; /* of all threads together; 0: not known */
    struct am_reader *readers;
};

/* AM_E_ABSENT where the instruction set cannot be used here. */
enum am_status am_reading_init(struct am_stream_reading *r, const char *isa, size_t threads,
                               struct am_err *err);
void am_reading_fini(struct am_stream_reading *r); /* accepts a zeroed struct */

/* Gives a thread `n` elements at `array`; they are written first if `fill`. */
void am_reading_assign(struct am_stream_reading *r, size_t thread, double *array, size_t n,
                       bool fill);

/* One thread's passes over its array: for a member of a team. */
void am_reading_pass(struct am_stream_reading *r, size_t thread, uint64_t passes);

/* AM_E_WRONG when a thread has not read what is there. */
enum am_status am_reading_verify(const struct am_stream_reading *r, double *residual,
                                 struct am_err *err);

#endif
