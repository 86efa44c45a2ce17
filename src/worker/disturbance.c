/* SPDX-License-Identifier: MIT */
/* What else ran on our CPUs. */
#include "worker/disturbance.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    STAT_CAP = 256 * 1024,
    STEAL_FIELD = 8 /* user nice system idle iowait irq softirq steal */
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

static void read_probe(void *self, uint64_t *steal_ns, uint64_t *switches)
{
    const struct am_disturbance_probe *probe = self;
    struct rusage usage;

    *steal_ns = 0;
    if (probe->text && probe->stat_fd >= 0) {
        const ssize_t n = pread(probe->stat_fd, probe->text, STAT_CAP - 1, 0);

        probe->text[n > 0 ? n : 0] = '\0';
        *steal_ns =
            am_disturbance_steal_ticks(probe->text, probe->cpus, probe->n_cpus) * probe->tick_ns;
    }
    *switches = getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void am_disturbance_open(struct am_disturbance_probe *probe, const int *cpus, size_t n_cpus,
                         struct am_disturbance *out)
{
    const long hz = sysconf(_SC_CLK_TCK);

    *probe = (struct am_disturbance_probe){
        .stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC),
        .text = malloc(STAT_CAP),
        .cpus = cpus,
        .n_cpus = n_cpus,
        .tick_ns = hz > 0 ? UINT64_C(1000000000) / (uint64_t)hz : 0,
    };
    *out = (struct am_disturbance){.read = read_probe, .self = probe};
}

void am_disturbance_close(struct am_disturbance_probe *probe)
{
    if (probe->stat_fd >= 0)
        (void)close(probe->stat_fd);
    probe->stat_fd = -1;
    free(probe->text);
    probe->text = NULL;
}
