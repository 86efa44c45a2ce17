/* SPDX-License-Identifier: MIT */
/* The set of meters: all providers asked in the order of preference. */
#include "meter/meter.h"

#include "base/clock.h"
#include "base/text.h"

#include <string.h>
#include <time.h>

#define AM_SCOPE_NAME(id, name) [id] = (name),
static const char *const scope_names[AM_SCOPE_COUNT] = {AM_SCOPE_MAP(AM_SCOPE_NAME)};
#undef AM_SCOPE_NAME

/* Ways to one counter stand in the order in which they are preferred. */
static am_meter_open_fn *const providers[] = {
    am_meter_open_perf,  am_meter_open_powercap, am_meter_open_msr,  am_meter_open_nvml,
    am_meter_open_hwmon, am_meter_open_sys_cfg,  am_meter_open_scpi, am_meter_open_command,
};

const char *am_scope_name(enum am_scope scope)
{
    return (unsigned)scope < AM_SCOPE_COUNT ? scope_names[scope] : "unknown";
}

struct am_meter *am_meters_add(struct am_meters *meters, const char *provider)
{
    struct am_meter *m;

    if (meters->n == AM_METERS_MAX)
        return NULL;
    m = &meters->items[meters->n++];
    *m = (struct am_meter){.provider = provider, .parent = -1, .same_as = -1};
    return m;
}

bool am_meter_counts(const struct am_meter *m)
{
    return !m->why_not && m->read && m->same_as < 0;
}

uint64_t am_meters_now(const struct am_meters *meters)
{
    return meters->time ? meters->time->now_ns(meters->time->self) : am_now_ns();
}

void am_meters_rest(const struct am_meters *meters, uint64_t ns)
{
    const struct timespec rest = {.tv_sec = (time_t)(ns / 1000000000u),
                                  .tv_nsec = (long)(ns % 1000000000u)};

    if (meters->time)
        meters->time->rest_ns(meters->time->self, ns);
    else
        (void)nanosleep(&rest, NULL);
}

enum am_status am_meters_read(const struct am_meters *meters, const struct am_meter *meter,
                              struct am_reading *out, struct am_err *err)
{
    const enum am_status s = meter->read(meter->self, out, err);

    if (meters->time) /* providers look at the real clock */
        out->t0_ns = out->t1_ns = am_meters_now(meters);
    return s;
}

static bool is_asked_for(const struct am_meter_request *request, const struct am_meter *m,
                         struct am_arena *arena)
{
    const char *full;

    if (!request->only || am_glob_match(request->only, m->provider))
        return true;
    full = am_arena_printf(arena, "%s:%s", m->provider, m->id);
    return full && am_glob_match(request->only, full);
}

static const char not_asked_for[] = "not asked for";

static void leave_out_others(const struct am_meter_request *request, struct am_arena *arena,
                             struct am_meters *meters)
{
    for (size_t i = 0; i < meters->n; i++) {
        if (!is_asked_for(request, &meters->items[i], arena) && !meters->items[i].why_not)
            meters->items[i].why_not = not_asked_for;
    }
}

/* perf, powercap and the registers show the same RAPL counters; their ids are the same by
 * construction ("package-0", "dram-0"). */
static bool is_rapl(const struct am_meter *m)
{
    return strcmp(m->provider, "perf") == 0 || strcmp(m->provider, "powercap") == 0 ||
           strcmp(m->provider, "msr") == 0;
}

static bool is_same_counter(const struct am_meter *a, const struct am_meter *b)
{
    return is_rapl(a) && is_rapl(b) && strcmp(a->provider, b->provider) != 0 &&
           strcmp(a->id, b->id) == 0;
}

bool am_meters_lacks(const struct am_meters *meters, size_t i)
{
    const struct am_meter *const m = &meters->items[i];

    if (!m->why_not || m->why_not == not_asked_for || m->same_as >= 0)
        return false;
    for (size_t k = 0; k < meters->n; k++) {
        if (am_meter_counts(&meters->items[k]) && is_same_counter(m, &meters->items[k]))
            return false;
    }
    return true;
}

pid_t am_meters_helper(const struct am_meters *meters)
{
    for (size_t i = 0; i < meters->n; i++) {
        if (meters->items[i].helper && am_meter_counts(&meters->items[i]))
            return meters->items[i].helper;
    }
    return 0;
}

static void find_other_ways(struct am_meters *meters)
{
    for (size_t i = 0; i < meters->n; i++) {
        struct am_meter *const m = &meters->items[i];

        for (size_t k = 0; k < i && m->same_as < 0; k++) {
            const struct am_meter *const earlier = &meters->items[k];

            if (am_meter_counts(earlier) && is_same_counter(m, earlier))
                m->same_as = (int)k;
        }
    }
}

/* A platform's counter holds those of the packages, though they stand side by side. */
static void put_into_platforms(struct am_meters *meters)
{
    for (size_t i = 0; i < meters->n; i++) {
        struct am_meter *const m = &meters->items[i];

        for (size_t k = 0; k < meters->n && m->parent < 0; k++) {
            if (k != i && is_rapl(m) && m->scope != AM_SCOPE_PSYS &&
                meters->items[k].scope == AM_SCOPE_PSYS &&
                strcmp(m->provider, meters->items[k].provider) == 0)
                m->parent = (int)k;
        }
    }
}

enum am_status am_meters_open(const struct am_meter_request *request, struct am_arena *arena,
                              struct am_meters *out, struct am_err *err)
{
    *out = (struct am_meters){.synthetic = request->root->synthetic, .time = request->time};
    for (size_t i = 0; i < sizeof(providers) / sizeof(*providers); i++) {
        const enum am_status s = providers[i](request, arena, out, err);

        if (s != AM_OK) {
            am_meters_close(out);
            return s;
        }
    }
    leave_out_others(request, arena, out);
    find_other_ways(out);
    put_into_platforms(out);
    return AM_OK;
}

void am_meters_close(struct am_meters *meters)
{
    for (size_t i = 0; i < meters->n; i++) {
        if (meters->items[i].close)
            meters->items[i].close(meters->items[i].self);
    }
    *meters = (struct am_meters){0};
}
