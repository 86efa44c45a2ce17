/* SPDX-License-Identifier: MIT */
/* A child process under control: bound to CPUs, limited in time and output, heard line by line. */
#ifndef AM_CONDUCTOR_PROCESS_H
#define AM_CONDUCTOR_PROCESS_H

#include "base/status.h"
#include "base/text.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Called for each complete protocol line (no newline). A status other than AM_OK ends the child. */
typedef enum am_status am_process_line_fn(void *self, const char *line, size_t len,
                                          struct am_err *err);

struct am_process {
    const char *program;
    const char *argument; /* the only one, or NULL */
    const int *cpus;      /* affinity; n_cpus == 0: as the parent */
    size_t n_cpus;
    /* Changes to the environment: "NAME=VALUE" sets, "NAME" alone unsets. */
    const char *const *environment;
    size_t n_environment;
    const char *input; /* sent on the protocol descriptor, then that direction is shut */
    size_t input_len;
    double limit_s;              /* since its start, or since *progress_ns when that is later;
                                  * without what it waited for a CPU (waiting.h) */
    const uint64_t *progress_ns; /* may be NULL; on_line moves it */
    const size_t *stream_limit;  /* protocol bytes it may send; on_line may raise it; NULL: none */
    size_t output_limit;         /* bytes kept of each of stdout and stderr */
    const volatile sig_atomic_t *interrupted; /* may be NULL */
    am_process_line_fn *on_line;
    void *self;
};

enum am_process_end {
    AM_END_EXIT,
    AM_END_SIGNAL,
    AM_END_TIMEOUT,
    AM_END_FLOOD,
    AM_END_REFUSED, /* on_line said so; its story is in `refusal` */
    AM_END_INTERRUPTED,
};

struct am_process_result {
    enum am_process_end end;
    int code; /* exit status, or signal number */
    pid_t pid;
    uint64_t started_ns, ended_ns;
    size_t left_behind;      /* processes that survived it and its group, and had to be killed */
    struct am_text out, err; /* what it printed; am_process_fini() frees */
    struct am_err refusal;
};

/* Starts the child and stays with it until it is gone; its whole process group is then killed, and
 * what left the group (base/orphans.h).
 * While the child measures this process sleeps: it looks at what arrived only at every 50 ms,
 * so that it does not run beside a timed kernel. An error status means it could not be started. */
enum am_status am_process_run(const struct am_process *process, struct am_process_result *result,
                              struct am_err *err);
void am_process_fini(struct am_process_result *result);

#endif
