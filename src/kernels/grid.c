/* SPDX-License-Identifier: MIT */
/* The table of grid loops, one row an ISA. */
#include "kernels/grid.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_grid_find, am_grid_variant, am_grid_)

const unsigned am_grid_form_flops[AM_GRID_DIMS][AM_STENCIL_FORMS] = {
    {[AM_STENCIL_paper] = 6, [AM_STENCIL_scaled] = 5, [AM_STENCIL_centred] = 5},
    {[AM_STENCIL_paper] = 8, [AM_STENCIL_scaled] = 7, [AM_STENCIL_centred] = 7},
};
