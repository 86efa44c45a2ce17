/* SPDX-License-Identifier: MIT */
/* The table of stencil loops, one row an ISA. */
#include "kernels/stencil.h"

#include "kernels/isa.h"

#define DECLARE(isa) extern const struct am_stencil_variant am_stencil_##isa;
AM_ISA_MAP(DECLARE)
#undef DECLARE

#define ROW(isa) &am_stencil_##isa,
static const struct am_stencil_variant *const variants[] = {AM_ISA_MAP(ROW)};
#undef ROW

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

const struct am_stencil_variant *am_stencil_find(const char *isa)
{
    const int i = am_isa_index(isa);

    return i < 0 ? NULL : variants[i];
}
