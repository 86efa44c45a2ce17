/* SPDX-License-Identifier: MIT */
/* doctor: frequency and throttling. */
#include "topo/doctor_check.h"

#include "base/clock.h"
#include "base/text.h"
#include "topo/probe.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define CPU_DIR "sys/devices/system/cpu"
#define FREQ_DIR CPU_DIR "/cpufreq"

enum { CLOCK_PROBES = 5 };
static const double clock_spread_max = 0.05; /* of the fastest probe */

/* Fills `text`; false when no policy shows this file. */
static bool policies(const struct am_exam *e, const char *leaf, struct am_tally *tally, char *text,
                     size_t cap)
{
    am_probe_tally(e->root, FREQ_DIR, "policy", leaf, tally);
    am_tally_text(tally, text, cap);
    return tally->n > 0;
}

enum am_level am_check_freq_driver(struct am_exam *e)
{
    struct am_tally tally;
    char text[AM_PROBE_CAP];

    if (!policies(e, "scaling_driver", &tally, text, sizeof(text)))
        return am_exam_absent(e);
    return am_exam_say(e, AM_LEVEL_OK, "%s", text);
}

enum am_level am_check_freq_governor(struct am_exam *e)
{
    struct am_tally tally;
    char text[AM_PROBE_CAP];

    if (!policies(e, "scaling_governor", &tally, text, sizeof(text)))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(!am_tally_only(&tally, "performance")), "%s", text);
}

enum am_level am_check_freq_preference(struct am_exam *e)
{
    struct am_tally tally;
    char text[AM_PROBE_CAP];

    if (!policies(e, "energy_performance_preference", &tally, text, sizeof(text)))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(!am_tally_only(&tally, "performance")), "%s", text);
}

/* Both files hold kHz; policies of different kinds of core differ, but agree with their limit. */
enum am_level am_check_freq_range(struct am_exam *e)
{
    struct am_gauge set, built;

    am_probe_gauge(e->root, FREQ_DIR, "policy", "scaling_max_freq", &set);
    am_probe_gauge(e->root, FREQ_DIR, "policy", "cpuinfo_max_freq", &built);
    if (set.files == 0 || built.files != set.files)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(set.sum < built.sum),
                       "up to %.2f GHz of %.2f GHz (mean %.2f of %.2f)", (double)set.max / 1e6,
                       (double)built.max / 1e6, (double)set.sum / set.files / 1e6,
                       (double)built.sum / built.files / 1e6);
}

enum am_level am_check_freq_boost(struct am_exam *e)
{
    const char *boost = am_probe_boost(e->root);

    if (strcmp(boost, "unknown") == 0)
        return am_exam_absent(e);
    return am_exam_say(e, AM_LEVEL_OK, "%s", boost);
}

enum am_level am_check_freq_measured(struct am_exam *e)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct am_clock clock;
    double low = 0, high = 0;

    am_clock_init(&clock);
    for (int i = 0; i < CLOCK_PROBES; i++) {
        const double hz = am_clock_core_hz(&clock);

        if (hz <= 0)
            return am_exam_absent(e);
        low = i == 0 || hz < low ? hz : low;
        high = hz > high ? hz : high;
        (void)nanosleep(&pause, NULL);
    }
    return am_exam_say(e, am_exam_warn_if(high - low > clock_spread_max * high),
                       "%.2f GHz, spread %.1f %% over %d probes", high / 1e9,
                       100 * (high - low) / high, CLOCK_PROBES);
}

enum am_level am_check_throttle_thermal(struct am_exam *e)
{
    struct am_gauge core, package;

    am_probe_gauge(e->root, CPU_DIR, "cpu", "thermal_throttle/core_throttle_count", &core);
    am_probe_gauge(e->root, CPU_DIR, "cpu", "thermal_throttle/package_throttle_count", &package);
    if (core.files + package.files == 0)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(core.sum || package.max),
                       "since boot: cores %" PRIu64 " times, packages %" PRIu64 " times", core.sum,
                       package.max);
}

/* Packages whose long-term limit was set below what the vendor allows. */
struct limit_walk {
    const struct am_fsroot *root;
    unsigned seen, lowered;
};

static bool limit_entry(void *self, const char *name)
{
    struct limit_walk *w = self;
    char path[AM_PROBE_CAP];
    uint64_t limit, most;

    if (!am_glob_match("intel-rapl:*", name) || am_glob_match("intel-rapl:*:*", name))
        return true;
    if (!am_str_format(path, sizeof(path), "sys/class/powercap/%s/constraint_0_power_limit_uw",
                       name) ||
        !am_fsroot_read_u64(w->root, path, &limit))
        return true;
    (void)am_str_format(path, sizeof(path), "sys/class/powercap/%s/constraint_0_max_power_uw",
                        name);
    if (!am_fsroot_read_u64(w->root, path, &most) || most == 0)
        return true;
    w->seen++;
    w->lowered += limit < most;
    return true;
}

enum am_level am_check_throttle_power_limit(struct am_exam *e)
{
    struct limit_walk w = {.root = e->root};

    (void)am_fsroot_list(e->root, "sys/class/powercap", limit_entry, &w);
    if (w.seen == 0)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(w.lowered > 0),
                       "%u of %u packages limited below the vendor's maximum", w.lowered, w.seen);
}

struct supply_walk {
    const struct am_fsroot *root;
    bool mains, battery, discharging;
};

static bool supply_entry(void *self, const char *name)
{
    struct supply_walk *w = self;
    char path[AM_PROBE_CAP], text[AM_PROBE_CAP];
    uint64_t online;

    (void)am_str_format(path, sizeof(path), "sys/class/power_supply/%s/scope", name);
    if (am_probe_line(w->root, path, text, sizeof(text)) && strcmp(text, "Device") == 0)
        return true; /* a mouse's battery */
    (void)am_str_format(path, sizeof(path), "sys/class/power_supply/%s/online", name);
    if (am_fsroot_read_u64(w->root, path, &online))
        w->mains |= online != 0;
    (void)am_str_format(path, sizeof(path), "sys/class/power_supply/%s/type", name);
    if (!am_probe_line(w->root, path, text, sizeof(text)) || strcmp(text, "Battery") != 0)
        return true;
    w->battery = true;
    (void)am_str_format(path, sizeof(path), "sys/class/power_supply/%s/status", name);
    if (am_probe_line(w->root, path, text, sizeof(text)))
        w->discharging |= strcmp(text, "Discharging") == 0;
    return true;
}

enum am_level am_check_throttle_battery(struct am_exam *e)
{
    struct supply_walk w = {.root = e->root};

    if (!am_fsroot_list(e->root, "sys/class/power_supply", supply_entry, &w))
        return am_exam_absent(e);
    if (!w.battery)
        return am_exam_say(e, AM_LEVEL_OK, "no battery");
    if (w.discharging || !w.mains)
        return am_exam_say(e, AM_LEVEL_WARN, "on battery");
    return am_exam_say(e, AM_LEVEL_OK, "on mains");
}
