/* SPDX-License-Identifier: MIT */
/* Descriptions of machines: what is read, what is left out, and what is refused with its place. */
#include "sim/layout.h"

#include "tap.h"

#include <stdlib.h>

/* The least that a machine needs; lines of it are replaced by the cases below. */
#define HEAD "[machine]\nname m\nvendor v\nmodel x\n"
#define KIND "[kind k]\ncores 4\nsmt 2\none_ghz 3\nall_ghz 2\nisa scalar 64 2 3 2\n"
#define CACHE "[cache L1]\nlevel 1\nsize 32K\ncycles 4\nbytes_per_cycle 64\n"
#define MEMORY "[memory]\nsize 16G\nlatency_ns 90\ncore_gbs 10\nnode_gbs 40\n"
#define WHOLE HEAD KIND CACHE MEMORY

static enum am_status read_text(const char *text, struct am_arena *arena, struct am_sim_machine *m,
                                struct am_err *err)
{
    *err = (struct am_err){0};
    return am_sim_machine_read("f", text, strlen(text), arena, m, err);
}

static const struct {
    const char *text, *story; /* story: part of the message, with its line */
} refused[] = {
    {"", "lacks \"name\""},
    {"name m\n", "f:1: \"name\" stands before the first section"},
    {"[machine\n", "f:1: \"[machine\" lacks its \"]\""},
    {"[machin]\n", "f:1: no section is called \"machin\"; did you mean \"machine\"?"},
    {"[machine]\nnaem m\n", "f:2: [machine] has no key \"naem\"; did you mean \"name\"?"},
    {"[machine]\nname\n", "f:2: name has no value"},
    {"[machine]\nname a\nname b\n", "f:3: name is given twice in [machine]"},
    {"[machine x]\n", "f:1: [machine] has no name"},
    {WHOLE "[machine]\n", "f:21: [machine] is there already"},
    {WHOLE "[cache L1]\n", "f:21: [cache L1] is there already"},
    {WHOLE "[cache]\n", "f:21: [cache NAME] needs a name"},
    {WHOLE "[cache a/b]\n", "f:21: [cache NAME] needs a name"},
    {HEAD "packages 0\n", "f:5: packages \"0\": a whole number from 1 to 64 is wanted"},
    {HEAD "packages 65\n", "f:5: packages \"65\""},
    {HEAD "packages 1e9\n", "f:5: packages \"1e9\""},
    {HEAD "packages -1\n", "f:5: packages \"-1\""},
    {HEAD "packages 2 # sockets\nnumbering spred\n",
     "f:6: numbering cannot be \"spred\"; did you mean"},
    {HEAD "instr add 1\n", "f:5: instr add: 2 numbers are wanted, 1 are there"},
    {HEAD "instr add 1 2 3\n", "f:5: instr add: more than 2 numbers"},
    {HEAD "instr add 0 1\n", "f:5: instr add: cycles above 0"},
    {HEAD "instr add x 1\n", "f:5: instr add: \"x\" is not a number"},
    {HEAD "[kind k]\ncores 4\none_ghz 3\nall_ghz 2\n[memory]\n", "f:5: [kind k] lacks \"isa\""},
    {HEAD KIND "isa scalar 64 2 3 2\n", "f:11: isa scalar is given twice"},
    {HEAD KIND "isa wide 64 0 3 2\n", "f:11: isa wide: 32 bits or more"},
    {HEAD KIND CACHE "[memory]\nsize 16Q\n", "f:17: size \"16Q\": a size (K, M, G, T"},
    {HEAD KIND CACHE "[memory]\nsize nan\n", "f:17: size \"nan\""},
    {HEAD KIND CACHE "[memory]\nthp maybe\n", "f:17: thp \"maybe\": yes or no"},
    {HEAD KIND CACHE "[memory]\nlatency_ns inf\n", "f:17: latency_ns \"inf\""},
    {HEAD MEMORY, "no section [kind NAME]"},
    {HEAD KIND MEMORY, "kind k has no cache of level 1"},
    {WHOLE "[cache L2]\nlevel 1\nsize 1M\ncycles 9\nbytes_per_cycle 8\n", "level 1 after level 1"},
    {WHOLE "[cache L2]\nlevel 2\nsize 16K\ncycles 9\nbytes_per_cycle 8\n", "not larger than L1"},
    {WHOLE "[cache L2]\nlevel 2\nkind q\nsize 1M\ncycles 9\nbytes_per_cycle 8\n", "kind \"q\""},
    {WHOLE "[cache L2]\nlevel 2\nshare half\n", "f:23: share \"half\": core, package or a number"},
    {HEAD
     "packages 64\n[kind k]\ncores 1024\none_ghz 3\nall_ghz 2\nisa scalar 64 2 3 2\n" CACHE MEMORY,
     "65536 CPUs; at most"},
    {HEAD "\x01\n", "f:5: a control character"},
};

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct am_arena arena = {0};
        struct am_sim_machine *const m = calloc(1, sizeof(*m));
        struct am_err err;
        const enum am_status s = read_text(refused[i].text, &arena, m, &err);

        ok(s == AM_E_USAGE && strstr(err.text, refused[i].story) && strncmp(err.text, "f:", 2) == 0,
           "refused: %s", refused[i].story);
        if (!strstr(err.text, refused[i].story))
            printf("# got %s\n", err.text);
        am_arena_fini(&arena);
        free(m);
    }
}

static void test_long(void)
{
    struct am_arena arena = {0};
    struct am_sim_machine *const m = calloc(1, sizeof(*m));
    struct am_err err = {0};
    char line[2000];

    memset(line, 'a', sizeof(line));
    ok(am_sim_machine_read("f", line, sizeof(line), &arena, m, &err) == AM_E_USAGE &&
           strstr(err.text, "f:1: a line of 2000 bytes"),
       "a long line is refused");
    am_arena_fini(&arena);
    free(m);
}

static void test_read(void)
{
    static const char text[] = "# head\n" HEAD KIND CACHE MEMORY "[cache L2] # second\n"
                               "level 2\r\n  size\t1.5M\nshare package\nhidden yes\nstated 3M\n"
                               "cycles 14\nbytes_per_cycle 32\n[device g-0]\nunits 2\nlanes 64\n"
                               "ghz 1\nmemory 1G\nmemory_gbs 100\n";
    struct am_arena arena = {0};
    struct am_sim_machine *const m = calloc(1, sizeof(*m));
    struct am_sim_layout l;
    struct am_err err;

    ok(read_text(text, &arena, m, &err) == AM_OK, "remarks, blanks and tabs are allowed");
    printf("# %s\n", err.text);
    is_str(m->arch, "x86_64", "a text that is left out has its default");
    ok(!m->system.hypervisor, "and none where there is none");
    ok(m->caches[1].size == 1572864 && m->caches[1].stated == 3145728, "sizes in powers of 1024");
    ok(m->caches[0].share == 1 && m->caches[1].share == AM_SIM_PACKAGE, "sharing is read");
    ok(m->noise.clock_ns == 20 && m->prefetch.streams && !m->prefetch.pairs,
       "sections that are left out have their defaults");
    ok(m->n_devices == 1 && m->devices[0].gpu && strcmp(m->devices[0].name, "g-0") == 0,
       "a device has its name");
    ok(am_sim_layout_make(&l, m, &arena) && l.n == 8 && l.cpus[0].core == l.cpus[4].core,
       "CPU 4 is the second thread of the first core");
    ok(am_sim_relate(&l, &l.cpus[0], &l.cpus[4]) == AM_SIM_SIBLING &&
           am_sim_relate(&l, &l.cpus[0], &l.cpus[1]) == AM_SIM_IN_PACKAGE,
       "relations follow from the layout");
    am_arena_fini(&arena);
    free(m);
}

int main(void)
{
    test_refused();
    test_long();
    test_read();
    return tap_done();
}
