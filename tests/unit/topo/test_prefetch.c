/* SPDX-License-Identifier: MIT */
/* The state of hardware prefetchers, from registers as files of a made-up root. */
#include "fsroot/registers.h"
#include "tap.h"
#include "topo/probe.h"

enum { CPUS_MAX = 3 };

static const uint64_t intel = 0x1a4, amd = 0xc0000108;

static const struct {
    const char *vendor;
    uint64_t msr;
    unsigned cpus;
    uint64_t values[CPUS_MAX];
    const char *want; /* NULL: unknown */
} cases[] = {
    {"GenuineIntel", intel, 2, {0, 0}, "l2-stream on, l2-adjacent on, l1-next on, l1-ip on"},
    {"GenuineIntel", intel, 1, {0xf}, "l2-stream off, l2-adjacent off, l1-next off, l1-ip off"},
    {"GenuineIntel",
     intel,
     3,
     {2, 0xa, 2},
     "l2-stream on, l2-adjacent off, l1-next on, l1-ip mixed"},
    {"AuthenticAMD",
     amd,
     2,
     {0x28, 0x28},
     "l1-stream on, l1-stride on, l1-region on, l2-stream off, up-down off"},
    {"AuthenticAMD", 0, 1, {0}, NULL}, /* the register is beyond the file: there is none */
    {"GenuineIntel", intel, 0, {0}, NULL},
    {"0x41", intel, 1, {0}, NULL},
};

static void check_case(size_t k)
{
    struct tree t;
    struct am_fsroot root = {0};
    char text[AM_PROBE_CAP] = "";
    bool found;

    tree_open(&t);
    tree_put(&t, "proc/cpuinfo", "processor\t: 0\nvendor_id\t: %s\n", cases[k].vendor);
    for (unsigned cpu = 0; cpu < cases[k].cpus; cpu++)
        tree_put_register(&t, cpu, cases[k].msr, cases[k].values[cpu]);
    found = am_fsroot_open(&root, t.path, NULL) == AM_OK &&
            am_probe_prefetchers(&root, text, sizeof(text));
    ok(!t.broken && found == (cases[k].want != NULL) &&
           (!found || strcmp(text, cases[k].want) == 0),
       "%s, %u CPUs: %s", cases[k].vendor, cases[k].cpus, found ? text : "unknown");
    am_fsroot_close(&root);
    tree_close(&t);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_case(i);
    return tap_done();
}
