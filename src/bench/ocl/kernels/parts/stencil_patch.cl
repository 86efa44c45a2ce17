/* SPDX-License-Identifier: MIT */
/* app.stencil in two and three dimensions: what a work-item does with its patch of one level, and with
 * its neighbours. Comes before stencil_wave.cl in one program, and has its -D. */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifndef WEIGHTS
#define WEIGHTS , ELEMENT side, ELEMENT centre
#define W_CENTRE centre
#define W_LEFT side
#define W_RIGHT side
#define W_BELOW side
#define W_ABOVE side
#define W_BEFORE side
#define W_BEHIND side
#define ALIKE 1
#define SIDE_X 0
#define SIDE_Y 0
#define SIDE_Z 0
#define FIXED_X 0
#define FIXED_Y 0
#define FIXED_Z 0
#define SECOND 0
#define W_PAST 0
#endif

#if SECOND
#define PAST , __global const ELEMENT *restrict past, __global ELEMENT *restrict past_to
#else
#define PAST
#endif

#if LANES && PACKED && !SECOND && defined(__NV_CL_C_VERSION)
#define SHUFFLED 1
#undef AT_ONCE
#define AT_ONCE DEPTH
#else
#define SHUFFLED 0
#endif

#define POINTS (QX * QY)
#define ITEMS (LX * LY)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Points of a patch that others look at, and where they lie in local memory. */
#if SHUFFLED
#define SLOTS (2 * QX)
#elif DIM == 2
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
#define LEVEL_ELEMENTS (SLOTS * (ITEMS - SHUFFLED * LX)) /* no warp sees the outermost rims */
#define HALVES (SHUFFLED ? 1 : 2)
#define SLOTS_OF_TURN ((DEPTH + AT_ONCE - 1) / AT_ONCE)

/* What a patch sees of the patches around: a number per point of its sides. */
#define AROUND (2 * QY + (DIM == 3 ? 2 * QX : 0))
#define LEFT(y) (y)
#define RIGHT(y) (QY + (y))
#define BELOW(x) (2 * QY + (x))
#define ABOVE(x) (2 * QY + QX + (x))

#if PACKED && QX > 1
#define PACK JOIN(ELEMENT, QX)
#if QX == 4
#define AS_PACK(p) (PACK)((p)[0], (p)[1], (p)[2], (p)[3])
#define UNPACK(p, row) (p)[0] = row.s0, (p)[1] = row.s1, (p)[2] = row.s2, (p)[3] = row.s3
#else
#define AS_PACK(p) (PACK)((p)[0], (p)[1])
#define UNPACK(p, row) (p)[0] = row.s0, (p)[1] = row.s1
#endif
#endif

enum { PERIODIC, FIXED, MIRROR };

/* Where place i of a dimension lies. Beyond sides that are not periodic it does not matter, as long
 * as something lies there: `grain` points. */
static inline uint am_placed(long i, uint n, int side, uint grain)
{
    const long rest = i % (long)n;

    if (side != PERIODIC)
        return i < 0 ? 0 : i < n ? (uint)i : n - grain;
    return (uint)(rest < 0 ? rest + n : rest);
}

/* What is the same for all levels of a pass. */
struct am_wave {
    ELEMENT centre, left, right, below, above, before, behind, past; /* weights */
    long x, y, nx, ny, nz; /* the patch's first point; points of the grid */
};

#if PINNED == 1
#define SOURCE __global volatile const
#define RESTRICT
#else
#define SOURCE __global const
#define RESTRICT restrict
#endif

/* The patch of the plane at `from`. */
static inline void am_wave_take(SOURCE ELEMENT *from, const uint *at_x, const uint *at_y,
                                ELEMENT *patch)
{
#pragma unroll
    for (int y = 0; y < QY; y++) {
#ifdef PACK
        const PACK row = *(SOURCE PACK *)(from + at_y[y] + at_x[0]);

        UNPACK(patch + y * QX, row);
#else
#pragma unroll
        for (int x = 0; x < QX; x++)
            patch[y * QX + x] = from[at_y[y] + at_x[x]];
#endif
    }
}

#if SHUFFLED
#define STAGE_ELEMENTS (ITEMS * POINTS) /* of a plane that is under way */

/* The patch of the plane at `from` comes to `stage`, by rows of all work-items. */
static inline void am_wave_order(__global const ELEMENT *from, const uint *at_x, const uint *at_y,
                                 __local ELEMENT *stage)
{
#pragma unroll
    for (int y = 0; y < QY; y++)
        __asm__ volatile("{ .reg .u64 at; mad.wide.u32 at, %2, %3, %1; "
                         "cp.async.ca.shared.global.L2::256B [%0], [at], %4; }"
                         :
                         : "r"((uint)(ulong)(stage + y * ITEMS * QX)), "l"((ulong)from),
                           "r"(at_y[y] + at_x[0]), "n"(sizeof(ELEMENT)), "n"(sizeof(PACK))
                         : "memory");
    __asm__ volatile("cp.async.commit_group;" : : : "memory");
}

/* The oldest patch that was ordered. */
static inline void am_wave_receive(__local const ELEMENT *stage, ELEMENT *patch)
{
    __asm__ volatile("cp.async.wait_group %0;" : : "n"(AHEAD - 1) : "memory");
#pragma unroll
    for (int y = 0; y < QY; y++) {
        const PACK row = *(__local const PACK *)(stage + y * ITEMS * QX);

        UNPACK(patch + y * QX, row);
    }
}
#else
static inline void am_wave_had(const ELEMENT *fresh, const ELEMENT *fresh_older, ELEMENT *next,
                               ELEMENT *older)
{
#pragma unroll
    for (int q = 0; q < POINTS; q++) {
        next[q] = fresh[q];
        older[q] = SECOND ? fresh_older[q] : 0;
    }
}
#endif

/* The same patch comes into cache, where a device can do that. */
static inline void am_wave_fetch(__global const ELEMENT *from, const uint *at_x, const uint *at_y)
{
#if FETCH
#pragma unroll
    for (int y = 0; y < QY; y++) {
#ifdef __NV_CL_C_VERSION
        __asm__ volatile("prefetch.global.L2 [%0];" : : "l"((ulong)(from + at_y[y] + at_x[0])));
#else
        prefetch(from + at_y[y] + at_x[0], 1);
#endif
    }
#endif
}

/* Of the patch columns own.s0 to own.s1 and rows own.s2 to own.s3 are the group's to write: a bit per
 * point, so that one register holds it during the pass. */
static inline uint am_wave_owned(int4 own)
{
    uint owned = 0;

#pragma unroll
    for (int q = 0; q < POINTS; q++) {
        const int x = q % QX, y = q / QX;

        if (x >= own.s0 && x < own.s1 && y >= own.s2 && y < own.s3)
            owned |= 1u << q;
    }
    return owned;
}

static inline void am_wave_give(__global ELEMENT *to, const uint *at_x, const uint *at_y,
                                uint owned, const ELEMENT *patch)
{
#pragma unroll
    for (int y = 0; y < QY; y++) {
#ifdef PACK
        const uint whole = (1u << QX) - 1;

        if ((owned >> y * QX & whole) == whole)
            *(__global PACK *)(to + at_y[y] + at_x[0]) = AS_PACK(patch + y * QX);
#else
#pragma unroll
        for (int x = 0; x < QX; x++) {
            if (owned & 1u << (y * QX + x))
                to[at_y[y] + at_x[x]] = patch[y * QX + x];
        }
#endif
    }
}

/* What a level's patch shows to others. */
static inline void am_wave_show(__local ELEMENT *rim, uint item, const ELEMENT *patch)
{
#if SHUFFLED
    __local PACK *const rows = (__local PACK *)rim;

    if (item >= LX)
        rows[item - LX] = AS_PACK(patch);
    if (item < ITEMS - LX)
        rows[ITEMS - LX + item] = AS_PACK(patch + (QY - 1) * QX);
#else
#pragma unroll
    for (int y = 0; y < QY; y++) {
#pragma unroll
        for (int x = 0; x < QX; x++) {
            if (IS_RIM(x, y))
                rim[SLOT(x, y) * ITEMS + item] = patch[y * QX + x];
        }
    }
#endif
}

/* The work-items around; those at the end of a tile are their own neighbours. */
struct beside {
    uint left, right, below, above;
};

/* x of the lane before (UP) or behind (DOWN); the first and the last see themselves. */
#define UP "shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;"
#define DOWN "shfl.sync.down.b32 %0, %1, 1, 31, 0xffffffff;"
#if WIDE
#define PASS(way, to, x)                                                                           \
    {                                                                                              \
        const uint2 own = as_uint2(x);                                                             \
        uint low, high;                                                                            \
        __asm__ volatile(way : "=r"(low) : "r"(own.s0));                                           \
        __asm__ volatile(way : "=r"(high) : "r"(own.s1));                                          \
        to = as_double((uint2)(low, high));                                                        \
    }
#else
#define PASS(way, to, x) __asm__ volatile(way : "=f"(to) : "f"(x));
#endif

/* What a level's patch sees of the others through local memory. */
static inline void am_wave_see(__local const ELEMENT *rim, struct beside to, ELEMENT *around)
{
#if SHUFFLED
    __local const PACK *const rows = (__local const PACK *)rim;
    const PACK below = rows[ITEMS - LX + to.below], above = rows[to.above - LX];

    UNPACK(around + BELOW(0), below);
    UNPACK(around + ABOVE(0), above);
#else
#pragma unroll
    for (int y = 0; y < QY; y++) {
        around[LEFT(y)] = rim[SLOT(QX - 1, y) * ITEMS + to.left];
        around[RIGHT(y)] = rim[SLOT(0, y) * ITEMS + to.right];
    }
#if DIM == 3
#pragma unroll
    for (int x = 0; x < QX; x++) {
        around[BELOW(x)] = rim[SLOT(x, QY - 1) * ITEMS + to.below];
        around[ABOVE(x)] = rim[SLOT(x, 0) * ITEMS + to.above];
    }
#endif
#endif
}

/* A point of a patch or next to it. */
#define AT(x, y)                                                                                   \
    ((x) < 0     ? around[LEFT(y)]                                                                 \
     : (x) >= QX ? around[RIGHT(y)]                                                                \
     : (y) < 0   ? around[BELOW(x)]                                                                \
     : (y) >= QY ? around[ABOVE(x)]                                                                \
                 : patch[(y)*QX + (x)])

/* Beyond a mirror lies the point itself. */
#define TURNED(d, at_end, beside) (JOIN(SIDE_, d) == MIRROR && (at_end) ? patch[q] : (beside))

/* Adds the neighbours within the plane to rows `from` to `to`; `around` has what comes through local
 * memory. In three dimensions those on the left and below make a pair that the point further left and
 * below has on the right and above: it is added once for both. */
static inline void am_wave_add(int from, int to, ELEMENT *around, const struct am_wave *w,
                               const ELEMENT *patch, ELEMENT *sum)
{
#if SHUFFLED
#pragma unroll
    for (int y = 0; y < QY; y++) {
        if (y >= from && y < to) {
            PASS(UP, around[LEFT(y)], patch[y * QX + QX - 1])
            PASS(DOWN, around[RIGHT(y)], patch[y * QX])
        }
    }
#endif
#if DIM == 3 && ALIKE
    ELEMENT pair[QY + 1][QX + 1];

#pragma unroll
    for (int y = 0; y <= QY; y++) {
#pragma unroll
        for (int x = 0; x <= QX; x++) {
            if (y >= from && y <= to && (x < QX || y > from) && (x > 0 || y < to))
                pair[y][x] = AT(x - 1, y) + AT(x, y - 1);
        }
    }
#endif
#pragma unroll
    for (int y = 0; y < QY; y++) {
#pragma unroll
        for (int x = 0; x < QX; x++) {
            const int q = y * QX + x;

            if (y < from || y >= to)
                continue;
#if DIM == 3 && ALIKE
            sum[q] = fma(w->left, pair[y][x] + pair[y + 1][x + 1], sum[q]);
#elif ALIKE
            sum[q] = fma(w->left, AT(x - 1, y) + AT(x + 1, y), sum[q]);
#else
            sum[q] = fma(w->left, TURNED(X, w->x + x == 0, AT(x - 1, y)), sum[q]);
            sum[q] = fma(w->right, TURNED(X, w->x + x + 1 == w->nx, AT(x + 1, y)), sum[q]);
#if DIM == 3
            sum[q] = fma(w->below, TURNED(Y, w->y + y == 0, AT(x, y - 1)), sum[q]);
            sum[q] = fma(w->above, TURNED(Y, w->y + y + 1 == w->ny, AT(x, y + 1)), sum[q]);
#endif
#endif
        }
    }
}

/* A value beyond fixed sides, else x. */
static inline ELEMENT am_wave_fixed(const struct am_wave *w, int q, long plane, ELEMENT x)
{
    const long column = w->x + q % QX, row = w->y + q / QX;

    if (SIDE_X == FIXED && (column < 0 || column >= w->nx))
        x = FIXED_X;
    if (SIDE_Y == FIXED && (row < 0 || row >= w->ny))
        x = FIXED_Y;
    if (SIDE_Z == FIXED && (plane < 0 || plane >= w->nz))
        x = FIXED_Z;
    return x;
}

/* A new plane of a level ends one of the level after it, which stays in `next`. `older` has the
 * level before at that plane, and then this level at the plane before. */
static inline void am_wave_chain(const struct am_wave *w, long plane, ELEMENT *value, ELEMENT *sum,
                                 ELEMENT *next, ELEMENT *older)
{
    const bool first = SIDE_Z == MIRROR && plane == 0, beyond = SIDE_Z == MIRROR && plane == w->nz;

#pragma unroll
    for (int q = 0; q < POINTS; q++) {
        const ELEMENT newest = am_wave_fixed(w, q, plane, next[q]);

        next[q] = fma(w->behind, beyond ? value[q] : newest, sum[q]);
        sum[q] = fma(w->before, first ? newest : value[q], w->centre * newest);
        if (SECOND) {
            sum[q] = fma(w->past, older[q], sum[q]);
            older[q] = value[q];
        }
        value[q] = newest;
    }
}

#if SHUFFLED /* `bar` counts the warps that have come; its turns are 0 and 1, one after the other */
static inline void am_wave_open(__local ulong *bar)
{
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"((uint)(ulong)bar), "n"(LY) : "memory");
}

static inline void am_wave_come(__local ulong *bar)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
    if (get_local_id(0) == 0)
        __asm__ volatile("{ .reg .b64 at; mbarrier.arrive.shared.b64 at, [%0]; }"
                         :
                         : "r"((uint)(ulong)bar)
                         : "memory");
}

static inline void am_wave_await(__local ulong *bar, uint turn)
{
    uint all = 0;

    while (!all)
        __asm__ volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(all)
                         : "r"((uint)(ulong)bar), "r"(turn)
                         : "memory");
}
#endif
