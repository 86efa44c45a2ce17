/* SPDX-License-Identifier: MIT */
/* Kinds of core, by hwloc and by each CPU's identification. */
#include "topo/kinds.h"

#include "base/text.h"

#include <stdint.h>
#include <string.h>

enum { LIST_MAX = 4096 }; /* bytes of a list of CPUs */

/* Highest frequencies nearer than this are favoured cores of one kind. */
static const double favoured = 0.85;

static const char *info_of(const struct hwloc_info_s *infos, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(infos[i].name, name) == 0)
            return infos[i].value;
    }
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static double number_of(const char *text)
{
    double value;

    return text && am_parse_f64(text, strlen(text), &value) ? value : 0;
}

/* What hwloc says of a kind; texts are hwloc's. */
struct told {
    const char *type, *capacity, *frequency;
};

/* Whether two kinds differ by nothing but a little of highest frequency. */
static bool is_favoured(const struct told *slow, const struct told *fast)
{
    const double a = number_of(slow->frequency), b = number_of(fast->frequency);

    return same_text(slow->type, fast->type) && same_text(slow->capacity, fast->capacity) &&
           a > 0 && a >= favoured * b && b >= favoured * a;
}

static bool add_kind(struct am_kinds *out, hwloc_const_bitmap_t set)
{
    if (out->n == AM_KINDS_MAX)
        return false;
    out->sets[out->n] = hwloc_bitmap_dup(set);
    if (!out->sets[out->n])
        return false;
    out->n++;
    return true;
}

/* hwloc has the fastest kind last where it can rank them. */
static void find_by_hwloc(hwloc_topology_t h, struct am_kinds *out)
{
    struct told told[AM_KINDS_MAX];
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    for (int k = hwloc_cpukinds_get_nr(h, 0) - 1; set && k >= 0; k--) {
        struct hwloc_info_s *infos = NULL;
        unsigned n = 0;
        struct told t;

        if (hwloc_cpukinds_get_info(h, (unsigned)k, set, NULL, &n, &infos, 0) < 0)
            continue;
        t = (struct told){info_of(infos, n, "CoreType"), info_of(infos, n, "LinuxCapacity"),
                          info_of(infos, n, "FrequencyMaxMHz")};
        if (out->n > 0 && is_favoured(&t, &told[out->n - 1]))
            (void)hwloc_bitmap_or(out->sets[out->n - 1], out->sets[out->n - 1], set);
        else if (add_kind(out, set))
            told[out->n - 1] = t;
    }
    hwloc_bitmap_free(set);
}

/* Event counters per kind, as kernels on Intel's hybrid processors have them: the fastest first. */
static const struct {
    const char *path, *name;
} counted[] = {
    {"sys/devices/cpu_core/cpus", "P"},
    {"sys/devices/cpu_atom/cpus", "E"},
    {"sys/devices/cpu_lowpower/cpus", "LPE"},
};

static void find_by_counters(const struct am_fsroot *root, struct am_kinds *out)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    char list[LIST_MAX];

    for (size_t i = 0; set && i < sizeof(counted) / sizeof(counted[0]); i++) {
        if (am_fsroot_read(root, counted[i].path, list, sizeof(list)) > 0 &&
            hwloc_bitmap_list_sscanf(set, list) == 0 && add_kind(out, set))
            (void)am_str_copy(out->names[out->n - 1], AM_KIND_NAME_MAX, counted[i].name);
    }
    hwloc_bitmap_free(set);
}

static bool read_of_cpu(const struct am_fsroot *root, int cpu, const char *leaf, char *buf,
                        size_t cap)
{
    char path[128];

    return am_str_format(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, leaf) &&
           am_fsroot_read(root, path, buf, cap) > 0;
}

/* A kind of CPUs with one identification, and what ranks it. */
struct midr {
    char text[32];
    uint64_t rank; /* bytes of the first CPU's second cache: larger cores have more */
    hwloc_bitmap_t set;
};

static uint64_t second_cache_kib(const struct am_fsroot *root, int cpu)
{
    char text[32];
    uint64_t kib = 0;

    if (!read_of_cpu(root, cpu, "cache/index2/size", text, sizeof(text)))
        return 0;
    return am_parse_u64(text, strspn(text, "0123456789"), &kib) ? kib : 0;
}

static void add_to_midr(const struct am_fsroot *root, int cpu, struct midr *all, size_t *n)
{
    char text[sizeof(all->text)];
    size_t i = 0;

    if (!read_of_cpu(root, cpu, "regs/identification/midr_el1", text, sizeof(text)))
        return;
    while (i < *n && strcmp(all[i].text, text) != 0)
        i++;
    if (i == AM_KINDS_MAX)
        return;
    if (i == *n) {
        (*n)++;
        (void)am_str_copy(all[i].text, sizeof(all[i].text), text);
        all[i].rank = second_cache_kib(root, cpu);
        all[i].set = hwloc_bitmap_alloc();
    }
    if (all[i].set)
        (void)hwloc_bitmap_set(all[i].set, (unsigned)cpu);
}

/* Larger cores have larger second caches; the order of the CPUs' numbers decides between equals. */
static void find_by_midr(hwloc_topology_t h, const struct am_fsroot *root, struct am_kinds *out)
{
    struct midr all[AM_KINDS_MAX] = {{{0}, 0, NULL}};
    hwloc_const_bitmap_t cpus = hwloc_topology_get_topology_cpuset(h);
    size_t n = 0;

    for (int cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu))
        add_to_midr(root, cpu, all, &n);
    for (size_t taken = 0; n > 1 && taken < n; taken++) {
        size_t best = n;

        for (size_t i = 0; i < n; i++) {
            if (all[i].set && (best == n || all[i].rank > all[best].rank))
                best = i;
        }
        if (best == n)
            break;
        (void)add_kind(out, all[best].set);
        hwloc_bitmap_free(all[best].set);
        all[best].set = NULL;
    }
    for (size_t i = 0; i < n; i++)
        hwloc_bitmap_free(all[i].set);
}

/* Sizes of two or three kinds, numbers of more; kinds that have a name keep it. */
static void name_kinds(struct am_kinds *k)
{
    static const char *const sizes[][3] = {{"large", "small", ""}, {"large", "middle", "small"}};

    for (size_t i = 0; i < k->n; i++) {
        if (k->names[i][0])
            continue;
        if (k->n == 2 || k->n == 3)
            (void)am_str_copy(k->names[i], sizeof(k->names[i]), sizes[k->n - 2][i]);
        else
            (void)am_str_format(k->names[i], sizeof(k->names[i]), "%zu", i + 1);
    }
}

/* One kind is none. */
static bool is_told(struct am_kinds *k)
{
    if (k->n < 2)
        am_kinds_fini(k);
    return k->n > 0;
}

void am_kinds_find(hwloc_topology_t topology, const struct am_fsroot *root, struct am_kinds *out)
{
    *out = (struct am_kinds){.n = 0};
    find_by_counters(root, out);
    if (!is_told(out))
        find_by_hwloc(topology, out);
    if (!is_told(out))
        find_by_midr(topology, root, out);
    if (is_told(out))
        name_kinds(out);
}

void am_kinds_fini(struct am_kinds *kinds)
{
    for (size_t i = 0; i < kinds->n; i++)
        hwloc_bitmap_free(kinds->sets[i]);
    *kinds = (struct am_kinds){.n = 0};
}

unsigned am_kinds_of(const struct am_kinds *kinds, int cpu)
{
    for (size_t i = 0; i < kinds->n; i++) {
        if (hwloc_bitmap_isset(kinds->sets[i], (unsigned)cpu))
            return (unsigned)i;
    }
    return 0;
}
