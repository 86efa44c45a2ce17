/* SPDX-License-Identifier: MIT */
/* ocl.branch: the same work on one of several paths, chosen by a key of the work-item.
 *
 * -DPATHS=1|2|4|...|128 -DBY=0|1 (local id, group) -DWORK=0|1 (fma, integer)
 *
 * Every path has a loop and constants of its own: compilers merge branches that look alike, but not
 * loops. Steps: a quadratic map that stays within 2
 * and never comes to rest, or the paper's division and remainder with
 * operands that are never zero.
 */
#define STEPS4(k) STEP(k) STEP(k) STEP(k) STEP(k)
#define STEPS16(k) STEPS4(k) STEPS4(k) STEPS4(k) STEPS4(k)

#if WORK == 0
#define TYPE float
#define STATE float x = seed + (float)(get_global_id(0) & 1023u) * (1.0f / 4096)
#define OWN(k) const float c = shift - (float)(k) * (1.0f / 1024)
#define STEP(k) x = fma(x, x, c);
#define END x
#else
#define TYPE uint
#define STATE uint x = (uint)get_local_id(0) + seed, y = (uint)get_global_id(0) + shift
#define OWN(k) const uint c = shift + (k) * 1024u
#define STEP(k) \
    x = x / (y | 1u) + c; \
    y = y % (x | 1u) + (k) + 1u;
#define END (x ^ y)
#endif

#define PATH(k) \
    { \
        OWN(k); \
        for (uint i = 0; i < turns; i++) { \
            STEPS16(k) \
        } \
    }
#define OR(k) else if (key == (k)) PATH(k)
#define OR2(k) OR(k) OR(k + 1u)
#define OR4(k) OR2(k) OR2(k + 2u)
#define OR8(k) OR4(k) OR4(k + 4u)
#define OR16(k) OR8(k) OR8(k + 8u)
#define OR32(k) OR16(k) OR16(k + 16u)
#define OR64(k) OR32(k) OR32(k + 32u)

__kernel void am_branch(__global TYPE *out, const uint turns, const TYPE seed, const TYPE shift)
{
    const uint key = (uint)(BY ? get_group_id(0) : get_local_id(0)) % PATHS;
    STATE;

#if PATHS == 1
    PATH(0u)
#else
    if (key == 0u)
        PATH(0u)
    OR(1u)
#if PATHS > 2
    OR2(2u)
#endif
#if PATHS > 4
    OR4(4u)
#endif
#if PATHS > 8
    OR8(8u)
#endif
#if PATHS > 16
    OR16(16u)
#endif
#if PATHS > 32
    OR32(32u)
#endif
#if PATHS > 64
    OR64(64u)
#endif
#endif
    out[get_global_id(0)] = END;
}
