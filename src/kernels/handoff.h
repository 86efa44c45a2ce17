/* SPDX-License-Identifier: MIT */
/* Loops by which cores take cache lines from each other: mem.coherence, mem.pingpong, mem.sharing.
 */
#ifndef AM_KERNELS_HANDOFF_H
#define AM_KERNELS_HANDOFF_H

#include <stdatomic.h>
#include <stdint.h>

enum { AM_OWN_TAGS = 8 }; /* pointers of am_chase_own() are multiples of this, plus a tag */

/* Follows `steps` pointers as am_chase() does, and takes each line for writing: one atomic
 * instruction fetches the pointer and adds `delta` to it. Tags do not count for the way; the
 * pointer returned has none. */
const void *am_chase_own(const void *from, uint64_t steps, uint64_t delta);

/* One of two players of a game over one word: raises it from `first` to first + 1, from first + 2
 * to first + 3 and so on, `turns` times; the other begins at first + 1. No pause between attempts.
 */
void am_handoff_cas(_Atomic uint64_t *word, uint64_t first, uint64_t turns);

/* The same with a word for each player, which he alone writes, by plain stores. The leader writes
 * `first`, waits until the other has, then writes first + 1; the follower waits and answers. */
void am_handoff_lead(_Atomic uint64_t *mine, const _Atomic uint64_t *theirs, uint64_t first,
                     uint64_t turns);
void am_handoff_follow(_Atomic uint64_t *mine, const _Atomic uint64_t *theirs, uint64_t first,
                       uint64_t turns);

/* Adds 1 to the word `n` times: by one atomic instruction each; by a load and a plain store each.
 */
void am_share_add(_Atomic uint32_t *word, uint64_t n);
void am_share_count(_Atomic uint32_t *word, uint64_t n);

/* Writes the line back and drops it from every cache of the machine; ordered by am_line_fence(). */
void am_line_flush(const void *line);
/* Everything before it has happened everywhere before anything after it begins. */
void am_line_fence(void);

#endif
