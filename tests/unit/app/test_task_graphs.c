/* SPDX-License-Identifier: MIT */
/* Graphs by pattern and trees by shape: what they are, and that a wrong order, a task left out or
 * one too many is noticed. */
#include "app/graph/patterns.h"
#include "app/graph/trees.h"
#include "tap.h"

#include <stdlib.h>

/* ---- patterns ---- */

static struct am_patterns make(size_t pattern, size_t width, size_t rows)
{
    struct am_patterns p = {.pattern = pattern, .width = width, .rows = rows, .steps = 3};
    struct am_err err = {0};

    if (am_patterns_init(&p, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    return p;
}

/* Each waits for tasks of the row above, each of them once. */
static bool is_sound(const struct am_patterns *p)
{
    bool sound = true;

    for (size_t t = 0; t < p->width * p->rows; t++) {
        size_t before[AM_PATTERN_BEFORE_MAX];
        const size_t n = am_patterns_before(p, t, before);

        sound = sound && n <= AM_PATTERN_BEFORE_MAX &&
                (n == 0) == (t < p->width || !am_patterns_waits(p));
        for (size_t i = 0; i < n; i++) {
            sound = sound && before[i] / p->width + 1 == t / p->width;
            for (size_t k = 0; k < i; k++)
                sound = sound && before[k] != before[i];
        }
    }
    return sound;
}

static void run_all(struct am_patterns *p)
{
    p->rounds++;
    for (size_t t = 0; t < p->width * p->rows; t++)
        am_patterns_run(p, t);
}

static void check_pattern(size_t pattern, size_t width)
{
    const char *const name = am_pattern_names[pattern];
    const size_t rows = 6;
    struct am_patterns p = make(pattern, width, rows);

    ok(is_sound(&p), "%s, %zu wide: waits for the row above", name, width);
    run_all(&p);
    run_all(&p);
    ok(am_patterns_wrong(&p) == 0, "%s, %zu wide: two rounds in order are right", name, width);
    am_patterns_run(&p, width * rows - 1);
    ok(am_patterns_wrong(&p) == 1, "one run once too often is noticed");
    am_patterns_fini(&p);

    p = make(pattern, width, rows);
    p.rounds++;
    for (size_t t = 0; t < width * rows; t++) {
        if (t != 1)
            am_patterns_run(&p, t);
    }
    ok(am_patterns_wrong(&p) >= 1 + (size_t)am_patterns_waits(&p),
       "one that was left out is noticed, and those that wait for it: %zu wrong",
       am_patterns_wrong(&p));
    am_patterns_fini(&p);

    p = make(pattern, width, rows);
    run_all(&p);
    p.rounds++;
    for (size_t t = width * rows; t-- > 0;)
        am_patterns_run(&p, t);
    ok((am_patterns_wrong(&p) == 0) == !am_patterns_waits(&p),
       "backwards is noticed where somebody waits: %zu wrong", am_patterns_wrong(&p));
    am_patterns_fini(&p);
}

static void check_shapes(void)
{
    struct am_patterns p = make(3, 8, 5);
    size_t before[AM_PATTERN_BEFORE_MAX];

    is_str(am_pattern_names[3], "fft", "butterflies");
    ok(am_patterns_before(&p, 8 + 5, before) == 2 && before[0] == 5 && before[1] == 4 &&
           am_patterns_before(&p, 16 + 5, before) == 2 && before[1] == 8 + 7 &&
           am_patterns_before(&p, 24 + 5, before) == 2 && before[1] == 16 + 1 &&
           am_patterns_before(&p, 32 + 5, before) == 2 && before[1] == 24 + 4,
       "partners are 1, 2, 4 away, and then 1 again");
    ok(am_patterns_depth(&p) == 5, "five rows are five tasks one after the other");
    am_patterns_fini(&p);
}

/* ---- trees ---- */

static void check_trees(void)
{
    static const struct {
        size_t shape, n;
        uint64_t answer, nodes; /* nodes 0: not known by heart */
    } cases[] = {{0, 1, 1, 1}, {0, 10, 55, 177}, {0, 20, 6765, 0}, {1, 1, 1, 2},
                 {1, 3, 0, 6}, {1, 6, 4, 153},   {1, 8, 92, 2057}};
    struct am_tree_sum once, again;
    struct am_trees uts = {.shape = 2, .n = 6};
    uint64_t known;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_trees t = {.shape = cases[i].shape, .n = cases[i].n};
        const struct am_tree_sum sum = am_trees_walk(&t);

        ok(sum.answer == cases[i].answer && (!cases[i].nodes || sum.nodes == cases[i].nodes) &&
               am_trees_known(&t, &known) && known == sum.answer,
           "%s of %zu: %llu, %llu nodes", am_tree_names[t.shape], t.n,
           (unsigned long long)sum.answer, (unsigned long long)sum.nodes);
    }
    once = am_trees_walk(&uts);
    again = am_trees_walk(&uts);
    ok(once.nodes == again.nodes && once.nodes > 500 && once.nodes < 50000 &&
           once.answer < once.nodes && !am_trees_known(&uts, &known),
       "an unbalanced tree is the same each time: %llu nodes, %llu leaves",
       (unsigned long long)once.nodes, (unsigned long long)once.answer);
}

/* ---- trees on executors: one root, everything else loops in blocks ---- */

struct root {
    struct am_trees trees;
    struct am_tree_sum sum;
};

static void walk(void *app, size_t block)
{
    struct root *const r = app;

    (void)block;
    r->sum = am_trees_walk(&r->trees);
}

static void check_executor(const struct am_executor *e, size_t threads)
{
    const int cpu = 0;
    const struct am_executor_setup setup = {.threads = threads, .cpus = &cpu, .cpu_count = 1};
    struct am_err err = {0};
    void *self = NULL;
    bool right = true;

    if (e->open(e, &setup, &self, &err) != AM_OK) {
        printf("# %s: %s\n", e->name, err.text);
        return;
    }
    for (size_t shape = 0; am_tree_names[shape]; shape++) {
        const struct am_trees plain = {.shape = shape, .n = shape == 0 ? 14 : 6};
        struct root r = {.trees = plain};
        const struct am_blocks blocks = {.count = 1, .app = &r, .run = walk};
        const struct am_tree_sum wanted = am_trees_walk(&plain);

        r.trees.executor = e;
        r.trees.self = self;
        for (r.trees.cutoff = 0; r.trees.cutoff < 6; r.trees.cutoff += 3) {
            r.sum = (struct am_tree_sum){0};
            e->run(self, &blocks, 2);
            right = right && r.sum.answer == wanted.answer && r.sum.nodes == wanted.nodes;
        }
    }
    ok(right, "%s, %zu threads: the trees of all shapes", e->name, threads);
    e->close(self);
}

int main(void)
{
    static const struct am_executor *const executors[] = {
        &am_executor_serial,   &am_executor_task_default, &am_executor_task_bf,
        &am_executor_task_dbf, &am_executor_task_wf,      &am_executor_task_steal};

    for (size_t i = 0; am_pattern_names[i]; i++) {
        check_pattern(i, 16);
        check_pattern(i, 13);
    }
    check_shapes();
    check_trees();
    for (size_t i = 0; i < sizeof(executors) / sizeof(executors[0]); i++) {
        check_executor(executors[i], 1);
        check_executor(executors[i], 3);
    }
    return tap_done();
}
