/* SPDX-License-Identifier: MIT */
/* The machine's topology, by hwloc: only this file and kinds.c know hwloc. */
#include "topo/topo.h"

#include "base/text.h"
#include "topo/kinds.h"
#include "topo/places.h"
#include "topo/probe.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_L1 = 32 << 10,  /* what nearly every core has had since 2008 */
    DEFAULT_L2 = 256 << 10, /* the smallest common one: a sweep up to it is never too large */
};

enum { SAMPLED_CPUS = 64 }; /* a matrix over pairs of more CPUs takes every n-th of them only */

enum {
    SYM_CPUS,
    SYM_CORES,
    SYM_SMT,
    SYM_PACKAGES,
    SYM_L1,
    SYM_L2,
    SYM_L3,
    SYM_L1S,
    SYM_L2S,
    SYM_L3S,
    SYM_BEYOND,
    SYM_FAR,
    SYM_MEMORY,
    SYM_FIRST,
    SYM_LAST,
    SYM_SAMPLED,
    SYM_LAST_NODE,
    SYM_RANKS,
    SYM_LAST_RANK,
    SYM_END,
    SYM_COUNT
};

struct am_topo {
    hwloc_topology_t hwloc;
    struct am_topo_shape shape;
    struct am_kinds kinds;
    struct am_topo_cpu *cpus; /* shape.usable of them, in placement order */
    struct am_symbol symbols[SYM_COUNT];
    struct am_places places;
};

/* Variables that steer hwloc, and what they become while a synthetic root is loaded. */
enum {
    STEER_FSROOT,
    STEER_COMPONENTS,
    STEER_HIDE_ERRORS, /* a tree without a topology is told by am_topo_open(), not by hwloc */
    STEER_THISSYSTEM,
    STEER_XML,
    STEER_SYNTHETIC,
    STEER_COUNT
};

struct steering {
    char *saved[STEER_COUNT];
};

static const char *const steer_names[STEER_COUNT] = {
    [STEER_FSROOT] = "HWLOC_FSROOT",
    [STEER_COMPONENTS] = "HWLOC_COMPONENTS",
    [STEER_HIDE_ERRORS] = "HWLOC_HIDE_ERRORS",
    [STEER_THISSYSTEM] = "HWLOC_THISSYSTEM",
    [STEER_XML] = "HWLOC_XMLFILE",
    [STEER_SYNTHETIC] = "HWLOC_SYNTHETIC",
};

static void put_variable(const char *name, const char *value)
{
    if (value)
        (void)setenv(name, value, 1);
    else
        (void)unsetenv(name);
}

/* hwloc takes another root from the environment only. Not thread-safe, as setenv() is not: the
 * conductor opens its topology before it starts anything. */
static void steer(struct steering *s, int root_fd)
{
    char path[32];
    const char *const wanted[STEER_COUNT] = {
        [STEER_FSROOT] = path,
        [STEER_COMPONENTS] = "linux,stop",
        [STEER_HIDE_ERRORS] = "2",
    };

    (void)am_str_format(path, sizeof(path), "/proc/self/fd/%d", root_fd);
    for (size_t i = 0; i < STEER_COUNT; i++) {
        const char *old = getenv(steer_names[i]);

        s->saved[i] = old ? strdup(old) : NULL;
        put_variable(steer_names[i], wanted[i]);
    }
}

static void unsteer(struct steering *s)
{
    for (size_t i = 0; i < STEER_COUNT; i++) {
        put_variable(steer_names[i], s->saved[i]);
        free(s->saved[i]);
    }
}

/* CPUs that a control group hides stay in the topology: the machine is described whole. */
static int load_hwloc(struct am_topo *t)
{
    if (hwloc_topology_init(&t->hwloc) < 0)
        return -1;
    if (hwloc_topology_set_flags(t->hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0)
        return -1;
    return hwloc_topology_load(t->hwloc);
}

static int load_below(struct am_topo *t, const struct am_fsroot *root)
{
    struct steering s;
    int rc;

    if (!root->synthetic)
        return load_hwloc(t);
    steer(&s, root->fd);
    rc = load_hwloc(t);
    unsteer(&s);
    return rc;
}

/* hwloc's cpuset is what is online; it is cut down to what the control groups allow and, on this
 * machine, to the calling thread's affinity. NULL when memory is refused. */
static hwloc_bitmap_t usable_set(hwloc_topology_t h, bool synthetic)
{
    hwloc_bitmap_t set = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(h));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();

    if (set && bound) {
        if (hwloc_bitmap_intersects(set, hwloc_topology_get_allowed_cpuset(h)))
            hwloc_bitmap_and(set, set, hwloc_topology_get_allowed_cpuset(h));
        if (!synthetic && hwloc_get_cpubind(h, bound, HWLOC_CPUBIND_THREAD) == 0 &&
            hwloc_bitmap_intersects(set, bound))
            hwloc_bitmap_and(set, set, bound);
    }
    hwloc_bitmap_free(bound);
    return set;
}

/* The n-th CPU of a core that is in `set`, or -1. */
static int nth_cpu(hwloc_obj_t core, hwloc_const_bitmap_t set, unsigned n)
{
    int cpu = -1;

    for (;;) {
        cpu = hwloc_bitmap_next(core->cpuset, cpu);
        if (cpu < 0)
            return -1;
        if (hwloc_bitmap_isset(set, (unsigned)cpu) && n-- == 0)
            return cpu;
    }
}

static unsigned number_of(hwloc_topology_t h, hwloc_obj_type_t type, hwloc_obj_t pu)
{
    hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(h, type, pu);

    return obj ? obj->logical_index : 0;
}

/* Memory nodes are no ancestors: the first whose CPUs hold this one. */
static unsigned node_of(hwloc_topology_t h, int cpu)
{
    for (hwloc_obj_t node = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_NUMANODE, NULL); node;
         node = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_NUMANODE, node)) {
        if (hwloc_bitmap_isset(node->cpuset, (unsigned)cpu))
            return node->os_index;
    }
    return 0;
}

static struct am_topo_cpu describe_cpu(const struct am_topo *t, int cpu)
{
    static const hwloc_obj_type_t caches[AM_TOPO_CACHES] = {
        [AM_TOPO_L1] = HWLOC_OBJ_L1CACHE,
        [AM_TOPO_L2] = HWLOC_OBJ_L2CACHE,
        [AM_TOPO_L3] = HWLOC_OBJ_L3CACHE,
    };
    hwloc_topology_t h = t->hwloc;
    hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(h, (unsigned)cpu);
    hwloc_obj_t core = pu ? hwloc_get_ancestor_obj_by_type(h, HWLOC_OBJ_CORE, pu) : NULL;
    struct am_topo_cpu c = {.cpu = cpu, .kind = am_kinds_of(&t->kinds, cpu)};

    if (!pu)
        return c;
    c.core = core ? core->logical_index : pu->logical_index;
    c.package = number_of(h, HWLOC_OBJ_PACKAGE, pu);
    c.node = node_of(h, cpu);
    for (size_t i = 0; i < AM_TOPO_CACHES; i++) {
        hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(h, caches[i], pu);

        c.caches[i].instance = cache ? cache->logical_index : 0;
        c.caches[i].bytes = cache ? cache->attr->cache.size : 0;
    }
    return c;
}

/* Appends the CPUs of `set`: every core's first thread, then every core's second, and so on. */
static void order_set(struct am_topo *t, hwloc_const_bitmap_t set)
{
    const int cores = hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_CORE);
    const int type = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU; /* some trees tell no cores */
    const int count = hwloc_get_nbobjs_by_type(t->hwloc, (hwloc_obj_type_t)type);
    bool found = true;

    for (unsigned n = 0; found; n++) {
        found = false;
        for (int i = 0; i < count; i++) {
            hwloc_obj_t core = hwloc_get_obj_by_type(t->hwloc, (hwloc_obj_type_t)type, (unsigned)i);
            const int cpu = nth_cpu(core, set, n);

            if (cpu < 0)
                continue;
            t->cpus[t->shape.usable++] = describe_cpu(t, cpu);
            found = true;
        }
    }
}

/* The fastest kind first. */
static void order_by_kind(struct am_topo *t, hwloc_bitmap_t set)
{
    hwloc_bitmap_t kind = hwloc_bitmap_alloc();

    for (size_t k = 0; kind && k < t->kinds.n; k++) {
        hwloc_bitmap_and(kind, t->kinds.sets[k], set);
        order_set(t, kind);
        hwloc_bitmap_andnot(set, set, kind);
    }
    order_set(t, set); /* what no kind claims */
    hwloc_bitmap_free(kind);
}

static unsigned count_of(const struct am_topo *t, hwloc_obj_type_t type)
{
    const int n = hwloc_get_nbobjs_by_type(t->hwloc, type);

    return n > 0 ? (unsigned)n : 0;
}

static uint64_t cache_of(const struct am_topo *t, unsigned level)
{
    return t->shape.usable ? t->cpus[0].caches[level].bytes : 0;
}

/* Of few machines, and statement only: nothing is placed or measured by it. */
static uint64_t fourth_level(const struct am_topo *t)
{
    const hwloc_obj_t cache = hwloc_get_obj_by_type(t->hwloc, HWLOC_OBJ_L4CACHE, 0);

    return cache && cache->attr ? cache->attr->cache.size : 0;
}

/* A tree without such objects still has one package, and a core for each thread. */
static unsigned at_least(unsigned n, unsigned fallback)
{
    return n ? n : fallback;
}

/* The nodes' sum, or the kernel's own total where that is more: memory that comes online late is
 * missing from some nodes' figures. */
static uint64_t total_memory(const struct am_topo *t, const struct am_fsroot *root)
{
    const uint64_t nodes = hwloc_get_root_obj(t->hwloc)->total_memory;
    uint64_t total;

    return am_probe_meminfo(root, "MemTotal", &total) && total > nodes ? total : nodes;
}

static void fill_shape(struct am_topo *t, const struct am_fsroot *root)
{
    struct am_topo_shape *s = &t->shape;

    s->threads = at_least(count_of(t, HWLOC_OBJ_PU), 1);
    s->cores = at_least(count_of(t, HWLOC_OBJ_CORE), s->threads);
    s->packages = at_least(count_of(t, HWLOC_OBJ_PACKAGE), 1);
    s->numa_nodes = at_least(count_of(t, HWLOC_OBJ_NUMANODE), 1);
    s->core_kinds = t->kinds.n > 1 ? (unsigned)t->kinds.n : 1;
    s->l1d = cache_of(t, AM_TOPO_L1);
    s->l2 = cache_of(t, AM_TOPO_L2);
    s->l3 = cache_of(t, AM_TOPO_L3);
    s->l4 = fourth_level(t);
    s->memory_bytes = total_memory(t, root);
    s->memory_limit_bytes = am_probe_memory_limit(root);
}

/* The system's numbers of the CPUs that this process may use, and of the memory nodes. */
static void fill_numbers(struct am_topo *t)
{
    int first = t->shape.usable ? t->cpus[0].cpu : 0, last = first;
    unsigned last_node = 0;

    for (unsigned i = 0; i < t->shape.usable; i++) {
        first = t->cpus[i].cpu < first ? t->cpus[i].cpu : first;
        last = t->cpus[i].cpu > last ? t->cpus[i].cpu : last;
    }
    for (unsigned i = 0; i < count_of(t, HWLOC_OBJ_NUMANODE); i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(t->hwloc, HWLOC_OBJ_NUMANODE, i);

        last_node = node && node->os_index > last_node ? node->os_index : last_node;
    }
    t->symbols[SYM_FIRST] = (struct am_symbol){"first", first};
    t->symbols[SYM_LAST] = (struct am_symbol){"last", last};
    t->symbols[SYM_SAMPLED] = (struct am_symbol){"sampled", (last - first) / SAMPLED_CPUS + 1};
    t->symbols[SYM_LAST_NODE] = (struct am_symbol){"last_node", last_node};
}

/* Of the MPI job that this machine's part of a run belongs to; the smallest one outside of any. */
static void fill_job(struct am_topo *t)
{
    const char *const text = getenv("ARCHMETER_MPI_RANKS");
    int64_t ranks = 0;

    if (!text || !am_parse_i64(text, strlen(text), &ranks) || ranks < 1 || ranks > INT32_MAX)
        ranks = 2;
    t->symbols[SYM_RANKS] = (struct am_symbol){"ranks", ranks};
    t->symbols[SYM_LAST_RANK] = (struct am_symbol){"last_rank", ranks - 1};
}

uint64_t am_topo_beyond(uint64_t caches)
{
    static const uint64_t least = UINT64_C(512) << 20; /* whatever the system states of caches */

    return caches > least / 4 ? 4 * caches : least;
}

uint64_t am_topo_far(uint64_t caches, bool many)
{
    static const uint64_t least = UINT64_C(256) << 20;
    const uint64_t times = many ? 4 : 2;

    return caches > least / times ? times * caches : least;
}

/* Bytes of all caches of a level; those of one where the system states none. */
static void fill_sums(struct am_topo *t)
{
    static const struct {
        const char *name;
        int symbol, one;
        unsigned level;
    } sums[] = {{"l1s", SYM_L1S, SYM_L1, AM_TOPO_L1},
                {"l2s", SYM_L2S, SYM_L2, AM_TOPO_L2},
                {"l3s", SYM_L3S, SYM_L3, AM_TOPO_L3}};

    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        const uint64_t bytes = am_cpus_cache_bytes(t->cpus, t->shape.usable, sums[i].level);

        t->symbols[sums[i].symbol] = (struct am_symbol){
            sums[i].name, bytes ? (int64_t)bytes : t->symbols[sums[i].one].value};
    }
    t->symbols[SYM_BEYOND] =
        (struct am_symbol){"beyond", (int64_t)am_topo_beyond((uint64_t)t->symbols[SYM_L3S].value)};
    t->symbols[SYM_FAR] = (struct am_symbol){
        "far", (int64_t)am_topo_far((uint64_t)t->symbols[SYM_L3S].value, t->shape.usable > 1)};
}

static void fill_symbols(struct am_topo *t)
{
    const struct am_topo_shape *s = &t->shape;
    const uint64_t l1 = s->l1d ? s->l1d : DEFAULT_L1;
    const uint64_t l2 = s->l2 ? s->l2 : (s->l1d ? s->l1d : DEFAULT_L2);
    const uint64_t l3 = s->l3 ? s->l3 : l2;
    const bool limited =
        s->memory_limit_bytes && (s->memory_bytes == 0 || s->memory_limit_bytes < s->memory_bytes);
    const uint64_t memory = limited ? s->memory_limit_bytes : s->memory_bytes;

    t->symbols[SYM_CPUS] = (struct am_symbol){"cpus", s->usable};
    t->symbols[SYM_CORES] = (struct am_symbol){"cores", s->cores};
    t->symbols[SYM_SMT] = (struct am_symbol){"smt", (s->threads + s->cores - 1) / s->cores};
    t->symbols[SYM_PACKAGES] = (struct am_symbol){"packages", s->packages};
    t->symbols[SYM_L1] = (struct am_symbol){"l1", (int64_t)l1};
    t->symbols[SYM_L2] = (struct am_symbol){"l2", (int64_t)l2};
    t->symbols[SYM_L3] = (struct am_symbol){"l3", (int64_t)l3};
    t->symbols[SYM_MEMORY] = (struct am_symbol){"memory", (int64_t)memory};
    fill_sums(t);
    fill_numbers(t);
    fill_job(t);
    t->symbols[SYM_END] = (struct am_symbol){0};
}

static enum am_status place(struct am_topo *t, const struct am_fsroot *root, struct am_err *err)
{
    hwloc_bitmap_t set = usable_set(t->hwloc, root->synthetic);
    const int n = set ? hwloc_bitmap_weight(set) : 0;

    am_kinds_find(t->hwloc, root, &t->kinds);
    if (n > 0)
        t->cpus = calloc((size_t)n, sizeof(*t->cpus));
    if (t->cpus)
        order_by_kind(t, set);
    hwloc_bitmap_free(set);
    if (!t->cpus)
        return am_fail(err, AM_E_NOMEM, "no memory for the list of CPUs");
    return AM_OK;
}

enum am_status am_topo_open(const struct am_fsroot *root, struct am_topo **topo_p,
                            struct am_err *err)
{
    struct am_topo *t = calloc(1, sizeof(*t));
    enum am_status s;

    *topo_p = NULL;
    if (!t)
        return am_fail(err, AM_E_NOMEM, "no memory for the topology");
    if (load_below(t, root) < 0) {
        am_topo_close(t);
        return am_fail(err, AM_E_ABSENT, "hwloc finds no topology%s",
                       root->synthetic ? " below the given root" : "");
    }
    s = place(t, root, err);
    if (s != AM_OK) {
        am_topo_close(t);
        return s;
    }
    fill_shape(t, root);
    fill_symbols(t);
    t->places = am_places_of(t);
    *topo_p = t;
    return AM_OK;
}

void am_topo_close(struct am_topo *topo)
{
    if (!topo)
        return;
    am_kinds_fini(&topo->kinds);
    if (topo->hwloc)
        hwloc_topology_destroy(topo->hwloc);
    free(topo->cpus);
    free(topo);
}

size_t am_topo_cpu_order(const struct am_topo *topo, int *cpus, size_t cap)
{
    const size_t n = topo->shape.usable;
    const size_t copied = n < cap ? n : cap;

    if (!cpus)
        return n;
    for (size_t i = 0; i < copied; i++)
        cpus[i] = topo->cpus[i].cpu;
    return copied;
}

const struct am_topo_cpu *am_topo_cpus(const struct am_topo *topo, size_t *n)
{
    *n = topo->shape.usable;
    return topo->cpus;
}

const char *am_topo_kind_name(const struct am_topo *topo, unsigned kind)
{
    return kind < topo->kinds.n ? topo->kinds.names[kind] : NULL;
}

const struct am_places *am_topo_places(const struct am_topo *topo)
{
    return &topo->places;
}

const struct am_symbol *am_topo_symbols(const struct am_topo *topo)
{
    return topo->symbols;
}

const struct am_topo_shape *am_topo_shape(const struct am_topo *topo)
{
    return &topo->shape;
}

void am_topo_library_version(char *buf, size_t cap)
{
    const unsigned v = hwloc_get_api_version();

    (void)am_str_format(buf, cap, "%u.%u.%u", v >> 16, (v >> 8) & 0xff, v & 0xff);
}
