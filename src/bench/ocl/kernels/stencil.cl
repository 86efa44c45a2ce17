/* SPDX-License-Identifier: MIT */
/* app.stencil: slices of W points in registers that lean in time, on very long vectors.
 *
 * A lane is a run of consecutive grid points; a work-item steps VECTOR lanes, a group LANES. Row i
 * of a group is one point of each of its lanes, side by side; PACK rows lie together element by
 * element, so that a work-item moves PACK points at once. Rows from `ghosts` on are a lane's own
 * points; those before and behind them are copies of its neighbours.
 *
 * Slice i of a pass takes W rows at step 0 and moves one row to the left with each step. What it
 * needs of the slice before it are two points per step, the edges, in whose place it leaves its own
 * last two. The first slices begin `steps` rows before the lane, with anything for edges: what is
 * wrong in them spreads one row per step, and meets the rows of the result nowhere. They stop where
 * nothing right is left in them.
 *
 * Groups that begin together would come to the end of their slices together, wait for memory together,
 * and compute together. So each first makes some steps of a slice that nobody reads, the later ones
 * more: what is left in the edges is as wrong as what was there. It costs half a slice of MANY or more.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), VECTOR (1, 2, 4, 8, 16), PACK (1, 2, 4; 1 with
 * vectors), BLOCKS and REST (W = 16 BLOCKS + REST), GROUP, UNROLL (1, 2, 4, 8), FORM (0: paper, 1:
 * scaled, 2: centred), LOCAL_EDGES (0, 1). */
#if WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR == 1
#define REAL ELEMENT
#else
#define REAL JOIN(ELEMENT, VECTOR)
#endif
#if PACK == 1
#define PACKED REAL
#else
#define PACKED JOIN(ELEMENT, PACK)
#endif
#define W (16 * BLOCKS + REST)
#define LANES (GROUP * VECTOR)
#define MANY 64

/* M(0) to M(W - 1), arguments constant after all: loops would only be hints. */
#define RUN_4(M, k) M((k)) M((k) + 1) M((k) + 2) M((k) + 3)
#define RUN_16(M, k) RUN_4(M, (k)) RUN_4(M, (k) + 4) RUN_4(M, (k) + 8) RUN_4(M, (k) + 12)
#define BLOCKS_0(M)
#define BLOCKS_1(M) RUN_16(M, 0)
#define BLOCKS_2(M) BLOCKS_1(M) RUN_16(M, 16)
#define BLOCKS_3(M) BLOCKS_2(M) RUN_16(M, 32)
#define BLOCKS_4(M) BLOCKS_3(M) RUN_16(M, 48)
#define BLOCKS_5(M) BLOCKS_4(M) RUN_16(M, 64)
#define BLOCKS_6(M) BLOCKS_5(M) RUN_16(M, 80)
#define BLOCKS_7(M) BLOCKS_6(M) RUN_16(M, 96)
#define BLOCKS_8(M) BLOCKS_7(M) RUN_16(M, 112)
#define BLOCKS_9(M) BLOCKS_8(M) RUN_16(M, 128)
#define BLOCKS_10(M) BLOCKS_9(M) RUN_16(M, 144)
#define BLOCKS_11(M) BLOCKS_10(M) RUN_16(M, 160)
#define BLOCKS_12(M) BLOCKS_11(M) RUN_16(M, 176)
#define REST_0(M, k)
#define REST_1(M, k) M((k))
#define REST_2(M, k) REST_1(M, k) M((k) + 1)
#define REST_3(M, k) REST_2(M, k) M((k) + 2)
#define REST_4(M, k) RUN_4(M, k)
#define REST_5(M, k) REST_4(M, k) REST_1(M, (k) + 4)
#define REST_6(M, k) REST_4(M, k) REST_2(M, (k) + 4)
#define REST_7(M, k) REST_4(M, k) REST_3(M, (k) + 4)
#define REST_8(M, k) REST_4(M, k) REST_4(M, (k) + 4)
#define REST_9(M, k) REST_8(M, k) REST_1(M, (k) + 8)
#define REST_10(M, k) REST_8(M, k) REST_2(M, (k) + 8)
#define REST_11(M, k) REST_8(M, k) REST_3(M, (k) + 8)
#define REST_12(M, k) REST_8(M, k) REST_4(M, (k) + 8)
#define REST_13(M, k) REST_12(M, k) REST_1(M, (k) + 12)
#define REST_14(M, k) REST_12(M, k) REST_2(M, (k) + 12)
#define REST_15(M, k) REST_12(M, k) REST_3(M, (k) + 12)
#define EVERY(M) JOIN(BLOCKS_, BLOCKS)(M) JOIN(REST_, REST)(M, 16 * BLOCKS)
#define TIMES_1(M) M(0)
#define TIMES_2(M) M(0) M(1)
#define TIMES_4(M) TIMES_2(M) M(2) M(3)
#define TIMES_8(M) TIMES_4(M) M(4) M(5) M(6) M(7)

/* A point x2 that moves to the left: between x0 and it is x1, whose successor it becomes. */
#if FORM == 0
#define NEXT(x0, x1, x2) fma(side, (x0) + (x2), centre * (x1))
#elif FORM == 1
#define NEXT(x0, x1, x2) (fma(centre, (x1), (x0)) + (x2))
#else
#define NEXT(x0, x1, x2) fma(side, (x0) + (x2), (x1))
#endif

#if LOCAL_EDGES
#define EDGES __local
#else
#define EDGES __global
#endif

/* Edges of a step, in x[0] and x[1]; the slice's own points are x[2] to x[W + 1]. */
#if VECTOR == 1
#define EDGE JOIN(ELEMENT, 2)
#define EDGE_ROWS 1
#define SWAP_EDGES(s)                                                                              \
    const EDGE left = e[(s) * GROUP];                                                              \
    x[0] = left.x;                                                                                 \
    x[1] = left.y;                                                                                 \
    e[(s) * GROUP] = (EDGE)(x[W], x[W + 1]);
#else
#define EDGE REAL
#define EDGE_ROWS 2
#define SWAP_EDGES(s)                                                                              \
    x[0] = e[2 * (s) * GROUP];                                                                     \
    x[1] = e[(2 * (s) + 1) * GROUP];                                                               \
    e[2 * (s) * GROUP] = x[W];                                                                     \
    e[(2 * (s) + 1) * GROUP] = x[W + 1];
#endif

/* In place, from right to left: nothing is moved, nothing is kept twice. */
#define POINT(k) x[W + 1 - (k)] = NEXT(x[W - 1 - (k)], x[W - (k)], x[W + 1 - (k)]);
#define STEP(s)                                                                                    \
    {                                                                                              \
        SWAP_EDGES(s)                                                                              \
        EVERY(POINT)                                                                               \
    }

#if PACK == 1
#define TAKE(k) x[2 + (k)] = from[(k) * GROUP];
#define GIVE(k) to[(k) * GROUP] = FINISHED(k);
#elif PACK == 2
#define TAKE(k)                                                                                    \
    if ((k) % 2 == 0) {                                                                            \
        const PACKED q = from[(k) / 2 * GROUP];                                                    \
        x[2 + (k)] = q.s0;                                                                         \
        x[3 + (k)] = q.s1;                                                                         \
    }
#define GIVE(k)                                                                                    \
    if ((k) % 2 == 0)                                                                              \
        to[(k) / 2 * GROUP] = (PACKED)(FINISHED(k), FINISHED(k + 1));
#else
#define TAKE(k)                                                                                    \
    if ((k) % 4 == 0) {                                                                            \
        const PACKED q = from[(k) / 4 * GROUP];                                                    \
        x[2 + (k)] = q.s0;                                                                         \
        x[3 + (k)] = q.s1;                                                                         \
        x[4 + (k)] = q.s2;                                                                         \
        x[5 + (k)] = q.s3;                                                                         \
    }
#define GIVE(k)                                                                                    \
    if ((k) % 4 == 0)                                                                              \
        to[(k) / 4 * GROUP] =                                                                      \
            (PACKED)(FINISHED(k), FINISHED(k + 1), FINISHED(k + 2), FINISHED(k + 3));
#endif
#if FORM == 0
#define FINISHED(k) x[2 + (k)]
#else
#define FINISHED(k) (x[2 + (k)] * finish)
#endif
#define RESCALE(k) x[2 + (k)] *= rescale;

/* One pass over all lanes. `first` is the row of slice 0 at step 0; after every `chunk` steps but
 * the last a scaled state is multiplied by rescale_by, after those by finish_by. `edge_rows` are
 * the edges' of a group in global memory. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
am_stencil_pass(__global PACKED *restrict u, EDGES EDGE *restrict edges, uint rows, uint edge_rows,
                uint first, uint slices, uint steps, uint chunk, ELEMENT side_of, ELEMENT centre_of,
                ELEMENT rescale_by, ELEMENT finish_by)
{
    const REAL side = (REAL)(side_of), centre = (REAL)(centre_of);
    const REAL rescale = (REAL)(rescale_by), finish = (REAL)(finish_by);
    const size_t group = get_group_id(0);
    __global PACKED *from = u + (group * rows + first) / PACK * GROUP + get_local_id(0);
    const size_t back = (size_t)(steps / PACK) * GROUP;
#if LOCAL_EDGES
    EDGES EDGE *const begin = edges + get_local_id(0);
#else
    EDGES EDGE *const begin = edges + group * edge_rows * GROUP + get_local_id(0);
#endif
    const uint dry = slices < MANY ? 0 : (uint)(steps * group / get_num_groups(0));
    REAL x[W + 2];

    for (uint i = dry ? 0 : 1; i <= slices; i++) {
        const uint right = (i * W + 1) / 2; /* steps with anything right in them */
        const uint last = i ? min(steps, (right + UNROLL - 1) / UNROLL * UNROLL) : dry;
        EDGES EDGE *e = begin;
        uint s = 0;

        EVERY(TAKE)
        while (s < last) {
            const uint end = FORM == 0 ? last : min(s + chunk, last);

#pragma unroll 1
            for (; s + UNROLL <= end; s += UNROLL) {
                JOIN(TIMES_, UNROLL)(STEP)
                e += UNROLL * EDGE_ROWS * GROUP;
            }
#pragma unroll 1
            for (; s < end; s++) {
                STEP(0)
                e += EDGE_ROWS * GROUP;
            }
#if FORM != 0
            if (s < last) {
                EVERY(RESCALE)
            }
#endif
        }
        if (i * W > 2 * steps) {
            __global PACKED *const to = from - back;

            EVERY(GIVE)
        }
        if (i)
            from += W / PACK * GROUP;
    }
}

/* ---- where points are ---- */

/* Of a device's n points, lanes below `extra` have base + 1, the others base. */
static inline ulong am_lane_start(uint lane, ulong base, uint extra)
{
    return lane * base + min(lane, extra);
}

static inline size_t am_place(uint lane, ulong row, uint rows)
{
    const size_t pack = (size_t)(lane / LANES) * (rows / PACK) + row / PACK;

    return (pack * LANES + lane % LANES) * PACK + row % PACK;
}

static inline size_t am_locate(ulong point, ulong base, uint extra, uint rows, uint ghosts)
{
    const ulong longer = extra * (base + 1);
    const bool in_longer = point < longer;
    const ulong length = in_longer ? base + 1 : base;
    const ulong at = in_longer ? point : point - longer;

    return am_place((uint)(at / length) + (in_longer ? 0 : extra), ghosts + at % length, rows);
}

/* Copies `steps` points on either side of each lane from its neighbours; beyond the device's own
 * points from the halo, or, where there is no other device, from its other end. Items: lanes by
 * 2 steps. */
__kernel void am_stencil_exchange(__global ELEMENT *u, __global const ELEMENT *halo, uint rows,
                                  uint ghosts, uint steps, ulong n, ulong base, uint extra,
                                  uint alone)
{
    const uint lane = get_global_id(0), k = get_global_id(1), lanes = get_global_size(0);
    const bool before = k < steps;
    const ulong length = base + (lane < extra);
    const ulong row = before ? ghosts - steps + k : ghosts + length + k - steps;
    const long point = (long)am_lane_start(lane, base, extra) +
                       (before ? (long)k - (long)steps : (long)length + (long)(k - steps));
    const bool inside = point >= 0 && point < (long)n;
    size_t from;

    if (!inside && !alone) {
        u[am_place(lane, row, rows)] = halo[point < 0 ? point + steps : steps + point - (long)n];
        return;
    }
    if (base >= steps) {
        const uint other = before ? (lane ? lane : lanes) - 1 : lane + 1 < lanes ? lane + 1 : 0;
        const ulong other_length = base + (other < extra);

        from = am_place(other, before ? ghosts + other_length + k - steps : ghosts + k - steps, rows);
    } else {
        const ulong wrapped = (ulong)(point < 0 ? point + (long)n : point);

        from = am_locate(wrapped < n ? wrapped : wrapped - n, base, extra, rows, ghosts);
    }
    u[am_place(lane, row, rows)] = u[from];
}

/* The device's first `steps` points, and its last. Items: 2 steps. */
__kernel void am_stencil_border(__global const ELEMENT *u, __global ELEMENT *border, uint rows,
                                uint ghosts, uint steps, ulong n, ulong base, uint extra)
{
    const uint k = get_global_id(0);

    border[k] = u[am_locate(k < steps ? k : n - 2 * (ulong)steps + k, base, extra, rows, ghosts)];
}

/* Against plain steps (stencil_plain.cl), whose point i is element i + 1. found[0]: how many points
 * differ by more than `allowed`; found[1]: the first of them. Any number of work-items. */
__kernel void am_stencil_differ(__global const ELEMENT *u, __global const ELEMENT *plain, uint rows,
                                uint ghosts, ulong n, ulong base, uint extra, ELEMENT allowed,
                                __global uint *found)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const ELEMENT off = u[am_locate(i, base, extra, rows, ghosts)] - plain[i + 1];

        if (!(fabs(off) <= allowed)) {
            atomic_inc(&found[0]);
            atomic_min(&found[1], (uint)min(i, (ulong)UINT_MAX));
        }
    }
}

/* The state at step 0; the device's points are those from `origin` on. All other rows are made
 * ordinary numbers. Items: lanes by anything. */
__kernel void am_stencil_fill(__global ELEMENT *u, uint rows, uint ghosts, ulong base, uint extra,
                              ulong origin)
{
    const uint lane = get_global_id(0);
    const ulong begin = origin + am_lane_start(lane, base, extra);
    const ulong length = base + (lane < extra);

    for (uint row = get_global_id(1); row < rows; row += get_global_size(1)) {
        const ulong i = begin + row - ghosts;
        const bool own = row >= ghosts && row < ghosts + length;
        const uint noise = (uint)(i ^ i >> 20) * 2654435761u >> 8;

        u[am_place(lane, row, rows)] = own ? (ELEMENT)noise * (ELEMENT)0x1p-24f : 0;
    }
}
