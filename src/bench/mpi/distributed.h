/* SPDX-License-Identifier: MIT */
/* The 1-D stencil over the ranks of a job: contiguous blocks, T points to each neighbour per pass.
 *
 * A rank holds its block with a border of T points on either side, as a small periodic grid of its
 * own. A pass of up to T steps spoils at most the border, which the neighbours' points replace
 * before the next. They are sent before ghosts are exchanged and waited for by whoever advances the
 * first or the last part, last of all. */
#ifndef AM_BENCH_MPI_DISTRIBUTED_H
#define AM_BENCH_MPI_DISTRIBUTED_H

#include "runtime/executor.h"
#include "app/stencil/stencil.h"
#include "bench/shared/memory.h"
#include "bench/mpi/ring.h"

#include <pthread.h>

enum { AM_DISTRIBUTED_THREADS_MAX = 1024 }; /* of a rank */

struct am_distributed {
    const struct am_mpi_team *team;
    struct am_stencil st;
    struct am_memory memory;
    size_t first, own; /* of this rank's block: grid points before it, and in it */
    size_t border;     /* points on either side: the depth */
    size_t steps;
    void *edges[AM_RING_ENDS];
    struct am_mpi_ring ring;
    bool alone;           /* without neighbours' messages: for a prediction */
    pthread_mutex_t lock; /* of what two threads may do: the wait */
    bool arrived;         /* this pass's messages */
    struct am_stencil_pass pass;
    const struct am_executor *executor;
    void *engine;
};

struct am_distributed_setup {
    struct am_stencil_spec spec; /* n: of the whole grid; parts: threads */
    size_t steps, threads;
};

/* Collective. AM_E_ABSENT where a block is too small for the depth. */
enum am_status am_distributed_open(struct am_distributed *d, const struct am_mpi_team *team,
                                   const struct am_distributed_setup *setup, struct am_err *err);
void am_distributed_close(struct am_distributed *d); /* accepts a zeroed struct */

/* The state at step 0: am_stencil_start() of the whole grid's points. */
enum am_status am_distributed_fill(struct am_distributed *d, struct am_err *err);
/* All steps once. Collective unless `alone`. */
void am_distributed_iterate(struct am_distributed *d);
/* One exchange with the neighbours and nothing else. Collective. */
void am_distributed_talk(struct am_distributed *d);
/* The first point of a rank's block. */
size_t am_distributed_start(size_t n, int rank, int ranks);
/* Rank 0 gets all n points; x is NULL elsewhere. Collective. */
enum am_status am_distributed_gather(const struct am_distributed *d, void *x, struct am_err *err);

#endif
