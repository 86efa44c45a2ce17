/* SPDX-License-Identifier: MIT */
/* Products of matrices, packed and blocked for registers and caches: one table an ISA. */
#ifndef AM_KERNELS_GEMM_H
#define AM_KERNELS_GEMM_H

#include <stdbool.h>
#include <stddef.h>

enum am_gemm_type { AM_GEMM_F32, AM_GEMM_F64, AM_GEMM_TYPES };

extern const char *const am_gemm_types[]; /* by enumerator, ended by NULL */

/* C = A B or C = C + A B, all of them by rows; float or double, by the type that goes with it. */
struct am_gemm_args {
    size_t m, n, k; /* A is m by k, B k by n */
    const void *a, *b;
    void *c;
    size_t lda, ldb, ldc; /* elements from one row to the next */
    bool add;             /* else C is written without being read */
};

/* Steps between fetches: with eight of them a third of the next sliver's lines was left out. */
enum { AM_GEMM_CHUNK = 4 };

enum { AM_GEMM_ROWS_AHEAD = 2 };

/* What is fetched meanwhile, for later: a line of each in every AM_GEMM_CHUNK steps. All may lie
 * outside of everything: fetching touches nothing. */
struct am_gemm_ahead {
    const char *from;                    /* the next sliver of A */
    size_t pace;                         /* bytes from one line to the next */
    const char *row[AM_GEMM_ROWS_AHEAD]; /* rows that are packed next; NULL: none */
    size_t row_pace;
    const char *b_rows; /* what B is packed from, for the micro-kernel that does it */
    size_t b_row_bytes; /* from one row to the next */
};

/* A packed sliver of `mr` rows of A times one of `nr` columns of B, k steps, into C. One of the two
 * reads B's rows and leaves them packed at b. */
typedef void am_gemm_micro_fn(size_t k, const void *a, void *b, void *c, size_t ldc, bool add,
                              const struct am_gemm_ahead *ahead);
/* Packs `rows` by `columns` elements at `from` (`ld` from row to row) into slivers of `mr` rows,
 * column after column; the last sliver is filled up by zeros. */
typedef void am_gemm_pack_a_fn(const void *from, size_t ld, size_t rows, size_t columns, void *to);
/* The same into slivers of `nr` columns, row after row. A sliver has `steps` rows, of which these
 * are some: `to` is where the first of them goes in the first sliver. */
typedef void am_gemm_pack_b_fn(const void *from, size_t ld, size_t rows, size_t columns,
                               size_t steps, void *to);

struct am_gemm_kernel {
    size_t element; /* bytes */
    size_t mr, nr;
    size_t lanes; /* elements of a vector */
    am_gemm_micro_fn *micro;
    am_gemm_micro_fn *micro_packing; /* NULL: B is packed before */
    am_gemm_pack_a_fn *pack_a;
    am_gemm_pack_b_fn *pack_b;
};

enum { AM_GEMM_MICRO_MAX = 2048, AM_GEMM_ALIGN = 64 }; /* elements of C in registers; bytes */

struct am_gemm_variant {
    const char *isa;
    struct am_gemm_kernel kernel[AM_GEMM_TYPES];
};

const struct am_gemm_variant *am_gemm_find(const char *isa); /* NULL when unknown */

/* How much is packed at a time: mc by kc of A, for the last cache; kc by nc of B, for the second.
 */
struct am_gemm_blocking {
    size_t mc, nc, kc;
};

/* Bytes that a thread has of each; 0: not known. */
struct am_gemm_caches {
    size_t l2, l3;
};

struct am_gemm_blocking am_gemm_block(const struct am_gemm_kernel *kernel,
                                      const struct am_gemm_caches *caches);
/* What am_gemm_multiply() needs, aligned to AM_GEMM_ALIGN, one for each call at the same time. */
size_t am_gemm_workspace(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block);
void am_gemm_multiply(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                      const struct am_gemm_args *args, void *workspace);

/* The same product in parts, for threads that share a packed panel of A. */

/* Rows and columns of C, and steps of the sums. */
struct am_gemm_part {
    size_t row, rows, column, columns, step, steps;
};

/* Blocks no larger than `block` that are as alike as register blocks allow. */
struct am_gemm_blocking am_gemm_even(const struct am_gemm_kernel *kernel,
                                     const struct am_gemm_blocking *block,
                                     const struct am_gemm_args *args);

/* Slivers of A, each packed by the first who needs it. Who needs one while another packs it packs
 * it once more for itself: nobody waits. */
struct am_gemm_panel {
    _Atomic unsigned char *states; /* of the slivers */
    char *slivers;
};

size_t am_gemm_panel_bytes(const struct am_gemm_kernel *kernel,
                           const struct am_gemm_blocking *block);
/* In `memory`, aligned to AM_GEMM_ALIGN; clear it before its first use. */
struct am_gemm_panel am_gemm_panel_at(const struct am_gemm_kernel *kernel,
                                      const struct am_gemm_blocking *block, void *memory);
/* None of its slivers is packed. Nobody may use it meanwhile. */
void am_gemm_panel_clear(const struct am_gemm_kernel *kernel, const struct am_gemm_blocking *block,
                         const struct am_gemm_panel *panel);
/* What am_gemm_multiply_part() needs, as am_gemm_workspace(). */
size_t am_gemm_part_workspace(const struct am_gemm_kernel *kernel,
                              const struct am_gemm_blocking *block);

/* Some of a product, by one of those who share its panel. */
struct am_gemm_share {
    struct am_gemm_part part;   /* its columns at most block->nc */
    struct am_gemm_part next;   /* whose rows of B are fetched meanwhile; without steps: none */
    struct am_gemm_panel panel; /* of the part's rows and steps */
    size_t first;               /* sliver of A: others begin with others, so that all pack */
};

void am_gemm_multiply_part(const struct am_gemm_kernel *kernel, const struct am_gemm_args *args,
                           const struct am_gemm_share *share, void *workspace);

#endif
