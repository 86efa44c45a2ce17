/* SPDX-License-Identifier: MIT */
/* The constructs of omp.workshare as C calls them: workshare.f90. */
#ifndef AM_BENCH_OMP_WORKSHARE_H
#define AM_BENCH_OMP_WORKSHARE_H

#include <stdint.h>

/* Each performs a = a + cos(a) - sin(a) on n elements, `reps` times: as WORKSHARE inside one
 * parallel region, as PARALLEL WORKSHARE each time, on the calling thread. */
void am_workshare_inside(int64_t n, int64_t reps, double *a);
void am_workshare_parallel(int64_t n, int64_t reps, double *a);
void am_workshare_serial(int64_t n, int64_t reps, double *a);

#endif
