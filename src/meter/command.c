/* SPDX-License-Identifier: MIT */
/* A meter that is a program: it prints watts each time it is run. Its words go to the program as
 * they are; no shell sees them. */
#include "base/clock.h"
#include "base/text.h"
#include "meter/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 64, OUTPUT_CAP = 256 };

static const uint64_t interval_ns = 200 * 1000000u;
static const uint64_t patience_ns = 5000000000u;

struct program {
    char *words[WORDS_MAX + 1];
};

/* Words apart at spaces; "double quotes" keep spaces together. False when there are none, or a
 * quote stays open. */
static bool split(struct program *p, char *text)
{
    size_t n = 0;

    for (;;) {
        char *end;

        text += strspn(text, " \t");
        if (*text == '\0')
            break;
        if (n == WORDS_MAX)
            return false;
        if (*text == '"') {
            end = strchr(++text, '"');
            if (!end)
                return false;
        } else {
            end = text + strcspn(text, " \t");
        }
        p->words[n++] = text;
        if (*end == '\0')
            break;
        *end = '\0';
        text = end + 1;
    }
    return n > 0;
}

static pid_t start(const struct program *p, int out)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int code;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    code = posix_spawnp(&pid, p->words[0], &actions, NULL, p->words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    errno = code;
    return code == 0 ? pid : -1;
}

/* What the program prints, up to its end or the end of patience. */
static size_t listen_to(int fd, char *buf, size_t cap)
{
    const uint64_t give_up = am_now_ns() + patience_ns;
    size_t len = 0;

    while (len + 1 < cap && am_now_ns() < give_up) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (poll(&p, 1, 100) <= 0)
            continue;
        n = read(fd, buf + len, cap - 1 - len);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    buf[len] = '\0';
    return len;
}

static enum am_status run(const struct program *p, char *output, struct am_err *err)
{
    int fd[2], status = 0;
    pid_t pid;

    if (pipe2(fd, O_CLOEXEC) != 0)
        return am_fail(err, AM_E_SYS, "a pipe for the meter's command");
    pid = start(p, fd[1]);
    (void)close(fd[1]);
    if (pid < 0) {
        (void)close(fd[0]);
        return am_fail(err, AM_E_SYS, "%s", p->words[0]);
    }
    (void)listen_to(fd[0], output, OUTPUT_CAP);
    (void)close(fd[0]);
    (void)kill(pid, SIGKILL); /* one that has ended does not mind */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return AM_OK;
}

static enum am_status read_program(void *self, struct am_reading *out, struct am_err *err)
{
    char output[OUTPUT_CAP];
    enum am_status s;

    out->t0_ns = am_now_ns();
    s = run(self, output, err);
    out->t1_ns = am_now_ns();
    if (s != AM_OK)
        return s;
    output[strcspn(output, "\r\n")] = '\0';
    if (!am_parse_f64(output, strcspn(output, " \tW"), &out->watts) || output[0] == '\0')
        return am_fail(err, AM_E_PARSE, "the meter's command printed \"%.40s\", not watts", output);
    return AM_OK;
}

enum am_status am_meter_open_command(const struct am_meter_request *request, struct am_arena *arena,
                                     struct am_meters *out, struct am_err *err)
{
    struct program *const p = am_arena_alloc(arena, sizeof(*p));
    char *const text = request->command ? am_arena_strdup(arena, request->command) : NULL;
    struct am_reading reading;
    struct am_err why = {0};
    struct am_meter *m;

    if (!request->command)
        return AM_OK;
    if (!p || !text)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    if (!split(p, text))
        return am_fail(err, AM_E_USAGE,
                       "the meter's command \"%s\" is empty, too long, or has an open quote",
                       request->command);
    m = am_meters_add(out, "command");
    if (!m)
        return AM_OK;
    m->id = "command";
    m->scope = AM_SCOPE_WALL;
    m->kind = AM_METER_POWER;
    m->covers = "what the given command measures";
    m->slow = true;
    m->interval_ns = interval_ns;
    m->self = p;
    m->read = read_program;
    if (read_program(p, &reading, &why) != AM_OK)
        m->why_not = am_arena_strdup(arena, why.text);
    return AM_OK;
}
