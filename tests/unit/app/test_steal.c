/* SPDX-License-Identifier: MIT */
/* The executor task:steal and its deque: every entry taken once, whoever takes it; loops, graphs
 * and loops in loops on 1 to 64 threads of two CPUs; what is late is begun by others. */
#include "base/rng.h"
#include "executor_fixture.h"
#include "runtime/deque.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* ThreadSanitizer makes everything some ten times slower. */
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

static int cpus[2];
static size_t cpu_count;

/* ---- the deque, one thread: against a plain list ---- */

static void check_deque_alone(struct am_rng *rng)
{
    enum { STEPS = 200000, LIST = AM_DEQUE_SLOTS };
    static struct am_deque d;
    static size_t list[LIST];
    size_t first = 0, n = 0, name = 0, wrong = 0, refused = 0;

    for (size_t i = 0; i < STEPS; i++) {
        const uint64_t what = am_rng_below(rng, i / 1000 % 2 ? 5 : 8); /* grows, then shrinks */
        struct am_piece p = {.lo = name, .hi = name + 1};

        if (what < 2 || what > 4) {
            const bool pushed = am_deque_push(&d, p);

            wrong += pushed != (n < LIST);
            refused += !pushed;
            if (pushed)
                list[(first + n++) % LIST] = name++;
        } else if (what == 2) {
            const bool stolen = am_deque_steal(&d, &p);

            wrong += stolen != (n > 0) || (stolen && p.lo != list[first % LIST]);
            first += stolen;
            n -= stolen;
        } else {
            const bool popped = am_deque_pop(&d, &p);

            wrong += popped != (n > 0) || (popped && p.lo != list[(first + n - 1) % LIST]);
            n -= popped;
        }
        wrong += am_deque_is_empty(&d) != (n == 0);
    }
    ok(wrong == 0 && refused > 0,
       "a deque is a list: %zu steps, %zu pushes refused for want of room", (size_t)STEPS, refused);
}

/* ---- the deque, an owner and thieves ---- */

enum { THIEVES = 3, ITEMS = 1000000 / SHARE };

struct heist {
    struct am_deque deque;
    _Atomic unsigned taken[ITEMS];
    _Atomic bool over;
    _Atomic unsigned torn;
};

static void take(struct heist *h, const struct am_piece *p)
{
    if (p->hi != p->lo + 7 || p->work != &h->taken[p->lo])
        h->torn++;
    else
        h->taken[p->lo]++;
}

static void *thieve(void *arg)
{
    struct heist *const h = arg;
    struct am_piece p;

    while (!h->over) {
        while (am_deque_steal(&h->deque, &p))
            take(h, &p);
    }
    return NULL;
}

static void own(struct heist *h, struct am_rng *rng)
{
    struct am_piece p;

    for (size_t i = 0; i < ITEMS;) {
        /* half of the time a single entry goes in and out: what all compete for */
        const bool single = i / 1000 % 2;
        const size_t burst = single ? 1 : 1 + am_rng_below(rng, 4);

        for (size_t k = 0; k < burst && i < ITEMS; k++) {
            p = (struct am_piece){.work = &h->taken[i], .lo = i, .hi = i + 7};
            if (!am_deque_push(&h->deque, p))
                break;
            i++;
        }
        for (size_t k = single ? 1 : am_rng_below(rng, 5); k && am_deque_pop(&h->deque, &p); k--)
            take(h, &p);
    }
    while (!am_deque_is_empty(&h->deque)) {
        if (am_deque_pop(&h->deque, &p))
            take(h, &p);
    }
}

static void check_deque_robbed(struct am_rng *rng)
{
    static struct heist h;
    pthread_t thieves[THIEVES];
    size_t wrong = 0;

    for (size_t i = 0; i < THIEVES; i++)
        (void)pthread_create(&thieves[i], NULL, thieve, &h);
    own(&h, rng);
    h.over = true;
    for (size_t i = 0; i < THIEVES; i++)
        (void)pthread_join(thieves[i], NULL);
    for (size_t i = 0; i < ITEMS; i++)
        wrong += h.taken[i] != 1;
    ok(wrong == 0 && h.torn == 0,
       "an owner and %d thieves: each of %d entries is taken once and whole "
       "(%zu not, %u torn)",
       THIEVES, ITEMS, wrong, (unsigned)h.torn);
}

/* ---- the executor ---- */

static void *open_with(size_t threads, enum am_wait wait)
{
    const struct am_executor *const e = &am_executor_task_steal;
    const struct am_executor_setup setup = {
        .threads = threads, .cpus = cpus, .cpu_count = cpu_count, .wait = wait};
    struct am_err err = {0};
    void *self = NULL;

    if (e->open(e, &setup, &self, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    return self;
}

struct marks {
    _Atomic uint32_t *ran;
    const struct am_executor *executor;
    void *self;
    _Atomic uint64_t nodes;
};

static void mark(void *app, size_t block)
{
    struct marks *const m = app;

    m->ran[block]++;
}

/* Loops of all lengths, in which each block runs once per round. */
static void check_loops(size_t threads)
{
    static const size_t lengths[] = {1, 2, 3, 7, 64, 1000, 100000 / SHARE};
    struct marks m = {0};
    void *const self = open_with(threads, AM_WAIT_DEFAULT);
    size_t wrong = 0, all = 0;
    struct am_executor_counts c;

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        const uint64_t times = lengths[i] < 100 ? 200 / SHARE : 3;
        const struct am_blocks blocks = {.count = lengths[i], .app = &m, .run = mark};

        m.ran = calloc(lengths[i], sizeof(*m.ran));
        am_executor_task_steal.run(self, &blocks, times);
        for (size_t k = 0; m.ran && k < lengths[i]; k++)
            wrong += m.ran[k] != times;
        all += times * lengths[i];
        free((void *)m.ran);
    }
    am_executor_task_steal.count(self, &c);
    ok(wrong == 0 && c.executed == all,
       "%zu threads: loops of 1 to %zu blocks (%zu wrong, %llu stolen)", threads, lengths[6], wrong,
       (unsigned long long)c.stolen);
    am_executor_task_steal.close(self);
}

/* ---- trees by loops in loops ---- */

struct fib {
    struct marks *m;
    uint64_t n, result[2];
};

static uint64_t fib_of(struct marks *m, uint64_t n);

static void fib_half(void *app, size_t block)
{
    struct fib *const f = app;

    f->result[block] = fib_of(f->m, f->n - 1 - block);
}

static uint64_t fib_of(struct marks *m, uint64_t n)
{
    struct fib f = {.m = m, .n = n};
    const struct am_blocks halves = {.count = 2, .app = &f, .run = fib_half};

    m->nodes++;
    if (n < 2)
        return n;
    m->executor->run(m->self, &halves, 1);
    return f.result[0] + f.result[1];
}

static void fib_root(void *app, size_t block)
{
    struct marks *const m = app;

    if (fib_of(m, 17) == 1597)
        m->ran[block]++;
}

static void check_trees(size_t threads, enum am_wait wait)
{
    enum { ROOTS = 3, TIMES = 4, NODES = 5167 };
    _Atomic uint32_t ran[ROOTS] = {0};
    struct marks m = {.ran = ran, .executor = &am_executor_task_steal};
    const struct am_blocks roots = {.count = ROOTS, .app = &m, .run = fib_root};

    m.self = open_with(threads, wait);
    am_executor_task_steal.run(m.self, &roots, TIMES);
    ok(ran[0] == TIMES && ran[1] == TIMES && ran[2] == TIMES &&
           m.nodes == (uint64_t)ROOTS * TIMES * NODES,
       "%zu threads, wait %d: Fibonacci trees by loops in loops, %llu nodes", threads, (int)wait,
       (unsigned long long)m.nodes);
    am_executor_task_steal.close(m.self);
}

/* Each block runs a loop of two, far deeper than helpers may pile up. */
enum { DEEP = 1000 };

static void descend(void *app, size_t block)
{
    struct marks *const m = app;
    const struct am_blocks next = {.count = 2, .app = m, .run = descend};

    (void)block;
    if (m->nodes++ < DEEP)
        m->executor->run(m->self, &next, 1);
}

static void check_depth(size_t threads)
{
    struct marks m = {.executor = &am_executor_task_steal};
    const struct am_blocks root = {.count = 1, .app = &m, .run = descend};

    m.self = open_with(threads, AM_WAIT_DEFAULT);
    am_executor_task_steal.run(m.self, &root, 1);
    ok(m.nodes == 2 * DEEP + 1, "%zu threads: loops %d deep end (%llu blocks)", threads, DEEP,
       (unsigned long long)m.nodes);
    am_executor_task_steal.close(m.self);
}

/* ---- graphs ---- */

enum { NODES = 3000 / SHARE, BEFORE_MAX = 6 };

struct graph {
    size_t before[NODES][BEFORE_MAX], n_before[NODES];
    _Atomic unsigned ran[NODES];
    _Atomic unsigned early;
    size_t width; /* 0: any earlier block; else of the last so many */
};

static void fill(struct graph *g, struct am_rng *rng)
{
    for (size_t i = 0; i < NODES; i++) {
        const size_t reach = g->width && g->width < i ? g->width : i;
        const size_t wanted = am_rng_below(rng, BEFORE_MAX + 1);

        g->n_before[i] = 0;
        for (size_t k = 0; k < wanted && reach; k++) {
            const size_t b = i - 1 - am_rng_below(rng, reach);
            bool known = false;

            for (size_t j = 0; j < g->n_before[i]; j++)
                known = known || g->before[i][j] == b;
            if (!known)
                g->before[i][g->n_before[i]++] = b;
        }
    }
}

static size_t graph_before(const void *app, size_t block, size_t *before)
{
    const struct graph *const g = app;

    memcpy(before, g->before[block], g->n_before[block] * sizeof(*before));
    return g->n_before[block];
}

static void graph_run(void *app, size_t block)
{
    struct graph *const g = app;

    for (size_t k = 0; k < g->n_before[block]; k++)
        g->early += g->ran[g->before[block][k]] != g->ran[block] + 1;
    g->ran[block]++;
}

static void check_graphs(size_t threads, size_t width, struct am_rng *rng)
{
    enum { GRAPHS = 12, TIMES = 5 };
    static struct graph g;
    const struct am_blocks blocks = {.count = NODES,
                                     .app = &g,
                                     .run = graph_run,
                                     .before = graph_before,
                                     .before_max = BEFORE_MAX};
    void *const self = open_with(threads, AM_WAIT_DEFAULT);
    size_t wrong = 0, early = 0;
    struct am_err err = {0};

    for (int i = 0; i < GRAPHS; i++) {
        memset(&g, 0, sizeof(g));
        g.width = width;
        fill(&g, rng);
        if (am_executor_task_steal.prepare(self, &blocks, &err) != AM_OK)
            printf("Bail out! %s\n", err.text);
        am_executor_task_steal.run(self, &blocks, TIMES);
        for (size_t k = 0; k < NODES; k++)
            wrong += g.ran[k] != TIMES;
        early += g.early;
    }
    ok(wrong == 0 && early == 0,
       "%zu threads: %d random graphs of %d blocks %d times, reach %zu: %zu wrong, %zu too early",
       threads, GRAPHS, NODES, TIMES, width, wrong, early);
    am_executor_task_steal.close(self);
}

/* One node frees more than a deque holds: the rest waits aside, and is run. */
static size_t star_before(const void *app, size_t block, size_t *before)
{
    (void)app;
    before[0] = 0;
    return block > 0;
}

static void check_star(size_t threads)
{
    enum { RAYS = 4 * AM_DEQUE_SLOTS, TIMES = 4 };
    struct marks m = {.ran = calloc(RAYS, sizeof(*m.ran))};
    const struct am_blocks blocks = {
        .count = RAYS, .app = &m, .run = mark, .before = star_before, .before_max = 1};
    void *const self = open_with(threads, AM_WAIT_DEFAULT);
    struct am_err err = {0};
    size_t wrong = 0;

    if (!m.ran || am_executor_task_steal.prepare(self, &blocks, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    am_executor_task_steal.run(self, &blocks, TIMES);
    for (size_t i = 0; i < RAYS; i++)
        wrong += m.ran[i] != TIMES;
    ok(wrong == 0, "%zu threads: a block that frees %d others at once (%zu wrong)", threads, RAYS,
       wrong);
    am_executor_task_steal.close(self);
    free((void *)m.ran);
}

int main(void)
{
    enum { STUCK_S = 300 }; /* no test takes a hundredth of it: a signal ends a deadlock */
    static const size_t threads[] = {1, 2, 3, 8, 64};
    struct am_rng rng;
    const uint64_t seed = am_rng_entropy();

    (void)alarm(STUCK_S);
    printf("# seed %llu\n", (unsigned long long)seed);
    am_rng_seed(&rng, seed, 0);
    cpu_count = bx_cpus(cpus, 2);
    check_deque_alone(&rng);
    check_deque_robbed(&rng);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        check_loops(threads[i]);
        check_trees(threads[i], AM_WAIT_DEFAULT);
        check_depth(threads[i]);
        check_graphs(threads[i], 0, &rng);
        check_graphs(threads[i], 20, &rng);
        check_star(threads[i]);
    }
    check_trees(3, AM_WAIT_PASSIVE);
    check_trees(3, AM_WAIT_YIELD);
    check_trees(2, AM_WAIT_SLEEP);
    return tap_done();
}
