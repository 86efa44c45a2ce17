/* SPDX-License-Identifier: MIT */
/* Reading a file whole. */
#include "base/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pipes and devices could be read without an end. */
static const char *why_not(int fd)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0)
        return strerror(errno);
    return S_ISDIR(st.st_mode) ? strerror(EISDIR) : S_ISREG(st.st_mode) ? NULL : "no regular file";
}

enum am_status am_textfile_read(const char *path, size_t max, struct am_arena *arena, char **text,
                                size_t *len, struct am_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *why = why_not(fd);
    ssize_t n = 1;

    *len = 0;
    *text = am_arena_alloc(arena, max + 2);
    while (!why && *text && n > 0 && *len <= max) {
        n = read(fd, *text + *len, max + 1 - *len);
        *len += n > 0 ? (size_t)n : 0;
    }
    why = n < 0 ? strerror(errno) : why;
    if (fd >= 0)
        (void)close(fd);
    if (!*text)
        return am_fail(err, AM_E_NOMEM, "no memory to read %s", path);
    return why ? am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, why) : AM_OK;
}
