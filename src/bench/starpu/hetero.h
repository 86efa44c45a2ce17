/* SPDX-License-Identifier: MIT */
/* The OpenCL source of app.hetero. */
#ifndef AM_BENCH_STARPU_HETERO_H
#define AM_BENCH_STARPU_HETERO_H

extern const char am_hetero_source[]; /* hetero.cl; REAL is the element type */

#endif
