/* SPDX-License-Identifier: MIT */
/* The machine itself: what it is called, what it has, and the key that results are filed under. */
#include "topo/topo.h"

#include "base/text.h"
#include "topo/claims.h"
#include "topo/pairs.h"
#include "topo/places.h"
#include "topo/probe.h"

#include <inttypes.h>
#include <string.h>

/* A fact of the processor and the fields of /proc/cpuinfo that tell it, by architecture: x86, Arm,
 * then Power, RISC-V and s390 where they differ. */
struct cpu_fact {
    const char *key;
    const char *fields[5];
};

static const struct cpu_fact cpu_facts[] = {
    {"vendor", {"vendor_id", "CPU implementer", "mvendorid"}},
    {"model_name", {"model name", "Processor", "uarch", "cpu", "processor 0"}},
    {"family", {"cpu family", "CPU architecture"}},
    {"model", {"model", "CPU part", "marchid"}},
    {"stepping", {"stepping", "CPU revision", "revision", "mimpid"}},
    {"variant", {"CPU variant"}},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Memory as it was bought. The kernel keeps a part that differs from version to version and from
 * boot to boot, so the size is taken up to the next of four steps between powers of two, and to a
 * whole GiB: 14.8 is 16, 62.7 is 64, 376 is 384. 0 stays 0. */
static uint64_t memory_gib(uint64_t bytes)
{
    const uint64_t gib = (bytes + (1u << 30) - 1) >> 30;
    uint64_t step = 1;

    while (step * 8 <= gib)
        step *= 2;
    return (gib + step - 1) / step * step;
}

/* CPUs built in, online or not: switching SMT off must not make another machine. */
static unsigned present_threads(const struct am_topo_shape *shape, const struct am_fsroot *root)
{
    char list[AM_PROBE_CAP];
    unsigned n;

    if (am_probe_line(root, "sys/devices/system/cpu/present", list, sizeof(list)) &&
        am_probe_cpulist(list, &n) && n > shape->threads)
        return n;
    return shape->threads;
}

static void add_cpu_facts(const struct am_fsroot *root, struct am_arena *arena, struct am_kvs *out)
{
    for (size_t i = 0; i < COUNT(cpu_facts); i++) {
        const struct cpu_fact *fact = &cpu_facts[i];
        char value[AM_PROBE_CAP];
        bool found = false;

        for (size_t f = 0; !found && f < COUNT(fact->fields) && fact->fields[f]; f++)
            found = am_probe_cpuinfo(root, fact->fields[f], value, sizeof(value));
        am_kvs_add(out, arena, fact->key, found ? value : "unknown");
    }
}

static void add_bytes(struct am_arena *arena, struct am_kvs *out, const char *key, uint64_t bytes)
{
    if (bytes)
        am_kvs_addf(out, arena, key, "%" PRIu64, bytes);
    else
        am_kvs_add(out, arena, key, "unknown");
}

static void add_shape(const struct am_topo_shape *s, const struct am_fsroot *root,
                      struct am_arena *arena, struct am_kvs *out)
{
    am_kvs_addf(out, arena, "packages", "%u", s->packages);
    am_kvs_addf(out, arena, "cores", "%u", s->cores);
    am_kvs_addf(out, arena, "threads", "%u", present_threads(s, root));
    add_bytes(arena, out, "l1d_bytes", s->l1d);
    add_bytes(arena, out, "l2_bytes", s->l2);
    add_bytes(arena, out, "l3_bytes", s->l3);
    if (s->l4) /* not "unknown": machines without one keep their identity */
        add_bytes(arena, out, "l4_bytes", s->l4);
    add_bytes(arena, out, "memory_gib", memory_gib(s->memory_bytes));
}

/* FNV-1a, 64 bits, over "key=value\n" of every fact. */
static uint64_t hash_facts(const struct am_kvs *facts)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < facts->n; i++) {
        const char *const parts[] = {facts->items[i].key, "=", facts->items[i].value, "\n"};

        for (size_t p = 0; p < COUNT(parts); p++) {
            for (const char *c = parts[p]; *c; c++)
                h = (h ^ (unsigned char)*c) * 0x100000001b3u;
        }
    }
    return h;
}

static void add_board(const struct am_fsroot *root, struct am_arena *arena, struct am_kvs *out)
{
    static const char *const files[] = {"sys/class/dmi/id/product_name", "proc/device-tree/model"};
    char value[AM_PROBE_CAP];

    for (size_t i = 0; i < COUNT(files); i++) {
        if (am_probe_line(root, files[i], value, sizeof(value))) {
            am_kvs_add(out, arena, "board", value);
            return;
        }
    }
    am_kvs_add(out, arena, "board", "unknown");
}

/* What the system states of a place, where that differs from what it states of the first core. */
static void add_place(const struct am_topo *topo, const struct am_fsroot *root, const char *place,
                      struct am_arena *arena, struct am_kvs *out)
{
    static const char *const keys[AM_TOPO_CACHES] = {"l1d_bytes", "l2_bytes", "l3_bytes"};
    size_t all;
    const struct am_topo_cpu *const first = am_topo_cpus(topo, &all);
    struct am_topo_cpu *const cpus = am_arena_array(arena, all + 1, sizeof(*cpus));
    const size_t n = cpus ? am_place_cpus(topo, place, cpus) : 0;
    char path[128], line[AM_PROBE_CAP];

    if (n == 0)
        return;
    am_kvs_addf(out, arena, am_arena_printf(arena, "%s.cores", place), "%zu",
                am_cpus_cores(cpus, n));
    for (unsigned i = 0; i < AM_TOPO_CACHES; i++) {
        if (cpus[0].caches[i].bytes != first->caches[i].bytes)
            add_bytes(arena, out, am_arena_printf(arena, "%s.%s", place, keys[i]),
                      cpus[0].caches[i].bytes);
    }
    (void)am_str_format(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq",
                        cpus[0].cpu);
    if (cpus[0].kind != first->kind && am_probe_line(root, path, line, sizeof(line)))
        am_kvs_add(out, arena, am_arena_printf(arena, "%s.frequency_max_khz", place), line);
}

static void add_places(const struct am_topo *topo, const struct am_fsroot *root,
                       struct am_arena *arena, struct am_kvs *out)
{
    static const char *const relations[AM_RELATIONS_STATED] = {
        [AM_RELATED_CORE] = "core",
        [AM_RELATED_CACHE] = "cache",
        [AM_RELATED_PACKAGE] = "package",
        [AM_RELATED_FAR] = "far",
    };
    const char *const *const places = am_places_list(topo, arena);
    size_t counts[AM_RELATIONS_STATED];

    for (size_t i = 1; places && places[0] && places[i]; i++)
        add_place(topo, root, places[i], arena, out);
    am_topo_count_pairs(topo, counts);
    for (size_t i = 0; i < AM_RELATIONS_STATED; i++)
        am_kvs_addf(out, arena, am_arena_printf(arena, "pairs.%s", relations[i]), "%zu", counts[i]);
    if (am_topo_shape(topo)->core_kinds > 1)
        am_kvs_addf(out, arena, "core_kinds", "%u", am_topo_shape(topo)->core_kinds);
}

void am_machine_describe(const struct am_topo *topo, const struct am_fsroot *root,
                         struct am_arena *arena, struct am_kvs *out)
{
    struct am_kvs facts = {0};

    add_cpu_facts(root, arena, &facts);
    add_shape(am_topo_shape(topo), root, arena, &facts);
    am_kvs_addf(out, arena, "key", "%016" PRIx64, hash_facts(&facts));
    for (size_t i = 0; i < facts.n; i++)
        am_kvs_add(out, arena, facts.items[i].key, facts.items[i].value);
    add_board(root, arena, out); /* for people; firmware updates reword it */
    add_places(topo, root, arena, out);
    am_claims_read(root, arena, out); /* not in the key: root reads more of it than others */
    if (root->synthetic)
        am_kvs_add(out, arena, "synthetic", "yes");
}
