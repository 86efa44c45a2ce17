/* SPDX-License-Identifier: MIT */
/* Small files that archmeter keeps for the user. */
#include "cli/run/datafile.h"

#include "cli/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0777, LOCK_MODE = 0666 };

const char *am_datafile_path(const char *variable, const char *name, struct am_arena *arena)
{
    const char *const given = getenv(variable);
    const char *const data = getenv("XDG_DATA_HOME");
    const char *const home = getenv("HOME");

    if (given && *given)
        return given;
    if (data && *data == '/') /* a relative one is to be ignored, says its specification */
        return am_arena_printf(arena, "%s/archmeter/%s", data, name);
    return home && *home ? am_arena_printf(arena, "%s/.local/share/archmeter/%s", home, name)
                         : NULL;
}

const char *am_datafile_beside(const char *const *folders, size_t n, const char *name,
                               struct am_arena *arena)
{
    char self[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (len <= 0)
        return NULL;
    self[len] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < n; i++) {
        const char *const path = am_arena_printf(arena, "%s/%s/%s", self, folders[i], name);

        if (path && access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

static enum am_status read_text(const char *path, int fd, const char *kind, struct am_text *out,
                                struct am_err *err)
{
    char part[16 * 1024];
    struct stat st;
    ssize_t n;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return am_fail(err, AM_E_USAGE, "%s:1: this is no %s, but a folder or a device", path,
                       kind);
    while ((n = read(fd, part, sizeof(part))) > 0)
        am_text_addn(out, part, (size_t)n);
    if (n < 0)
        return am_fail(err, AM_E_SYS, "cannot read %s", path);
    if (out->overflow)
        return am_fail(err, AM_E_USAGE, "%s:1: larger than a %s may be", path, kind);
    return AM_OK;
}

enum am_status am_datafile_read(const char *path, const char *kind, bool *there,
                                struct am_text *out, struct am_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum am_status s;

    *there = fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
    if (!*there)
        return AM_OK;
    if (fd < 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    s = read_text(path, fd, kind, out, err);
    (void)close(fd);
    return s;
}

enum am_status am_datafile_folders(const char *path, struct am_arena *arena, struct am_err *err)
{
    char *const folder = am_arena_strdup(arena, path);

    if (!folder)
        return am_fail(err, AM_E_NOMEM, "no memory for %s", path);
    for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (slash == folder)
            continue; /* the root is there */
        *slash = '\0';
        if (mkdir(folder, FOLDER_MODE) != 0 && errno != EEXIST)
            return am_fail(err, AM_E_SYS, "cannot make the folder %s", folder);
        *slash = '/';
    }
    return AM_OK;
}

/* The lock lies beside the file, which itself is replaced by every change; it stays there: whoever
 * removed it would part those who wait from those who come. */
static int take_lock(const char *path, struct am_arena *arena, struct am_err *err)
{
    const char *const name = am_arena_printf(arena, "%s.lock", path);
    const int fd = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, LOCK_MODE) : -1;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fd >= 0 && fcntl(fd, F_OFD_SETLKW, &lock) == 0)
        return fd;
    (void)am_fail(err, AM_E_SYS, "cannot lock %s", path);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

int am_datafile_lock(const char *path, struct am_arena *arena, struct am_err *err)
{
    return am_datafile_folders(path, arena, err) == AM_OK ? take_lock(path, arena, err) : -1;
}

/* An output may be a pipe, a data file not: nobody reads what is written there. */
static bool is_pipe(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

enum am_status am_datafile_write(const char *path, const struct am_text *text,
                                 struct am_arena *arena, struct am_err *err)
{
    struct am_output output;
    enum am_status s, closed;

    if (text->overflow)
        return am_fail(err, AM_E_LIMIT, "%s would become too large", path);
    if (is_pipe(path))
        return am_fail(err, AM_E_SYS, "cannot write %s: it is a pipe", path);
    s = am_output_open(&output, path, true, arena, err);
    if (s == AM_OK) {
        const bool whole = fwrite(am_text_str(text), 1, text->len, output.file) == text->len;

        closed = am_output_close(&output, true, err);
        s = whole ? closed : am_fail(err, AM_E_SYS, "cannot write %s", path);
    }
    return s;
}
