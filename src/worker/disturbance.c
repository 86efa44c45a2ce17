/* SPDX-License-Identifier: MIT */
/* What else ran on our CPUs. */
#include "worker/disturbance.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    STAT_CAP = 256 * 1024,
    STEAL_FIELD = 8,          /* user nice system idle iowait irq softirq steal */
    THREADS_FIELD = 18,       /* of /proc/PID/stat, counted from the bracket that ends the name */
    WAITED_THREADS_MAX = 128, /* a file is read per thread: not of more */
    WAITED_TEXT = 96,
};

static bool uses(const int *cpus, size_t n, uint64_t cpu)
{
    for (size_t i = 0; i < n; i++) {
        if ((uint64_t)cpus[i] == cpu)
            return true;
    }
    return false;
}

/* The number of field `field` (1-based, after the name) of a line that begins at `p`. */
static uint64_t field_value(const char *p, const char *end, int field)
{
    uint64_t value = 0;

    for (int i = 0; i <= field && p < end; i++) {
        const size_t n = strcspn(p, " \n");

        if (i == field && !am_parse_u64(p, n, &value))
            value = 0;
        p += n;
        p += strspn(p, " ");
    }
    return value;
}

uint64_t am_disturbance_steal_ticks(const char *text, const int *cpus, size_t n_cpus)
{
    uint64_t total = 0;

    while (strncmp(text, "cpu", 3) == 0) {
        const char *end = strchr(text, '\n');
        uint64_t cpu;

        if (!end)
            end = text + strlen(text);
        if (am_parse_u64(text + 3, strcspn(text + 3, " \n"), &cpu) && uses(cpus, n_cpus, cpu))
            total += field_value(text, end, STEAL_FIELD);
        text = *end ? end + 1 : end;
    }
    return total;
}

/* The name stands in brackets and may hold anything: what follows the last one is numbers. */
uint64_t am_disturbance_threads(const char *text)
{
    const char *const name_end = strrchr(text, ')');
    uint64_t threads = 0;

    if (name_end)
        threads = field_value(name_end, name_end + strlen(name_end), THREADS_FIELD);
    return threads;
}

uint64_t am_disturbance_newest(const char *text)
{
    const char *const last = strrchr(text, ' ');
    uint64_t newest = 0;

    if (!last || !am_parse_u64(last + 1, strcspn(last + 1, "\n"), &newest))
        newest = 0;
    return newest;
}

/* The file's text as it is now; "" when it cannot be read. */
static const char *read_again(const struct am_disturbance_probe *probe, int fd)
{
    const ssize_t n = fd >= 0 ? pread(fd, probe->text, STAT_CAP - 1, 0) : 0;

    probe->text[n > 0 ? n : 0] = '\0';
    return probe->text;
}

/* "time on the CPU, time waiting for it, times that it got it" */
bool am_disturbance_waited(const char *text, uint64_t *ns)
{
    const size_t first = strcspn(text, " ");
    const char *const second = text + first + strspn(text + first, " ");

    return first && am_parse_u64(second, strcspn(second, " \n"), ns);
}

static bool read_thread_waited(int tasks, const char *thread, uint64_t *ns)
{
    char path[WAITED_TEXT], text[WAITED_TEXT];
    ssize_t n;
    int fd;

    if (!am_str_format(path, sizeof(path), "%s/schedstat", thread))
        return false;
    fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    return am_disturbance_waited(text, ns);
}

/* Of all threads that there are now. One that ends meanwhile takes its part with it. */
static bool read_waited(const struct am_disturbance_probe *probe, uint64_t threads, uint64_t *out)
{
    const struct dirent *entry;
    bool known = probe->tasks && threads && threads <= WAITED_THREADS_MAX;

    *out = 0;
    if (known)
        rewinddir(probe->tasks);
    while (known && (entry = readdir(probe->tasks))) {
        uint64_t ns = 0;

        if (entry->d_name[0] == '.')
            continue;
        known = read_thread_waited(dirfd(probe->tasks), entry->d_name, &ns);
        *out += ns;
    }
    return known;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) == 0
               ? (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec
               : 0;
}

static void read_probe(void *self, struct am_disturbance_totals *out)
{
    const struct am_disturbance_probe *probe = self;
    struct rusage usage;

    *out = (struct am_disturbance_totals){0};
    if (probe->text) {
        out->steal_ns = am_disturbance_steal_ticks(read_again(probe, probe->stat_fd), probe->cpus,
                                                   probe->n_cpus) *
                        probe->tick_ns;
        out->threads = am_disturbance_threads(read_again(probe, probe->self_fd));
        out->newest = am_disturbance_newest(read_again(probe, probe->load_fd));
    }
    out->has_waited = read_waited(probe, out->threads, &out->waited_ns);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        out->switches = (uint64_t)usage.ru_nivcsw;
}

static void read_times(void *self, struct am_cpu_times *out)
{
    (void)self;
    *out = (struct am_cpu_times){.thread_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID),
                                 .process_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
}

void am_disturbance_open(struct am_disturbance_probe *probe, const int *cpus, size_t n_cpus,
                         struct am_disturbance *out)
{
    const long hz = sysconf(_SC_CLK_TCK);

    *probe = (struct am_disturbance_probe){
        .stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC),
        .self_fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC),
        .load_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC),
        .tasks = opendir("/proc/self/task"),
        .text = malloc(STAT_CAP),
        .cpus = cpus,
        .n_cpus = n_cpus,
        .tick_ns = hz > 0 ? UINT64_C(1000000000) / (uint64_t)hz : 0,
    };
    *out = (struct am_disturbance){
        .read = read_probe, .times = read_times, .cpus = n_cpus, .self = probe};
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void am_disturbance_close(struct am_disturbance_probe *probe)
{
    close_file(&probe->stat_fd);
    close_file(&probe->self_fd);
    close_file(&probe->load_fd);
    if (probe->tasks)
        (void)closedir(probe->tasks);
    probe->tasks = NULL;
    free(probe->text);
    probe->text = NULL;
}
