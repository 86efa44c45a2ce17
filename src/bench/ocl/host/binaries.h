/* SPDX-License-Identifier: MIT */
/* Programs that one process of a run compiled, for the processes after it (handed.h).
 *
 * Compiling takes a driver far longer than a quick point is measured: whoever compiles a program
 * leaves the driver's binary, and whoever needs the same source with the same options for the same
 * device and driver takes it. One that the driver refuses, or crashed over, is as good as none: the
 * program is compiled. */
#ifndef AM_BENCH_OCL_BINARIES_H
#define AM_BENCH_OCL_BINARIES_H

#include "bench/ocl/host/device.h"

/* A program, built and ready, from an earlier process's binary; NULL when it has to be compiled. */
cl_program am_ocl_binary_load(const struct am_ocl_device *d, const char *source,
                              const char *options);
/* Leaves the binary of a program that was just compiled. What fails here costs time only. */
void am_ocl_binary_keep(const struct am_ocl_device *d, const char *source, const char *options,
                        cl_program program);

/* The file of a program in the folder; false when there is no folder, or its name is too long. */
bool am_ocl_binary_path(const struct am_ocl_device *d, const char *source, const char *options,
                        char *buf, size_t cap);

#endif
