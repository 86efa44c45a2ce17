/* SPDX-License-Identifier: MIT */
/* The table of stencil loops, one row an ISA. */
#include "kernels/stencil.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_stencil_find, am_stencil_variant, am_stencil_)

#define NAME(name, flops) #name,
const char *const am_stencil_forms[] = {AM_STENCIL_FORM_MAP(NAME) NULL};
#undef NAME

#define COUNT(name, flops) flops,
const unsigned am_stencil_form_flops[AM_STENCIL_FORMS] = {AM_STENCIL_FORM_MAP(COUNT)};
#undef COUNT

const char *const am_stencil_types[] = {"f32", "f64", NULL};

/* A step moves every point by two of width + 2 registers. */
unsigned am_stencil_period(unsigned width)
{
    const unsigned registers = width + 2;

    if (width > AM_STENCIL_ROTATING)
        return 1;
    return registers % 2 ? registers : registers / 2;
}
