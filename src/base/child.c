/* SPDX-License-Identifier: MIT */
/* Child processes: started, heard, ended. */
#include "base/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    SPARE_FD = 16, /* the child moves its descriptors above those it then fills */
    CPU_SETS = 8,  /* 8 x 1024 CPUs */
    EXEC_FAILED = 127,
    SIGNAL_BASE = 128,
    BUFFER = 16 * 1024,
    LOOK_MS = 100,   /* between looks at the time */
    REST_READS = 64, /* of what a child left in a pipe, which holds less */
    KIB = 1024,      /* the unit of ru_maxrss */
};

/* No worker and no program of an experiment has to write a larger file. */
static const rlim_t file_bytes_max = (rlim_t)64 << 30;

/* ---- before the fork ---- */

static bool same_variable(const char *a, const char *b)
{
    const size_t len = strcspn(a, "=");

    return len == strcspn(b, "=") && memcmp(a, b, len) == 0;
}

static bool is_changed(const struct am_child_plan *p, const char *variable)
{
    for (size_t i = 0; i < p->n_environment; i++) {
        if (same_variable(p->environment[i], variable))
            return true;
    }
    return false;
}

/* This process's environment with the changes; built before the fork, since the child may not
 * allocate. The strings are not copied. NULL without memory. */
static char **changed_environment(const struct am_child_plan *p)
{
    size_t n = 0;
    char **out;

    while (environ && environ[n])
        n++;
    out = calloc(n + p->n_environment + 1, sizeof(*out));
    if (!out)
        return NULL;
    n = 0;
    for (size_t i = 0; environ && environ[i]; i++) {
        if (!is_changed(p, environ[i]))
            out[n++] = environ[i];
    }
    for (size_t i = 0; i < p->n_environment; i++) {
        if (strchr(p->environment[i], '='))
            out[n++] = (char *)p->environment[i];
    }
    return out;
}

/* A caller that ignores SIGCHLD hands that on through exec, and ended children would then vanish
 * without a status. */
static void keep_children(void)
{
    struct sigaction now;

    if (sigaction(SIGCHLD, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
        (void)signal(SIGCHLD, SIG_DFL);
}

/* A copy of the descriptor behind those that the child fills. A limit below that is told as what it
 * is: too few descriptors. */
static int copy_above(int fd)
{
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, SPARE_FD);

    if (copy < 0 && errno == EINVAL)
        errno = EMFILE;
    return copy;
}

/* ---- the child's side, between fork and exec: async-signal-safe calls only ---- */

static bool set_descriptors(const struct am_child_plan *p)
{
    int moved[AM_CHILD_FDS_MAX];

    for (size_t i = 0; i < p->n_fds; i++) {
        const int from = p->fds[i].from;
        const int opened = from == AM_CHILD_NULL ? open("/dev/null", O_RDWR | O_CLOEXEC) : from;

        moved[i] = opened < 0 ? opened : copy_above(opened);
        if (moved[i] < 0 && from != AM_CHILD_CLOSED)
            return false;
    }
    for (size_t i = 0; i < p->n_fds; i++) {
        if (moved[i] < 0)
            (void)close(p->fds[i].number);
        else if (dup2(moved[i], p->fds[i].number) < 0)
            return false;
    }
    return true;
}

static bool set_affinity(const struct am_child_plan *p)
{
    cpu_set_t set[CPU_SETS]; /* one holds 1024 CPUs only */

    if (p->n_cpus == 0)
        return true;
    CPU_ZERO_S(sizeof(set), set);
    for (size_t i = 0; i < p->n_cpus; i++)
        CPU_SET_S((size_t)p->cpus[i], sizeof(set), set); /* passes over what it cannot hold */
    return sched_setaffinity(0, sizeof(set), set) == 0;
}

/* Lowers a limit; one that is lower already stays. */
static void lower_limit(int what, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most;
    limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
    (void)setrlimit(what, &limit);
}

/* Where memory runs out the system ends this child and not the process that keeps its results. */
static void prefer_as_victim(void)
{
    static const char score[] = "500";
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, score, sizeof(score) - 1);
    (void)close(fd);
}

static void set_apart(pid_t parent)
{
    static const int reset[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGCHLD};
    sigset_t none;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a killed parent leaves no child behind */
    if (getppid() != parent)
        _exit(EXEC_FAILED);
    for (size_t i = 0; i < sizeof(reset) / sizeof(*reset); i++)
        (void)signal(reset[i], SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    lower_limit(RLIMIT_CORE, 0);
    lower_limit(RLIMIT_FSIZE, file_bytes_max);
    prefer_as_victim();
}

/* Replaces this process; returns only on failure, with errno set. */
static void become(const struct am_child_plan *p, pid_t parent, char **environment)
{
    if (p->apart)
        set_apart(parent);
    (void)signal(SIGPIPE, SIG_DFL); /* this process may ignore it; a program expects it */
    if (!set_descriptors(p) || !set_affinity(p) || (p->folder && chdir(p->folder) != 0))
        return;
    if (p->body)
        _exit(p->body(p->self));
    (void)execvpe(p->argv[0], (char *const *)p->argv, environment);
}

/* ---- the parent's side ---- */

static const char *name_of(const struct am_child_plan *p)
{
    return p->body ? "a process" : p->argv[0];
}

/* What exec said, by a pipe that its success closes. Where there is none nobody writes. */
static enum am_status started(const struct am_child_plan *p, int status, struct am_err *err)
{
    int why = 0;
    ssize_t n;

    do {
        n = p->body ? 0 : read(status, &why, sizeof(why));
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(why))
        return AM_OK;
    errno = why;
    return am_fail(err, AM_E_SYS, "cannot start %s", name_of(p));
}

static enum am_status fork_child(const struct am_child_plan *p, int status_end, char **environment,
                                 struct am_child *c, struct am_err *err)
{
    const pid_t parent = getpid();
    pid_t pid;

    c->started_ns = am_now_ns();
    pid = fork();
    if (pid == 0) {
        int why;

        become(p, parent, environment);
        why = errno;
        (void)!write(status_end, &why, sizeof(why));
        _exit(EXEC_FAILED);
    }
    if (pid < 0)
        return am_fail(err, AM_E_SYS, "cannot fork for %s", name_of(p));
    c->pid = pid;
    c->running = true;
    c->apart = p->apart;
    return AM_OK;
}

enum am_status am_child_start(const struct am_child_plan *p, struct am_child *c, struct am_err *err)
{
    char **const environment = changed_environment(p);
    int ends[2] = {-1, -1}, status = -1;
    enum am_status s = AM_OK;

    *c = (struct am_child){0};
    keep_children();
    /* The end of the child must survive its own descriptors being put in place. */
    if (environment && pipe2(ends, O_CLOEXEC) == 0)
        status = copy_above(ends[1]);
    if (ends[1] >= 0)
        (void)close(ends[1]);
    if (!environment)
        s = am_fail(err, AM_E_NOMEM, "no memory to start %s", name_of(p));
    else if (status < 0)
        s = am_fail(err, AM_E_SYS, "a pipe to start %s", name_of(p));
    else
        s = fork_child(p, status, environment, c, err);
    if (status >= 0)
        (void)close(status);
    if (s == AM_OK)
        s = started(p, ends[0], err);
    if (ends[0] >= 0)
        (void)close(ends[0]);
    free(environment);
    if (s != AM_OK && c->running)
        am_child_await(c);
    return s;
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static bool reap(struct am_child *c, int flags)
{
    struct rusage usage = {0};
    int status = 0;
    pid_t pid;

    do {
        pid = wait4(c->pid, &status, flags, &usage);
    } while (pid < 0 && errno == EINTR);
    if (pid == 0)
        return false;
    c->running = false;
    c->ended_ns = am_now_ns();
    c->usage = (struct am_child_usage){
        .user_s = seconds_of(&usage.ru_utime),
        .system_s = seconds_of(&usage.ru_stime),
        .memory_bytes = (uint64_t)usage.ru_maxrss * KIB,
    };
    c->signalled = pid > 0 && WIFSIGNALED(status);
    c->code = c->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

bool am_child_ended(struct am_child *c)
{
    return !c->running || reap(c, WNOHANG);
}

void am_child_await(struct am_child *c)
{
    if (c->running)
        (void)reap(c, 0);
}

void am_child_signal(const struct am_child *c, int number)
{
    if (c->pid > 0 && c->apart)
        (void)kill(-c->pid, number);
    if (c->running)
        (void)kill(c->pid, number); /* it may not have made its group yet */
}

void am_child_kill(struct am_child *c)
{
    am_child_signal(c, SIGKILL);
    am_child_await(c);
}

int am_child_shell_code(const struct am_child *c)
{
    return c->signalled ? SIGNAL_BASE + c->code : c->code;
}

/* ---- a run from start to end ---- */

/* It is to be ended: it took too long, or this process was interrupted. */
static bool is_over(const struct am_child *c, const struct am_child_limits *limits)
{
    return (limits->interrupted && *limits->interrupted) ||
           (limits->seconds > 0 && (double)(am_now_ns() - c->started_ns) > limits->seconds * 1e9);
}

static bool is_watched(const struct am_child_limits *limits)
{
    return limits->seconds > 0 || limits->interrupted;
}

/* Makes room for n bytes at the cost of the oldest, by half the limit at once: moving them byte by
 * byte would cost more than what the program prints. */
static void forget_first(struct am_text *printed, size_t n)
{
    const size_t keep = printed->len < printed->limit / 2 ? printed->len : printed->limit / 2;

    if (printed->limit - printed->len >= n || !printed->data)
        return;
    memmove(printed->data, printed->data + printed->len - keep, keep);
    printed->len = keep;
    printed->data[keep] = '\0';
}

/* Takes what has come. False at the end of the output. */
static bool take(int fd, const struct am_child_limits *limits, struct am_text *printed)
{
    char buf[BUFFER];
    const ssize_t n = read(fd, buf, sizeof(buf));
    size_t taken, from;

    if (n > 0 && limits->keeps_last)
        forget_first(printed, (size_t)n);
    taken = printed->limit - printed->len;
    taken = n > 0 && (size_t)n < taken ? (size_t)n : taken;
    from = n > 0 && limits->keeps_last ? (size_t)n - taken : 0;
    if (n > 0)
        am_text_addn(printed, buf + from, taken);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* What a child that has ended left in the pipe; others that it started may go on writing there. */
static void take_rest(int fd, const struct am_child_limits *limits, struct am_text *printed)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};

    for (int i = 0; i < REST_READS && poll(&look, 1, 0) > 0; i++) {
        if (!take(fd, limits, printed))
            return;
    }
}

/* To the end of what it prints, to its own end, or to one of the limits. Processes that it left
 * behind may hold the pipe open: nobody waits for those. */
static void hear(int fd, const struct am_child_limits *limits, struct am_text *printed,
                 struct am_child *c)
{
    const int end = (int)syscall(SYS_pidfd_open, c->pid, 0); /* -1, which poll() skips: not here */

    while (!is_over(c, limits) && !(limits->ends_when_full && printed->len == printed->limit)) {
        struct pollfd look[] = {{.fd = fd, .events = POLLIN}, {.fd = end, .events = POLLIN}};

        if (poll(look, 2, is_watched(limits) ? LOOK_MS : -1) <= 0)
            continue;
        if (look[1].revents) {
            (void)am_child_ended(c);
            take_rest(fd, limits, printed);
            break;
        }
        if (look[0].revents && !take(fd, limits, printed))
            break;
    }
    if (end >= 0)
        (void)close(end);
}

/* One that has closed its output may still run: up to the limit it is waited for. */
static void stay(const struct am_child_limits *limits, const struct am_text *printed,
                 struct am_child *c)
{
    const bool full = limits->ends_when_full && printed->len == printed->limit;

    if (!is_watched(limits) && !full)
        am_child_await(c);
    while (!am_child_ended(c)) {
        if (full || is_over(c, limits))
            am_child_kill(c);
        else
            (void)poll(NULL, 0, 1);
    }
}

enum am_status am_child_run(const struct am_child_plan *plan, const struct am_child_limits *limits,
                            struct am_text *printed, struct am_child *child, struct am_err *err)
{
    struct am_child_plan p = *plan;
    struct am_child_fd fds[AM_CHILD_FDS_MAX];
    enum am_status s;
    int ends[2];

    *child = (struct am_child){0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return am_fail(err, AM_E_SYS, "a pipe to hear %s", name_of(plan));
    for (size_t i = 0; i < p.n_fds; i++) {
        fds[i] = p.fds[i];
        if (fds[i].from == AM_CHILD_CAPTURED)
            fds[i].from = ends[1];
    }
    p.fds = fds;
    s = am_child_start(&p, child, err);
    (void)close(ends[1]);
    if (s == AM_OK) {
        hear(ends[0], limits, printed, child);
        stay(limits, printed, child);
        if (child->apart)
            am_child_signal(child, SIGKILL); /* whatever it left behind */
    }
    (void)close(ends[0]);
    return s;
}
