/* SPDX-License-Identifier: MIT */
/* A small file tree under a temporary directory, for tests that read below another root. */
#ifndef AM_TESTS_FSROOT_TREE_H
#define AM_TESTS_FSROOT_TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char path[256];
    bool broken; /* something could not be written: a test must look */
};

/* Makes the directory of every '/' of `path`. */
static inline void tree_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
}

/* Writes one file below the tree, a line break added; an empty text makes an empty file. */
static inline void tree_put(struct tree *t, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline void tree_put(struct tree *t, const char *path, const char *fmt, ...)
{
    char full[PATH_MAX];
    va_list ap;
    FILE *f;
    int n;

    (void)snprintf(full, sizeof(full), "%s/%s", t->path, path);
    f = fopen(full, "w");
    if (!f) {
        tree_parents(full);
        f = fopen(full, "w");
    }
    if (!f) {
        t->broken = true;
        return;
    }
    va_start(ap, fmt);
    n = vfprintf(f, fmt, ap);
    va_end(ap);
    if (n > 0)
        (void)fputc('\n', f);
    t->broken |= n < 0;
    t->broken |= fclose(f) != 0;
}

static inline void tree_dir(struct tree *t, const char *path)
{
    char full[PATH_MAX];

    (void)snprintf(full, sizeof(full), "%s/%s/", t->path, path);
    tree_parents(full);
}

static inline void tree_mode(struct tree *t, const char *path, mode_t mode)
{
    char full[PATH_MAX];

    (void)snprintf(full, sizeof(full), "%s/%s", t->path, path);
    t->broken |= chmod(full, mode) != 0;
}

/* Trees are thousands of tiny files: in memory they take milliseconds, on a disk seconds. */
static inline const char *tree_home(void)
{
    const char *tmp = getenv("TMPDIR");

    if (tmp && *tmp)
        return tmp;
    return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* An empty tree that every user may enter. */
static inline void tree_open(struct tree *t)
{
    *t = (struct tree){.broken = false};
    (void)snprintf(t->path, sizeof(t->path), "%s/am-fsroot-XXXXXX", tree_home());
    t->broken = mkdtemp(t->path) == NULL || chmod(t->path, 0755) != 0;
}

static inline int tree_remove_entry(const char *path, const struct stat *st, int kind,
                                    struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void tree_close(struct tree *t)
{
    if (strstr(t->path, "am-fsroot-"))
        (void)nftw(t->path, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
