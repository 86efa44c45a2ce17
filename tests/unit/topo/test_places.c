/* SPDX-License-Identifier: MIT */
/* Places and kinds of core, on the trees of simulated machines and on made-up ones. */
#include "topo/places.h"

#include "base/text.h"
#include "fsroot/machines.h"
#include "sim/tree.h"
#include "tap.h"

#define is_text(got, want, ...)                                                                    \
    do {                                                                                           \
        const char *const text_ = (got);                                                           \
        if (!ok(strcmp(text_, (want)) == 0, __VA_ARGS__))                                          \
            printf("# got \"%s\", want \"%s\"\n", text_, (want));                                  \
    } while (0)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CPUS = 512 };

struct opened {
    struct tree tree;
    struct am_fsroot root;
    struct am_topo *topo;
    struct am_arena arena;
};

static bool enter(struct opened *o)
{
    struct am_err err = {0};

    if (o->tree.broken || am_fsroot_open(&o->root, o->tree.path, &err) != AM_OK ||
        am_topo_open(&o->root, &o->topo, &err) != AM_OK) {
        printf("# %s\n", err.text);
        return false;
    }
    return true;
}

/* Machines that are open already: writing and reading hundreds of CPUs takes its time. */
enum { KEPT_MAX = 16 };
struct kept {
    struct opened machines[KEPT_MAX];
    const char *names[KEPT_MAX];
    size_t n;
};

/* The tree of machines/NAME.machine. */
static bool make_simulated(struct opened *o, const char *name)
{
    struct am_sim_machine *const m = calloc(1, sizeof(*m));
    struct am_sim_layout layout;
    struct am_err err = {0};
    char path[256];
    bool made;

    *o = (struct opened){.root = {.fd = -1}};
    tree_open(&o->tree);
    (void)snprintf(path, sizeof(path), "%s/%s.machine", getenv("MACHINES"), name);
    made = m && am_sim_machine_load(path, &o->arena, m, &err) == AM_OK &&
           am_sim_layout_make(&layout, m, &o->arena) &&
           am_sim_tree_write(&layout, o->tree.path, &err) == AM_OK && enter(o);
    if (!made)
        printf("# %s: %s\n", name, err.text);
    free(m);
    return made;
}

/* NULL when it cannot be opened. */
static struct opened *open_simulated(struct kept *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++) {
        if (strcmp(k->names[i], name) == 0)
            return &k->machines[i];
    }
    k->names[k->n] = name;
    return ok(make_simulated(&k->machines[k->n], name), "%s: its tree is read", name)
               ? &k->machines[k->n++]
               : NULL;
}

static void leave(struct opened *o)
{
    am_topo_close(o->topo);
    am_fsroot_close(&o->root);
    am_arena_fini(&o->arena);
    tree_close(&o->tree);
}

static const char *list_text(struct opened *o)
{
    static char text[256];
    const char *const *names = am_places_list(o->topo, &o->arena);

    text[0] = '\0';
    for (size_t i = 0; names && names[i]; i++)
        (void)am_str_format(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
                            names[i]);
    return text;
}

/* "0,2,4": the first CPUs of a place, then how many there are. */
static const char *cpus_text(struct opened *o, const char *place)
{
    static char text[256];
    struct am_topo_cpu cpus[CPUS];
    const size_t n = am_place_cpus(o->topo, place, cpus);

    text[0] = '\0';
    for (size_t i = 0; i < n && i < 6; i++)
        (void)am_str_format(text + strlen(text), sizeof(text) - strlen(text), "%s%d", i ? "," : "",
                            cpus[i].cpu);
    (void)am_str_format(text + strlen(text), sizeof(text) - strlen(text), " of %zu", n);
    return text;
}

static int64_t symbol(struct opened *o, const char *place, int64_t threads, const char *name)
{
    const struct am_places *const places = am_topo_places(o->topo);
    const struct am_symbol *s = places->symbols(places->self, place, threads, &o->arena);

    for (; s && s->name; s++) {
        if (strcmp(s->name, name) == 0)
            return s->value;
    }
    return -1;
}

static void test_lists(struct kept *k)
{
    static const struct {
        const char *machine, *places;
    } rows[] = {
        {"core-i9-13900k", "machine cores core smt2 l2 kind:P kind:E"},
        {"phone-8gen2", "machine l2 kind:large kind:middle kind:small"},
        {"power9-2", "machine cores core smt2 smt3 smt4 l2 l3 node package"},
        {"xeon-phi-5110p", "machine cores core smt2 smt3 smt4"},
        {"epyc-7763-2", "machine cores core smt2 l3 node package"},
        {"zen4-guest-2", "machine"},
        {"tiny-guest-1", "machine"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct opened *const o = open_simulated(k, rows[i].machine);

        if (o)
            is_text(list_text(o), rows[i].places, "%s: its places", rows[i].machine);
    }
}

static void test_cpus(struct kept *k)
{
    static const struct {
        const char *machine, *place, *cpus;
    } rows[] = {
        {"core-i9-13900k", "machine", "0,2,4,6,8,10 of 32"},
        {"core-i9-13900k", "core", "0,1 of 2"},
        {"core-i9-13900k", "smt2", "0,1,2,3,4,5 of 16"},
        {"core-i9-13900k", "cores", "0,2,4,6,8,10 of 24"},
        {"core-i9-13900k", "l2", "16,17,18,19 of 4"},
        {"core-i9-13900k", "kind:P", "0,2,4,6,8,10 of 16"},
        {"core-i9-13900k", "kind:E", "16,17,18,19,20,21 of 16"},
        {"phone-8gen2", "kind:large", "0 of 1"},
        {"phone-8gen2", "kind:middle", "1,2,3,4 of 4"},
        {"phone-8gen2", "kind:small", "5,6,7 of 3"},
        {"phone-8gen2", "l2", "5,6 of 2"},
        {"power9-2", "core", "0,1,2,3 of 4"},
        {"power9-2", "smt4", "0,1,2,3,4,5 of 176"},
        {"power9-2", "l3", "0,4,1,5,2,6 of 8"},
        {"power9-2", "package", "0,4,8,12,16,20 of 88"},
        {"xeon-phi-5110p", "smt4", "0,1,2,3,4,5 of 240"},
        {"xeon-phi-5110p", "smt3", "0,1,2,4,5,6 of 180"},
        {"epyc-7763-2", "l3", "0,1,2,3,4,5 of 16"},
        {"epyc-7763-2", "smt2", "0,128,1,129,2,130 of 256"},
        {"epyc-7763-2", "nonsense", " of 0"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct opened *const o = open_simulated(k, rows[i].machine);

        if (o)
            is_text(cpus_text(o, rows[i].place), rows[i].cpus, "%s: CPUs of %s", rows[i].machine,
                    rows[i].place);
    }
}

static void test_symbols(struct kept *k)
{
    enum { K = 1 << 10, M = 1 << 20 };
    static const struct {
        const char *machine, *place;
        int64_t threads;
        const char *name;
        int64_t value;
    } rows[] = {
        {"core-i9-13900k", "machine", 0, "cpus", 32},
        {"core-i9-13900k", "kind:E", 0, "cpus", 16},
        {"core-i9-13900k", "kind:P", 0, "cores", 8},
        {"core-i9-13900k", "kind:E", 0, "l1", 32 * K},
        {"core-i9-13900k", "kind:E", 0, "l2", 4 * M},
        {"core-i9-13900k", "kind:E", 0, "l2s", 16 * M},
        {"core-i9-13900k", "kind:E", 1, "l2s", 4 * M},
        {"core-i9-13900k", "kind:E", 5, "l2s", 8 * M},
        {"core-i9-13900k", "machine", 0, "l1s", (8 * 48 + 16 * 32) * K},
        {"core-i9-13900k", "machine", 0, "l3s", 36 * M},
        {"core-i9-13900k", "machine", 0, "beyond", 512 * M},
        {"epyc-7763-2", "machine", 1, "l3s", 32 * M},
        {"epyc-7763-2", "machine", 9, "l3s", 64 * M},
        {"epyc-7763-2", "machine", 256, "l3s", 512 * M},
        {"epyc-7763-2", "machine", 256, "beyond", INT64_C(2048) * M},
        {"epyc-7763-2", "machine", 256, "far", INT64_C(2048) * M},
        {"epyc-7763-2", "machine", 1, "far", 256 * M},
        {"epyc-7763-2", "smt2", 4, "l1s", 64 * K},
        {"xeon-phi-5110p", "machine", 240, "l2s", 60 * 512 * K},
        {"xeon-phi-5110p", "machine", 240, "l3s", 60 * 512 * K}, /* has none: the level below */
        {"epyc-7763-2", "nonsense", 1, "cpus", -1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct opened *const o = open_simulated(k, rows[i].machine);

        if (o)
            ok(symbol(o, rows[i].place, rows[i].threads, rows[i].name) == rows[i].value,
               "%s: %s of %lld threads on %s is %lld", rows[i].machine, rows[i].name,
               (long long)rows[i].threads, rows[i].place, (long long)rows[i].value);
    }
}

static void test_reasons(struct kept *k)
{
    static const struct {
        const char *machine, *place;
        int64_t threads;
        const char *why; /* NULL: they can stand there */
    } rows[] = {
        {"epyc-7763-2", "smt2", 4, NULL},
        {"epyc-7763-2", "smt2", 3, "3 threads do not fill cores with 2 each"},
        {"epyc-7763-2", "smt4", 4, "smt4: cores have at most 2 hardware threads here"},
        {"epyc-7763-2", "l3", 17, "17 threads on the 16 CPUs of l3"},
        {"epyc-7763-2", "kind:E", 1, "kind:E: this machine has no such place"},
        {"epyc-7763-2", "l2", 1, "l2: no L2 is shared by several cores"},
        {"core-i9-13900k", "l3", 1, "l3: one L3 serves all CPUs"},
        {"core-i9-13900k", "package", 1, "package: there is one package only"},
        {"zen4-guest-2", "core", 1, "core: no core has two hardware threads here"},
        {"core-i9-13900k", "kind:E", 17, "17 threads on the 16 CPUs of kind:E"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct opened *const o = open_simulated(k, rows[i].machine);
        struct am_err err = {0};

        if (o) {
            (void)am_place_check(o->topo, rows[i].place, rows[i].threads, &err);
            is_text(err.text, rows[i].why ? rows[i].why : "", "%s: %lld threads on %s",
                    rows[i].machine, (long long)rows[i].threads, rows[i].place);
        }
    }
}

/* Two small CPUs, then two large ones, told apart by nothing but their identification. */
static void put_identified(struct tree *t)
{
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        char path[128];

        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
        tree_put(t, path, "%u", cpu);
        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
        tree_put(t, path, "0");
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/thread_siblings",
                       cpu);
        tree_put(t, path, "%x", 1u << cpu);
        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
        tree_put(t, path, cpu < 2 ? "0x00000000410fd034" : "0x00000000410fd080");
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index2/size", cpu);
        tree_put(t, path, cpu < 2 ? "512K" : "1024K");
    }
    tree_put(t, "sys/devices/system/cpu/online", "0-3");
    tree_put(t, "sys/devices/system/cpu/possible", "0-3");
}

static void test_midr(void)
{
    struct opened o = {.root = {.fd = -1}};

    tree_open(&o.tree);
    put_identified(&o.tree);
    if (ok(enter(&o), "a tree with MIDRs is read")) {
        is_text(list_text(&o), "machine kind:large kind:small", "MIDRs tell kinds apart");
        is_text(cpus_text(&o, "kind:large"), "2,3 of 2",
                "the larger second cache is the large kind");
        is_text(cpus_text(&o, "machine"), "2,3,0,1 of 4", "and is filled first");
    }
    leave(&o);
}

/* One kind of core whose cores may reach slightly different clocks. */
static void test_favoured(void)
{
    struct opened o = {.root = {.fd = -1}};

    tree_open(&o.tree);
    put_identified(&o.tree);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        char path[128];

        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
        tree_put(&o.tree, path, "0x1");
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq",
                       cpu);
        tree_put(&o.tree, path, cpu == 2 ? "4700000" : "4500000");
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/base_frequency",
                       cpu);
        tree_put(&o.tree, path, "3000000");
    }
    if (ok(enter(&o), "a tree with a favoured core is read"))
        is_text(list_text(&o), "machine", "a favoured core is no kind of its own");
    leave(&o);
}

int main(void)
{
    struct kept *const k = calloc(1, sizeof(*k));

    test_lists(k);
    test_cpus(k);
    test_symbols(k);
    test_reasons(k);
    for (size_t i = 0; i < k->n; i++)
        leave(&k->machines[i]);
    free(k);
    test_midr();
    test_favoured();
    return tap_done();
}
