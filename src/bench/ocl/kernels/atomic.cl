/* SPDX-License-Identifier: MIT */
/* ocl.atomic: additions to counters that work-items share, or have for themselves.
 *
 * What is added is an argument: some devices have shorter ways to add 1. `spread` words lie between the counters of neighbours, `sharing` neighbours have one: all of them
 * (one counter), a work-group, or one. */
#define ADD4(p) \
    atomic_add(p, by); \
    atomic_add(p, by); \
    atomic_add(p, by); \
    atomic_add(p, by);

/* Counters keep what earlier launches have added. */
__kernel void am_atomic_global(__global uint *counters, uint turns, uint sharing, uint spread,
                               uint by)
{
    __global uint *const own = counters + get_global_id(0) / sharing * spread;

    for (uint i = 0; i < turns; i++) {
        ADD4(own)
    }
}

#define AREA 1024u

__kernel void am_atomic_local(__global uint *out, uint turns, uint sharing, uint spread, uint by)
{
    __local uint area[AREA];
    const uint at = (uint)get_local_id(0) / sharing * spread;

    for (uint i = get_local_id(0); i < AREA; i += get_local_size(0))
        area[i] = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < turns; i++) {
        ADD4(&area[at])
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = area[at];
}

/* One work-item: what an addition brings back tells where the next one goes. `zero` is 0, which nobody
 * knows when this is compiled. */
#define CHAIN x = atomic_add(counters + (x & zero), 1u);

__kernel void am_atomic_chain(__global uint *counters, uint turns, uint zero)
{
    uint x = 0;

    for (uint i = 0; i < turns; i++) {
        CHAIN CHAIN CHAIN CHAIN
    }
    counters[1] = x;
}
