/* SPDX-License-Identifier: MIT */
/* The simulated machine as a worker. */
#include "sim/serve.h"

#include "base/child.h"
#include "base/log.h"
#include "core/bench/place.h"
#include "sim/noise.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MAX = 4 * 1024 * 1024, LISTING_MAX = 16 * 1024 * 1024, MESSAGES_MAX = 1024 * 1024 };
enum { LISTING_S = 20 }; /* that a real worker has for its listing, as the conductor gives it */
enum { EXIT_DONE = 0, EXIT_GONE = 3 };

/* A machine read from its folder. */
struct host {
    const char *folder, *worker;
    struct am_arena arena;
    struct am_sim_machine machine;
    struct am_sim_layout layout;
};

static char *path_in(struct host *h, const char *folder, const char *leaf)
{
    return am_arena_printf(&h->arena, "%s/%s%s", h->folder, folder, leaf);
}

static enum am_status open_host(struct host *h, struct am_err *err)
{
    const char *const path = path_in(h, "machine", "");
    enum am_status s;

    if (!path)
        return am_fail(err, AM_E_NOMEM, "no memory for a machine");
    s = am_sim_machine_load(path, &h->arena, &h->machine, err);
    if (s == AM_OK && !am_sim_layout_make(&h->layout, &h->machine, &h->arena))
        s = am_fail(err, AM_E_NOMEM, "no memory for the machine's CPUs");
    return s;
}

static enum am_status read_all(int fd, struct am_text *text, struct am_err *err)
{
    char buf[16 * 1024];

    for (;;) {
        const ssize_t n = read(fd, buf, sizeof(buf));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return am_fail(err, AM_E_SYS, "reading what was sent");
        if (n == 0)
            return text->overflow ? am_fail(err, AM_E_LIMIT, "a text is too long") : AM_OK;
        am_text_addn(text, buf, (size_t)n);
    }
}

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

/* ---- the listing ---- */

/* What `program --list` prints. */
static enum am_status ask_real(const char *program, struct am_text *out, struct am_err *err)
{
    static const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                             {STDOUT_FILENO, AM_CHILD_CAPTURED}};
    const struct am_child_plan plan = {.argv = (const char *const[]){program, "--list", NULL},
                                       .fds = fds,
                                       .n_fds = sizeof(fds) / sizeof(fds[0]),
                                       .apart = true};
    const struct am_child_limits limits = {.seconds = LISTING_S, .ends_when_full = true};
    struct am_child child = {0};
    const enum am_status s = am_child_run(&plan, &limits, out, &child, err);

    if (s == AM_OK && (child.signalled || child.code != 0 || out->overflow))
        return am_fail(err, AM_E_ABSENT, "%s gives no listing", program);
    return s;
}

static enum am_status keep_listing(struct host *h, const struct am_text *text, struct am_err *err)
{
    const char *const path = path_in(h, "listing/", h->worker);
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
    const bool kept = fd >= 0 && write_all(fd, am_text_str(text), text->len);

    if (fd >= 0)
        (void)close(fd);
    return kept ? AM_OK : am_fail(err, AM_E_SYS, "keeping the listing of %s", h->worker);
}

static enum am_status make_listing(struct host *h, struct am_text *out, struct am_err *err)
{
    const char *const program = path_in(h, "real/archmeter-worker-", h->worker);
    struct am_text listed;
    enum am_status s = open_host(h, err);

    am_text_init(&listed, LISTING_MAX);
    if (s == AM_OK && !program)
        s = am_fail(err, AM_E_NOMEM, "no memory for a listing");
    if (s == AM_OK)
        s = ask_real(program, &listed, err);
    if (s == AM_OK && !am_sim_listing_adapt(&h->machine, am_text_str(&listed), listed.len, out))
        s = am_fail(err, AM_E_PROTOCOL, "the listing of %s is not understood", h->worker);
    if (s == AM_OK)
        s = keep_listing(h, out, err);
    am_text_fini(&listed);
    return s;
}

int am_sim_list(const char *folder, const char *worker)
{
    struct host h = {.folder = folder, .worker = worker};
    struct am_err err = {0};
    struct am_text text;
    bool told;

    am_text_init(&text, LISTING_MAX);
    told = make_listing(&h, &text, &err) == AM_OK;
    if (!told)
        am_log(AM_LOG_ERROR, "simulated worker %s: %s", worker, err.text);
    told = told && write_all(STDOUT_FILENO, am_text_str(&text), text.len);
    am_text_fini(&text);
    am_arena_fini(&h.arena);
    return told ? EXIT_DONE : EXIT_GONE;
}

/* ---- requests ---- */

/* Places are for the conductor to know: a worker takes any word for one, and the CPUs it is given.
 */
static void free_places(const struct am_bench *bench)
{
    struct am_axis *const axes = (struct am_axis *)bench->axes; /* the listing's own copy */
    const int on = am_axis_find(axes, AM_PLACE_AXIS);

    if (on >= 0)
        axes[on].choices = NULL;
}

/* The descriptors of the kept listing, as a table that ends with NULL. */
static enum am_status load_benches(struct host *h, const struct am_bench ***out, struct am_err *err)
{
    const char *const path = path_in(h, "listing/", h->worker);
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    struct am_listing listing = {0};
    struct am_text text;
    enum am_status s;

    am_text_init(&text, LISTING_MAX);
    s = fd >= 0 ? read_all(fd, &text, err) : am_fail(err, AM_E_SYS, "the listing of %s", h->worker);
    if (fd >= 0)
        (void)close(fd);
    if (s == AM_OK)
        s = am_listing_parse(am_text_str(&text), text.len, &h->arena, &listing, err);
    if (s == AM_OK) {
        *out = am_arena_array(&h->arena, listing.n + 1, sizeof(**out));
        for (size_t i = 0; *out && i < listing.n; i++) {
            free_places(&listing.benches[i]);
            (*out)[i] = &listing.benches[i];
        }
        s = *out ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for a listing");
    }
    am_text_fini(&text);
    return s;
}

static void say_reason(struct am_text *out, enum am_msg_kind kind, const char *reason)
{
    struct am_msg msg = {.kind = kind};

    (void)am_str_copy(msg.reason, sizeof(msg.reason), reason);
    am_msg_write(out, &msg);
}

static void say_chosen(struct am_text *out, const struct am_sim_answer *a)
{
    for (size_t i = 0; i < a->n_chosen; i++) {
        struct am_msg msg = {.kind = AM_MSG_CHOSEN};

        (void)am_str_copy(msg.key, sizeof(msg.key), a->chosen[i].name);
        (void)am_str_copy(msg.reason, sizeof(msg.reason), a->chosen[i].value);
        am_msg_write(out, &msg);
    }
}

/* Batches as the engine takes them: until enough are undisturbed, or the point's time is up. */
static void say_samples(struct am_text *out, struct am_sim_visit *v, struct am_sim_clock *clock)
{
    const struct am_request *const r = v->question->launch->request;
    const struct am_sampler_settings *const set = &r->sampler;
    const double begin = clock->now_s;
    const size_t metrics = am_metric_count(v->question->point->bench->metrics);
    unsigned clean = 0;

    for (unsigned taken = 0; clean < set->samples && taken < set->samples + set->extra; taken++) {
        struct am_msg msg = {.kind = AM_MSG_SAMPLE, .n_values = metrics + r->n_counters};

        if (taken && (clock->now_s - begin) * 1e9 > (double)set->max_point_ns)
            break;
        am_sim_visit_sample(v, clock, &msg.sample);
        for (size_t i = 0; i < r->n_counters && metrics + i < AM_METRICS_MAX; i++)
            msg.sample.values[metrics + i] = (double)NAN; /* no counters are simulated */
        am_msg_write(out, &msg);
        clean += msg.sample.labels == 0;
    }
}

static void say_point(struct am_text *out, struct am_sim_launch *launch,
                      const struct am_point *point, struct am_sim_clock *clock)
{
    const struct am_sim_question q = {.launch = launch, .point = point};
    const struct am_msg verified = {.kind = AM_MSG_VERIFIED}, end = {.kind = AM_MSG_END};
    const struct am_msg begin = {.kind = AM_MSG_POINT, .point_id = point->id};
    struct am_sim_answer answer;
    struct am_sim_visit visit;
    struct am_msg work = {.kind = AM_MSG_WORK};
    struct am_err story = {0};
    enum am_status s;

    am_msg_write(out, &begin);
    s = am_sim_ask(&q, &answer, &story);
    if (s != AM_OK) {
        say_reason(out, s == AM_E_ABSENT ? AM_MSG_SKIP : AM_MSG_FAIL, story.text);
        return;
    }
    say_chosen(out, &answer);
    work.work = answer.work;
    am_msg_write(out, &work);
    am_msg_write(out, &verified);
    am_sim_visit_begin(&visit, &q, &answer, clock);
    say_samples(out, &visit, clock);
    am_msg_write(out, &verified);
    am_msg_write(out, &end);
}

/* What a neighbour inside this system used of its CPUs since then. */
static double neighbour_s(const struct am_sim_machine *m, double since, double now)
{
    return m->neighbour.switches
               ? am_sim_visited(m, since, now - since) * (now - since) * am_sim_neighbour_cpus(m)
               : 0;
}

/* Sends what has been said and forgets it. */
static bool send_text(int fd, struct am_text *text)
{
    const char *data = am_text_str(text);
    size_t n = text->len;

    if (text->overflow)
        return false;
    while (n) {
        const ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        n -= (size_t)sent;
    }
    am_text_clear(text);
    return true;
}

static struct am_msg hello_of(const struct host *h)
{
    const struct am_sim_machine *const m = &h->machine;
    struct am_msg msg = {.kind = AM_MSG_HELLO,
                         .version = AM_PROTOCOL_VERSION,
                         .clock = {.overhead_ns = (uint64_t)m->noise.clock_ns,
                                   .resolution_ns = (uint64_t)m->noise.clock_step_ns},
                         .hz = m->kinds[0].one_ghz * 1e9 * (1 + m->noise.cycle_error)};

    (void)am_str_copy(msg.worker, sizeof(msg.worker), h->worker);
    return msg;
}

/* The machine goes on: its clock is kept, and its /proc tells the load. */
static enum am_status leave(struct host *h, const struct am_sim_clock *clock, struct am_err *err)
{
    const struct am_sim_totals totals = {
        .now_s = clock->now_s,
        .busy_s = clock->busy_s,
        .steal_s = clock->steal_s,
        .other_s = clock->other_s,
        .visited = am_sim_visited(&h->machine, clock->now_s, 0.01) > 0,
    };
    const char *const root = path_in(h, "root", "");
    const enum am_status s = am_sim_clock_save(clock, h->folder, err);

    if (s != AM_OK || !root)
        return s;
    return am_sim_tree_update(&h->layout, root, &totals, err);
}

static enum am_status answer_all(struct host *h, const struct am_request *request, int fd,
                                 struct am_err *err)
{
    const struct am_msg hello = hello_of(h), done = {.kind = AM_MSG_DONE};
    struct am_sim_launch launch = {.layout = &h->layout, .request = request, .worker = h->worker};
    struct am_sim_clock clock;
    struct am_text out;
    double begun;
    bool heard;

    am_text_init(&out, MESSAGES_MAX);
    am_sim_clock_load(&clock, h->folder);
    begun = clock.now_s;
    am_msg_write(&out, &hello);
    heard = send_text(fd, &out);
    for (size_t i = 0; heard && i < request->n_points; i++) {
        launch.turn = i;
        am_sim_launch_draw(&launch, &clock);
        say_point(&out, &launch, &request->points[i], &clock);
        heard = send_text(fd, &out);
    }
    clock.other_s += neighbour_s(&h->machine, begun, clock.now_s);
    if (heard && leave(h, &clock, err) != AM_OK) {
        am_text_fini(&out);
        return AM_E_SYS;
    }
    am_msg_write(&out, &done);
    heard = heard && send_text(fd, &out);
    am_text_fini(&out);
    return heard ? AM_OK : am_fail(err, AM_E_SYS, "conductor does not listen");
}

int am_sim_serve(const char *folder, const char *worker, int fd)
{
    struct host h = {.folder = folder, .worker = worker};
    const struct am_bench **benches = NULL;
    struct am_request request;
    struct am_err err = {0};
    struct am_text text;
    enum am_status s;

    am_text_init(&text, REQUEST_MAX);
    s = open_host(&h, &err);
    if (s == AM_OK)
        s = load_benches(&h, &benches, &err);
    if (s == AM_OK)
        s = read_all(fd, &text, &err);
    if (s == AM_OK)
        s = am_request_parse(am_text_str(&text), text.len, benches, &h.arena, &request, &err);
    if (s == AM_OK)
        s = answer_all(&h, &request, fd, &err);
    if (s != AM_OK)
        am_log(AM_LOG_ERROR, "simulated worker %s: %s", worker, err.text);
    am_text_fini(&text);
    am_arena_fini(&h.arena);
    return s == AM_OK ? EXIT_DONE : EXIT_GONE;
}
