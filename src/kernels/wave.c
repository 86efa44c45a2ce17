/* SPDX-License-Identifier: MIT */
/* The table of loops over rows in registers, one row an ISA. */
#include "kernels/wave.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_wave_find, am_wave_variant, am_wave_)
