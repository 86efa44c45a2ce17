/* SPDX-License-Identifier: MIT */
/* The table of grid loops, one row an ISA. */
#include "kernels/grid.h"

#include "kernels/isa.h"

#define DECLARE(isa) extern const struct am_grid_variant am_grid_##isa;
AM_ISA_MAP(DECLARE)
#undef DECLARE

#define ROW(isa) &am_grid_##isa,
static const struct am_grid_variant *const variants[] = {AM_ISA_MAP(ROW)};
#undef ROW

const unsigned am_grid_form_flops[AM_GRID_DIMS][AM_STENCIL_FORMS] = {
    {[AM_STENCIL_paper] = 6, [AM_STENCIL_scaled] = 5, [AM_STENCIL_centred] = 5},
    {[AM_STENCIL_paper] = 8, [AM_STENCIL_scaled] = 7, [AM_STENCIL_centred] = 7},
};

const struct am_grid_variant *am_grid_find(const char *isa)
{
    const int i = am_isa_index(isa);

    return i < 0 ? NULL : variants[i];
}
