/* SPDX-License-Identifier: MIT */
/* The way from a conductor to rank 0 of an MPI job: a socket in a folder of our own, since no
 * launcher hands on other descriptors than the three standard ones. */
#ifndef AM_BENCH_MPI_RELAY_H
#define AM_BENCH_MPI_RELAY_H

#include "base/status.h"

/* Environment: where rank 0 listens (a worker that finds it passes its request on to there), and
 * who starts the ranks, `mpirun` when unset (with Open MPI's switches for more ranks than CPUs,
 * unbound). */
#define AM_MPI_SOCKET "ARCHMETER_MPI_SOCKET"
#define AM_MPI_LAUNCHER "ARCHMETER_MPIRUN"
/* The value of the first that forbids both. */
#define AM_MPI_NO_JOB "-"
/* Set for the ranks that a worker starts. */
#define AM_MPI_SERVES "ARCHMETER_MPI_SERVES"

/* A socket that listens in a fresh folder; `path` gets its name. am_relay_unlisten() removes both.
 */
enum { AM_RELAY_PATH_MAX = 100 };
enum am_status am_relay_listen(char path[AM_RELAY_PATH_MAX], int *fd_p, struct am_err *err);
void am_relay_unlisten(const char *path, int fd);
enum am_status am_relay_connect(const char *path, int *fd_p, struct am_err *err);

/* Passes the request of AM_PROTOCOL_FD on to the job that listens at `path`, and its answers back,
 * until it hangs up. The exit code of the worker. */
int am_relay_to_job(const char *path);

/* Starts as many ranks of `program` as the request needs, and does the same. */
int am_relay_launch(const char *program);

#endif
