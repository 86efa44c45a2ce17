/* SPDX-License-Identifier: MIT */
/* Streaming loops over f64 arrays: the variants of mem.bandwidth. */
#ifndef AM_KERNELS_STREAM_H
#define AM_KERNELS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, loop, arrays read, arrays written, arrays in all): the arrays are a, b and c in this
 * order. Some names stand for the loop of another: they are those that MIC-Meter gave it. */
#define AM_STREAM_MAP(X)                                                                           \
    X(read, read, 1, 0, 1)     /* sum ^= bits of a[i] */                                           \
    X(write, write, 0, 1, 1)   /* a[i] = s */                                                      \
    X(update, update, 1, 1, 1) /* a[i] = s * a[i] */                                               \
    X(copy, copy, 1, 1, 2)     /* a[i] = b[i] */                                                   \
    X(scale, scale, 1, 1, 2)   /* a[i] = s * b[i] */                                               \
    X(add, add, 2, 1, 3)       /* a[i] = b[i] + c[i] */                                            \
    X(triad, triad, 2, 1, 3)   /* a[i] = b[i] + s * c[i] */                                        \
    X(scale1, scale, 1, 1, 2)                                                                      \
    X(scale2, update, 1, 1, 1)                                                                     \
    X(saxpy1, triad, 2, 1, 3)                                                                      \
    X(saxpy2, saxpy2, 2, 1, 2) /* a[i] = a[i] + s * b[i] */

#define AM_STREAM_ENUM(name, loop, reads, writes, arrays) AM_STREAM_##name,
enum am_stream_kernel { AM_STREAM_MAP(AM_STREAM_ENUM) AM_STREAM_KERNELS };
#undef AM_STREAM_ENUM

enum { AM_STREAM_ARRAYS_MAX = 3, AM_STREAM_UNROLL = 16 }; /* vectors of an unrolled step */

struct am_stream_kind {
    const char *name;
    enum am_stream_kernel loop; /* whose loop it is: its own or an older name's */
    unsigned reads, writes, arrays;
};

extern const struct am_stream_kind am_stream_kinds[AM_STREAM_KERNELS];
extern const char *const am_stream_names[]; /* by enumerator, ended by NULL */

struct am_stream_args {
    double *a;
    const double *b, *c;
    double s;
    size_t n;        /* elements of each array; any number */
    uint64_t passes; /* over all n, inside the call: small arrays would time the call otherwise */
    size_t step;     /* elements from where one pass begins to where the next does; 0: all alike */
    size_t ahead;    /* bytes by which the variants with software prefetch are ahead of themselves;
                      * may lead beyond the arrays */
    uint64_t sum;    /* read: set to the exclusive or of all bit patterns read in all passes */
};

typedef void am_stream_fn(struct am_stream_args *args);

struct am_stream_variant {
    const char *isa;
    unsigned block; /* elements of one unrolled step */
    /* [kernel][non-temporal stores]; NULL: none */
    am_stream_fn *fn[AM_STREAM_KERNELS][2];
    am_stream_fn *ahead[AM_STREAM_KERNELS][2]; /* the same with software prefetch */
};

const struct am_stream_variant *am_stream_find(const char *isa); /* NULL when unknown */

#endif
