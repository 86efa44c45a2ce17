/* SPDX-License-Identifier: MIT */
/* The table of Black-Scholes loops, one row an ISA. */
#include "kernels/blackscholes.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_bs_find, am_bs_variant, am_bs_)

const char *const am_bs_types[] = {"f32", "f64", NULL};
const char *const am_bs_cdfs[] = {"poly", "erf", NULL};
