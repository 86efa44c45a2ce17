/* SPDX-License-Identifier: MIT */
/* Messages of ranks in a ring. */
#include "bench/mpi/ring.h"

enum { TAG_DOWN = 5, TAG_UP };

/* The one before and the one after may be the same rank, or this one: tags tell directions. */
void am_mpi_ring_post(struct am_mpi_ring *ring, const struct am_mpi_team *team,
                      void *const ends[AM_RING_ENDS], int count, MPI_Datatype type)
{
    const int ranks = team->size;
    const int before = (team->rank + ranks - 1) % ranks, after = (team->rank + 1) % ranks;
    MPI_Request *const r = ring->requests;

    (void)MPI_Irecv(ends[AM_RING_FROM_BEFORE], count, type, before, TAG_UP, team->comm, &r[0]);
    (void)MPI_Irecv(ends[AM_RING_FROM_AFTER], count, type, after, TAG_DOWN, team->comm, &r[1]);
    (void)MPI_Isend(ends[AM_RING_TO_BEFORE], count, type, before, TAG_DOWN, team->comm, &r[2]);
    (void)MPI_Isend(ends[AM_RING_TO_AFTER], count, type, after, TAG_UP, team->comm, &r[3]);
}

void am_mpi_ring_wait(struct am_mpi_ring *ring)
{
    (void)MPI_Waitall(AM_RING_ENDS, ring->requests, MPI_STATUSES_IGNORE);
}

bool am_mpi_all_well(const struct am_mpi_team *team, enum am_status *s, struct am_err *err)
{
    int mine = (int)*s, worst = 0;

    (void)MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, team->comm);
    if (*s == AM_OK && worst != AM_OK)
        *s = am_fail(err, (enum am_status)worst, "another rank cannot");
    return *s == AM_OK;
}
