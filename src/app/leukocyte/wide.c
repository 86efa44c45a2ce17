/* SPDX-License-Identifier: MIT */
/* Which form of the parts of a frame is called. */
#include "app/leukocyte/wide.h"

#if defined(__x86_64__)
static const struct am_leuko_parts wide_parts = {am_window_edges_avx2, am_snake_move_avx2};
#else
static const struct am_leuko_parts wide_parts = {am_window_edges, am_snake_move};
#endif

struct am_leuko_parts am_leuko_parts_of(bool wide)
{
    return wide ? wide_parts : (struct am_leuko_parts){am_window_edges, am_snake_move};
}
