/* SPDX-License-Identifier: MIT */
/* The table of Black-Scholes loops with functions of glibc, one row an ISA. */
#include "kernels/blackscholes.h"
#include "kernels/isa.h"

AM_ISA_FINDER(am_bs_find_mvec, am_bs_variant, am_bs_mvec_)
