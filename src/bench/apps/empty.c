/* SPDX-License-Identifier: MIT */
/* task.overhead: what an executor needs for blocks without work. Blocks count how often they ran,
 * and look whether those before them ran first: an executor that loses, repeats or reorders blocks
 * is found out by verify(). */
#include "bench/apps/empty.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 1 << 20, WIDTH = 8, BEFORE_MAX = 3, LINE_BYTES = 64 };

/* A line of its own: blocks share nothing but what they wait for. Not atomic: an executor that does
 * not order blocks, or runs one twice at a time, is to be found out. */
struct am_empty_slot {
    _Alignas(LINE_BYTES) uint64_t ran;
    uint64_t early;
};

typedef size_t before_fn(const void *app, size_t block, size_t *before);

static size_t before_chain(const void *app, size_t block, size_t *before)
{
    (void)app;
    if (block == 0)
        return 0;
    before[0] = block - 1;
    return 1;
}

/* The block above and its neighbours. */
static size_t before_rows(const void *app, size_t block, size_t *before)
{
    size_t n = 0;

    (void)app;
    if (block < WIDTH)
        return 0;
    if (block % WIDTH > 0)
        before[n++] = block - WIDTH - 1;
    before[n++] = block - WIDTH;
    if (block % WIDTH < WIDTH - 1)
        before[n++] = block - WIDTH + 1;
    return n;
}

/* By the axis `shape`. */
const char *const am_empty_shapes[] = {"loop", "chain", "rows", NULL};
static before_fn *const befores[] = {NULL, before_chain, before_rows};

static const struct am_metric metrics[] = {
    {"time_per_task", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
     "to create, run and await one; all threads share the work"},
    {"tasks_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "tasks"},
    {.name = NULL},
};

static void touch(void *app, size_t block)
{
    const struct am_empty *const o = app;

    o->slots[block].ran++;
}

/* Those before have run once more than this one. */
static void touch_after(void *app, size_t block)
{
    const struct am_empty *const o = app;
    struct am_empty_slot *const slot = &o->slots[block];
    size_t before[BEFORE_MAX];
    const size_t n = o->blocks.before(app, block, before);

    slot->ran++;
    for (size_t i = 0; i < n; i++)
        slot->early += o->slots[before[i]].ran != slot->ran;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_empty *const o = state;
    const int64_t tasks = point[AM_EMPTY_TASKS].i;
    before_fn *const before = befores[point[AM_EMPTY_SHAPE].i];
    enum am_status s;

    if (tasks < 1 || tasks > TASKS_MAX)
        return am_fail(err, AM_E_ABSENT, "%lld tasks: 1 to %d are possible", (long long)tasks,
                       TASKS_MAX);
    o->slots = aligned_alloc(LINE_BYTES, (size_t)tasks * sizeof(*o->slots));
    if (!o->slots)
        return am_fail(err, AM_E_NOMEM, "no memory for %lld tasks", (long long)tasks);
    memset(o->slots, 0, (size_t)tasks * sizeof(*o->slots));
    o->blocks = (struct am_blocks){.count = (size_t)tasks,
                                   .app = o,
                                   .run = before ? touch_after : touch,
                                   .before = before,
                                   .before_max = before ? BEFORE_MAX : 0};
    s = am_apps_open(&o->engine, ctx, point, err);
    if (s == AM_OK)
        s = o->engine.executor->prepare(o->engine.self, &o->blocks, err);
    work->ops = (double)tasks;
    return s;
}

static void run(void *state, uint64_t iters)
{
    struct am_empty *const o = state;

    o->times += iters;
    o->engine.executor->run(o->engine.self, &o->blocks, iters);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct am_empty *const o = state;
    uint64_t wrong = 0, early = 0;

    for (size_t i = 0; i < o->blocks.count; i++) {
        wrong += o->slots[i].ran != o->times;
        early += o->slots[i].early;
    }
    *residual = (double)(wrong + early);
    if (o->times && !wrong && !early)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: of %zu blocks %llu ran not %llu times, %llu too early",
                   o->blocks.count, (unsigned long long)wrong, (unsigned long long)o->times,
                   (unsigned long long)early);
}

static void finish(void *state)
{
    struct am_empty *const o = state;

    am_apps_close(&o->engine);
    free(o->slots);
}

static const struct am_axis axes[] = {
    [AM_EMPTY_EXECUTOR] = {.name = "executor"},
    [AM_EMPTY_SHAPE] = {.name = "shape",
                        .kind = AM_AXIS_NAME,
                        .dflt = "all",
                        .quick = "loop",
                        .choices = am_empty_shapes,
                        .help = "loop: nobody waits; chain: each for the one before; rows: each "
                                "for three of the row before, eight per row"},
    [AM_EMPTY_TASKS] = {.name = "tasks",
                        .kind = AM_AXIS_INT,
                        .dflt = "1,32,1024",
                        .quick = "1024",
                        .help = "blocks between two waits; 1 shows the wait itself"},
    {.name = NULL},
};

const struct am_app am_app_empty = {
    .bench = {.name = "task.overhead",
              .summary = "time of a block that does nothing",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .points_per_launch = 4,
              .state_size = sizeof(struct am_empty),
              .prepare = prepare,
              .run = run,
              .verify = verify,
              .finish = finish},
};
