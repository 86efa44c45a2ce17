/* SPDX-License-Identifier: MIT */
/* Which places one pass over global memory touches: what kernels/global.cl computes, on the host.
 */
#ifndef AM_BENCH_OCL_PASSES_H
#define AM_BENCH_OCL_PASSES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are those of kernels/global.cl. */
enum am_ocl_shape {
    AM_OCL_SINGLE,  /* one element per work-item */
    AM_OCL_GROUP,   /* a work-group goes through one piece together, sixteen steps */
    AM_OCL_STRIDED, /* Formula 1 of the paper: sixteen elements, each a number of items apart */
    AM_OCL_ROW,     /* `stride` elements of a matrix's row, one after the other */
    AM_OCL_COLUMN,  /* as many, each in another part of the matrix */
};
extern const char *const am_ocl_shape_names[]; /* by enumerator, ended by NULL */

enum {
    AM_OCL_MATRIX = 1024 * 1024, /* elements; row and column */
    AM_OCL_ROW_MAX = 512,
    AM_OCL_SLOTS = 4096, /* sums of a reading pass, each of a run of work-items; the last may have
                          * fewer, or none */
};

struct am_ocl_pass {
    enum am_ocl_shape shape;
    uint32_t width;       /* words of 32 bits in an element */
    uint32_t stride;      /* elements; see the shapes */
    uint32_t count;       /* elements that a work-item touches */
    uint32_t group;       /* work-items of a work-group */
    uint64_t elements;    /* of the buffer: a power of two, at most 2^31 */
    uint64_t items;       /* work-items: a multiple of `group`, at most 2^31 */
    uint32_t mask, turn;  /* as the kernels take them */
    uint32_t shift, pick; /* slot of an item: item >> shift; who adds to it */
};

/* What `shape`, `width`, `stride` and `each` ask for; `each` is the elements that a work-item
 * touches, 0: as the shape has it. AM_E_ABSENT with its reason when there is no such pass. */
enum am_status am_ocl_pass_choose(struct am_ocl_pass *p, enum am_ocl_shape shape, int64_t width,
                                  int64_t stride, int64_t each, struct am_err *err);

/* The largest buffer that a chosen pass can go over: its work-items count elements in 32 bits. */
uint64_t am_ocl_pass_bytes_max(const struct am_ocl_pass *p);

/* Fits a chosen pass to a buffer of `bytes` and to work-groups of `group`; `least_bytes` is what a
 * launch moves at least, going round smaller buffers. AM_E_ABSENT for buffers that do not suit. */
enum am_status am_ocl_pass_fit(struct am_ocl_pass *p, uint64_t bytes, uint64_t least_bytes,
                               size_t group, struct am_err *err);

/* Bytes that one launch moves. */
double am_ocl_pass_bytes(const struct am_ocl_pass *p);

/* The element that access j of an item touches. */
uint32_t am_ocl_pass_place(const struct am_ocl_pass *p, uint32_t item, uint32_t j);

/* What is in a word of the buffer before the first pass, and in those of an element written with
 * `key`. */
uint32_t am_ocl_pass_noise(uint32_t word);
void am_ocl_pass_noises(uint32_t first, size_t n, uint32_t *out); /* of n words in a row */
uint32_t am_ocl_pass_written(uint32_t element, uint32_t key);

/* What one reading pass adds to a slot. */
uint32_t am_ocl_pass_slot(const struct am_ocl_pass *p, uint32_t slot);

/* What decides how large a buffer must be to lie in memory, not in caches. */
struct am_ocl_room {
    bool is_cpu;
    uint64_t cache_bytes; /* as the device says: GPUs often say less than they have */
    uint64_t most_bytes;  /* that a buffer may have here */
};
/* A power of two; never more than `most_bytes`. */
uint64_t am_ocl_room_bytes(const struct am_ocl_room *room);

#endif
