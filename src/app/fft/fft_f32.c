/* SPDX-License-Identifier: MIT */
/* FFTW in float. */
#include "app/fft/fft_api.h"

#include <fftw3.h>

#define X(name) fftwf_##name
#include "app/fft_api.inc"

const struct am_fft_api am_fft_api_f32 = {
    .real = sizeof(float),
    .version = fftwf_version,
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
