/* SPDX-License-Identifier: MIT */
/* Clock limits through sysfs. */
#include "bench/exec/cpufreq.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_MAX = 32 };

static const char *const limits[2] = {"scaling_min_freq", "scaling_max_freq"};

static void path_of(const char *root, int cpu, const char *name, char path[PATH_MAX])
{
    (void)am_str_format(path, PATH_MAX, "%s/sys/devices/system/cpu/cpu%d/cpufreq/%s", root, cpu,
                        name);
}

bool am_exec_cpufreq_writable(const char *root)
{
    char path[PATH_MAX];

    path_of(root, 0, limits[1], path);
    return access(path, W_OK) == 0;
}

static bool read_limit(const char *root, int cpu, const char *name, uint64_t *khz)
{
    char path[PATH_MAX], text[NUMBER_MAX];
    int fd;
    ssize_t n;

    path_of(root, cpu, name, path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
    if (fd >= 0)
        (void)close(fd);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    return n > 0 && am_parse_u64(text, (size_t)n, khz);
}

static bool write_limit(const char *root, int cpu, const char *name, uint64_t khz)
{
    char path[PATH_MAX], text[NUMBER_MAX];
    ssize_t n;
    int fd;

    path_of(root, cpu, name, path);
    (void)am_str_format(text, sizeof(text), "%llu", (unsigned long long)khz);
    fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    if (fd >= 0)
        (void)close(fd);
    return n == (ssize_t)strlen(text);
}

/* The order in which neither limit ever crosses the other. */
static bool write_both(const char *root, int cpu, const uint64_t now[2], const uint64_t want[2])
{
    const int first = want[1] >= now[0] ? 1 : 0;

    return write_limit(root, cpu, limits[first], want[first]) &&
           write_limit(root, cpu, limits[!first], want[!first]);
}

enum am_status am_exec_cpufreq_set(struct am_exec_cpufreq *f, const char *root, const int *cpus,
                                   size_t n, uint64_t khz, struct am_err *err)
{
    const uint64_t want[2] = {khz, khz};

    *f = (struct am_exec_cpufreq){.root = root, .cpus = cpus};
    f->before = calloc(n ? n : 1, sizeof(*f->before));
    if (!f->before)
        return am_fail(err, AM_E_NOMEM, "no memory for the clocks of %zu CPUs", n);
    for (size_t i = 0; i < n; i++) {
        if (!read_limit(root, cpus[i], limits[0], &f->before[i][0]) ||
            !read_limit(root, cpus[i], limits[1], &f->before[i][1]))
            return am_fail(err, AM_E_ABSENT, "the clock of CPU %d has no limits here", cpus[i]);
        f->n = i + 1;
        if (!write_both(root, cpus[i], f->before[i], want))
            return am_fail(err, AM_E_ABSENT, "the clock of CPU %d cannot be set to %llu kHz: %s",
                           cpus[i], (unsigned long long)khz, strerror(errno));
    }
    return AM_OK;
}

void am_exec_cpufreq_restore(struct am_exec_cpufreq *f)
{
    for (size_t i = 0; i < f->n; i++) {
        uint64_t now[2] = {0, 0};

        (void)read_limit(f->root, f->cpus[i], limits[0], &now[0]);
        (void)write_both(f->root, f->cpus[i], now, f->before[i]);
    }
    free(f->before);
    *f = (struct am_exec_cpufreq){0};
}
