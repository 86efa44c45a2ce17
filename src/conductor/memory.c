/* SPDX-License-Identifier: MIT */
/* How much memory a worker may take. */
#include "conductor/memory.h"

#include "base/text.h"

#include <limits.h>
#include <string.h>

enum { FILE_CAP = 8192 };

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t mem_available(const struct am_fsroot *root)
{
    char text[FILE_CAP];
    const char *p;
    uint64_t kib;

    if (am_fsroot_read(root, "proc/meminfo", text, sizeof(text)) <= 0)
        return UINT64_MAX;
    p = strstr(text, "MemAvailable:");
    if (!p)
        return UINT64_MAX;
    p += strlen("MemAvailable:");
    p += strspn(p, " ");
    return am_parse_u64(p, strspn(p, "0123456789"), &kib) ? kib * 1024 : UINT64_MAX;
}

/* What a cgroup directory leaves: limit less use. "max" is no number, and so no limit. */
static uint64_t cgroup_left(const struct am_fsroot *root, const char *dir, const char *limit_file,
                            const char *use_file)
{
    char path[PATH_MAX];
    uint64_t limit, use;

    if (!am_str_format(path, sizeof(path), "%s/%s", dir, limit_file) ||
        !am_fsroot_read_u64(root, path, &limit))
        return UINT64_MAX;
    if (!am_str_format(path, sizeof(path), "%s/%s", dir, use_file) ||
        !am_fsroot_read_u64(root, path, &use))
        use = 0;
    return limit > use ? limit - use : 0;
}

/* The cgroup v2 path of this process and every directory above it may set a limit. */
static uint64_t cgroup2_left(const struct am_fsroot *root)
{
    char text[FILE_CAP], dir[PATH_MAX];
    uint64_t left = UINT64_MAX;
    char *path, *slash;

    if (am_fsroot_read(root, "proc/self/cgroup", text, sizeof(text)) <= 0)
        return UINT64_MAX;
    path = strstr(text, "0::/");
    if (!path || (path != text && path[-1] != '\n'))
        return UINT64_MAX;
    path += strlen("0::");
    path[strcspn(path, "\n")] = '\0';
    do {
        if (am_str_format(dir, sizeof(dir), "sys/fs/cgroup%s", path))
            left = at_most(left, cgroup_left(root, dir, "memory.max", "memory.current"));
        slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    } while (slash);
    return left;
}

uint64_t am_memory_available_at(const struct am_fsroot *root)
{
    uint64_t left = mem_available(root);

    left = at_most(left, cgroup2_left(root));
    left = at_most(left, cgroup_left(root, "sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                     "memory.usage_in_bytes"));
    return left == UINT64_MAX ? left : left / 5 * 4;
}

uint64_t am_memory_available(void)
{
    struct am_fsroot root = {0};
    uint64_t left = UINT64_MAX;

    if (am_fsroot_open(&root, NULL, NULL) == AM_OK)
        left = am_memory_available_at(&root);
    am_fsroot_close(&root);
    return left;
}
