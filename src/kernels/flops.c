/* SPDX-License-Identifier: MIT */
/* The table of floating-point chains, one row an ISA. */
#include "kernels/flops.h"

#include "kernels/isa.h"

#define DECLARE(isa) extern const struct am_flops_variant am_flops_##isa;
AM_ISA_MAP(DECLARE)
#undef DECLARE

#define ROW(isa) &am_flops_##isa,
static const struct am_flops_variant *const variants[] = {AM_ISA_MAP(ROW)};
#undef ROW

const char *const am_flops_ops[] = {"fma", "add", "mul", NULL};
const char *const am_flops_types[] = {"f32", "f64", NULL};

const struct am_flops_variant *am_flops_find(const char *isa)
{
    const int i = am_isa_index(isa);

    return i < 0 ? NULL : variants[i];
}
