/* SPDX-License-Identifier: MIT */
/* The main loop of every worker program.
 *
 * A worker is started afresh for each launch. It reads one request from the socket at
 * AM_PROTOCOL_FD, binds itself to the CPUs that the request names, and for each point in turn
 * prepares the bench, hands it to the sampler and writes every sample to the socket as it comes,
 * ending with `done`. It keeps nothing, aggregates nothing and knows nothing of other launches. A
 * point that cannot be measured is a `skip` or `fail` with its reason, and the next point goes on.
 * With --list it prints the descriptors of its benches instead. What it prints elsewhere
 * (libraries do) is kept by the conductor as diagnostics and never read as data. */
#ifndef AM_WORKER_WORKER_H
#define AM_WORKER_WORKER_H

#include "core/bench/bench.h"

/* `--list` prints the benches; without arguments it serves one request on AM_PROTOCOL_FD.
 * Returns the exit code. */
int am_worker_main(const char *name, const struct am_bench *const *benches, int argc, char **argv);

/* Serves one request on a connected socket. Returns the exit code of a worker that did. */
int am_worker_serve(const char *name, const struct am_bench *const *benches, int fd);

#endif
