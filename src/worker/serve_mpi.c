/* SPDX-License-Identifier: MIT */
/* Requests of a conductor, served by an MPI job. */
#include "worker/serve_mpi.h"

#include "worker/worker.h"

enum { EXIT_GONE = 3 };

int am_mpi_serve(struct am_mpi_group *group, int fd)
{
    struct am_arena arena = {0};
    const struct am_bench **const benches = am_mpi_descriptors(group, &arena);
    const int code = benches ? am_worker_serve("mpi", benches, fd) : EXIT_GONE;

    am_mpi_forget(group);
    am_arena_fini(&arena);
    return code;
}
