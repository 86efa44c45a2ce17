/* SPDX-License-Identifier: MIT */
/* Where grid points lie: lanes, interleaved in parts. Inside the stencil only. */
#ifndef AM_APP_STENCIL_LAYOUT_H
#define AM_APP_STENCIL_LAYOUT_H

#include "app/stencil/stencil.h"

/* Sizes and offsets, from a spec that was found possible. */
void am_stencil_lay_out(struct am_stencil *st);

static inline size_t am_stencil_vector_bytes(const struct am_stencil *st)
{
    return st->lanes * st->element_bytes;
}

/* Vector 0 of the array that holds the state (other: the other one). */
char *am_stencil_array(const struct am_stencil *st, size_t part, bool other);

/* Fills the vectors before the first and after the last, `count` on either side, by what they are
 * in other lanes. */
void am_stencil_fill_ghosts(const struct am_stencil *st, size_t part, size_t count);

#endif
