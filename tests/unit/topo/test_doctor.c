/* SPDX-License-Identifier: MIT */
/* doctor on recorded machines, on an empty tree and on this machine; its fixes, run and undone. */
#include "topo/doctor.h"

#include "fsroot/machines.h"
#include "tap.h"
#include "topo/build.h"

#include <linux/magic.h>
#include <spawn.h>
#include <sys/statfs.h>
#include <sys/wait.h>

extern char **environ;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { NOBODY = 65534 };

/* One examination: a tree or this machine, and what was found. */
struct visit {
    struct tree tree;
    struct am_fsroot root;
    struct am_topo *topo;
    struct am_arena arena;
    struct am_findings findings;
};

static void examine(struct visit *v, const char *dir, const char *store_path, double noise_s)
{
    struct am_err err = {0};
    struct am_doctor_request request = {
        .root = &v->root,
        .store_path = store_path,
        .noise_probe_s = noise_s,
    };

    v->arena = (struct am_arena){0};
    v->topo = NULL;
    v->findings = (struct am_findings){0};
    if (am_fsroot_open(&v->root, dir, &err) != AM_OK)
        return;
    (void)am_topo_open(&v->root, &v->topo, &err);
    request.topo = v->topo;
    am_doctor_run(&request, &v->arena, &v->findings);
}

static void leave(struct visit *v)
{
    am_topo_close(v->topo);
    am_arena_fini(&v->arena);
    am_fsroot_close(&v->root);
}

static const struct am_finding *find(const struct visit *v, const char *id)
{
    static const struct am_finding none = {.id = "none", .level = AM_LEVEL_COUNT, .value = ""};

    for (size_t i = 0; i < v->findings.n; i++) {
        if (strcmp(v->findings.items[i].id, id) == 0)
            return &v->findings.items[i];
    }
    return &none;
}

struct expected {
    const char *machine, *id;
    enum am_level level;
    const char *value; /* a part of it; NULL: any */
};

static const struct expected expectations[] = {
    {"laptop", "freq.driver", AM_LEVEL_OK, "amd-pstate-epp"},
    {"laptop", "freq.governor", AM_LEVEL_WARN, "powersave"},
    {"laptop", "freq.preference", AM_LEVEL_WARN, "balance_power"},
    {"laptop", "freq.range", AM_LEVEL_WARN, "mean 3.40 of 3.60"},
    {"laptop", "freq.boost", AM_LEVEL_OK, "on"},
    {"laptop", "freq.measured", AM_LEVEL_UNKNOWN, "synthetic"},
    {"laptop", "throttle.thermal", AM_LEVEL_WARN, "cores 7 times"},
    {"laptop", "throttle.battery", AM_LEVEL_WARN, "on battery"},
    {"laptop", "throttle.power_limit", AM_LEVEL_UNKNOWN, NULL},
    {"laptop", "load.average", AM_LEVEL_WARN, "3.10"},
    {"laptop", "load.pressure", AM_LEVEL_WARN, "12.50"},
    {"laptop", "load.runnable", AM_LEVEL_WARN, "4 other"},
    {"laptop", "load.steal", AM_LEVEL_OK, NULL},
    {"laptop", "limits.quota", AM_LEVEL_UNKNOWN, NULL},
    {"laptop", "limits.affinity", AM_LEVEL_UNKNOWN, "synthetic"},
    {"laptop", "topology.smt", AM_LEVEL_OK, "on; 8 threads on 4 cores"},
    {"laptop", "topology.kinds", AM_LEVEL_OK, NULL},
    {"laptop", "memory.thp", AM_LEVEL_OK, "madvise"},
    {"laptop", "memory.free", AM_LEVEL_OK, NULL},
    {"laptop", "memory.swap", AM_LEVEL_OK, "no swap"},
    {"laptop", "layout.aslr", AM_LEVEL_OK, "2 (full)"},
    {"laptop", "kernel.perf", AM_LEVEL_WARN, "4"},
    {"laptop", "kernel.mitigations", AM_LEVEL_OK, "1 weaknesses mitigated"},
    {"laptop", "kernel.timer", AM_LEVEL_UNKNOWN, "synthetic"},
    {"laptop", "virt.machine", AM_LEVEL_OK, "none"},
    {"laptop", "virt.container", AM_LEVEL_OK, "none"},
    {"laptop", "energy.powercap", AM_LEVEL_UNKNOWN, NULL},
    {"server", "freq.governor", AM_LEVEL_OK, "performance"},
    {"server", "freq.range", AM_LEVEL_OK, NULL},
    {"server", "throttle.thermal", AM_LEVEL_OK, NULL},
    {"server", "throttle.battery", AM_LEVEL_OK, "no battery"},
    {"server", "throttle.power_limit", AM_LEVEL_WARN, "1 of 1"},
    {"server", "load.average", AM_LEVEL_OK, NULL},
    {"server", "topology.packages", AM_LEVEL_OK, "2"},
    {"server", "topology.numa", AM_LEVEL_OK, "2"},
    {"server", "memory.thp", AM_LEVEL_WARN, "always"},
    {"server", "memory.numa_balancing", AM_LEVEL_WARN, "on"},
    {"server", "memory.nodes", AM_LEVEL_WARN, "node1"},
    {"server", "memory.zone_reclaim", AM_LEVEL_WARN, "1"},
    {"server", "kernel.watchdog", AM_LEVEL_WARN, "on"},
    {"server", "kernel.clock_source", AM_LEVEL_OK, "tsc"},
    {"server", "energy.powercap", AM_LEVEL_OK, "same package twice"},
    {"server", "energy.perf", AM_LEVEL_WARN, "energy-pkg"},
    {"server", "energy.msr", AM_LEVEL_UNKNOWN, NULL},
    {"server", "energy.hwmon", AM_LEVEL_OK, "1 sensors (power_meter)"},
    {"server", "energy.nvml", AM_LEVEL_OK, "535.161.08"},
    {"server", "topology.isolated", AM_LEVEL_OK, "isolated 2-3, without tick none"},
    {"vm", "freq.governor", AM_LEVEL_UNKNOWN, NULL},
    {"vm", "energy.nvml", AM_LEVEL_UNKNOWN, NULL},
    {"vm", "freq.boost", AM_LEVEL_UNKNOWN, NULL},
    {"vm", "throttle.thermal", AM_LEVEL_UNKNOWN, NULL},
    {"vm", "throttle.battery", AM_LEVEL_UNKNOWN, NULL},
    {"vm", "load.steal", AM_LEVEL_WARN, "4.19"},
    {"vm", "kernel.clock_source", AM_LEVEL_WARN, "acpi_pm"},
    {"vm", "virt.machine", AM_LEVEL_WARN, "qemu"},
    {"container", "limits.quota", AM_LEVEL_ERROR, "1.5 CPUs of time for 4"},
    {"container", "limits.throttled", AM_LEVEL_WARN, "3 times"},
    {"container", "limits.cpuset", AM_LEVEL_WARN, "0-3: 4 of 8"},
    {"container", "memory.free", AM_LEVEL_WARN, NULL},
    {"container", "virt.container", AM_LEVEL_WARN, "docker"},
    {"container-v1", "limits.quota", AM_LEVEL_OK, "4 CPUs of time for 4"},
    {"container-v1", "limits.throttled", AM_LEVEL_OK, NULL},
    {"container-v1", "limits.cpuset", AM_LEVEL_OK, NULL},
    {"hybrid", "topology.kinds", AM_LEVEL_WARN, "2"},
    {"offline", "limits.offline", AM_LEVEL_WARN, "4 of 8"},
    {"offline", "memory.numa_balancing", AM_LEVEL_OK, "off"},
    {"aarch64", "freq.governor", AM_LEVEL_WARN, "schedutil"},
    {"aarch64", "freq.preference", AM_LEVEL_UNKNOWN, NULL},
    {"aarch64", "memory.swap", AM_LEVEL_WARN, "0.95 GiB of 3.81 GiB"},
    {"aarch64", "memory.hugepages", AM_LEVEL_OK, "16 reserved of 2048 KiB"},
    {"aarch64", "topology.kinds", AM_LEVEL_WARN, "2"},
    {"aarch64", "kernel.clock_source", AM_LEVEL_OK, "arch_sys_counter"},
    {"aarch64", "virt.machine", AM_LEVEL_UNKNOWN, NULL},
};

/* What holds for every finding, on every machine. */
static void check_form(const struct visit *v, const char *machine)
{
    const char *const *ids = am_doctor_ids();
    bool order = true, texts = true;

    for (size_t i = 0; i < v->findings.n; i++) {
        const struct am_finding *f = &v->findings.items[i];
        const bool trouble = f->level == AM_LEVEL_WARN || f->level == AM_LEVEL_ERROR;

        order &= ids[i] && strcmp(ids[i], f->id) == 0;
        texts &= f->area && f->value && *f->value;
        texts &= trouble == (f->effect != NULL) && trouble == (f->remedy != NULL);
    }
    ok(v->findings.n > 0 && ids[v->findings.n] == NULL && order,
       "%s: findings follow the ids in order", machine);
    ok(texts, "%s: effect and remedy stand exactly where there is trouble", machine);
}

/* Expectations are grouped by machine, so that each tree is written once. */
static void test_machines(void)
{
    for (size_t i = 0; i < COUNT(expectations);) {
        const char *machine = expectations[i].machine;
        struct visit v;

        machine_open(&v.tree, machine);
        ok(!v.tree.broken, "the tree of the %s is written", machine);
        examine(&v, v.tree.path, NULL, 1);
        check_form(&v, machine);
        for (; i < COUNT(expectations) && strcmp(expectations[i].machine, machine) == 0; i++) {
            const struct expected *x = &expectations[i];
            const struct am_finding *f = find(&v, x->id);

            ok(f->level == x->level && (!x->value || strstr(f->value, x->value)),
               "%s: %s is %s (%s)", machine, x->id, am_level_name(x->level), f->value);
        }
        leave(&v);
        tree_close(&v.tree);
    }
}

static void test_explanations(void)
{
    const char *const *ids = am_doctor_ids();
    bool explained = true, unique = true;

    for (size_t i = 0; ids[i]; i++) {
        explained &= am_doctor_explain(ids[i]) != NULL;
        for (size_t j = 0; j < i; j++)
            unique &= strcmp(ids[i], ids[j]) != 0;
    }
    ok(explained, "every check has an explanation");
    ok(unique, "no id stands twice");
    ok(am_doctor_explain("no.such") == NULL, "an unknown id has none");
}

/* Nothing in the tree, nothing known: an absent file is never "ok". */
static void test_empty(void)
{
    struct visit v;
    size_t known = 0;

    tree_open(&v.tree);
    examine(&v, v.tree.path, NULL, 1);
    for (size_t i = 0; i < v.findings.n; i++) {
        const struct am_finding *f = &v.findings.items[i];

        if (f->level == AM_LEVEL_UNKNOWN || strcmp(f->area, "Build") == 0)
            continue;
        known++;
        printf("# %s: %s\n", f->id, f->value);
    }
    ok(v.topo == NULL && v.findings.n > 0 && known == 0,
       "on an empty tree everything but the build is unknown");
    leave(&v);
    tree_close(&v.tree);
}

/* Root reads everything, so as root the check is made as nobody. */
static void test_denied(void)
{
    static const char *const files[] = {"sys/class/powercap/intel-rapl:0/energy_uj",
                                        "sys/class/hwmon/hwmon1/power1_average", "dev/nvidiactl"};
    struct visit v;
    const bool root = geteuid() == 0;

    machine_open(&v.tree, "server");
    for (size_t i = 0; i < COUNT(files); i++)
        tree_mode(&v.tree, files[i], root ? 0400 : 0); /* its owner reads nothing either */
    if (root && seteuid(NOBODY) != 0) {
        skip_test("cannot become another user");
    } else {
        examine(&v, v.tree.path, NULL, 0);
        ok(find(&v, "energy.powercap")->level == AM_LEVEL_WARN &&
               strstr(find(&v, "energy.powercap")->value, "1 of 3 zones not readable") != NULL,
           "a counter that may not be read is a warning: %s", find(&v, "energy.powercap")->value);
        ok(find(&v, "energy.powercap")->remedy &&
               strstr(find(&v, "energy.powercap")->remedy, "energy_uj") != NULL,
           "and the remedy names the file");
        ok(find(&v, "energy.hwmon")->level == AM_LEVEL_WARN, "so is a sensor: %s",
           find(&v, "energy.hwmon")->value);
        ok(find(&v, "energy.nvml")->level == AM_LEVEL_WARN, "so is a GPU's device file: %s",
           find(&v, "energy.nvml")->value);
        leave(&v);
        if (root && seteuid(0) != 0)
            ok(false, "the user is put back");
    }
    tree_close(&v.tree);
}

static void test_perf_capability(void)
{
    struct visit v;

    machine_open(&v.tree, "server");
    tree_put(&v.tree, "proc/self/status", "Name:\tx\nCapEff:\t0000004000000000");
    examine(&v, v.tree.path, NULL, 0);
    ok(find(&v, "energy.perf")->level == AM_LEVEL_OK, "CAP_PERFMON opens the energy events");
    leave(&v);
    tree_put(&v.tree, "proc/self/status", "CapEff:\t0000000000000000");
    tree_put(&v.tree, "proc/sys/kernel/perf_event_paranoid", "-1");
    examine(&v, v.tree.path, NULL, 0);
    ok(find(&v, "energy.perf")->level == AM_LEVEL_OK, "so does perf_event_paranoid -1");
    leave(&v);
    tree_close(&v.tree);
}

/* Tests live in memory or on a local disk: the two kinds this tells apart. */
static enum am_level file_system_level(const char *path)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 && fs.f_type == TMPFS_MAGIC ? AM_LEVEL_WARN : AM_LEVEL_OK;
}

static void test_real(void)
{
    struct visit v;
    struct tree store;
    const enum am_level sanitized = am_build_sanitizers() ? AM_LEVEL_ERROR : AM_LEVEL_OK;
    char file[300];

    tree_open(&store);
    (void)snprintf(file, sizeof(file), "%s/run.db", store.path);
    (void)setenv("OMP_NUM_THREADS", "3", 1);
    examine(&v, NULL, file, 0.05);
    ok(find(&v, "store.writable")->level == AM_LEVEL_OK &&
           strcmp(find(&v, "store.writable")->value, store.path) == 0,
       "the file's directory is judged, not the file");
    ok(find(&v, "store.locks")->level == AM_LEVEL_OK, "locks work: %s",
       find(&v, "store.locks")->value);
    ok(find(&v, "store.space")->level != AM_LEVEL_UNKNOWN, "free space is known");
    ok(find(&v, "noise.detour")->level != AM_LEVEL_UNKNOWN, "noise is probed: %s",
       find(&v, "noise.detour")->value);
    ok(find(&v, "kernel.timer")->level != AM_LEVEL_UNKNOWN, "the timer is measured: %s",
       find(&v, "kernel.timer")->value);
    ok(find(&v, "build.environment")->level == AM_LEVEL_WARN &&
           strstr(find(&v, "build.environment")->value, "OMP_NUM_THREADS=3") != NULL,
       "a variable that steers OpenMP is a warning");
    ok(find(&v, "build.sanitizers")->level == sanitized,
       "sanitizers are an error, their absence ok");
    ok(find(&v, "build.optimisation")->level ==
           (am_build_facts()->optimized ? AM_LEVEL_OK : AM_LEVEL_ERROR),
       "a build without optimisation is an error, with it ok");
    is_str(find(&v, "build.assertions")->value, am_build_facts()->assertions ? "on" : "off",
           "assertions are recorded");
    ok(find(&v, "store.filesystem")->level == file_system_level(store.path),
       "a file system that forgets is a warning: %s", find(&v, "store.filesystem")->value);
    leave(&v);
    (void)unsetenv("OMP_NUM_THREADS");

    (void)snprintf(file, sizeof(file), "%s/missing/run.db", store.path);
    examine(&v, NULL, file, 0);
    ok(find(&v, "store.writable")->level == AM_LEVEL_ERROR, "a missing directory is an error");
    ok(find(&v, "noise.detour")->level == AM_LEVEL_UNKNOWN, "without a probe, noise is unknown");
    leave(&v);
    tree_close(&store);
}

/* Writes `script` with every absolute path moved below the tree, and runs it there. */
static bool run_below(struct tree *t, const char *script)
{
    static const char *const roots[] = {" /sys/", " /proc/"};
    char file[300];
    char *const argv[] = {(char[]){"sh"}, file, NULL};
    FILE *f;
    pid_t pid;
    int status = 0;

    (void)snprintf(file, sizeof(file), "%s/fix.sh", t->path);
    f = fopen(file, "w");
    if (!f)
        return false;
    (void)fprintf(f, "set -e\nAM_RESTORE=%s/restore.sh\n", t->path);
    for (const char *at = script; *at; at++) {
        for (size_t i = 0; i < COUNT(roots); i++) {
            if (strncmp(at, roots[i], strlen(roots[i])) == 0)
                (void)fprintf(f, " %s", t->path), at++;
        }
        (void)fputc(*at, f);
    }
    if (fclose(f) != 0 || posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) != 0)
        return false;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void forget(struct tree *t)
{
    char file[300];

    (void)snprintf(file, sizeof(file), "%s/restore.sh", t->path);
    (void)unlink(file);
}

static bool restore(struct tree *t)
{
    char file[300];
    char *const argv[] = {(char[]){"sh"}, file, NULL};
    pid_t pid;
    int status = 0;

    (void)snprintf(file, sizeof(file), "%s/restore.sh", t->path);
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) != 0)
        return false;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_fixes(void)
{
    static const struct {
        const char *machine, *id, *file, *before, *after;
    } cases[] = {
        {"laptop", "freq.governor", "sys/devices/system/cpu/cpufreq/policy5/scaling_governor",
         "powersave", "performance"},
        {"laptop", "freq.preference",
         "sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference", "balance_power",
         "performance"},
        {"laptop", "freq.range", "sys/devices/system/cpu/cpufreq/policy3/scaling_max_freq",
         "2000000", "3600000"},
        {"laptop", "kernel.perf", "proc/sys/kernel/perf_event_paranoid", "4", "2"},
        {"server", "memory.thp", "sys/kernel/mm/transparent_hugepage/enabled", "always", "madvise"},
        {"server", "memory.numa_balancing", "proc/sys/kernel/numa_balancing", "1", "0"},
        {"server", "memory.zone_reclaim", "proc/sys/vm/zone_reclaim_mode", "1", "0"},
        {"server", "kernel.watchdog", "proc/sys/kernel/nmi_watchdog", "1", "0"},
    };

    struct visit v = {.topo = NULL};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool first = i == 0 || strcmp(cases[i - 1].machine, cases[i].machine) != 0;
        const bool last =
            i + 1 == COUNT(cases) || strcmp(cases[i + 1].machine, cases[i].machine) != 0;
        const char *fix;
        char value[64];

        if (first) {
            machine_open(&v.tree, cases[i].machine);
            examine(&v, v.tree.path, NULL, 0);
        }
        fix = am_doctor_fix(find(&v, cases[i].id));
        forget(&v.tree);
        ok(fix && run_below(&v.tree, fix) && run_below(&v.tree, fix), "%s: the fix runs, twice",
           cases[i].id);
        (void)am_fsroot_read(&v.root, cases[i].file, value, sizeof(value));
        is_str(value, cases[i].after, "  it sets the value");
        ok(restore(&v.tree), "  the restore script runs");
        (void)am_fsroot_read(&v.root, cases[i].file, value, sizeof(value));
        is_str(value, cases[i].before, "  and puts the old value back");
        if (last) {
            leave(&v);
            tree_close(&v.tree);
        }
    }
}

static void test_energy_fix(void)
{
    static const char file[] = "sys/class/powercap/intel-rapl:0/energy_uj";
    const struct am_finding denied = {.id = "energy.powercap", .level = AM_LEVEL_WARN};
    const struct am_finding fine = {.id = "energy.powercap", .level = AM_LEVEL_OK};
    struct stat st;
    struct tree t;
    char full[400];

    machine_open(&t, "server");
    tree_mode(&t, file, 0400);
    (void)snprintf(full, sizeof(full), "%s/%s", t.path, file);
    ok(run_below(&t, am_doctor_fix(&denied)) && run_below(&t, am_doctor_fix(&denied)) &&
           stat(full, &st) == 0 && (st.st_mode & 0777) == 0444,
       "energy.powercap: the fix makes the counters readable");
    ok(restore(&t) && stat(full, &st) == 0 && (st.st_mode & 0777) == 0400,
       "  and its restore script takes that back");
    ok(am_doctor_fix(&fine) == NULL, "what is ok has no fix");
    tree_close(&t);
}

int main(void)
{
    is_str(am_level_name(AM_LEVEL_ERROR), "error", "levels have names");
    test_explanations();
    test_machines();
    test_empty();
    test_denied();
    test_perf_capability();
    test_fixes();
    test_energy_fix();
    test_real();
    return tap_done();
}
