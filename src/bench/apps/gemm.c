/* SPDX-License-Identifier: MIT */
/* The hooks of app.gemm: they know tiles, who multiplies them, and an executor, not which. */
#include "bench/apps/gemm.h"

#include <string.h>
#include <unistd.h>

enum { BLOCKS_MAX = 1 << 21 }; /* an executor may keep a record of each */

const char *const am_gemm_variants[] = {"own", "openblas", "blis", "atlas", NULL};
/* Read before main() by a library that would start its threads there. */
const char *const am_gemm_variant_threads[] = {"1", "1", "1", "1", NULL};

const char *am_gemm_variant_why_not(const char *variant)
{
    return strcmp(variant, "own") == 0 ? NULL : am_blas_why_not(variant);
}

const struct am_metric am_gemm_metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "2 n^3 operations a product"},
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

static enum am_status choose_own(struct am_gemm_state *state, const struct am_ctx *ctx,
                                 const struct am_value *point, struct am_gemm_multiplier *m,
                                 struct am_err *err)
{
    const char *const isa = point[AM_GEMM_ISA].name, *const why_not = am_isa_why_not(isa);
    struct am_gemm_own *const own = &state->own;
    const long l2_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "isa %s: %s", isa, why_not);
    own->kernel = &am_gemm_find(isa)->kernel[point[AM_GEMM_TYPE].i];
    own->blocking = am_gemm_block(own->kernel, l2_bytes > 0 ? (size_t)l2_bytes : 0);
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
    const char *const name = point[AM_GEMM_VARIANT].name;
    enum am_status s;

    if (strcmp(point[AM_GEMM_ISA].name, best_isa()) != 0)
        return am_fail(err, AM_E_ABSENT, "%s chooses its instructions by itself: isa=%s only", name,
                       best_isa());
    s = am_blas_open(&library->blas, name, err);
    if (s != AM_OK)
        return s;
    library->type = (enum am_gemm_type)point[AM_GEMM_TYPE].i;
    *m = (struct am_gemm_multiplier){.multiply = multiply_library, .self = library};
    am_ctx_note(ctx, "library", "%s", library->blas.about);
    am_ctx_note(ctx, "library_file", "%s", library->blas.file);
    return AM_OK;
}

static enum am_status make_matrices(struct am_gemm_state *state, const struct am_ctx *ctx,
                                    const struct am_value *point, struct am_err *err)
{
    const int64_t n = point[AM_GEMM_N].i, task_size = point[AM_GEMM_TASK_SIZE].i;
    const int64_t threads = point[AM_GEMM_COMMON + AM_APPS_THREADS].i;
    struct am_gemm_setup setup = {.type = (enum am_gemm_type)point[AM_GEMM_TYPE].i,
                                  .seed = ctx->seed};
    const bool own = strcmp(point[AM_GEMM_VARIANT].name, "own") == 0;
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
    if (am_gemm_bytes(&setup) > (double)ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "matrices of %lld rows are %g bytes, the limit is %llu",
                       (long long)n, am_gemm_bytes(&setup),
                       (unsigned long long)ctx->memory_limit_bytes);
    am_ctx_note(ctx, "tile", "%zu", setup.tile);
    return am_gemm_new(&setup, &state->gemm, err);
}

/* Where an executor refuses dependencies, the blocks that need none. */
static enum am_status choose_blocks(struct am_gemm_state *state, struct am_err *err)
{
    const struct am_apps_engine *const e = &state->engine;
    struct am_err refused = {0};

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

enum am_status am_gemm_prepare(struct am_gemm_state *state,
                               const struct am_executor *const *executors, const struct am_ctx *ctx,
                               const struct am_value *point, struct am_work *work,
                               struct am_err *err)
{
    const double n = (double)point[AM_GEMM_N].i;
    const double bytes = point[AM_GEMM_TYPE].i == AM_GEMM_F32 ? sizeof(float) : sizeof(double);
    struct am_blocks filling;
    enum am_status s;

    s = am_apps_open(&state->engine, executors, ctx, point[AM_GEMM_EXECUTOR].name,
                     point + AM_GEMM_COMMON, err);
    if (s == AM_OK)
        s = make_matrices(state, ctx, point, err);
    if (s == AM_OK)
        s = choose_blocks(state, err);
    if (s != AM_OK)
        return s;
    filling = am_gemm_filling(state->gemm);
    state->engine.executor->run(state->engine.self, &filling, 1);
    work->ops = n * n;
    work->flops = 2 * n * n * n;
    work->bytes_read = 2 * n * n * bytes;
    work->bytes_written = n * n * bytes;
    return AM_OK;
}

void am_gemm_run(void *state, uint64_t iters)
{
    const struct am_gemm_state *const w = state;

    w->engine.executor->run(w->engine.self, &w->blocks, iters);
}

/* The outcome is spoilt when it has been judged: the next batch must make it again. */
enum am_status am_gemm_verify(void *state, double *residual, struct am_err *err)
{
    const struct am_gemm_state *const w = state;
    const enum am_status s = am_gemm_check(w->gemm, residual, err);

    if (s == AM_OK)
        am_gemm_spoil(w->gemm);
    return s;
}

void am_gemm_finish(void *state)
{
    struct am_gemm_state *const w = state;

    am_apps_close(&w->engine);
    am_gemm_free(w->gemm);
    am_blas_close(&w->library.blas);
}
