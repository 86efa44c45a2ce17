/* SPDX-License-Identifier: MIT */
/* ocl.dot without a device: element types of matrix units, where their instructions want which
 * element of a matrix, and what products come to; and dot products of bytes by single work-items.
 *
 * Operands are whole numbers from -2 to 2, so that sums of products are exact in every type as long
 * as they stay below 2^24. Two ways lead to NVIDIA's matrix units: instructions of a warp
 * (mma.sync, from capability 8.0 on), whose operands are registers, and of four warps together
 * (wgmma, 9.0 only), whose operands lie in shared memory. Both multiply tiles A (rows x k) and B (k
 * x columns) and add to an accumulator that stays in registers; here the same tiles turn after
 * turn, so that after n turns every accumulator is n times their product. */
#ifndef AM_BENCH_OCL_DOT_H
#define AM_BENCH_OCL_DOT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_dot_type { AM_DOT_BF16, AM_DOT_F16, AM_DOT_TF32, AM_DOT_INT8, AM_DOT_F64, AM_DOT_TYPES };
extern const char *const am_dot_types[AM_DOT_TYPES + 1]; /* ended by NULL */
enum am_dot_way { AM_DOT_WARP, AM_DOT_GROUP, AM_DOT_ITEM, AM_DOT_PLAIN, AM_DOT_WAYS };
extern const char *const am_dot_ways[AM_DOT_WAYS + 1];

enum {
    AM_DOT_LANES = 32,
    AM_DOT_ACCUMULATORS = 4, /* of a lane and an instruction of a warp */
    AM_DOT_WARP_TILES = 2,   /* of A and of B in a warp: four products */
    AM_DOT_WARP_ROWS = 16,
    AM_DOT_WARP_COLUMNS = 8,
    AM_DOT_GROUPS = 2,      /* of four warps in a work-group */
    AM_DOT_STEPS = 4,       /* instructions of a turn, one behind the other in k */
    AM_DOT_ROWS = 64,       /* of a tile of four warps */
    AM_DOT_COLUMNS = 256,   /* and its columns */
    AM_DOT_STEP_BYTES = 32, /* of k that one instruction of four warps takes, whatever the type */
};

/* The shape of what one turn multiplies. */
struct am_dot_shape {
    enum am_dot_way way;
    enum am_dot_type type;
    unsigned k;              /* products that are summed into an accumulator per turn */
    size_t rows, columns;    /* of all tiles of A, and of B */
    size_t accumulators;     /* of a work-item */
    size_t a_bytes, b_bytes; /* of the operands as the kernel reads them */
    size_t group;            /* work-items that hold all accumulators once: a warp, a work-group */
    uint32_t turns_max;      /* of a launch: up to here sums are exact */
};

/* What decides which ways a device has. */
struct am_dot_device {
    unsigned capability; /* ten times the major number and the minor one; 0: not one of NVIDIA's */
    bool integer_dot;    /* cl_khr_integer_dot_product */
};
/* NULL when the device has such instructions, else why not. */
const char *am_dot_refusal(enum am_dot_way way, enum am_dot_type type,
                           const struct am_dot_device *device);
struct am_dot_shape am_dot_shape_of(enum am_dot_way way, enum am_dot_type type);
size_t am_dot_element_bytes(enum am_dot_type type);
size_t am_dot_result_bytes(enum am_dot_type type); /* of an accumulator: 4 or 8 */

/* Element (row, k) of A, and (k, column) of B; from -2 to 2. */
int am_dot_a(uint64_t seed, size_t row, size_t k);
int am_dot_b(uint64_t seed, size_t k, size_t column);

/* The operands in the order in which the kernel reads them: a_bytes and b_bytes. */
void am_dot_pack(const struct am_dot_shape *shape, uint64_t seed, void *a, void *b);

/* What accumulator `i` of work-item `item` of a group adds up in one turn. */
int64_t am_dot_product(const struct am_dot_shape *shape, uint64_t seed, size_t item, size_t i);
/* A stored accumulator as a number. */
double am_dot_result(enum am_dot_type type, const void *at);

/* ---- by single work-items: kernels/dot_items.cl ---- */

/* Operands of either side that a work-item keeps: a turn makes rows x columns products of four
 * bytes by four. More of them need fewer other instructions and more registers. */
struct am_dot_tile {
    unsigned rows, columns; /* at most 16 each */
};
enum { AM_DOT_TILES = 3, AM_DOT_BYTES = 4 /* per operand */ };
extern const struct am_dot_tile am_dot_tiles[AM_DOT_TILES];

/* How the kernel multiplies: its WAY. */
int am_dot_items_way(enum am_dot_way way, const struct am_dot_device *device);
/* The word that a work-item must leave after so many turns. */
uint32_t am_dot_items_left(const struct am_dot_tile *tile, uint32_t key, size_t item,
                           uint32_t turns);

/* PTX of the kernel am_dot for four warps; arguments: A, B, results, turns. */
void am_dot_text(const struct am_dot_shape *shape, struct am_text *out);

#endif
