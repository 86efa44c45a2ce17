/* SPDX-License-Identifier: MIT */
/* Black-Scholes on an OpenCL device: one work-item per option. REAL is float or double. */
#ifdef WITH_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel void price(__global const REAL *spot, __global const REAL *strike, __global const REAL *rate,
                    __global const REAL *volatility, __global const REAL *time, __global REAL *call,
                    __global REAL *put)
{
    const size_t i = get_global_id(0);
    const REAL root_half = (REAL)0.70710678118654752440;
    const REAL s = spot[i], k = strike[i], r = rate[i], v = volatility[i], t = time[i];
    const REAL deviation = v * sqrt(t);
    const REAL d1 = (log(s / k) + (r + (REAL)0.5 * v * v) * t) / deviation;
    const REAL d2 = d1 - deviation;
    const REAL present = k * exp(-r * t);
    const REAL h1 = (REAL)0.5 * s * erf(d1 * root_half), h2 = (REAL)0.5 * present * erf(d2 * root_half);
    const REAL between = (REAL)0.5 * (s - present);

    call[i] = (h1 - h2) + between;
    put[i] = (h1 - h2) - between;
}
