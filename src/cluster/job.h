/* SPDX-License-Identifier: MIT */
/* A cluster run over MPI: one archmeter per node, files to rank 0, one merged file. */
#ifndef AM_CLUSTER_JOB_H
#define AM_CLUSTER_JOB_H

#include "bench/mpi/group.h"
#include "cluster/part.h"
#include "cluster/words.h"

#include <signal.h>

struct am_job {
    const struct am_cluster_words *words;
    const char *command; /* the command line, for the file */
    struct am_mpi_group *group;
    MPI_Comm talk; /* of this program's own messages */
    int rank, size;
    bool leads; /* this rank speaks for its node */
    const volatile sig_atomic_t *interrupted;
};

/* Collective: the same answer on every rank. Fails where the merged file cannot be created. */
enum am_status am_job_open(struct am_job *job, struct am_err *err);

/* Rank 0: everything, to the merged file; ranks that followed are dismissed. The exit code; *lost
 * tells that ranks have vanished, so that nothing collective may follow. */
int am_job_conduct(struct am_job *job, bool *lost);
/* All other ranks: leaders their node's part, until rank 0 says what comes next. False when it says
 * nothing any more: nothing collective may follow. */
bool am_job_take_part(struct am_job *job, bool *follow);

#endif
