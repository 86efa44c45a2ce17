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

size_t am_gemm_panel_bytes(const struct am_gemm_kernel *kernel,
                           const struct am_gemm_blocking *block)
{
    return round_up(block->mc * block->kc * kernel->element, AM_GEMM_ALIGN);
}

/* What is written at the edges. */
static size_t edge_bytes(const struct am_gemm_kernel *kernel)
{
    return round_up(kernel->mr * kernel->nr * kernel->element, AM_GEMM_ALIGN);
}

size_t am_gemm_part_workspace(const struct am_gemm_kernel *kernel,
                              const struct am_gemm_blocking *block)
{
    return edge_bytes(kernel) + block->nc * block->kc * kernel->element;
}

size_t am_gemm_workspace(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block)
{
    return am_gemm_panel_bytes(kernel, block) + am_gemm_part_workspace(kernel, block);
}

/* The length of parts of at most `part` that are as alike as their unit allows: a short last one
 * would cost as much as a long one. */
static size_t even(size_t whole, size_t part, size_t unit)
{
    const size_t parts = at_least((whole + part - 1) / part, 1);

    return round_up((whole + parts - 1) / parts, unit);
}

struct am_gemm_blocking am_gemm_even(const struct am_gemm_kernel *kernel,
                                     const struct am_gemm_blocking *block,
                                     const struct am_gemm_args *args)
{
    return (struct am_gemm_blocking){
        .mc = even(args->m, block->mc, kernel->mr),
        .nc = even(args->n, block->nc, kernel->nr),
        .kc = even(args->k, block->kc, 1),
    };
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

void am_gemm_pack_rows(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                       const struct am_gemm_part *part, void *to)
{
    kernel->pack_a((const char *)args->a + (part->row * args->lda + part->step) * kernel->element,
                   args->lda, part->rows, part->steps, to);
}

void am_gemm_multiply_part(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                           const struct am_gemm_part *part, const void *panel, void *workspace)
{
    const size_t element = kernel->element;
    char *const b = (char *)workspace + edge_bytes(kernel);
    const struct packed p = {.kernel = kernel,
                             .a = panel,
                             .b = b,
                             .m = part->rows,
                             .n = part->columns,
                             .k = part->steps,
                             .c =
                                 (char *)args->c + (part->row * args->ldc + part->column) * element,
                             .ldc = args->ldc,
                             .edge = workspace,
                             .add = args->add || part->step > 0};

    kernel->pack_b((const char *)args->b + (part->step * args->ldb + part->column) * element,
                   args->ldb, part->steps, part->columns, b);
    multiply_packed(&p);
}

/* `rows` and `steps` of the part: A is packed once, B block by block of at most nc columns. */
static void multiply_panel(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                           struct am_gemm_part *part, size_t nc, void *panel, void *workspace)
{
    am_gemm_pack_rows(kernel, args, part, panel);
    for (part->column = 0; part->column < args->n; part->column += nc) {
        part->columns = lesser(args->n - part->column, nc);
        am_gemm_multiply_part(kernel, args, part, panel, workspace);
    }
}

void am_gemm_multiply(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                      const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_blocking alike = am_gemm_even(kernel, block, args);
    char *const rest = (char *)workspace + am_gemm_panel_bytes(kernel, block);
    struct am_gemm_part part = {.row = 0};

    for (part.row = 0; part.row < args->m; part.row += alike.mc) {
        part.rows = lesser(args->m - part.row, alike.mc);
        for (part.step = 0; part.step < args->k; part.step += alike.kc) {
            part.steps = lesser(args->k - part.step, alike.kc);
            multiply_panel(kernel, args, &part, alike.nc, workspace, rest);
        }
    }
}
