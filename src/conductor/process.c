/* SPDX-License-Identifier: MIT */
/* A child process under control. */
#include "conductor/process.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/orphans.h"
#include "conductor/waiting.h"
#include "core/protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TICK_MS = 50,           /* how often arrived data is looked at while the child runs */
    BUSY_BYTES = 32 * 1024, /* in one look; an honest worker says a few hundred */
    BUSY_LINES = 100,       /* likewise; small messages fill a socket long before the bytes count */
};

/* That processes without their worker have to end by themselves. */
static const double orphan_grace_s = 0.5;

/* The parent's ends. */
struct channels {
    int protocol, out, err;
};

/* The child's ends. */
struct child_ends {
    int protocol, out, err;
};

static void close_if_open(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void close_channels(struct channels *c)
{
    close_if_open(&c->protocol);
    close_if_open(&c->out);
    close_if_open(&c->err);
}

static void close_ends(struct child_ends *e)
{
    close_if_open(&e->protocol);
    close_if_open(&e->out);
    close_if_open(&e->err);
}

static bool open_pipe(int *read_end, int *write_end)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) != 0)
        return false;
    *read_end = fd[0];
    *write_end = fd[1];
    return true;
}

static enum am_status open_channels(struct channels *c, struct child_ends *e, struct am_err *err)
{
    int fd[2];

    *c = (struct channels){-1, -1, -1};
    *e = (struct child_ends){-1, -1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0) {
        c->protocol = fd[0];
        e->protocol = fd[1];
    }
    if (c->protocol < 0 || !open_pipe(&c->out, &e->out) || !open_pipe(&c->err, &e->err)) {
        close_channels(c);
        close_ends(e);
        return am_fail(err, AM_E_SYS, "descriptors for a worker");
    }
    return AM_OK;
}

/* ---- the parent's side ---- */

/* What the loop knows of a running child. */
struct watch {
    const struct am_process *p;
    struct am_process_result *r;
    struct channels *c;
    struct am_child child;
    char line[AM_LINE_MAX];
    size_t line_len, received, lines;
    bool hung_up;
    bool busy; /* so much arrived that it is not measuring: look again at once */
};

/* Reads what is there without waiting; -1 with EAGAIN when nothing is. */
static ssize_t read_now(int fd, char *buf, size_t cap)
{
    ssize_t n;

    do {
        n = read(fd, buf, cap);
    } while (n < 0 && errno == EINTR);
    return n;
}

static size_t drain_output(int fd, struct am_text *text)
{
    char buf[16 * 1024];
    size_t total = 0;
    ssize_t n;

    while ((n = read_now(fd, buf, sizeof(buf))) > 0) {
        const size_t room = text->limit - text->len;

        total += (size_t)n;
        /* What passes the limit is read and dropped, so that the child never blocks on it. */
        am_text_addn(text, buf, (size_t)n < room ? (size_t)n : room);
        if (total > (size_t)BUSY_BYTES * 16)
            break; /* an endless talker must not keep us from its limits */
    }
    return total;
}

static enum am_status take_bytes(struct watch *w, const char *buf, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        enum am_status s;

        if (buf[i] != '\n') {
            if (w->line_len == sizeof(w->line))
                return am_fail(&w->r->refusal, AM_E_PROTOCOL, "a line is longer than %d bytes",
                               AM_LINE_MAX);
            w->line[w->line_len++] = buf[i];
            continue;
        }
        s = w->p->on_line(w->p->self, w->line, w->line_len, &w->r->refusal);
        w->line_len = 0;
        w->lines++;
        if (s != AM_OK)
            return s;
    }
    return AM_OK;
}

/* Takes everything that has arrived. False when the child must end now, with r->end set. */
static bool drain(struct watch *w)
{
    const size_t before = w->received, lines_before = w->lines;
    char buf[16 * 1024];
    size_t printed;
    ssize_t n;

    printed = drain_output(w->c->out, &w->r->out);
    printed += drain_output(w->c->err, &w->r->err);
    while ((n = read_now(w->c->protocol, buf, sizeof(buf))) > 0) {
        w->received += (size_t)n;
        if (w->received > (w->p->stream_limit ? *w->p->stream_limit : 0)) {
            w->r->end = AM_END_FLOOD;
            return false;
        }
        if (w->p->on_line && take_bytes(w, buf, (size_t)n) != AM_OK) {
            w->r->end = AM_END_REFUSED;
            return false;
        }
    }
    w->busy = printed + (w->received - before) > BUSY_BYTES || w->lines - lines_before > BUSY_LINES;
    return true;
}

/* Sleeps until the child hangs up or a tick has passed. */
static void wait_a_tick(struct watch *w)
{
    struct pollfd fd = {.fd = w->hung_up ? -1 : w->c->protocol, .events = 0};

    if (poll(&fd, 1, w->hung_up || w->busy ? 1 : TICK_MS) > 0 && (fd.revents & (POLLHUP | POLLERR)))
        w->hung_up = true;
}

/* Takes over how it ended. */
static bool reaped(struct watch *w)
{
    if (!am_child_ended(&w->child))
        return false;
    w->r->ended_ns = w->child.ended_ns;
    w->r->end = w->child.signalled ? AM_END_SIGNAL : AM_END_EXIT;
    w->r->code = w->child.code;
    return true;
}

static void kill_and_reap(struct watch *w)
{
    am_child_kill(&w->child);
    w->r->ended_ns = w->child.ended_ns;
}

/* The limit counts anew from the latest progress the owner has seen. */
static uint64_t limit_begins(const struct watch *w)
{
    const uint64_t progress = w->p->progress_ns ? *w->p->progress_ns : 0;

    return progress > w->r->started_ns ? progress : w->r->started_ns;
}

/* Whether it has had its time. What it waited for a CPU does not count: asked only when the limit
 * has passed on the clock. */
static bool is_late(const struct watch *w)
{
    const double took_s = (double)(am_now_ns() - limit_begins(w)) * 1e-9;
    struct am_fsroot root = {0};
    uint64_t waited_ns = 0;

    if (took_s <= w->p->limit_s)
        return false;
    if (am_fsroot_open(&root, NULL, NULL) == AM_OK)
        waited_ns = am_waiting_ns(&root, w->child.pid);
    am_fsroot_close(&root);
    return took_s > w->p->limit_s + am_waiting_grace_s(w->p->limit_s, waited_ns);
}

static void watch_child(struct watch *w)
{
    for (;;) {
        wait_a_tick(w);
        if (reaped(w)) {
            const enum am_process_end end = w->r->end;

            if (drain(w)) /* its last words */
                w->r->end = end;
            am_child_kill(&w->child); /* whatever it left behind */
            return;
        }
        if (!drain(w))
            break;
        if (w->p->interrupted && *w->p->interrupted) {
            w->r->end = AM_END_INTERRUPTED;
            break;
        }
        if (is_late(w)) {
            w->r->end = AM_END_TIMEOUT;
            break;
        }
    }
    kill_and_reap(w);
}

static bool send_input(const struct am_process *p, int fd)
{
    bool sent = true;

    if (p->input)
        sent =
            send(fd, p->input, p->input_len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)p->input_len;
    (void)shutdown(fd, SHUT_WR);
    return sent;
}

static enum am_status start(const struct am_process *p, const struct child_ends *e,
                            struct am_child *child, struct am_err *err)
{
    const char *const argv[] = {p->program, p->argument, NULL};
    const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                      {STDOUT_FILENO, e->out},
                                      {STDERR_FILENO, e->err},
                                      {AM_PROTOCOL_FD, e->protocol}};
    const struct am_child_plan plan = {.argv = argv,
                                       .environment = p->environment,
                                       .n_environment = p->n_environment,
                                       .fds = fds,
                                       .n_fds = sizeof(fds) / sizeof(*fds),
                                       .cpus = p->cpus,
                                       .n_cpus = p->n_cpus,
                                       .apart = true};

    return am_child_start(&plan, child, err);
}

enum am_status am_process_run(const struct am_process *p, struct am_process_result *r,
                              struct am_err *err)
{
    struct watch w = {.p = p, .r = r};
    struct channels c;
    struct child_ends e;
    enum am_status status;

    *r = (struct am_process_result){0};
    am_text_init(&r->out, p->output_limit);
    am_text_init(&r->err, p->output_limit);
    status = open_channels(&c, &e, err);
    if (status != AM_OK)
        return status;
    w.c = &c;
    am_orphans_adopt();
    status = start(p, &e, &w.child, err);
    r->pid = w.child.pid;
    r->started_ns = w.child.started_ns;
    close_ends(&e);
    if (status == AM_OK && !send_input(p, c.protocol))
        status = am_fail(err, AM_E_SYS, "cannot send the request to %s", p->program);
    if (status == AM_OK) {
        (void)fcntl(c.protocol, F_SETFL, O_NONBLOCK);
        (void)fcntl(c.out, F_SETFL, O_NONBLOCK);
        (void)fcntl(c.err, F_SETFL, O_NONBLOCK);
        watch_child(&w);
    } else if (w.child.running) {
        kill_and_reap(&w);
    }
    r->left_behind = am_orphans_end(orphan_grace_s);
    close_channels(&c);
    return status;
}

void am_process_fini(struct am_process_result *r)
{
    am_text_fini(&r->out);
    am_text_fini(&r->err);
}
