/* SPDX-License-Identifier: MIT */
/* Finding and ending what a child left behind. */
#include "base/orphans.h"

#include "base/clock.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    FOUND_MAX = 256,  /* in one look; what is more is found by the next */
    STAT_BYTES = 512, /* the state and the ids stand at the beginning of /proc/PID/stat */
    PATH_BYTES = 64,
    LOOK_NS = 2000000,
};

/* Killed processes end within milliseconds; one that does not, in a system call that never comes
 * back, is left to the system. */
static const double kill_s = 5;

struct found {
    pid_t pids[FOUND_MAX];
    size_t n;
};

void am_orphans_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
}

/* Whether this process has any child, ended or not. */
static bool has_children(void)
{
    siginfo_t info = {0};

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Parent and process group as /proc/PID/stat has them: "PID (NAME) STATE PPID PGRP ..."; the name
 * may hold anything, parentheses too. */
static bool read_ids(const char *pid, pid_t *parent, pid_t *group)
{
    enum { STATE_BYTES = sizeof(") S") - 1 };
    char path[PATH_BYTES], text[STAT_BYTES], *end;
    const char *behind;
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    behind = strrchr(text, ')');
    if (!behind || strlen(behind) < STATE_BYTES)
        return false;
    *parent = (pid_t)strtol(behind + STATE_BYTES, &end, 10);
    *group = (pid_t)strtol(end, &end, 10);
    return *parent >= 0 && *group > 0;
}

static void find_orphans(struct found *out)
{
    const pid_t self = getpid(), own_group = getpgrp();
    DIR *const dir = opendir("/proc");
    const struct dirent *entry;

    out->n = 0;
    while (dir && out->n < FOUND_MAX && (entry = readdir(dir)) != NULL) {
        pid_t parent, group;
        uint64_t pid;

        if (am_parse_u64(entry->d_name, strlen(entry->d_name), &pid) &&
            read_ids(entry->d_name, &parent, &group) && parent == self && group != own_group)
            out->pids[out->n++] = (pid_t)pid;
    }
    if (dir)
        (void)closedir(dir);
}

/* Reaps those that ended; kills the others if told. Returns how many are left. */
static size_t tend(const struct found *found, bool kills, size_t *killed)
{
    size_t left = 0;

    for (size_t i = 0; i < found->n; i++) {
        if (waitpid(found->pids[i], NULL, WNOHANG) != 0)
            continue;
        left++;
        if (kills && kill(found->pids[i], SIGKILL) == 0)
            ++*killed;
    }
    return left;
}

size_t am_orphans_end(double grace_s)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    const uint64_t begin = am_now_ns();
    size_t killed = 0;

    while (has_children()) {
        const double since = (double)(am_now_ns() - begin) * 1e-9;
        size_t ignored = 0;
        struct found found;

        find_orphans(&found);
        if (found.n == 0 || since > grace_s + kill_s)
            break;
        /* One that was killed and is not gone yet is killed again, and not counted again. */
        if (tend(&found, since >= grace_s, killed ? &ignored : &killed) > 0)
            (void)nanosleep(&pause, NULL);
    }
    return killed;
}
