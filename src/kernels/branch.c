/* SPDX-License-Identifier: MIT */
/* In assembly: compilers would make a conditional move or an addition of the branch. */
#include "kernels/branch.h"

#if defined(__x86_64__)
#define STEPS                                                                                      \
    ".p2align 6\n"                                                                                 \
    "1:\tmovzbl (%[bytes],%[at]), %k[byte]\n\t"                                                    \
    "inc %[at]\n\t"                                                                                \
    "cmp %[period], %[at]\n\t"                                                                     \
    "cmove %[zero], %[at]\n\t"                                                                     \
    "test %k[byte], %k[byte]\n\t"                                                                  \
    "jz 2f\n\t"                                                                                    \
    "inc %[seen]\n"                                                                                \
    "2:\tdec %[steps]\n\t"                                                                         \
    "jnz 1b\n"
#elif defined(__aarch64__)
#define STEPS                                                                                      \
    ".p2align 6\n"                                                                                 \
    "1:\tldrb %w[byte], [%[bytes], %[at]]\n\t"                                                     \
    "add %[at], %[at], #1\n\t"                                                                     \
    "cmp %[at], %[period]\n\t"                                                                     \
    "csel %[at], %[zero], %[at], eq\n\t"                                                           \
    "cbz %w[byte], 2f\n\t"                                                                         \
    "add %[seen], %[seen], #1\n"                                                                   \
    "2:\tsubs %[steps], %[steps], #1\n\t"                                                          \
    "b.ne 1b\n"
#endif

uint64_t am_branch_follow(const unsigned char *bytes, uint64_t period, uint64_t steps)
{
    uint64_t at = 0, seen = 0, byte = 0;

    __asm__ volatile(STEPS
                     : [at] "+&r"(at), [seen] "+&r"(seen), [byte] "+&r"(byte), [steps] "+&r"(steps)
                     : [bytes] "r"(bytes), [period] "r"(period), [zero] "r"(UINT64_C(0))
                     : "cc", "memory");
    return seen;
}
