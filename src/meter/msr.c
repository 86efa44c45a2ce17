/* SPDX-License-Identifier: MIT */
/* RAPL by the processor's own registers: 32 bits, a unit of their own, one CPU of each package. */
#include "base/clock.h"
#include "base/text.h"
#include "meter/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PATH_CAP = 128, PACKAGES_MAX = 64, CPUINFO_CAP = 4096 };

static const uint64_t usual_period_ns = 1000000;
static const double unlikely_w = 2000;

static const char remedy[] =
    "load the kernel's module msr and run as root (or use perf or powercap, "
    "which need less)";

/* One register of one package. */
struct counter {
    int fd;
    off_t reg;
};

static const struct vendor {
    const char *id;
    off_t unit; /* energy unit: bits 12:8, joules = 2^-n */
    struct domain {
        off_t reg;
        enum am_scope scope;
        bool own_unit; /* not that of `unit` on servers: see dram_models */
    } domains[6];
} vendors[] = {
    {"GenuineIntel",
     0x606,
     {{0x611, AM_SCOPE_PACKAGE, false},
      {0x639, AM_SCOPE_CORE, false},
      {0x641, AM_SCOPE_UNCORE, false},
      {0x619, AM_SCOPE_DRAM, true},
      {0x64d, AM_SCOPE_PSYS, false}}},
    /* The core counter is one per core, not one per package: left to perf. */
    {"AuthenticAMD", 0xc0010299, {{0xc001029b, AM_SCOPE_PACKAGE, false}}},
};

/* Intel servers (family 6) whose memory counter counts 2^-16 J whatever the unit register says. */
static const uint64_t dram_models[] = {0x3f, 0x4f, 0x55, 0x56, 0x57, 0x6a, 0x6c, 0x85};
static const double dram_joules = 1.0 / 65536;

struct machine {
    const struct vendor *vendor;
    uint64_t model;
    struct {
        uint64_t package;
        int cpu;
    } packages[PACKAGES_MAX];
    size_t n;
    const struct am_fsroot *root;
};

/* The value of the first "key : value" line. */
static bool cpuinfo_field(const char *text, const char *key, char *value, size_t cap)
{
    const char *at = strstr(text, key);

    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return false;
    at += strspn(at, ": \t");
    (void)am_str_format(value, cap, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static bool identify(struct machine *m)
{
    char text[CPUINFO_CAP], value[64];

    if (am_fsroot_read(m->root, "proc/cpuinfo", text, sizeof(text)) <= 0 ||
        !cpuinfo_field(text, "vendor_id", value, sizeof(value)))
        return false;
    for (size_t i = 0; i < sizeof(vendors) / sizeof(*vendors); i++) {
        if (strcmp(vendors[i].id, value) == 0)
            m->vendor = &vendors[i];
    }
    if (cpuinfo_field(text, "model\t", value, sizeof(value)))
        (void)am_parse_u64(value, strlen(value), &m->model);
    return m->vendor != NULL;
}

/* The first CPU of each package. */
static bool on_cpu(void *self, const char *name)
{
    struct machine *const m = self;
    char path[PATH_CAP];
    uint64_t cpu, package;

    if (!am_parse_u64(name, strlen(name), &cpu) ||
        !am_str_format(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%s/topology/physical_package_id", name) ||
        !am_fsroot_read_u64(m->root, path, &package))
        return true;
    for (size_t i = 0; i < m->n; i++) {
        if (m->packages[i].package == package)
            return true;
    }
    if (m->n < PACKAGES_MAX) {
        m->packages[m->n].package = package;
        m->packages[m->n++].cpu = (int)cpu;
    }
    return true;
}

static bool read_register(int fd, off_t reg, uint64_t *value)
{
    return pread(fd, value, sizeof(*value), reg) == (ssize_t)sizeof(*value);
}

static enum am_status read_counter(void *self, struct am_reading *out, struct am_err *err)
{
    const struct counter *const c = self;
    uint64_t value;

    out->t0_ns = am_now_ns();
    errno = 0;
    if (!read_register(c->fd, c->reg, &value))
        return errno ? am_fail(err, AM_E_SYS, "register %#llx", (unsigned long long)c->reg)
                     : am_fail(err, AM_E_ABSENT, "register %#llx is not there any more",
                               (unsigned long long)c->reg);
    out->t1_ns = am_now_ns();
    out->ticks = value & UINT32_MAX;
    return AM_OK;
}

static void close_counter(void *self)
{
    struct counter *const c = self;

    if (c->fd >= 0)
        (void)close(c->fd);
    c->fd = -1;
}

/* Joules a tick; 0 when the model's unit is not known. */
static double unit_of(const struct machine *machine, const struct domain *d, uint64_t unit)
{
    if (d->own_unit) {
        for (size_t i = 0; i < sizeof(dram_models) / sizeof(*dram_models); i++) {
            if (machine->model == dram_models[i])
                return dram_joules;
        }
    }
    return 1.0 / (double)((uint64_t)1 << (unit >> 8 & 0x1f));
}

static void add_domain(const struct machine *machine, const struct domain *d, uint64_t package,
                       int fd, uint64_t unit, struct am_arena *arena, struct am_meters *out)
{
    struct counter *const c = am_arena_alloc(arena, sizeof(*c));
    struct am_meter *m;
    uint64_t value;

    if (!c || !read_register(fd, d->reg, &value) || value == 0)
        return; /* a counter that this model does not have reads as an error or as nothing */
    m = am_meters_add(out, "msr");
    if (!m)
        return;
    *c = (struct counter){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .reg = d->reg};
    m->id = d->scope == AM_SCOPE_PSYS ? "psys"
                                      : am_arena_printf(arena, "%s-%llu", am_scope_name(d->scope),
                                                        (unsigned long long)package);
    m->scope = d->scope;
    m->covers = "one processor package, or the part of it that the scope names";
    m->quantum_j = unit_of(machine, d, unit);
    m->range_ticks = (uint64_t)1 << 32;
    m->period_ns = usual_period_ns;
    m->power_max_w = unlikely_w;
    m->self = c;
    m->read = read_counter;
    m->close = close_counter;
}

static void add_package(const struct machine *machine, size_t i, struct am_arena *arena,
                        struct am_meters *out)
{
    const size_t first = out->n;
    char path[PATH_CAP];
    uint64_t unit;
    int fd;

    (void)am_str_format(path, sizeof(path), "dev/cpu/%d/msr", machine->packages[i].cpu);
    fd = openat(machine->root->fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !read_register(fd, machine->vendor->unit, &unit)) {
        struct am_meter *const m = am_meters_add(out, "msr");

        if (m) {
            m->id = am_arena_printf(arena, "package-%llu",
                                    (unsigned long long)machine->packages[i].package);
            m->scope = AM_SCOPE_PACKAGE;
            m->why_not = am_arena_printf(arena, "%s: %s", path, strerror(errno));
            m->remedy = remedy;
        }
    } else {
        for (size_t k = 0; machine->vendor->domains[k].reg; k++) {
            /* There is one platform: every package shows it. */
            if (i == 0 || machine->vendor->domains[k].scope != AM_SCOPE_PSYS)
                add_domain(machine, &machine->vendor->domains[k], machine->packages[i].package, fd,
                           unit, arena, out);
        }
    }
    /* Cores and graphics are inside the package, which is the first of them. */
    for (size_t k = first + 1; out->items[first].scope == AM_SCOPE_PACKAGE && k < out->n; k++) {
        if (out->items[k].scope == AM_SCOPE_CORE || out->items[k].scope == AM_SCOPE_UNCORE)
            out->items[k].parent = (int)first;
    }
    if (fd >= 0)
        (void)close(fd);
}

enum am_status am_meter_open_msr(const struct am_meter_request *request, struct am_arena *arena,
                                 struct am_meters *out, struct am_err *err)
{
    struct machine machine = {.root = request->root};

    (void)err;
    if (!request->msr || !identify(&machine))
        return AM_OK;
    (void)am_fsroot_list(request->root, "dev/cpu", on_cpu, &machine);
    for (size_t i = 0; i < machine.n; i++)
        add_package(&machine, i, arena, out);
    return AM_OK;
}
