/* SPDX-License-Identifier: MIT */
/* What of the compiled benches may go, and how nobody loses what he uses. */
#include "cli/own/prune.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/temp_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S };

struct entry {
    const char *path;
    time_t used;
    uint64_t bytes;
};

struct entries {
    struct entry *items;
    size_t n, cap;
    uint64_t bytes;
};

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Whether the path still leads to what the descriptor holds. */
static bool is_at(int fd, const char *path)
{
    struct stat held, there;

    return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

bool am_own_hold(const char *folder)
{
    const int fd = open_folder(folder);

    if (fd < 0)
        return false;
    /* Without locks, and in a folder of somebody else's, the last hour has to do. */
    (void)flock(fd, LOCK_SH);
    (void)futimens(fd, NULL);
    if (is_at(fd, folder))
        return true; /* the descriptor stays open: it is the lock */
    (void)close(fd);
    return false;
}

/* ---- what is there ---- */

static bool is_digest(const char *name)
{
    return strlen(name) == AM_DIGEST_TEXT - 1 &&
           strspn(name, "0123456789abcdef") == AM_DIGEST_TEXT - 1;
}

static bool is_ours(const char *name)
{
    static const char headers[] = "include-";
    const size_t n = sizeof(headers) - 1;

    return is_digest(name) || (strncmp(name, headers, n) == 0 && is_digest(name + n));
}

/* Of the files in it, not of folders below: libraries have none. */
static uint64_t bytes_in(const char *path)
{
    DIR *const folder = opendir(path);
    const struct dirent *file;
    uint64_t bytes = 0;
    struct stat st;

    while (folder && (file = readdir(folder)) != NULL) {
        if (fstatat(dirfd(folder), file->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && st.st_size > 0)
            bytes += (uint64_t)st.st_size;
    }
    if (folder)
        (void)closedir(folder);
    return bytes;
}

static void list(const char *root, struct am_arena *arena, struct entries *out)
{
    DIR *const folder = opendir(root);
    const struct dirent *found;
    struct stat st;

    while (folder && (found = readdir(folder)) != NULL) {
        const char *const path =
            is_ours(found->d_name) ? am_arena_printf(arena, "%s/%s", root, found->d_name) : NULL;

        if (!path || lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
            !am_array_reserve(arena, &out->items, out->n, &out->cap, 1, sizeof(*out->items)))
            continue;
        out->items[out->n++] = (struct entry){path, st.st_mtime, bytes_in(path)};
        out->bytes += out->items[out->n - 1].bytes;
    }
    if (folder)
        (void)closedir(folder);
}

/* ---- what goes ---- */

static int oldest_first(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;

    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* False when somebody holds it, or has used it since it was listed. */
static bool drop(const struct entry *e)
{
    const int fd = open_folder(e->path);
    struct stat st;
    const bool free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 &&
                      st.st_uid == geteuid() && st.st_mtime == e->used;

    if (free)
        am_folder_remove(e->path);
    if (fd >= 0)
        (void)close(fd);
    return free;
}

void am_own_prune(const char *root, struct am_arena *arena)
{
    const uint64_t bytes_max = (uint64_t)AM_OWN_MIB_MAX << 20;
    const time_t now = time(NULL);
    struct entries all = {0};
    size_t left;

    list(root, arena, &all);
    if (all.n == 0)
        return;
    qsort(all.items, all.n, sizeof(*all.items), oldest_first);
    left = all.n;
    for (size_t i = 0; i < all.n && all.items[i].used + HOUR_S < now; i++) {
        const struct entry *const e = &all.items[i];
        const bool wanted = e->used + (time_t)AM_OWN_DAYS_MAX * DAY_S >= now &&
                            left <= AM_OWN_FOLDERS_MAX && all.bytes <= bytes_max;

        if (wanted || !drop(e))
            continue;
        left--;
        all.bytes -= e->bytes;
    }
}
