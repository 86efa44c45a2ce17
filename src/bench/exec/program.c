/* SPDX-License-Identifier: MIT */
/* Runs one program and keeps what it prints. */
#include "bench/exec/program.h"

#include "base/clock.h"
#include "core/protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX = 1024 * 1024, EXEC_FAILED = 127, LAST_LINE_MAX = 200, BUFFER = 16 * 1024 };

/* The child's side; returns only by its end. What fails is told through the status pipe. */
static void become(const struct am_exec_program *p, int output, int status)
{
    int why;

    (void)close(AM_PROTOCOL_FD); /* the program must not speak for the worker */
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
        chdir(p->folder) == 0) {
        for (size_t i = 0; i < p->n_env; i++)
            (void)putenv((char *)p->env[i]);
        (void)execvp(p->argv[0], (char *const *)p->argv);
    }
    why = errno;
    (void)!write(status, &why, sizeof(why));
    _exit(EXEC_FAILED);
}

/* Reads to the end; what is beyond the limit is thrown away, so that the program never blocks. */
static void listen(int fd, struct am_text *output)
{
    char buf[BUFFER];

    for (;;) {
        const ssize_t n = read(fd, buf, sizeof(buf));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        for (ssize_t i = 0; i < n; i++) {
            if (buf[i] == '\0')
                buf[i] = '?'; /* the rest of the text must stay visible to expressions */
        }
        am_text_addn(output, buf, (size_t)n);
    }
}

static enum am_status tell_end(const char *name, int status, const struct am_text *output,
                               struct am_err *err)
{
    const char *const text = am_text_str(output);
    size_t end = output->len, begin;

    while (end && (text[end - 1] == '\n' || text[end - 1] == '\r'))
        end--;
    for (begin = end; begin && text[begin - 1] != '\n'; begin--)
        continue;
    if (end - begin > LAST_LINE_MAX)
        end = begin + LAST_LINE_MAX;
    if (WIFSIGNALED(status))
        return am_fail(err, AM_E_WRONG, "%s was ended by signal %d (%s)", name, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    return am_fail(err, AM_E_WRONG, "%s ended with exit code %d%s%.*s", name, WEXITSTATUS(status),
                   end > begin ? ": " : "", (int)(end - begin), text + begin);
}

static enum am_status stay_with(pid_t pid, const char *name, const int fd[2],
                                struct am_exec_end *end, struct am_err *err)
{
    int why = 0, status = 0;
    const bool started = read(fd[1], &why, sizeof(why)) != (ssize_t)sizeof(why);

    listen(fd[0], &end->output);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!started)
        return am_fail(err, AM_E_WRONG, "cannot run %s: %s", name, strerror(why));
    return status ? tell_end(name, status, &end->output, err) : AM_OK;
}

enum am_status am_exec_program_run(const struct am_exec_program *p, struct am_exec_end *end,
                                   struct am_err *err)
{
    int output[2] = {-1, -1}, status[2] = {-1, -1};
    const uint64_t t0 = am_now_ns();
    enum am_status s;
    pid_t pid = -1;

    *end = (struct am_exec_end){0};
    am_text_init(&end->output, OUTPUT_MAX);
    if (pipe2(output, O_CLOEXEC) == 0 && pipe2(status, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0)
        become(p, output[1], status[1]);
    s = pid < 0 ? am_fail(err, AM_E_SYS, "cannot fork for %s", p->argv[0]) : AM_OK;
    (void)close(output[1]);
    (void)close(status[1]);
    if (s == AM_OK)
        s = stay_with(pid, p->argv[0], (const int[]){output[0], status[0]}, end, err);
    end->elapsed_ns = am_now_ns() - t0;
    (void)close(output[0]);
    (void)close(status[0]);
    return s;
}
