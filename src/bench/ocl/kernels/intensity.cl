/* SPDX-License-Identifier: MIT */
/* ocl.intensity: elements of 16 bytes are read, and fused multiply-adds are made of each.
 *
 * DOUBLE   elements are two doubles; else four floats
 * USED     numbers of an element with which is computed; where fewer than it has, the others are
 *          joined to them bit by bit, which costs no operation on numbers
 * STEPS    fused multiply-adds of each of them, one after another: a power of two
 * EACH     elements of a work-item
 *
 * Numbers lie from 1 to 2, and whatever bits of two such are joined gives another. A step is
 * x * p + q, exactly rounded: the host has the same bits. They are added up as whole numbers. */
#pragma OPENCL FP_CONTRACT OFF

#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define NUMBER double
#define ELEMENT double2
#if USED == 2
#define VALUE double2
#define SUM ulong2
#define AS_SUM as_ulong2
#define TAKE(e) (e)
#define FOLD(s) ((uint)((s).x ^ (s).x >> 32) + (uint)((s).y ^ (s).y >> 32))
#else
#define VALUE double
#define SUM ulong
#define AS_SUM as_ulong
#define TAKE(e) as_double(as_ulong((e).x) | as_ulong((e).y))
#define FOLD(s) ((uint)((s) ^ (s) >> 32))
#endif
#else
#define NUMBER float
#define ELEMENT float4
#define JOINED(e) (as_uint2((e).lo) | as_uint2((e).hi))
#if USED == 4
#define VALUE float4
#define SUM uint4
#define AS_SUM as_uint4
#define TAKE(e) (e)
#define FOLD(s) ((s).x + (s).y + (s).z + (s).w)
#elif USED == 2
#define VALUE float2
#define SUM uint2
#define AS_SUM as_uint2
#define TAKE(e) as_float2(JOINED(e))
#define FOLD(s) ((s).x + (s).y)
#else
#define VALUE float
#define SUM uint
#define AS_SUM as_uint
#define TAKE(e) as_float(JOINED(e).x | JOINED(e).y)
#define FOLD(s) (s)
#endif
#endif

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
    const uint i = get_global_id(0);
#ifdef DOUBLE
    data[i] = i & 1u ? 0x3ff00000u | noise(i) >> 12 : noise(i);
#else
    data[i] = 0x3f800000u | noise(i) >> 9;
#endif
}

#define STEP x = fma(x, p, q);
#define STEPS4 STEP STEP STEP STEP
#define STEPS16 STEPS4 STEPS4 STEPS4 STEPS4

/* Work-items of a group go through one contiguous piece together. */
__kernel void am_intensity(__global const ELEMENT *restrict data, __global uint *restrict out, uint mask, uint key,
                           NUMBER p, NUMBER q)
{
    const uint own = (uint)get_local_id(0), step = (uint)get_local_size(0);
    const uint begin = ((uint)get_global_id(0) - own) * EACH + own;
    SUM sum = 0;

    for (uint j = 0; j < EACH; j++) {
        VALUE x = TAKE(data[(begin + j * step) & mask]);
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
        sum += AS_SUM(x);
    }
    out[get_global_id(0)] = FOLD(sum) ^ key;
}
