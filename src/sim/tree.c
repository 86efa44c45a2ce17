/* SPDX-License-Identifier: MIT */
/* The /sys and /proc of a simulated machine. */
#include "sim/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 8 * 1024 * 1024, TICKS = 100 /* per second of /proc/stat */ };

#define CPU_DIR "sys/devices/system/cpu"

struct writer {
    const struct am_sim_layout *layout;
    int root;
    struct am_text text;
    bool broken;
    int error; /* errno of the first failure */
};

static void break_off(struct writer *w)
{
    if (!w->broken)
        w->error = errno;
    w->broken = true;
}

/* Makes the folders above `path`. */
static void make_folders(struct writer *w, const char *path)
{
    char part[256];

    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const size_t len = (size_t)(slash - path);

        if (len >= sizeof(part))
            return;
        memcpy(part, path, len);
        part[len] = '\0';
        if (mkdirat(w->root, part, 0755) != 0 && errno != EEXIST)
            break_off(w);
    }
}

/* Writes the text at hand, and a newline, as the file `path`. */
static void put_text(struct writer *w, const char *path)
{
    int fd = openat(w->root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 && errno == ENOENT) {
        make_folders(w, path);
        fd = openat(w->root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    }
    am_text_add(&w->text, "\n");
    if (fd < 0 || w->text.overflow ||
        write(fd, am_text_str(&w->text), w->text.len) != (ssize_t)w->text.len)
        break_off(w);
    if (fd >= 0)
        (void)close(fd);
    am_text_clear(&w->text);
}

static void put(struct writer *w, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct writer *w, const char *path, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    am_text_vaddf(&w->text, fmt, ap);
    va_end(ap);
    put_text(w, path);
}

/* Whether `b` belongs into the mask of `a` for one purpose. */
typedef bool alike_fn(const struct am_sim_cpu *a, const struct am_sim_cpu *b, const void *of);

static bool same_core(const struct am_sim_cpu *a, const struct am_sim_cpu *b, const void *of)
{
    (void)of;
    return a->core == b->core;
}

/* What a system says that does not know which threads share a core. */
static bool same_thread(const struct am_sim_cpu *a, const struct am_sim_cpu *b, const void *of)
{
    (void)of;
    return a == b;
}

static bool same_package(const struct am_sim_cpu *a, const struct am_sim_cpu *b, const void *of)
{
    (void)of;
    return a->package == b->package;
}

static bool same_node(const struct am_sim_cpu *a, const struct am_sim_cpu *b, const void *of)
{
    (void)of;
    return a->node == b->node;
}

static bool same_instance(const struct am_sim_cpu *a, const struct am_sim_cpu *b, const void *of)
{
    return am_sim_cache_serves(of, b) &&
           am_sim_cache_instance(of, a) == am_sim_cache_instance(of, b);
}

/* A mask as the kernel writes it: words of 32 CPUs, the highest first. */
static void put_mask(struct writer *w, const char *path, const struct am_sim_cpu *a,
                     alike_fn *alike, const void *of)
{
    const struct am_sim_layout *const l = w->layout;

    for (unsigned word = (l->n + 31) / 32; word-- > 0;) {
        uint32_t bits = 0;

        for (unsigned i = 0; i < 32 && word * 32 + i < l->n; i++)
            bits |= (uint32_t)alike(a, &l->cpus[word * 32 + i], of) << i;
        am_text_addf(&w->text, "%s%08x", w->text.len ? "," : "", bits);
    }
    put_text(w, path);
}

static void write_cache(struct writer *w, unsigned cpu, unsigned index,
                        const struct am_sim_cache *c)
{
    const uint64_t stated = c->stated ? c->stated : c->size;
    char path[128];
    const int n = snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cache/index%u/", cpu, index);
    char *const leaf = path + n;
    const size_t room = sizeof(path) - (size_t)n;

    (void)am_str_copy(leaf, room, "level");
    put(w, path, "%llu", (unsigned long long)c->level);
    (void)am_str_copy(leaf, room, "type");
    put(w, path, "%s", c->level == 1 ? "Data" : "Unified");
    (void)am_str_copy(leaf, room, "size");
    put(w, path, "%lluK", (unsigned long long)(stated / 1024));
    (void)am_str_copy(leaf, room, "coherency_line_size");
    put(w, path, "%llu", (unsigned long long)c->line);
    (void)am_str_copy(leaf, room, "ways_of_associativity");
    put(w, path, "%llu", (unsigned long long)c->ways);
    (void)am_str_copy(leaf, room, "shared_cpu_map");
    put_mask(w, path, &w->layout->cpus[cpu], same_instance, c);
}

static void write_frequency(struct writer *w, unsigned cpu)
{
    const struct am_sim_cpu *const c = &w->layout->cpus[cpu];
    const char *const governor = w->layout->machine->system.governor;
    char path[128];
    const int n = snprintf(path, sizeof(path), CPU_DIR "/cpufreq/policy%u/", cpu);
    char *const leaf = path + n;
    const size_t room = sizeof(path) - (size_t)n;
    const double khz = 1e6 * (c->kind->stated_ghz > 0 ? c->kind->stated_ghz : c->kind->one_ghz);

    (void)am_str_copy(leaf, room, "scaling_driver");
    put(w, path, "simulated");
    (void)am_str_copy(leaf, room, "scaling_governor");
    put(w, path, "%s", governor);
    (void)am_str_copy(leaf, room, "scaling_max_freq");
    put(w, path, "%.0f", khz);
    (void)am_str_copy(leaf, room, "cpuinfo_max_freq");
    put(w, path, "%.0f", khz);
    (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpufreq/cpuinfo_max_freq", cpu);
    put(w, path, "%.0f", khz);
}

static void write_cpu(struct writer *w, unsigned cpu)
{
    const struct am_sim_machine *const m = w->layout->machine;
    const struct am_sim_cpu *const c = &w->layout->cpus[cpu];
    char path[128];
    unsigned index = 0;

    (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/online", cpu);
    put(w, path, "1");
    (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/topology/core_id", cpu);
    put(w, path, "%u", m->system.siblings ? c->core % (unsigned)am_sim_core_count(m) : cpu);
    (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/topology/physical_package_id", cpu);
    put(w, path, "%u", c->package);
    (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/topology/thread_siblings", cpu);
    put_mask(w, path, c, m->system.siblings ? same_core : same_thread, NULL);
    (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/topology/core_siblings", cpu);
    put_mask(w, path, c, same_package, NULL);
    for (size_t i = 0; i < m->n_caches; i++) {
        if (am_sim_cache_serves(&m->caches[i], c) && !m->caches[i].hidden)
            write_cache(w, cpu, index++, &m->caches[i]);
    }
    if (m->system.governor)
        write_frequency(w, cpu);
    if (c->kind->capacity) {
        (void)snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpu_capacity", cpu);
        put(w, path, "%llu", (unsigned long long)c->kind->capacity);
    }
}

/* Kinds of core as Intel's kernels list them: one folder per kind's event counters. */
static void write_kinds(struct writer *w)
{
    static const char *const folders[] = {"sys/devices/cpu_core/cpus", "sys/devices/cpu_atom/cpus",
                                          "sys/devices/cpu_lowpower/cpus"};
    const struct am_sim_machine *const m = w->layout->machine;

    if (m->n_kinds < 2 || m->kinds[0].capacity)
        return;
    for (size_t k = 0; k < m->n_kinds && k < sizeof(folders) / sizeof(folders[0]); k++) {
        for (unsigned i = 0; i < w->layout->n; i++) {
            if (w->layout->cpus[i].kind == &m->kinds[k])
                am_text_addf(&w->text, "%s%u", w->text.len ? "," : "", i);
        }
        put_text(w, folders[k]);
    }
}

static void write_cpuinfo(struct writer *w)
{
    const struct am_sim_machine *const m = w->layout->machine;
    const bool x86 = strcmp(m->arch, "x86_64") == 0, arm = strcmp(m->arch, "aarch64") == 0;

    for (unsigned i = 0; i < w->layout->n; i++) {
        am_text_addf(&w->text, "processor\t: %u\n", i);
        if (x86)
            am_text_addf(&w->text,
                         "vendor_id\t: %s\ncpu family\t: %llu\nmodel\t\t: %llu\nmodel name\t: %s\n"
                         "stepping\t: %llu\nflags\t\t: %s%s\n\n",
                         m->vendor, (unsigned long long)m->family,
                         (unsigned long long)m->model_number, m->model,
                         (unsigned long long)m->stepping, m->features,
                         m->system.hypervisor ? " hypervisor" : "");
        else if (arm)
            am_text_addf(&w->text,
                         "BogoMIPS\t: 50.00\nFeatures\t: %s\nCPU implementer\t: %s\n"
                         "CPU architecture: 8\nCPU variant\t: 0x%llx\nCPU part\t: 0x%llx\n"
                         "CPU revision\t: %llu\n\n",
                         m->features, m->vendor, (unsigned long long)m->family,
                         (unsigned long long)m->model_number, (unsigned long long)m->stepping);
        else
            am_text_addf(&w->text, "cpu\t\t: %s\nrevision\t: %llu\n\n", m->model,
                         (unsigned long long)m->stepping);
    }
    put_text(w, "proc/cpuinfo");
    if (!x86)
        put(w, "proc/device-tree/model", "%s", m->model);
}

static void write_distances(struct writer *w, unsigned node, unsigned nodes)
{
    const struct am_sim_memory *const y = &w->layout->machine->memory;
    char path[96];

    for (unsigned other = 0; other < nodes; other++) {
        const bool far = other / y->nodes != node / y->nodes;
        const double added = other == node ? 0 : far ? y->far_ns : y->near_ns;

        am_text_addf(&w->text, "%s%.0f", other ? " " : "",
                     other == node ? 10 : 10 + 10 * added / y->latency_ns + 1);
    }
    (void)snprintf(path, sizeof(path), "sys/devices/system/node/node%u/distance", node);
    put_text(w, path);
}

static void write_memory(struct writer *w)
{
    const struct am_sim_machine *const m = w->layout->machine;
    const unsigned nodes = (unsigned)(m->memory.nodes * m->packages);
    const unsigned long long kib = m->memory.size / 1024, free_kib = kib / 10 * 9;
    char path[96];

    put(w, "proc/meminfo",
        "MemTotal:       %llu kB\nMemFree:        %llu kB\nMemAvailable:   %llu kB\n"
        "SwapTotal:      0 kB\nSwapFree:       0 kB\nHugePages_Total:       0\n"
        "Hugepagesize:       %llu kB",
        kib * nodes, free_kib * nodes, free_kib * nodes, (unsigned long long)m->memory.huge / 1024);
    for (unsigned node = 0; node < nodes; node++) {
        const struct am_sim_cpu any = {.node = node};

        (void)snprintf(path, sizeof(path), "sys/devices/system/node/node%u/cpumap", node);
        put_mask(w, path, &any, same_node, NULL);
        (void)snprintf(path, sizeof(path), "sys/devices/system/node/node%u/meminfo", node);
        put(w, path, "Node %u MemTotal:       %llu kB\nNode %u MemFree:        %llu kB", node, kib,
            node, free_kib);
        write_distances(w, node, nodes);
    }
    put(w, "sys/devices/system/node/online", nodes == 1 ? "0" : "0-%u", nodes - 1);
    put(w, "sys/kernel/mm/transparent_hugepage/enabled", "%s",
        m->memory.thp ? "[always] madvise never" : "always [madvise] never");
}

/* The firmware's table of memory modules (SMBIOS, type 17), one per channel. */
static void write_modules(struct writer *w)
{
    enum {
        TYPE = 17,
        BYTES = 0x22,
        WIDTH = 0x0a,
        SIZE = 0x0c,
        NAME = 0x10,
        RATE = 0x20,
        BITS = 64
    };
    const struct am_sim_memory *const y = &w->layout->machine->memory;

    for (uint64_t i = 0; y->stated_mts && i < y->stated_channels; i++) {
        const char module[BYTES] = {
            [0] = TYPE,
            [1] = BYTES,
            [WIDTH] = BITS,
            [SIZE + 1] = 0x40, /* 16 GiB in MiB */
            [NAME] = 1,        /* its first string */
            [RATE] = (char)(unsigned char)(y->stated_mts & 0xff),
            [RATE + 1] = (char)(unsigned char)(y->stated_mts >> 8),
        };

        am_text_addn(&w->text, module, sizeof(module));
        am_text_addf(&w->text, "Channel %llu", (unsigned long long)i);
        am_text_addn(&w->text, "\0\0", 2);
    }
    if (w->text.len)
        put_text(w, "sys/firmware/dmi/tables/DMI");
}

static void write_kernel(struct writer *w)
{
    static const struct {
        const char *path, *text;
    } files[] = {
        {"proc/mounts", "proc /proc proc rw 0 0"},
        {"proc/self/cgroup", "0::/"},
        {"proc/self/status", "CapEff:\t0000000000000000"},
        {"proc/sys/kernel/osrelease", "6.1.0-simulated"},
        {"proc/sys/kernel/version", "simulated"},
        {"proc/sys/kernel/hostname", "simulated"},
        {"proc/sys/kernel/randomize_va_space", "2"},
        {"proc/sys/kernel/perf_event_paranoid", "2"},
        {"proc/sys/kernel/nmi_watchdog", "0"},
        {"proc/sys/kernel/numa_balancing", "0"},
        {"proc/sys/vm/zone_reclaim_mode", "0"},
        {"proc/cmdline", "ro"},
        {"proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"},
        {"proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"},
        {CPU_DIR "/isolated", ""},
    };
    const struct am_sim_machine *const m = w->layout->machine;

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        put(w, files[i].path, "%s", files[i].text);
    put(w, CPU_DIR "/online", "0-%u", w->layout->n - 1);
    put(w, CPU_DIR "/present", "0-%u", w->layout->n - 1);
    put(w, CPU_DIR "/possible", "0-%u", w->layout->n - 1);
    put(w, "sys/devices/system/clocksource/clocksource0/current_clocksource", "%s",
        strcmp(m->arch, "x86_64") == 0 ? "tsc" : "arch_sys_counter");
    put(w, "sys/class/dmi/id/sys_vendor", "%s",
        m->system.hypervisor ? m->system.hypervisor : "Simulated");
    put(w, "sys/class/dmi/id/product_name", "%s", m->name);
}

/* Of all CPUs together: nobody reads the lines of single ones, and this is written after every
 * launch. Our own CPU time is that of children which have ended. */
static void write_ticks(struct writer *w, const struct am_sim_totals *t)
{
    const double n = w->layout->n, all = t->now_s * n, busy = t->busy_s + t->other_s;
    const double idle = all > busy + t->steal_s ? all - busy - t->steal_s : 0;

    put(w, "proc/stat", "cpu  %.0f 0 500 %.0f 10 0 20 %.0f 0 0", 1000 + busy * TICKS,
        90000 + idle * TICKS, t->steal_s * TICKS);
    put(w, "proc/self/stat", "4711 (archmeter) S 1 1 1 0 -1 0 0 0 0 0 5 5 %.0f 0 20 0 1 0 1",
        t->busy_s * TICKS);
}

static void write_totals(struct writer *w, const struct am_sim_totals *t)
{
    const struct am_sim_machine *const m = w->layout->machine;
    const bool inside = t->visited && m->neighbour.switches;
    const double threads = fmax(floor(m->system.load), inside ? ceil(am_sim_neighbour_cpus(m)) : 0);
    const double load = m->system.load + (inside ? threads : 0);

    write_ticks(w, t);
    put(w, "proc/loadavg", "%.2f %.2f %.2f %.0f/320 4711", load, load, m->system.load, 1 + threads);
    put(w, "proc/pressure/cpu", "some avg10=%.2f avg60=%.2f avg300=%.2f total=%.0f",
        m->system.pressure + (inside ? 30 : 0), m->system.pressure, m->system.pressure,
        100 + t->other_s * 1e6);
}

static enum am_status open_writer(struct writer *w, const struct am_sim_layout *l,
                                  const char *folder, struct am_err *err)
{
    *w = (struct writer){.layout = l, .root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    am_text_init(&w->text, TEXT_MAX);
    return w->root >= 0 ? AM_OK : am_fail(err, AM_E_SYS, "folder \"%s\" of a machine", folder);
}

static enum am_status close_writer(struct writer *w, struct am_err *err)
{
    am_text_fini(&w->text);
    if (w->root >= 0)
        (void)close(w->root);
    errno = w->error;
    return w->broken ? am_fail(err, AM_E_SYS, "writing the files of a simulated machine") : AM_OK;
}

enum am_status am_sim_tree_write(const struct am_sim_layout *l, const char *folder,
                                 struct am_err *err)
{
    const struct am_sim_totals none = {0};
    struct writer w;
    const enum am_status s = open_writer(&w, l, folder, err);

    if (s != AM_OK)
        return s;
    for (unsigned cpu = 0; cpu < l->n && !w.broken; cpu++)
        write_cpu(&w, cpu);
    write_kinds(&w);
    write_cpuinfo(&w);
    write_memory(&w);
    write_modules(&w);
    write_kernel(&w);
    write_totals(&w, &none);
    return close_writer(&w, err);
}

enum am_status am_sim_tree_update(const struct am_sim_layout *l, const char *folder,
                                  const struct am_sim_totals *totals, struct am_err *err)
{
    struct writer w;
    const enum am_status s = open_writer(&w, l, folder, err);

    if (s != AM_OK)
        return s;
    write_totals(&w, totals);
    return close_writer(&w, err);
}
