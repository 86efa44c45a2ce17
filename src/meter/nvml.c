/* SPDX-License-Identifier: MIT */
/* NVIDIA GPUs through the vendor's management library, which a helper process calls
 * (meter/nvml_helper.h says why).
 *
 * A machine without the library has no such meter. One whose library cannot be used (an old one
 * that lacks a function, a driver that is not loaded, closed device files) is told so, with what
 * would help. A helper that does not answer in time, or ends, is given up: readings then fail at
 * once, with that reason, and nobody waits for it again; one that hangs in the kernel cannot be
 * killed, and is left to the system. How long a reading takes is the driver's business: one thread
 * reads them all, so that nobody else's readings wait for it. */
#include "base/child.h"
#include "base/clock.h"
#include "meter/meter.h"
#include "meter/nvml_helper.h"
#include "topo/energy_remedies.h"

#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HELPER_SOCKET = STDIN_FILENO };

static const uint64_t usual_period_ns = 100 * UINT64_C(1000000); /* of both values, about */
static const uint64_t averaging_ns = 1000000000u; /* of the plain power reading since Ampere */
static const double unlikely_w = 5000;
static const double begin_s = 60;   /* drivers that keep no state wake every board first */
static const double answer_s = 5;   /* a reading takes milliseconds */
static const double farewell_s = 1; /* for a helper whose socket is closed, or that was killed */

struct helper {
    struct am_child child;
    const char *path;   /* of the library */
    int socket;         /* -1: it is given up */
    double patience_s;  /* in place of the usual; 0: as usual */
    struct am_err lost; /* why */
};

/* One value of one device. */
struct gpu {
    struct helper *helper;
    uint32_t what, index;
    bool last; /* of the set: the helper ends with it */
};

/* What opens a library that is there; by its own codes. */
static const struct obstacle {
    int code;
    const char *remedy;
} obstacles[] = {
    {4, AM_REMEDY_NVML},
    {9, "Load the kernel's module nvidia, or start the container with the GPU."},
    {18, "Library and kernel module are of different drivers: load the module again, or reboot."},
    {AM_NVML_NO_FUNCTION, "Install the driver's own library; those since 2018 have it."},
};

/* ---- the helper ---- */

/* In the copy of this process. What it holds open (files of results, sockets of workers) would stay
 * open as long as the driver hangs. Signals of the terminal are for the process that measures. */
static int live(void *self)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const struct helper *const h = self;

    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)close_range(STDERR_FILENO + 1, ~0U, 0);
    am_nvml_serve(HELPER_SOCKET, h->path);
    return 0;
}

static enum am_status start(struct helper *h, struct am_err *err)
{
    int ends[2];
    struct am_child_fd fds[] = {{HELPER_SOCKET, -1}, {STDOUT_FILENO, AM_CHILD_NULL}};
    const struct am_child_plan plan = {.body = live, .self = h, .fds = fds, .n_fds = 2};
    enum am_status s;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return am_fail(err, AM_E_SYS, "a socket for the reader of NVML");
    fds[0].from = ends[1];
    s = am_child_start(&plan, &h->child, err);
    (void)close(ends[1]);
    if (s != AM_OK)
        (void)close(ends[0]);
    h->socket = s == AM_OK ? ends[0] : -1;
    return s;
}

static bool is_gone_within(struct am_child *child, double seconds)
{
    static const struct timespec look = {.tv_nsec = 1000000};
    const uint64_t end = am_now_ns() + (uint64_t)(seconds * 1e9);

    while (!am_child_ended(child)) {
        if (am_now_ns() >= end)
            return false;
        (void)nanosleep(&look, NULL);
    }
    return true;
}

/* Nobody waits for what no signal reaches. */
static void give_up(struct helper *h)
{
    if (h->socket < 0)
        return;
    (void)close(h->socket);
    h->socket = -1;
    if (is_gone_within(&h->child, h->lost.text[0] ? 0 : farewell_s))
        return;
    am_child_signal(&h->child, SIGKILL);
    (void)is_gone_within(&h->child, farewell_s);
}

/* Whether there is something to receive before the time is over. */
static bool await(int socket, double seconds)
{
    const uint64_t end = am_now_ns() + (uint64_t)(seconds * 1e9);

    for (;;) {
        struct pollfd p = {.fd = socket, .events = POLLIN};
        const uint64_t now = am_now_ns();
        const int n = now < end ? poll(&p, 1, (int)((end - now) / 1000000u) + 1) : 0;

        if (n > 0 || (n == 0 && am_now_ns() >= end) || (n < 0 && errno != EINTR))
            return n > 0;
    }
}

static enum am_status lose(struct helper *h, bool silent, double patience_s, struct am_err *err)
{
    if (silent)
        (void)am_fail(&h->lost, AM_E_ABSENT, "%s has not answered for %g s", h->path, patience_s);
    else
        (void)am_fail(&h->lost, AM_E_ABSENT, "%s ended the process that reads it", h->path);
    give_up(h);
    return am_fail(err, AM_E_ABSENT, "%s", h->lost.text);
}

static enum am_status ask(struct helper *h, uint32_t what, uint32_t index,
                          struct am_nvml_answer *out, struct am_err *err)
{
    const struct am_nvml_question q = {.what = what, .index = index};
    const double usual_s = what == AM_NVML_BEGIN ? begin_s : answer_s;
    const double patience_s = h->patience_s > 0 ? h->patience_s : usual_s;

    *out = (struct am_nvml_answer){0};
    if (h->socket < 0)
        return am_fail(err, AM_E_ABSENT, "%s", h->lost.text);
    if (send(h->socket, &q, sizeof(q), MSG_NOSIGNAL) != (ssize_t)sizeof(q))
        return lose(h, false, patience_s, err);
    if (!await(h->socket, patience_s))
        return lose(h, true, patience_s, err);
    if (recv(h->socket, out, sizeof(*out), 0) != (ssize_t)sizeof(*out))
        return lose(h, false, patience_s, err);
    out->text[AM_NVML_TEXT_CAP - 1] = '\0';
    return out->code ? am_fail(err, AM_E_ABSENT, "%s", out->text) : AM_OK;
}

/* ---- the meters ---- */

static enum am_status read_gpu(void *self, struct am_reading *out, struct am_err *err)
{
    const struct gpu *const g = self;
    struct am_nvml_answer a;
    const enum am_status s = ask(g->helper, g->what, g->index, &a, err);

    out->t0_ns = a.t0_ns;
    out->t1_ns = a.t1_ns;
    out->ticks = a.value;
    out->watts = (double)a.value * 1e-3;
    return s;
}

static void close_gpu(void *self)
{
    const struct gpu *const g = self;

    if (g->last)
        give_up(g->helper);
}

/* One entry that says why there are no others. */
static void list_obstacle(struct am_meters *out, const char *why, int code)
{
    struct am_meter *const m = am_meters_add(out, "nvml");

    if (!m)
        return;
    m->id = "gpu";
    m->scope = AM_SCOPE_GPU;
    m->why_not = why ? why : "the library cannot be used";
    for (size_t i = 0; i < sizeof(obstacles) / sizeof(*obstacles); i++)
        m->remedy = obstacles[i].code == code ? obstacles[i].remedy : m->remedy;
}

/* How many devices there are; 0 also when the library cannot be used, which is listed, or is not
 * there. */
static unsigned begin(struct helper *h, struct am_arena *arena, struct am_meters *out)
{
    struct am_nvml_answer a = {0};
    struct am_err why = {0};
    const enum am_status s = ask(h, AM_NVML_BEGIN, 0, &a, &why);

    if (s == AM_OK)
        return (unsigned)a.value;
    if (h->lost.text[0])
        list_obstacle(out, am_arena_strdup(arena, why.text), a.code);
    else if (a.code == AM_NVML_NO_FUNCTION)
        list_obstacle(out, am_arena_printf(arena, "%s has no %s", h->path, a.text), a.code);
    else if (a.code != AM_NVML_NO_LIBRARY)
        list_obstacle(out, am_arena_printf(arena, "%s: %s", h->path, a.text), a.code);
    return 0;
}

/* Both values are looked at once: one that this device does not give is listed with the reason. */
static void add_value(struct helper *h, const struct am_nvml_answer *device,
                      enum am_meter_kind kind, unsigned index, struct am_arena *arena,
                      struct am_meters *out)
{
    struct gpu *const g = am_arena_alloc(arena, sizeof(*g));
    struct am_meter *const m = g ? am_meters_add(out, "nvml") : NULL;
    const bool counts = kind == AM_METER_COUNTER;
    struct am_reading reading;
    struct am_err why = {0};

    if (!m)
        return;
    *g = (struct gpu){.helper = h, .what = counts ? AM_NVML_ENERGY : AM_NVML_POWER, .index = index};
    m->id = am_arena_printf(arena, counts ? "gpu-%u" : "gpu-%u.power", index);
    m->scope = AM_SCOPE_GPU;
    m->kind = kind;
    m->covers =
        am_arena_printf(arena, "the whole board of this %s, its memory included", device->text);
    m->quantum_j = counts ? 1e-3 : 0;
    m->period_ns = usual_period_ns;
    m->averaging_ns = !counts && !device->instant ? averaging_ns : 0;
    m->power_max_w = unlikely_w;
    m->slow = true;
    m->mailbox = h;
    m->helper = h->child.pid;
    m->self = g;
    m->close = close_gpu;
    m->read = read_gpu;
    if (m->read(g, &reading, &why) != AM_OK)
        m->why_not = am_arena_strdup(arena, why.text);
}

static void add_device(struct helper *h, unsigned index, struct am_arena *arena,
                       struct am_meters *out)
{
    const int counter = (int)out->n;
    struct am_nvml_answer device;
    struct am_err why = {0};

    if (ask(h, AM_NVML_DEVICE, index, &device, &why) != AM_OK) {
        if (h->lost.text[0])
            list_obstacle(out, am_arena_strdup(arena, why.text), 0);
        return;
    }
    add_value(h, &device, AM_METER_COUNTER, index, arena, out);
    add_value(h, &device, AM_METER_POWER, index, arena, out);
    /* The same energy another way: both are shown, and never added. */
    if ((int)out->n == counter + 2 && !out->items[counter].why_not)
        out->items[counter + 1].parent = counter;
}

/* The last that has a device closes the helper. */
static bool leave_to_last(struct am_meters *out, size_t first)
{
    for (size_t i = out->n; i-- > first;) {
        if (out->items[i].self) {
            ((struct gpu *)out->items[i].self)->last = true;
            return true;
        }
    }
    return false;
}

enum am_status am_meter_open_nvml(const struct am_meter_request *request, struct am_arena *arena,
                                  struct am_meters *out, struct am_err *err)
{
    struct helper *const h = am_arena_alloc(arena, sizeof(*h));
    const size_t first = out->n;
    struct am_err why = {0};
    unsigned n = 0;

    if (!h)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    if (request->root->synthetic && !request->nvml_library)
        return AM_OK;
    *h =
        (struct helper){.path = request->nvml_library ? request->nvml_library : "libnvidia-ml.so.1",
                        .patience_s = request->nvml_patience_s,
                        .socket = -1};
    if (start(h, &why) == AM_OK)
        n = begin(h, arena, out);
    else
        list_obstacle(out, am_arena_strdup(arena, why.text), 0);
    for (unsigned i = 0; i < n && h->socket >= 0; i++)
        add_device(h, i, arena, out);
    if (!leave_to_last(out, first))
        give_up(h);
    return AM_OK;
}
