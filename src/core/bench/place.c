/* SPDX-License-Identifier: MIT */
/* The words of the axis `on`. */
#include "core/bench/place.h"

const char *const am_pairings[AM_PAIRINGS] = {
    [AM_PAIRS_RELATED] = "related", [AM_PAIRS_JOINED] = "joined"};

const char *const *am_place_words(void)
{
    static const char *const words[] = {AM_PLACE_WHOLE, "cores", "core", "smt2",    "smt4",
                                        "l2",           "l3",    "node", "package", NULL};

    return words;
}
