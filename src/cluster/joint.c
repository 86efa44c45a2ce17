/* SPDX-License-Identifier: MIT */
/* The benches of all ranks together. */
#include "cluster/joint.h"

#include "base/log.h"
#include "base/text.h"
#include "bench/mpi/relay.h"
#include "worker/serve_mpi.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 50, END_S = 12 };

/* A rank that dies leaves rank 0 in a receive that never ends. The archmeter gives up the launch at
 * its limit and hangs up; where rank 0 is still busy with it long after that, this thread does what
 * is left to do. It also passes Ctrl-C on, which rank 0 cannot while it measures. */
struct watch {
    const struct am_job *job;
    struct am_part *part;
    pid_t pid;
    atomic_int serving; /* the connection that rank 0 is busy with, -1: none */
    atomic_bool over;
    const char *path; /* where rank 0 listens */
    int listener;
    am_joint_stuck_fn *stuck;
    void *self;
};

static void pause_for_a_look(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static bool has_hung_up(int fd)
{
    struct pollfd look = {.fd = fd};

    return poll(&look, 1, 0) == 1 && look.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/* The end of the job: what was measured becomes a file, and nobody waits for the lost rank. Of MPI
 * only the abort: everything else needs rank 0's own thread, which will not come back. */
static void give_up(struct watch *w, double waited_s)
{
    char reason[AM_PART_REASON_MAX];
    int code;

    (void)kill(w->pid, SIGTERM);
    for (long ms = 0; ms < END_S * 1000L && !has_ended(w->pid); ms += LOOK_MS)
        pause_for_a_look();
    (void)kill(w->pid, SIGKILL);
    (void)am_str_format(reason, sizeof(reason),
                        "a rank is lost: %g s after its limit a launch had not come to an end",
                        waited_s);
    am_log(AM_LOG_WARN, "all ranks: %s", reason);
    am_relay_unlisten(w->path, w->listener);
    code = w->stuck(w->self, w->part, reason);
    (void)fflush(NULL);
    (void)MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

static void *watch_over(void *arg)
{
    struct watch *const w = arg;
    const double limit_s = w->job->words->silence_s;
    double stuck_s = 0;

    while (!atomic_load(&w->over)) {
        const int fd = atomic_load(&w->serving);

        pause_for_a_look();
        stuck_s = fd >= 0 && fd == atomic_load(&w->serving) && has_hung_up(fd)
                      ? stuck_s + LOOK_MS * 1e-3
                      : 0;
        if (fd >= 0 && *w->job->interrupted && !has_ended(w->pid))
            (void)kill(w->pid, SIGTERM);
        if (stuck_s > limit_s)
            give_up(w, limit_s);
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
        atomic_store(&w->serving, fd);
        (void)am_mpi_serve(job->group, fd);
        atomic_store(&w->serving, -1);
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
    struct watch w = {.job = job, .part = part, .serving = -1, .stuck = stuck, .self = self};
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
    w.pid = part->child.pid;
    w.path = path;
    w.listener = listener;
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
