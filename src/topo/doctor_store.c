/* SPDX-License-Identifier: MIT */
/* doctor: the directory that a run's file would be written to. */
#include "topo/doctor_check.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const double mib = 1024.0 * 1024;
static const double space_error_mib = 16, space_warn_mib = 1024;

/* Directory of the request's file; the path itself where it is a directory. */
static const char *store_dir(const struct am_exam *e)
{
    const char *path = e->request->store_path;
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dir;
    struct stat st;

    if (!path)
        return ".";
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return path;
    if (!slash)
        return ".";
    dir = am_arena_strndup(e->arena, path, slash == path ? 1 : (size_t)(slash - path));
    return dir ? dir : ".";
}

enum am_level am_check_store_writable(struct am_exam *e)
{
    const char *dir = store_dir(e);

    if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0)
        return am_exam_say(e, AM_LEVEL_OK, "%s", dir);
    return am_exam_say(e, AM_LEVEL_ERROR, "%s: %s", dir, strerror(errno));
}

enum am_level am_check_store_space(struct am_exam *e)
{
    struct statvfs v;
    double left_mib;
    enum am_level level = AM_LEVEL_OK;

    if (statvfs(store_dir(e), &v) != 0)
        return am_exam_absent(e);
    left_mib = (double)v.f_bavail * (double)v.f_frsize / mib;
    if (left_mib < space_warn_mib)
        level = left_mib < space_error_mib ? AM_LEVEL_ERROR : AM_LEVEL_WARN;
    return am_exam_say(e, level, "%.0f MiB free", left_mib);
}

/* Kinds that are shared between machines or lost at power-off; others are local disks. */
static const struct {
    unsigned long magic;
    const char *name;
} kinds[] = {
    {0x6969, "nfs"},       {0x517B, "smb"},        {0xFF534D42, "cifs"},   {0xFE534D42, "smb2"},
    {0x5346414F, "afs"},   {0x00C36400, "ceph"},   {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"},
    {0x65735546, "fuse"},  {0x01021997, "9p"},     {0x73757245, "coda"},   {0x7461636f, "ocfs2"},
    {0x01161970, "gfs2"},  {0x19830326, "beegfs"}, {0xAAD7AAEA, "panfs"},  {0x6a656a63, "virtiofs"},
    {0x01021994, "tmpfs"},
};

enum am_level am_check_store_filesystem(struct am_exam *e)
{
    struct statfs fs;

    if (statfs(store_dir(e), &fs) != 0)
        return am_exam_absent(e);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (((unsigned long)fs.f_type & 0xffffffff) == kinds[i].magic)
            return am_exam_say(e, AM_LEVEL_WARN, "%s", kinds[i].name);
    }
    return am_exam_say(e, AM_LEVEL_OK, "local (type 0x%lx)", (unsigned long)fs.f_type & 0xffffffff);
}

/* A file without a name where the file system can, else one whose name is gone at once. */
static int open_nameless(const char *dir)
{
    char path[PATH_MAX];
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    if (!am_str_format(path, sizeof(path), "%s/.archmeter-XXXXXX", dir))
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

static bool lock_file(int fd)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

/* Two open file descriptions must exclude each other, as two processes would. Locks of this kind
 * share the kernel's path with the POSIX locks that SQLite takes. */
enum am_level am_check_store_locks(struct am_exam *e)
{
    const int first = open_nameless(store_dir(e));
    char path[32];
    int second;
    bool taken, excluded;

    if (first < 0)
        return am_exam_say(e, AM_LEVEL_UNKNOWN, "no file can be made: %s", strerror(errno));
    (void)am_str_format(path, sizeof(path), "/proc/self/fd/%d", first);
    second = open(path, O_RDWR | O_CLOEXEC);
    taken = lock_file(first);
    excluded = second >= 0 && !lock_file(second);
    (void)close(first);
    if (second < 0)
        return am_exam_absent(e);
    (void)close(second);
    return am_exam_say(e, taken && excluded ? AM_LEVEL_OK : AM_LEVEL_ERROR, "%s",
                       taken ? (excluded ? "work" : "do not exclude") : "refused");
}
