/* SPDX-License-Identifier: MIT */
/* FFTW in double. */
#include "app/fft/fft_api.h"

#include <fftw3.h>

#define X(name) fftw_##name
#include "app/fft_api.inc"

const struct am_fft_api am_fft_api_f64 = {
    .real = sizeof(double),
    .version = fftw_version,
    .init = init,
    .clean = clean,
    .split = split,
    .limit = limit,
    .plan = plan,
    .execute = execute,
    .destroy = destroy,
    .describe = describe,
    .learn = learn,
    .wisdom = wisdom,
    .forget = forget,
};
