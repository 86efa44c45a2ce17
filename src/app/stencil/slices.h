/* SPDX-License-Identifier: MIT */
/* Passes of slices over one part, and steps of a grid that registers hold. Inside the stencil only.
 */
#ifndef AM_APP_STENCIL_SLICES_H
#define AM_APP_STENCIL_SLICES_H

#include "app/stencil/stencil.h"

/* Steps of the part, its neighbourhood of as many vectors on either side filled. */
void am_stencil_advance_slices(const struct am_stencil *st, size_t part, size_t steps);

/* Steps of a grid that registers hold. */
void am_stencil_advance_held(const struct am_stencil *st, size_t steps);
/* The loops for the spec's points in registers; NULL where there are none. */
const struct am_stencil_held *am_stencil_held_for(const struct am_stencil_spec *spec);

#endif
