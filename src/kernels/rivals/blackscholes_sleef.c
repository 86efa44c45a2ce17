/* SPDX-License-Identifier: MIT */
/* The table of Black-Scholes loops with functions of SLEEF, one row an ISA. */
#include "kernels/blackscholes.h"
#include "kernels/isa.h"

AM_ISA_FINDER(am_bs_find_sleef, am_bs_variant, am_bs_sleef_)
