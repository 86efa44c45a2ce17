/* SPDX-License-Identifier: MIT */
/* app.stencil on data that stay where the work is: many small grids, all alike, each stepped in the registers
 * of one work-item or in the local memory of one work-group. Point i of grid c is element i * grids + c.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), POINTS of a grid. */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define NEXT(x0, x1, x2) fma(side, (x0) + (x2), centre * (x1))

#if POINTS <= 64
/* Loops over points are written out, or the array could not be registers. */
__kernel void am_resident_registers(__global ELEMENT *u, uint steps, ELEMENT side, ELEMENT centre)
{
    const size_t grid = get_global_id(0), grids = get_global_size(0);
    ELEMENT x[POINTS];

#pragma unroll
    for (uint i = 0; i < POINTS; i++)
        x[i] = u[i * grids + grid];
    for (uint t = 0; t < steps; t++) {
        const ELEMENT first = x[0];
        ELEMENT before = x[POINTS - 1];

#pragma unroll
        for (uint i = 0; i < POINTS - 1; i++) {
            const ELEMENT old = x[i];

            x[i] = NEXT(before, old, x[i + 1]);
            before = old;
        }
        x[POINTS - 1] = NEXT(before, x[POINTS - 1], first);
    }
#pragma unroll
    for (uint i = 0; i < POINTS; i++)
        u[i * grids + grid] = x[i];
}
#endif

/* `both` has two arrays of POINTS + 2: the first and the last element repeat the points at the other end. */
__kernel void am_resident_local(__global ELEMENT *u, uint steps, ELEMENT side, ELEMENT centre,
                                __local ELEMENT *both)
{
    const size_t grid = get_group_id(0), grids = get_num_groups(0);
    const uint first = get_local_id(0), apart = get_local_size(0);
    __local ELEMENT *from = both, *to = both + POINTS + 2;

    for (uint i = first; i < POINTS + 2; i += apart)
        from[i] = u[(i + POINTS - 1) % POINTS * grids + grid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = 0; t < steps; t++) {
        __local ELEMENT *const last = from;

        for (uint i = first; i < POINTS; i += apart) {
            const ELEMENT x = NEXT(from[i], from[i + 1], from[i + 2]);

            to[i + 1] = x;
            if (i == 0)
                to[POINTS + 1] = x;
            if (i == POINTS - 1)
                to[0] = x;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        from = to;
        to = last;
    }
    for (uint i = first; i < POINTS; i += apart)
        u[i * grids + grid] = from[i + 1];
}

__kernel void am_resident_begin(__global ELEMENT *u, ulong grids)
{
    const ulong at = get_global_id(0), point = at / grids;
    const uint noise = (uint)(point ^ point >> 20) * 2654435761u >> 8;

    u[at] = (ELEMENT)noise * (ELEMENT)0x1p-24f;
}
