/* SPDX-License-Identifier: MIT */
/* Stages of a shared product as blocks: multiply, joint, stage after stage. */
#include "app/gemm/gemm_shared.h"

#include "app/gemm/workspaces.h"
#include "base/large.h"

#include <stdlib.h>

enum {
    PANELS = 2,
    WAITS_MULTIPLY = 2,
    /* Blocks of columns per thread and stage. At the end all wait for whoever has the last one; a
     * joint waits for all of a stage. */
    ROUNDS_LEAST = 8,
    ROUNDS = 16,
};

struct am_gemm_shared {
    struct am_gemm_shared_setup setup; /* its blocking as it is used */
    size_t stages, steps;              /* in all; per panel of rows */
    size_t columns, splits;            /* blocks of columns; parts of each */
    void *memory[PANELS];
    struct am_gemm_panel panel[PANELS];
    struct am_workspaces workspaces;
};

/* A block's place: one of the stage's blocks of columns, or the joint behind them, which waits for
 * all of them so that many wait for one, and empties their panel. */
struct place {
    size_t stage, index; /* index == columns: the joint */
};

static size_t parts(size_t whole, size_t part)
{
    return (whole + part - 1) / part;
}

static size_t per_stage(const struct am_gemm_shared *s)
{
    return s->columns + 1;
}

static struct place place_of(const struct am_gemm_shared *s, size_t block)
{
    return (struct place){.stage = block / per_stage(s), .index = block % per_stage(s)};
}

static size_t block_of(const struct am_gemm_shared *s, size_t stage, size_t index)
{
    return stage * per_stage(s) + index;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The first column of the `nth` of `all` blocks, which differ by a register block at most. */
static size_t column_of(const struct am_gemm_shared *s, size_t nth, size_t all)
{
    const size_t nr = s->setup.kernel->nr, n = s->setup.args.n;

    return lesser(n, parts(n, nr) * nth / all * nr);
}

/* The rows and steps of a stage, without columns. */
static struct am_gemm_part rows_of(const struct am_gemm_shared *s, size_t stage)
{
    const struct am_gemm_blocking *const b = &s->setup.blocking;
    const struct am_gemm_args *const args = &s->setup.args;
    const size_t row = stage / s->steps * b->mc, step = stage % s->steps * b->kc;

    return (struct am_gemm_part){
        .row = row,
        .rows = lesser(b->mc, args->m - row),
        .step = step,
        .steps = lesser(b->kc, args->k - step),
    };
}

/* The `nth` of the parts of a stage. Without steps: there is no such stage. */
static struct am_gemm_part part_of(const struct am_gemm_shared *s, size_t stage, size_t nth)
{
    const size_t all = s->columns * s->splits;
    struct am_gemm_part part = {0};

    if (stage >= s->stages)
        return part;
    part = rows_of(s, stage);
    part.column = column_of(s, nth, all);
    part.columns = column_of(s, nth + 1, all) - part.column;
    return part;
}

/* Behind the last part of a block come its columns in the next stage, as far as one can tell: most
 * executors go on with what they have just made ready. */
static void multiply(const struct am_gemm_shared *s, const struct place *place)
{
    const struct am_gemm_shared_setup *const setup = &s->setup;
    const size_t slivers = parts(setup->blocking.mc, setup->kernel->mr), threads = setup->threads;
    const size_t begin = place->index * s->splits, end = begin + s->splits;
    struct am_workspace *const w = am_workspaces_take(&s->workspaces);
    struct am_gemm_share share = {
        .part = part_of(s, place->stage, begin),
        .panel = s->panel[place->stage % PANELS],
        .first = place->index % threads * slivers / threads,
    };

    for (size_t i = begin; i < end; i++, share.part = share.next) {
        share.next =
            i + 1 < end ? part_of(s, place->stage, i + 1) : part_of(s, place->stage + 1, begin);
        if (share.part.columns) /* there may be fewer register blocks than parts */
            am_gemm_multiply_part(setup->kernel, &setup->args, &share, am_workspace_memory(w));
    }
    am_workspaces_give(w);
}

static void run(void *app, size_t block)
{
    const struct am_gemm_shared *const s = app;
    const struct place place = place_of(s, block);

    if (place.index < s->columns)
        multiply(s, &place);
    else
        am_gemm_panel_clear(s->setup.kernel, &s->setup.blocking, &s->panel[place.stage % PANELS]);
}

/* A panel is packed when the stage that had its memory is done; columns of C are added to stage
 * after stage. */
static size_t before(const void *app, size_t block, size_t *before)
{
    const struct am_gemm_shared *const s = app;
    const struct place place = place_of(s, block);
    size_t n = 0;

    if (place.index == s->columns) {
        for (; n < s->columns; n++)
            before[n] = block_of(s, place.stage, n);
        return n;
    }
    if (place.stage >= PANELS)
        before[n++] = block_of(s, place.stage - PANELS, s->columns);
    if (place.stage > 0)
        before[n++] = block_of(s, place.stage - 1, place.index);
    return n;
}

/* Blocks of columns per thread, and parts of each: as few parts as can be, and then as many blocks,
 * since one that ends late is waited for at the end. */
static void share_out(const struct am_gemm_shared_setup *setup, size_t nc, size_t *blocks,
                      size_t *splits)
{
    const size_t rounds = parts(parts(setup->args.n, nc), setup->threads);

    *blocks = lesser(rounds, ROUNDS_LEAST);
    for (size_t b = *blocks + 1; b <= lesser(rounds, ROUNDS); b++) {
        if (b * parts(rounds, b) <= *blocks * parts(rounds, *blocks))
            *blocks = b;
    }
    *splits = parts(rounds, *blocks);
}

/* With columns for as many blocks for each thread, all of them alike. */
static struct am_gemm_blocking blocking_of(const struct am_gemm_shared_setup *setup, size_t *blocks,
                                           size_t *splits)
{
    const size_t nr = setup->kernel->nr;
    struct am_gemm_blocking b = am_gemm_even(setup->kernel, &setup->blocking, &setup->args);

    share_out(setup, b.nc, blocks, splits);
    *blocks *= setup->threads;
    b.nc = parts(parts(setup->args.n, nr), *blocks * *splits) * nr;
    return b;
}

double am_gemm_shared_bytes(const struct am_gemm_shared_setup *setup)
{
    size_t blocks, splits;
    const struct am_gemm_blocking b = blocking_of(setup, &blocks, &splits);

    return PANELS * (double)am_gemm_panel_bytes(setup->kernel, &b) +
           (double)setup->threads * (double)am_gemm_part_workspace(setup->kernel, &b);
}

static bool get_memory(struct am_gemm_shared *s)
{
    const struct am_gemm_kernel *const kernel = s->setup.kernel;

    for (size_t i = 0; i < PANELS; i++) {
        s->memory[i] = am_large_alloc(am_gemm_panel_bytes(kernel, &s->setup.blocking));
        if (!s->memory[i])
            return false;
        s->panel[i] = am_gemm_panel_at(kernel, &s->setup.blocking, s->memory[i]);
        am_gemm_panel_clear(kernel, &s->setup.blocking, &s->panel[i]);
    }
    return am_workspaces_init(&s->workspaces, s->setup.threads,
                              am_gemm_part_workspace(kernel, &s->setup.blocking));
}

enum am_status am_gemm_shared_new(const struct am_gemm_shared_setup *setup,
                                  struct am_gemm_shared **shared_p, struct am_err *err)
{
    const struct am_gemm_args *const args = &setup->args;
    struct am_gemm_shared *s;

    if (setup->threads == 0 || args->m == 0 || args->n == 0 || args->k == 0)
        return am_fail(err, AM_E_LIMIT, "a product of nothing, or by nobody");
    s = calloc(1, sizeof(*s));
    if (s) {
        const struct am_gemm_blocking b = blocking_of(setup, &s->columns, &s->splits);

        s->setup = *setup;
        s->setup.blocking = b;
        s->steps = parts(args->k, b.kc);
        s->stages = parts(args->m, b.mc) * s->steps;
    }
    if (!s || !get_memory(s)) {
        am_gemm_shared_free(s);
        return am_fail(err, AM_E_NOMEM, "no memory to pack %zu rows", args->m);
    }
    *shared_p = s;
    return AM_OK;
}

void am_gemm_shared_free(struct am_gemm_shared *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < PANELS; i++)
        free(s->memory[i]);
    am_workspaces_fini(&s->workspaces);
    free(s);
}

struct am_blocks am_gemm_shared_blocks(struct am_gemm_shared *s)
{
    return (struct am_blocks){
        .count = s->stages * per_stage(s),
        .app = s,
        .run = run,
        .before = before,
        .before_max = s->columns > WAITS_MULTIPLY ? s->columns : WAITS_MULTIPLY,
    };
}

size_t am_gemm_shared_stages(const struct am_gemm_shared *s)
{
    return s->stages;
}
