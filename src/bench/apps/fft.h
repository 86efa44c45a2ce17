/* SPDX-License-Identifier: MIT */
/* The state of app.fft, for tests that look inside. */
#ifndef AM_BENCH_APPS_FFT_H
#define AM_BENCH_APPS_FFT_H

#include "app/fft/fft.h"
#include "bench/apps/apps.h"
#include "core/bench/bench.h"

enum am_fft_axis {
    AM_FFT_EXECUTOR,
    AM_FFT_ISA,
    AM_FFT_TYPE,
    AM_FFT_VARIANT,
    AM_FFT_PLACE,
    AM_FFT_PLAN,
    AM_FFT_N,
    AM_FFT_TASK_SIZE,
    AM_FFT_COMMON /* am_apps_axis from here on */
};

extern const char *const am_fft_types[]; /* the axis `type`, ended by NULL */

struct am_fft_state {
    struct am_apps_engine engine;
    struct am_fft *fft;
};

#endif
