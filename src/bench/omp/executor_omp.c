/* SPDX-License-Identifier: MIT */
/* The executors omp-for and omp-task: blocks as iterations of a loop, or as tasks of one thread. */
#include "bench/omp/executor_omp.h"

#include "bench/omp/runtime.h"

#include <omp.h>
#include <stdlib.h>

enum { LEVELS = 2 }; /* of teams */

struct team {
    int threads;
    size_t *before; /* room for the dependencies of one block */
    char *tokens;   /* one per block: an address that dependencies are named by */
};

static void close_team(void *self)
{
    struct team *const team = self;

    if (!team)
        return;
    free(team->before);
    free(team->tokens);
    free(team);
}

/* Bound closely, the threads of inner teams would begin at the places of the outer one's and share
 * their CPUs; spread, each has a part of its own. */
static enum am_status open_team(const struct am_executor *kind,
                                const struct am_executor_setup *setup, void **self_p,
                                struct am_err *err)
{
    struct team *const team = calloc(1, sizeof(*team));

    (void)kind;
    if (!team)
        return am_fail(err, AM_E_NOMEM, "no memory for an executor");
    if (setup->outer > 1 && omp_get_proc_bind() == omp_proc_bind_close) {
        free(team);
        return am_fail(err, AM_E_ABSENT,
                       "teams inside of a team would share CPUs: binding spread or none");
    }
    if (setup->outer)
        omp_set_max_active_levels(LEVELS);
    team->threads = (int)setup->threads;
    *self_p = team;
    return AM_OK;
}

/* The library tells nothing. */
static void count_nothing(void *self, struct am_executor_counts *counts)
{
    (void)self;
    *counts = (struct am_executor_counts){0};
}

static enum am_status prepare_for(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    (void)self;
    return blocks->before ? am_fail(err, AM_E_ABSENT, "a loop of OpenMP knows no dependencies")
                          : AM_OK;
}

/* One region for all times: threads meet at the end of each loop. A region inside a block is a team
 * of one. */
static void run_for(void *self, const struct am_blocks *blocks, uint64_t times)
{
    const struct team *const team = self;
    const size_t n = blocks->count;

#pragma omp parallel num_threads(team->threads) shared(blocks, times, n) default(none)
    for (uint64_t left = times; left; left--) {
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++)
            blocks->run(blocks->app, i);
    }
}

static enum am_status prepare_task(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    struct team *const team = self;

    if (!blocks->before)
        return AM_OK;
    free(team->before);
    free(team->tokens);
    team->before = calloc(blocks->before_max ? blocks->before_max : 1, sizeof(*team->before));
    team->tokens = calloc(blocks->count ? blocks->count : 1, 1);
    if (!team->before || !team->tokens)
        return am_fail(err, AM_E_NOMEM, "no memory for dependencies of %zu blocks", blocks->count);
    return AM_OK;
}

/* A task outlives this function: it has its own pointer. */
static void spawn_loop(const struct am_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
#pragma omp task firstprivate(i, blocks) default(none)
        blocks->run(blocks->app, i);
    }
}

/* The formatter would break the clauses at their colons; gcc 12 does not see variables there. */
/* clang-format off */
static void spawn_graph(const struct team *team, const struct am_blocks *blocks)
{
    const size_t *const before = team->before;
    const char *const tokens = team->tokens;

    (void)tokens;
    for (size_t i = 0; i < blocks->count; i++) {
        const size_t n = blocks->before(blocks->app, i, team->before);

        (void)n;
#pragma omp task firstprivate(i, blocks) depend(out : tokens[i]) \
    depend(iterator(size_t k = 0 : n), in : tokens[before[k]])
        blocks->run(blocks->app, i);
    }
}
/* clang-format on */

static void spawn_times(const struct team *team, const struct am_blocks *blocks, uint64_t times)
{
    for (; times; times--) {
        if (blocks->before)
            spawn_graph(team, blocks);
        else
            spawn_loop(blocks);
#pragma omp taskwait
    }
}

static void run_task(void *self, const struct am_blocks *blocks, uint64_t times)
{
    const struct team *const team = self;

    if (omp_in_parallel()) { /* a loop inside a block: tasks for the same team */
        spawn_times(team, blocks, times);
        return;
    }
#pragma omp parallel num_threads(team->threads) shared(team, blocks, times) default(none)
#pragma omp single
    spawn_times(team, blocks, times);
}

static const struct am_executor omp_for = {
    .name = "omp-for",
    .loops_only = true,
    .flat = true,
    .nests = true,
    .open = open_team,
    .prepare = prepare_for,
    .run = run_for,
    .count = count_nothing,
    .close = close_team,
};

static const struct am_executor omp_task = {
    .name = "omp-task",
    .open = open_team,
    .prepare = prepare_task,
    .run = run_task,
    .count = count_nothing,
    .close = close_team,
};

const struct am_executor *const am_omp_executors[] = {&omp_for, &omp_task, NULL};

static enum am_status start(const struct am_ctx *ctx, const struct am_value *common,
                            struct am_err *err)
{
    struct am_omp omp;

    return am_omp_open(&omp, ctx, common, err);
}

static const struct am_axis axes[] = {
    AM_OMP_RUNTIME_AXIS, AM_OMP_BINDING_AXIS, AM_OMP_PLACES_AXIS, AM_OMP_WAIT_AXIS, {.name = NULL},
};

const struct am_executor_set am_omp_set = {.list = am_omp_executors, .axes = axes, .start = start};
