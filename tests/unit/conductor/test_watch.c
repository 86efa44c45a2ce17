/* SPDX-License-Identifier: MIT */
/* Launches shorter than the kernel's counting are judged by the second before them: a made-up
 * machine of four CPUs on which launches of 20 ms follow each other. */
#include "conductor/watch.h"
#include "fsroot/tree.h"
#include "tap.h"

enum { CPUS = 4, LAUNCH_TICKS = 2, PER_SECOND = 100 / LAUNCH_TICKS };

struct machine {
    struct tree tree;
    unsigned long long elapsed, own, other, steal; /* ticks */
};

static void tell(struct machine *m)
{
    const unsigned long long used = m->own + m->other + m->steal;

    tree_put(&m->tree, "proc/stat", "cpu  %llu 0 0 %llu 0 0 0 %llu 0 0", m->own + m->other,
             CPUS * m->elapsed - used, m->steal);
    tree_put(&m->tree, "proc/self/stat", "7 (a) S 1 7 7 0 -1 0 1 2 3 4 0 0 %llu 0 20 0 1 0 99",
             m->own);
    tree_put(&m->tree, "proc/loadavg", "0.50 0.12 0.04 1/89 10107");
}

/* One launch during which our worker keeps one CPU busy; `other` and `steal` are what it costs
 * every launch. Returns its labels. */
static uint32_t launch(struct machine *m, struct am_watch *w, unsigned other, unsigned steal,
                       struct am_surroundings *out)
{
    am_watch_begin(w);
    m->elapsed += LAUNCH_TICKS;
    m->own += LAUNCH_TICKS;
    m->other += other;
    m->steal += steal;
    tell(m);
    return am_watch_end(w, 1, out) ? out->labels : UINT32_MAX;
}

static void test_window(void)
{
    struct machine m = {.elapsed = 100000};
    struct am_fsroot root = {0};
    struct am_watch w = {.root = &root, .cpus = CPUS};
    struct am_surroundings s;
    size_t quiet = 0, busy = 0, until = 0;

    tree_open(&m.tree);
    tell(&m);
    ok(am_fsroot_open(&root, m.tree.path, NULL) == AM_OK, "the machine is there");
    for (int i = 0; i < 3 * AM_WATCH_KEPT; i++)
        quiet += launch(&m, &w, 0, 0, &s) == 0;
    ok(quiet == 3 * AM_WATCH_KEPT, "our own worker is no neighbour, however long it works");
    ok(s.others > -0.01 && s.others < 0.01, "others used %g CPUs", s.others);
    for (int i = 0; i < PER_SECOND; i++) {
        const bool now = launch(&m, &w, 0, 1, &s) & AM_BUSY_STEAL;

        until += !now && !busy;
        busy += now;
    }
    ok(until > 1 && until < PER_SECOND / 2 && busy + until == PER_SECOND,
       "half a CPU stolen is no news in %zu launches and certain after that", until);
    is_near(s.steal, 0.5, 0.02, "it is told as what it is");
    for (quiet = 0; quiet < 2 * PER_SECOND && launch(&m, &w, 0, 0, &s); quiet++)
        ;
    ok(quiet > 0 && quiet <= PER_SECOND, "it is forgotten within a second (%zu launches)", quiet);
    for (int i = 0; i < PER_SECOND; i++)
        busy = launch(&m, &w, LAUNCH_TICKS, 0, &s);
    ok(busy == AM_BUSY_OTHERS, "a neighbour on another CPU is seen");
    w.foreign = true;
    for (int i = 0; i < 2 * PER_SECOND; i++)
        busy = launch(&m, &w, LAUNCH_TICKS, 0, &s);
    ok(busy == 0 && isnan(s.others), "not where workers are no children of ours");
    ok(!m.tree.broken, "the tree was written");
    am_fsroot_close(&root);
    tree_close(&m.tree);
}

/* A process that reads meters works all the time that launches do; it is ours while it runs. */
static void test_helper(void)
{
    enum { HELPER = 4711 };
    struct machine m = {.elapsed = 100000};
    struct am_fsroot root = {0};
    struct am_watch w = {.root = &root, .cpus = CPUS, .helper = HELPER};
    struct am_surroundings s = {0};
    uint32_t busy = 0;

    tree_open(&m.tree);
    tell(&m);
    tree_put(&m.tree, "proc/4711/stat", "4711 (a ) b) S 7 7 7 0 -1 0 1 2 3 4 0 0 0 0 20 0 1 0 99");
    ok(am_fsroot_open(&root, m.tree.path, NULL) == AM_OK, "the machine is there");
    for (int i = 0; i < 2 * PER_SECOND; i++) {
        tree_put(&m.tree, "proc/4711/stat",
                 "4711 (a ) b) S 7 7 7 0 -1 0 1 2 3 4 %d 0 0 0 20 0 1 0 99", LAUNCH_TICKS * i);
        busy |= launch(&m, &w, LAUNCH_TICKS, 0, &s);
    }
    ok(busy == 0 && s.others < 0.1, "the reader of meters is no neighbour (%g CPUs)", s.others);
    for (int i = 0; i < 2 * PER_SECOND; i++)
        busy = launch(&m, &w, LAUNCH_TICKS, 0, &s);
    ok(busy == AM_BUSY_OTHERS, "whoever works while it rests is one");
    ok(!m.tree.broken, "the tree was written");
    am_fsroot_close(&root);
    tree_close(&m.tree);
}

static void test_nobody(void)
{
    struct am_watch w = {.root = NULL};
    struct am_surroundings s;

    am_watch_begin(&w);
    ok(!am_watch_end(&w, 1, &s), "without a root nobody looks");
}

int main(void)
{
    test_window();
    test_helper();
    test_nobody();
    return tap_done();
}
