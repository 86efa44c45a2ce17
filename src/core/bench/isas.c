/* SPDX-License-Identifier: MIT */
/* Ranks of instruction sets by their names. */
#include "core/bench/isas.h"

#include "base/text.h"

#define NAME(isa, bytes) #isa,
static const char *const names[] = {AM_ISAS(NAME) NULL};
#undef NAME

/* Cores that have 512-bit registers may execute them in two halves, have one such unit beside two
 * of 256 bits, or lower their clock for them. Narrower sets have no such rival: half the width
 * costs more than any clock gains. */
static const char *const rivals[AM_ISA_RANKS] = {[AM_ISA_RANK_avx512] = "avx2"};

int am_isa_rank(const char *isa)
{
    return am_name_index(names, AM_ISA_RANKS, isa);
}

const char *am_isa_rival(const char *isa)
{
    const int rank = am_isa_rank(isa);

    return rank >= 0 ? rivals[rank] : NULL;
}
