/* SPDX-License-Identifier: MIT */
/* Topology, machine key and environment, on recorded machines and on this one. */
#include "topo/topo.h"

#include "base/text.h"
#include "fsroot/machines.h"
#include "tap.h"
#include "topo/probe.h"

#include <sched.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A machine's tree, opened. */
struct opened {
    struct tree tree;
    struct am_fsroot root;
    struct am_topo *topo;
    struct am_arena arena;
};

static bool enter(struct opened *o)
{
    struct am_err err = {0};

    o->arena = (struct am_arena){0};
    o->topo = NULL;
    if (o->tree.broken || am_fsroot_open(&o->root, o->tree.path, &err) != AM_OK)
        return false;
    return am_topo_open(&o->root, &o->topo, &err) == AM_OK;
}

static bool open_machine(struct opened *o, const char *name)
{
    machine_open(&o->tree, name);
    return enter(o);
}

static void leave(struct opened *o)
{
    am_topo_close(o->topo);
    am_arena_fini(&o->arena);
    am_fsroot_close(&o->root);
    tree_close(&o->tree);
}

static int64_t symbol(const struct am_topo *topo, const char *name)
{
    for (const struct am_symbol *s = am_topo_symbols(topo); s->name; s++) {
        if (strcmp(s->name, name) == 0)
            return s->value;
    }
    return -1;
}

static const char *order_text(struct opened *o)
{
    int cpus[64];
    const size_t n = am_topo_cpu_order(o->topo, cpus, COUNT(cpus));
    static char text[256];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", i ? "," : "", cpus[i]);
    return text;
}

static void test_machines(void)
{
    static const struct {
        const char *name, *order;
        int64_t cpus, cores, packages, l1, l2, l3;
    } cases[] = {
        {"laptop", "0,1,2,3,4,5,6,7", 8, 4, 1, 32 << 10, 512 << 10, 16 << 20},
        {"server", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", 16, 8, 2, 48 << 10, 1280 << 10,
         36 << 20},
        {"vm", "0,1,2,3", 4, 4, 1, 32 << 10, 1 << 20, 32 << 20},
        {"container", "0,1,2,3", 4, 8, 1, 32 << 10, 1 << 20, 32 << 20},
        {"container-v1", "0,1,2,3", 4, 4, 1, 32 << 10, 1 << 20, 1 << 20},
        {"hybrid", "4,5,0,1,2,3", 6, 6, 1, 48 << 10, 2 << 20, 24 << 20},
        {"offline", "0,1,2,3", 4, 4, 1, 32 << 10, 512 << 10, 16 << 20},
        {"aarch64", "4,5,6,7,0,1,2,3", 8, 8, 1, 32 << 10, 512 << 10, 512 << 10},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct opened o;

        if (!ok(open_machine(&o, cases[i].name), "%s: the tree loads", cases[i].name)) {
            leave(&o);
            continue;
        }
        is_str(order_text(&o), cases[i].order, "  CPUs come in placement order");
        ok(symbol(o.topo, "cpus") == cases[i].cpus && symbol(o.topo, "cores") == cases[i].cores &&
               symbol(o.topo, "packages") == cases[i].packages,
           "  %s: CPUs, cores and packages are counted", cases[i].name);
        ok(symbol(o.topo, "l1") == cases[i].l1 && symbol(o.topo, "l2") == cases[i].l2 &&
               symbol(o.topo, "l3") == cases[i].l3,
           "  %s: cache sizes stand, absent levels take the next smaller", cases[i].name);
        leave(&o);
    }
}

/* Interleaved numbering, as on AMD: CPUs 0 and 1 are one core. */
static void test_sibling_order(void)
{
    const struct machine m = {.packages = 1,
                              .cores = 2,
                              .smt = 2,
                              .mem_mib = 4000,
                              .cpuinfo = MACHINE_RYZEN,
                              .flags = ""};
    struct opened o;

    tree_open(&o.tree);
    machine_write(&o.tree, &m, 3000);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        char path[96];

        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/thread_siblings",
                       cpu);
        tree_put(&o.tree, path, cpu < 2 ? "3" : "c");
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
        tree_put(&o.tree, path, "%u", cpu / 2);
    }
    ok(enter(&o), "a tree with siblings numbered side by side loads");
    is_str(o.topo ? order_text(&o) : "", "0,2,1,3", "one thread per core comes first");
    ok(o.topo && symbol(o.topo, "l1") == 32 << 10 && symbol(o.topo, "l2") == 256 << 10 &&
           symbol(o.topo, "l3") == 256 << 10,
       "without any cache file the sizes fall back to 32 KiB and 256 KiB");
    leave(&o);
}

/* A machine without SMT of more CPUs than machines.h can write. */
static void put_many(struct tree *t, unsigned cpus)
{
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        char dir[96], path[160], mask[64] = "";
        size_t n = 0;

        for (unsigned word = (cpus + 31) / 32; word-- > 0;)
            n += (size_t)snprintf(mask + n, sizeof(mask) - n, "%08x%s",
                                  cpu / 32 == word ? 1u << cpu % 32 : 0, word ? "," : "");
        (void)snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpu%u/topology", cpu);
        (void)snprintf(path, sizeof(path), "%s/core_id", dir);
        tree_put(t, path, "%u", cpu);
        (void)snprintf(path, sizeof(path), "%s/physical_package_id", dir);
        tree_put(t, path, "0");
        (void)snprintf(path, sizeof(path), "%s/thread_siblings", dir);
        tree_put(t, path, "%s", mask);
    }
    tree_put(t, "sys/devices/system/cpu/online", "0-%u", cpus - 1);
    tree_put(t, "sys/devices/system/cpu/possible", "0-%u", cpus - 1);
}

static void test_numbers(void)
{
    static const struct {
        const char *name; /* NULL: 130 CPUs */
        int64_t first, last, sampled, last_node;
    } cases[] = {
        {"server", 0, 15, 1, 1},
        {"hybrid", 0, 5, 1, 0},
        {"offline", 0, 3, 1, 0},
        {NULL, 0, 129, 3, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const name = cases[i].name ? cases[i].name : "130 CPUs";
        struct opened o;

        if (cases[i].name) {
            machine_open(&o.tree, cases[i].name);
        } else {
            tree_open(&o.tree);
            put_many(&o.tree, 130);
        }
        ok(enter(&o), "%s: the tree loads", name);
        ok(o.topo && symbol(o.topo, "first") == cases[i].first &&
               symbol(o.topo, "last") == cases[i].last,
           "  CPU numbers run from `first` to `last`");
        ok(o.topo && symbol(o.topo, "sampled") == cases[i].sampled,
           "  `sampled` leaves 64 of them at most: every %lld", (long long)cases[i].sampled);
        ok(o.topo && symbol(o.topo, "last_node") == cases[i].last_node,
           "  node numbers end with `last_node`");
        leave(&o);
    }
}

static void test_memory(void)
{
    struct opened o;

    ok(open_machine(&o, "container"), "the container loads again");
    ok(symbol(o.topo, "memory") == (int64_t)2 << 30,
       "`memory` is what the control group allows: %lld bytes",
       (long long)symbol(o.topo, "memory"));
    ok(am_topo_shape(o.topo)->memory_bytes == (uint64_t)64000 << 20,
       "the machine's memory is not cut by it");
    leave(&o);
    ok(open_machine(&o, "container-v1"), "the version 1 container loads again");
    ok(symbol(o.topo, "memory") == (int64_t)64000 << 20,
       "version 1's number near 2^63 is no limit");
    leave(&o);
}

static void test_order_contract(void)
{
    struct opened o;
    int cpus[4] = {-1, -1, -1, -1};

    ok(open_machine(&o, "vm"), "the virtual machine loads again");
    ok(am_topo_cpu_order(o.topo, cpus, 2) == 2 && cpus[2] == -1, "no more than `cap` are written");
    ok(am_topo_cpu_order(o.topo, NULL, 0) == 4, "without an array their number is told");
    leave(&o);
}

/* The machine key of a laptop after `change`. */
static const char *key_after(void (*change)(struct tree *t))
{
    static char keys[8][32];
    static size_t next;
    char *key = keys[next++ % COUNT(keys)];
    struct am_kvs facts = {0};
    struct opened o;

    machine_open(&o.tree, "laptop");
    change(&o.tree);
    key[0] = '\0';
    if (enter(&o)) {
        am_machine_describe(o.topo, &o.root, &o.arena, &facts);
        (void)snprintf(key, sizeof(keys[0]), "%s", facts.n ? facts.items[0].value : "");
    }
    leave(&o);
    return key;
}

static void change_nothing(struct tree *t)
{
    (void)t;
}

static void rewrite_cpuinfo(struct tree *t, const char *cpuinfo, const char *noise)
{
    const struct machine m = {
        .packages = 1, .cores = 4, .smt = 2, .cpuinfo = cpuinfo, .noise = noise, .flags = ""};

    machine_cpuinfo(t, &m);
}

static void change_boot(struct tree *t)
{
    rewrite_cpuinfo(t, MACHINE_RYZEN, "cpu MHz\t\t: 4123.4\nbogomips\t: 1.0\nmicrocode\t: 0x9\n");
    tree_put(t, "proc/sys/kernel/hostname", "renamed");
    tree_put(t, "sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance");
    tree_put(t, "sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "1000000");
}

static void change_kernel_memory(struct tree *t)
{
    tree_put(t, "proc/meminfo", "MemTotal: %u kB", 15700 * 1024);
}

static void change_model(struct tree *t)
{
    rewrite_cpuinfo(t, MACHINE_XEON, NULL);
}

static void change_memory(struct tree *t)
{
    tree_put(t, "proc/meminfo", "MemTotal: %u kB", 31000 * 1024);
}

static void change_cache(struct tree *t)
{
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        char path[96];

        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index3/size", cpu);
        tree_put(t, path, "32768K");
    }
}

static void change_siblings(struct tree *t)
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
                              .flags = ""};

    machine_write(t, &m, 9000);
}

static void test_key(void)
{
    static const struct {
        void (*change)(struct tree *t);
        bool same;
        const char *what;
    } cases[] = {
        {change_nothing, true, "the same tree"},
        {change_boot, true, "other bogomips, MHz, microcode, host name and frequencies"},
        {change_kernel_memory, true, "another share of memory kept by the kernel"},
        {change_siblings, true, "SMT switched off"},
        {change_model, false, "another processor"},
        {change_memory, false, "twice the memory"},
        {change_cache, false, "a larger cache"},
    };
    char first[32];

    (void)snprintf(first, sizeof(first), "%s", key_after(change_nothing));
    ok(strlen(first) == 16 && strspn(first, "0123456789abcdef") == 16,
       "the key is 16 hexadecimal digits: %s", first);
    for (size_t i = 0; i < COUNT(cases); i++)
        ok((strcmp(key_after(cases[i].change), first) == 0) == cases[i].same, "%s gives %s key",
           cases[i].what, cases[i].same ? "the same" : "another");
}

typedef void describe_fn(const struct am_topo *topo, const struct am_fsroot *root,
                         struct am_arena *arena, struct am_kvs *out);

struct fact {
    const char *machine, *key, *value; /* value NULL: no such fact */
};

/* Facts are grouped by machine, so that each tree is written once. */
static void check_facts(describe_fn *describe, const struct fact *facts, size_t n)
{
    for (size_t i = 0; i < n;) {
        const char *machine = facts[i].machine;
        struct am_kvs found = {0};
        struct opened o;

        if (ok(open_machine(&o, machine), "%s: the tree loads", machine))
            describe(o.topo, &o.root, &o.arena, &found);
        for (; i < n && strcmp(facts[i].machine, machine) == 0; i++) {
            char what[128];

            (void)snprintf(what, sizeof(what), "%s: %s", machine, facts[i].key);
            is_str(am_kvs_get(&found, facts[i].key), facts[i].value, what);
        }
        leave(&o);
    }
}

static void test_machine_facts(void)
{
    static const struct fact facts[] = {
        {"server", "vendor", "GenuineIntel"},
        {"server", "model_name", "Intel(R) Xeon(R) Gold 6346 CPU @ 3.10GHz"},
        {"server", "memory_gib", "384"},
        {"server", "threads", "16"},
        {"server", "synthetic", "yes"},
        {"offline", "threads", "8"},
        {"offline", "memory_gib", "16"},
        {"aarch64", "vendor", "0x41"},
        {"aarch64", "model", "0xd03"},
        {"aarch64", "model_name", "unknown"},
        {"aarch64", "l3_bytes", "unknown"},
        {"aarch64", "board", "Fixture Board rev 1"},
    };

    check_facts(am_machine_describe, facts, COUNT(facts));
}

static void test_environment(void)
{
    static const struct fact facts[] = {
        {"laptop", "governor", "powersave"},
        {"laptop", "frequency_max_khz", "3600000 (7), 2000000 (1)"},
        {"laptop", "boost", "on"},
        {"laptop", "container", "none"},
        {"laptop", "virtualisation", "none"},
        {"laptop", "kernel_parameters", "mitigations=auto"},
        {"laptop", "mitigations", "mitigated: spectre_v2; open: none"},
        {"laptop", "thp", "madvise"},
        {"laptop", "cpu_quota", "unknown"},
        {"server", "boost", "on"},
        {"server", "thp", "always"},
        {"vm", "governor", "unknown"},
        {"vm", "virtualisation", "qemu"},
        {"vm", "steal_share", "0.0419"},
        {"vm", "env.OMP_AM_TEST", "close"},
        {"vm", "env.AM_UNRELATED", NULL},
        {"vm", "env.ARCHMETER_RUN_FOLDER", NULL},
        {"vm", "synthetic", "yes"},
        {"container", "container", "docker"},
        {"container", "cpu_quota", "1.5 CPUs"},
        {"container", "cpu_order", "0,1,2,3"},
        {"container-v1", "container", "kubernetes"},
        {"container-v1", "cpu_quota", "4 CPUs"},
        {"aarch64", "virtualisation", "unknown"},
        {"aarch64", "clock_source", "arch_sys_counter"},
    };

    (void)setenv("OMP_AM_TEST", "close", 1);
    (void)setenv("AM_UNRELATED", "1", 1);
    (void)setenv("ARCHMETER_RUN_FOLDER", "/gone", 1);
    check_facts(am_environment_capture, facts, COUNT(facts));
    (void)unsetenv("OMP_AM_TEST");
    (void)unsetenv("AM_UNRELATED");
}

static void test_build(void)
{
    static const char *const keys[] = {"version",   "compiler",   "flags",     "build_type",
                                       "optimised", "assertions", "sanitizers"};
    struct am_arena arena = {0};
    struct am_kvs facts = {0};

    am_build_describe(&arena, &facts);
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *value = am_kvs_get(&facts, keys[i]);

        ok(value && *value, "the build tells its %s", keys[i]);
    }
    am_arena_fini(&arena);
}

static void test_steering(void)
{
    struct opened o;

    (void)setenv("HWLOC_COMPONENTS", "linux,x86", 1);
    (void)unsetenv("HWLOC_FSROOT");
    ok(open_machine(&o, "vm"), "a tree loads whatever HWLOC_COMPONENTS says");
    is_str(getenv("HWLOC_COMPONENTS"), "linux,x86", "and the variable is put back");
    ok(getenv("HWLOC_FSROOT") == NULL, "a variable that was not set is unset again");
    (void)unsetenv("HWLOC_COMPONENTS");
    leave(&o);
}

static void test_empty(void)
{
    struct am_err err = {0};
    struct am_fsroot root;
    struct am_topo *topo = NULL;
    struct tree t;
    enum am_status s;

    tree_open(&t);
    ok(am_fsroot_open(&root, t.path, &err) == AM_OK, "an empty tree opens");
    s = am_topo_open(&root, &topo, &err);
    ok(s == AM_E_ABSENT && topo == NULL && err.text[0], "and has no topology: %s", err.text);
    am_topo_close(NULL);
    am_fsroot_close(&root);
    tree_close(&t);
}

/* This machine: every CPU told is one that the scheduler lets us use. */
static void test_real(void)
{
    struct opened o = {.tree = {.path = "/"}};
    struct am_err err = {0};
    cpu_set_t all, one;
    int cpus[CPU_SETSIZE];
    size_t n;
    bool inside = true;

    ok(am_fsroot_open(&o.root, NULL, &err) == AM_OK && !o.root.synthetic, "the real root opens");
    ok(am_topo_open(&o.root, &o.topo, &err) == AM_OK, "hwloc loads this machine %s", err.text);
    CPU_ZERO(&all);
    (void)sched_getaffinity(0, sizeof(all), &all);
    n = am_topo_cpu_order(o.topo, cpus, COUNT(cpus));
    for (size_t i = 0; i < n; i++)
        inside &= CPU_ISSET(cpus[i], &all) != 0;
    ok(n >= 1 && n <= (size_t)CPU_COUNT(&all) && inside, "%zu CPUs are usable, all in the mask", n);
    am_topo_close(o.topo);

    CPU_ZERO(&one);
    CPU_SET(cpus[n - 1], &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
    ok(am_topo_open(&o.root, &o.topo, &err) == AM_OK, "it loads again, bound to one CPU");
    ok(am_topo_cpu_order(o.topo, cpus, 1) == 1 && CPU_ISSET(cpus[0], &one) &&
           am_topo_cpu_order(o.topo, NULL, 0) == 1,
       "only that CPU is usable then");
    (void)sched_setaffinity(0, sizeof(all), &all);
    am_topo_close(o.topo);
    am_fsroot_close(&o.root);
}

static void test_cpulist(void)
{
    static const struct {
        const char *list;
        bool good;
        unsigned n;
    } cases[] = {
        {"", true, 0},     {"0", true, 1},
        {"0-3", true, 4},  {"0-3,8,10-11", true, 7},
        {"3-1", false, 0}, {"a", false, 0},
        {"1-", false, 0},  {"0,,1", false, 0},
        {"-1", false, 0},  {"0-99999999999", false, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned n = 0;
        const bool good = am_probe_cpulist(cases[i].list, &n);

        ok(good == cases[i].good && (!good || n == cases[i].n), "\"%s\" %s", cases[i].list,
           cases[i].good ? "is counted" : "is refused");
    }
}

static void test_field(void)
{
    static const char text[] = "model\t\t: 17\nmodel name\t: X 1\nnr_throttled 12\nNAME=\"Q R\"\n"
                               "empty\t:\nlast : end";
    static const struct {
        const char *key, *value; /* NULL: absent */
    } cases[] = {
        {"model", "17"}, {"model name", "X 1"}, {"nr_throttled", "12"}, {"NAME", "Q R"},
        {"empty", NULL}, {"last", "end"},       {"mod", NULL},          {"throttled", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char value[32];
        const bool found = am_probe_field(text, cases[i].key, value, sizeof(value));

        is_str(found ? value : NULL, cases[i].value, cases[i].key);
    }
}

int main(void)
{
    test_cpulist();
    test_field();
    test_machines();
    test_sibling_order();
    test_numbers();
    test_memory();
    test_order_contract();
    test_key();
    test_machine_facts();
    test_environment();
    test_build();
    test_steering();
    test_empty();
    test_real();
    return tap_done();
}
