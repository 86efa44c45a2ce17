/* SPDX-License-Identifier: MIT */
/* A worker's main loop: read the request, then prepare, verify, sample and stream each point. */
#include "worker/worker.h"

#include "base/fsroot.h"
#include "base/loaded.h"
#include "base/log.h"
#include "core/protocol/protocol.h"
#include "core/measure/sampler.h"
#include "worker/counters.h"
#include "worker/disturbance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MAX = 4 * 1024 * 1024, LISTING_MAX = 16 * 1024 * 1024 };

enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_GONE = 3 };

/* One launch: the request and what serves it. */
struct launch {
    int fd; /* of the protocol */
    struct am_request request;
    struct am_clock clock;
    struct am_disturbance_probe probe;
    struct am_disturbance disturbance;
    struct am_sampler sampler;
    struct am_counters *counters; /* NULL: time only */
    struct am_event_reader events;
    size_t n_metrics;  /* of the point at hand */
    struct am_ctx ctx; /* the same: it outlives the hooks, finish() too */
};

static bool write_all(int fd, const char *data, size_t n)
{
    while (n) {
        const ssize_t sent = write(fd, data, n);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Each line leaves at once, so that a crash loses nothing that was measured. */
static enum am_status say(const struct launch *l, const struct am_msg *msg, struct am_err *err)
{
    struct am_text line;
    bool sent;

    am_text_init(&line, AM_LINE_MAX);
    am_msg_write(&line, msg);
    sent = !line.overflow &&
           send(l->fd, am_text_str(&line), line.len, MSG_NOSIGNAL) == (ssize_t)line.len;
    am_text_fini(&line);
    return sent ? AM_OK : am_fail(err, AM_E_SYS, "conductor does not listen");
}

static enum am_status say_reason(const struct launch *l, enum am_msg_kind kind, const char *reason,
                                 struct am_err *err)
{
    struct am_msg msg = {.kind = kind};

    (void)am_str_copy(msg.reason, sizeof(msg.reason), reason);
    return say(l, &msg, err);
}

static enum am_status on_verified(void *self, double residual, struct am_err *err)
{
    const struct am_msg msg = {.kind = AM_MSG_VERIFIED, .residual = residual};

    return say(self, &msg, err);
}

static enum am_status on_sample(void *self, const struct am_sample *sample, struct am_err *err)
{
    const struct launch *l = self;
    const struct am_msg msg = {
        .kind = AM_MSG_SAMPLE, .sample = *sample, .n_values = l->n_metrics + l->events.n};

    return say(l, &msg, err);
}

/* A conductor that does not listen is found out by the next message. */
static void say_keyed(const struct launch *l, enum am_msg_kind kind, const char *key,
                      const char *text)
{
    struct am_msg msg = {.kind = kind};

    (void)am_str_copy(msg.key, sizeof(msg.key), key);
    (void)am_str_copy(msg.reason, sizeof(msg.reason), text);
    (void)say(l, &msg, NULL);
}

static void on_note(void *self, const char *key, const char *text)
{
    say_keyed(self, AM_MSG_NOTE, key, text);
}

static void on_chosen(void *self, const char *name, const char *value)
{
    struct launch *const l = self;

    if (strcmp(name, AM_CHOSEN_CLOCK) == 0)
        l->sampler.apart = strcmp(value, AM_CLOCK_DEVICE) == 0;
    say_keyed(self, AM_MSG_CHOSEN, name, value);
}

static void on_window(void *self, uint64_t begin_ns, uint64_t end_ns)
{
    const struct am_msg msg = {.kind = AM_MSG_WINDOW, .begin_ns = begin_ns, .end_ns = end_ns};

    (void)say(self, &msg, NULL);
}

static void on_propose(void *self, const char *axis, const char *values)
{
    say_keyed(self, AM_MSG_PROPOSE, axis, values);
}

static void on_attach(void *self, const char *name, const char *type, const void *data, size_t n)
{
    struct am_msg msg = {.kind = AM_MSG_ATTACH, .length = n};

    (void)am_str_copy(msg.key, sizeof(msg.key), name);
    (void)am_str_copy(msg.type, sizeof(msg.type), type);
    (void)say(self, &msg, NULL);
    msg.kind = AM_MSG_DATA;
    for (size_t at = 0; at < n; at += msg.n_data) {
        msg.n_data = n - at < sizeof(msg.data) ? n - at : sizeof(msg.data);
        memcpy(msg.data, (const char *)data + at, msg.n_data);
        if (say(self, &msg, NULL) != AM_OK)
            return;
    }
}

static bool read_counters(void *self, double *counts)
{
    return am_counters_read(self, counts);
}

static bool count_entry(void *self, const char *name)
{
    (void)name;
    ++*(size_t *)self;
    return true;
}

/* Threads and programs that no counter follows would be left out of the counts. */
static enum am_status check_threads(const struct launch *l, const struct am_bench *bench,
                                    struct am_err *err)
{
    struct am_fsroot root = {0};
    size_t threads = 0;

    if (!l->counters || am_counters_follow(l->counters))
        return AM_OK;
    if (bench->once)
        return am_fail(err, AM_E_ABSENT,
                       "the counters of this machine do not follow programs that a process starts");
    if (am_fsroot_open(&root, NULL, err) != AM_OK)
        return AM_E_SYS;
    (void)am_fsroot_list(&root, "proc/self/task", count_entry, &threads);
    am_fsroot_close(&root);
    if (threads > 1)
        return am_fail(err, AM_E_ABSENT,
                       "the counters of this machine do not follow threads, and this point has %zu",
                       threads);
    return AM_OK;
}

static enum am_status measure(struct launch *l, const struct am_point *point, void *state,
                              struct am_err *err)
{
    const struct am_bench *bench = point->bench;
    const struct am_sample_sink sink = {.verified = on_verified, .sample = on_sample, .self = l};
    struct am_msg work = {.kind = AM_MSG_WORK};
    enum am_status status;

    l->ctx = (struct am_ctx){
        .cpus = l->request.cpus,
        .cpu_count = l->request.n_cpus,
        .seed = l->request.seed,
        .memory_limit_bytes = l->request.memory_limit_bytes,
        .clock = &l->clock,
        .bench = bench,
        .events = l->request.counters,
        .n_events = l->counters ? l->request.n_counters : 0,
        .note = on_note,
        .chosen = on_chosen,
        .window = on_window,
        .propose = on_propose,
        .attach = on_attach,
        .said_self = l,
    };
    l->sampler.apart = false;
    status = bench->prepare(state, &l->ctx, point->values, &work.work, err);
    if (status == AM_OK)
        status = check_threads(l, bench, err);
    if (status == AM_OK)
        status = say(l, &work, err);
    if (status == AM_OK)
        status = am_sampler_run(&l->sampler, bench, state, &work.work, &sink, err);
    return status;
}

/* Measures one point and reports how it went. A status other than AM_OK ends the launch: the
 * conductor is gone, or there is no memory. */
static enum am_status serve_point(struct launch *l, const struct am_point *point, bool *failed,
                                  struct am_err *err)
{
    const struct am_bench *bench = point->bench;
    const struct am_msg begin = {.kind = AM_MSG_POINT, .point_id = point->id};
    const struct am_msg end = {.kind = AM_MSG_END};
    struct am_err story = {0};
    void *state = calloc(1, bench->state_size ? bench->state_size : 1);
    enum am_status status = say(l, &begin, err);

    if (status == AM_OK && !state)
        status = am_fail(err, AM_E_NOMEM, "no memory for a state");
    if (status != AM_OK) {
        free(state);
        return status;
    }
    l->n_metrics = am_metric_count(bench->metrics);
    status = measure(l, point, state, &story);
    if (bench->finish)
        bench->finish(state); /* always, exactly once */
    free(state);
    *failed = status != AM_OK && status != AM_E_ABSENT;
    if (status == AM_OK)
        return say(l, &end, err);
    return say_reason(l, status == AM_E_ABSENT ? AM_MSG_SKIP : AM_MSG_FAIL, story.text, err);
}

/* Before any thread is begun: those are followed that come after. */
static enum am_status open_counters(struct launch *l, struct am_err *err)
{
    struct am_counter_names names = {.n = l->request.n_counters};
    enum am_status status;

    if (names.n == 0)
        return AM_OK;
    if (names.n > AM_COUNTERS_MAX)
        return am_fail(err, AM_E_LIMIT, "%zu counters are too many", names.n);
    memcpy(names.items, l->request.counters, names.n * sizeof(*names.items));
    status = am_counters_open(&names, &l->counters, err);
    if (status != AM_OK)
        return status;
    l->events = (struct am_event_reader){.read = read_counters, .n = names.n, .self = l->counters};
    l->sampler.events = &l->events;
    return AM_OK;
}

struct library_teller {
    struct launch *launch;
    struct am_err *err;
    enum am_status status;
};

/* A path too long for a message is left out. */
static bool say_library(void *self, const struct am_loaded *loaded)
{
    struct library_teller *const t = self;
    struct am_msg msg = {.kind = AM_MSG_LIBRARY};

    if (!am_str_copy(msg.key, sizeof(msg.key), loaded->build_id) ||
        !am_str_copy(msg.reason, sizeof(msg.reason), loaded->path))
        return true;
    t->status = say(t->launch, &msg, t->err);
    return t->status == AM_OK;
}

/* What was loaded when the points were measured, runtimes and drivers included. */
static enum am_status say_libraries(struct launch *l, struct am_err *err)
{
    struct library_teller t = {.launch = l, .err = err, .status = AM_OK};

    am_loaded_each(say_library, &t);
    return t.status;
}

/* A failure may leave a runtime or a driver behind that fails whatever comes next: that costs no
 * other bench a point, since the conductor starts another process for them. */
static enum am_status serve_points(struct launch *l, struct am_err *err)
{
    const struct am_request *const r = &l->request;
    enum am_status status = AM_OK;

    for (size_t i = 0; i < r->n_points && status == AM_OK; i++) {
        bool failed = false;

        status = serve_point(l, &r->points[i], &failed, err);
        if (failed && i + 1 < r->n_points && r->points[i + 1].bench != r->points[i].bench)
            break;
    }
    return status;
}

static enum am_status serve(const char *name, struct launch *l, struct am_err *err)
{
    struct am_msg msg = {.kind = AM_MSG_HELLO, .version = AM_PROTOCOL_VERSION};
    enum am_status status;

    am_clock_init(&l->clock);
    am_disturbance_open(&l->probe, l->request.cpus, l->request.n_cpus, &l->disturbance);
    l->sampler = (struct am_sampler){
        .settings = l->request.sampler, .clock = &l->clock, .disturbance = &l->disturbance};
    msg.clock = l->clock;
    msg.hz = am_clock_core_hz(&l->clock);
    (void)am_str_copy(msg.worker, sizeof(msg.worker), name);
    status = say(l, &msg, err);
    if (status == AM_OK)
        status = open_counters(l, err);
    if (status == AM_OK)
        status = serve_points(l, err);
    if (status == AM_OK)
        status = say_libraries(l, err);
    msg = (struct am_msg){.kind = AM_MSG_DONE};
    if (status == AM_OK)
        status = say(l, &msg, err);
    am_counters_close(l->counters);
    am_disturbance_close(&l->probe);
    return status;
}

/* Reads to the end of what the conductor sends: it shuts its side down after the request. */
static enum am_status read_request(int fd, struct am_text *text, struct am_err *err)
{
    char buf[4096];

    for (;;) {
        const ssize_t n = read(fd, buf, sizeof(buf));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return am_fail(err, AM_E_SYS, "reading the request");
        if (n == 0)
            return text->overflow ? am_fail(err, AM_E_LIMIT, "request is too long") : AM_OK;
        am_text_addn(text, buf, (size_t)n);
    }
}

static int list_benches(const char *name, const struct am_bench *const *benches)
{
    struct am_text text;
    bool written;

    am_text_init(&text, LISTING_MAX);
    am_listing_write(&text, name, benches);
    written = !text.overflow && write_all(STDOUT_FILENO, am_text_str(&text), text.len);
    am_text_fini(&text);
    return written ? EXIT_DONE : EXIT_GONE;
}

int am_worker_serve(const char *name, const struct am_bench *const *benches, int fd)
{
    struct launch l = {.fd = fd};
    struct am_arena arena = {0};
    struct am_err err = {0};
    struct am_text text;
    enum am_status status;

    am_text_init(&text, REQUEST_MAX);
    status = read_request(fd, &text, &err);
    if (status == AM_OK)
        status = am_request_parse(am_text_str(&text), text.len, benches, &arena, &l.request, &err);
    if (status == AM_OK)
        status = serve(name, &l, &err);
    if (status != AM_OK)
        am_log(AM_LOG_ERROR, "worker %s: %s", name, err.text);
    am_text_fini(&text);
    am_arena_fini(&arena);
    return status == AM_OK ? EXIT_DONE : EXIT_GONE;
}

int am_worker_main(const char *name, const struct am_bench *const *benches, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_benches(name, benches);
    if (argc != 1 || fcntl(AM_PROTOCOL_FD, F_GETFD) < 0) {
        am_log(AM_LOG_ERROR, "this is the worker \"%s\"; it is started by `archmeter run`", name);
        return EXIT_USAGE;
    }
    return am_worker_serve(name, benches, AM_PROTOCOL_FD);
}
