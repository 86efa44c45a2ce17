/* SPDX-License-Identifier: MIT */
/* Which form of the parts of a frame is called. */
#include "app/leukocyte/wide.h"

#if defined(__x86_64__)
#define PARTS(isa)                                                                                 \
    {                                                                                              \
        am_window_edges_##isa, am_snake_move_##isa                                                 \
    }
#else
#define PARTS(isa)                                                                                 \
    {                                                                                              \
        am_window_edges, am_snake_move                                                             \
    }
#endif

static const struct am_leuko_parts parts[AM_LEUKO_WIDTHS] = {
    [AM_LEUKO_ANY] = {am_window_edges, am_snake_move},
    [AM_LEUKO_AVX2] = PARTS(avx2),
    [AM_LEUKO_AVX512] = PARTS(avx512),
};

struct am_leuko_parts am_leuko_parts_of(enum am_leuko_width width)
{
    return parts[width];
}
