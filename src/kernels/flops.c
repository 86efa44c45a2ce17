/* SPDX-License-Identifier: MIT */
/* The table of floating-point chains, one row an ISA. */
#include "kernels/flops.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_flops_find, am_flops_variant, am_flops_)

const char *const am_flops_ops[] = {"fma", "add", "mul", "mix", NULL};
const char *const am_flops_types[] = {"f32", "f64", NULL};

bool am_flops_fuses(enum am_flops_op op)
{
    return op == AM_FLOPS_FMA || op == AM_FLOPS_MIX;
}

unsigned am_flops_count(enum am_flops_op op)
{
    static const unsigned counts[AM_FLOPS_OPS] = {
        [AM_FLOPS_FMA] = 2, [AM_FLOPS_ADD] = 1, [AM_FLOPS_MUL] = 1, [AM_FLOPS_MIX] = 3};

    return counts[op];
}

bool am_flops_adds_first(size_t stream, size_t streams)
{
    return stream >= (streams + 1) / 2;
}
