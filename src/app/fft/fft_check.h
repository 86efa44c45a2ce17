/* SPDX-License-Identifier: MIT */
/* Whether an outcome is the Fourier transform of its input: some bins are computed by the
 * definition in long double, and the unscaled inverse, which the caller has made, must be n times
 * the input. */
#ifndef AM_APP_FFT_CHECK_H
#define AM_APP_FFT_CHECK_H

#include "app/fft/fft.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Number i of an array of reals; a complex point is two of them. */
double am_fft_get(enum am_fft_type type, const void *array, size_t i);
void am_fft_put(enum am_fft_type type, void *array, size_t i, double x);

/* `source` was transformed `transforms` times, an odd number, each time what the time before gave,
 * into `data`, whose unscaled inverse is `back`. */
struct am_fft_outcome {
    enum am_fft_type type;
    size_t n;
    uint64_t seed; /* of the bins that are computed again */
    const void *source, *data, *back;
    uint64_t transforms;
};

/* `residual` is the greatest error in parts of what is allowed; AM_E_WRONG above 1. */
enum am_status am_fft_judge(const struct am_fft_outcome *outcome, double *residual,
                            struct am_err *err);

#endif
