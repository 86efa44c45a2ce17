/* SPDX-License-Identifier: MIT */
/* Ranks of instruction sets by their names. */
#include "core/bench/isas.h"

#include "base/text.h"

#define NAME(isa, bytes) #isa,
static const char *const names[] = {AM_ISAS(NAME) NULL};
#undef NAME

int am_isa_rank(const char *isa)
{
    return am_name_index(names, AM_ISA_RANKS, isa);
}
