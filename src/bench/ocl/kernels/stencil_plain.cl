/* SPDX-License-Identifier: MIT */
/* app.stencil, plainly: one step of all points from one array to another, a work-item per point.
 * Point i is element i + 1; elements 0 and n + 1 repeat the points at the other end.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), FORM (0: paper, 1: scaled, 2: centred). */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#if FORM == 0
#define NEXT(x0, x1, x2) fma(side, (x0) + (x2), centre * (x1))
#elif FORM == 1
#define NEXT(x0, x1, x2) (fma(centre, (x1), (x0)) + (x2))
#else
#define NEXT(x0, x1, x2) fma(side, (x0) + (x2), (x1))
#endif

/* Loads never depend on a condition: compilers for CPUs may make vectors of work-items. */
#define STEP(next)                                                                                 \
    const size_t i = get_global_id(0);                                                             \
    const ELEMENT x = next;                                                                        \
                                                                                                   \
    if (i < n)                                                                                     \
        v[i + 1] = x;                                                                              \
    if (i == 0)                                                                                    \
        v[n + 1] = x;                                                                              \
    if (i + 1 == n)                                                                                \
        v[0] = x;

__kernel void am_stencil_step(__global const ELEMENT *restrict u, __global ELEMENT *restrict v,
                              ulong n, ELEMENT side, ELEMENT centre)
{
    STEP(NEXT(u[i], u[i + 1], u[i + 2]))
}

/* The same of a state whose scale is undone on the way: both other forms are then the paper's. */
__kernel void am_stencil_rescale(__global const ELEMENT *restrict u, __global ELEMENT *restrict v,
                                 ulong n, ELEMENT side, ELEMENT centre)
{
    STEP(fma(side, u[i] + u[i + 2], centre * u[i + 1]))
}

/* All elements, those beyond n + 1 included: ordinary numbers. */
__kernel void am_stencil_begin(__global ELEMENT *u, ulong n)
{
    const ulong i = get_global_id(0);
    const ulong point = i == 0 ? n - 1 : i == n + 1 ? 0 : i - 1;
    const uint noise = (uint)(point ^ point >> 20) * 2654435761u >> 8;

    u[i] = (ELEMENT)noise * (ELEMENT)0x1p-24f;
}
