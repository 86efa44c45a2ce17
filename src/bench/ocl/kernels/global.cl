/* SPDX-License-Identifier: MIT */
/* ocl.global: one pass over global memory, reading, writing or copying, in the order that SHAPE names. */

/* Set by the bench:
 *   ELEMENT  uint, uint2, uint4, uint8 or uint16: what one access moves
 *   WIDTH    its words of 32 bits
 *   SHAPE    one of the numbers below, as enum shape of ocl_global.c
 *   COUNT    elements that a work-item touches */
#define SINGLE 0
#define GROUP 1
#define STRIDED 2
#define ROW 3
#define COLUMN 4

#define MATRIX (1024u * 1024u) /* elements */
#define ITEMS (MATRIX / COUNT) /* that share a matrix */

/* Words are noise before the first pass, so that no memory can compress them. */
#define FACTOR 2654435761u

uint noise(uint word)
{
    word = (word + 1) * FACTOR;
    word ^= word >> 15;
    word *= 2246822519u;
    return word ^ word >> 13;
}

__kernel void am_fill(__global uint *data)
{
    const size_t i = get_global_id(0); /* beyond 2^32 words the noise begins again */

    data[i] = noise((uint)i);
}

/* Where a work-item begins, in elements; `mask` is their number less one. A place beyond the end is
 * meant to be as far beyond the beginning; `turn` tells when that happens: each return goes to lines of
 * its own, or wide strides would come back to the few that they touched before. */
uint begin_at(uint mask, uint stride, uint turn)
{
    const uint g = get_global_id(0);
#if SHAPE == SINGLE
    return (g * stride + (g >> turn) * 37u) & mask;
#elif SHAPE == GROUP
    const uint first = (g - (uint)get_local_id(0)) * COUNT + (uint)get_local_id(0);

    return (first * stride + (first >> turn) * 37u) & mask;
#elif SHAPE == STRIDED
    return g * stride & mask;
#elif SHAPE == ROW
    return (g / ITEMS * MATRIX + g % ITEMS * COUNT) & mask;
#else
    return (g / ITEMS * MATRIX + g % ITEMS) & mask;
#endif
}

/* From one access of a work-item to its next. */
uint step_by(uint stride)
{
#if SHAPE == GROUP
    return (uint)get_local_size(0) * stride;
#elif SHAPE == STRIDED
    return (uint)get_global_size(0);
#elif SHAPE == COLUMN
    return ITEMS;
#else
    return 1;
#endif
}

/* Matrices lie whole in the buffer: a bound there would hide from a compiler that rows are contiguous. */
#if SHAPE == ROW || SHAPE == COLUMN
#define WITHIN(i) (i)
#else
#define WITHIN(i) ((i)&mask)
#endif

uint fold(ELEMENT x)
{
    union {
        ELEMENT all;
        uint word[WIDTH];
    } u;
    uint sum = 0;

    u.all = x;
    for (uint i = 0; i < WIDTH; i++)
        sum += u.word[i];
    return sum;
}

/* Who adds its sum to `out` is decided by the sum: loads that only a branch needs may be moved into it,
 * and are then not made by the others. The work-item's number is mixed in, since small buffers are gone
 * round and give equal sums again. `pick` is a power of two less one. */
__kernel void am_read(__global const ELEMENT *restrict data, __global uint *restrict out, uint mask,
                      uint stride, uint turn, uint shift, uint pick)
{
    const uint begin = begin_at(mask, stride, turn), step = step_by(stride);
    const uint g = get_global_id(0);
    ELEMENT sum = 0;
    uint folded;

    for (uint j = 0; j < COUNT; j++)
        sum += data[WITHIN(begin + j * step)];
    folded = fold(sum);
    if (((folded + (g * FACTOR >> 12)) & pick) == 0)
        atomic_add(&out[g >> shift], folded);
}

/* What is written depends on the place alone: who comes second to it changes nothing. */
__kernel void am_write(__global ELEMENT *restrict data, uint mask, uint stride, uint turn, uint key)
{
    const uint begin = begin_at(mask, stride, turn), step = step_by(stride);

    for (uint j = 0; j < COUNT; j++) {
        const uint i = WITHIN(begin + j * step);

        data[i] = (ELEMENT)(i * FACTOR ^ key);
    }
}

/* The noise of a place goes to the same place of another buffer, changed by the key. */
__kernel void am_copy(__global const ELEMENT *restrict data, __global ELEMENT *restrict copy, uint mask,
                      uint stride, uint turn, uint key)
{
    const uint begin = begin_at(mask, stride, turn), step = step_by(stride);

    for (uint j = 0; j < COUNT; j++) {
        const uint i = WITHIN(begin + j * step);

        copy[i] = data[i] ^ (ELEMENT)(key);
    }
}
