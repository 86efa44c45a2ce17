/* SPDX-License-Identifier: MIT */
/* doctor: which energy meters are here, and whether this user may read them. */
#include "topo/doctor_check.h"

#include "base/text.h"
#include "topo/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAP_BIT_SYS_ADMIN = 21, CAP_BIT_PERFMON = 38 };

static bool is_denied(const struct am_fsroot *root, const char *path)
{
    char text[AM_PROBE_CAP];

    return am_fsroot_read(root, path, text, sizeof(text)) < 0 && errno == EACCES;
}

struct zone_walk {
    const struct am_fsroot *root;
    unsigned zones, denied, msr, mmio;
    struct am_text names;
};

static bool zone_entry(void *self, const char *name)
{
    struct zone_walk *w = self;
    char path[AM_PROBE_CAP], text[AM_PROBE_CAP];

    if (!am_str_format(path, sizeof(path), "sys/class/powercap/%s/energy_uj", name) ||
        !am_fsroot_exists(w->root, path))
        return true;
    w->zones++;
    w->denied += is_denied(w->root, path);
    w->msr += am_glob_match("intel-rapl:?", name);
    w->mmio += am_glob_match("intel-rapl-mmio:?", name);
    (void)am_str_format(path, sizeof(path), "sys/class/powercap/%s/name", name);
    if (am_probe_line(w->root, path, text, sizeof(text)))
        am_text_addf(&w->names, "%s%s", w->names.len ? " " : "", text);
    return true;
}

static enum am_level judge_zones(struct am_exam *e, const struct zone_walk *w)
{
    if (w->zones == 0)
        return am_exam_absent(e);
    if (w->denied)
        return am_exam_say(e, AM_LEVEL_WARN, "%u of %u zones not readable (%s)", w->denied,
                           w->zones, am_text_str(&w->names));
    return am_exam_say(e, AM_LEVEL_OK, "%u zones (%s)%s", w->zones, am_text_str(&w->names),
                       w->msr && w->mmio ? "; MSR and MMIO show the same package twice" : "");
}

enum am_level am_check_energy_powercap(struct am_exam *e)
{
    struct zone_walk w = {.root = e->root};
    enum am_level level;

    am_text_init(&w.names, AM_PROBE_CAP);
    (void)am_fsroot_list(e->root, "sys/class/powercap", zone_entry, &w);
    level = judge_zones(e, &w);
    am_text_fini(&w.names);
    return level;
}

static bool event_entry(void *self, const char *name)
{
    struct am_text *t = self;

    if (am_glob_match("energy-*", name) && !strchr(name, '.')) /* not .scale and .unit */
        am_text_addf(t, "%s%s", t->len ? " " : "", name);
    return true;
}

/* Whether the process may open system-wide events: a capability, or an open setting. */
static bool may_count_system(const struct am_exam *e)
{
    char text[4096], value[AM_PROBE_CAP];
    const uint64_t wanted = (uint64_t)1 << CAP_BIT_SYS_ADMIN | (uint64_t)1 << CAP_BIT_PERFMON;
    int64_t paranoid;

    if (am_probe_line(e->root, "proc/sys/kernel/perf_event_paranoid", value, sizeof(value)) &&
        am_parse_i64(value, strlen(value), &paranoid) && paranoid <= 0)
        return true;
    if (am_fsroot_read(e->root, "proc/self/status", text, sizeof(text)) > 0 &&
        am_probe_field(text, "CapEff", value, sizeof(value))) {
        char *end;
        const unsigned long long caps = strtoull(value, &end, 16);

        return *end == '\0' && (caps & wanted) != 0;
    }
    return false;
}

enum am_level am_check_energy_perf(struct am_exam *e)
{
    struct am_text events;
    enum am_level level;

    am_text_init(&events, AM_PROBE_CAP);
    (void)am_fsroot_list(e->root, "sys/bus/event_source/devices/power/events", event_entry,
                         &events);
    if (events.len == 0)
        level = am_exam_absent(e);
    else
        level = am_exam_say(e, am_exam_warn_if(!may_count_system(e)), "%s", am_text_str(&events));
    am_text_fini(&events);
    return level;
}

struct sensor_walk {
    const struct am_fsroot *root;
    const char *chip;
    unsigned sensors, denied;
    struct am_text chips;
};

static bool sensor_entry(void *self, const char *name)
{
    struct sensor_walk *w = self;
    char path[AM_PROBE_CAP];

    if (!am_glob_match("power*_input", name) && !am_glob_match("power*_average", name) &&
        !am_glob_match("energy*_input", name))
        return true;
    w->sensors++;
    if (am_str_format(path, sizeof(path), "sys/class/hwmon/%s/%s", w->chip, name))
        w->denied += is_denied(w->root, path);
    return true;
}

static bool chip_entry(void *self, const char *name)
{
    struct sensor_walk *w = self;
    const unsigned before = w->sensors;
    char path[AM_PROBE_CAP], text[AM_PROBE_CAP];

    w->chip = name;
    if (!am_str_format(path, sizeof(path), "sys/class/hwmon/%s", name) ||
        !am_fsroot_list(w->root, path, sensor_entry, w) || w->sensors == before)
        return true;
    (void)am_str_format(path, sizeof(path), "sys/class/hwmon/%s/name", name);
    if (am_probe_line(w->root, path, text, sizeof(text)))
        am_text_addf(&w->chips, "%s%s", w->chips.len ? " " : "", text);
    return true;
}

enum am_level am_check_energy_hwmon(struct am_exam *e)
{
    struct sensor_walk w = {.root = e->root};
    enum am_level level;

    am_text_init(&w.chips, AM_PROBE_CAP);
    (void)am_fsroot_list(e->root, "sys/class/hwmon", chip_entry, &w);
    if (w.sensors == 0)
        level = am_exam_say(e, AM_LEVEL_UNKNOWN, "no power or energy sensor visible here");
    else
        level = am_exam_say(e, am_exam_warn_if(w.denied > 0), "%u sensors (%s), %u not readable",
                            w.sensors, am_text_str(&w.chips), w.denied);
    am_text_fini(&w.chips);
    return level;
}

enum am_level am_check_energy_msr(struct am_exam *e)
{
    static const char registers[] = "dev/cpu/0/msr";

    if (!am_fsroot_exists(e->root, registers))
        return am_exam_absent(e);
    if (faccessat(e->root->fd, registers, R_OK, AT_EACCESS) != 0)
        return am_exam_say(e, AM_LEVEL_UNKNOWN, "/%s is for root; --meter-msr needs it", registers);
    return am_exam_say(e, AM_LEVEL_OK, "/%s can be read by --meter-msr", registers);
}

/* Whether the vendor's library is here; that of a false root is nobody's. */
static bool has_library(const struct am_exam *e)
{
    void *const library =
        e->root->synthetic ? NULL : dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);

    if (library)
        (void)dlclose(library);
    return library || e->root->synthetic;
}

enum am_level am_check_energy_nvml(struct am_exam *e)
{
    static const char device[] = "dev/nvidiactl";
    char version[AM_PROBE_CAP];

    if (!am_fsroot_exists(e->root, device))
        return am_exam_absent(e);
    if (!am_probe_line(e->root, "sys/module/nvidia/version", version, sizeof(version)))
        (void)am_str_copy(version, sizeof(version), "of unknown version");
    if (faccessat(e->root->fd, device, R_OK | W_OK, AT_EACCESS) != 0)
        return am_exam_say(e, AM_LEVEL_WARN, "driver %s, /%s may not be opened", version, device);
    if (!has_library(e))
        return am_exam_say(e, AM_LEVEL_WARN, "driver %s, libnvidia-ml.so.1 cannot be loaded",
                           version);
    return am_exam_say(e, AM_LEVEL_OK, "driver %s", version);
}
