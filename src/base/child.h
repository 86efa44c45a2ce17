/* SPDX-License-Identifier: MIT */
/* A child process: the one place of the project that forks (but for the guardian of
 * bench/cpu/hwprefetch.c, which must outlive whoever started it). A plan says what the child
 * becomes and which descriptors it gets; am_child_start() starts it and tells when that fails, with
 * the errno of exec; the caller then looks, waits, signals. am_child_run() is the whole of it for
 * programs whose output is wanted: start, listen, end. Nothing of this process but what the plan
 * names reaches the child: other descriptors must be opened close-on-exec, as all of this project
 * are. A child is reaped exactly once, and one that is gone is never signalled (its group still is,
 * for what it left behind). */
#ifndef AM_BASE_CHILD_H
#define AM_BASE_CHILD_H

#include "base/status.h"
#include "base/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a descriptor of the child comes from, beside those of this process. */
enum { AM_CHILD_NULL = -1, AM_CHILD_CLOSED = -2, AM_CHILD_CAPTURED = -3 /* am_child_run() only */ };

struct am_child_fd {
    int number; /* in the child */
    int from;   /* of this process, or AM_CHILD_* */
};

enum { AM_CHILD_FDS_MAX = 8 };

struct am_child_plan {
    const char *const *argv; /* ended by NULL; the first is looked for in $PATH unless it has '/' */
    /* In place of a program: called in a copy of this process, returns its exit code. */
    int (*body)(void *self);
    void *self;
    /* Changes to the environment: "NAME=VALUE" sets, "NAME" alone unsets. */
    const char *const *environment;
    size_t n_environment;
    const char *folder;            /* working directory; NULL: that of this process */
    const struct am_child_fd *fds; /* at most AM_CHILD_FDS_MAX; 0, 1 and 2 are else inherited */
    size_t n_fds;
    const int *cpus; /* affinity; n_cpus == 0: that of this process */
    size_t n_cpus;
    /* A process group of its own, killed with this process; signals as they are by default, no core
     * file, no file beyond 64 GiB, and first to be ended where memory runs out. Else it shares the
     * terminal's signals with this process. */
    bool apart;
};

/* What an ended child and those of its own children that it waited for used. */
struct am_child_usage {
    double user_s, system_s; /* CPU time, of all threads */
    /* Most memory that was resident at once, of the largest of these processes. Never below what
     * this process had when it forked: the child began as a copy of it. */
    uint64_t memory_bytes;
};

/* Zero-initialise. */
struct am_child {
    pid_t pid;      /* 0: never started */
    bool running;   /* not reaped yet */
    bool apart;     /* leads a group of its own */
    bool signalled; /* ended by a signal: `code` is its number, else the exit status */
    int code;
    uint64_t started_ns, ended_ns;
    struct am_child_usage usage; /* once it is reaped */
};

/* AM_E_SYS with "cannot start PROGRAM" and the reason. */
enum am_status am_child_start(const struct am_child_plan *plan, struct am_child *child,
                              struct am_err *err);
/* Whether it is gone, without waiting. */
bool am_child_ended(struct am_child *child);
void am_child_await(struct am_child *child);
/* To it if it still runs, and to its group if it has one. */
void am_child_signal(const struct am_child *child, int number);
void am_child_kill(struct am_child *child); /* with its group, and reaps it */
/* As a shell says it: the exit status, or 128 and the number of the signal. */
int am_child_shell_code(const struct am_child *child);

/* Starts the child and stays until it is gone; for processes that it leaves behind nobody waits.
 * What it writes to the descriptors that the plan calls AM_CHILD_CAPTURED is added to `printed`, up
 * to its limit: the rest is read and dropped, so that no program blocks on it, or the child is
 * killed there if `limits` says so. */
struct am_child_limits {
    double seconds;                           /* after its start it is killed; 0: none */
    const volatile sig_atomic_t *interrupted; /* as soon as it is set; NULL: nothing does */
    bool ends_when_full;                      /* kills it as soon as `printed` has no more room */
    bool keeps_last; /* what does not fit pushes out what came first: `printed` ends with the
                      * last bytes, half its limit of them at least */
};
enum am_status am_child_run(const struct am_child_plan *plan, const struct am_child_limits *limits,
                            struct am_text *printed, struct am_child *child, struct am_err *err);

#endif
