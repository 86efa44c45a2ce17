/* SPDX-License-Identifier: MIT */
/* app.stencil in two and three dimensions: DEPTH steps per pass over the grid, which is read once
 * and written once.
 *
 * A work-group has a tile of the planes (2-D: rows) and streams along the last dimension. A
 * work-item has a patch of QX by QY points of the tile and keeps, for each level (the state after
 * 0 to DEPTH - 1 steps), two numbers per point: the newest value, and of the point that is next to
 * be stepped all that does not lie before it. When plane k of level 0 comes in, it completes plane
 * k - 1 of level 1, that plane k - 2 of level 2, and so on: a chain of fused products without any
 * exchange. Then work-items show each other the rims of their patches, AT_ONCE levels at a time,
 * through local memory of two halves in turn: one barrier per exchange.
 *
 * Beyond its tile a work-item sees its own values. What is wrong by that moves one point further
 * with each level, through the halo of HALO_X by HALO_Y points that is not written. Along the
 * stream a group begins DEPTH planes early, and nothing is written before all is right.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), DIM (2, 3), DEPTH, LX and LY (work-items of a
 * group), QX and QY (1, 2, 4: points of each; 2-D: LY = QY = 1), HALO_X and HALO_Y (DEPTH or more;
 * 2-D: HALO_Y = 0), AT_ONCE, AHEAD (1, 2: planes that are under way from memory, one more set of
 * registers each), PACKED (1: nx and HALO_X are multiples of QX, patches are moved by
 * rows). */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define POINTS (QX * QY)
#define ITEMS (LX * LY)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Points of a patch that others look at, and where they lie in local memory. */
#if DIM == 2
#define SLOTS (QX > 1 ? 2 : 1)
#define IS_RIM(x, y) ((x) == 0 || (x) == QX - 1)
#define SLOT(x, y) ((x) == 0 ? 0 : 1)
#elif QY == 1
#define SLOTS QX
#define IS_RIM(x, y) 1
#define SLOT(x, y) (x)
#else
#define ENDS (QX > 1 ? 2 : 1)
#define SLOTS (2 * QX + ENDS * (QY - 2))
#define IS_RIM(x, y) ((y) == 0 || (y) == QY - 1 || (x) == 0 || (x) == QX - 1)
#define SLOT(x, y)                                                                                 \
    ((y) == 0        ? (x)                                                                         \
     : (y) == QY - 1 ? QX + (x)                                                                    \
                     : 2 * QX + ENDS * ((y) - 1) + ((x) == 0 ? 0 : 1))
#endif
#define LEVEL_ELEMENTS (SLOTS * ITEMS)

#if PACKED && QX > 1
#define PACK JOIN(ELEMENT, QX)
#endif

static inline uint am_wrapped(long i, uint n)
{
    const long rest = i % (long)n;

    return (uint)(rest < 0 ? rest + n : rest);
}

/* The patch of the plane at `from`. */
static inline void am_wave_take(__global const ELEMENT *from, const uint *at_x, const uint *at_y,
                                ELEMENT *patch)
{
#pragma unroll
    for (int y = 0; y < QY; y++) {
#ifdef PACK
        const PACK row = *(__global const PACK *)(from + at_y[y] + at_x[0]);

        patch[y * QX] = row.s0;
        patch[y * QX + 1] = row.s1;
#if QX == 4
        patch[y * QX + 2] = row.s2;
        patch[y * QX + 3] = row.s3;
#endif
#else
#pragma unroll
        for (int x = 0; x < QX; x++)
            patch[y * QX + x] = from[at_y[y] + at_x[x]];
#endif
    }
}

/* Of the patch columns own.s0 to own.s1 and rows own.s2 to own.s3 are the group's to write. */
static inline void am_wave_give(__global ELEMENT *to, const uint *at_x, const uint *at_y, int4 own,
                                const ELEMENT *patch)
{
#pragma unroll
    for (int y = 0; y < QY; y++) {
        if (y < own.s2 || y >= own.s3)
            continue;
#ifdef PACK
        if (own.s0 <= 0 && own.s1 >= QX) {
#if QX == 4
            const PACK row = (PACK)(patch[y * QX], patch[y * QX + 1], patch[y * QX + 2],
                                    patch[y * QX + 3]);
#else
            const PACK row = (PACK)(patch[y * QX], patch[y * QX + 1]);
#endif
            *(__global PACK *)(to + at_y[y] + at_x[0]) = row;
        }
#else
#pragma unroll
        for (int x = 0; x < QX; x++) {
            if (x >= own.s0 && x < own.s1)
                to[at_y[y] + at_x[x]] = patch[y * QX + x];
        }
#endif
    }
}

/* What a level's patch shows to others, at this work-item's place of local memory. */
static inline void am_wave_show(__local ELEMENT *here, const ELEMENT *patch)
{
#pragma unroll
    for (int y = 0; y < QY; y++) {
#pragma unroll
        for (int x = 0; x < QX; x++) {
            if (IS_RIM(x, y))
                here[SLOT(x, y) * ITEMS] = patch[y * QX + x];
        }
    }
}

/* A point of a patch or next to it; those beyond it are at the same place of the work-items around.
 */
#define AT(x, y)                                                                                   \
    ((x) < 0     ? left[SLOT(QX - 1, y) * ITEMS]                                                   \
     : (x) >= QX ? right[SLOT(0, y) * ITEMS]                                                       \
     : (y) < 0   ? below[SLOT(x, QY - 1) * ITEMS]                                                  \
     : (y) >= QY ? above[SLOT(x, 0) * ITEMS]                                                       \
                 : patch[(y)*QX + (x)])

/* Adds the neighbours within the plane. In three dimensions those on the left and below make a pair
 * that the point further left and below has on the right and above: it is added once for both. */
static inline void am_wave_add(__local const ELEMENT *left, __local const ELEMENT *right,
                               __local const ELEMENT *below, __local const ELEMENT *above,
                               ELEMENT side, const ELEMENT *patch, ELEMENT *sum)
{
#if DIM == 3
    ELEMENT pair[QY + 1][QX + 1];

#pragma unroll
    for (int y = 0; y <= QY; y++) {
#pragma unroll
        for (int x = 0; x <= QX; x++) {
            if ((x < QX || y > 0) && (x > 0 || y < QY))
                pair[y][x] = AT(x - 1, y) + AT(x, y - 1);
        }
    }
#endif
#pragma unroll
    for (int y = 0; y < QY; y++) {
#pragma unroll
        for (int x = 0; x < QX; x++) {
#if DIM == 3
            const ELEMENT around = pair[y][x] + pair[y + 1][x + 1];
#else
            const ELEMENT around = AT(x - 1, y) + AT(x + 1, y);
#endif
            sum[y * QX + x] = fma(side, around, sum[y * QX + x]);
        }
    }
}

/* A new plane of level 0 ends one of each level; what it leaves in `next` is of level DEPTH. */
static inline void am_wave_chain(ELEMENT side, ELEMENT centre, ELEMENT (*value)[POINTS],
                                 ELEMENT (*sum)[POINTS], ELEMENT *next)
{
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
#pragma unroll
        for (int q = 0; q < POINTS; q++) {
            const ELEMENT newest = next[q];

            next[q] = fma(side, newest, sum[t][q]);
            sum[t][q] = fma(side, value[t][q], centre * newest);
            value[t][q] = newest;
        }
    }
}

/* One pass. A group writes own_x by own_y points of `chunk` planes. */
__kernel __attribute__((reqd_work_group_size(LX, LY, 1))) void
am_wave_pass(__global const ELEMENT *restrict u, __global ELEMENT *restrict v, uint nx, uint ny,
             uint nz, uint own_x, uint own_y, uint chunk, ELEMENT side, ELEMENT centre)
{
    __local ELEMENT rims[2 * AT_ONCE * LEVEL_ELEMENTS];
    const int lx = get_local_id(0), ly = get_local_id(1), item = ly * LX + lx;
    const int left = lx > 0 ? item - 1 : item, right = lx + 1 < LX ? item + 1 : item;
    const int below = ly > 0 ? item - LX : item, above = ly + 1 < LY ? item + LX : item;
    const int in_x = lx * QX - HALO_X, in_y = ly * QY - HALO_Y; /* of what the group writes */
    const long first_x = (long)get_group_id(0) * own_x, first_y = (long)get_group_id(1) * own_y;
    const int end_x = min((long)own_x, (long)nx - first_x), end_y = min((long)own_y, ny - first_y);
    const uint first_z = get_group_id(2) * chunk, planes = min(chunk, nz - first_z) + 2 * DEPTH;
    const int4 own = (int4)(-in_x, end_x - in_x, -in_y, end_y - in_y);
    const size_t plane = (size_t)nx * ny;
    __global ELEMENT *to = v + first_z * plane;
    ELEMENT value[DEPTH][POINTS], sum[DEPTH][POINTS], next[POINTS];
#if AHEAD == 2
    ELEMENT later[POINTS];
#endif
    uint at_x[QX], at_y[QY], z = am_wrapped((long)first_z - DEPTH, nz), turn = 0;

#pragma unroll
    for (int x = 0; x < QX; x++)
        at_x[x] = am_wrapped(first_x + in_x + x, nx);
#pragma unroll
    for (int y = 0; y < QY; y++)
        at_y[y] = am_wrapped(first_y + in_y + y, ny) * nx;
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
#pragma unroll
        for (int q = 0; q < POINTS; q++)
            value[t][q] = sum[t][q] = 0;
    }
    am_wave_take(u + z * plane, at_x, at_y, next);
#if AHEAD == 2
    z = z + 1 < nz ? z + 1 : 0;
    am_wave_take(u + z * plane, at_x, at_y, later);
#endif
#pragma unroll 1
    for (uint k = 0; k < planes; k++) {
        am_wave_chain(side, centre, value, sum, next);
        if (k >= 2 * DEPTH) {
            am_wave_give(to, at_x, at_y, own, next);
            to += plane;
        }
        z = z + 1 < nz ? z + 1 : 0;
#if AHEAD == 1
        am_wave_take(u + z * plane, at_x, at_y, next); /* is there when the exchanges are done */
#endif
#pragma unroll
        for (int from = 0; from < DEPTH; from += AT_ONCE) {
            __local ELEMENT *const rim = rims + turn * AT_ONCE * LEVEL_ELEMENTS;

#pragma unroll
            for (int t = from; t < from + AT_ONCE; t++) {
                if (t < DEPTH)
                    am_wave_show(rim + (t - from) * LEVEL_ELEMENTS + item, value[t < DEPTH ? t : 0]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (int t = from; t < from + AT_ONCE; t++) {
                __local const ELEMENT *const there = rim + (t - from) * LEVEL_ELEMENTS;

                if (t < DEPTH)
                    am_wave_add(there + left, there + right, there + below, there + above, side,
                                value[t < DEPTH ? t : 0], sum[t < DEPTH ? t : 0]);
            }
            turn ^= 1;
        }
#if AHEAD == 2 /* a whole turn of the loop until it is needed */
#pragma unroll
        for (int q = 0; q < POINTS; q++)
            next[q] = later[q];
        am_wave_take(u + z * plane, at_x, at_y, later);
#endif
    }
}
