/* SPDX-License-Identifier: MIT */
/* Stages of a shared product as blocks: pack, joint, multiply, joint, stage after stage. */
#include "app/gemm/gemm_shared.h"

#include "app/gemm/workspaces.h"
#include "base/large.h"

#include <stdlib.h>

enum {
    PANELS = 2,
    WAITS_MULTIPLY = 2,
    ROUNDS = 4, /* blocks of columns per thread and stage, at most: joints wait for all of them */
};

struct am_gemm_shared {
    struct am_gemm_shared_setup setup; /* its blocking as it is used */
    size_t stages, steps;              /* in all; per panel of rows */
    size_t packers, packer_rows;       /* blocks that pack a panel; rows of each but the last */
    size_t columns, width;             /* blocks of columns; columns of each but the last */
    char *panel[PANELS];
    struct am_workspaces workspaces;
};

/* A block's place: one of the stage's packers, the joint behind them, one of its blocks of columns,
 * or the joint behind these. Joints do nothing: they wait for many so that many wait for one. */
enum kind { PACK, PACKED, MULTIPLY, MULTIPLIED };

struct place {
    size_t stage, index;
    enum kind kind;
};

static size_t parts(size_t whole, size_t part)
{
    return (whole + part - 1) / part;
}

static size_t per_stage(const struct am_gemm_shared *s)
{
    return s->packers + 1 + s->columns + 1;
}

static struct place place_of(const struct am_gemm_shared *s, size_t block)
{
    const size_t i = block % per_stage(s);
    const struct place place = {.stage = block / per_stage(s)};
    struct place found = place;

    if (i < s->packers) {
        found.kind = PACK;
        found.index = i;
    } else if (i == s->packers) {
        found.kind = PACKED;
    } else if (i <= s->packers + s->columns) {
        found.kind = MULTIPLY;
        found.index = i - s->packers - 1;
    } else {
        found.kind = MULTIPLIED;
    }
    return found;
}

static size_t block_of(const struct am_gemm_shared *s, size_t stage, enum kind kind, size_t index)
{
    const size_t first[] = {
        [PACK] = 0,
        [PACKED] = s->packers,
        [MULTIPLY] = s->packers + 1,
        [MULTIPLIED] = s->packers + 1 + s->columns,
    };

    return stage * per_stage(s) + first[kind] + index;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The rows and steps of a stage, with its columns of block `index`. */
static struct am_gemm_part part_of(const struct am_gemm_shared *s, size_t stage, size_t index)
{
    const struct am_gemm_blocking *const b = &s->setup.blocking;
    const struct am_gemm_args *const args = &s->setup.args;
    const size_t row = stage / s->steps * b->mc, step = stage % s->steps * b->kc;
    const size_t column = index * s->width;

    return (struct am_gemm_part){
        .row = row,
        .rows = lesser(b->mc, args->m - row),
        .column = column,
        .columns = lesser(s->width, args->n - column),
        .step = step,
        .steps = lesser(b->kc, args->k - step),
    };
}

static void pack(const struct am_gemm_shared *s, size_t stage, size_t index)
{
    struct am_gemm_part part = part_of(s, stage, 0);
    const size_t begin = index * s->packer_rows;

    if (begin >= part.rows)
        return; /* the last panel may be lower */
    part.row += begin;
    part.rows = lesser(s->packer_rows, part.rows - begin);
    am_gemm_pack_rows(s->setup.kernel, &s->setup.args, &part,
                      s->panel[stage % PANELS] + begin * part.steps * s->setup.kernel->element);
}

static void multiply(const struct am_gemm_shared *s, size_t stage, size_t index)
{
    struct am_gemm_part part = part_of(s, stage, index);
    const size_t nc = s->setup.blocking.nc, end = part.column + part.columns;
    struct am_workspace *const w = am_workspaces_take(&s->workspaces);

    for (; part.column < end; part.column += nc) {
        part.columns = lesser(nc, end - part.column);
        am_gemm_multiply_part(s->setup.kernel, &s->setup.args, &part, s->panel[stage % PANELS],
                              am_workspace_memory(w));
    }
    am_workspaces_give(w);
}

static void run(void *app, size_t block)
{
    const struct am_gemm_shared *const s = app;
    const struct place place = place_of(s, block);

    if (place.kind == PACK)
        pack(s, place.stage, place.index);
    else if (place.kind == MULTIPLY)
        multiply(s, place.stage, place.index);
}

static size_t all_of(const struct am_gemm_shared *s, size_t stage, enum kind kind, size_t n,
                     size_t *before)
{
    for (size_t i = 0; i < n; i++)
        before[i] = block_of(s, stage, kind, i);
    return n;
}

/* A panel is packed when the stage that had its memory is done; columns of C are added to stage
 * after stage. */
static size_t before(const void *app, size_t block, size_t *before)
{
    const struct am_gemm_shared *const s = app;
    const struct place place = place_of(s, block);

    switch (place.kind) {
    case PACK:
        if (place.stage < PANELS)
            return 0;
        before[0] = block_of(s, place.stage - PANELS, MULTIPLIED, 0);
        return 1;
    case PACKED: return all_of(s, place.stage, PACK, s->packers, before);
    case MULTIPLY:
        before[0] = block_of(s, place.stage, PACKED, 0);
        if (place.stage == 0)
            return 1;
        before[1] = block_of(s, place.stage - 1, MULTIPLY, place.index);
        return 2;
    case MULTIPLIED: return all_of(s, place.stage, MULTIPLY, s->columns, before);
    }
    return 0;
}

/* Parts of columns in each block, and blocks per thread. */
static size_t parts_per_block(const struct am_gemm_shared_setup *setup, size_t nc, size_t *blocks)
{
    const size_t rounds = parts(parts(setup->args.n, nc), setup->threads);

    *blocks = lesser(rounds, ROUNDS);
    return parts(rounds, *blocks);
}

/* As many blocks of columns for each thread, all of them alike. */
static struct am_gemm_blocking share_out(const struct am_gemm_shared_setup *setup)
{
    const size_t nr = setup->kernel->nr, n = setup->args.n;
    struct am_gemm_blocking b = am_gemm_even(setup->kernel, &setup->blocking, &setup->args);
    size_t blocks;
    const size_t per_block = parts_per_block(setup, b.nc, &blocks);

    b.nc = parts(parts(n, per_block * blocks * setup->threads), nr) * nr;
    return b;
}

double am_gemm_shared_bytes(const struct am_gemm_shared_setup *setup)
{
    const struct am_gemm_blocking b = share_out(setup);

    return PANELS * (double)am_gemm_panel_bytes(setup->kernel, &b) +
           (double)setup->threads * (double)am_gemm_part_workspace(setup->kernel, &b);
}

static bool get_memory(struct am_gemm_shared *s)
{
    const struct am_gemm_kernel *const kernel = s->setup.kernel;

    for (size_t i = 0; i < PANELS; i++) {
        s->panel[i] = am_large_alloc(am_gemm_panel_bytes(kernel, &s->setup.blocking));
        if (!s->panel[i])
            return false;
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
        const struct am_gemm_blocking even = am_gemm_even(setup->kernel, &setup->blocking, args);
        const struct am_gemm_blocking b = share_out(setup);
        size_t blocks;
        const size_t slivers = parts(b.mc, setup->kernel->mr);

        s->setup = *setup;
        s->setup.blocking = b;
        s->steps = parts(args->k, b.kc);
        s->stages = parts(args->m, b.mc) * s->steps;
        s->width = b.nc * parts_per_block(setup, even.nc, &blocks);
        s->columns = parts(args->n, s->width);
        s->packer_rows = parts(slivers, setup->threads) * setup->kernel->mr;
        s->packers = parts(b.mc, s->packer_rows);
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
        free(s->panel[i]);
    am_workspaces_fini(&s->workspaces);
    free(s);
}

struct am_blocks am_gemm_shared_blocks(struct am_gemm_shared *s)
{
    const size_t most = s->packers > s->columns ? s->packers : s->columns;

    return (struct am_blocks){
        .count = s->stages * per_stage(s),
        .app = s,
        .run = run,
        .before = before,
        .before_max = most > WAITS_MULTIPLY ? most : WAITS_MULTIPLY,
    };
}

size_t am_gemm_shared_stages(const struct am_gemm_shared *s)
{
    return s->stages;
}
