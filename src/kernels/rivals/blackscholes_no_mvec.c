/* SPDX-License-Identifier: MIT */
/* In place of blackscholes_mvec.c where there is no libmvec, or one without erf. */
#include "kernels/blackscholes.h"

const struct am_bs_variant *am_bs_find_mvec(const char *isa)
{
    (void)isa;
    return NULL;
}
