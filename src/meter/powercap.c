/* SPDX-License-Identifier: MIT */
/* RAPL through the kernel's powercap files. Zones nest: a platform holds packages, a package holds
 * cores, graphics and, on some models, memory; MSR and MMIO show the same package twice. */
#include "meter/file.h"

#include "base/text.h"
#include "topo/energy_remedies.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ZONES "sys/class/powercap"

enum { PATH_CAP = 256, ZONE_CAP = 64 };

static const double joules_a_tick = 1e-6;
static const uint64_t usual_period_ns = 1000000; /* the hardware's, about */
static const double unlikely_w = 2000;           /* where the zone states no limit */

struct walk {
    const struct am_meter_request *request;
    struct am_arena *arena;
    struct am_meters *out;
    char zones[AM_METERS_MAX][ZONE_CAP]; /* of each meter of the set, "" of others */
};

static const struct {
    const char *name; /* the zone's, a glob */
    enum am_scope scope;
    const char *covers;
} kinds[] = {
    {"package*", AM_SCOPE_PACKAGE, "one processor package, whatever runs on it; no memory modules"},
    {"core", AM_SCOPE_CORE, "the cores of one package; part of the package"},
    {"uncore", AM_SCOPE_UNCORE,
     "what the vendor calls uncore, often the graphics; part of the package"},
    {"dram", AM_SCOPE_DRAM, "the memory modules of one package"},
    {"psys*", AM_SCOPE_PSYS, "the platform as its vendor wired it; holds the packages"},
};

/* Reads a text file of a zone. */
static bool zone_text(const struct walk *w, const char *zone, const char *file, char *buf,
                      size_t cap)
{
    char path[PATH_CAP];

    return am_str_format(path, sizeof(path), ZONES "/%s/%s", zone, file) &&
           am_fsroot_read(w->request->root, path, buf, cap) > 0;
}

static uint64_t zone_number(const struct walk *w, const char *zone, const char *file)
{
    char path[PATH_CAP];
    uint64_t value;

    if (!am_str_format(path, sizeof(path), ZONES "/%s/%s", zone, file) ||
        !am_fsroot_read_u64(w->request->root, path, &value))
        return 0;
    return value;
}

/* "intel-rapl:0:1" lies in "intel-rapl:0": its index in the set, or -1. */
static int holder_of(const struct walk *w, const char *zone)
{
    const char *const last = strrchr(zone, ':');

    for (size_t i = 0; last && i < w->out->n; i++) {
        const size_t len = strlen(w->zones[i]);

        if (len && len == (size_t)(last - zone) && memcmp(w->zones[i], zone, len) == 0)
            return (int)i;
    }
    return -1;
}

static bool is_mmio(const char *zone)
{
    return strstr(zone, "mmio") != NULL;
}

/* "core" of "package-0" is "core-0"; a package and a platform bear their own names. */
static const char *id_of(const struct walk *w, const char *zone, const char *name, int holder)
{
    const char *const of = holder >= 0 ? strchr(w->out->items[holder].id, '-') : NULL;

    if (is_mmio(zone))
        return am_arena_printf(w->arena, "%s%s.mmio", name, of && !strchr(name, '-') ? of : "");
    if (of && !strchr(name, '-'))
        return am_arena_printf(w->arena, "%s%s", name, of);
    return am_arena_strdup(w->arena, name);
}

/* Twice what the zone may draw at most cannot be its mean between two readings. */
static double greatest_power(const struct walk *w, const char *zone, int holder)
{
    /* Long term, short term, peak: boards lift any of them. */
    static const char *const limits[] = {
        "constraint_0_max_power_uw",   "constraint_0_power_limit_uw", "constraint_1_max_power_uw",
        "constraint_1_power_limit_uw", "constraint_2_max_power_uw",   "constraint_2_power_limit_uw",
    };
    uint64_t most = 0;

    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        const uint64_t limit = zone_number(w, zone, limits[i]);

        most = limit > most ? limit : most;
    }
    if (most > 0)
        return 2e-6 * (double)most;
    return holder >= 0 ? w->out->items[holder].power_max_w : unlikely_w;
}

static int find_id(const struct am_meters *meters, const char *id, size_t len)
{
    for (size_t i = 0; i < meters->n; i++) {
        const struct am_meter *const m = &meters->items[i];

        if (strcmp(m->provider, "powercap") == 0 && strlen(m->id) == len &&
            memcmp(m->id, id, len) == 0)
            return (int)i;
    }
    return -1;
}

static void add_zone(struct walk *w, const char *zone, const char *name, size_t kind)
{
    const int holder = holder_of(w, zone);
    const size_t at = w->out->n;
    struct am_meter *const m = am_meters_add(w->out, "powercap");
    char path[PATH_CAP];
    uint64_t range;

    if (!m)
        return;
    (void)am_str_copy(w->zones[at], ZONE_CAP, zone);
    m->id = id_of(w, zone, name, holder);
    m->scope = kinds[kind].scope;
    m->covers = kinds[kind].covers;
    m->parent = holder;
    m->quantum_j = joules_a_tick;
    m->period_ns = usual_period_ns;
    range = zone_number(w, zone, "max_energy_range_uj");
    m->range_ticks = range; /* of the register, less one count: 61 uJ */
    m->power_max_w = greatest_power(w, zone, holder);
    if (is_mmio(zone))
        m->same_as = find_id(w->out, m->id, strlen(m->id) - strlen(".mmio"));
    (void)am_str_format(path, sizeof(path), ZONES "/%s/energy_uj", zone);
    am_meter_file_bind(m, w->request->root, path, w->arena);
    if (m->why_not && strstr(m->why_not, strerror(EACCES)))
        m->remedy = AM_REMEDY_POWERCAP;
}

/* In name order a package comes before its parts, but MMIO zones before those of the registers,
 * which are preferred: hence two passes. */
struct pass {
    struct walk *walk;
    bool mmio;
};

static bool on_zone(void *self, const char *zone)
{
    const struct pass *const p = self;
    char name[ZONE_CAP];

    if (!strchr(zone, ':') || is_mmio(zone) != p->mmio ||
        !zone_text(p->walk, zone, "name", name, sizeof(name)))
        return true;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        if (am_glob_match(kinds[k].name, name)) {
            add_zone(p->walk, zone, name, k);
            break;
        }
    }
    return true;
}

enum am_status am_meter_open_powercap(const struct am_meter_request *request,
                                      struct am_arena *arena, struct am_meters *out,
                                      struct am_err *err)
{
    struct walk *const w = am_arena_alloc(arena, sizeof(*w));

    if (!w)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    w->request = request;
    w->arena = arena;
    w->out = out;
    (void)am_fsroot_list(request->root, ZONES, on_zone, &(struct pass){w, false});
    (void)am_fsroot_list(request->root, ZONES, on_zone, &(struct pass){w, true});
    return AM_OK;
}
