/* SPDX-License-Identifier: MIT */
/* What a loop moves through memory: bytes of lines that each iteration meets for the first time,
 * and the cycles that these take from a level behind the first cache.
 *
 * Addresses are sums of registers and constants. A register that one iteration changes by a
 * constant moves on by it; operands that share their registers share their lines. So neighbours in
 * an array count once, what stands still counts nothing, and a line that was met up to 64
 * iterations before is taken to be near still. Operands whose registers change in another way
 * (loaded, computed) are not followed: they are counted apart, and the bytes are a lower bound. A
 * line's other bytes come with it. The rates are ceilings that were measured with one thread,
 * which include what lies between the level and the core. */
#ifndef AM_MODEL_BLOCK_STREAMS_H
#define AM_MODEL_BLOCK_STREAMS_H

#include "model/block/loops.h"
#include "model/roofline.h"

struct am_streams {
    double read, written;     /* bytes per iteration of lines loaded from and stored to */
    size_t operands, unknown; /* in memory; those whose addresses are not followed */
};

/* False when memory is refused. */
bool am_streams_count(const struct am_insns *insns, const struct am_loop *loop,
                      struct am_streams *out);

/* Cycles per iteration that the bytes take from the level, at `hz` cycles per second; NAN where no
 * ceiling of it was measured. */
double am_streams_cycles(const struct am_streams *streams, const struct am_roofline *roofline,
                         enum am_tier level, double hz);

#endif
