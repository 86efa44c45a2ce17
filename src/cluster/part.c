/* SPDX-License-Identifier: MIT */
/* A node's part of a cluster run. */
#include "cluster/part.h"

#include "base/clock.h"
#include "base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TAIL_BYTES = 4096, COMMAND_EXTRA = 4, CODE_INTERRUPTED = 130 };

static const double obey_s = 10; /* from being asked to end to being killed */

enum am_status am_part_open(struct am_part *part, struct am_err *err)
{
    const char *const base = getenv("TMPDIR");

    *part = (struct am_part){0};
    if (!am_str_format(part->folder, sizeof(part->folder) - 16, "%s/archmeter-node-XXXXXX",
                       base && *base ? base : "/tmp"))
        return am_fail(err, AM_E_LIMIT, "TMPDIR is too long");
    if (!mkdtemp(part->folder))
        return am_fail(err, AM_E_SYS, "cannot make a folder at %s", part->folder);
    if (!am_str_format(part->file, sizeof(part->file), "%s/run.db", part->folder) ||
        !am_str_format(part->log, sizeof(part->log), "%s/log", part->folder))
        return am_fail(err, AM_E_LIMIT, "TMPDIR is too long");
    return AM_OK;
}

/* The program archmeter in the folder of this one. */
static enum am_status find_program(char path[PATH_MAX], struct am_err *err)
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    if (n < 0)
        return am_fail(err, AM_E_SYS, "cannot tell where this program lies");
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (!slash || !am_str_copy(slash + 1, PATH_MAX - (size_t)(slash + 1 - path), "archmeter"))
        return am_fail(err, AM_E_LIMIT, "the path of this program is too long");
    return AM_OK;
}

static int redirect(const struct am_part *part, bool heard, posix_spawn_file_actions_t *actions)
{
    int rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (rc == 0 && heard)
        return posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, part->log,
                                              O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return rc ? rc : posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
}

enum am_status am_part_start(struct am_part *part, const struct am_strings *command, bool heard,
                             struct am_err *err)
{
    char program[PATH_MAX];
    const char **const argv = calloc(command->n + COMMAND_EXTRA, sizeof(*argv));
    posix_spawn_file_actions_t actions;
    enum am_status s = find_program(program, err);
    size_t n = 0;
    int rc;

    if (!argv || s != AM_OK) {
        free(argv);
        return argv ? s : am_fail(err, AM_E_NOMEM, "no memory for a command");
    }
    argv[n++] = program;
    for (size_t i = 0; i < command->n; i++)
        argv[n++] = command->items[i];
    argv[n++] = "-o";
    argv[n++] = part->file;
    (void)posix_spawn_file_actions_init(&actions);
    rc = redirect(part, heard, &actions);
    if (rc == 0)
        rc = posix_spawn(&part->pid, program, &actions, NULL, (char *const *)(void *)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    free(argv);
    part->begun_ns = am_now_ns();
    return rc == 0 ? AM_OK
                   : am_fail(err, AM_E_ABSENT, "cannot start %s: %s", program, strerror(rc));
}

static bool has_passed(uint64_t since_ns, double seconds)
{
    return (double)(am_now_ns() - since_ns) > 1e9 * seconds;
}

static void hurry(struct am_part *part)
{
    if (part->limit_s > 0 && !part->stopped_ns && has_passed(part->begun_ns, part->limit_s)) {
        part->late = true;
        am_part_stop(part);
    }
    if (part->stopped_ns && has_passed(part->stopped_ns, obey_s))
        (void)kill(part->pid, SIGKILL);
}

bool am_part_ended(struct am_part *part)
{
    int status;

    if (part->pid == 0)
        return true;
    if (waitpid(part->pid, &status, WNOHANG) != part->pid) {
        hurry(part);
        return false;
    }
    part->pid = 0;
    part->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

void am_part_stop(struct am_part *part)
{
    if (!part->pid || part->stopped_ns)
        return;
    part->stopped_ns = am_now_ns();
    (void)kill(part->pid, SIGTERM);
}

/* The last line of the log that says something. */
static void last_words(const struct am_part *part, char *out, size_t cap)
{
    const int fd = open(part->log, O_RDONLY | O_CLOEXEC);
    char tail[TAIL_BYTES + 1], *line;
    ssize_t n;

    out[0] = '\0';
    if (fd < 0)
        return;
    (void)lseek(fd, -TAIL_BYTES, SEEK_END); /* fails on a short log, which is read from its begin */
    n = read(fd, tail, TAIL_BYTES);
    (void)close(fd);
    while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' '))
        n--;
    tail[n > 0 ? n : 0] = '\0';
    line = strrchr(tail, '\n');
    (void)am_str_copy(out, cap, line ? line + 1 : tail);
}

void am_part_reason(const struct am_part *part, char reason[AM_PART_REASON_MAX])
{
    char words[AM_PART_REASON_MAX / 2];

    reason[0] = '\0';
    if (part->code == 0 || part->code == 1) /* 1: complete, and points that failed are stored */
        return;
    if (part->late) {
        (void)am_str_format(reason, AM_PART_REASON_MAX, "stopped: it took longer than %g s",
                            part->limit_s);
        return;
    }
    if (part->code == CODE_INTERRUPTED) {
        (void)am_str_copy(reason, AM_PART_REASON_MAX, "interrupted");
        return;
    }
    last_words(part, words, sizeof(words));
    (void)am_str_format(reason, AM_PART_REASON_MAX, "its archmeter ended with code %d%s%s",
                        part->code, *words ? ": " : "", words);
}

bool am_part_has_file(const struct am_part *part)
{
    return access(part->file, R_OK) == 0;
}

void am_part_remove(struct am_part *part)
{
    char journal[AM_PART_PATH_MAX + 16];

    if (!*part->folder)
        return;
    (void)unlink(part->file);
    (void)unlink(part->log);
    if (am_str_format(journal, sizeof(journal), "%s-journal", part->file))
        (void)unlink(journal); /* of one that was killed */
    (void)rmdir(part->folder);
    part->folder[0] = '\0';
}
