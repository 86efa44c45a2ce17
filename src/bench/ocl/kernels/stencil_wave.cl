/* SPDX-License-Identifier: MIT */
/* app.stencil in two and three dimensions: DEPTH steps per pass over the grid, which is read once
 * and written once.
 *
 * A work-group has a tile of the planes (2-D: rows) and streams along the last dimension. A
 * work-item has a patch of QX by QY points of the tile and keeps, for each level (the state after
 * 0 to DEPTH - 1 steps), two numbers per point: the newest value, and of the point that is next to
 * be stepped all that does not lie before it. When plane k of level 0 comes in, it completes plane
 * k - 1 of level 1, that plane k - 2 of level 2, and so on: a chain of fused products without any
 * exchange. What lies around within a plane comes from other work-items, which show the rims of
 * their patches through local memory.
 *
 * A turn of the loop is one plane, in slots of AT_ONCE levels with one barrier each. A slot loads
 * the rims that were shown in the slot before, continues the chain through the levels of the slot
 * before (for the next plane already) while they come, shows the levels of the next slot, and adds
 * what it has loaded. Local memory has two halves, which take turns: nothing waits for a store.
 *
 * What a work-item does with its patch is parts/stencil_patch.cl, which comes first in the program.
 *
 * Beyond its tile a work-item sees its own values. What is wrong by that moves one point further
 * with each level, through the halo of HALO_X by HALO_Y points that is not written. Along the
 * stream a group begins DEPTH planes early, and nothing is written before all is right.
 *
 * -D: ELEMENT (float, double; WIDE for the latter), DIM (2, 3), DEPTH, LX and LY (work-items of a
 * group), QX (1, 2, 4) and QY (points of each; 2-D: LY = QY = 1), HALO_X and HALO_Y (DEPTH or more;
 * 2-D: HALO_Y = 0), AT_ONCE, AHEAD (1, 2: planes that are under way from memory, one set of
 * registers each), PINNED (1: loads of planes stay where they stand, and may be waited for there),
 * FETCH (0, or planes ahead that are fetched into cache), UNROLL (planes of the loop's body, a multiple
 * of AHEAD: with DEPTH + 1 no register is copied), LANES (1: LX is 32, a row of a patch at most 16 bytes;
 * 3-D), PACKED (1: nx and HALO_X are multiples of QX, patches are moved by rows).
 *
 * LANES on devices of NVIDIA, where rows are PACKED: a warp has whole rows of the tile, and its lanes
 * pass sides along x to each other. Local memory has room then for the rims of all levels, so that a
 * turn is one slot. A warp tells that it has shown, gives its plane away, does the rows that need no rim
 * and only then waits for the others; likewise before it shows again. AHEAD planes come to local memory
 * by asynchronous copies: loads into registers are waited for too early, as compilers move them.
 *
 * Described stencils (doc/guide/own-stencil.md) have weights of their own: WEIGHTS, the kernel's
 * further arguments, each with a comma before it, and W_CENTRE, W_LEFT and so on, which of them each
 * point has; ALIKE (1: the four around it within the plane are one); and sides: SIDE_X, SIDE_Y, SIDE_Z
 * (0: periodic, 1: fixed at FIXED_X, FIXED_Y, FIXED_Z, 2: mirror; Z is the dimension of the stream).
 * SECOND (1: of second order in time): a point of a level has W_PAST of what it was two levels before,
 * too; the state a step before lies in `past`, and goes to `past_to`. */

/* Loops over levels have constant ends, so that they can be written out; conditions then fold. */
#define IN_SLOT(t, slot) ((t) / AT_ONCE == (slot))

static inline void am_wave_chain_slot(int slot, const struct am_wave *w, long plane,
                                      ELEMENT (*value)[POINTS], ELEMENT (*sum)[POINTS],
                                      ELEMENT *next, ELEMENT *older)
{
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
        if (IN_SLOT(t, slot))
            am_wave_chain(w, plane - t, value[t], sum[t], next, older);
    }
}

static inline void am_wave_show_slot(int slot, __local ELEMENT *rims, uint item,
                                     ELEMENT (*value)[POINTS])
{
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
        if (IN_SLOT(t, slot))
            am_wave_show(rims + t % AT_ONCE * LEVEL_ELEMENTS, item, value[t]);
    }
}

/* `around` has what the first level of the slot sees. The next one's comes meanwhile. */
static inline void am_wave_add_slot(int slot, __local const ELEMENT *rims, struct beside to,
                                    const struct am_wave *w, ELEMENT (*value)[POINTS],
                                    ELEMENT (*sum)[POINTS], ELEMENT *around)
{
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
        ELEMENT further[AROUND];

        if (IN_SLOT(t, slot)) {
            const bool last = !IN_SLOT(t + 1, slot) || t + 1 == DEPTH;

            if (!last)
                am_wave_see(rims + (t + 1) % AT_ONCE * LEVEL_ELEMENTS, to, further);
            if (SHUFFLED) {
                am_wave_add(0, 1, around, w, value[t], sum[t]);
                am_wave_add(QY - 1, QY, around, w, value[t], sum[t]);
            } else {
                am_wave_add(0, QY, around, w, value[t], sum[t]);
            }
#pragma unroll
            for (int a = 0; a < AROUND && !last; a++)
                around[a] = further[a];
        }
    }
}

/* Planes of the stream: numbers of a ring, or any. */
#if SIDE_Z == 0
#define Z_TYPE uint
#define FIRST_Z(z) am_placed(z, nz, PERIODIC, 1)
#define NEXT_Z(z) ((z) + 1 < nz ? (z) + 1 : 0)
#define PLACE_Z(z) (z)
#else
#define Z_TYPE long
#define FIRST_Z(z) (z)
#define NEXT_Z(z) ((z) + 1)
#define PLACE_Z(z) am_placed(z, nz, SIDE_Z, 1)
#endif

/* Plane z, and that of the step before where there is one. */
#define TAKE_NOW(to) am_wave_take(u + PLACE_Z(z) * plane, at_x, at_y, to)
#if SECOND
#define TAKE(to, older) TAKE_NOW(to), am_wave_take(past + PLACE_Z(z) * plane, at_x, at_y, older)
#define GIVE_PAST(at, from) am_wave_give(past_to + (at), at_x, at_y, owned, from)
#else
#define TAKE(to, older) TAKE_NOW(to)
#define GIVE_PAST(at, from)
#endif

/* The plane that comes next is asked for; the one that was asked for AHEAD planes ago is had. */
#if SHUFFLED
#define RECEIVE(a) am_wave_receive(stage + (a)*STAGE_ELEMENTS, next)
#define ORDER(a) am_wave_order(u + PLACE_Z(z) * plane, at_x, at_y, stage + (a)*STAGE_ELEMENTS)
#else
#define RECEIVE(a) am_wave_had(fresh[a], fresh_older[a], next, older)
#define ORDER(a) TAKE(fresh[a], fresh_older[a])
#endif

/* Rims are shown before a plane is given away, so that others see them early, or after it. All have
 * shown theirs before any is seen, and have seen it before it is shown again. */
#if SHUFFLED
#define OPEN                                                                                       \
    __local ulong shown, seen;                                                                     \
    if (item == 0)                                                                                 \
        am_wave_open(&shown), am_wave_open(&seen);                                                 \
    barrier(CLK_LOCAL_MEM_FENCE)
#define SHOW_EARLY(slot)                                                                           \
    am_wave_await(&seen, turn ^ 1), am_wave_show_slot(slot, rim, item, value), am_wave_come(&shown)
#define SHOW_LATE(slot)
#define ALL_SHOWN am_wave_await(&shown, turn)
#define SEEN am_wave_come(&seen)
#else
#define OPEN
#define SHOW_EARLY(slot)
#define SHOW_LATE(slot) am_wave_show_slot(slot, SLOTS_OF_TURN > 1 ? other : rim, item, value)
#define ALL_SHOWN barrier(CLK_LOCAL_MEM_FENCE)
#define SEEN                                                                                       \
    if (SLOTS_OF_TURN > 1)                                                                         \
    barrier(CLK_LOCAL_MEM_FENCE)
#endif

/* Where the columns and rows of the patch lie in a plane. */
static inline void am_wave_place(const struct am_wave *w, uint *at_x, uint *at_y)
{
#pragma unroll
    for (int x = 0; x < QX; x++)
        at_x[x] = am_placed(w->x + x, (uint)w->nx, SIDE_X, PACKED ? QX : 1);
#pragma unroll
    for (int y = 0; y < QY; y++)
        at_y[y] = am_placed(w->y + y, (uint)w->ny, SIDE_Y, 1) * (uint)w->nx;
}

/* One pass. A group writes own_x by own_y points of `chunk` planes. */
__kernel __attribute__((reqd_work_group_size(LX, LY, 1))) void
am_wave_pass(__global const ELEMENT *RESTRICT u, __global ELEMENT *restrict v, uint nx, uint ny,
             uint nz, uint own_x, uint own_y, uint chunk PAST WEIGHTS)
{
    __local ELEMENT rims[HALVES * AT_ONCE * LEVEL_ELEMENTS] __attribute__((aligned(32)));
#if SHUFFLED
    __local ELEMENT stages[AHEAD * STAGE_ELEMENTS] __attribute__((aligned(32)));
    __local ELEMENT *const stage = stages + (get_local_id(1) * LX + get_local_id(0)) * QX;
#endif
    const int lx = get_local_id(0), ly = get_local_id(1), item = ly * LX + lx;
    const struct beside to = {lx > 0 ? item - 1 : item, lx + 1 < LX ? item + 1 : item,
                              ly > 0 ? item - LX : item, ly + 1 < LY ? item + LX : item};
    const int in_x = lx * QX - HALO_X, in_y = ly * QY - HALO_Y; /* of what the group writes */
    const long first_x = (long)get_group_id(0) * own_x, first_y = (long)get_group_id(1) * own_y;
    const int end_x = min((long)own_x, (long)nx - first_x), end_y = min((long)own_y, ny - first_y);
    const uint first_z = get_group_id(2) * chunk, planes = min(chunk, nz - first_z) + 2 * DEPTH;
    const uint owned = am_wave_owned((int4)(-in_x, end_x - in_x, -in_y, end_y - in_y));
    const struct am_wave w = {W_CENTRE, W_LEFT,         W_RIGHT,        W_BELOW, W_ABOVE, W_BEFORE,
                              W_BEHIND, W_PAST, first_x + in_x, first_y + in_y, nx,      ny,      nz};
    const size_t plane = (size_t)nx * ny;
    __global ELEMENT *into = v + first_z * plane;
    ELEMENT value[DEPTH][POINTS] = {{0}}, sum[DEPTH][POINTS] = {{0}}; /* wrong at first: not written */
    ELEMENT next[POINTS], fresh[AHEAD][POINTS], older[POINTS], fresh_older[AHEAD][POINTS];
    uint at_x[QX], at_y[QY], turn = 0;
    long in_chain = (long)first_z - DEPTH - (SLOTS_OF_TURN == 1); /* plane of level 0 */
    Z_TYPE z = FIRST_Z((long)first_z - DEPTH);                    /* that comes next */

    am_wave_place(&w, at_x, at_y);
    OPEN;
#if SLOTS_OF_TURN > 1 /* as the end of a turn would leave it: all but the last slot has plane 0 */
    TAKE(next, older), z = NEXT_Z(z);
#pragma unroll
    for (int slot = 0; slot + 1 < SLOTS_OF_TURN; slot++)
        am_wave_chain_slot(slot, &w, in_chain, value, sum, next, older);
    am_wave_show_slot(0, rims, item, value);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (int a = 0; a < AHEAD; a++, z = NEXT_Z(z))
        ORDER(a);
#pragma unroll 1
    for (uint k = 0; k < planes; k += UNROLL) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
#pragma unroll
            for (int slot = 0; slot < SLOTS_OF_TURN; slot++, turn ^= 1) {
                const int before = slot ? slot - 1 : SLOTS_OF_TURN - 1;
                const int after = slot + 1 < SLOTS_OF_TURN ? slot + 1 : 0;
                __local ELEMENT *const rim = rims + turn % HALVES * AT_ONCE * LEVEL_ELEMENTS;
                __local ELEMENT *const other = rims + (turn ^ 1) * AT_ONCE * LEVEL_ELEMENTS;
                ELEMENT around[AROUND];

                if (SLOTS_OF_TURN > 1)
                    am_wave_see(rim, to, around);
                if (before == 0) {
                    RECEIVE(i % AHEAD), ORDER(i % AHEAD);
                    am_wave_fetch(u + PLACE_Z(z + FETCH < nz ? z + FETCH : z) * plane, at_x, at_y);
                    z = NEXT_Z(z), in_chain++;
                }
                am_wave_chain_slot(before, &w, in_chain, value, sum, next, older);
                SHOW_EARLY(after);
                if (slot == 0 && k + i >= 2 * DEPTH && k + i < planes) {
                    am_wave_give(into, at_x, at_y, owned, next);
                    GIVE_PAST(into - v, older);
                    into += plane;
                }
                SHOW_LATE(after);
#pragma unroll
                for (int t = 0; t < DEPTH && SHUFFLED; t++) /* rows that see no rim */
                    am_wave_add(1, QY - 1, around, &w, value[t], sum[t]);
                if (SLOTS_OF_TURN == 1) {
                    ALL_SHOWN;
                    am_wave_see(rim, to, around);
                }
                am_wave_add_slot(slot, rim, to, &w, value, sum, around);
                SEEN;
            }
        }
    }
}
