/* SPDX-License-Identifier: MIT */
/* Where the points of one dimension lie: lanes, interleaved in parts (stencil.h), and what lanes
 * copy from each other before a pass. Inside the stencil only. */
#ifndef AM_APP_STENCIL_LAYOUT_H
#define AM_APP_STENCIL_LAYOUT_H

#include "app/stencil/stencil.h"

/* Sizes and offsets, from a spec that was found possible. */
void am_stencil_lay_out(struct am_stencil *st);

static inline size_t am_stencil_vector_bytes(const struct am_stencil *st)
{
    return st->lanes * st->element_bytes;
}

/* Vector 0 of one of the two arrays (skew, slice: of the only one). */
char *am_stencil_array(const struct am_stencil *st, size_t part, unsigned array);

/* Fills the vectors before the first and after the last, as many on either side as the pass has
 * steps, by what they are in other lanes. */
void am_stencil_fill_ghosts(const struct am_stencil *st, size_t part,
                            const struct am_stencil_pass *pass);
/* Only those before the part's first lane and after its last. */
void am_stencil_fill_seams(const struct am_stencil *st, size_t part,
                           const struct am_stencil_pass *pass);

#endif
