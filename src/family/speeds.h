/* SPDX-License-Identifier: MIT */
/* How many times as fast a part of another machine is, as a range over all that both machines
 * measured of the part.
 *
 * A program of which only the part is known that it depends on, its cores or its memory, is made of
 * the part's pieces in unknown shares: instructions, or reads, writes and waits. Whatever the
 * shares, it gains no more than the piece that gains most and no less than the one that gains
 * least, as far as the pieces were measured on both. That range is the answer; its middle is none.
 */
#ifndef AM_FAMILY_SPEEDS_H
#define AM_FAMILY_SPEEDS_H

#include "family/fact.h"
#include "family/tiers.h"

enum am_speed_part { AM_SPEED_CORE, AM_SPEED_MEMORY, AM_SPEED_PARTS };

struct am_speed_range {
    double lo, hi;            /* there over here: above 1 is faster there */
    const char *least, *most; /* facts that give the ends */
    size_t n;                 /* facts that both machines have */
};

/* The same of one thing that both have measured; NAN where they have not. */
double am_speeds_clock(const struct am_facts *here, const struct am_facts *there);
/* Of waiting for the level of memory that serves a point on each. */
double am_speeds_waiting(const struct am_facts *here, enum am_tier level_here,
                         const struct am_facts *there, enum am_tier level_there);

/* False when fewer than three facts are known of both; `missing` then says what measures them. */
bool am_speeds(const struct am_facts *here, const struct am_facts *there, enum am_speed_part part,
               struct am_speed_range *out, const char **missing);

#endif
