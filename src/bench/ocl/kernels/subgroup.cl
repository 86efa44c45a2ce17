/* SPDX-License-Identifier: MIT */
/* ocl.subgroup: neighbouring work-items make one of their values, by several ways.
 *
 * GROUP  work-items of a group              LANES  neighbours that work together
 * WAY    0: local memory and barriers   1: functions of sub-groups   2: instructions of NVIDIA's warps
 * OP     0: the sum of all   1: the sum of those up to each   2: the value of the neighbour
 *
 * Each turn makes of the result and the work-item's place what the next one begins with, so that none
 * can be left out. `lanes` is told how many worked together. */
#define REDUCE 0
#define SCAN 1
#define EXCHANGE 2

#if WAY == 1
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#if OP == EXCHANGE
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#endif

#define PLACE (uint)get_sub_group_local_id()
#define TOGETHER (uint)get_sub_group_size()
uint together(uint x)
{
#if OP == REDUCE
    return sub_group_reduce_add(x);
#elif OP == SCAN
    return sub_group_scan_inclusive_add(x);
#else
    return sub_group_shuffle_xor(x, 1u);
#endif
}
#define STEP x = together(x);

#elif WAY == 2
#define PLACE ((uint)get_local_id(0) % LANES)
#define TOGETHER LANES
uint together(uint x)
{
    uint y;
#if OP == REDUCE
    __asm__ volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(x));
    return y;
#elif OP == SCAN
    for (uint s = 1; s < LANES; s *= 2) {
        __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(y) : "r"(x), "r"(s));
        x += PLACE >= s ? y : 0u;
    }
    return x;
#else
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(y) : "r"(x));
    return y;
#endif
}
#define STEP x = together(x);

#else
#define PLACE ((uint)get_local_id(0) % LANES)
#define TOGETHER LANES
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
#if OP == REDUCE
#define STEP                                   \
    area[own] = x;                             \
    WAIT;                                      \
    for (uint s = LANES / 2; s > 0; s /= 2) {  \
        if (place < s)                         \
            area[own] += area[own + s];        \
        WAIT;                                  \
    }                                          \
    x = area[own - place];                     \
    WAIT;
#elif OP == SCAN
#define STEP                                       \
    area[own] = x;                                 \
    WAIT;                                          \
    for (uint s = 1; s < LANES; s *= 2) {          \
        const uint y = place >= s ? area[own - s] : 0u; \
        WAIT;                                      \
        x += y;                                    \
        area[own] = x;                             \
        WAIT;                                      \
    }
#else
#define STEP             \
    area[own] = x;       \
    WAIT;                \
    x = area[own ^ 1u];  \
    WAIT;
#endif
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void am_subgroup(__global uint *out, uint turns,
                                                                             __global uint *lanes, uint seed)
{
#if WAY == 0
    __local uint area[GROUP];
    const uint own = (uint)get_local_id(0);
#endif
    const uint place = PLACE;
    uint x = seed + (uint)get_global_id(0);

    for (uint i = 0; i < turns; i++) {
        STEP
        x = x * 5u + place + 1u;
    }
    out[get_global_id(0)] = x;
    if (get_global_id(0) == 0)
        lanes[0] = TOGETHER;
}
