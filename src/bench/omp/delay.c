/* SPDX-License-Identifier: MIT */
/* The delay that stands for work: dependent adds, one per core cycle. */
#include "bench/omp/delay.h"

enum { ADDS = 10 }; /* in the unrolled body: its loop's own instructions hide behind them */

/* Every add waits for the one before. The operand is a register: recent cores fold chains of small
 * immediates. The fence waits for the last: cores look hundreds of instructions ahead, and would
 * begin the next delay before this one ends wherever nothing between them is in their way. */
#if defined(__x86_64__)
#define ADD "addq %1, %0\n\t"
#define FENCE "lfence"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1\n\t"
#define FENCE "isb"
#else
#error "no dependent add for this architecture"
#endif

void am_delay(uint64_t cycles)
{
    uint64_t x = cycles, y = 3;

    for (uint64_t i = cycles / ADDS; i; i--)
        __asm__ volatile(ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD : "+r"(x) : "r"(y) : "cc");
    for (uint64_t i = cycles % ADDS; i; i--)
        __asm__ volatile(ADD : "+r"(x) : "r"(y) : "cc");
    __asm__ volatile(FENCE : "+r"(x));
}
