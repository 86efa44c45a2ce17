/* SPDX-License-Identifier: MIT */
/* Which OpenMP library a process has mapped. */
#ifndef AM_BENCH_OMP_MAPPED_H
#define AM_BENCH_OMP_MAPPED_H

#include "base/status.h"

/* The name of the only OpenMP library in the text of a /proc/PID/maps ("libgomp", "libomp"), or
 * NULL with the story in err when there is none or more than one. */
const char *am_omp_mapped(const char *maps, struct am_err *err);

#endif
