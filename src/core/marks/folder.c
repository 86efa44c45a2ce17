/* SPDX-License-Identifier: MIT */
/* The folder in which a marked program leaves its files: made, told of, removed again. */
#include "core/marks/marks.h"

#include "base/clock.h"

#define ARCHMETER_MARK_LAYOUT
#include <archmeter/mark.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>

const char am_marks_events_variable[] = AM_MARK_EVENTS_VARIABLE;

static const char stem[] = "archmeter-marks-";

/* Memory rather than a disk, so that nothing is written back while the program runs. */
static const char *const places[] = {"/dev/shm", NULL /* $TMPDIR */, "/tmp"};
enum { PLACES = sizeof(places) / sizeof(*places), CPUINFO_MAX = 16 * 1024 };

static const char *place(size_t i)
{
    return places[i] ? places[i] : getenv("TMPDIR");
}

static void remove_folder(const char *path)
{
    DIR *const dir = opendir(path);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        (void)unlinkat(dirfd(dir), entry->d_name, 0); /* "." and ".." stay */
    if (dir)
        (void)closedir(dir);
    (void)rmdir(path);
}

/* Whether a folder of ours is left from a process that is gone. */
static bool is_left(const char *name)
{
    const char *const digits = name + sizeof(stem) - 1;
    uint64_t pid;

    return strncmp(name, stem, sizeof(stem) - 1) == 0 &&
           am_parse_u64(digits, strcspn(digits, "-"), &pid) && pid > 1 && pid < INT32_MAX &&
           kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static void sweep(const char *where)
{
    DIR *const dir = opendir(where);
    const struct dirent *entry;
    char path[sizeof(((struct am_marks_folder *)NULL)->path)];

    while (dir && (entry = readdir(dir))) {
        if (is_left(entry->d_name) &&
            am_str_format(path, sizeof(path), "%s/%s", where, entry->d_name))
            remove_folder(path);
    }
    if (dir)
        (void)closedir(dir);
}

#if defined(__x86_64__)
/* The processor's counter is a clock where its rate and its running never change: the kernel says
 * so. */
static bool ticks_are_time(void)
{
    char text[CPUINFO_MAX + 1];
    const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, CPUINFO_MAX) : -1;

    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    return strstr(text, " constant_tsc") && strstr(text, " nonstop_tsc");
}
#else
/* Arm's counter is a clock by definition. */
static bool ticks_are_time(void)
{
    return AM_MARK_HAS_TICKS;
}
#endif

enum am_status am_marks_open(struct am_marks_folder *folder, struct am_err *err)
{
    bool made = false;

    *folder = (struct am_marks_folder){.ticks = ticks_are_time()};
    for (size_t i = 0; i < PLACES && !made; i++) {
        if (!place(i))
            continue;
        sweep(place(i));
        made = am_str_format(folder->path, sizeof(folder->path), "%s/%s%ld-XXXXXX", place(i), stem,
                             (long)getpid()) &&
               mkdtemp(folder->path);
    }
    if (!made)
        return am_fail(err, AM_E_SYS, "no folder for the program's marks can be made");
    (void)am_str_format(folder->environment, sizeof(folder->environment), "%s=%s:%s",
                        AM_MARK_VARIABLE, folder->ticks ? "ticks" : "clock", folder->path);
    folder->begin_ns = am_mark_ns_();
    folder->begin_ticks = am_mark_ticks_();
    folder->begin_raw_ns = am_now_ns();
    return AM_OK;
}

void am_marks_close(struct am_marks_folder *folder)
{
    if (*folder->environment)
        remove_folder(folder->path);
    *folder->environment = '\0';
}
