/* SPDX-License-Identifier: MIT */
/* Standard output and files, with every failed write noticed. */
#include "cli/run/output.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096 };

/* The temporary file that is being written; "" when there is none. A signal handler removes it, and
 * can reach nothing but a global. */
static char unfinished[PATH_MAX];

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

static bool term_is_dumb(void)
{
    const char *term = getenv("TERM");

    return !term || strcmp(term, "dumb") == 0;
}

/* The locale is never set, so that numbers keep their point; its name is enough here. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_set(names[i])) {
            const char *value = getenv(names[i]);

            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
        }
    }
    return false;
}

unsigned am_output_columns(int fd)
{
    struct winsize size;

    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

struct am_style am_output_style(const struct am_options *opt)
{
    const bool terminal = isatty(STDOUT_FILENO);
    const bool automatic = terminal && !is_set("NO_COLOR") && !term_is_dumb();

    return (struct am_style){
        .format = (enum am_format)opt->format,
        .color = opt->color == AM_COLOR_ALWAYS || (opt->color == AM_COLOR_AUTO && automatic),
        .utf8 = opt->format != AM_FORMAT_TABLE || (locale_is_utf8() && !opt->ascii),
        .width = am_output_columns(STDOUT_FILENO),
        .graphs = opt->format == AM_FORMAT_TABLE &&
                  (opt->graphs == AM_COLOR_ALWAYS || (opt->graphs == AM_COLOR_AUTO && terminal)),
    };
}

bool am_output_interactive(void)
{
    return isatty(STDERR_FILENO) && !term_is_dumb();
}

void am_output_reserve_fds(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        /* stdin is opened for writing and the others for reading, so that using them still fails */
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

bool am_output_is_closed(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1 && fd.revents & POLLERR;
}

enum am_status am_output_finish(struct am_err *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return AM_OK;
    /* A reader that has seen enough (`| head`) is no failure; an earlier write may have met it. */
    if (errno == EPIPE || am_output_is_closed())
        return AM_OK;
    return am_fail(err, AM_E_SYS, "cannot write to standard output");
}

/* As if created by open(..., 0666): mkstemp() allows the owner only. */
static void usual_mode(int fd)
{
    const mode_t mask = umask(0);

    (void)umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

/* Devices and pipes are written to, not replaced: a rename would put a file in the place of
 * /dev/null. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A file of SQLite's: a run, whose samples nothing could bring back. */
static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof(magic)] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool same = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
                      memcmp(head, magic, sizeof(head)) == 0;

    if (fd >= 0)
        (void)close(fd);
    return same;
}

/* Whether the file's beginning is that of an output of ours: pages, figures, documents in JSON and
 * comments name the program; tables for programs begin with their columns. */
static bool is_ours(const char *path)
{
    static const char *const beginnings[] = {"bench,", "frame,", "{\"bench\": "};
    char head[HEAD_BYTES + 1] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, head, HEAD_BYTES) : 0;
    bool ours = n == 0 || memmem(head, (size_t)(n > 0 ? n : 0), "archmeter", strlen("archmeter"));

    if (fd >= 0)
        (void)close(fd);
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        ours = ours || strncmp(head, beginnings[i], strlen(beginnings[i])) == 0;
    return ours;
}

/* Refuses what must not be lost. */
static enum am_status check_replaced(const char *path, bool force, struct am_err *err)
{
    if (is_database(path))
        return am_fail(err, AM_E_USAGE, "%s: is a run or another database, and is not replaced",
                       path);
    if (!force && access(path, F_OK) == 0 && !is_ours(path))
        return am_fail(err, AM_E_USAGE,
                       "%s: exists, and is not known to be archmeter's; --force replaces it", path);
    return AM_OK;
}

/* The folder that a file will be made in. */
static const char *folder_of(const char *path, struct am_arena *arena)
{
    const char *const slash = strrchr(path, '/');

    if (!slash)
        return ".";
    return slash == path ? "/" : am_arena_printf(arena, "%.*s", (int)(slash - path), path);
}

/* "-" is standard output, as no file at all is. */
static const char *file_of(const char *given)
{
    return given && strcmp(given, "-") != 0 ? given : NULL;
}

enum am_status am_output_check(const char *given, bool force, struct am_arena *arena,
                               struct am_err *err)
{
    const char *const path = file_of(given);
    const char *folder;

    if (!path || is_special(path))
        return AM_OK;
    folder = folder_of(path, arena);
    if (folder && access(folder, W_OK | X_OK) != 0)
        return am_fail(err, AM_E_SYS, "cannot create %s", path);
    return check_replaced(path, force, err);
}

enum am_status am_output_open(struct am_output *o, const char *given, bool force,
                              struct am_arena *arena, struct am_err *err)
{
    const char *const path = file_of(given);
    enum am_status s;
    char *temp;
    int fd;

    *o = (struct am_output){.file = path ? NULL : stdout, .path = path};
    if (!path)
        return AM_OK;
    if (is_special(path)) {
        o->file = fopen(path, "we");
        return o->file ? AM_OK : am_fail(err, AM_E_SYS, "cannot write %s", path);
    }
    s = check_replaced(path, force, err);
    if (s != AM_OK)
        return s;
    temp = am_arena_printf(arena, "%s.XXXXXX", path);
    if (!temp)
        return am_fail(err, AM_E_NOMEM, "no memory");
    fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0)
        return am_fail(err, AM_E_SYS, "cannot create %s", path);
    usual_mode(fd);
    o->temp = temp;
    (void)am_str_copy(unfinished, sizeof(unfinished), temp);
    o->file = fdopen(fd, "w");
    if (!o->file) {
        (void)close(fd);
        (void)unlink(temp);
        return am_fail(err, AM_E_SYS, "cannot write %s", path);
    }
    return AM_OK;
}

void am_output_abandon(void)
{
    if (unfinished[0])
        (void)unlink(unfinished);
}

enum am_status am_output_close(struct am_output *o, bool keep, struct am_err *err)
{
    bool good;

    if (!o->path)
        return AM_OK; /* am_output_finish() looks after standard output */
    errno = 0;
    good = !ferror(o->file) && fflush(o->file) == 0 && (!o->temp || fsync(fileno(o->file)) == 0);
    good = fclose(o->file) == 0 && good;
    unfinished[0] = '\0';
    if (keep && good && (!o->temp || rename(o->temp, o->path) == 0))
        return AM_OK;
    if (keep)
        (void)am_fail(err, AM_E_SYS, "cannot write %s", o->path);
    if (o->temp)
        (void)unlink(o->temp);
    return keep ? AM_E_SYS : AM_OK;
}
