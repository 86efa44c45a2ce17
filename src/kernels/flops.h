/* SPDX-License-Identifier: MIT */
/* Independent chains of floating-point instructions in registers: the variants of cpu.flops. */
#ifndef AM_KERNELS_FLOPS_H
#define AM_KERNELS_FLOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_FLOPS_STREAMS_MAX = 16,
    AM_FLOPS_VEC_BYTES_MAX = 64,
    AM_FLOPS_EXTREMES_STREAMS =
        14, /* of the chains without a count of their own, which every ISA has registers for */
};

enum am_flops_op { AM_FLOPS_FMA, AM_FLOPS_ADD, AM_FLOPS_MUL, AM_FLOPS_MIX, AM_FLOPS_OPS };
enum am_flops_type { AM_FLOPS_F32, AM_FLOPS_F64, AM_FLOPS_TYPES };

/* Names by enumerator, ended by NULL. */
extern const char *const am_flops_ops[];
extern const char *const am_flops_types[];

/* Takes `steps` steps with every one of its accumulators: x = x + m * a with one rounding,
 * x = x + a, x = x * m, or (mix) the first and the second of these, in the order that
 * am_flops_adds_first() tells. `in` holds the accumulators' start values, then m, then a, one
 * vector each; `out` takes the accumulators' end values. No alignment beyond the element's is
 * needed. */
typedef void am_flops_fn(const void *in, void *out, uint64_t steps);

struct am_flops_variant {
    const char *isa;
    bool has_fma;
    unsigned streams_max; /* accumulators that stay in registers beside m and a */
    unsigned lanes[AM_FLOPS_TYPES];
    /* NULL where the ISA lacks the instruction or the registers. [op][type][streams - 1] */
    am_flops_fn *fn[AM_FLOPS_OPS][AM_FLOPS_TYPES][AM_FLOPS_STREAMS_MAX];
    /* x = max(x, a) by itself, and in turn with x = x + a: they tell which units extremes are on.
     */
    am_flops_fn *extremes[AM_FLOPS_TYPES], *extremes_sums[AM_FLOPS_TYPES];
    /* x = x m and x = x + a in turn, two roundings: whether they have units of their own. As many
     * streams as extremes have. */
    am_flops_fn *products_sums[AM_FLOPS_TYPES];
};

/* Whether the operation is or has a fused multiply-add, and what one step of a lane counts. */
bool am_flops_fuses(enum am_flops_op op);
unsigned am_flops_count(enum am_flops_op op);
/* mix: whether this one of so many streams takes the addition before the fma. */
bool am_flops_adds_first(size_t stream, size_t streams);

const struct am_flops_variant *am_flops_find(const char *isa); /* NULL when unknown */

#endif
