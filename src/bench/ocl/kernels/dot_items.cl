/* SPDX-License-Identifier: MIT */
/* ocl.dot: products of four signed bytes by four, summed, by every work-item for itself.
 *
 * WAY            0: multiplications and additions of bytes   1: cl_khr_integer_dot_product
 *                2: NVIDIA's dp4a
 * ROWS, COLUMNS  operands of either side: each turn makes ROWS x COLUMNS dot products
 *
 * The operands of one side change in every turn by additions whose carries cross the bytes, so that no
 * product can be moved out of the loop. Sums wrap. One word per work-item is left, to which every sum
 * contributes. */
#define FACTOR 2654435761u

uint noise(uint word)
{
    word = (word + 1) * FACTOR;
    word ^= word >> 15;
    word *= 2246822519u;
    return word ^ word >> 13;
}

#if WAY == 1
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#define ADD_DOT(sum, x, y) sum += (uint)dot_4x8packed_ss_int(x, y)
#elif WAY == 2
#define ADD_DOT(sum, x, y) \
    __asm__("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(y))
#else
#define BYTE(x, i) ((int)(char)((x) >> 8 * (i)))
#define ADD_DOT(sum, x, y) \
    sum += (uint)(BYTE(x, 0) * BYTE(y, 0) + BYTE(x, 1) * BYTE(y, 1) + BYTE(x, 2) * BYTE(y, 2) + \
                  BYTE(x, 3) * BYTE(y, 3))
#endif

__kernel void am_dot_items(__global uint *restrict out, uint key, uint turns)
{
    const uint first = key + (uint)get_global_id(0) * 64u;
    uint x[ROWS], y[COLUMNS], step[COLUMNS], sums[ROWS * COLUMNS], left = 0;

#pragma unroll
    for (uint r = 0; r < ROWS; r++)
        x[r] = noise(first + r);
#pragma unroll
    for (uint c = 0; c < COLUMNS; c++) {
        y[c] = noise(first + 16u + c);
        step[c] = noise(first + 32u + c);
    }
#pragma unroll
    for (uint k = 0; k < ROWS * COLUMNS; k++)
        sums[k] = 0;
    for (uint i = 0; i < turns; i++) {
#pragma unroll
        for (uint c = 0; c < COLUMNS; c++) {
            y[c] += step[c];
#pragma unroll
            for (uint r = 0; r < ROWS; r++)
                ADD_DOT(sums[r * COLUMNS + c], x[r], y[c]);
        }
    }
#pragma unroll
    for (uint k = 0; k < ROWS * COLUMNS; k++)
        left = left * 31u + sums[k];
    out[get_global_id(0)] = left;
}
