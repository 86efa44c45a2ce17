/* SPDX-License-Identifier: MIT */
/* Chains of dependent loads. */
#include "kernels/chase.h"

#define FOLLOW p = *(const void *const *)p;
#define FOLLOW_4 FOLLOW FOLLOW FOLLOW FOLLOW

/* The loop's count runs beside the loads and is never waited for. */
const void *am_chase(const void *from, uint64_t steps)
{
    const void *p = from;

    for (; steps >= 16; steps -= 16) {
        FOLLOW_4 FOLLOW_4 FOLLOW_4 FOLLOW_4
    }
    for (; steps; steps--) {
        FOLLOW
    }
    return p;
}

/* One step of every chain per iteration. Up to about a dozen chains stay in registers; beyond that
 * some pass through the stack, a few cycles that a miss in a cache hides. */
#define CHASE(n)                                                                                   \
    static void chase_##n(const void **at, uint64_t steps)                                         \
    {                                                                                              \
        const void *p[n];                                                                          \
                                                                                                   \
        _Pragma("GCC unroll 32") for (int i = 0; i < (n); i++) p[i] = at[i];                       \
        for (; steps; steps--) {                                                                   \
            _Pragma("GCC unroll 32") for (int i = 0; i < (n); i++) p[i] =                          \
                *(const void *const *)p[i];                                                        \
        }                                                                                          \
        _Pragma("GCC unroll 32") for (int i = 0; i < (n); i++) at[i] = p[i];                       \
    }

static void chase_1(const void **at, uint64_t steps)
{
    at[0] = am_chase(at[0], steps);
}

#define CHAINS(X)                                                                                  \
    X(2)                                                                                           \
    X(3)                                                                                           \
    X(4)                                                                                           \
    X(5)                                                                                           \
    X(6)                                                                                           \
    X(7)                                                                                           \
    X(8)                                                                                           \
    X(9)                                                                                           \
    X(10)                                                                                          \
    X(11)                                                                                          \
    X(12)                                                                                          \
    X(13)                                                                                          \
    X(14)                                                                                          \
    X(15)                                                                                          \
    X(16)                                                                                          \
    X(17)                                                                                          \
    X(18)                                                                                          \
    X(19)                                                                                          \
    X(20)                                                                                          \
    X(21)                                                                                          \
    X(22)                                                                                          \
    X(23)                                                                                          \
    X(24)                                                                                          \
    X(25)                                                                                          \
    X(26)                                                                                          \
    X(27)                                                                                          \
    X(28)                                                                                          \
    X(29)                                                                                          \
    X(30)                                                                                          \
    X(31)                                                                                          \
    X(32)

CHAINS(CHASE)

#define ROW(n) [n] = chase_##n,

am_chase_fn *const am_chase_many[AM_CHASE_CHAINS_MAX + 1] = {ROW(1) CHAINS(ROW)};
