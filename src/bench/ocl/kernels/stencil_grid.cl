/* SPDX-License-Identifier: MIT */
/* app.stencil in two and three dimensions: how a grid begins, plain steps, and whether two grids are
 * alike. Periodic; points lie densely, x fastest.
 *
 * The last dimension is the one that waves stream along: `nz` of the kernels. A grid of two
 * dimensions is nx by 1 by nz.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), DIM (2, 3). */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* One step of all points, a work-item each. Sums and products in the order of stencil_wave.cl: what
 * both make has the same bits. */
__kernel void am_grid_sweep(__global const ELEMENT *restrict u, __global ELEMENT *restrict v,
                            uint nx, uint ny, uint nz, ELEMENT side, ELEMENT centre)
{
    const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t plane = (size_t)nx * ny;
    __global const ELEMENT *const here = u + z * plane;
    __global const ELEMENT *const before = u + ((z ? z : nz) - 1) * plane;
    __global const ELEMENT *const behind = u + (z + 1 < nz ? z + 1 : 0) * plane;
    const uint row = y * nx, at = row + x; /* a plane has less than 2^32 points */
    ELEMENT around, sum;

    if (x >= nx || y >= ny)
        return;
#if DIM == 3
    around = (here[row + (x ? x : nx) - 1] + here[((y ? y : ny) - 1) * nx + x]) +
             (here[row + (x + 1 < nx ? x + 1 : 0)] + here[(y + 1 < ny ? y + 1 : 0) * nx + x]);
#else
    around = here[row + (x ? x : nx) - 1] + here[row + (x + 1 < nx ? x + 1 : 0)];
#endif
    sum = fma(side, before[at], centre * here[at]);
    sum = fma(side, around, sum);
    v[z * plane + at] = fma(side, behind[at], sum);
}

/* The state at step 0 (bench/apps/grid_check.h): a line along each dimension, and cosines. Both are
 * nx, ny, nz values one after the other. */
__kernel void am_grid_begin(__global ELEMENT *u, __global const ELEMENT *line,
                            __global const ELEMENT *cosine, uint nx, uint ny, uint nz,
                            ELEMENT level, ELEMENT amplitude)
{
    const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const uint in_y = nx + y, in_z = nx + ny + z;

    if (x < nx && y < ny)
        u[((size_t)z * ny + y) * nx + x] =
            level + line[x] + line[in_y] + line[in_z] +
            amplitude * cosine[x] * cosine[in_y] * cosine[in_z];
}

/* found[0]: how many points differ; found[1]: the first of them. Any number of work-items. */
__kernel void am_grid_differ(__global const ELEMENT *u, __global const ELEMENT *v, uint points,
                             __global uint *found)
{
    for (size_t i = get_global_id(0); i < points; i += get_global_size(0)) {
        if (!(u[i] == v[i])) {
            atomic_inc(&found[0]);
            atomic_min(&found[1], (uint)i);
        }
    }
}
