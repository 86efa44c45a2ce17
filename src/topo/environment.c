/* SPDX-License-Identifier: MIT */
/* The circumstances of a run, as facts that a reader can compare between two runs. */
#include "topo/topo.h"

#include "base/text.h"
#include "topo/probe.h"

#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

#define CPU "sys/devices/system/cpu/"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Reads one value; false leaves the fact "unknown". */
typedef bool read_fn(const struct am_fsroot *root, const char *path, char *buf, size_t cap);

/* An empty file is an answer: no CPU is isolated. */
static bool read_or_none(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    if (am_probe_line(root, path, buf, cap))
        return true;
    return am_fsroot_exists(root, path) && am_str_copy(buf, cap, "none");
}

static bool read_policies(const struct am_fsroot *root, const char *leaf, char *buf, size_t cap)
{
    struct am_tally tally;

    am_probe_tally(root, CPU "cpufreq", "policy", leaf, &tally);
    am_tally_text(&tally, buf, cap);
    return true;
}

static bool read_os(const struct am_fsroot *root, const char *key, char *buf, size_t cap)
{
    static const char *const paths[] = {"etc/os-release", "usr/lib/os-release"};
    char text[4096];

    for (size_t i = 0; i < COUNT(paths); i++) {
        if (am_fsroot_read(root, paths[i], text, sizeof(text)) > 0)
            return am_probe_field(text, key, buf, cap);
    }
    return false;
}

static bool read_boost(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    (void)path;
    return am_str_copy(buf, cap, am_probe_boost(root));
}

static bool read_virtualisation(const struct am_fsroot *root, const char *path, char *buf,
                                size_t cap)
{
    (void)path;
    am_probe_virtualisation(root, buf, cap);
    return true;
}

static bool read_container(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    (void)path;
    am_probe_container(root, buf, cap);
    return true;
}

static bool read_quota(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    double cpus;

    (void)path;
    if (!am_probe_cpu_quota(root, &cpus))
        return false;
    return cpus > 0 ? am_str_format(buf, cap, "%.3g CPUs", cpus) : am_str_copy(buf, cap, "none");
}

static bool read_cpuset(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    (void)path;
    return am_probe_cpuset(root, buf, cap);
}

static bool read_prefetchers(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    (void)path;
    return am_probe_prefetchers(root, buf, cap);
}

static bool read_meminfo(const struct am_fsroot *root, const char *key, char *buf, size_t cap)
{
    uint64_t bytes;

    return am_probe_meminfo(root, key, &bytes) && am_str_format(buf, cap, "%" PRIu64, bytes);
}

/* Share of all clock ticks since boot that the hypervisor took. */
static bool read_steal(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    struct am_probe_ticks ticks;

    (void)path;
    if (!am_probe_ticks(root, &ticks) || ticks.total == 0)
        return false;
    return am_str_format(buf, cap, "%.4f", (double)ticks.steal / (double)ticks.total);
}

static void add_word(struct am_text *t, const char *word)
{
    am_text_addf(t, "%s%s", t->len ? " " : "", word);
}

/* Kernel parameters that change what is measured; the rest (disks, addresses, tokens of a cloud) is
 * nobody's business. */
static const char *const parameters[] = {
    "mitigations=*", "nosmt*",       "isolcpus=*",     "nohz*",         "rcu_nocbs=*",
    "maxcpus=*",     "nr_cpus=*",    "intel_pstate=*", "amd_pstate=*",  "idle=*",
    "*max_cstate=*", "cpuidle*",     "haltpoll*",      "tsc=*",         "clocksource=*",
    "*hugepage*",    "numa*",        "preempt=*",      "threadirqs",    "nmi_watchdog=*",
    "nowatchdog",    "spectre_v2=*", "spec_*",         "retbleed=*",    "mds=*",
    "l1tf=*",        "nopti",        "pti=*",          "norandmaps",    "mem=*",
    "skew_tick=*",   "cpufreq*",     "processor.*",    "irqaffinity=*", "psi=*",
};

static bool matters(const char *parameter)
{
    for (size_t i = 0; i < COUNT(parameters); i++) {
        if (am_glob_match(parameters[i], parameter))
            return true;
    }
    return false;
}

static bool read_parameters(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    char line[4096];
    struct am_text kept;
    char *word, *rest = line;

    if (!am_probe_line(root, path, line, sizeof(line)))
        return false;
    am_text_init(&kept, cap - 1);
    while ((word = strsep(&rest, " ")) != NULL) {
        if (matters(word))
            add_word(&kept, word);
    }
    (void)am_str_copy(buf, cap, kept.len ? am_text_str(&kept) : "none");
    am_text_fini(&kept);
    return true;
}

struct weakness_walk {
    const struct am_fsroot *root;
    struct am_text mitigated, open;
};

static bool sort_weakness(void *self, const char *name)
{
    struct weakness_walk *w = self;
    char path[AM_PROBE_CAP], text[AM_PROBE_CAP];

    if (!am_str_format(path, sizeof(path), CPU "vulnerabilities/%s", name) ||
        !am_probe_line(w->root, path, text, sizeof(text)))
        return true;
    if (strncmp(text, "Mitigation", 10) == 0)
        add_word(&w->mitigated, name);
    else if (strncmp(text, "Vulnerable", 10) == 0)
        add_word(&w->open, name);
    return true;
}

/* "mitigated: spectre_v1 spectre_v2; open: mds". */
static bool read_mitigations(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    struct weakness_walk w = {.root = root};
    bool found;

    am_text_init(&w.mitigated, AM_PROBE_CAP);
    am_text_init(&w.open, AM_PROBE_CAP);
    found = am_fsroot_list(root, path, sort_weakness, &w);
    if (found)
        (void)am_str_format(buf, cap, "mitigated: %s; open: %s",
                            w.mitigated.len ? am_text_str(&w.mitigated) : "none",
                            w.open.len ? am_text_str(&w.open) : "none");
    am_text_fini(&w.mitigated);
    am_text_fini(&w.open);
    return found;
}

/* `path` is what the reader is given: a file, a field or a directory. */
static const struct {
    const char *key;
    read_fn *read;
    const char *path;
} facts[] = {
    {"os", read_os, "PRETTY_NAME"},
    {"kernel", am_probe_line, "proc/sys/kernel/osrelease"},
    {"kernel_build", am_probe_line, "proc/sys/kernel/version"},
    {"kernel_parameters", read_parameters, "proc/cmdline"},
    {"microcode", am_probe_cpuinfo, "microcode"},
    {"virtualisation", read_virtualisation, NULL},
    {"container", read_container, NULL},
    {"frequency_driver", read_policies, "scaling_driver"},
    {"governor", read_policies, "scaling_governor"},
    {"energy_preference", read_policies, "energy_performance_preference"},
    {"frequency_min_khz", read_policies, "scaling_min_freq"},
    {"frequency_max_khz", read_policies, "scaling_max_freq"},
    {"boost", read_boost, NULL},
    {"hardware_prefetch", read_prefetchers, NULL},
    {"smt", am_probe_line, CPU "smt/control"},
    {"cpus_online", am_probe_line, CPU "online"},
    {"cpus_isolated", read_or_none, CPU "isolated"},
    {"cpus_nohz_full", read_or_none, CPU "nohz_full"},
    {"cpuset", read_cpuset, NULL},
    {"cpu_quota", read_quota, NULL},
    {"thp", am_probe_choice, "sys/kernel/mm/transparent_hugepage/enabled"},
    {"numa_balancing", am_probe_line, "proc/sys/kernel/numa_balancing"},
    {"memory_available_bytes", read_meminfo, "MemAvailable"},
    {"swap_free_bytes", read_meminfo, "SwapFree"},
    {"aslr", am_probe_line, "proc/sys/kernel/randomize_va_space"},
    {"perf_event_paranoid", am_probe_line, "proc/sys/kernel/perf_event_paranoid"},
    {"mitigations", read_mitigations, CPU "vulnerabilities"},
    {"clock_source", am_probe_line,
     "sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"load", am_probe_line, "proc/loadavg"},
    {"steal_share", read_steal, NULL},
    {"nvidia_driver", am_probe_line, "sys/module/nvidia/version"},
};

/* Beginnings of the names of variables that steer a runtime, a library or the loader. */
static const char *const steering[] = {
    "OMP_",  "GOMP_",   "KMP_",           "LIBOMP",     "OPENBLAS_",       "BLIS_",      "MKL_",
    "GOTO_", "POCL_",   "OCL_",           "CUDA_",      "STARPU_",         "HWLOC_",     "PAPI_",
    "FFTW",  "MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD", "LD_LIBRARY_PATH", "ARCHMETER_",
};

/* Ours, made anew for each run and gone with it: it says nothing of where the run took place. */
static const char of_this_run[] = "ARCHMETER_RUN_FOLDER=";

static bool steers(const char *variable)
{
    if (strncmp(variable, of_this_run, strlen(of_this_run)) == 0)
        return false;
    for (size_t i = 0; i < COUNT(steering); i++) {
        if (strncmp(variable, steering[i], strlen(steering[i])) == 0)
            return true;
    }
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In name order: two runs with the same variables give the same facts. */
static void add_variables(struct am_arena *arena, struct am_kvs *out)
{
    size_t all = 0, n = 0;
    const char **found;

    while (environ && environ[all])
        all++;
    found = am_arena_array(arena, all + 1, sizeof(*found));
    for (size_t i = 0; found && i < all; i++) {
        if (steers(environ[i]) && strchr(environ[i], '='))
            found[n++] = environ[i];
    }
    if (n)
        qsort(found, n, sizeof(*found), by_text);
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(found[i], '=');
        const char *key = am_arena_printf(arena, "env.%.*s", (int)(equals - found[i]), found[i]);

        if (key)
            am_kvs_add(out, arena, key, equals + 1);
    }
}

/* CPUs in placement order: what a thread number of a result stands for. */
static void add_cpu_order(const struct am_topo *topo, struct am_arena *arena, struct am_kvs *out)
{
    const size_t n = am_topo_cpu_order(topo, NULL, 0);
    int *cpus = am_arena_array(arena, n + 1, sizeof(*cpus));
    struct am_text text;

    if (!cpus)
        return;
    (void)am_topo_cpu_order(topo, cpus, n);
    am_text_init(&text, 1 << 16);
    for (size_t i = 0; i < n; i++)
        am_text_addf(&text, "%s%d", i ? "," : "", cpus[i]);
    am_kvs_add(out, arena, "cpu_order", am_text_str(&text));
    am_text_fini(&text);
}

void am_environment_capture(const struct am_topo *topo, const struct am_fsroot *root,
                            struct am_arena *arena, struct am_kvs *out)
{
    char hwloc[32];

    for (size_t i = 0; i < COUNT(facts); i++) {
        char value[1024];
        const bool found = facts[i].read(root, facts[i].path, value, sizeof(value));

        am_kvs_add(out, arena, facts[i].key, found ? value : "unknown");
    }
    add_cpu_order(topo, arena, out);
    am_build_describe(arena, out);
    am_topo_library_version(hwloc, sizeof(hwloc));
    am_kvs_add(out, arena, "hwloc_interface", hwloc);
    am_kvs_add(out, arena, "libc", gnu_get_libc_version());
    add_variables(arena, out);
    if (root->synthetic)
        am_kvs_add(out, arena, "synthetic", "yes");
}
