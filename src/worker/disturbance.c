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
    STEAL_FIELD = 8,    /* user nice system idle iowait irq softirq steal */
    THREADS_FIELD = 18, /* of /proc/PID/stat, counted from the bracket that ends the name */
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

/* The file's text as it is now; "" when it cannot be read. */
static const char *read_again(const struct am_disturbance_probe *probe, int fd)
{
    const ssize_t n = fd >= 0 ? pread(fd, probe->text, STAT_CAP - 1, 0) : 0;

    probe->text[n > 0 ? n : 0] = '\0';
    return probe->text;
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
    }
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
    free(probe->text);
    probe->text = NULL;
}
