/* SPDX-License-Identifier: MIT */
/* A chain of dependent loads. */
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
