/* SPDX-License-Identifier: MIT */
/* ocl.intensity: vectors of numbers are read, and fused multiply-adds are made of each number.
 *
 * NUMBER, WORD   float and uint, or double and ulong (with DOUBLE)
 * ELEMENT        the vector that is read
 * FOLDS          so often the halves of a vector are joined bit by bit before it is computed with, which
 *                costs no operation on numbers; HALF: the words of a half, as_uint2
 * VALUE, USED    the vector that is computed with, and its numbers; AS_VALUE, SUM, AS_SUM: the same of words
 * STEPS          fused multiply-adds of each of them, one after another: a power of two
 * EACH           elements of a work-item, a multiple of the four that are in flight
 *
 * Numbers lie from 1 to 2, and whatever bits of two such are joined gives another. A step is
 * x * p + q, exactly rounded: the host has the same bits. They are added up as whole numbers. */
#pragma OPENCL FP_CONTRACT OFF
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOINED(e) (HALF((e).lo) | HALF((e).hi))
#if FOLDS == 0
#define TAKE(e) (e)
#elif FOLDS == 1
#define TAKE(e) AS_VALUE(JOINED(e))
#else
#define TAKE(e) AS_VALUE(JOINED(e).lo | JOINED(e).hi)
#endif

uint fold(SUM sum)
{
    union {
        SUM all;
        WORD word[USED];
    } u;
    uint folded = 0;

    u.all = sum;
    for (uint i = 0; i < USED; i++) {
#ifdef DOUBLE
        folded += (uint)(u.word[i] ^ u.word[i] >> 32);
#else
        folded += u.word[i];
#endif
    }
    return folded;
}

/* Of the buffer before the first pass: noise, so that no memory can compress it. */
uint noise(uint word)
{
    word = (word + 1) * 2654435761u;
    word ^= word >> 15;
    word *= 2246822519u;
    return word ^ word >> 13;
}

/* A work-item per word of 32 bits. */
__kernel void am_fill(__global uint *data)
{
    const size_t i = get_global_id(0); /* beyond 2^32 words the noise begins again */
#ifdef DOUBLE
    data[i] = i & 1u ? 0x3ff00000u | noise((uint)i) >> 12 : noise((uint)i);
#else
    data[i] = 0x3f800000u | noise((uint)i) >> 9;
#endif
}

#define LOAD(k) TAKE(data[(begin + (j + k) * step) & mask])
#define NEXT(x) x = fma(x, times, plus);
#define STEP NEXT(x0) NEXT(x1) NEXT(x2) NEXT(x3)
#define STEPS4 STEP STEP STEP STEP
#define STEPS16 STEPS4 STEPS4 STEPS4 STEPS4

/* Work-items of a group go through one contiguous piece together. */
__kernel void am_intensity(__global const ELEMENT *restrict data, __global uint *restrict out, uint mask, uint key,
                           NUMBER p, NUMBER q)
{
    const uint own = (uint)get_local_id(0), step = (uint)get_local_size(0);
    const uint begin = ((uint)get_global_id(0) - own) * EACH + own;
    const VALUE times = (VALUE)(p), plus = (VALUE)(q);
    SUM sum = (SUM)(0);

    for (uint j = 0; j < EACH; j += 4) {
        VALUE x0 = LOAD(0), x1 = LOAD(1), x2 = LOAD(2), x3 = LOAD(3);
#if STEPS >= 16
        for (uint k = 0; k < STEPS / 16; k++) {
            STEPS16
        }
#elif STEPS >= 4
        for (uint k = 0; k < STEPS / 4; k++) {
            STEPS4
        }
#else
        for (uint k = 0; k < STEPS; k++) {
            STEP
        }
#endif
        sum += AS_SUM(x0) + AS_SUM(x1) + AS_SUM(x2) + AS_SUM(x3);
    }
    out[get_global_id(0)] = fold(sum) ^ key;
}
