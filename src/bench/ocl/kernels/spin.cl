/* SPDX-License-Identifier: MIT */
/* Work that takes time and nothing else: one chain of whole numbers, which nobody can shorten. */
__kernel void am_spin(__global uint *out, uint turns)
{
    uint x = (uint)get_global_id(0) + 1u;

    for (uint i = 0; i < turns; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    out[get_global_id(0)] = x;
}
