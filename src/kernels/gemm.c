/* SPDX-License-Identifier: MIT */
/* The loops around the micro-kernels: what is packed when, and the edges. The scheme is that of
 * Goto and of BLIS, for matrices by rows. */
#include "kernels/gemm.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_gemm_find, am_gemm_variant, am_gemm_)

const char *const am_gemm_types[] = {"f32", "f64", NULL};

enum {
    /* where nobody tells */
    L2_BYTES = 262144,
    L3_BYTES = 4194304,
    /* B is packed once per panel of A. With so many rows of A for each column of a register block
     * that is less than a percent of the work, whatever the vectors' width; more gain little. */
    ROWS_PER_COLUMN = 256,
    /* Longer slivers make C rarer, more columns A's: a line of C is read and written, and rows of C
     * are far from each other, so that it costs a few times as much. */
    STEPS_PER_COLUMN = 6,
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

static size_t blocks_of(size_t whole, size_t part)
{
    return (whole + part - 1) / part;
}

/* Of a block of B in `share` bytes that has STEPS_PER_COLUMN steps for each. */
static size_t columns_of(const struct am_gemm_kernel *kernel, size_t share)
{
    const size_t column = STEPS_PER_COLUMN * kernel->element;
    size_t n = kernel->nr;

    while ((n + kernel->nr) * (n + kernel->nr) * column <= share)
        n += kernel->nr;
    return n;
}

/* Columns of B during which the next sliver of A is fetched to its last line, a line per chunk, and
 * all rows that it is packed from: one line that is not there in time costs as much as hundreds of
 * products. */
static size_t columns_least(const struct am_gemm_kernel *kernel)
{
    const size_t lines = blocks_of(kernel->mr * kernel->element * AM_GEMM_CHUNK, AM_GEMM_ALIGN);

    return kernel->nr * at_least(blocks_of(kernel->mr, AM_GEMM_ROWS_AHEAD), lines);
}

/* B has five sixteenths of the second cache and its next block as much; slivers of A and C pass
 * through the rest. A sliver of A need not stay in the first: the second gives both in time. */
struct am_gemm_blocking am_gemm_block(const struct am_gemm_kernel *kernel,
                                      const struct am_gemm_caches *caches)
{
    const size_t l2 = caches->l2 ? caches->l2 : L2_BYTES, l3 = caches->l3 ? caches->l3 : L3_BYTES;
    const size_t element = kernel->element, share = l2 / 16 * 5;
    const size_t nc = at_least(columns_of(kernel, share), columns_least(kernel));
    const size_t chunk = nc * element * AM_GEMM_CHUNK;
    const size_t kc = at_least(share / chunk, 1) * AM_GEMM_CHUNK;
    const size_t rows = lesser(ROWS_PER_COLUMN * kernel->nr, l3 / 2 / (kc * element));

    return (struct am_gemm_blocking){
        .kc = kc,
        .nc = nc,
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

static size_t block_bytes(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block)
{
    return round_up(block->nc * block->kc * kernel->element, AM_GEMM_ALIGN);
}

size_t am_gemm_part_workspace(const struct am_gemm_kernel *kernel,
                              const struct am_gemm_blocking *block)
{
    return edge_bytes(kernel) + block_bytes(kernel, block);
}

/* A panel of A, what is written at the edges, a block of B, and the next one. */
size_t am_gemm_workspace(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block)
{
    return am_gemm_panel_bytes(kernel, block) + edge_bytes(kernel) + 2 * block_bytes(kernel, block);
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
        .kc = lesser(even(args->k, block->kc, AM_GEMM_CHUNK), block->kc),
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

/* A block of B that is packed some rows at a time. */
struct later {
    const char *from;
    size_t ld, rows, columns; /* elements */
    size_t packed;            /* of the rows */
    char *to;
};

/* One packed panel of A times one packed block of B, and what is packed meanwhile. */
struct packed {
    const struct am_gemm_kernel *kernel;
    char *a;
    const char *b;
    size_t m, n, k;
    char *c;
    size_t ldc; /* elements */
    void *edge;
    bool add;
    const char *source; /* where A comes from when its slivers are packed here; NULL: they are */
    size_t lda;
    struct later later; /* of no rows: nothing */
    struct paces {
        size_t sliver, row; /* bytes per chunk of the next sliver of A, of the next row of B */
        size_t source_rows; /* of the next sliver of A, per block of C */
    } pace;
};

/* The next sliver of A is fetched while this one is multiplied by all columns, each row that is
 * packed next while a block of C is computed. */
static struct paces paces_of(const struct packed *p)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t sliver = kernel->mr * kernel->element;

    return (struct paces){
        .sliver = blocks_of(sliver * kernel->nr, p->n) * AM_GEMM_CHUNK,
        .row = blocks_of(p->later.columns * kernel->element * AM_GEMM_CHUNK, p->k),
        .source_rows =
            lesser(blocks_of(kernel->mr, blocks_of(p->n, kernel->nr)), AM_GEMM_ROWS_AHEAD),
    };
}

/* What is fetched while a block of C is computed, the `nth` of a sliver that begins in row i. */
static void look_ahead(const struct packed *p, size_t i, size_t nth, struct am_gemm_ahead *ahead)
{
    const size_t mr = p->kernel->mr, element = p->kernel->element;
    const size_t row = nth * p->pace.source_rows;
    const struct later *const later = &p->later;

    ahead->from = p->a + ((i + mr) * element + nth * (p->pace.sliver / AM_GEMM_CHUNK)) * p->k;
    ahead->pace = p->pace.sliver;
    ahead->row[0] = ahead->row[1] = NULL;
    ahead->row_pace = 0;
    if (p->source && p->m - i > mr && row < mr) {
        ahead->row[0] = p->source + (i + mr + row) * p->lda * element;
        if (p->pace.source_rows > 1)
            ahead->row[1] = ahead->row[0] + p->lda * element;
        ahead->row_pace = AM_GEMM_CHUNK * element;
    } else if (later->packed < later->rows) {
        ahead->row[0] = later->from + later->packed * later->ld * element;
        ahead->row[1] = ahead->row[0] + later->ld * element;
        ahead->row_pace = p->pace.row;
    }
}

/* In the last of `all` blocks, as fast as rows are fetched, since what was packed earlier would
 * have left the second cache when it is used: after `done` of them their share of the rows is
 * packed. */
static void pack_later(const struct am_gemm_kernel *kernel, struct later *later, size_t done,
                       size_t all)
{
    const size_t blocks = lesser(blocks_of(later->rows, AM_GEMM_ROWS_AHEAD), all);
    const size_t due = done + blocks > all ? later->rows * (done + blocks - all) / blocks : 0;

    if (due == later->packed)
        return;
    kernel->pack_b(later->from + later->packed * later->ld * kernel->element, later->ld,
                   due - later->packed, later->columns, later->rows,
                   later->to + later->packed * kernel->nr * kernel->element);
    later->packed = due;
}

static void multiply_edge(const struct packed *p, size_t i, size_t j, char *c,
                          const struct am_gemm_ahead *ahead)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t rows = lesser(p->m - i, kernel->mr), columns = lesser(p->n - j, kernel->nr);

    kernel->micro(p->k, p->a + i * p->k * kernel->element, p->b + j * p->k * kernel->element,
                  p->edge, kernel->nr, false, ahead);
    if (kernel->element == sizeof(float))
        put_edge_float(p->edge, kernel->nr, (float *)(void *)c, p->ldc, rows, columns, p->add);
    else
        put_edge_double(p->edge, kernel->nr, (double *)(void *)c, p->ldc, rows, columns, p->add);
}

/* The rows of C that a sliver of A belongs to. Returns how many blocks they are. */
static size_t multiply_sliver(struct packed *p, size_t i, size_t done, size_t all)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t element = kernel->element;
    struct am_gemm_ahead ahead;
    size_t nth = 0;

    for (size_t j = 0; j < p->n; j += kernel->nr) {
        char *const c = p->c + (i * p->ldc + j) * element;

        look_ahead(p, i, nth, &ahead);
        if (p->m - i < kernel->mr || p->n - j < kernel->nr)
            multiply_edge(p, i, j, c, &ahead);
        else
            kernel->micro(p->k, p->a + i * p->k * element, p->b + j * p->k * element, c, p->ldc,
                          p->add, &ahead);
        nth++;
        pack_later(kernel, &p->later, done + nth, all);
    }
    return nth;
}

static void multiply_packed(struct packed *p)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t all = blocks_of(p->m, kernel->mr) * blocks_of(p->n, kernel->nr);
    size_t done = 0;

    p->pace = paces_of(p);
    for (size_t i = 0; i < p->m; i += kernel->mr) {
        if (p->source)
            kernel->pack_a(p->source + i * p->lda * kernel->element, p->lda,
                           lesser(p->m - i, kernel->mr), p->k, p->a + i * p->k * kernel->element);
        done += multiply_sliver(p, i, done, all);
    }
}

/* Where the part begins in a matrix whose rows are its rows, or its steps. */
static const char *part_of_a(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                             const struct am_gemm_part *part)
{
    return (const char *)args->a + (part->row * args->lda + part->step) * kernel->element;
}

void am_gemm_pack_rows(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                       const struct am_gemm_part *part, void *to)
{
    kernel->pack_a(part_of_a(kernel, args, part), args->lda, part->rows, part->steps, to);
}

static const char *part_of_b(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                             const struct am_gemm_part *part)
{
    return (const char *)args->b + (part->step * args->ldb + part->column) * kernel->element;
}

static struct packed packed_of(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                               const struct am_gemm_part *part)
{
    return (struct packed){
        .kernel = kernel,
        .m = part->rows,
        .n = part->columns,
        .k = part->steps,
        .c = (char *)args->c + (part->row * args->ldc + part->column) * kernel->element,
        .ldc = args->ldc,
        .lda = args->lda,
        .add = args->add || part->step > 0,
    };
}

void am_gemm_multiply_part(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                           const struct am_gemm_part *part, const void *panel, void *workspace)
{
    char *const b = (char *)workspace + edge_bytes(kernel);
    struct packed p = packed_of(kernel, args, part);

    p.a = (char *)panel; /* which is not written to without a source */
    p.b = b;
    p.edge = workspace;
    kernel->pack_b(part_of_b(kernel, args, part), args->ldb, part->steps, part->columns,
                   part->steps, b);
    multiply_packed(&p);
}

static struct am_gemm_part part_at(const struct am_gemm_args *args,
                                   const struct am_gemm_blocking *block, struct am_gemm_part at)
{
    at.rows = lesser(args->m - at.row, block->mc);
    at.columns = lesser(args->n - at.column, block->nc);
    at.steps = lesser(args->k - at.step, block->kc);
    return at;
}

/* The part after this one: columns first, then steps, then rows. False: there is none. */
static bool next_part(const struct am_gemm_args *args, const struct am_gemm_blocking *block,
                      const struct am_gemm_part *part, struct am_gemm_part *next)
{
    struct am_gemm_part at = {
        .row = part->row, .column = part->column + block->nc, .step = part->step};

    if (at.column >= args->n) {
        at.column = 0;
        at.step += block->kc;
    }
    if (at.step >= args->k) {
        at.step = 0;
        at.row += block->mc;
    }
    if (at.row >= args->m)
        return false;
    *next = part_at(args, block, at);
    return true;
}

/* Slivers of A are packed when they are first used, in the first block of columns, and a block of B
 * while the one before it is used: what is packed is fetched while there is something to compute.
 */
void am_gemm_multiply(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                      const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_blocking alike = am_gemm_even(kernel, block, args);
    char *const edge = (char *)workspace + am_gemm_panel_bytes(kernel, block);
    char *b = edge + edge_bytes(kernel), *other = b + block_bytes(kernel, block);
    struct am_gemm_part part = part_at(args, &alike, (struct am_gemm_part){.row = 0}), next = part;
    bool more = args->m && args->n && args->k;

    if (!more)
        return;
    kernel->pack_b(args->b, args->ldb, part.steps, part.columns, part.steps, b);
    for (; more; part = next) {
        struct packed p = packed_of(kernel, args, &part);
        char *const now = b;

        p.a = workspace;
        p.b = now;
        p.edge = edge;
        p.source = part.column == 0 ? part_of_a(kernel, args, &part) : NULL;
        more = next_part(args, &alike, &part, &next);
        if (more)
            p.later = (struct later){.from = part_of_b(kernel, args, &next),
                                     .ld = args->ldb,
                                     .rows = next.steps,
                                     .columns = next.columns,
                                     .to = other};
        multiply_packed(&p);
        b = other;
        other = now;
    }
}
