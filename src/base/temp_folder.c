/* SPDX-License-Identifier: MIT */
/* Folders for temporary files that belong to one process. */
#include "base/temp_folder.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_AT_ONCE = 8, PREFIX_MAX = 64 };

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    (void)remove(path); /* what stays is in a folder for temporary files */
    return 0;
}

void am_folder_remove(const char *path)
{
    (void)nftw(path, remove_entry, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

/* A descriptor that holds the folder; -1 when another process does, or it is none of ours. */
static int hold(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

/* What killed processes left. */
static void remove_left(const char *base, const char *prefix, struct am_arena *arena)
{
    DIR *const folder = opendir(base);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        const char *path;
        int fd;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        path = am_arena_printf(arena, "%s/%s", base, entry->d_name);
        fd = path ? hold(path) : -1;
        if (fd < 0)
            continue;
        am_folder_remove(path);
        (void)close(fd);
    }
    if (folder)
        (void)closedir(folder);
}

/* A folder gets the name by which others find it only when it is held: nobody takes it for one that
 * was left. */
bool am_temp_folder_make(const char *base, const char *word, struct am_arena *arena,
                         struct am_temp_folder *out)
{
    char *const path = am_arena_printf(arena, "%s/archmeter-new-%s-XXXXXX", base, word);
    char prefix[PREFIX_MAX];
    const char *name;

    *out = (struct am_temp_folder){.path = NULL};
    if (!path || !am_str_format(prefix, sizeof(prefix), "archmeter-%s-", word)) {
        errno = ENOMEM;
        return false;
    }
    remove_left(base, prefix, arena);
    if (!mkdtemp(path))
        return false;
    name = am_arena_printf(arena, "%s/%s%s", base, prefix, strrchr(path, '-') + 1);
    out->lock = hold(path);
    if (out->lock >= 0 && name && rename(path, name) == 0) {
        out->path = name;
        return true;
    }
    if (out->lock >= 0)
        (void)close(out->lock);
    (void)rmdir(path);
    return false;
}

void am_temp_folder_remove(struct am_temp_folder *folder)
{
    if (folder->path) {
        am_folder_remove(folder->path);
        (void)close(folder->lock);
    }
    *folder = (struct am_temp_folder){.path = NULL};
}
