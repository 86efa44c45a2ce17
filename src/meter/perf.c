/* SPDX-License-Identifier: MIT */
/* RAPL through perf events: 64-bit counters of the whole system, one CPU of each package. */
#include "base/clock.h"
#include "base/text.h"
#include "meter/meter.h"
#include "topo/energy_remedies.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU "sys/bus/event_source/devices/power"

enum { PATH_CAP = 256, TEXT_CAP = 256, CPUS_MAX = 64 };

static const uint64_t usual_period_ns = 1000000;
static const double unlikely_w = 2000;

static const struct {
    const char *event;
    enum am_scope scope;
    const char *covers;
} events[] = {
    {"energy-pkg", AM_SCOPE_PACKAGE,
     "one processor package, whatever runs on it; no memory modules"},
    {"energy-cores", AM_SCOPE_CORE, "the cores of one package; part of the package"},
    {"energy-gpu", AM_SCOPE_UNCORE, "the graphics of one package; part of the package"},
    {"energy-ram", AM_SCOPE_DRAM, "the memory modules of one package"},
    {"energy-psys", AM_SCOPE_PSYS, "the platform as its vendor wired it; holds the packages"},
};

struct pmu {
    const struct am_meter_request *request;
    struct am_arena *arena;
    struct am_meters *out;
    uint32_t type;
    int cpus[CPUS_MAX]; /* one of each package */
    size_t n;
};

struct counter {
    int fd;
};

static int open_event(uint32_t type, uint64_t config, int cpu)
{
    struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config};

    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static enum am_status read_event(void *self, struct am_reading *out, struct am_err *err)
{
    const struct counter *const c = self;

    out->t0_ns = am_now_ns();
    errno = 0;
    if (read(c->fd, &out->ticks, sizeof(out->ticks)) != (ssize_t)sizeof(out->ticks))
        return errno ? am_fail(err, AM_E_SYS, "an energy event")
                     : am_fail(err, AM_E_ABSENT, "an energy event has ended");
    out->t1_ns = am_now_ns();
    return AM_OK;
}

static void close_event(void *self)
{
    struct counter *const c = self;

    if (c->fd >= 0)
        (void)close(c->fd);
    c->fd = -1;
}

static bool pmu_text(const struct pmu *p, const char *file, char *buf, size_t cap)
{
    char path[PATH_CAP];

    return am_str_format(path, sizeof(path), PMU "/%s", file) &&
           am_fsroot_read(p->request->root, path, buf, cap) > 0;
}

/* "event=0x02": the only field that this kind of event has. */
static bool event_config(const struct pmu *p, const char *event, uint64_t *config)
{
    static const char digits[] = "0123456789abcdef";
    char file[PATH_CAP], text[TEXT_CAP];
    const char *at;

    if (!am_str_format(file, sizeof(file), "events/%s", event) ||
        !pmu_text(p, file, text, sizeof(text)) || strncmp(text, "event=0x", 8) != 0)
        return false;
    *config = 0;
    for (at = text + 8; *at && strchr(digits, *at); at++)
        *config = *config << 4 | (uint64_t)(strchr(digits, *at) - digits);
    return *at == '\0' && at > text + 8;
}

static double event_scale(const struct pmu *p, const char *event)
{
    char file[PATH_CAP], text[TEXT_CAP];
    double scale;

    if (!am_str_format(file, sizeof(file), "events/%s.scale", event) ||
        !pmu_text(p, file, text, sizeof(text)) || !am_parse_f64(text, strlen(text), &scale))
        return 0;
    return scale;
}

/* "0,16" or "0-1". */
static void read_cpus(struct pmu *p)
{
    char text[TEXT_CAP];
    const char *at = text;

    if (!pmu_text(p, "cpumask", text, sizeof(text)))
        return;
    while (*at && p->n < CPUS_MAX) {
        const size_t len = strcspn(at, ","), dash = strcspn(at, ",-");
        uint64_t from, to;

        if (!am_parse_u64(at, dash, &from))
            return;
        to = from;
        if (dash < len && !am_parse_u64(at + dash + 1, len - dash - 1, &to))
            return;
        for (; from <= to && p->n < CPUS_MAX; from++)
            p->cpus[p->n++] = (int)from;
        at += len + (at[len] == ',');
    }
}

static uint64_t package_of(const struct pmu *p, int cpu)
{
    char path[PATH_CAP];
    uint64_t package = 0;

    (void)am_str_format(path, sizeof(path),
                        "sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    (void)am_fsroot_read_u64(p->request->root, path, &package);
    return package;
}

static void start(const struct pmu *p, struct am_meter *m, uint64_t config, int cpu)
{
    struct counter *const c = am_arena_alloc(p->arena, sizeof(*c));

    if (!c || (!p->request->perf_open && p->request->root->synthetic)) {
        m->why_not = "the events of a false root cannot be opened";
        return;
    }
    c->fd = (p->request->perf_open ? p->request->perf_open : open_event)(p->type, config, cpu);
    if (c->fd < 0) {
        const int why = errno;

        m->why_not = am_arena_printf(p->arena, "perf event: %s", strerror(why));
        m->remedy = why == EACCES || why == EPERM ? AM_REMEDY_PERF : NULL;
        return;
    }
    m->self = c;
    m->read = read_event;
    m->close = close_event;
}

static void add_event(const struct pmu *p, size_t e, int cpu, int package_meter)
{
    struct am_meter *const m = am_meters_add(p->out, "perf");
    uint64_t config;

    if (!m)
        return;
    m->id = events[e].scope == AM_SCOPE_PSYS
                ? "psys"
                : am_arena_printf(p->arena, "%s-%llu", am_scope_name(events[e].scope),
                                  (unsigned long long)package_of(p, cpu));
    m->scope = events[e].scope;
    m->covers = events[e].covers;
    m->quantum_j = event_scale(p, events[e].event);
    m->period_ns = usual_period_ns;
    m->power_max_w = unlikely_w;
    if (m->scope == AM_SCOPE_CORE || m->scope == AM_SCOPE_UNCORE)
        m->parent = package_meter;
    if (!event_config(p, events[e].event, &config) || !(m->quantum_j > 0))
        m->why_not = "its event or scale file is not understood";
    else
        start(p, m, config, cpu);
}

static bool has_event(const struct pmu *p, size_t e)
{
    char path[PATH_CAP];

    return am_str_format(path, sizeof(path), PMU "/events/%s", events[e].event) &&
           am_fsroot_exists(p->request->root, path);
}

/* The package is the first event, so that its parts find it. */
static void add_package(const struct pmu *p, size_t index)
{
    const int package_meter = has_event(p, 0) ? (int)p->out->n : -1;

    for (size_t e = 0; e < sizeof(events) / sizeof(*events); e++) {
        const bool once = events[e].scope == AM_SCOPE_PSYS; /* there is one platform */

        if (has_event(p, e) && (!once || index == 0))
            add_event(p, e, p->cpus[index], package_meter);
    }
}

enum am_status am_meter_open_perf(const struct am_meter_request *request, struct am_arena *arena,
                                  struct am_meters *out, struct am_err *err)
{
    struct pmu p = {.request = request, .arena = arena, .out = out};
    uint64_t type;

    (void)err;
    if (!am_fsroot_read_u64(request->root, PMU "/type", &type) || type > UINT32_MAX)
        return AM_OK;
    p.type = (uint32_t)type;
    read_cpus(&p);
    for (size_t i = 0; i < p.n; i++)
        add_package(&p, i);
    return AM_OK;
}
