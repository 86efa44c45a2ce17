/* SPDX-License-Identifier: MIT */
/* The micro-kernel on near slivers, on panels that were packed before, and nothing in its place. */
#include "bench/apps/near/gemm_near.h"

#include "bench/shared/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEAR_BYTES = 24 << 10, /* of slivers: three quarters of the smallest first-level cache */
    TRIES = 12,            /* what disturbs one only makes it longer */
    SPLIT_N_MAX = 1 << 9,  /* rows of matrices that are multiplied some times more, to tell parts */
};

/* ---- slivers that stay in the first-level cache ---- */

struct sliver {
    const struct am_gemm_kernel *kernel;
    size_t k;
    bool add;
    char *memory;
};

static void multiply_sliver(void *self)
{
    const struct sliver *const s = self;
    const size_t a = s->kernel->mr * s->k * s->kernel->element;
    const size_t b = s->kernel->nr * s->k * s->kernel->element;
    const struct am_gemm_ahead nowhere = {.from = s->memory, .pace = 0};

    s->kernel->micro(s->k, s->memory + b, s->memory, s->memory + b + a, s->kernel->nr, s->add,
                     &nowhere);
}

/* Seconds of a call however many steps it has, and of each of its steps. */
struct cost {
    double call, step;
};

/* By slivers of two lengths. */
static struct cost near_cost(struct sliver *s, const struct am_clock *clock)
{
    const size_t longer = s->k;
    double a, b;
    struct cost cost;

    b = am_near_seconds(clock, multiply_sliver, s);
    s->k = longer / 2;
    a = am_near_seconds(clock, multiply_sliver, s);
    s->k = longer;
    cost.step = fmax(b - a, 0) / (double)(longer - longer / 2);
    cost.call = fmax(b - (double)longer * cost.step, 0);
    return cost;
}

/* Room for slivers and a block of C; false: there is none. */
static bool make_sliver(const struct am_gemm_kernel *kernel, size_t k_most, struct sliver *s)
{
    const size_t most = NEAR_BYTES / ((kernel->mr + kernel->nr) * kernel->element);
    const size_t k = k_most < most ? k_most : most;
    const size_t bytes =
        ((kernel->mr + kernel->nr) * k + kernel->mr * kernel->nr) * kernel->element;

    *s = (struct sliver){.kernel = kernel, .k = k};
    if (k < 2)
        return false;
    s->memory =
        aligned_alloc(AM_GEMM_ALIGN, (bytes + AM_GEMM_ALIGN) / AM_GEMM_ALIGN * AM_GEMM_ALIGN);
    if (s->memory)
        memset(s->memory, 0, bytes);
    return s->memory != NULL;
}

/* ---- panels as they are packed ---- */

/* A panel of A times a block of B, both packed before, into the point's own C. */
struct packed {
    const struct am_gemm_kernel *kernel;
    struct am_gemm_args args;
    size_t rows, columns, steps;
    char *a, *b, *edge;
    bool add;
};

/* As the product's own loops fetch the next sliver of A (kernels/gemm.c). */
static struct am_gemm_ahead ahead_of(const struct packed *p, size_t i, size_t j)
{
    const size_t bytes = p->kernel->mr * p->kernel->element, nr = p->kernel->nr;
    const size_t pace = (bytes * nr + p->columns - 1) / p->columns;

    return (struct am_gemm_ahead){.from = p->a + (i * p->kernel->element + bytes + j / nr * pace) *
                                                     p->steps,
                                  .pace = pace * AM_GEMM_CHUNK};
}

/* Blocks that do not fit go where the product has them first. */
static void multiply_panel(const struct packed *p)
{
    const struct am_gemm_kernel *const k = p->kernel;

    for (size_t i = 0; i < p->rows; i += k->mr) {
        for (size_t j = 0; j < p->columns; j += k->nr) {
            const bool fits = i + k->mr <= p->rows && j + k->nr <= p->columns;
            char *const c = (char *)p->args.c + (i * p->args.ldc + j) * k->element;
            const struct am_gemm_ahead ahead = ahead_of(p, i, j);

            k->micro(p->steps, p->a + i * p->steps * k->element, p->b + j * p->steps * k->element,
                     fits ? c : p->edge, fits ? p->args.ldc : k->nr, fits && p->add, &ahead);
        }
    }
}

/* Panels are packed before each try, as before each product: that leaves caches as it finds them.
 */
static double multiply_seconds(struct packed *p, const struct am_clock *clock)
{
    const struct am_gemm_args *const args = &p->args;
    double best = INFINITY;

    for (int i = 0; i < TRIES; i++) {
        uint64_t begin;

        p->kernel->pack_a(args->a, args->lda, p->rows, p->steps, p->a);
        p->kernel->pack_b(args->b, args->ldb, p->steps, p->columns, p->steps, p->b);
        begin = clock->now_ns(clock->self);
        multiply_panel(p);
        best = fmin(best, (double)(clock->now_ns(clock->self) - begin) * 1e-9);
    }
    return best;
}

static size_t up_to(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Seconds per call of the micro-kernel; 0: no memory. */
static double panel_seconds(const struct am_gemm_state *w, const struct am_gemm_blocking *block,
                            bool add, const struct am_clock *clock)
{
    const struct am_gemm_kernel *const k = w->own.kernel;
    struct packed p = {.kernel = k,
                       .args = am_gemm_whole(w->gemm),
                       .rows = block->mc < w->tile ? block->mc : w->tile,
                       .columns = block->nc < w->tile ? block->nc : w->tile,
                       .steps = block->kc < w->tile ? block->kc : w->tile,
                       .add = add};
    const size_t rows = up_to(p.rows, k->mr), columns = up_to(p.columns, k->nr);
    const size_t a = up_to(rows * p.steps * k->element, AM_GEMM_ALIGN);
    const size_t b = up_to(columns * p.steps * k->element, AM_GEMM_ALIGN);
    double seconds;

    p.a = aligned_alloc(AM_GEMM_ALIGN, a + b + up_to(k->mr * k->nr * k->element, AM_GEMM_ALIGN));
    if (!p.a)
        return 0;
    p.b = p.a + a;
    p.edge = p.b + b;
    seconds = multiply_seconds(&p, clock);
    free(p.a);
    return seconds / (double)(rows / k->mr * (columns / k->nr));
}

/* ---- whole products ---- */

static void multiply_nothing(size_t k, const void *a, void *b, void *c, size_t ldc, bool add,
                             const struct am_gemm_ahead *ahead)
{
    (void)k, (void)a, (void)b, (void)c, (void)ldc, (void)add, (void)ahead;
}

static void multiply_all(void *self)
{
    const struct am_gemm_state *const w = self;

    w->engine.executor->run(w->engine.self, &w->blocks, 1);
}

/* Seconds of a product whose blocks are packed, but not multiplied. The outcome is spoilt by it. */
static double seconds_packing(struct am_gemm_state *w, const struct am_clock *clock)
{
    const struct am_gemm_kernel *const kernel = w->own.kernel;
    struct am_gemm_kernel other = *kernel;
    double seconds;

    other.micro = multiply_nothing;
    other.micro_packing = NULL;
    w->own.kernel = &other;
    seconds = am_near_seconds(clock, multiply_all, w);
    w->own.kernel = kernel;
    return seconds;
}

/* What a product is made of. */
struct counts {
    double calls, passes;          /* of the micro-kernel, and steps of all of them */
    struct am_gemm_blocking block; /* of a tile */
    bool add;                      /* most calls add to what is there */
};

/* Without multiplying there is packing left, and putting blocks at the edges in their place. */
static void measure(struct am_gemm_state *w, const struct am_ctx *ctx, const struct counts *n)
{
    const struct am_gemm_kernel *const kernel = w->own.kernel;
    const double whole = am_near_seconds(ctx->clock, multiply_all, w);
    const double packing = seconds_packing(w, ctx->clock);
    const double far = panel_seconds(w, &n->block, n->add, ctx->clock);
    struct sliver s;
    struct cost cost;

    am_ctx_step(ctx, "packing", packing / whole);
    if (!make_sliver(kernel, n->block.kc, &s))
        return;
    s.add = n->add;
    cost = near_cost(&s, ctx->clock);
    am_ctx_near(ctx, (n->calls * cost.call + n->passes * cost.step) / whole,
                n->calls * cost.call / whole);
    if (far > 0)
        am_ctx_far(ctx, n->calls * far / whole);
    free(s.memory);
}

/* Blocks at the edges of a tile are as long as any. The slivers of B are read anew for every row of
 * register blocks, from the second-level cache that a packed block of them is made for. */
void am_gemm_parts_tell(struct am_gemm_state *w, const struct am_ctx *ctx, size_t n)
{
    const struct am_gemm_kernel *const kernel = w->own.kernel;
    const struct am_gemm_args tile = {.m = w->tile, .n = w->tile, .k = w->tile};
    const double tiles = (double)n / (double)w->tile;
    const double blocks = tiles * tiles *
                          (double)(up_to(w->tile, kernel->mr) / kernel->mr *
                                   (up_to(w->tile, kernel->nr) / kernel->nr));
    struct counts counts = {.passes = blocks * (double)n,
                            .block = am_gemm_even(kernel, &w->own.blocking, &tile)};

    counts.calls = counts.passes / (double)counts.block.kc;
    counts.add = n > 2 * counts.block.kc;
    am_ctx_hot_loop(ctx, (uintptr_t)kernel->micro, counts.passes / AM_GEMM_CHUNK);
    am_ctx_l2_bytes(ctx, counts.passes * (double)(kernel->nr * kernel->element));
    if (n <= SPLIT_N_MAX)
        measure(w, ctx, &counts);
}
