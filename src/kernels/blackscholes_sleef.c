/* SPDX-License-Identifier: MIT */
/* The table of Black-Scholes loops with functions of SLEEF, one row an ISA. */
#include "kernels/blackscholes.h"
#include "kernels/isa.h"

#define DECLARE(isa) extern const struct am_bs_variant am_bs_sleef_##isa;
AM_ISA_MAP(DECLARE)
#undef DECLARE

#define ROW(isa) &am_bs_sleef_##isa,
static const struct am_bs_variant *const variants[] = {AM_ISA_MAP(ROW)};
#undef ROW

const struct am_bs_variant *am_bs_find_sleef(const char *isa)
{
    const int i = am_isa_index(isa);

    return i < 0 ? NULL : variants[i];
}
