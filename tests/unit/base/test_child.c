/* SPDX-License-Identifier: MIT */
/* Children: how they end, what they get, what is heard of them, and that none outlives its limit.
 */
#include "base/child.h"
#include "base/orphans.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEARD_MAX = 4096 };

static const struct am_child_fd heard[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                           {STDOUT_FILENO, AM_CHILD_CAPTURED},
                                           {STDERR_FILENO, AM_CHILD_CAPTURED}};

static struct am_child_plan shell(const char **argv, const char *line)
{
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = line;
    argv[3] = NULL;
    return (struct am_child_plan){.argv = argv, .fds = heard, .n_fds = 3};
}

static void test_ends(void)
{
    static const struct {
        const char *line;
        bool signalled;
        int code, shell_code;
        const char *said;
    } cases[] = {
        {"exit 0", false, 0, 0, ""},
        {"echo out; echo err >&2; exit 3", false, 3, 3, "out\nerr\n"},
        {"kill -TERM $$", true, SIGTERM, 128 + SIGTERM, ""},
        {"cat; echo done", false, 0, 0, "done\n"}, /* its input is empty */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *argv[4];
        const struct am_child_plan plan = shell(argv, cases[i].line);
        struct am_child child;
        struct am_text said;
        struct am_err err = {0};

        am_text_init(&said, HEARD_MAX);
        ok(am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, &err) == AM_OK &&
               !child.running && child.signalled == cases[i].signalled &&
               child.code == cases[i].code && am_child_shell_code(&child) == cases[i].shell_code,
           "sh -c '%s' ends as it must (%s)", cases[i].line, err.text);
        is_str(am_text_str(&said), cases[i].said, "and is heard");
        am_text_fini(&said);
    }
}

/* Numbers up to 3000 take more than the room there is. */
static void test_last_words(void)
{
    const char *argv[4];
    const struct am_child_plan plan = shell(argv, "i=0; while [ $i -lt 3000 ]; do "
                                                  "i=$((i + 1)); echo $i; done");
    const struct am_child_limits limits = {.keeps_last = true};
    struct am_child child;
    struct am_text said;
    struct am_err err = {0};
    const char *text;

    am_text_init(&said, HEARD_MAX);
    ok(am_child_run(&plan, &limits, &said, &child, &err) == AM_OK && child.code == 0,
       "a program that prints much goes to its end (%s)", err.text);
    text = am_text_str(&said);
    ok(said.len >= HEARD_MAX / 2 && said.len <= HEARD_MAX &&
           strcmp(text + said.len - 10, "2999\n3000\n") == 0,
       "and its last words are kept: %zu bytes", said.len);
    ok(child.usage.user_s + child.usage.system_s > 0 && child.usage.memory_bytes > 0,
       "what it used is told: %.4f s user, %.4f s system, %llu bytes", child.usage.user_s,
       child.usage.system_s, (unsigned long long)child.usage.memory_bytes);
    am_text_fini(&said);
}

static void test_refusals(void)
{
    const char *const none[] = {"there-is-no-such-program", NULL};
    const char *argv[4];
    struct am_child_plan plan = shell(argv, "exit 0");
    struct am_child child;
    struct am_err err = {0};

    plan.n_fds = 0;
    plan.folder = "/there/is/no/such/folder";
    ok(am_child_start(&plan, &child, &err) == AM_E_SYS && err.sys == ENOENT && !child.running,
       "a folder that is not there is told (%s)", err.text);
    plan = (struct am_child_plan){.argv = none};
    err = (struct am_err){0};
    ok(am_child_start(&plan, &child, &err) == AM_E_SYS && strstr(err.text, none[0]) &&
           err.sys == ENOENT,
       "so is a program (%s)", err.text);
}

static void test_environment(void)
{
    static const char *const changes[] = {"AM_SET=new", "AM_UNSET", "AM_MORE=more"};
    const char *argv[4];
    struct am_child_plan plan = shell(argv, "echo $AM_SET-$AM_UNSET-$AM_MORE-$AM_KEPT; pwd");
    struct am_child child;
    struct am_text said;

    (void)setenv("AM_SET", "old", 1);
    (void)setenv("AM_UNSET", "old", 1);
    (void)setenv("AM_KEPT", "kept", 1);
    plan.environment = changes;
    plan.n_environment = 3;
    plan.folder = "/";
    am_text_init(&said, HEARD_MAX);
    (void)am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, NULL);
    is_str(am_text_str(&said), "new--more-kept\n/\n", "environment and folder are as planned");
    is_str(getenv("AM_SET"), "old", "those of this process stay");
    am_text_fini(&said);
}

static void test_descriptors(void)
{
    const struct am_child_fd fds[] = {{STDOUT_FILENO, AM_CHILD_CAPTURED}, {3, AM_CHILD_CLOSED}};
    const char *argv[4];
    struct am_child_plan plan = shell(argv, "[ -e /proc/self/fd/3 ] && echo open || echo closed");
    struct am_child child;
    struct am_text said;

    (void)dup2(STDERR_FILENO, 3);
    am_text_init(&said, HEARD_MAX);
    plan.fds = fds;
    plan.n_fds = 1;
    (void)am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, NULL);
    is_str(am_text_str(&said), "open\n", "a descriptor that is not close-on-exec is inherited");
    am_text_clear(&said);
    plan.n_fds = 2;
    (void)am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, NULL);
    is_str(am_text_str(&said), "closed\n", "unless the plan closes it");
    (void)close(3);
    am_text_fini(&said);
}

static void test_limits(void)
{
    const char *argv[4];
    struct am_child_plan plan = shell(argv, "yes | head -c 100000; exit 5");
    struct am_child child;
    struct am_text said;

    am_text_init(&said, 100);
    ok(am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, NULL) == AM_OK &&
           said.len == 100 && !said.overflow && child.code == 5,
       "what is beyond the text's limit is dropped, and the program goes on");
    am_text_clear(&said);
    plan = shell(argv, "exec yes");
    ok(am_child_run(&plan, &(struct am_child_limits){.ends_when_full = true}, &said, &child,
                    NULL) == AM_OK &&
           said.len == 100 && child.signalled && child.code == SIGKILL,
       "or it is ended there");
    am_text_clear(&said);
    plan = shell(argv, "echo begun; exec sleep 1000");
    ok(am_child_run(&plan, &(struct am_child_limits){.seconds = 0.1}, &said, &child, NULL) ==
               AM_OK &&
           child.signalled && child.code == SIGKILL,
       "one that takes too long is killed");
    plan = shell(argv, "exec >/dev/null 2>&1; exec sleep 1000");
    ok(am_child_run(&plan, &(struct am_child_limits){.seconds = 0.1}, &said, &child, NULL) ==
               AM_OK &&
           child.signalled,
       "one that has closed its output too");
    am_text_fini(&said);
}

/* The shell ends at once; what it left behind holds the pipe open until its group is killed. */
static void test_group(void)
{
    int ends[2];
    const char *argv[4];
    struct am_child_plan plan = shell(argv, "sleep 1000 & exit 0");
    struct am_child child;
    char byte;

    if (!ok(pipe(ends) == 0, "a pipe"))
        return;
    plan.fds = (const struct am_child_fd[]){{STDOUT_FILENO, ends[1]}};
    plan.n_fds = 1;
    plan.apart = true;
    ok(am_child_start(&plan, &child, NULL) == AM_OK, "a child apart starts");
    am_child_await(&child);
    ok(am_child_ended(&child) && child.code == 0, "and ends");
    (void)close(ends[1]);
    am_child_kill(&child);
    ok(read(ends[0], &byte, 1) == 0, "nothing of its group is left");
    (void)close(ends[0]);
}

static int body(void *self)
{
    return write(STDOUT_FILENO, self, strlen(self)) < 0 ? 1 : 42;
}

static void test_body(void)
{
    char words[] = "copied";
    const struct am_child_plan plan = {.body = body, .self = words, .fds = heard, .n_fds = 3};
    struct am_child child;
    struct am_text said;

    am_text_init(&said, HEARD_MAX);
    ok(am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, NULL) == AM_OK &&
           child.code == 42,
       "a function in a process of its own");
    is_str(am_text_str(&said), words, "is heard too");
    am_text_fini(&said);
}

/* What a worker must not do to the disk: no core, no endless file. */
static int body_limits(void *self)
{
    struct rlimit core, file;

    (void)self;
    return getrlimit(RLIMIT_CORE, &core) == 0 && getrlimit(RLIMIT_FSIZE, &file) == 0 &&
                   core.rlim_max == 0 && file.rlim_max <= (rlim_t)64 << 30
               ? 42
               : 1;
}

static void test_apart_limits(void)
{
    const struct am_child_plan plan = {
        .body = body_limits, .fds = heard, .n_fds = 3, .apart = true};
    struct am_child child;
    struct am_text said;

    am_text_init(&said, HEARD_MAX);
    ok(am_child_run(&plan, &(struct am_child_limits){0}, &said, &child, NULL) == AM_OK &&
           child.code == 42,
       "a child apart has limits of its own");
    am_text_fini(&said);
}

/* Leaves a process behind in a session of its own, which leaves another, for so many ms each. Ends
 * when both are apart: before, they would be killed with its group. */
static int body_leaves(void *self)
{
    const struct timespec lives = {.tv_sec = *(const int *)self / 1000,
                                   .tv_nsec = *(const int *)self % 1000 * 1000000L};
    int apart[2];
    char none;

    if (pipe(apart) != 0)
        return 1;
    if (fork() != 0) {
        (void)close(apart[1]);
        return read(apart[0], &none, 1) == 0 ? 0 : 1;
    }
    (void)setsid();
    if (fork() == 0)
        (void)setsid();
    (void)close(apart[1]);
    (void)nanosleep(&lives, NULL);
    _exit(0);
}

static void test_orphans(void)
{
    int forever = 600000, moment = 20;
    struct am_child_plan plan = {.body = body_leaves, .self = &forever, .apart = true};
    struct am_child child;
    size_t killed;

    am_orphans_adopt();
    ok(am_orphans_end(0) == 0, "nothing is left behind at first");
    ok(am_child_start(&plan, &child, NULL) == AM_OK, "a child that leaves others behind");
    am_child_await(&child);
    am_child_kill(&child);
    killed = am_orphans_end(0);
    ok(killed >= 1 && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD,
       "they are killed and reaped, sessions or not (%zu)", killed);
    plan.self = &moment;
    ok(am_child_start(&plan, &child, NULL) == AM_OK, "others that need a moment");
    am_child_await(&child);
    ok(am_orphans_end(60) == 0 && waitpid(-1, NULL, WNOHANG) == -1, "have it");
}

int main(void)
{
    test_ends();
    test_last_words();
    test_refusals();
    test_environment();
    test_descriptors();
    test_limits();
    test_group();
    test_body();
    test_apart_limits();
    test_orphans();
    return tap_done();
}
