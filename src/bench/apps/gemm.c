/* SPDX-License-Identifier: MIT */
/* app.gemm: products of matrices, cut into tiles. A block is a product of two tiles that waits for
 * the one before on its outcome; executors without dependencies get a block for each tile of the
 * outcome. Tiles are multiplied by our own kernels or by a BLAS library, of which a process opens
 * one only. One tile by several threads with our own kernels: they share what they pack
 * (app/gemm/gemm_shared.h), where the executor knows dependencies. */
#include "bench/apps/gemm.h"

#include "bench/apps/near/gemm_near.h"
#include "bench/shared/usable.h"
#include "kernels/isa.h"

#include <string.h>
#include <unistd.h>

/* Axes of a point. */
enum axis {
    EXECUTOR,
    ISA,
    TYPE,
    VARIANT,
    N,
    TASK_SIZE,
    COMMON /* am_apps_axis from here on */
};

enum {
    BLOCKS_MAX = 1 << 21, /* an executor may keep a record of each */
};

static const char *const variants[] = {"own", "openblas", "blis", "atlas", NULL};
/* Read before main() by a library that would start its threads there. */
static const char *const variant_threads[] = {"1", "1", "1", "1", NULL};

const char *am_gemm_variant_why_not(const char *variant)
{
    return strcmp(variant, "own") == 0 ? NULL : am_blas_why_not(variant);
}

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "2 n^3 operations per product"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "for one product of the matrices"},
    {.name = NULL},
};

static void multiply_own(const void *self, const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_own *const own = self;

    am_gemm_multiply(own->kernel, &own->blocking, args, workspace);
}

static void multiply_library(const void *self, const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_library *const library = self;

    (void)workspace;
    am_blas_multiply(&library->blas, library->type, args);
}

/* The last of the instruction sets that this machine runs. */
static const char *best_isa(void)
{
    const char *best = am_isa_names[0];

    for (size_t i = 0; am_isa_names[i]; i++)
        best = am_isa_why_not(am_isa_names[i]) ? best : am_isa_names[i];
    return best;
}

static size_t cache_bytes(int name)
{
    const long bytes = sysconf(name);

    return bytes > 0 ? (size_t)bytes : 0;
}

/* What a thread has of the caches, by the word of the C library: the last is everybody's. */
static struct am_gemm_caches caches_of(size_t threads)
{
    return (struct am_gemm_caches){.l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE),
                                   .l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE) / threads};
}

static enum am_status choose_own(struct am_gemm_state *state, const struct am_ctx *ctx,
                                 const struct am_value *point, struct am_gemm_multiplier *m,
                                 struct am_err *err)
{
    const char *const isa = point[ISA].name;
    const enum am_status s = am_usable_isa(isa, err);
    struct am_gemm_own *const own = &state->own;
    const struct am_gemm_caches caches = caches_of((size_t)point[COMMON + AM_APPS_THREADS].i);

    if (s != AM_OK)
        return s;
    own->kernel = &am_gemm_find(isa)->kernel[point[TYPE].i];
    own->blocking = am_gemm_block(own->kernel, &caches);
    *m = (struct am_gemm_multiplier){
        .multiply = multiply_own,
        .self = own,
        .workspace_bytes = am_gemm_workspace(own->kernel, &own->blocking),
    };
    am_ctx_note(ctx, "kernel", "%zu by %zu in registers, packed %zu by %zu by %zu", own->kernel->mr,
                own->kernel->nr, own->blocking.mc, own->blocking.nc, own->blocking.kc);
    return AM_OK;
}

static enum am_status choose_library(struct am_gemm_state *state, const struct am_ctx *ctx,
                                     const struct am_value *point, struct am_gemm_multiplier *m,
                                     struct am_err *err)
{
    struct am_gemm_library *const library = &state->library;
    const char *const name = point[VARIANT].name;
    enum am_status s;

    if (strcmp(point[ISA].name, best_isa()) != 0)
        return am_fail(err, AM_E_ABSENT, "%s chooses its instructions by itself: isa=%s only", name,
                       best_isa());
    s = am_blas_open(&library->blas, name, err);
    if (s != AM_OK)
        return s;
    library->type = (enum am_gemm_type)point[TYPE].i;
    *m = (struct am_gemm_multiplier){.multiply = multiply_library, .self = library};
    am_ctx_note(ctx, "library", "%s", library->blas.about);
    am_ctx_note(ctx, "library_file", "%s", library->blas.file);
    return AM_OK;
}

static bool is_shared(const struct am_gemm_state *state, const struct am_value *point,
                      const struct am_gemm_setup *setup)
{
    return strcmp(point[VARIANT].name, "own") == 0 && setup->threads > 1 &&
           setup->tile == setup->n && !state->engine.executor->loops_only;
}

static double all_bytes(const struct am_gemm_setup *setup, const struct am_gemm_shared_setup *share)
{
    return am_gemm_bytes(setup) + (share->kernel ? am_gemm_shared_bytes(share) : 0);
}

/* Without sharing, the kernel of `share` is NULL. */
static enum am_status allocate(struct am_gemm_state *state, const struct am_ctx *ctx,
                               const struct am_gemm_setup *setup,
                               struct am_gemm_shared_setup *share, struct am_err *err)
{
    const double bytes = all_bytes(setup, share);
    enum am_status s;

    if (bytes > (double)ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "matrices of %zu rows are %g bytes, the limit is %llu",
                       setup->n, bytes, (unsigned long long)ctx->memory_limit_bytes);
    s = am_gemm_new(setup, &state->gemm, err);
    if (s != AM_OK || !share->kernel)
        return s;
    share->args = am_gemm_whole(state->gemm);
    return am_gemm_shared_new(share, &state->shared, err);
}

static enum am_status make_matrices(struct am_gemm_state *state, const struct am_ctx *ctx,
                                    const struct am_value *point, struct am_err *err)
{
    const int64_t n = point[N].i, task_size = point[TASK_SIZE].i;
    const int64_t threads = point[COMMON + AM_APPS_THREADS].i;
    struct am_gemm_setup setup = {.type = (enum am_gemm_type)point[TYPE].i, .seed = ctx->seed};
    struct am_gemm_shared_setup share = {.kernel = NULL};
    const bool own = strcmp(point[VARIANT].name, "own") == 0;
    enum am_status s;

    if (n < 1 || n > AM_GEMM_N_MAX || task_size < 0 || threads < 1)
        return am_fail(err, AM_E_ABSENT, "matrices of %lld rows in tiles of %lld", (long long)n,
                       (long long)task_size);
    s = (own ? choose_own : choose_library)(state, ctx, point, &setup.multiplier, err);
    if (s != AM_OK)
        return s;
    setup.n = (size_t)n;
    setup.threads = (size_t)threads;
    setup.tile = task_size == 0  ? am_gemm_tile_of_thesis(setup.n, setup.threads)
                 : task_size < n ? (size_t)task_size
                                 : setup.n;
    if (is_shared(state, point, &setup)) {
        setup.multiplier.workspace_bytes = 0;
        share = (struct am_gemm_shared_setup){
            .kernel = state->own.kernel,
            .blocking = state->own.blocking,
            .args = {.m = setup.n, .n = setup.n, .k = setup.n},
            .threads = setup.threads,
        };
    }
    am_ctx_note(ctx, "tile", "%zu", setup.tile);
    state->tile = setup.tile;
    return allocate(state, ctx, &setup, &share, err);
}

/* Where an executor refuses dependencies, the blocks that need none. */
static enum am_status choose_blocks(struct am_gemm_state *state, struct am_err *err)
{
    const struct am_apps_engine *const e = &state->engine;
    struct am_err refused = {0};

    if (state->shared) {
        state->blocks = am_gemm_shared_blocks(state->shared);
        am_ctx_note(e->ctx, "blocks", "%zu blocks in %zu stages that share what is packed",
                    state->blocks.count, am_gemm_shared_stages(state->shared));
        return e->executor->prepare(e->self, &state->blocks, err);
    }
    state->blocks = am_gemm_products(state->gemm);
    if (state->blocks.count > BLOCKS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu products of tiles: at most %d are possible",
                       state->blocks.count, BLOCKS_MAX);
    if (e->executor->prepare(e->self, &state->blocks, &refused) != AM_E_ABSENT) {
        am_ctx_note(e->ctx, "blocks", "%zu products, each after the one before on its tile",
                    state->blocks.count);
        return refused.status == AM_OK ? AM_OK : am_fail(err, refused.status, "%s", refused.text);
    }
    state->blocks = am_gemm_tiles(state->gemm);
    am_ctx_note(e->ctx, "blocks", "%zu tiles, all products of each", state->blocks.count);
    return e->executor->prepare(e->self, &state->blocks, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_gemm_state *const w = state;
    const double n = (double)point[N].i;
    const double bytes = point[TYPE].i == AM_GEMM_F32 ? sizeof(float) : sizeof(double);
    struct am_blocks filling;
    enum am_status s;

    s = am_apps_open(&w->engine, ctx, point, err);
    if (s == AM_OK)
        s = make_matrices(w, ctx, point, err);
    if (s == AM_OK)
        s = choose_blocks(w, err);
    if (s != AM_OK)
        return s;
    am_ctx_chosen(ctx, "blocks", "%zu", w->blocks.count);
    filling = am_gemm_filling(w->gemm);
    w->engine.executor->run(w->engine.self, &filling, 1);
    if (strcmp(point[VARIANT].name, "own") == 0 && point[COMMON + AM_APPS_THREADS].i == 1)
        am_gemm_parts_tell(w, ctx, (size_t)point[N].i);
    work->ops = n * n;
    work->flops = 2 * n * n * n;
    work->bytes_read = 2 * n * n * bytes;
    work->bytes_written = n * n * bytes;
    return AM_OK;
}

static void run(void *state, uint64_t iters)
{
    const struct am_gemm_state *const w = state;

    w->engine.executor->run(w->engine.self, &w->blocks, iters);
}

/* The outcome is spoilt when it has been judged: the next batch must make it again. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct am_gemm_state *const w = state;
    const enum am_status s = am_gemm_check(w->gemm, residual, err);

    if (s == AM_OK)
        am_gemm_spoil(w->gemm);
    return s;
}

static void finish(void *state)
{
    struct am_gemm_state *const w = state;

    am_apps_close(&w->engine);
    am_gemm_shared_free(w->shared);
    am_gemm_free(w->gemm);
    am_blas_close(&w->library.blas);
}

static const struct am_axis axes[] = {
    [EXECUTOR] = {.name = "executor"},
    [ISA] = {.name = "isa",
             .help = "instruction set of our own kernels; libraries choose by themselves "
                     "and take `widest` only"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "f64",
              .thorough = "all",
              .choices = am_gemm_types,
              .help = "element type"},
    [VARIANT] = {.name = "variant",
                 .kind = AM_AXIS_NAME,
                 .dflt = "own",
                 .thorough = "usable",
                 .choices = variants,
                 .why_not = am_gemm_variant_why_not,
                 .env = "OPENBLAS_NUM_THREADS",
                 .env_values = variant_threads,
                 .help = "who multiplies a tile: our own kernels, or a BLAS library "
                         "without threads"},
    [N] = {.name = "n",
           .kind = AM_AXIS_INT,
           .dflt = "256,1024",
           .quick = "256",
           .thorough = "128:8192:*2",
           .help = "rows and columns of the matrices"},
    [TASK_SIZE] = {.name = "task_size",
                   .kind = AM_AXIS_INT,
                   .dflt = "0",
                   .thorough = "0,32:1024:*2",
                   .help = "rows and columns of a tile; 0: the thesis's rule by n and "
                           "threads; n or more: the whole at once, by threads that share "
                           "what our own kernels pack"},
    {.name = NULL},
};

const struct am_app am_app_gemm = {
    .bench = {.name = "app.gemm",
              .summary = "products of matrices, tile by tile",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .state_size = sizeof(struct am_gemm_state),
              .prepare = prepare,
              .run = run,
              .verify = verify,
              .finish = finish},
};
