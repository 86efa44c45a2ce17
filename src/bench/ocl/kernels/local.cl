/* SPDX-License-Identifier: MIT */
/* ocl.local: accesses to local memory whose neighbours lie `stride` elements apart. */

/* Set by the bench:
 *   ELEMENT  uint, uint2, uint4, uint8 or uint16: what one access moves
 *   WIDTH    its words of 32 bits */
#define AREA (4096 / WIDTH) /* elements: 16 KiB, so that several groups fit a compute unit */
#define REACH (AREA / 2)    /* accesses of a turn begin below */
#define HOP (AREA / 32)     /* from one of them to the next; 512 bytes, the same banks again */
#define STEP 5u             /* from one turn to the next: all work-items move alike */

#define FACTOR 2654435761u

#define ACCESS4(f, i) f((i)*4) f((i)*4 + 1) f((i)*4 + 2) f((i)*4 + 3)
#define ACCESS16(f) ACCESS4(f, 0) ACCESS4(f, 1) ACCESS4(f, 2) ACCESS4(f, 3)

uint fold(ELEMENT x)
{
    union {
        ELEMENT all;
        uint word[WIDTH];
    } u;
    uint sum = 0;

    u.all = x;
    for (uint i = 0; i < WIDTH; i++)
        sum += u.word[i];
    return sum;
}

/* What is alive across a barrier lies in memory on some CPUs: the walk begins behind it. */
__kernel void am_read(__global uint *out, uint stride, uint key, uint turns)
{
    __local ELEMENT area[AREA];

    for (uint i = get_local_id(0); i < AREA; i += get_local_size(0))
        area[i] = (ELEMENT)(i * FACTOR ^ key);
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        uint at = (uint)get_local_id(0) * stride;
        ELEMENT sum = 0;

        for (uint t = 0; t < turns; t++) {
            __local const ELEMENT *const from = &area[at & (REACH - 1)];

#define READ(i) sum += from[(i)*HOP];
            ACCESS16(READ)
            at += STEP;
        }
        out[get_global_id(0)] = fold(sum);
    }
}

/* A value tells from which place of which turn it comes, so that what is left at the end tells which
 * turn was the last there. Every work-item sums a part of all that is left; one group of `every`
 * shows it as well. Who writes is from `from` to before `to`: all, or to be checked one alone. */
__kernel void am_write(__global uint *out, uint stride, uint key, uint turns, __global uint *shown,
                       uint every, uint from, uint to)
{
    __local ELEMENT area[AREA];

    for (uint i = get_local_id(0); i < AREA; i += get_local_size(0))
        area[i] = (ELEMENT)(~key);
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        const uint lane = (uint)get_local_id(0);
        const uint own = lane >= from && lane < to ? turns : 0u;
        uint at = lane * stride;

        for (uint t = 0; t < own; t++) {
            const ELEMENT value = (ELEMENT)(at * FACTOR ^ key);
            __local ELEMENT *const to = &area[at & (REACH - 1)];

#define WRITE(i) to[(i)*HOP] = value;
            ACCESS16(WRITE)
            at += STEP;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        const uint group = (uint)get_group_id(0);
        ELEMENT sum = 0;

        for (uint i = get_local_id(0); i < AREA; i += get_local_size(0)) {
            sum += area[i];
            if (group % every == 0)
                ((__global ELEMENT *)shown)[group / every * AREA + i] = area[i];
        }
        out[get_global_id(0)] = fold(sum);
    }
}
