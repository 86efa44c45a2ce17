/* SPDX-License-Identifier: MIT */
/* What every executor must do: each block once a time, after those it waits for, loops in loops. */
#ifndef AM_TESTS_EXECUTOR_FIXTURE_H
#define AM_TESTS_EXECUTOR_FIXTURE_H

#include "runtime/executor.h"
#include "base/rng.h"
#include "bench_fixture.h"

#include <stdatomic.h>

enum { EX_BLOCKS = 200, EX_BEFORE_MAX = 4, EX_INNER = 10, EX_TIMES = 7 };

struct ex_app {
    _Atomic unsigned ran[EX_BLOCKS];
    _Atomic unsigned early;
    size_t before[EX_BLOCKS][EX_BEFORE_MAX];
    size_t n_before[EX_BLOCKS];
    const struct am_executor *executor; /* for loops in loops */
    void *self;
    _Atomic unsigned inner;
};

static inline void ex_run(void *app, size_t block)
{
    struct ex_app *const x = app;

    for (size_t i = 0; i < x->n_before[block]; i++) {
        if (x->ran[x->before[block][i]] != x->ran[block] + 1)
            x->early++;
    }
    x->ran[block]++;
}

static inline size_t ex_before(const void *app, size_t block, size_t *before)
{
    const struct ex_app *const x = app;

    memcpy(before, x->before[block], x->n_before[block] * sizeof(*before));
    return x->n_before[block];
}

static inline void ex_inner(void *app, size_t block)
{
    struct ex_app *const x = app;

    (void)block;
    x->inner++;
}

/* A block that is itself a loop of blocks. */
static inline void ex_outer(void *app, size_t block)
{
    struct ex_app *const x = app;
    const struct am_blocks inner = {.count = EX_INNER, .app = x, .run = ex_inner};

    (void)block;
    x->executor->run(x->self, &inner, 1);
}

/* Up to four of the blocks before each, at random distances. */
static inline void ex_fill_before(struct ex_app *x, uint64_t seed)
{
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < EX_BLOCKS; i++) {
        size_t at = i;

        x->n_before[i] = 0;
        for (size_t k = 0; k < EX_BEFORE_MAX && at > 0; k++) {
            at -= 1 + am_rng_below(&rng, at);
            x->before[i][x->n_before[i]++] = at;
        }
    }
}

static inline bool ex_each_ran(const struct ex_app *x, unsigned times)
{
    bool each = true;

    for (size_t i = 0; i < EX_BLOCKS; i++)
        each = each && x->ran[i] == times;
    return each;
}

static inline void ex_check_loop(const struct am_executor *e, void *self, size_t threads)
{
    static struct ex_app x;
    const struct am_blocks blocks = {.count = EX_BLOCKS, .app = &x, .run = ex_run};
    const struct am_blocks none = {.count = 0, .app = &x, .run = ex_run};
    struct am_err err = {0};

    memset(&x, 0, sizeof(x));
    ok(e->prepare(self, &blocks, &err) == AM_OK, "%s, %zu threads, takes a loop", e->name, threads);
    e->run(self, &blocks, EX_TIMES);
    ok(ex_each_ran(&x, EX_TIMES), "each of %d blocks ran %d times", EX_BLOCKS, EX_TIMES);
    e->run(self, &none, 3);
    ok(ex_each_ran(&x, EX_TIMES), "no blocks are no work");
}

static inline void ex_check_nested(const struct am_executor *e, void *self)
{
    static struct ex_app x;
    const struct am_blocks blocks = {.count = EX_INNER, .app = &x, .run = ex_outer};

    memset(&x, 0, sizeof(x));
    x.executor = e;
    x.self = self;
    e->run(self, &blocks, EX_TIMES);
    ok(x.inner == EX_TIMES * EX_INNER * EX_INNER, "%s runs loops inside blocks", e->name);
}

/* Blocks that wait for others run after them, or are refused, as the executor says of itself. */
static inline void ex_check_graph(const struct am_executor *e, void *self)
{
    static struct ex_app x;
    const struct am_blocks blocks = {.count = EX_BLOCKS,
                                     .app = &x,
                                     .run = ex_run,
                                     .before = ex_before,
                                     .before_max = EX_BEFORE_MAX};
    struct am_err err = {0};
    enum am_status s;

    memset(&x, 0, sizeof(x));
    ex_fill_before(&x, 7);
    s = e->prepare(self, &blocks, &err);
    if (e->loops_only) {
        ok(s == AM_E_ABSENT, "%s refuses dependencies: %s", e->name, err.text);
        return;
    }
    e->run(self, &blocks, EX_TIMES);
    ok(s == AM_OK && ex_each_ran(&x, EX_TIMES) && x.early == 0,
       "%s: blocks begin after those they wait for (%u too early)", e->name, (unsigned)x.early);
}

static inline void ex_check(const struct am_executor *e, size_t threads, enum am_wait wait,
                            const int *cpus, size_t cpu_count)
{
    const struct am_executor_setup setup = {
        .threads = threads, .cpus = cpus, .cpu_count = cpu_count, .wait = wait};
    struct am_executor_counts counts;
    struct am_err err = {0};
    void *self = NULL;

    if (!ok(e->open(e, &setup, &self, &err) == AM_OK, "%s opens with %zu threads %s", e->name,
            threads, err.text))
        return;
    ex_check_loop(e, self, threads);
    ex_check_nested(e, self);
    ex_check_graph(e, self);
    e->count(self, &counts);
    ok(counts.executed == 0 || counts.executed >= (uint64_t)EX_BLOCKS * EX_TIMES,
       "%s counts its tasks: %llu", e->name, (unsigned long long)counts.executed);
    e->close(self);
}

#endif
