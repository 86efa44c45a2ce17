/* SPDX-License-Identifier: MIT */
/* Two ranks that send messages to each other: what several benches play. */
#ifndef AM_BENCH_MPI_PAIRS_H
#define AM_BENCH_MPI_PAIRS_H

#include "bench/mpi/group.h"

struct am_mpi_pair {
    const struct am_mpi_team *team;
    int partner; /* -1: this rank only watches */
    bool leads;  /* begins, and takes the time */
    size_t bytes;
    unsigned char *out, *in;
    uint64_t sent; /* messages of earlier batches, the same on both sides */
};

/* `low` begins. Ranks that are neither get a pair without a partner. */
enum am_status am_mpi_pair_open(struct am_mpi_pair *pair, const struct am_mpi_team *team, int low,
                                int high, size_t bytes, struct am_err *err);
void am_mpi_pair_close(struct am_mpi_pair *pair); /* accepts a zeroed struct */

/* One message there and one back, `rounds` times. The leader's time in ns, 0 on other ranks. */
uint64_t am_mpi_pair_pingpong(struct am_mpi_pair *pair, uint64_t rounds);
/* Both send at the same time, as often. */
uint64_t am_mpi_pair_exchange(struct am_mpi_pair *pair, uint64_t rounds);

/* The latest message is the partner's last. */
enum am_status am_mpi_pair_verify(const struct am_mpi_pair *pair, struct am_err *err);

#endif
