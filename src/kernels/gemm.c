/* SPDX-License-Identifier: MIT */
/* The loops around the micro-kernels: what is packed when, and the edges. The scheme is that of
 * Goto and of BLIS, for matrices by rows. */
#include "kernels/gemm.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_gemm_find, am_gemm_variant, am_gemm_)

const char *const am_gemm_types[] = {"f32", "f64", NULL};

enum {
    /* where nobody tells */
    L1_BYTES = 32768,
    L2_BYTES = 262144,
    L3_BYTES = 4194304,
    /* B is packed once per panel of A. With so many rows of A for each column of a register block
     * that is a percent or two of the work, whatever the vectors' width; more gain little. */
    ROWS_PER_COLUMN = 128,
};

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t at_least(size_t x, size_t least)
{
    return x < least ? least : x;
}

/* The longer a sliver of A, the rarer C is loaded and stored: three quarters of the first cache are
 * its, since what streams past it comes from the second in time. B has a quarter of the second:
 * others may be at work on the same core or cache, and more of it gains nothing. */
struct am_gemm_blocking am_gemm_block(const struct am_gemm_kernel *kernel,
                                      const struct am_gemm_caches *caches)
{
    const size_t l1 = caches->l1 ? caches->l1 : L1_BYTES, l2 = caches->l2 ? caches->l2 : L2_BYTES;
    const size_t l3 = caches->l3 ? caches->l3 : L3_BYTES, element = kernel->element;
    const size_t kc = at_least(l1 / 4 * 3 / (kernel->mr * element), 1);
    const size_t rows = lesser(ROWS_PER_COLUMN * kernel->nr, l3 / 2 / (kc * element));

    return (struct am_gemm_blocking){
        .kc = kc,
        .nc = at_least(l2 / 4 / (kc * element) / kernel->nr, 1) * kernel->nr,
        .mc = round_up(at_least(rows, 1), kernel->mr),
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

/* While the block (i, j) is computed: a part of the next sliver of A, which is first used when all
 * columns have been multiplied by this one. */
static struct am_gemm_ahead ahead_of(const struct packed *p, size_t i, size_t j)
{
    const size_t bytes = p->kernel->mr * p->kernel->element, nr = p->kernel->nr;
    const size_t pace = round_up(bytes * nr, p->n) / p->n; /* per step */

    return (struct am_gemm_ahead){.from = p->a +
                                          (i * p->kernel->element + bytes + j / nr * pace) * p->k,
                                  .pace = pace * AM_GEMM_CHUNK};
}

static void multiply_edge(const struct packed *p, size_t i, size_t j, char *c)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t rows = lesser(p->m - i, kernel->mr), columns = lesser(p->n - j, kernel->nr);

    kernel->micro(p->k, p->a + i * p->k * kernel->element, p->b + j * p->k * kernel->element,
                  p->edge, kernel->nr, false, ahead_of(p, i, j));
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
                              p->add, ahead_of(p, i, j));
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
