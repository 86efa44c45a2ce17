/* SPDX-License-Identifier: MIT */
/* How CPUs lie to each other, on a machine made of files: two packages, two cache groups in each,
 * two cores in each group, two hardware threads in each core. */
#include "bench/cpu/cpus.h"

#include "fsroot/tree.h"
#include "tap.h"

enum { CORES = 8, CPUS = 2 * CORES }; /* CPU c and c + CORES are threads of core c */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void put_cpu(struct tree *t, int cpu, const char *leaf, const char *text)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, leaf);
    tree_put(t, path, "%s", text);
}

static void put_cache(struct tree *t, int cpu, int index, const char *level, const char *type,
                      const char *size, const char *list)
{
    const char *const leaves[] = {"level", "type", "size", "shared_cpu_list"};
    const char *const texts[] = {level, type, size, list};
    char leaf[64];

    for (size_t i = 0; i < COUNT(leaves); i++) {
        (void)snprintf(leaf, sizeof(leaf), "cache/index%d/%s", index, leaves[i]);
        put_cpu(t, cpu, leaf, texts[i]);
    }
}

static void put_machine(struct tree *t)
{
    for (int cpu = 0; cpu < CPUS; cpu++) {
        const int core = cpu % CORES, group = core / 2;
        char siblings[32], sharers[32];

        (void)snprintf(siblings, sizeof(siblings), "%d,%d", core, core + CORES);
        (void)snprintf(sharers, sizeof(sharers), "%d-%d,%d-%d", 2 * group, 2 * group + 1,
                       2 * group + CORES, 2 * group + 1 + CORES);
        put_cpu(t, cpu, "topology/thread_siblings_list", siblings);
        put_cpu(t, cpu, "topology/physical_package_id", core < CORES / 2 ? "0" : "1");
        put_cache(t, cpu, 0, "1", "Data", "32K", siblings);
        put_cache(t, cpu, 1, "1", "Instruction", "64K", siblings);
        put_cache(t, cpu, 2, "2", "Unified", "512K", siblings);
        put_cache(t, cpu, 3, "3", "Unified", "16384K", sharers);
    }
    tree_put(t, "sys/devices/system/node/node0/cpulist", "0-3,8-11");
    tree_put(t, "sys/devices/system/node/node1/cpulist", "4-7,12-15");
    tree_put(t, "sys/devices/system/node/node2/cpulist", "%s", "");
}

static void test_lists(void)
{
    static const struct {
        const char *list;
        int cpu;
        bool has;
    } cases[] = {
        {"0", 0, true},      {"0", 1, false},
        {"0-3,8", 3, true},  {"0-3,8", 4, false},
        {"0-3,8", 8, true},  {"0-3,8", 80, false},
        {"", 0, false},      {"x", 0, false},
        {"0-", 0, false},    {"0,", 1, false},
        {"10-12", 1, false}, {"1,3-4,6-7", 7, true},
        {"0-3", -1, false},  {"0-3 5", 5, false},
        {"3-0", 2, false},   {"99999999999999999999", 9, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ok(am_cpu_list_has(cases[i].list, cases[i].cpu) == cases[i].has, "\"%s\" %s %d",
           cases[i].list, cases[i].has ? "has" : "has not", cases[i].cpu);
}

static void test_distances(const struct am_fsroot *root)
{
    static const struct {
        int a, b;
        enum am_distance want;
    } cases[] = {
        {0, 0, AM_DISTANCE_SELF},    {0, 8, AM_DISTANCE_CORE},    {8, 0, AM_DISTANCE_CORE},
        {0, 1, AM_DISTANCE_CACHE},   {0, 9, AM_DISTANCE_CACHE},   {1, 2, AM_DISTANCE_PACKAGE},
        {2, 1, AM_DISTANCE_PACKAGE}, {3, 4, AM_DISTANCE_OTHER},   {15, 0, AM_DISTANCE_OTHER},
        {0, 99, AM_DISTANCE_OTHER},  {98, 99, AM_DISTANCE_OTHER},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ok(am_cpus_distance(root, cases[i].a, cases[i].b) == cases[i].want,
           "CPUs %d and %d are at distance %d", cases[i].a, cases[i].b, (int)cases[i].want);
}

static bool same(const int *got, size_t n, const int *want, size_t n_want)
{
    return n == n_want && memcmp(got, want, n * sizeof(*got)) == 0;
}

static void test_choices(const struct am_fsroot *root)
{
    static const int some[] = {9, 1, 2, 10, 12}; /* in an order of placement */
    static const int core[] = {9, 1}, cores[] = {9, 2, 12}, node[] = {9, 1, 2, 10};
    int out[COUNT(some)];

    ok(same(out, am_cpus_of_core(root, some, COUNT(some), 1, out), core, COUNT(core)),
       "the hardware threads of a core keep their order");
    ok(same(out, am_cpus_of_cores(root, some, COUNT(some), out), cores, COUNT(cores)),
       "of each core the first is taken");
    ok(same(out, am_cpus_of_node(root, some, COUNT(some), 0, out), node, COUNT(node)),
       "a node has its CPUs");
    ok(am_cpus_of_node(root, some, COUNT(some), 2, out) == 0, "a node without CPUs has none");
    ok(am_cpus_of_node(root, some, COUNT(some), 7, out) == 0, "nor has a node that is not there");
    ok(am_cpu_private_bytes(root, 3) == (32 + 512) << 10,
       "a core's own caches: no code, nothing that others share");
    ok(am_cpu_private_bytes(root, 99) == 1 << 20, "unknown caches are taken for a mebibyte");
}

/* A kernel that states nothing: every CPU is a core, and far from all others. */
static void test_silence(void)
{
    static const int some[] = {3, 1, 2};
    struct tree t;
    struct am_fsroot root;
    int out[COUNT(some)];

    tree_open(&t);
    if (ok(am_fsroot_open(&root, t.path, NULL) == AM_OK, "an empty tree opens")) {
        ok(same(out, am_cpus_of_cores(&root, some, COUNT(some), out), some, COUNT(some)),
           "every CPU is a core");
        ok(am_cpus_of_core(&root, some, COUNT(some), 1, out) == 1 && out[0] == 1,
           "and a core's only one");
        ok(am_cpus_distance(&root, 1, 2) == AM_DISTANCE_OTHER, "and far from the next");
        am_fsroot_close(&root);
    }
    tree_close(&t);
}

static void test_pairs(void)
{
    static const int cpus[] = {4, 6};
    static const struct {
        size_t count;
        int64_t from, to;
        const char *story;
    } cases[] = {
        {2, 4, 6, ""},
        {2, 6, 6, ""},
        {1, 4, 4, "one CPU only: no other to share a line with"},
        {2, 5, 6, "CPU 5 is not one that this process may use"},
        {2, 4, -1, "CPU -1 is not one that this process may use"},
        {2, 4, INT64_MAX, "CPU 9223372036854775807 is not one that this process may use"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct am_ctx ctx = {.cpus = cpus, .cpu_count = cases[i].count};
        struct am_err err = {0};
        const enum am_status s = am_cpus_check_pair(&ctx, cases[i].from, cases[i].to, &err);

        ok(s == (cases[i].story[0] ? AM_E_ABSENT : AM_OK), "the pair %lld, %lld is judged",
           (long long)cases[i].from, (long long)cases[i].to);
        is_str(err.text, cases[i].story, "and the reason told");
    }
}

int main(void)
{
    struct tree t;
    struct am_fsroot root;

    tree_open(&t);
    put_machine(&t);
    test_lists();
    if (ok(!t.broken && am_fsroot_open(&root, t.path, NULL) == AM_OK, "the machine is there")) {
        test_distances(&root);
        test_choices(&root);
        am_fsroot_close(&root);
    }
    tree_close(&t);
    test_silence();
    test_pairs();
    return tap_done();
}
