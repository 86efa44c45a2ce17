/* SPDX-License-Identifier: MIT */
/* The loops around the micro-kernels: what is packed when, and the edges. The scheme is that of
 * Goto and of BLIS, for matrices by rows. */
#include "kernels/gemm.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_gemm_find, am_gemm_variant, am_gemm_)

const char *const am_gemm_types[] = {"f32", "f64", NULL};

enum {
    SLIVER_BYTES = 24576,  /* of A in the first cache, beside what streams past it */
    STEPS_MAX = 384,       /* longer ones gain nothing */
    L2_BYTES = 262144,     /* where nobody tells */
    PANEL_BYTES = 2097152, /* of A in a core's part of the last cache */
};

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

static size_t at_least(size_t x, size_t least)
{
    return x < least ? least : x;
}

struct am_gemm_blocking am_gemm_block(const struct am_gemm_kernel *kernel, size_t l2_bytes)
{
    const size_t half = (l2_bytes ? l2_bytes : L2_BYTES) / 2;
    size_t kc = SLIVER_BYTES / (kernel->mr * kernel->element);

    kc = kc > STEPS_MAX ? STEPS_MAX : kc;
    return (struct am_gemm_blocking){
        .kc = kc,
        .nc = at_least(half / (kc * kernel->element) / kernel->nr, 1) * kernel->nr,
        .mc = at_least(PANEL_BYTES / (kc * kernel->element) / kernel->mr, 1) * kernel->mr,
    };
}

/* Bytes of the panel of A, the block of B, and what is written at the edges. */
static size_t panel_bytes(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block)
{
    return round_up(block->mc * block->kc * kernel->element, AM_GEMM_ALIGN);
}

static size_t block_bytes(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block)
{
    return round_up(block->nc * block->kc * kernel->element, AM_GEMM_ALIGN);
}

size_t am_gemm_workspace(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block)
{
    return panel_bytes(kernel, block) + block_bytes(kernel, block) +
           round_up(kernel->mr * kernel->nr * kernel->element, AM_GEMM_ALIGN);
}

/* The length of parts of at most `part` that are as alike as their unit allows: a short last one
 * would cost as much as a long one. */
static size_t even(size_t whole, size_t part, size_t unit)
{
    const size_t parts = at_least((whole + part - 1) / part, 1);

    return round_up((whole + parts - 1) / parts, unit);
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* rows by columns of what the micro-kernel left at `from`, a full register block. */
#define PUT_EDGE(type)                                                                             \
    static void put_edge_##type(const type *from, size_t nr, type *to, size_t ldc, size_t rows,    \
                                size_t columns, bool add)                                          \
    {                                                                                              \
        for (size_t i = 0; i < rows; i++) {                                                        \
            for (size_t j = 0; j < columns; j++)                                                   \
                to[i * ldc + j] = (add ? to[i * ldc + j] : 0) + from[i * nr + j];                  \
        }                                                                                          \
    }
PUT_EDGE(float)
PUT_EDGE(double)
#undef PUT_EDGE

/* One packed panel of A times one packed block of B. */
struct packed {
    const struct am_gemm_kernel *kernel;
    const char *a, *b;
    size_t m, n, k;
    char *c;
    size_t ldc; /* elements */
    void *edge;
    bool add;
};

static void multiply_edge(const struct packed *p, size_t i, size_t j, char *c)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t rows = lesser(p->m - i, kernel->mr), columns = lesser(p->n - j, kernel->nr);

    kernel->micro(p->k, p->a + i * p->k * kernel->element, p->b + j * p->k * kernel->element,
                  p->edge, kernel->nr, false);
    if (kernel->element == sizeof(float))
        put_edge_float(p->edge, kernel->nr, (float *)(void *)c, p->ldc, rows, columns, p->add);
    else
        put_edge_double(p->edge, kernel->nr, (double *)(void *)c, p->ldc, rows, columns, p->add);
}

static void multiply_packed(const struct packed *p)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t element = kernel->element;

    for (size_t i = 0; i < p->m; i += kernel->mr) {
        for (size_t j = 0; j < p->n; j += kernel->nr) {
            char *const c = p->c + (i * p->ldc + j) * element;

            if (p->m - i < kernel->mr || p->n - j < kernel->nr)
                multiply_edge(p, i, j, c);
            else
                kernel->micro(p->k, p->a + i * p->k * element, p->b + j * p->k * element, c, p->ldc,
                              p->add);
        }
    }
}

/* `rows` of C from `row` on, by `k` steps from `step` on: A is packed once, B block by block. */
static void multiply_panel(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                           size_t nc, size_t row, size_t step, struct packed *p, char *block)
{
    const size_t element = kernel->element;
    char *const panel = (char *)p->a;

    kernel->pack_a((const char *)args->a + (row * args->lda + step) * element, args->lda, p->m,
                   p->k, panel);
    for (size_t column = 0; column < args->n; column += nc) {
        p->n = lesser(args->n - column, nc);
        p->c = (char *)args->c + (row * args->ldc + column) * element;
        kernel->pack_b((const char *)args->b + (step * args->ldb + column) * element, args->ldb,
                       p->k, p->n, block);
        multiply_packed(p);
    }
}

void am_gemm_multiply(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                      const struct am_gemm_args *args, void *workspace)
{
    const size_t mc = even(args->m, block->mc, kernel->mr);
    const size_t nc = even(args->n, block->nc, kernel->nr), kc = even(args->k, block->kc, 1);
    char *const panel = workspace, *const b = panel + panel_bytes(kernel, block);
    struct packed p = {.kernel = kernel,
                       .a = panel,
                       .b = b,
                       .ldc = args->ldc,
                       .edge = b + block_bytes(kernel, block)};

    for (size_t row = 0; row < args->m; row += mc) {
        p.m = lesser(args->m - row, mc);
        for (size_t step = 0; step < args->k; step += kc) {
            p.k = lesser(args->k - step, kc);
            p.add = args->add || step > 0;
            multiply_panel(kernel, args, nc, row, step, &p, b);
        }
    }
}
