/* SPDX-License-Identifier: MIT */
/* Requests of a conductor, served by an MPI job. */
#ifndef AM_WORKER_SERVE_MPI_H
#define AM_WORKER_SERVE_MPI_H

#include "bench/mpi/group.h"

/* Rank 0: serves one request on a connected socket while the others follow. The exit code of a
 * worker. */
int am_mpi_serve(struct am_mpi_group *group, int fd);

#endif
