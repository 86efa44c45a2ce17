/* SPDX-License-Identifier: MIT */
/* What else a machine does, read twice below a made-up root: neighbours are seen, our own work is
 * not one, and what cannot be read is unknown. */
#include "base/clock.h"
#include "fsroot/tree.h"
#include "tap.h"
#include "topo/activity.h"

#include <math.h>

/* The running totals of a machine of four CPUs, in ticks and us. */
struct moment {
    unsigned long long busy, steal, own; /* own: CPU time of ended workers; part of busy */
    unsigned runnable;                   /* the reader is one of them */
    unsigned long long waited_cpu, waited_memory;
};

enum { CPUS = 4, TICKS = 100, SECONDS = 2 };

static void put_moment(struct tree *t, const struct moment *m)
{
    /* user 1/2, system 1/2; ") " in the name must not end it */
    tree_put(t, "proc/stat", "cpu  %llu 0 %llu 5000 10 0 0 %llu 0 0\ncpu0 1 1 1 1 1 1 1 1",
             m->busy - m->busy / 2, m->busy / 2, m->steal);
    tree_put(t, "proc/self/stat", "7 (arch) meter) S 1 7 7 0 -1 0 1 2 3 4 5 6 %llu 0 20 0 1 0 99",
             m->own > 11 ? m->own - 11 : 0);
    tree_put(t, "proc/loadavg", "0.50 0.12 0.04 %u/89 10107", m->runnable);
    tree_put(t, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=%llu",
             m->waited_cpu);
    tree_put(t, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=%llu",
             m->waited_memory);
}

static struct am_surroundings between(const struct moment *a, const struct moment *b)
{
    struct am_activity before, after;
    struct am_fsroot root = {0};
    struct tree t;

    tree_open(&t);
    if (am_fsroot_open(&root, t.path, NULL) != AM_OK)
        t.broken = true;
    put_moment(&t, a);
    am_activity_read(&root, &before);
    put_moment(&t, b);
    am_activity_read(&root, &after);
    ok(!t.broken, "the tree was made");
    am_fsroot_close(&root);
    tree_close(&t);
    return am_activity_between(&before, &after, SECONDS, 1, CPUS);
}

static const struct {
    const char *what;
    struct moment more; /* what two seconds add; `runnable` is that of both moments */
    unsigned runnable_later;
    uint32_t want;
    double others;
} cases[] = {
    {"nobody works", {.runnable = 1}, 1, 0, 0},
    {"our worker keeps four CPUs busy", {.busy = 800, .own = 800, .runnable = 1}, 1, 0, 0},
    {"and its threads wait for each other's CPUs",
     {.busy = 800, .own = 800, .runnable = 1, .waited_cpu = 1900000},
     1,
     0,
     0},
    {"a neighbour keeps one CPU busy",
     {.busy = 400, .own = 200, .runnable = 2},
     2,
     AM_BUSY_OTHERS,
     1},
    {"and several wait for it",
     {.busy = 400, .own = 200, .runnable = 4},
     3,
     AM_BUSY_OTHERS | AM_BUSY_RUNNABLE,
     1},
    {"a neighbour that sleeps while we look",
     {.busy = 300, .own = 200, .runnable = 1},
     1,
     AM_BUSY_OTHERS,
     0.5},
    {"a thread that ran at the first look only", {.busy = 200, .own = 200, .runnable = 3}, 1, 0, 0},
    {"less than counting in ticks can tell", {.busy = 220, .own = 200, .runnable = 1}, 1, 0, 0.1},
    {"the hypervisor takes half a CPU",
     {.busy = 150, .own = 150, .steal = 100, .runnable = 1},
     1,
     AM_BUSY_STEAL,
     0},
    {"tasks wait for memory",
     {.busy = 200, .own = 200, .runnable = 1, .waited_memory = 400000},
     1,
     AM_BUSY_MEMORY,
     0},
};

static void check_case(size_t i)
{
    const struct moment first = {.busy = 1000,
                                 .steal = 5,
                                 .own = 100,
                                 .runnable = cases[i].more.runnable,
                                 .waited_cpu = 77,
                                 .waited_memory = 78};
    const struct moment second = {.busy = 1000 + cases[i].more.busy,
                                  .steal = 5 + cases[i].more.steal,
                                  .own = 100 + cases[i].more.own,
                                  .runnable = cases[i].runnable_later,
                                  .waited_cpu = 77 + cases[i].more.waited_cpu,
                                  .waited_memory = 78 + cases[i].more.waited_memory};
    const struct am_surroundings s = between(&first, &second);
    char text[256];

    ok(s.labels == cases[i].want, "%s: labels %u (%s)", cases[i].what, s.labels,
       am_surroundings_text(&s, text, sizeof(text)));
    is_near(s.others, cases[i].others, 1e-9, "CPU time of others");
    ok(s.load == 0.5 && isnan(s.pressure_io), "what is there is read, the rest is unknown");
    ok((text[0] != '\0') == (cases[i].want != 0), "a busy machine is told in words");
}

static void test_nothing(void)
{
    struct am_activity before, after;
    struct am_fsroot root = {0};
    struct am_surroundings s;
    struct tree t;

    tree_open(&t);
    (void)am_fsroot_open(&root, t.path, NULL);
    am_activity_read(&root, &before);
    tree_put(&t, "proc/stat", "cpu  x");
    tree_put(&t, "proc/loadavg", "busy");
    tree_put(&t, "proc/self/stat", "7 (archmeter S 1");
    tree_put(&t, "proc/pressure/cpu", "some total=");
    am_activity_read(&root, &after);
    s = am_activity_between(&before, &after, 1, 1, CPUS);
    ok(isnan(s.load) && isnan(s.runnable) && isnan(s.others) && isnan(s.steal) &&
           isnan(s.pressure_cpu) && s.labels == 0,
       "a root without /proc tells nothing, and nothing is busy");
    s = am_activity_between(&before, &before, 0, 1, CPUS);
    ok(s.labels == 0, "nor is a moment without length");
    am_fsroot_close(&root);
    tree_close(&t);
}

/* This machine, whoever else works on it. */
static void test_here(void)
{
    enum { READINGS = 100 };
    struct am_activity now;
    struct am_fsroot root = {0};
    uint64_t begin;

    ok(am_fsroot_open(&root, NULL, NULL) == AM_OK, "the real root opens");
    begin = am_now_ns();
    for (int i = 0; i < READINGS; i++)
        am_activity_read(&root, &now);
    printf("# a reading takes %.0f us\n", (double)(am_now_ns() - begin) * 1e-3 / READINGS);
    ok(now.has_load && now.has_ticks && now.has_own && now.busy > 0, "it can be read here");
    am_fsroot_close(&root);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_case(i);
    test_nothing();
    test_here();
    return tap_done();
}
