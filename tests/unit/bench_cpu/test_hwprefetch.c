/* SPDX-License-Identifier: MIT */
/* Hardware prefetchers switched and put back, on registers that are files of a made-up root. */
#include "bench/cpu/hwprefetch.h"
#include "fsroot/registers.h"
#include "tap.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

enum { CPUS = 3 };

static const uint64_t intel = 0x1a4, amd = 0xc0000108;

static const struct setting {
    const char *vendor;
    uint64_t msr;
    enum am_hwprefetch want;
    uint64_t before[CPUS], during[CPUS]; /* the last CPU is not asked for */
} settings[] = {
    {"GenuineIntel", intel, AM_HWPREFETCH_AS_IS, {0, 5, 0}, {0, 5, 0}},
    {"GenuineIntel", intel, AM_HWPREFETCH_OFF, {0, 0, 0}, {0xf, 0xf, 0}},
    {"GenuineIntel", intel, AM_HWPREFETCH_OFF, {0x60, 0x2a, 7}, {0x6f, 0x2f, 7}},
    {"GenuineIntel", intel, AM_HWPREFETCH_ON, {0x6f, 3, 15}, {0x60, 0, 15}},
    {"AuthenticAMD", amd, AM_HWPREFETCH_OFF, {0, 8, 0}, {0x2f, 0x2f, 0}},
    {"AuthenticAMD", amd, AM_HWPREFETCH_ON, {0x3f, 0, 1}, {0x10, 0, 1}},
};

static void open_machine(struct tree *t, struct am_fsroot *root, const char *vendor)
{
    tree_open(t);
    tree_put(t, "proc/cpuinfo", "processor\t: 0\nvendor_id\t: %s\n", vendor);
    t->broken |= am_fsroot_open(root, t->path, NULL) != AM_OK;
}

static void close_machine(struct tree *t, struct am_fsroot *root)
{
    am_fsroot_close(root);
    tree_close(t);
}

static bool registers_are(struct tree *t, uint64_t msr, const uint64_t *want)
{
    bool same = true;

    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        same = same && tree_get_register(t, cpu, msr) == want[cpu];
    return same;
}

static void check_setting(const struct setting *x)
{
    static const int cpus[] = {0, 1};
    struct am_hwswitch h = {0};
    struct am_fsroot root = {0};
    struct tree t;
    struct am_err err = {0};

    open_machine(&t, &root, x->vendor);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        tree_put_register(&t, cpu, x->msr, x->before[cpu]);
    ok(am_hwswitch_set(&h, &root, cpus, 2, x->want, &err) == AM_OK &&
           registers_are(&t, x->msr, x->during),
       "%s, %s: the bits of two CPUs and no others %s", x->vendor, am_hwprefetch_names[x->want],
       err.text);
    am_hwswitch_restore(&h);
    ok(registers_are(&t, x->msr, x->before) && !t.broken, "they are as before again");
    am_hwswitch_restore(&h); /* twice does no harm */
    close_machine(&t, &root);
}

static void check_refusals(void)
{
    static const struct {
        const char *vendor, *story;
        unsigned registers; /* CPUs that have one */
        uint64_t msr;       /* beyond the file: the processor has none */
    } cases[] = {
        {"HygonGenuine", "no switch of hardware prefetchers is known", 2, 0x1a4},
        {"GenuineIntel", "CPU 0: the processor's registers may not be written", 0, 0},
        {"GenuineIntel", "CPU 1: the processor's registers may not be written", 1, 0x1a4},
        {"AuthenticAMD", "CPU 0: no switch of hardware prefetchers is known", 2, 0x10},
    };
    static const int cpus[] = {0, 1};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_hwswitch h = {0};
        struct am_fsroot root = {0};
        struct tree t;
        struct am_err err = {0};

        open_machine(&t, &root, cases[i].vendor);
        for (unsigned cpu = 0; cpu < cases[i].registers; cpu++)
            tree_put_register(&t, cpu, cases[i].msr, 0);
        ok(am_hwswitch_set(&h, &root, cpus, 2, AM_HWPREFETCH_OFF, &err) == AM_E_ABSENT &&
               strstr(err.text, cases[i].story) && !t.broken,
           "refused: %s", err.text);
        am_hwswitch_restore(&h);
        ok(cases[i].registers == 0 || tree_get_register(&t, 0, cases[i].msr) == 0,
           "and nothing is switched");
        close_machine(&t, &root);
    }
}

/* While one process has switched them, another must not take its state for the machine's. */
static void check_lock(void)
{
    static const int cpu;
    struct am_hwswitch first = {0}, second = {0};
    struct am_fsroot root = {0};
    struct tree t;
    struct am_err err = {0};

    open_machine(&t, &root, "GenuineIntel");
    tree_put_register(&t, 0, intel, 2);
    (void)am_hwswitch_set(&first, &root, &cpu, 1, AM_HWPREFETCH_OFF, NULL);
    ok(am_hwswitch_set(&second, &root, &cpu, 1, AM_HWPREFETCH_ON, &err) == AM_E_ABSENT &&
           strstr(err.text, "another process"),
       "who comes second is refused: %s", err.text);
    am_hwswitch_restore(&second);
    ok(tree_get_register(&t, 0, intel) == 0xf, "and changes nothing");
    am_hwswitch_restore(&first);
    ok(am_hwswitch_set(&second, &root, &cpu, 1, AM_HWPREFETCH_ON, NULL) == AM_OK &&
           tree_get_register(&t, 0, intel) == 0,
       "afterwards it may");
    am_hwswitch_restore(&second);
    ok(tree_get_register(&t, 0, intel) == 2, "and puts back what was there first");
    close_machine(&t, &root);
}

/* Switches, tells what it sees, and is killed like a worker past its limit: with its group. */
static void be_killed(struct tree *t, const struct am_fsroot *root, int line)
{
    static const int cpu;
    struct am_hwswitch h = {0};
    uint64_t seen;

    (void)setpgid(0, 0);
    (void)am_hwswitch_set(&h, root, &cpu, 1, AM_HWPREFETCH_OFF, NULL);
    seen = tree_get_register(t, 0, intel);
    (void)!write(line, &seen, sizeof(seen));
    (void)kill(0, SIGKILL);
    _exit(1);
}

static void check_killed(void)
{
    struct am_fsroot root = {0};
    struct tree t;
    uint64_t seen = 0;
    int line[2], status = 0;
    FILE *f;
    pid_t pid;

    open_machine(&t, &root, "GenuineIntel");
    tree_put_register(&t, 0, intel, 0x42);
    if (!ok(pipe2(line, O_CLOEXEC) == 0, "a line to the one who will be killed"))
        return;
    pid = fork();
    if (pid == 0)
        be_killed(&t, &root, line[1]);
    (void)close(line[1]);
    ok(read(line[0], &seen, sizeof(seen)) == (ssize_t)sizeof(seen) && seen == 0x4f,
       "a process switches the prefetchers off");
    (void)close(line[0]);
    ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "and is killed with its group");
    f = tree_register(&t, 0, intel, "r");
    if (ok(f && flock(fileno(f), LOCK_EX) == 0, "its guardian lets go of the register"))
        ok(tree_get_register(&t, 0, intel) == 0x42 && !t.broken, "which is as it was before");
    if (f)
        (void)fclose(f);
    close_machine(&t, &root);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        check_setting(&settings[i]);
    check_refusals();
    check_lock();
    check_killed();
    return tap_done();
}
