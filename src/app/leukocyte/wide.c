/* SPDX-License-Identifier: MIT */
/* Which form of the parts of a frame is called. */
#include "app/leukocyte/wide.h"

struct am_leuko_parts am_leuko_parts_of(bool wide)
{
#if defined(__x86_64__)
    if (wide)
        return (struct am_leuko_parts){am_window_edges_avx2, am_snake_move_avx2};
#endif
    (void)wide;
    return (struct am_leuko_parts){am_window_edges, am_snake_move};
}
