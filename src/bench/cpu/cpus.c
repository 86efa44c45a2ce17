/* SPDX-License-Identifier: MIT */
/* How CPUs lie to each other, by the kernel's tables in /sys. */
#include "bench/cpu/cpus.h"

#include "base/text.h"

#include <string.h>

enum {
    LIST_MAX = 4096,
    CACHES_MAX = 16,
    PRIVATE_DEFAULT = 1 << 20, /* as much as most cores have or less */
};

#define CPU_DIR "sys/devices/system/cpu/cpu"
#define NODE_DIR "sys/devices/system/node/node"

/* Reads the number at *s and moves over it; false where there is none. */
static bool take_number(const char **s, uint64_t *out)
{
    const size_t n = strspn(*s, "0123456789");

    if (!am_parse_u64(*s, n, out))
        return false;
    *s += n;
    return true;
}

bool am_cpu_list_has(const char *list, int cpu)
{
    const char *s = list;
    uint64_t lo, hi;

    while (cpu >= 0 && take_number(&s, &lo)) {
        hi = lo;
        if (*s == '-') {
            s++;
            if (!take_number(&s, &hi))
                return false;
        }
        if ((uint64_t)cpu >= lo && (uint64_t)cpu <= hi)
            return true;
        if (*s != ',')
            return false;
        s++;
    }
    return false;
}

/* The file `name` of a CPU's directory; an empty text where it cannot be read. */
static void read_of_cpu(const struct am_fsroot *root, int cpu, const char *name, char *buf,
                        size_t cap)
{
    char path[128];

    buf[0] = '\0';
    if (am_str_format(path, sizeof(path), CPU_DIR "%d/%s", cpu, name) &&
        am_fsroot_read(root, path, buf, cap) < 0)
        buf[0] = '\0';
}

static void read_of_cache(const struct am_fsroot *root, int cpu, int index, const char *name,
                          char *buf, size_t cap)
{
    char path[64];

    (void)am_str_format(path, sizeof(path), "cache/index%d/%s", index, name);
    read_of_cpu(root, cpu, path, buf, cap);
}

/* The list of CPUs that share the cache of the highest level; empty where none is stated. */
static void read_last_cache(const struct am_fsroot *root, int cpu, char *list, size_t cap)
{
    uint64_t highest = 0;

    list[0] = '\0';
    for (int i = 0; i < CACHES_MAX; i++) {
        uint64_t level;
        char text[32];

        read_of_cache(root, cpu, i, "level", text, sizeof(text));
        if (!am_parse_u64(text, strlen(text), &level))
            return;
        if (level > highest)
            read_of_cache(root, cpu, i, "shared_cpu_list", list, cap);
        highest = level > highest ? level : highest;
    }
}

enum am_distance am_cpus_distance(const struct am_fsroot *root, int a, int b)
{
    char list[LIST_MAX], other[LIST_MAX];

    if (a == b)
        return AM_DISTANCE_SELF;
    read_of_cpu(root, a, "topology/thread_siblings_list", list, sizeof(list));
    if (am_cpu_list_has(list, b))
        return AM_DISTANCE_CORE;
    read_last_cache(root, a, list, sizeof(list));
    if (am_cpu_list_has(list, b))
        return AM_DISTANCE_CACHE;
    read_of_cpu(root, a, "topology/physical_package_id", list, sizeof(list));
    read_of_cpu(root, b, "topology/physical_package_id", other, sizeof(other));
    return list[0] && strcmp(list, other) == 0 ? AM_DISTANCE_PACKAGE : AM_DISTANCE_OTHER;
}

/* "1024K" */
static uint64_t kib_text(const char *text)
{
    const size_t n = strspn(text, "0123456789");
    uint64_t kib;

    return am_parse_u64(text, n, &kib) && strcmp(text + n, "K") == 0 ? kib << 10 : 0;
}

uint64_t am_cpu_private_bytes(const struct am_fsroot *root, int cpu)
{
    char core[LIST_MAX], list[LIST_MAX], text[32];
    uint64_t sum = 0;

    read_of_cpu(root, cpu, "topology/thread_siblings_list", core, sizeof(core));
    for (int i = 0; i < CACHES_MAX && core[0]; i++) {
        read_of_cache(root, cpu, i, "shared_cpu_list", list, sizeof(list));
        read_of_cache(root, cpu, i, "type", text, sizeof(text));
        if (strcmp(list, core) != 0 || strcmp(text, "Instruction") == 0)
            continue;
        read_of_cache(root, cpu, i, "size", text, sizeof(text));
        sum += kib_text(text);
    }
    return sum ? sum : PRIVATE_DEFAULT;
}

static size_t keep_listed(const char *list, const int *cpus, size_t n, int *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (am_cpu_list_has(list, cpus[i]))
            out[kept++] = cpus[i];
    }
    return kept;
}

size_t am_cpus_of_core(const struct am_fsroot *root, const int *cpus, size_t n, int cpu, int *out)
{
    char list[LIST_MAX];

    read_of_cpu(root, cpu, "topology/thread_siblings_list", list, sizeof(list));
    if (!list[0]) { /* a kernel that does not say: a core for each */
        out[0] = cpu;
        return 1;
    }
    return keep_listed(list, cpus, n, out);
}

size_t am_cpus_of_cores(const struct am_fsroot *root, const int *cpus, size_t n, int *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        char list[LIST_MAX];
        size_t k = 0;

        read_of_cpu(root, cpus[i], "topology/thread_siblings_list", list, sizeof(list));
        while (k < kept && !am_cpu_list_has(list, out[k]))
            k++;
        if (k == kept)
            out[kept++] = cpus[i];
    }
    return kept;
}

size_t am_cpus_of_node(const struct am_fsroot *root, const int *cpus, size_t n, int64_t node,
                       int *out)
{
    char path[128], list[LIST_MAX];

    if (!am_str_format(path, sizeof(path), NODE_DIR "%lld/cpulist", (long long)node) ||
        am_fsroot_read(root, path, list, sizeof(list)) < 0)
        return 0;
    return keep_listed(list, cpus, n, out);
}

static bool may_use(const struct am_ctx *ctx, int64_t cpu)
{
    for (size_t i = 0; i < ctx->cpu_count; i++) {
        if (ctx->cpus[i] == cpu)
            return true;
    }
    return false;
}

enum am_status am_cpus_check_pair(const struct am_ctx *ctx, int64_t from, int64_t to,
                                  struct am_err *err)
{
    if (ctx->cpu_count < 2)
        return am_fail(err, AM_E_ABSENT, "one CPU only: no other to share a line with");
    if (!may_use(ctx, from) || !may_use(ctx, to))
        return am_fail(err, AM_E_ABSENT, "CPU %lld is not one that this process may use",
                       (long long)(may_use(ctx, from) ? to : from));
    return AM_OK;
}
