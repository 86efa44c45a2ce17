/* SPDX-License-Identifier: MIT */
/* Benches that the ranks of an MPI job run together. Rank 0 is the worker: it talks to the
 * conductor, and tells the others what to do; they follow. */
#ifndef AM_BENCH_MPI_GROUP_H
#define AM_BENCH_MPI_GROUP_H

#include "core/bench/bench.h"

#include <mpi.h>

/* The ranks of one point: the first `size` of the job. */
struct am_mpi_team {
    MPI_Comm comm;
    int rank, size;
    int local_rank, local_size; /* among the ranks on this machine */
    uint64_t seed;              /* the same everywhere */
    const struct am_clock *clock;
    const struct am_ctx *ctx; /* rank 0: for notes and limits; NULL elsewhere */
    const int *cpus;          /* this process may use */
    size_t cpu_count;
    void **kept; /* rank 0: a block that lives as long as the launch, freed with free() */
};

/* Every hook is called on every rank of the team, at the same time; so they may communicate.
 * `state` is zeroed, of state_size bytes, and each rank's own. */
struct am_mpi_bench {
    struct am_bench descriptor; /* without hooks; one axis is called `ranks` */
    size_t state_size;
    /* What rank 0 states is the work; a failure on any rank is that of the point. */
    enum am_status (*prepare)(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err);
    /* Rank 0 only, may be NULL: a result measured beside an earlier one. */
    bool (*recall)(void *state, uint64_t iters, struct am_batch *batch);
    /* The batch's time is the longest elapsed_ns of all ranks; own values are rank 0's. */
    void (*run)(void *state, uint64_t iters, struct am_batch *batch);
    enum am_status (*verify)(void *state, double *residual, struct am_err *err);
    void (*finish)(void *state); /* also after a failed prepare */
};

extern const struct am_mpi_bench *const am_mpi_benches[]; /* ended by NULL */

struct am_mpi_group;

/* After MPI_Init. */
enum am_status am_mpi_group_open(struct am_mpi_group **group_p, struct am_err *err);
void am_mpi_group_close(struct am_mpi_group *group); /* accepts NULL */
int am_mpi_group_rank(const struct am_mpi_group *group);

/* Rank 0, after a launch: drops what was kept for it. */
void am_mpi_forget(struct am_mpi_group *group);
/* Rank 0: lets the others go. */
void am_mpi_dismiss(struct am_mpi_group *group);
/* The other ranks: until they are dismissed. SIGALRM ends the process where no command comes for
 * limit_s seconds, or one does not come to an end; 0: no limit. */
void am_mpi_follow(struct am_mpi_group *group, unsigned limit_s);

/* The descriptors with the hooks of rank 0, ended by NULL, memory of the arena; group NULL: for a
 * listing. NULL without memory. */
const struct am_bench **am_mpi_descriptors(struct am_mpi_group *group, struct am_arena *arena);

/* The row of the axis table that every bench has. */
#define AM_MPI_RANKS_AXIS                                                                          \
    {                                                                                              \
        .name = "ranks", .kind = AM_AXIS_INT, .dflt = "ranks",                                     \
        .help = "MPI processes; inside a job at most as many as it has"                            \
    }

#endif
