/* SPDX-License-Identifier: MIT */
/* The delay that stands for work: compiled once, so that only the runtimes differ. */
#ifndef AM_BENCH_OMP_DELAY_H
#define AM_BENCH_OMP_DELAY_H

#include <stdint.h>

/* Keeps the calling thread busy for about `cycles` core cycles, without touching memory. */
void am_delay(uint64_t cycles);

#endif
