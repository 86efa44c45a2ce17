/* SPDX-License-Identifier: MIT */
/* ocl.scale: a vector addition in which each work-item has one contiguous share. */

__kernel void am_fill(__global float *a, __global float *b, uint n)
{
    const uint i = get_global_id(0);

    if (i >= n)
        return;
    a[i] = (float)(i * 2654435761u >> 20);
    b[i] = (float)(i * 2246822519u >> 20);
}

__kernel void am_add(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, ulong n, ulong share)
{
    const ulong begin = get_global_id(0) * share;
    const ulong end = min(begin + share, n);

    for (ulong i = begin; i < end; i++)
        c[i] = a[i] + b[i];
}
