/* SPDX-License-Identifier: MIT */
/* Marks around a piece of a program whose cycles `archmeter predict FILE --marked` is to tell.
 *
 *     for (i = 0; i < n; i++) {
 *         AM_BLOCK_BEGIN
 *         sum += x[i] * y[i];
 *     }
 *     AM_BLOCK_END
 *
 * Needs nothing but a compiler that knows GNU's asm. The marks are a few instructions that change
 * nothing; the compiler moves no access to memory across them, so that it optimises less around
 * them than without: mark whole loops where you can, and measure programs without marks. */
#ifndef ARCHMETER_BLOCK_H
#define ARCHMETER_BLOCK_H

#if defined(__x86_64__)
#define AM_BLOCK_MARK(number)                                                                      \
    __asm__ volatile("movl $" number ", %%ebx\n\t.byte 0x64, 0x67, 0x90" : : : "ebx", "memory");
#elif defined(__aarch64__)
#define AM_BLOCK_MARK(number)                                                                      \
    __asm__ volatile("mov x1, #" number "\n\t.byte 213, 3, 32, 31" : : : "x1", "v21", "memory");
#else
#error "archmeter predicts code of x86-64 and AArch64"
#endif

#define AM_BLOCK_BEGIN AM_BLOCK_MARK("111")
#define AM_BLOCK_END AM_BLOCK_MARK("222")

#endif
