/* SPDX-License-Identifier: MIT */
/* The benches of all ranks together. */
#include "cluster/joint.h"

#include "base/log.h"
#include "base/text.h"
#include "bench/mpi/relay.h"
#include "worker/serve_mpi.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 50, STUCK_S = 10 };

/* A rank that dies leaves rank 0 in a receive that never ends. Its archmeter gives up by itself
 * (the limit of a launch), and then this thread does what is left to do. */
struct watch {
    const struct am_part *part;
    pid_t pid;
    atomic_bool serving, over;
    am_joint_stuck_fn *stuck;
    void *self;
};

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static void *watch_over(void *arg)
{
    struct watch *const w = arg;
    long stuck_ms = 0;

    while (!atomic_load(&w->over)) {
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
        stuck_ms = atomic_load(&w->serving) && has_ended(w->pid) ? stuck_ms + LOOK_MS : 0;
        if (stuck_ms > STUCK_S * 1000L)
            _exit(w->stuck(w->self, w->part, "a rank no longer answers"));
    }
    return NULL;
}

/* Requests of the archmeter, one after the other, as long as it lives. */
static void serve(struct am_job *job, struct am_part *part, struct watch *w, int listener)
{
    while (!am_part_ended(part)) {
        struct pollfd look = {.fd = listener, .events = POLLIN};
        int fd;

        if (*job->interrupted)
            am_part_stop(part);
        if (poll(&look, 1, LOOK_MS) <= 0)
            continue;
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        atomic_store(&w->serving, true);
        (void)am_mpi_serve(job->group, fd);
        atomic_store(&w->serving, false);
        (void)close(fd);
    }
}

static enum am_status start(struct am_job *job, struct am_part *part, const char *path,
                            struct am_err *err)
{
    char ranks[16];

    (void)am_str_format(ranks, sizeof(ranks), "%d", job->size);
    (void)setenv(AM_MPI_SOCKET, path, 1);
    (void)setenv("ARCHMETER_MPI_RANKS", ranks, 1);
    return am_part_start(part, &job->words->joint, false, err);
}

void am_joint_run(struct am_job *job, struct am_part *part, char reason[AM_PART_REASON_MAX],
                  am_joint_stuck_fn *stuck, void *self)
{
    struct watch w = {.part = part, .stuck = stuck, .self = self};
    char path[AM_RELAY_PATH_MAX];
    struct am_err err = {0};
    pthread_t thread;
    int listener = -1;
    enum am_status s = am_part_open(part, &err);

    if (s == AM_OK)
        s = am_relay_listen(path, &listener, &err);
    if (s == AM_OK)
        s = start(job, part, path, &err);
    if (s != AM_OK) {
        (void)am_str_copy(reason, AM_PART_REASON_MAX, err.text);
        if (listener >= 0)
            am_relay_unlisten(path, listener);
        return;
    }
    w.pid = part->pid;
    if (pthread_create(&thread, NULL, watch_over, &w) == 0) {
        serve(job, part, &w, listener);
        atomic_store(&w.over, true);
        (void)pthread_join(thread, NULL);
    } else {
        serve(job, part, &w, listener);
    }
    am_relay_unlisten(path, listener);
    am_part_reason(part, reason);
}
