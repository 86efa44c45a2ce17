/* SPDX-License-Identifier: MIT */
/* Streams in place, in the second-level cache and beyond it. */
#include "bench/apps/wave_room.h"

#include "base/clock.h"
#include "kernels/stream.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LINE_BYTES = 64,
    TRIES = 8,              /* what disturbs a try only makes it longer */
    MOVED = 8 << 20,        /* bytes of one try, at least */
    L2_BYTES_MAX = 8 << 20, /* more is no cache of one core */
};

static double seconds_per_byte(const char *isa, double *array, size_t bytes)
{
    struct am_stream_args args = {.a = array,
                                  .b = array,
                                  .c = array,
                                  .s = 1,
                                  .n = bytes / sizeof(double),
                                  .passes = 1 + MOVED / bytes};
    double best = INFINITY;

    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = am_now_ns();

        am_stream_find(isa)->fn[AM_STREAM_scale][0](&args);
        best = fmin(best, (double)(am_now_ns() - begin));
    }
    return best * 1e-9 / ((double)bytes * (double)args.passes);
}

void am_wave_room_measure(const char *isa, struct am_wave_room *room)
{
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    double *array;

    *room = (struct am_wave_room){0};
    if (l2 <= 0 || l2 > L2_BYTES_MAX)
        return;
    array = aligned_alloc(LINE_BYTES, 2 * (size_t)l2);
    if (!array)
        return;
    for (size_t i = 0; i < 2 * (size_t)l2 / sizeof(*array); i++)
        array[i] = 1;
    room->l2_bytes = (size_t)l2;
    room->inside = seconds_per_byte(isa, array, (size_t)l2 / 2);
    room->beyond = seconds_per_byte(isa, array, 2 * (size_t)l2);
    free(array);
}

/* Part of the cache holds other things, and lines that a wave leaves are still there when the next
 * ones come. */
size_t am_wave_room_bytes(const struct am_wave_room *room)
{
    static const double dear = 1.5, share = 0.45;

    if (!room->l2_bytes || !(room->inside > 0) || !(room->beyond > dear * room->inside))
        return 0;
    return (size_t)(share * (double)room->l2_bytes);
}
