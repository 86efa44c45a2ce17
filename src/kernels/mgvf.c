/* SPDX-License-Identifier: MIT */
/* The table of loops of the motion gradient vector flow, one row an ISA. */
#include "kernels/mgvf.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_mgvf_find, am_mgvf_variant, am_mgvf_)

const char *const am_mgvf_types[] = {"f32", "f64", NULL};
const char *const am_mgvf_heavisides[] = {"atan", "minmax", "lanes", NULL};
const char *const am_mgvf_forms[] = {"naive", "atan", "minmax", "lanes", NULL};

size_t am_mgvf_naive_scratch(size_t rows, size_t columns)
{
    return AM_MGVF_NAIVE_MATRICES * rows * (sizeof(double *) + columns * sizeof(double));
}
