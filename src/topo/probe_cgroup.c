/* SPDX-License-Identifier: MIT */
/* Limits that control groups set, versions 1 and 2: a group is bound by all its ancestors too. */
#include "topo/probe.h"

#include "base/text.h"

#include <string.h>

enum {
    CGROUP_CAP = 4096, /* a path below the mount */
    PATH_CAP = CGROUP_CAP + 128,
};

/* Where a hierarchy is mounted, by systemd's and everybody's convention. `controller` is its word
 * in /proc/self/cgroup, "" for version 2; `probe` tells the mount from an empty directory. */
struct hierarchy {
    const char *controller, *mount, *probe;
};

/* Called for a group, then for its parent, up to the mount's root. False stops. */
typedef bool visit_fn(void *self, const struct am_fsroot *root, const char *dir);

static const struct hierarchy cpu_v2[] = {
    {"", "sys/fs/cgroup", "cgroup.controllers"},
    {"", "sys/fs/cgroup/unified", "cgroup.controllers"},
};
static const struct hierarchy cpu_v1[] = {
    {"cpu", "sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us"},
    {"cpu", "sys/fs/cgroup/cpu", "cpu.cfs_quota_us"},
};
static const struct hierarchy cpuset_v1[] = {{"cpuset", "sys/fs/cgroup/cpuset", "cpuset.cpus"}};
static const struct hierarchy memory_v1[] = {
    {"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes"},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* True when `word` is one of the comma-separated words of s[0..len). */
static bool has_word(const char *s, size_t len, const char *word)
{
    const size_t want = strlen(word);

    while (len) {
        const char *comma = memchr(s, ',', len);
        const size_t n = comma ? (size_t)(comma - s) : len;

        if (n == want && memcmp(s, word, n) == 0)
            return true;
        len -= n + (comma != NULL);
        s += n + (comma != NULL);
    }
    return want == 0;
}

/* This process's group in the hierarchy of `controller`: lines are "id:controllers:/path". */
static bool own_group(const struct am_fsroot *root, const char *controller, char *path, size_t cap)
{
    char text[CGROUP_CAP];

    if (am_fsroot_read(root, "proc/self/cgroup", text, sizeof(text)) <= 0)
        return false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *words = strchr(line, ':');
        const char *group = words ? strchr(words + 1, ':') : NULL;
        size_t len;

        if (!group)
            return false;
        len = (size_t)(group - words - 1);
        if ((*controller == '\0') != (len == 0) || !has_word(words + 1, len, controller))
            continue;
        len = strcspn(group + 1, "\n");
        if (len >= cap)
            return false;
        memcpy(path, group + 1, len);
        path[len] = '\0';
        return true;
    }
    return false;
}

/* Inside a container the mount often is the group itself while the path names its place outside:
 * directories that do not exist are passed over, so the walk ends at the mount either way. */
static bool walk(const struct am_fsroot *root, const struct hierarchy *h, visit_fn *visit,
                 void *self)
{
    char group[CGROUP_CAP], path[PATH_CAP];

    (void)am_str_format(path, sizeof(path), "%s/%s", h->mount, h->probe);
    if (!am_fsroot_exists(root, path))
        return false;
    if (!own_group(root, h->controller, group, sizeof(group)))
        group[0] = '\0';
    for (;;) {
        char *slash = strrchr(group, '/');

        if (slash && slash[1] == '\0') {
            *slash = '\0';
            continue;
        }
        (void)am_str_format(path, sizeof(path), "%s%s", h->mount, group);
        if (!visit(self, root, path) || !slash)
            return true;
        *slash = '\0';
    }
}

static bool walk_first(const struct am_fsroot *root, const struct hierarchy *h, size_t n,
                       visit_fn *visit, void *self)
{
    for (size_t i = 0; i < n; i++) {
        if (walk(root, &h[i], visit, self))
            return true;
    }
    return false;
}

static bool read_in(const struct am_fsroot *root, const char *dir, const char *leaf, char *buf,
                    size_t cap)
{
    char path[PATH_CAP];

    return am_str_format(path, sizeof(path), "%s/%s", dir, leaf) &&
           am_probe_line(root, path, buf, cap);
}

static void keep_least(double *least, double value)
{
    if (*least <= 0 || value < *least)
        *least = value;
}

/* "max 100000" or "50000 100000": microseconds a period. */
static bool quota_v2(void *self, const struct am_fsroot *root, const char *dir)
{
    char line[AM_PROBE_CAP];
    uint64_t quota, period;
    const char *space;

    if (!read_in(root, dir, "cpu.max", line, sizeof(line)))
        return true;
    space = strchr(line, ' ');
    if (space && am_parse_u64(line, (size_t)(space - line), &quota) &&
        am_parse_u64(space + 1, strlen(space + 1), &period) && period > 0)
        keep_least(self, (double)quota / (double)period);
    return true;
}

/* A quota of -1 does not parse as unsigned, and is no limit. */
static bool quota_v1(void *self, const struct am_fsroot *root, const char *dir)
{
    char quota_text[AM_PROBE_CAP], period_text[AM_PROBE_CAP];
    uint64_t quota, period;

    if (read_in(root, dir, "cpu.cfs_quota_us", quota_text, sizeof(quota_text)) &&
        read_in(root, dir, "cpu.cfs_period_us", period_text, sizeof(period_text)) &&
        am_parse_u64(quota_text, strlen(quota_text), &quota) &&
        am_parse_u64(period_text, strlen(period_text), &period) && period > 0)
        keep_least(self, (double)quota / (double)period);
    return true;
}

bool am_probe_cpu_quota(const struct am_fsroot *root, double *cpus)
{
    bool known;

    *cpus = 0;
    known = walk_first(root, cpu_v2, COUNT(cpu_v2), quota_v2, cpus);
    return walk_first(root, cpu_v1, COUNT(cpu_v1), quota_v1, cpus) || known;
}

struct throttle_count {
    uint64_t times;
    bool found;
};

static bool throttle_visit(void *self, const struct am_fsroot *root, const char *dir)
{
    struct throttle_count *count = self;
    char path[PATH_CAP], text[AM_PROBE_CAP * 4], value[AM_PROBE_CAP];
    uint64_t times;

    if (!am_str_format(path, sizeof(path), "%s/cpu.stat", dir) ||
        am_fsroot_read(root, path, text, sizeof(text)) <= 0 ||
        !am_probe_field(text, "nr_throttled", value, sizeof(value)) ||
        !am_parse_u64(value, strlen(value), &times))
        return true;
    count->found = true;
    if (times > count->times)
        count->times = times;
    return true;
}

bool am_probe_throttled(const struct am_fsroot *root, uint64_t *times)
{
    struct throttle_count count = {0};

    (void)walk_first(root, cpu_v2, COUNT(cpu_v2), throttle_visit, &count);
    (void)walk_first(root, cpu_v1, COUNT(cpu_v1), throttle_visit, &count);
    *times = count.times;
    return count.found;
}

struct cpuset_text {
    char *buf;
    size_t cap;
};

/* The nearest group that states a set: the kernel has already cut it to the ancestors' sets. */
static bool cpuset_visit(void *self, const struct am_fsroot *root, const char *dir)
{
    static const char *const leaves[] = {"cpuset.cpus.effective", "cpuset.effective_cpus",
                                         "cpuset.cpus"};
    const struct cpuset_text *t = self;

    for (size_t i = 0; i < COUNT(leaves); i++) {
        if (read_in(root, dir, leaves[i], t->buf, t->cap))
            return false;
    }
    return true;
}

bool am_probe_cpuset(const struct am_fsroot *root, char *buf, size_t cap)
{
    struct cpuset_text t = {buf, cap};

    buf[0] = '\0';
    (void)walk_first(root, cpuset_v1, COUNT(cpuset_v1), cpuset_visit, &t);
    if (!buf[0])
        (void)walk_first(root, cpu_v2, COUNT(cpu_v2), cpuset_visit, &t);
    return buf[0] != '\0';
}

/* The tightest limit, and the least that one leaves; UINT64_MAX without any. */
struct memory_bounds {
    uint64_t limit, left;
};

static bool read_number(const struct am_fsroot *root, const char *dir, const char *leaf,
                        uint64_t *value)
{
    char line[AM_PROBE_CAP];

    return read_in(root, dir, leaf, line, sizeof(line)) && am_parse_u64(line, strlen(line), value);
}

static void bound_memory(struct memory_bounds *b, uint64_t limit, uint64_t use)
{
    const uint64_t no_limit = (uint64_t)1 << 60; /* version 1 writes a number near 2^63 */
    const uint64_t left = limit > use ? limit - use : 0;

    if (limit >= no_limit)
        return;
    b->limit = limit < b->limit ? limit : b->limit;
    b->left = left < b->left ? left : b->left;
}

/* "max" is no number, and so no limit. */
static bool memory_visit(void *self, const struct am_fsroot *root, const char *dir)
{
    static const char *const leaves[][2] = {{"memory.max", "memory.current"},
                                            {"memory.limit_in_bytes", "memory.usage_in_bytes"}};

    for (size_t i = 0; i < COUNT(leaves); i++) {
        uint64_t limit, use = 0;

        if (!read_number(root, dir, leaves[i][0], &limit))
            continue;
        (void)read_number(root, dir, leaves[i][1], &use);
        bound_memory(self, limit, use);
    }
    return true;
}

static struct memory_bounds memory_bounds(const struct am_fsroot *root)
{
    struct memory_bounds b = {UINT64_MAX, UINT64_MAX};

    (void)walk_first(root, cpu_v2, COUNT(cpu_v2), memory_visit, &b);
    (void)walk_first(root, memory_v1, COUNT(memory_v1), memory_visit, &b);
    return b;
}

uint64_t am_probe_memory_limit(const struct am_fsroot *root)
{
    const uint64_t limit = memory_bounds(root).limit;

    return limit == UINT64_MAX ? 0 : limit;
}

uint64_t am_probe_memory_left(const struct am_fsroot *root)
{
    return memory_bounds(root).left;
}
