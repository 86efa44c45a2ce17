/* SPDX-License-Identifier: MIT */
/* The loops around the micro-kernels: what is packed when, and the edges. The scheme is that of
 * Goto and of BLIS, for matrices by rows. */
#include "kernels/gemm.h"

#include "kernels/isa.h"

#include <stdatomic.h>

AM_ISA_FINDER(am_gemm_find, am_gemm_variant, am_gemm_)

const char *const am_gemm_types[] = {"f32", "f64", NULL};

enum {
    /* where nobody tells */
    L2_BYTES = 262144,
    L3_BYTES = 4194304,
    /* B is packed once per panel of A. With so many rows of A for each element of a vector that is
     * less than a percent of the work, whatever the vectors' width; more gain little. */
    ROWS_PER_LANE = 512,
    /* Longer slivers make C rarer, more columns A's: a line of C is read and written, and rows of C
     * are far from each other, so that it costs a few times as much. */
    STEPS_PER_COLUMN = 6,
};

enum state { EMPTY, BEING_PACKED, PACKED }; /* of a sliver of A */

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

/* B has three eighths of the second cache; slivers of A, C and rows of B's next block pass through
 * the rest. A sliver of A need not stay in the first: the second gives both in time. */
struct am_gemm_blocking am_gemm_block(const struct am_gemm_kernel *kernel,
                                      const struct am_gemm_caches *caches)
{
    const size_t l2 = caches->l2 ? caches->l2 : L2_BYTES, l3 = caches->l3 ? caches->l3 : L3_BYTES;
    const size_t element = kernel->element, share = l2 / 8 * 3;
    const size_t nc = at_least(columns_of(kernel, share), columns_least(kernel));
    const size_t chunk = nc * element * AM_GEMM_CHUNK;
    const size_t kc = at_least(share / chunk, 1) * AM_GEMM_CHUNK;
    const size_t rows = lesser(ROWS_PER_LANE * kernel->lanes, l3 / 2 / (kc * element));

    return (struct am_gemm_blocking){
        .kc = kc,
        .nc = nc,
        .mc = round_up(at_least(rows, 1), kernel->mr),
    };
}

static size_t states_bytes(const struct am_gemm_kernel *kernel,
                           const struct am_gemm_blocking *block)
{
    return round_up(blocks_of(block->mc, kernel->mr), AM_GEMM_ALIGN);
}

size_t am_gemm_panel_bytes(const struct am_gemm_kernel *kernel,
                           const struct am_gemm_blocking *block)
{
    return states_bytes(kernel, block) +
           round_up(block->mc * block->kc * kernel->element, AM_GEMM_ALIGN);
}

struct am_gemm_panel am_gemm_panel_at(const struct am_gemm_kernel *kernel,
                                      const struct am_gemm_blocking *block, void *memory)
{
    return (struct am_gemm_panel){.states = memory,
                                  .slivers = (char *)memory + states_bytes(kernel, block)};
}

void am_gemm_panel_clear(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                         const struct am_gemm_panel *panel)
{
    for (size_t i = 0; i < blocks_of(block->mc, kernel->mr); i++)
        atomic_store_explicit(&panel->states[i], EMPTY, memory_order_relaxed);
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

/* What is written at the edges, a block of B, and a sliver of A that nobody shares. */
size_t am_gemm_part_workspace(const struct am_gemm_kernel *kernel,
                              const struct am_gemm_blocking *block)
{
    return edge_bytes(kernel) + block_bytes(kernel, block) +
           round_up(kernel->mr * block->kc * kernel->element, AM_GEMM_ALIGN);
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

/* Rows of B that are packed next. */
struct later {
    const char *from;
    size_t ld, rows, columns; /* elements */
};

/* One panel of A, whose slivers are packed when they are first used, times one block of B, which is
 * packed while the first sliver is multiplied by it. */
struct packed {
    const struct am_gemm_kernel *kernel;
    struct am_gemm_panel panel;
    char *b, *edge, *own; /* a sliver of A that somebody else is packing */
    const char *a_rows, *b_rows;
    size_t m, n, k;
    char *c;
    size_t lda, ldb, ldc; /* elements */
    bool add;
    struct later later; /* of no rows: nothing */
    struct paces {
        size_t sliver, row; /* bytes per chunk of the next sliver of A, of the next row of B */
        size_t source_rows; /* of the next sliver of A, per block of C */
    } pace;
    size_t blocks, done; /* of C */
};

/* A sliver of A at work. */
struct sliver {
    const char *a;
    size_t row, next; /* the first of its rows, and of those of the sliver after it */
    bool first;       /* that this block of B meets */
    bool next_packed;
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

/* The row of the next block of B that is fetched first while the block of C after those that are
 * done is computed; `rows` and more: none. In the last blocks, as late as can be: what was fetched
 * earlier would have left the caches. */
static size_t later_row(const struct packed *p)
{
    const size_t late = blocks_of(p->later.rows, AM_GEMM_ROWS_AHEAD), left = p->blocks - p->done;

    return left > late ? p->later.rows : (late - left) * AM_GEMM_ROWS_AHEAD;
}

/* What is fetched while a block of C is computed, the `nth` of a sliver. Where blocks are few, a
 * line per chunk is not enough for the next sliver. */
static void look_ahead(const struct packed *p, const struct sliver *s, size_t nth,
                       struct am_gemm_ahead *ahead)
{
    const size_t mr = p->kernel->mr, element = p->kernel->element;
    const size_t row = nth * p->pace.source_rows, later = later_row(p);

    ahead->from =
        p->panel.slivers + (s->next * element + nth * (p->pace.sliver / AM_GEMM_CHUNK)) * p->k;
    ahead->pace = p->pace.sliver;
    ahead->row[0] = ahead->row[1] = NULL;
    ahead->row_pace = 0;
    if (!s->next_packed && row < lesser(mr, p->m - s->next)) {
        ahead->row[0] = p->a_rows + (s->next + row) * p->lda * element;
        if (p->pace.source_rows > 1)
            ahead->row[1] = ahead->row[0] + p->lda * element;
        ahead->row_pace = AM_GEMM_CHUNK * element;
    } else if (later < p->later.rows) {
        ahead->row[0] = p->later.from + later * p->later.ld * element;
        ahead->row[1] = ahead->row[0] + p->later.ld * element;
        ahead->row_pace = p->pace.row;
    } else if (p->pace.sliver > AM_GEMM_ALIGN) {
        ahead->row[0] = ahead->from + AM_GEMM_ALIGN;
        ahead->row_pace = p->pace.sliver;
    }
}

/* A block of C that lacks rows or columns. */
static void multiply_edge(const struct packed *p, const struct sliver *s, size_t j, char *c,
                          const struct am_gemm_ahead *ahead)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t rows = lesser(p->m - s->row, kernel->mr), columns = lesser(p->n - j, kernel->nr);

    kernel->micro(p->k, s->a, p->b + j * p->k * kernel->element, p->edge, kernel->nr, false, ahead);
    if (kernel->element == sizeof(float))
        put_edge_float((float *)(void *)p->edge, kernel->nr, (float *)(void *)c, p->ldc, rows,
                       columns, p->add);
    else
        put_edge_double((double *)(void *)p->edge, kernel->nr, (double *)(void *)c, p->ldc, rows,
                        columns, p->add);
}

/* The rows of C that a sliver of A belongs to. */
static void multiply_sliver(struct packed *p, const struct sliver *s)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    const size_t element = kernel->element;
    struct am_gemm_ahead ahead = {.b_row_bytes = p->ldb * element};
    size_t nth = 0;

    for (size_t j = 0; j < p->n; j += kernel->nr) {
        char *const c = p->c + (s->row * p->ldc + j) * element, *const b =
                                                                    p->b + j * p->k * element;
        const bool whole = p->m - s->row >= kernel->mr && p->n - j >= kernel->nr;
        const bool packing = s->first && whole && kernel->micro_packing;

        look_ahead(p, s, nth++, &ahead);
        ahead.b_rows = p->b_rows + j * element;
        if (s->first && !packing)
            kernel->pack_b(ahead.b_rows, p->ldb, p->k, lesser(p->n - j, kernel->nr), p->k, b);
        if (!whole)
            multiply_edge(p, s, j, c, &ahead);
        else
            (packing ? kernel->micro_packing : kernel->micro)(p->k, s->a, b, c, p->ldc, p->add,
                                                              &ahead);
        p->done++;
    }
}

/* The sliver that begins in row i, packed by whoever comes first. */
static const char *take_sliver(const struct packed *p, size_t i)
{
    const struct am_gemm_kernel *const kernel = p->kernel;
    _Atomic unsigned char *const state = &p->panel.states[i / kernel->mr];
    char *const shared = p->panel.slivers + i * p->k * kernel->element;
    unsigned char is = atomic_load_explicit(state, memory_order_acquire);
    bool mine;

    if (is == PACKED)
        return shared;
    mine = is == EMPTY && atomic_compare_exchange_strong_explicit(
                              state, &is, BEING_PACKED, memory_order_acquire, memory_order_relaxed);
    kernel->pack_a(p->a_rows + i * p->lda * kernel->element, p->lda, lesser(p->m - i, kernel->mr),
                   p->k, mine ? shared : p->own);
    if (mine)
        atomic_store_explicit(state, PACKED, memory_order_release);
    return mine ? shared : p->own;
}

/* All slivers, `first` first; behind the last one comes that with which the next block of columns
 * begins. */
static void multiply_packed(struct packed *p, size_t first)
{
    const size_t mr = p->kernel->mr, slivers = blocks_of(p->m, mr);

    p->blocks = slivers * blocks_of(p->n, p->kernel->nr);
    p->pace = paces_of(p);
    for (size_t i = 0; i < slivers; i++) {
        const size_t now = (first + i) % slivers, next = (now + 1) % slivers;
        const struct sliver s = {
            .a = take_sliver(p, now * mr),
            .row = now * mr,
            .next = next * mr,
            .first = i == 0,
            .next_packed =
                atomic_load_explicit(&p->panel.states[next], memory_order_relaxed) == PACKED,
        };

        multiply_sliver(p, &s);
    }
}

static const char *part_of_b(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                             const struct am_gemm_part *part)
{
    return (const char *)args->b + (part->step * args->ldb + part->column) * kernel->element;
}

void am_gemm_multiply_part(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                           const struct am_gemm_share *share, void *workspace)
{
    const struct am_gemm_part *const part = &share->part, *const next = &share->next;
    const size_t element = kernel->element, sliver = part->steps * kernel->nr * element;
    char *const b = (char *)workspace + edge_bytes(kernel);
    struct packed p = {
        .kernel = kernel,
        .panel = share->panel,
        .b = b,
        .edge = workspace,
        .own = b + round_up(blocks_of(part->columns, kernel->nr) * sliver, AM_GEMM_ALIGN),
        .a_rows = (const char *)args->a + (part->row * args->lda + part->step) * element,
        .b_rows = part_of_b(kernel, args, part),
        .m = part->rows,
        .n = part->columns,
        .k = part->steps,
        .c = (char *)args->c + (part->row * args->ldc + part->column) * element,
        .lda = args->lda,
        .ldb = args->ldb,
        .ldc = args->ldc,
        .add = args->add || part->step > 0,
    };

    if (next->steps)
        p.later = (struct later){.from = part_of_b(kernel, args, next),
                                 .ld = args->ldb,
                                 .rows = next->steps,
                                 .columns = next->columns};
    multiply_packed(&p, share->first);
}

static struct am_gemm_part part_at(const struct am_gemm_args *args,
                                   const struct am_gemm_blocking *block, struct am_gemm_part at)
{
    at.rows = lesser(args->m - at.row, block->mc);
    at.columns = lesser(args->n - at.column, block->nc);
    at.steps = lesser(args->k - at.step, block->kc);
    return at;
}

/* The part after this one: columns first, then steps, then rows. Without steps: there is none. */
static struct am_gemm_part next_part(const struct am_gemm_args *args,
                                     const struct am_gemm_blocking *block,
                                     const struct am_gemm_part *part)
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
    return at.row >= args->m ? (struct am_gemm_part){0} : part_at(args, block, at);
}

void am_gemm_multiply(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                      const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_blocking alike = am_gemm_even(kernel, block, args);
    struct am_gemm_share share = {.panel = am_gemm_panel_at(kernel, block, workspace)};

    if (!args->m || !args->n || !args->k)
        return;
    share.next = part_at(args, &alike, share.next);
    while (share.next.steps) {
        share.part = share.next;
        share.next = next_part(args, &alike, &share.part);
        if (share.part.column == 0)
            am_gemm_panel_clear(kernel, block, &share.panel);
        am_gemm_multiply_part(kernel, args, &share,
                              (char *)workspace + am_gemm_panel_bytes(kernel, block));
    }
}
