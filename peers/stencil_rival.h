/* SPDX-License-Identifier: MIT */
/* What a shared object has that stencil_turns.c lets step the heat equation beside ours. */
#ifndef AM_PEERS_STENCIL_RIVAL_H
#define AM_PEERS_STENCIL_RIVAL_H

#include <stddef.h>
#include <stdint.h>

/* A grid of n[0] x n[1] x n[2] points (2-D: the last is 1), or one that is as near to it as the
 * rival can have. `updates`: points times steps of one run, as near to `steps` as may be. NULL: it
 * has none. */
void *rival_open(unsigned dim, const size_t n[3], size_t steps, double *updates);
/* So many runs. */
void rival_run(void *self, uint64_t times);

#endif
