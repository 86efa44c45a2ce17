/* SPDX-License-Identifier: MIT */
/* app.stencil in two and three dimensions: one step of all points per launch, as near to the rate of
 * memory as that can be; and that rate itself: one array copied to the other.
 *
 * A work-item has VX by ROWS points of a plane (2-D: of a row) and goes along the last dimension,
 * `chunk` planes far. Its points of the planes before, here and behind stay in registers, so that a
 * plane is read once; what lies beside them comes from cache. Sums and products in the order of
 * stencil_grid.cl: the same bits.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), DIM (2, 3), VX (1, 2, 4; nx is a multiple), ROWS
 * (1 and more; 2-D: 1), UNROLL (planes of the loop's body: with multiples of three, or all of the chunk, no
 * register is copied). */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if VX == 1
#define PACK ELEMENT
#define FROM_LEFT(row, left) (left)
#define FROM_RIGHT(row, right) (right)
#elif VX == 2
#define PACK JOIN(ELEMENT, 2)
#define FROM_LEFT(row, left) (PACK)(left, (row).s0)
#define FROM_RIGHT(row, right) (PACK)((row).s1, right)
#else
#define PACK JOIN(ELEMENT, 4)
#define FROM_LEFT(row, left) (PACK)(left, (row).s0, (row).s1, (row).s2)
#define FROM_RIGHT(row, right) (PACK)((row).s1, (row).s2, (row).s3, right)
#endif
#define COPY_VX (WIDE ? 2 : 4) /* 16 bytes */
#if WIDE
#define COPY_PACK double2
#else
#define COPY_PACK float4
#endif
#define ALL(x) ((PACK)(x))
enum { BEFORE, HERE, BEHIND, TAKEN }; /* planes in registers */

/* Where the points of a work-item lie in a plane, and those beside them. */
struct places {
    uint row[ROWS + 2]; /* the first and the last are of others */
    uint x, left, right;
};

static inline struct places am_sweep_places(uint x, uint y, uint nx, uint ny)
{
    struct places at = {.x = x, .left = (x ? x : nx) - 1, .right = x + VX < nx ? x + VX : 0};

#pragma unroll
    for (uint r = 0; r < ROWS + 2; r++)
        at.row[r] = (DIM == 3 ? (y + ny - 1 + r) % ny : 0) * nx;
    return at;
}

static inline void am_sweep_take(__global const ELEMENT *from, const struct places *at, PACK *rows)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        rows[r] = *(__global const PACK *)(from + at->row[r + 1] + at->x);
}

/* The points of the plane `here`, which is `from`, a step later; the first `rows` of them are written. */
static inline void am_sweep_plane(__global const ELEMENT *from, __global ELEMENT *to,
                                  const struct places *at, uint rows, PACK (*plane)[ROWS],
                                  ELEMENT side, ELEMENT centre)
{
    const PACK *const before = plane[BEFORE], *const here = plane[HERE], *const behind = plane[BEHIND];
#if DIM == 3
    const PACK below = *(__global const PACK *)(from + at->row[0] + at->x);
    const PACK above = *(__global const PACK *)(from + at->row[ROWS + 1] + at->x);
#endif

#pragma unroll
    for (uint r = 0; r < ROWS; r++) {
        const uint row = at->row[r + 1];
        const PACK left = FROM_LEFT(here[r], from[row + at->left]);
        const PACK right = FROM_RIGHT(here[r], from[row + at->right]);
        PACK around = left + right, sum;

#if DIM == 3
        around = (left + (r ? here[r ? r - 1 : 0] : below)) +
                 (right + (r + 1 < ROWS ? here[r + 1 < ROWS ? r + 1 : 0] : above));
#endif
        sum = fma(ALL(side), before[r], centre * here[r]);
        sum = fma(ALL(side), around, sum);
        sum = fma(ALL(side), behind[r], sum);
        if (r < rows)
            *(__global PACK *)(to + row + at->x) = sum;
    }
}

/* Planes beyond the last of the chunk are read and stepped like others, so that loads wait for no
 * condition, but not written. */
__kernel void am_sweep_step(__global const ELEMENT *restrict u, __global ELEMENT *restrict v, uint nx,
                            uint ny, uint nz, uint chunk, ELEMENT side, ELEMENT centre)
{
    const uint x = get_global_id(0) * VX, y = get_global_id(1) * ROWS;
    const uint first = get_global_id(2) * chunk, end = min(first + chunk, nz);
    const size_t plane = (size_t)nx * ny; /* has less than 2^32 points */
    const struct places at = am_sweep_places(x, y, nx, ny);
    uint z = (first ? first : nz) - 1; /* of the plane that is taken next */
    PACK taken[TAKEN][ROWS];

    if (x >= nx || y >= ny)
        return;
#pragma unroll
    for (int t = BEFORE; t < BEHIND; t++, z = z + 1 < nz ? z + 1 : 0)
        am_sweep_take(u + z * plane, &at, taken[t]);
#pragma unroll 1
    for (uint k = first; k < end; k += UNROLL) {
#pragma unroll
        for (uint i = 0; i < UNROLL; i++, z = z + 1 < nz ? z + 1 : 0) {
            const bool within = UNROLL == 1 || k + i < end;
            const size_t here = (within ? k + i : k) * plane;

            am_sweep_take(u + z * plane, &at, taken[BEHIND]);
            am_sweep_plane(u + here, v + here, &at, within ? ny - y : 0, taken, side, centre);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                taken[BEFORE][r] = taken[HERE][r];
                taken[HERE][r] = taken[BEHIND][r];
            }
        }
    }
}

/* All points of one array to the other: 16 bytes by each work-item, and what is no multiple of them by the
 * first ones. */
__kernel void am_sweep_copy(__global const ELEMENT *restrict u, __global ELEMENT *restrict v, uint points)
{
    const uint at = get_global_id(0), packs = points / COPY_VX;
    const uint rest = packs * COPY_VX + at;

    if (at < packs)
        ((__global COPY_PACK *)v)[at] = ((__global const COPY_PACK *)u)[at];
    if (at < COPY_VX && rest < points)
        v[rest] = u[rest];
}
