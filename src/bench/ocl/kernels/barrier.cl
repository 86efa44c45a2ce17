/* SPDX-License-Identifier: MIT */
/* ocl.barrier: the work-items of a group hand their values round a ring, a barrier per step.
 *
 * Two rings in turn: whoever is ahead writes into one while others may still read the other, and one
 * barrier per step is enough. After so many steps each has the value of who is as many places before
 * it, and one more per step: a barrier that did not hold, or a step too few, leaves another. */
/* -DGROUP=size: drivers allow larger groups of a kernel that says how large they are */

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void am_barrier(__global uint *out, uint turns, uint seed)
{
    __local uint ring[2][GROUP];
    const uint n = (uint)get_local_size(0), own = (uint)get_local_id(0);
    const uint next = own + 1u == n ? 0u : own + 1u;
    uint x = seed + (uint)get_global_id(0);

    for (uint i = 0; i < turns; i++) {
        ring[i & 1u][next] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = ring[i & 1u][own] + 1u;
    }
    out[get_global_id(0)] = x;
}
