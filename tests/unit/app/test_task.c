/* SPDX-License-Identifier: MIT */
/* The task runtime: results, orders, dependencies, limits and counts under every policy. */
#include "runtime/task.h"

#include "base/rng.h"
#include "bench_fixture.h"

#include <stdatomic.h>
#include <unistd.h>

/* ThreadSanitizer makes everything some ten times slower, and one order fewer tasks tell it as
 * much. */
#if defined(__SANITIZE_THREAD__)
#define SHARE 10
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHARE 10
#endif
#endif
#if !defined(SHARE)
#define SHARE 1
#endif

enum { FEW = 16, THREADS_MANY = 64 };

static int cpus[2];
static size_t cpu_count;

static struct am_tasks *make(enum am_task_policy policy, size_t threads, size_t throttle,
                             size_t stacks_max)
{
    const struct am_task_setup setup = {
        .policy = policy,
        .threads = threads,
        .cpus = cpus,
        .cpu_count = cpu_count,
        .throttle = throttle,
        .spins = AM_TASK_SPINS,
        .stacks_max = stacks_max,
    };
    struct am_tasks *tasks = NULL;
    struct am_err err = {0};

    if (am_tasks_new(&setup, &tasks, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    return tasks;
}

/* ---- trees ---- */

struct fib {
    uint64_t n, result;
};

static void fib(struct am_task *self, void *arg, size_t index)
{
    struct fib *const f = arg;
    struct fib parts[2] = {{.n = f->n - 1}, {.n = f->n - 2}};

    (void)index;
    if (f->n < 2) {
        f->result = f->n;
        return;
    }
    am_task_spawn(self, fib, &parts[0], 0);
    am_task_spawn(self, fib, &parts[1], 1);
    am_task_wait(self);
    f->result = parts[0].result + parts[1].result;
}

static uint64_t fib_tasks(uint64_t n)
{
    return n < 2 ? 1 : 1 + fib_tasks(n - 1) + fib_tasks(n - 2);
}

static uint64_t fib_plain(uint64_t n)
{
    return n < 2 ? n : fib_plain(n - 1) + fib_plain(n - 2);
}

static void check_fib(enum am_task_policy policy, size_t threads, size_t throttle,
                      size_t stacks_max, uint64_t n)
{
    struct am_tasks *const tasks = make(policy, threads, throttle, stacks_max);
    struct am_executor_counts counts;
    enum { RUNS = 3 };
    bool right = true;

    for (int i = 0; i < RUNS; i++) {
        struct fib f = {.n = n};

        am_tasks_run(tasks, fib, &f);
        right = right && f.result == fib_plain(n);
    }
    am_tasks_count(tasks, &counts);
    ok(right && counts.executed == RUNS * fib_tasks(n),
       "%s, %zu threads, throttle %zu, %zu stacks: fib(%d) three times, %d tasks",
       am_task_policy_names[policy], threads, throttle, stacks_max, (int)n, (int)counts.executed);
    if (stacks_max)
        ok(counts.stacks <= threads + stacks_max, "at most %zu stacks, %d were made",
           threads + stacks_max, (int)counts.stacks);
    am_tasks_free(tasks);
}

static void check_trees(void)
{
    static const size_t threads[] = {1, 2, 3, 8, THREADS_MANY};

    for (int p = 0; p < AM_TASK_POLICIES; p++) {
        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
            check_fib((enum am_task_policy)p, threads[i], 0, 0, 12);
        check_fib((enum am_task_policy)p, 2, 3, 0, 14);
        check_fib((enum am_task_policy)p, 3, AM_TASK_THROTTLE, 1, 14);
        check_fib((enum am_task_policy)p, 1, 0, 4, 14);
    }
}

/* An uneven tree: how many children a node has follows from its name alone, so that a plain
 * recursion counts the same. */
struct tree {
    _Atomic uint64_t nodes;
};

static size_t children_of(size_t name, size_t *first)
{
    struct am_rng rng;

    am_rng_seed(&rng, name, 1);
    *first = name * 5 + 1;
    return name < 4000 ? am_rng_below(&rng, 6) : 0;
}

static uint64_t tree_plain(size_t name)
{
    size_t first;
    const size_t n = children_of(name, &first);
    uint64_t nodes = 1;

    for (size_t i = 0; i < n; i++)
        nodes += tree_plain(first + i);
    return nodes;
}

/* Waits for its children in every other node only: the rest end before them. */
static void grow(struct am_task *self, void *arg, size_t name)
{
    struct tree *const t = arg;
    size_t first;
    const size_t n = children_of(name, &first);

    for (size_t i = 0; i < n; i++)
        am_task_spawn(self, grow, t, first + i);
    if (name % 2)
        am_task_wait(self);
    t->nodes++;
}

static void grow_root(struct am_task *self, void *arg, size_t index)
{
    (void)index;
    grow(self, arg, 1);
}

/* ---- order ---- */

struct order {
    size_t at[FEW];
    size_t n;
};

static void note_index(struct am_task *self, void *arg, size_t index)
{
    struct order *const o = arg;

    (void)self;
    o->at[o->n++] = index;
}

static void spawn_few(struct am_task *self, void *arg, size_t index)
{
    (void)index;
    for (size_t i = 0; i < FEW; i++)
        am_task_spawn(self, note_index, arg, i);
}

static void check_order(enum am_task_policy policy, bool rising)
{
    struct am_tasks *const tasks = make(policy, 1, 0, 0);
    struct order o = {.n = 0};
    bool right;

    am_tasks_run(tasks, spawn_few, &o);
    right = o.n == FEW;
    for (size_t i = 0; i < FEW && right; i++)
        right = o.at[i] == (rising ? i : FEW - 1 - i);
    ok(right, "%s on one thread: %d tasks run in %s order", am_task_policy_names[policy], FEW,
       rising ? "rising" : "falling");
    am_tasks_free(tasks);
}

/* Depth: a policy that goes deep keeps few tasks alive. */
static size_t stacks_of_tree(enum am_task_policy policy)
{
    struct am_tasks *const tasks = make(policy, 1, 0, 0);
    struct fib f = {.n = 12};
    struct am_executor_counts counts;

    am_tasks_run(tasks, fib, &f);
    am_tasks_count(tasks, &counts);
    am_tasks_free(tasks);
    return counts.stacks;
}

static void check_orders(void)
{
    const size_t deep = stacks_of_tree(AM_TASK_DBF), broad = stacks_of_tree(AM_TASK_BF);
    const size_t first = stacks_of_tree(AM_TASK_WF), lifo = stacks_of_tree(AM_TASK_DEFAULT);

    check_order(AM_TASK_DEFAULT, false);
    check_order(AM_TASK_BF, true);
    check_order(AM_TASK_DBF, false);
    check_order(AM_TASK_WF, true);
    ok(deep <= 16 && lifo <= 16, "depth first needs a stack per level: dbf %zu, default %zu", deep,
       lifo);
    ok(broad > 10 * deep, "breadth first needs one per waiting task: bf %zu", broad);
    /* of 2012: the oldest parent goes on, so that parents pile up; the newest first would need 12
     */
    ok(first > 2 * deep, "wf continues the oldest parent of its queue: %zu", first);
}

/* ---- flat loops: throttle, steals, counts ---- */

static void add_index(struct am_task *self, void *arg, size_t index)
{
    (void)self;
    atomic_fetch_add_explicit((_Atomic uint64_t *)arg, index, memory_order_relaxed);
}

struct flat {
    _Atomic uint64_t sum;
    size_t n;
};

static void spawn_flat(struct am_task *self, void *arg, size_t index)
{
    struct flat *const f = arg;

    (void)index;
    for (size_t i = 0; i < f->n; i++)
        am_task_spawn(self, add_index, &f->sum, i);
}

static void check_flat(enum am_task_policy policy, size_t threads, size_t throttle, size_t n)
{
    struct am_tasks *const tasks = make(policy, threads, throttle, 0);
    struct flat f = {.n = n};
    struct am_executor_counts c;
    const uint64_t want = (uint64_t)f.n * (f.n - 1) / 2;

    am_tasks_run(tasks, spawn_flat, &f);
    am_tasks_count(tasks, &c);
    ok(f.sum == want && c.executed == f.n + 1,
       "%s, %zu threads, throttle %zu: a loop of %zu tasks (%d stolen)",
       am_task_policy_names[policy], threads, throttle, f.n, (int)c.stolen);
    if (policy != AM_TASK_WF)
        ok(c.deferred + c.inlined == f.n && (throttle || !c.inlined),
           "each was deferred (%d) or ran inside its creator (%d)", (int)c.deferred,
           (int)c.inlined);
    am_tasks_free(tasks);
}

static void check_loops(void)
{
    for (int p = 0; p < AM_TASK_POLICIES; p++) {
        check_flat((enum am_task_policy)p, 1, 0, 30000);
        check_flat((enum am_task_policy)p, 2, AM_TASK_THROTTLE, 100000);
        check_flat((enum am_task_policy)p, THREADS_MANY, 10, 30000);
    }
    check_flat(AM_TASK_DBF, 2, 0, 1000000 / SHARE); /* as many as a queue may come to hold */
    check_flat(AM_TASK_WF, 2, 0, 1000000 / SHARE);
}

/* ---- graphs ---- */

enum { NODES = 300, BEFORE_MAX = 6 };

struct graph {
    struct am_task_graph *tasks_graph;
    size_t before[NODES][BEFORE_MAX];
    size_t n[NODES];
    _Atomic bool ended[NODES];
    _Atomic unsigned runs, early;
};

static void fill_graph(struct graph *g, struct am_rng *rng)
{
    for (size_t i = 0; i < NODES; i++) {
        g->n[i] = 0;
        for (size_t k = 0; k < BEFORE_MAX && k < i; k++) {
            const size_t b = am_rng_below(rng, i);
            bool known = am_rng_below(rng, 3) == 0;

            for (size_t j = 0; j < g->n[i]; j++)
                known = known || g->before[i][j] == b;
            if (!known)
                g->before[i][g->n[i]++] = b;
        }
    }
}

static void visit(struct graph *g, size_t i)
{
    for (size_t k = 0; k < g->n[i]; k++) {
        if (!g->ended[g->before[i][k]])
            g->early++;
    }
    g->runs++;
    g->ended[i] = true;
}

static void run_node(struct am_task *self, void *arg, size_t index)
{
    (void)self;
    visit(arg, index);
}

static void spawn_nodes(struct am_task *self, void *arg, size_t index)
{
    struct graph *const g = arg;

    (void)index;
    am_task_graph_reset(g->tasks_graph);
    for (size_t i = 0; i < NODES; i++)
        am_task_spawn_after(self, g->tasks_graph, run_node, g, i, g->before[i], g->n[i]);
}

static void check_graphs(enum am_task_policy policy, size_t threads, struct am_rng *rng)
{
    enum { GRAPHS = 20 };
    struct am_tasks *const tasks = make(policy, threads, AM_TASK_THROTTLE, 0);
    static struct graph g;
    struct am_err err = {0};
    unsigned runs = 0, early = 0;

    if (am_task_graph_new(NODES, NODES * BEFORE_MAX, &g.tasks_graph, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    for (int i = 0; i < GRAPHS; i++) {
        memset(g.ended, 0, sizeof(g.ended));
        g.runs = g.early = 0;
        fill_graph(&g, rng);
        am_tasks_run(tasks, spawn_nodes, &g);
        runs += g.runs;
        early += g.early;
    }
    ok(runs == GRAPHS * NODES && early == 0,
       "%s, %zu threads: %d random graphs of %d tasks, %u ran, %u before what they wait for",
       am_task_policy_names[policy], threads, GRAPHS, NODES, runs, early);
    am_task_graph_free(g.tasks_graph);
    am_tasks_free(tasks);
}

/* Many short runs: their beginning and end are where threads could miss each other. */
static void check_many_runs(enum am_task_policy policy, size_t threads)
{
    enum { RUNS = 300 };
    struct am_tasks *const tasks = make(policy, threads, 2, 2);
    struct flat f = {.n = 7};

    for (int i = 0; i < RUNS; i++)
        am_tasks_run(tasks, spawn_flat, &f);
    ok(f.sum == (uint64_t)RUNS * 21, "%s, %zu threads: %d short runs end",
       am_task_policy_names[policy], threads, RUNS);
    am_tasks_free(tasks);
}

/* ---- everything at random ---- */

static bool try_fib(struct am_tasks *tasks, struct am_rng *rng)
{
    struct fib f = {.n = am_rng_below(rng, 11)};

    am_tasks_run(tasks, fib, &f);
    return f.result == fib_plain(f.n);
}

static bool try_tree(struct am_tasks *tasks, struct am_rng *rng)
{
    struct tree t = {0};

    (void)rng;
    am_tasks_run(tasks, grow_root, &t);
    return t.nodes == tree_plain(1);
}

static bool try_flat(struct am_tasks *tasks, struct am_rng *rng)
{
    struct flat f = {.n = am_rng_below(rng, 200)};

    am_tasks_run(tasks, spawn_flat, &f);
    return f.sum == (uint64_t)f.n * (f.n ? f.n - 1 : 0) / 2;
}

static bool try_graph(struct am_tasks *tasks, struct am_rng *rng)
{
    static struct graph g;
    struct am_err err = {0};

    if (am_task_graph_new(NODES, NODES * BEFORE_MAX, &g.tasks_graph, &err) != AM_OK)
        return false;
    memset(g.ended, 0, sizeof(g.ended));
    g.runs = g.early = 0;
    fill_graph(&g, rng);
    am_tasks_run(tasks, spawn_nodes, &g);
    am_task_graph_free(g.tasks_graph);
    return g.runs == NODES && g.early == 0;
}

static bool try_something(struct am_rng *rng)
{
    static bool (*const tries[])(struct am_tasks * tasks,
                                 struct am_rng * rng) = {try_fib, try_tree, try_flat, try_graph};
    static const size_t throttles[] = {0, 1, 7, AM_TASK_THROTTLE}, stacks[] = {0, 1, 3, 20};
    const enum am_task_policy policy = (enum am_task_policy)am_rng_below(rng, AM_TASK_POLICIES);
    const size_t threads = am_rng_below(rng, 50) ? 1 + am_rng_below(rng, 6) : THREADS_MANY;
    const size_t throttle = throttles[am_rng_below(rng, 4)], most = stacks[am_rng_below(rng, 4)];
    struct am_tasks *const tasks = make(policy, threads, throttle, most);
    bool right = true;

    for (size_t left = 1 + am_rng_below(rng, 3); left && right; left--)
        right = tries[am_rng_below(rng, 4)](tasks, rng);
    if (!right)
        printf("# %s, %zu threads, throttle %zu, %zu stacks\n", am_task_policy_names[policy],
               threads, throttle, most);
    am_tasks_free(tasks);
    return right;
}

static void check_anything(struct am_rng *rng)
{
    enum { REPETITIONS = 1000 / SHARE };
    int done = 0;

    while (done < REPETITIONS && try_something(rng))
        done++;
    ok(done == REPETITIONS,
       "%d of %d runtimes of random policy, threads, throttle and stacks end with right results",
       done, REPETITIONS);
}

static void check_refusals(void)
{
    const struct am_task_setup none = {.threads = 0, .cpus = cpus, .cpu_count = cpu_count};
    struct am_tasks *tasks = NULL;
    struct am_err err = {0};

    ok(am_tasks_new(&none, &tasks, &err) == AM_E_LIMIT && !tasks, "no threads: %s", err.text);
}

int main(void)
{
    enum { STUCK_S = 300 }; /* no test takes a hundredth of it: a signal ends a deadlock */
    struct am_rng rng;
    const uint64_t seed = am_rng_entropy();

    (void)alarm(STUCK_S);
    cpu_count = bx_cpus(cpus, 2);
    am_rng_seed(&rng, seed, 0);
    printf("# seed %llu\n", (unsigned long long)seed);
    check_orders();
    check_trees();
    check_loops();
    for (int p = 0; p < AM_TASK_POLICIES; p++) {
        static const size_t threads[] = {1, 2, 5, THREADS_MANY};

        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
            check_graphs((enum am_task_policy)p, threads[i], &rng);
        check_many_runs((enum am_task_policy)p, 2);
        check_many_runs((enum am_task_policy)p, 5);
    }
    check_anything(&rng);
    check_refusals();
    return tap_done();
}
