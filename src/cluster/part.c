/* SPDX-License-Identifier: MIT */
/* A node's part of a cluster run. */
#include "cluster/part.h"

#include "base/clock.h"
#include "base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Where its words go: to those of this process when `heard`, else to the log (-1 on failure). */
static int open_words(const struct am_part *part, bool heard)
{
    return heard ? dup(STDERR_FILENO)
                 : open(part->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static enum am_status start(struct am_part *part, const char *const *argv, bool heard,
                            struct am_err *err)
{
    const int words = open_words(part, heard);
    const struct am_child_fd fds[] = {
        {STDIN_FILENO, AM_CHILD_NULL}, {STDOUT_FILENO, words}, {STDERR_FILENO, words}};
    const struct am_child_plan plan = {.argv = argv, .fds = fds, .n_fds = 3};
    enum am_status s;

    if (words < 0)
        return am_fail(err, AM_E_SYS, "cannot start %s: %s", argv[0], part->log);
    (void)fcntl(words, F_SETFD, FD_CLOEXEC);
    s = am_child_start(&plan, &part->child, err);
    (void)close(words);
    return s;
}

enum am_status am_part_start(struct am_part *part, const struct am_strings *command, bool heard,
                             struct am_err *err)
{
    char program[PATH_MAX];
    const char **const argv = calloc(command->n + COMMAND_EXTRA, sizeof(*argv));
    enum am_status s = find_program(program, err);
    size_t n = 0;

    if (!argv || s != AM_OK) {
        free(argv);
        return argv ? s : am_fail(err, AM_E_NOMEM, "no memory for a command");
    }
    argv[n++] = program;
    for (size_t i = 0; i < command->n; i++)
        argv[n++] = command->items[i];
    argv[n++] = "-o";
    argv[n++] = part->file;
    s = start(part, argv, heard, err);
    free(argv);
    return s;
}

static bool has_passed(uint64_t since_ns, double seconds)
{
    return (double)(am_now_ns() - since_ns) > 1e9 * seconds;
}

static void hurry(struct am_part *part)
{
    if (part->limit_s > 0 && !part->stopped_ns &&
        has_passed(part->child.started_ns, part->limit_s)) {
        part->late = true;
        am_part_stop(part);
    }
    if (part->stopped_ns && has_passed(part->stopped_ns, obey_s))
        am_child_signal(&part->child, SIGKILL);
}

bool am_part_ended(struct am_part *part)
{
    if (!am_child_ended(&part->child)) {
        hurry(part);
        return false;
    }
    part->code = am_child_shell_code(&part->child);
    return true;
}

void am_part_stop(struct am_part *part)
{
    if (!part->child.running || part->stopped_ns)
        return;
    part->stopped_ns = am_now_ns();
    am_child_signal(&part->child, SIGTERM);
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
