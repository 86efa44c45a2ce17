/* SPDX-License-Identifier: MIT */
/* A worker's main loop: pin, prepare, verify, sample, stream. */
#ifndef AM_WORKER_WORKER_H
#define AM_WORKER_WORKER_H

#include "core/bench/bench.h"

/* `--list` prints the benches; without arguments it serves one request on AM_PROTOCOL_FD.
 * Returns the exit code. */
int am_worker_main(const char *name, const struct am_bench *const *benches, int argc, char **argv);

/* Serves one request on a connected socket. Returns the exit code of a worker that did. */
int am_worker_serve(const char *name, const struct am_bench *const *benches, int fd);

#endif
