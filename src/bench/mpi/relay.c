/* SPDX-License-Identifier: MIT */
/* Requests to rank 0 of an MPI job, and its answers back. */
#include "bench/mpi/relay.h"

#include "base/child.h"
#include "base/log.h"
#include "base/text.h"
#include "core/protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    REQUEST_MAX = 4 << 20,
    LAUNCHER_WORDS = 32,
    LOOK_MS = 100,
    EXIT_RELAY = 3,
    BACKLOG = 4,
    GREETING_MS = 20000,
    END_MS = 5000
};

/* ---- sockets ---- */

static enum am_status make_address(const char *path, struct sockaddr_un *address,
                                   struct am_err *err)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!am_str_copy(address->sun_path, sizeof(address->sun_path), path))
        return am_fail(err, AM_E_LIMIT, "the name of a socket is too long: %s", path);
    return AM_OK;
}

enum am_status am_relay_listen(char path[AM_RELAY_PATH_MAX], int *fd_p, struct am_err *err)
{
    char folder[] = "/tmp/archmeter-mpi-XXXXXX";
    struct sockaddr_un address;
    int fd;

    if (!mkdtemp(folder))
        return am_fail(err, AM_E_SYS, "cannot make a folder for a socket");
    (void)am_str_format(path, AM_RELAY_PATH_MAX, "%s/socket", folder);
    if (make_address(path, &address, err) != AM_OK)
        return AM_E_LIMIT;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(fd, BACKLOG) == 0) {
        *fd_p = fd;
        return AM_OK;
    }
    (void)am_fail(err, AM_E_SYS, "cannot listen at %s", path);
    am_relay_unlisten(path, fd);
    return AM_E_SYS;
}

void am_relay_unlisten(const char *path, int fd)
{
    char folder[AM_RELAY_PATH_MAX];

    if (fd >= 0)
        (void)close(fd);
    (void)unlink(path);
    (void)am_str_copy(folder, sizeof(folder), path);
    *strrchr(folder, '/') = '\0';
    (void)rmdir(folder);
}

enum am_status am_relay_connect(const char *path, int *fd_p, struct am_err *err)
{
    struct sockaddr_un address;
    int fd;

    if (make_address(path, &address, err) != AM_OK)
        return AM_E_LIMIT;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0) {
        *fd_p = fd;
        return AM_OK;
    }
    (void)am_fail(err, AM_E_SYS, "rank 0 must be on the machine of archmeter: cannot reach %s",
                  path);
    if (fd >= 0)
        (void)close(fd);
    return AM_E_SYS;
}

/* ---- passing on ---- */

static enum am_status read_all(int fd, struct am_text *text, struct am_err *err)
{
    char buf[4096];
    ssize_t n;

    do {
        n = read(fd, buf, sizeof(buf));
        if (n > 0)
            am_text_addn(text, buf, (size_t)n);
    } while (n > 0 || (n < 0 && errno == EINTR));
    if (n < 0 || text->overflow)
        return am_fail(err, AM_E_PROTOCOL, "cannot read the request");
    return AM_OK;
}

static bool send_all(int fd, const char *data, size_t n)
{
    while (n) {
        const ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Rank 0 greets at once, unless it hangs in an earlier request. */
static bool answers(int job)
{
    struct pollfd look = {.fd = job, .events = POLLIN};

    return poll(&look, 1, GREETING_MS) == 1;
}

static enum am_status pass_on(int job, const struct am_text *request, struct am_err *err)
{
    char buf[AM_LINE_MAX];
    ssize_t n;

    if (!send_all(job, am_text_str(request), request->len) || shutdown(job, SHUT_WR) != 0)
        return am_fail(err, AM_E_SYS, "rank 0 does not listen");
    if (!answers(job))
        return am_fail(err, AM_E_PROTOCOL, "rank 0 does not answer for %d s: a rank is lost",
                       GREETING_MS / 1000);
    do {
        n = recv(job, buf, sizeof(buf), 0);
        if (n > 0 && !send_all(AM_PROTOCOL_FD, buf, (size_t)n))
            return am_fail(err, AM_E_SYS, "conductor does not listen");
    } while (n > 0 || (n < 0 && errno == EINTR));
    return AM_OK;
}

static int tell(const struct am_err *err)
{
    am_log(AM_LOG_ERROR, "worker mpi: %s", err->text);
    return EXIT_RELAY;
}

int am_relay_to_job(const char *path)
{
    struct am_err err = {0};
    struct am_text request;
    int job = -1;
    enum am_status s;

    am_text_init(&request, REQUEST_MAX);
    s = read_all(AM_PROTOCOL_FD, &request, &err);
    if (s == AM_OK)
        s = am_relay_connect(path, &job, &err);
    if (s == AM_OK)
        s = pass_on(job, &request, &err);
    if (job >= 0)
        (void)close(job);
    am_text_fini(&request);
    return s == AM_OK ? 0 : tell(&err);
}

/* ---- starting ranks ---- */

/* The largest value of the axis `ranks` in the request's points. */
static uint64_t ranks_of(const char *request)
{
    static const char word[] = " ranks=";
    uint64_t most = 1, n;

    for (const char *p = strstr(request, word); p; p = strstr(p + 1, word)) {
        const char *const digits = p + strlen(word);

        if (am_parse_u64(digits, strspn(digits, "0123456789"), &n) && n > most)
            most = n;
    }
    return most;
}

/* Open MPI's own switches, as variables: another launcher overlooks them. Ranks are bound by
 * themselves, and may be more than there are CPUs. */
static void prepare_environment(const char *socket_path)
{
    static const char *const defaults[][2] = {
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
        {"OMPI_MCA_hwloc_base_binding_policy", "none"},
        {"OMPI_MCA_mpi_yield_when_idle", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"}, /* who runs archmeter as root has decided that */
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    };

    for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
        (void)setenv(defaults[i][0], defaults[i][1], 0);
    (void)setenv(AM_MPI_SOCKET, socket_path, 1);
    (void)setenv(AM_MPI_SERVES, "1", 1);
}

static enum am_status start(const char *program, uint64_t ranks, struct am_child *child,
                            struct am_err *err)
{
    const char *const given = getenv(AM_MPI_LAUNCHER);
    char *const launcher = strdup(given && *given ? given : "mpirun");
    char count[24], *rest = launcher;
    const char *argv[LAUNCHER_WORDS + 4];
    struct am_err why = {0};
    enum am_status s;
    int n = 0;

    if (!launcher)
        return am_fail(err, AM_E_NOMEM, "no memory for a command");
    for (char *word = strsep(&rest, " "); word && n < LAUNCHER_WORDS; word = strsep(&rest, " ")) {
        if (*word)
            argv[n++] = word;
    }
    (void)am_str_format(count, sizeof(count), "%llu", (unsigned long long)ranks);
    argv[n++] = "-n";
    argv[n++] = count;
    argv[n++] = program;
    argv[n] = NULL;
    s = am_child_start(&(struct am_child_plan){.argv = argv}, child, &why);
    free(launcher);
    return s == AM_OK ? AM_OK
                      : am_fail(err, AM_E_ABSENT,
                                "%s (install an MPI, or name its launcher in " AM_MPI_LAUNCHER ")",
                                why.text);
}

/* Rank 0, or the news that there will be none. */
static enum am_status await_rank(int listener, struct am_child *launcher, int *job,
                                 struct am_err *err)
{
    struct pollfd look = {.fd = listener, .events = POLLIN};

    while (poll(&look, 1, LOOK_MS) <= 0) {
        if (am_child_ended(launcher))
            return am_fail(err, AM_E_PROTOCOL, "the launcher of the ranks ended with code %d",
                           am_child_shell_code(launcher));
    }
    *job = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    return *job >= 0 ? AM_OK : am_fail(err, AM_E_SYS, "cannot accept rank 0");
}

static enum am_status await_end(struct am_child *launcher, struct am_err *err)
{
    am_child_await(launcher);
    if (am_child_shell_code(launcher) == 0)
        return AM_OK;
    return am_fail(err, AM_E_PROTOCOL, "the ranks ended with code %d",
                   am_child_shell_code(launcher));
}

/* Nothing of a failed launch stays: asked first, since a launcher that is killed leaves its ranks.
 */
static void end_launcher(struct am_child *launcher)
{
    if (am_child_ended(launcher))
        return;
    am_child_signal(launcher, SIGTERM);
    for (int ms = 0; ms < END_MS; ms += LOOK_MS) {
        (void)poll(NULL, 0, LOOK_MS);
        if (am_child_ended(launcher))
            return;
    }
    am_child_kill(launcher);
}

static enum am_status launch(const char *program, const struct am_text *request, struct am_err *err)
{
    char path[AM_RELAY_PATH_MAX];
    int listener = -1, job = -1;
    struct am_child launcher = {0};
    enum am_status s = am_relay_listen(path, &listener, err);

    if (s != AM_OK)
        return s;
    prepare_environment(path);
    (void)fcntl(AM_PROTOCOL_FD, F_SETFD, FD_CLOEXEC); /* the end of this program is the end of it */
    s = start(program, ranks_of(am_text_str(request)), &launcher, err);
    if (s == AM_OK)
        s = await_rank(listener, &launcher, &job, err);
    am_relay_unlisten(path, listener);
    if (s == AM_OK)
        s = pass_on(job, request, err);
    if (job >= 0)
        (void)close(job);
    if (s != AM_OK)
        end_launcher(&launcher);
    return s == AM_OK ? await_end(&launcher, err) : s;
}

int am_relay_launch(const char *program)
{
    struct am_err err = {0};
    struct am_text request;
    enum am_status s;

    am_text_init(&request, REQUEST_MAX);
    s = read_all(AM_PROTOCOL_FD, &request, &err);
    if (s == AM_OK)
        s = launch(program, &request, &err);
    am_text_fini(&request);
    return s == AM_OK ? 0 : tell(&err);
}
