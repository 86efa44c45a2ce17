/* SPDX-License-Identifier: MIT */
/* Reads below a file-system root. */
#include "base/fsroot.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX = 4096 };

enum am_status am_fsroot_open(struct am_fsroot *root, const char *dir, struct am_err *err)
{
    const char *path = dir ? dir : "/";

    root->synthetic = strcmp(path, "/") != 0;
    root->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root->fd < 0 && root->synthetic)
        return am_fail(err, AM_E_USAGE, "file-system root %s: %s", path, strerror(errno));
    if (root->fd < 0)
        return am_fail(err, AM_E_SYS, "file-system root %s", path);
    return AM_OK;
}

void am_fsroot_close(struct am_fsroot *root)
{
    if (root->fd > 0)
        (void)close(root->fd);
    root->fd = 0;
}

ssize_t am_fsroot_read(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    const int fd = openat(root->fd, path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;

    buf[0] = '\0';
    if (fd < 0)
        return -1;
    while (len < cap - 1) {
        const ssize_t n = read(fd, buf + len, cap - 1 - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            const int saved = errno;

            (void)close(fd);
            errno = saved;
            return -1;
        }
        if (n == 0)
            break;
        len += (size_t)n;
    }
    (void)close(fd);
    while (len && isspace((unsigned char)buf[len - 1]))
        len--;
    buf[len] = '\0';
    return (ssize_t)len;
}

bool am_fsroot_read_u64(const struct am_fsroot *root, const char *path, uint64_t *out)
{
    char buf[32];
    const ssize_t n = am_fsroot_read(root, path, buf, sizeof(buf));

    return n > 0 && am_parse_u64(buf, (size_t)n, out);
}

bool am_fsroot_exists(const struct am_fsroot *root, const char *path)
{
    return faccessat(root->fd, path, F_OK, 0) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads up to LIST_MAX names; returns their number. */
static size_t read_names(DIR *dir, char **names)
{
    const struct dirent *e;
    size_t n = 0;

    while (n < LIST_MAX && (e = readdir(dir)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        names[n] = strdup(e->d_name);
        if (names[n])
            n++;
    }
    return n;
}

bool am_fsroot_list(const struct am_fsroot *root, const char *path, am_fsroot_entry_fn *fn,
                    void *self)
{
    const int fd = openat(root->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    char **names = NULL;
    size_t n = 0;
    bool go_on = true;

    if (!dir) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    names = calloc(LIST_MAX, sizeof(*names));
    if (names)
        n = read_names(dir, names);
    (void)closedir(dir);
    if (n)
        qsort(names, n, sizeof(*names), by_name);
    for (size_t i = 0; i < n; i++) {
        if (go_on)
            go_on = fn(self, names[i]);
        free(names[i]);
    }
    free(names);
    return names != NULL;
}
