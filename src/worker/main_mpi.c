/* SPDX-License-Identifier: MIT */
/* The worker `mpi`: started by the conductor it starts ranks of itself, or passes the request on to
 * a job that runs already; started as a rank it measures. */
#include "base/log.h"
#include "bench/mpi/group.h"
#include "bench/mpi/relay.h"
#include "core/protocol/protocol.h"
#include "worker/serve_mpi.h"
#include "worker/worker.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_GONE = 3 };

static int list(int argc, char **argv)
{
    struct am_arena arena = {0};
    const struct am_bench **const benches = am_mpi_descriptors(NULL, &arena);
    const int code = benches ? am_worker_main("mpi", benches, argc, argv) : EXIT_GONE;

    am_arena_fini(&arena);
    return code;
}

static int lead(struct am_mpi_group *group)
{
    struct am_err err = {0};
    int fd = -1, code;

    if (am_relay_connect(getenv(AM_MPI_SOCKET), &fd, &err) != AM_OK) {
        am_log(AM_LOG_ERROR, "worker mpi: %s", err.text);
        am_mpi_dismiss(group);
        return EXIT_GONE;
    }
    code = am_mpi_serve(group, fd);
    am_mpi_dismiss(group);
    (void)close(fd);
    return code;
}

static int serve(int argc, char **argv)
{
    struct am_mpi_group *group = NULL;
    struct am_err err = {0};
    int given, code = 0;

    (void)signal(SIGPIPE, SIG_IGN); /* a message to a rank that has died */
    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    if (am_mpi_group_open(&group, &err) != AM_OK) {
        am_log(AM_LOG_ERROR, "worker mpi: %s", err.text);
        (void)MPI_Abort(MPI_COMM_WORLD, EXIT_GONE);
    }
    if (am_mpi_group_rank(group) == 0)
        code = lead(group);
    else
        am_mpi_follow(group, 0);
    am_mpi_group_close(group);
    (void)MPI_Finalize();
    return code;
}

int main(int argc, char **argv)
{
    char program[PATH_MAX];
    const char *const job = getenv(AM_MPI_SOCKET);
    ssize_t n;

    if (getenv(AM_MPI_SERVES) && job)
        return serve(argc, argv);
    if (job && strcmp(job, AM_MPI_NO_JOB) == 0)
        return am_worker_main("mpi", (const struct am_bench *const[]){NULL}, argc, argv);
    if (argc != 1 || fcntl(AM_PROTOCOL_FD, F_GETFD) < 0)
        return list(argc, argv);
    if (job)
        return am_relay_to_job(job);
    n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (n < 0)
        return EXIT_GONE;
    program[n] = '\0';
    return am_relay_launch(program);
}
