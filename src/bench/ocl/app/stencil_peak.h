/* SPDX-License-Identifier: MIT */
/* What steps of a stencil are held against on a device: its rate of fused products, measured. */
#ifndef AM_BENCH_OCL_STENCIL_PEAK_H
#define AM_BENCH_OCL_STENCIL_PEAK_H

#include "bench/ocl/host/device.h"
#include "kernels/stencil.h"

/* Fused products that the device completes in a nanosecond; 0: cannot be measured. Says nothing of
 * the point that it is measured for. */
double am_ocl_fused_rate(const struct am_ocl_device *d, enum am_stencil_type type);

#endif
