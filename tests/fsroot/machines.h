/* SPDX-License-Identifier: MIT */
/* Machines as their kernels show them, cut down to the files that archmeter and hwloc read. */
#ifndef AM_TESTS_FSROOT_MACHINES_H
#define AM_TESTS_FSROOT_MACHINES_H

#include "fsroot/tree.h"

#include <stdint.h>

/* Up to 64 CPUs, numbered as Linux does on most machines: first threads of all cores first. */
struct machine {
    unsigned packages, cores, smt; /* cores of a package, threads of a core */
    unsigned l1_kib, l2_kib, l3_kib;
    unsigned mem_mib;    /* of a node; one node a package */
    uint64_t offline;    /* mask */
    const char *cpuinfo; /* the fields of one processor that say what it is */
    const char *noise;   /* fields that change from boot to boot */
    const char *flags;   /* NULL: an architecture without this field */
};

#define MACHINE_XEON                                                                               \
    "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"                                 \
    "model name\t: Intel(R) Xeon(R) Gold 6346 CPU @ 3.10GHz\nstepping\t: 6\n"
#define MACHINE_RYZEN                                                                              \
    "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 80\n"                                 \
    "model name\t: AMD Ryzen 7 5800U with Radeon Graphics\nstepping\t: 0\n"
#define MACHINE_CORTEX                                                                             \
    "BogoMIPS\t: 50.00\nFeatures\t: fp asimd evtstrm aes\nCPU implementer\t: 0x41\n"               \
    "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd03\nCPU revision\t: 4\n"

static inline unsigned machine_count(const struct machine *m)
{
    return m->packages * m->cores * m->smt;
}

static inline unsigned machine_core(const struct machine *m, unsigned cpu)
{
    return cpu % (m->packages * m->cores);
}

static inline unsigned machine_package(const struct machine *m, unsigned cpu)
{
    return machine_core(m, cpu) / m->cores;
}

/* Writes the mask of online CPUs that share a core (`by_core`) or a package with `cpu`. */
static inline void machine_mask(struct tree *t, const char *path, const struct machine *m,
                                unsigned cpu, bool by_core)
{
    uint64_t mask = 0;

    for (unsigned c = 0; c < machine_count(m); c++) {
        const bool same = by_core ? machine_core(m, c) == machine_core(m, cpu)
                                  : machine_package(m, c) == machine_package(m, cpu);

        if (same && !(m->offline >> c & 1))
            mask |= (uint64_t)1 << c;
    }
    tree_put(t, path, "%08x,%08x", (unsigned)(mask >> 32), (unsigned)mask);
}

static inline void machine_cache(struct tree *t, const struct machine *m, unsigned cpu,
                                 unsigned index, unsigned level, unsigned kib)
{
    char dir[128], path[192];

    if (kib == 0)
        return;
    (void)snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpu%u/cache/index%u", cpu, index);
    (void)snprintf(path, sizeof(path), "%s/level", dir);
    tree_put(t, path, "%u", level);
    (void)snprintf(path, sizeof(path), "%s/type", dir);
    tree_put(t, path, level == 1 ? "Data" : "Unified");
    (void)snprintf(path, sizeof(path), "%s/size", dir);
    tree_put(t, path, "%uK", kib);
    (void)snprintf(path, sizeof(path), "%s/coherency_line_size", dir);
    tree_put(t, path, "64");
    (void)snprintf(path, sizeof(path), "%s/shared_cpu_map", dir);
    machine_mask(t, path, m, cpu, level < 3);
}

static inline void machine_cpu(struct tree *t, const struct machine *m, unsigned cpu)
{
    char dir[96], path[192];

    (void)snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpu%u", cpu);
    tree_dir(t, dir);
    (void)snprintf(path, sizeof(path), "%s/online", dir);
    tree_put(t, path, "%d", !(m->offline >> cpu & 1));
    if (m->offline >> cpu & 1)
        return;
    (void)snprintf(path, sizeof(path), "%s/topology/core_id", dir);
    tree_put(t, path, "%u", machine_core(m, cpu) % m->cores);
    (void)snprintf(path, sizeof(path), "%s/topology/physical_package_id", dir);
    tree_put(t, path, "%u", machine_package(m, cpu));
    (void)snprintf(path, sizeof(path), "%s/topology/thread_siblings", dir);
    machine_mask(t, path, m, cpu, true);
    (void)snprintf(path, sizeof(path), "%s/topology/core_siblings", dir);
    machine_mask(t, path, m, cpu, false);
    machine_cache(t, m, cpu, 0, 1, m->l1_kib);
    machine_cache(t, m, cpu, 2, 2, m->l2_kib);
    machine_cache(t, m, cpu, 3, 3, m->l3_kib);
}

static inline void machine_cpuinfo(struct tree *t, const struct machine *m)
{
    static char text[1 << 16];
    size_t n = 0;

    for (unsigned cpu = 0; cpu < machine_count(m); cpu++) {
        if (m->offline >> cpu & 1)
            continue;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "processor\t: %u\n%s%s", cpu, m->cpuinfo,
                              m->noise ? m->noise : "");
        if (m->flags)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "flags\t\t: fpu tsc sse2 avx2%s\n",
                                  m->flags);
        n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
    }
    tree_put(t, "proc/cpuinfo", "%s", text);
}

/* "0-3,5": the CPUs that are online. */
static inline void machine_online(struct tree *t, const struct machine *m)
{
    char list[256] = "";
    size_t n = 0;

    for (unsigned c = 0; c < machine_count(m); c++) {
        if (!(m->offline >> c & 1))
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%u", n ? "," : "", c);
    }
    tree_put(t, "sys/devices/system/cpu/online", "%s", list);
    tree_put(t, "sys/devices/system/cpu/present", "0-%u", machine_count(m) - 1);
    tree_put(t, "sys/devices/system/cpu/possible", "0-%u", machine_count(m) - 1);
}

static inline void machine_memory(struct tree *t, const struct machine *m, unsigned available_mib)
{
    const unsigned total_kib = m->mem_mib * 1024 * m->packages;

    tree_put(t, "proc/meminfo",
             "MemTotal:       %u kB\nMemFree:        %u kB\nMemAvailable:   %u kB\n"
             "SwapTotal:      0 kB\nSwapFree:       0 kB\nHugePages_Total:       0\n"
             "Hugepagesize:       2048 kB",
             total_kib, available_mib * 1024, available_mib * 1024);
    for (unsigned node = 0; node < m->packages; node++) {
        char path[128];

        (void)snprintf(path, sizeof(path), "sys/devices/system/node/node%u/cpumap", node);
        machine_mask(t, path, m, node * m->cores, false);
        (void)snprintf(path, sizeof(path), "sys/devices/system/node/node%u/meminfo", node);
        tree_put(t, path, "Node %u MemTotal:       %u kB\nNode %u MemFree:        %u kB", node,
                 m->mem_mib * 1024, node, available_mib * 1024 / m->packages);
        (void)snprintf(path, sizeof(path), "sys/devices/system/node/node%u/distance", node);
        tree_put(t, path, m->packages == 1 ? "10" : (node ? "20 10" : "10 20"));
    }
    tree_put(t, "sys/devices/system/node/online", m->packages == 1 ? "0" : "0-%u", m->packages - 1);
}

/* What every Linux shows: a quiet machine with sensible settings. */
static inline void machine_kernel(struct tree *t)
{
    tree_put(t, "proc/loadavg", "0.02 0.05 0.00 1/320 4711");
    tree_put(t, "proc/stat",
             "cpu  1000 0 500 90000 10 0 20 0 0 0\ncpu0 1000 0 500 90000 10 0 20 0 0 0");
    tree_put(t, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=100");
    tree_put(t, "proc/mounts", "proc /proc proc rw 0 0");
    tree_put(t, "proc/self/cgroup", "0::/");
    tree_put(t, "proc/self/status", "CapEff:\t0000000000000000");
    tree_put(t, "proc/sys/kernel/osrelease", "6.1.0-18");
    tree_put(t, "proc/sys/kernel/hostname", "fixture");
    tree_put(t, "proc/sys/kernel/randomize_va_space", "2");
    tree_put(t, "proc/sys/kernel/perf_event_paranoid", "2");
    tree_put(t, "proc/sys/kernel/nmi_watchdog", "0");
    tree_put(t, "proc/sys/kernel/numa_balancing", "0");
    tree_put(t, "proc/sys/vm/zone_reclaim_mode", "0");
    tree_put(t, "proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=1234 ro mitigations=auto secret=1");
    tree_put(t, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
    tree_put(t, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
    tree_put(t, "sys/devices/system/cpu/isolated", "%s", "");
    tree_put(t, "sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines");
    tree_put(t, "sys/devices/system/cpu/vulnerabilities/mds", "Not affected");
}

static inline void machine_write(struct tree *t, const struct machine *m, unsigned available_mib)
{
    for (unsigned cpu = 0; cpu < machine_count(m); cpu++)
        machine_cpu(t, m, cpu);
    machine_online(t, m);
    machine_cpuinfo(t, m);
    machine_memory(t, m, available_mib);
    machine_kernel(t);
}

static inline void machine_policy(struct tree *t, unsigned i, const char *leaf, const char *value)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/policy%u/%s", i, leaf);
    tree_put(t, path, "%s", value);
}

static inline void machine_policies(struct tree *t, unsigned n, const char *driver,
                                    const char *governor, const char *preference)
{
    for (unsigned i = 0; i < n; i++) {
        machine_policy(t, i, "scaling_driver", driver);
        machine_policy(t, i, "scaling_governor", governor);
        machine_policy(t, i, "scaling_max_freq", "3600000");
        machine_policy(t, i, "cpuinfo_max_freq", "3600000");
        if (preference)
            machine_policy(t, i, "energy_performance_preference", preference);
    }
}

static inline void machine_zone(struct tree *t, const char *zone, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "sys/class/powercap/%s/name", zone);
    tree_put(t, path, "%s", name);
    (void)snprintf(path, sizeof(path), "sys/class/powercap/%s/energy_uj", zone);
    tree_put(t, path, "123456789");
}

/* On battery, powersave governor, throttled by heat, mouse with a battery of its own. */
static inline void machine_laptop(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 4,
                              .smt = 2,
                              .l1_kib = 32,
                              .l2_kib = 512,
                              .l3_kib = 16384,
                              .mem_mib = 15200,
                              .cpuinfo = MACHINE_RYZEN,
                              .noise = "cpu MHz\t\t: 1397.2\nbogomips\t: 3793.1\n",
                              .flags = ""};

    machine_write(t, &m, 9000);
    machine_policies(t, 8, "amd-pstate-epp", "powersave", "balance_power");
    machine_policy(t, 3, "scaling_max_freq", "2000000");
    tree_put(t, "sys/devices/system/cpu/cpufreq/boost", "1");
    tree_put(t, "sys/devices/system/cpu/smt/control", "on");
    tree_put(t, "sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "7");
    tree_put(t, "sys/class/power_supply/AC/type", "Mains");
    tree_put(t, "sys/class/power_supply/AC/online", "0");
    tree_put(t, "sys/class/power_supply/BAT0/type", "Battery");
    tree_put(t, "sys/class/power_supply/BAT0/status", "Discharging");
    tree_put(t, "sys/class/power_supply/mouse/type", "Battery");
    tree_put(t, "sys/class/power_supply/mouse/scope", "Device");
    tree_put(t, "sys/class/power_supply/mouse/status", "Discharging");
    tree_put(t, "sys/class/dmi/id/sys_vendor", "LENOVO");
    tree_put(t, "proc/loadavg", "3.10 1.05 0.40 5/900 4711");
    tree_put(t, "proc/pressure/cpu", "some avg10=12.50 avg60=1.00 avg300=0.00 total=100");
    tree_put(t, "proc/sys/kernel/perf_event_paranoid", "4");
}

/* Two sockets, everything a server's defaults do wrong for measuring; energy counters shown. */
static inline void machine_server(struct tree *t)
{
    const struct machine m = {.packages = 2,
                              .cores = 4,
                              .smt = 2,
                              .l1_kib = 48,
                              .l2_kib = 1280,
                              .l3_kib = 36864,
                              .mem_mib = 192000,
                              .cpuinfo = MACHINE_XEON,
                              .noise = "cpu MHz\t\t: 800.0\nbogomips\t: 6200.0\n",
                              .flags = ""};

    machine_write(t, &m, 300000);
    machine_policies(t, 16, "intel_pstate", "performance", "performance");
    tree_put(t, "sys/devices/system/cpu/intel_pstate/no_turbo", "0");
    tree_put(t, "sys/devices/system/cpu/smt/control", "on");
    tree_put(t, "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0");
    tree_put(t, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
    tree_put(t, "proc/sys/kernel/numa_balancing", "1");
    tree_put(t, "proc/sys/kernel/nmi_watchdog", "1");
    tree_put(t, "proc/sys/vm/zone_reclaim_mode", "1");
    tree_put(t, "sys/devices/system/node/node1/meminfo",
             "Node 1 MemTotal:       196608000 kB\nNode 1 MemFree:        2000000 kB");
    tree_dir(t, "sys/class/power_supply");
    machine_zone(t, "intel-rapl:0", "package-0");
    machine_zone(t, "intel-rapl:1", "package-1");
    machine_zone(t, "intel-rapl-mmio:0", "package-0");
    tree_put(t, "sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "120000000");
    tree_put(t, "sys/class/powercap/intel-rapl:0/constraint_0_max_power_uw", "205000000");
    tree_put(t, "sys/bus/event_source/devices/power/events/energy-pkg", "event=0x02");
    tree_put(t, "sys/bus/event_source/devices/power/events/energy-pkg.unit", "Joules");
    tree_put(t, "sys/devices/system/cpu/isolated", "2-3");
    tree_put(t, "dev/nvidiactl", "%s", "");
    tree_put(t, "sys/module/nvidia/version", "535.161.08");
    tree_put(t, "sys/class/hwmon/hwmon0/name", "coretemp");
    tree_put(t, "sys/class/hwmon/hwmon1/name", "power_meter");
    tree_put(t, "sys/class/hwmon/hwmon1/power1_average", "210000000");
}

/* A guest without cpufreq, thermal files or firmware strings; the host takes time away. */
static inline void machine_vm(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 4,
                              .smt = 1,
                              .l1_kib = 32,
                              .l2_kib = 1024,
                              .l3_kib = 32768,
                              .mem_mib = 16000,
                              .cpuinfo = MACHINE_RYZEN,
                              .flags = " hypervisor"};

    machine_write(t, &m, 14000);
    tree_put(t, "proc/stat", "cpu  1000 0 500 90000 10 0 20 4000 0 0");
    tree_put(t, "sys/devices/system/clocksource/clocksource0/current_clocksource", "acpi_pm");
    tree_put(t, "sys/class/dmi/id/sys_vendor", "QEMU");
}

/* Version 2 control groups: one and a half CPUs of eight, set by the parent group. */
static inline void machine_container(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 8,
                              .smt = 1,
                              .l1_kib = 32,
                              .l2_kib = 1024,
                              .l3_kib = 32768,
                              .mem_mib = 64000,
                              .cpuinfo = MACHINE_XEON,
                              .flags = ""};

    machine_write(t, &m, 8000);
    tree_put(t, ".dockerenv", "%s", "");
    tree_put(t, "proc/mounts", "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0");
    tree_put(t, "proc/self/cgroup", "0::/pod/app");
    tree_put(t, "sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory");
    tree_put(t, "sys/fs/cgroup/pod/cpu.max", "150000 100000");
    tree_put(t, "sys/fs/cgroup/pod/app/cpu.max", "max 100000");
    tree_put(t, "sys/fs/cgroup/pod/app/cpu.stat", "usage_usec 5\nnr_periods 10\nnr_throttled 3");
    tree_put(t, "sys/fs/cgroup/pod/app/cpuset.cpus.effective", "0-3");
    tree_put(t, "sys/fs/cgroup/pod/app/cpuset.mems.effective", "0");
    tree_put(t, "sys/fs/cgroup/pod/app/memory.max", "2147483648");
}

/* Version 1 control groups: a quota of four CPUs for four. */
static inline void machine_container_v1(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 4,
                              .smt = 1,
                              .l1_kib = 32,
                              .l2_kib = 1024,
                              .mem_mib = 64000,
                              .cpuinfo = MACHINE_XEON,
                              .flags = ""};

    machine_write(t, &m, 60000);
    tree_put(
        t, "proc/self/cgroup",
        "4:memory:/kubepods/x\n3:cpuset:/kubepods/x\n2:cpu,cpuacct:/kubepods/x\n1:name=systemd:/");
    tree_put(t, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000");
    tree_put(t, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    tree_put(t, "sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 0\nnr_throttled 0");
    tree_put(t, "sys/fs/cgroup/cpuset/cpuset.cpus", "0-3");
    tree_put(t, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
}

/* Four frugal cores, numbered first to be awkward, and two fast ones; one thread each. */
static inline void machine_hybrid(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 6,
                              .smt = 1,
                              .l1_kib = 48,
                              .l2_kib = 2048,
                              .l3_kib = 24576,
                              .mem_mib = 32000,
                              .cpuinfo = MACHINE_XEON,
                              .flags = ""};

    machine_write(t, &m, 30000);
    for (unsigned cpu = 0; cpu < 6; cpu++) {
        char path[96];

        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq",
                       cpu);
        tree_put(t, path, cpu < 4 ? "3800000" : "5200000");
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/base_frequency",
                       cpu);
        tree_put(t, path, cpu < 4 ? "1800000" : "2500000");
    }
    tree_put(t, "sys/devices/cpu_atom/cpus", "0-3");
    tree_put(t, "sys/devices/cpu_core/cpus", "4-5");
}

/* Half of the threads switched off: CPUs 4 to 7 are the siblings. */
static inline void machine_offline(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 4,
                              .smt = 2,
                              .l1_kib = 32,
                              .l2_kib = 512,
                              .l3_kib = 16384,
                              .mem_mib = 15200,
                              .offline = 0xf0,
                              .cpuinfo = MACHINE_RYZEN,
                              .noise = "cpu MHz\t\t: 2000.0\nbogomips\t: 9999.9\n",
                              .flags = ""};

    machine_write(t, &m, 9000);
    tree_put(t, "proc/sys/kernel/hostname", "another");
}

/* Four small cores, numbered first, and four big ones; no x86 fields. */
static inline void machine_aarch64(struct tree *t)
{
    const struct machine m = {.packages = 1,
                              .cores = 8,
                              .smt = 1,
                              .l1_kib = 32,
                              .l2_kib = 512,
                              .mem_mib = 7900,
                              .cpuinfo = MACHINE_CORTEX};

    machine_write(t, &m, 6000);
    machine_policies(t, 2, "cpufreq-dt", "schedutil", NULL);
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        char path[96];

        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpu_capacity", cpu);
        tree_put(t, path, cpu < 4 ? "446" : "1024");
    }
    tree_put(t, "proc/meminfo",
             "MemTotal: 8089600 kB\nMemAvailable: 6000000 kB\nSwapTotal: 4000000 kB\n"
             "SwapFree: 3000000 kB\nHugePages_Total: 16\nHugepagesize: 2048 kB");
    tree_put(t, "proc/device-tree/model", "Fixture Board rev 1");
    tree_put(t, "sys/devices/system/clocksource/clocksource0/current_clocksource",
             "arch_sys_counter");
}

static const struct {
    const char *name;
    void (*write)(struct tree *t);
} machines[] = {
    {"laptop", machine_laptop},
    {"server", machine_server},
    {"vm", machine_vm},
    {"container", machine_container},
    {"container-v1", machine_container_v1},
    {"hybrid", machine_hybrid},
    {"offline", machine_offline},
    {"aarch64", machine_aarch64},
};

/* Makes the tree of a machine by name; `broken` is set when there is none. */
static inline void machine_open(struct tree *t, const char *name)
{
    tree_open(t);
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (strcmp(machines[i].name, name) == 0) {
            machines[i].write(t);
            return;
        }
    }
    t->broken = true;
}

#endif
