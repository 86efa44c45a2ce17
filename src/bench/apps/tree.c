/* SPDX-License-Identifier: MIT */
/* task.tree: recursion. A node of a tree is a task that waits for its children, which it runs as a
 * loop inside its block. What a policy does with depth and breadth shows here, and not in loops. */
#include "app/graph/trees.h"
#include "bench/apps/apps.h"

/* Axes of a point, before those of am_apps_axis. */
enum axis { EXECUTOR, SHAPE, N, CUTOFF };

struct tree {
    struct am_apps_engine engine;
    struct am_trees trees;
    struct am_tree_sum wanted, got;
    uint64_t wrong, rounds;
};

static const struct am_metric metrics[] = {
    {"time_per_task", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
     "of the tree over its nodes; all threads share them"},
    {"tasks_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "nodes"},
    {.name = NULL},
};

/* The only block of a round. */
static void walk(void *app, size_t block)
{
    struct tree *const t = app;

    (void)block;
    t->got = am_trees_walk(&t->trees);
    t->rounds++;
    t->wrong += t->got.answer != t->wanted.answer || t->got.nodes != t->wanted.nodes;
}

/* By plain calls, and once more by what is known without. */
static enum am_status find_wanted(struct tree *t, struct am_err *err)
{
    uint64_t known;

    t->wanted = am_trees_walk(&t->trees);
    if (am_trees_known(&t->trees, &known) && known != t->wanted.answer)
        return am_fail(err, AM_E_WRONG, "wrong: plain calls give %llu, not %llu",
                       (unsigned long long)t->wanted.answer, (unsigned long long)known);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *w, struct am_err *err)
{
    struct tree *const t = state;
    const size_t shape = (size_t)point[SHAPE].i;
    const int64_t n = point[N].i ? point[N].i : (int64_t)am_tree_usual(shape);
    const struct am_executor *const executor = am_apps_executor(ctx, point);
    enum am_status s;

    if (n < 1 || n > (int64_t)am_tree_most(shape) || point[CUTOFF].i < 0)
        return am_fail(err, AM_E_ABSENT, "%s of %lld: 1 to %zu are possible, and a cutoff from 0",
                       am_tree_names[shape], (long long)n, am_tree_most(shape));
    if (executor && executor->flat)
        return am_fail(err, AM_E_ABSENT, "%s leaves a loop inside a block on one thread",
                       executor->name);
    t->trees = (struct am_trees){.shape = shape, .n = (size_t)n, .cutoff = (size_t)point[CUTOFF].i};
    s = find_wanted(t, err);
    if (s == AM_OK)
        s = am_apps_open(&t->engine, ctx, point, err);
    t->trees.executor = t->engine.executor;
    t->trees.self = t->engine.self;
    w->ops = (double)t->wanted.nodes;
    am_ctx_note(ctx, "tree", "n = %lld, %llu nodes, answer %llu", (long long)n,
                (unsigned long long)t->wanted.nodes, (unsigned long long)t->wanted.answer);
    return s;
}

static void run(void *state, uint64_t iters)
{
    struct tree *const t = state;
    const struct am_blocks root = {.count = 1, .app = t, .run = walk};

    t->engine.executor->run(t->engine.self, &root, iters);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct tree *const t = state;

    *residual = (double)t->wrong;
    if (t->rounds && !t->wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: %llu of %llu walks, the last with %llu of %llu nodes",
                   (unsigned long long)t->wrong, (unsigned long long)t->rounds,
                   (unsigned long long)t->got.nodes, (unsigned long long)t->wanted.nodes);
}

static void finish(void *state)
{
    struct tree *const t = state;

    am_apps_close(&t->engine);
}

static const struct am_axis axes[] = {
    [EXECUTOR] = {.name = "executor"},
    [SHAPE] = {.name = "shape",
               .kind = AM_AXIS_NAME,
               .dflt = "all",
               .quick = "fib",
               .choices = am_tree_names,
               .help = "calls of Fibonacci numbers, queens on a board, an unbalanced tree"},
    [N] = {.name = "n",
           .kind = AM_AXIS_INT,
           .dflt = "0",
           .help = "number, side of the board, depth; 0: 24, 9, 8"},
    [CUTOFF] = {.name = "cutoff",
                .kind = AM_AXIS_INT,
                .dflt = "0,4",
                .quick = "0",
                .help = "so many levels above the end are walked by plain calls"},
    {.name = NULL},
};

const struct am_app am_app_tree = {
    .bench = {.name = "task.tree",
              .summary = "recursion: what a task costs that waits for its children",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .points_per_launch = 4,
              .state_size = sizeof(struct tree),
              .prepare = prepare,
              .run = run,
              .verify = verify,
              .finish = finish},
};
