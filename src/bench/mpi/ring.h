/* SPDX-License-Identifier: MIT */
/* Ranks in a ring: each sends its first points to the one before it and its last to the one after,
 * and gets as many of theirs. */
#ifndef AM_BENCH_MPI_RING_H
#define AM_BENCH_MPI_RING_H

#include "bench/mpi/group.h"

enum { AM_RING_TO_BEFORE, AM_RING_TO_AFTER, AM_RING_FROM_BEFORE, AM_RING_FROM_AFTER, AM_RING_ENDS };

/* Messages under way. */
struct am_mpi_ring {
    MPI_Request requests[AM_RING_ENDS];
};

/* `ends` by the names above, `count` elements each; they stay the caller's until the wait is over.
 */
void am_mpi_ring_post(struct am_mpi_ring *ring, const struct am_mpi_team *team,
                      void *const ends[AM_RING_ENDS], int count, MPI_Datatype type);
void am_mpi_ring_wait(struct am_mpi_ring *ring);

/* Whether all ranks are well; where another is not, *s becomes its failure. No rank may wait for
 * one that has failed. */
bool am_mpi_all_well(const struct am_mpi_team *team, enum am_status *s, struct am_err *err);

#endif
