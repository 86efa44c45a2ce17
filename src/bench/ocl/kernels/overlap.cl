/* SPDX-License-Identifier: MIT */
/* ocl.overlap: work of the device beside transfers, in units or in memory. */

/* A chain of whole numbers per work-item, which nobody can shorten. */
__kernel void am_compute(__global uint *out, uint turns, __global uint4 *data, uint mask)
{
    uint x = (uint)get_global_id(0) + 1u;

    for (uint i = 0; i < turns; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    out[get_global_id(0)] = x;
}

/* Each turn adds 1 to every word of another place; `mask` is the number of places less one. */
__kernel void am_memory(__global uint *out, uint turns, __global uint4 *data, uint mask)
{
    const uint items = (uint)get_global_size(0);
    uint at = (uint)get_global_id(0);

    for (uint i = 0; i < turns; i++) {
        data[at & mask] += 1u;
        at += items;
    }
    out[get_global_id(0)] = at;
}
