/* SPDX-License-Identifier: MIT */
/* doctor: topology, address layout, kernel settings, virtualisation. */
#include "topo/doctor_check.h"

#include "base/clock.h"
#include "base/text.h"
#include "topo/probe.h"

#include <inttypes.h>
#include <string.h>

#define CPU_DIR "sys/devices/system/cpu"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint64_t timer_cost_max_ns = 200; /* a system call instead of the vDSO costs more */

enum am_level am_check_topology_smt(struct am_exam *e)
{
    char control[AM_PROBE_CAP];

    if (!e->shape)
        return am_exam_absent(e);
    if (!am_probe_line(e->root, CPU_DIR "/smt/control", control, sizeof(control)))
        (void)am_str_copy(control, sizeof(control), "not stated");
    return am_exam_say(e, AM_LEVEL_OK, "%s; %u threads on %u cores", control, e->shape->threads,
                       e->shape->cores);
}

enum am_level am_check_topology_packages(struct am_exam *e)
{
    if (!e->shape)
        return am_exam_absent(e);
    return am_exam_say(e, AM_LEVEL_OK, "packages: %u", e->shape->packages);
}

enum am_level am_check_topology_numa(struct am_exam *e)
{
    if (!e->shape)
        return am_exam_absent(e);
    return am_exam_say(e, AM_LEVEL_OK, "memory nodes: %u", e->shape->numa_nodes);
}

static void list_or(const struct am_exam *e, const char *path, char *buf, size_t cap)
{
    if (!am_probe_line(e->root, path, buf, cap) || strcmp(buf, "(null)") == 0)
        (void)am_str_copy(buf, cap, "none");
}

enum am_level am_check_topology_isolated(struct am_exam *e)
{
    char isolated[AM_PROBE_CAP], tickless[AM_PROBE_CAP];

    if (!am_fsroot_exists(e->root, CPU_DIR "/isolated") &&
        !am_fsroot_exists(e->root, CPU_DIR "/nohz_full"))
        return am_exam_absent(e);
    list_or(e, CPU_DIR "/isolated", isolated, sizeof(isolated));
    list_or(e, CPU_DIR "/nohz_full", tickless, sizeof(tickless));
    return am_exam_say(e, AM_LEVEL_OK, "isolated %s, without tick %s", isolated, tickless);
}

/* The kernel tells kinds of core apart by capacity (Arm) or by two PMUs (Intel); hwloc by more. */
enum am_level am_check_topology_kinds(struct am_exam *e)
{
    const bool two_pmus = am_fsroot_exists(e->root, "sys/devices/cpu_core") &&
                          am_fsroot_exists(e->root, "sys/devices/cpu_atom");
    struct am_tally capacity;
    unsigned kinds;

    if (!e->shape)
        return am_exam_absent(e);
    am_probe_tally(e->root, CPU_DIR, "cpu", "cpu_capacity", &capacity);
    kinds = e->shape->core_kinds;
    if (capacity.n > kinds)
        kinds = capacity.n;
    if (two_pmus && kinds < 2)
        kinds = 2;
    return am_exam_say(e, am_exam_warn_if(kinds > 1), "kinds of core: %u", kinds);
}

enum am_level am_check_layout_aslr(struct am_exam *e)
{
    static const char *const meaning[] = {"off", "without the heap", "full"};
    uint64_t mode;

    if (!am_fsroot_read_u64(e->root, "proc/sys/kernel/randomize_va_space", &mode))
        return am_exam_absent(e);
    return am_exam_say(e, AM_LEVEL_OK, "%" PRIu64 " (%s)", mode,
                       mode < COUNT(meaning) ? meaning[mode] : "?");
}

/* The file may hold -1. */
enum am_level am_check_kernel_perf(struct am_exam *e)
{
    char line[AM_PROBE_CAP];
    int64_t level;

    if (!am_probe_line(e->root, "proc/sys/kernel/perf_event_paranoid", line, sizeof(line)) ||
        !am_parse_i64(line, strlen(line), &level))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(level > 2), "perf_event_paranoid %" PRId64, level);
}

enum am_level am_check_kernel_watchdog(struct am_exam *e)
{
    uint64_t on;

    if (!am_fsroot_read_u64(e->root, "proc/sys/kernel/nmi_watchdog", &on))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(on != 0), "%s", on ? "on" : "off");
}

struct weakness_count {
    const struct am_fsroot *root;
    unsigned listed, mitigated, open;
};

static bool weakness_entry(void *self, const char *name)
{
    struct weakness_count *w = self;
    char path[AM_PROBE_CAP], text[AM_PROBE_CAP];

    if (!am_str_format(path, sizeof(path), CPU_DIR "/vulnerabilities/%s", name) ||
        !am_probe_line(w->root, path, text, sizeof(text)))
        return true;
    w->listed++;
    w->mitigated += strncmp(text, "Mitigation", 10) == 0;
    w->open += strncmp(text, "Vulnerable", 10) == 0;
    return true;
}

enum am_level am_check_kernel_mitigations(struct am_exam *e)
{
    struct weakness_count w = {.root = e->root};

    if (!am_fsroot_list(e->root, CPU_DIR "/vulnerabilities", weakness_entry, &w) || w.listed == 0)
        return am_exam_absent(e);
    return am_exam_say(e, AM_LEVEL_OK, "%u weaknesses mitigated, %u left open", w.mitigated,
                       w.open);
}

enum am_level am_check_kernel_clock_source(struct am_exam *e)
{
    static const char *const good[] = {"tsc", "arch_sys_counter",  "timebase",
                                       "tod", "riscv_clocksource", "hyperv_clocksource_tsc_page"};
    char source[AM_PROBE_CAP];

    if (!am_probe_line(e->root, "sys/devices/system/clocksource/clocksource0/current_clocksource",
                       source, sizeof(source)))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(am_name_index(good, COUNT(good), source) < 0), "%s",
                       source);
}

enum am_level am_check_kernel_timer(struct am_exam *e)
{
    struct am_clock clock;

    am_clock_init(&clock);
    return am_exam_say(e, am_exam_warn_if(clock.overhead_ns > timer_cost_max_ns),
                       "%" PRIu64 " ns a reading, steps of %" PRIu64 " ns", clock.overhead_ns,
                       clock.resolution_ns);
}

static enum am_level judge_host(struct am_exam *e, const char *what)
{
    if (strcmp(what, "unknown") == 0)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(strcmp(what, "none") != 0), "%s", what);
}

enum am_level am_check_virt_machine(struct am_exam *e)
{
    char what[AM_PROBE_CAP];

    am_probe_virtualisation(e->root, what, sizeof(what));
    return judge_host(e, what);
}

enum am_level am_check_virt_container(struct am_exam *e)
{
    char what[AM_PROBE_CAP];

    am_probe_container(e->root, what, sizeof(what));
    return judge_host(e, what);
}
