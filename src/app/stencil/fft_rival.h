/* SPDX-License-Identifier: MIT */
/* The rival of stepping, for constant coefficients and one dimension: a Fourier transform turns any
 * number of steps into one product per frequency. One thread, by FFTW; where that was not found,
 * no_fft_rival.c refuses. */
#ifndef AM_APP_STENCIL_FFT_RIVAL_H
#define AM_APP_STENCIL_FFT_RIVAL_H

#include "base/status.h"
#include "kernels/stencil.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_FFT_RIVAL_POINTS_MAX = 1 << 30 };

struct am_fft_rival;

const char *am_fft_rival_why_not(void); /* NULL: it was built in */

uint64_t am_fft_rival_bytes(enum am_stencil_type type, size_t n);
/* Plans by trial, for a second at most. AM_E_ABSENT without FFTW or beyond its range. The state
 * is not set yet. */
enum am_status am_fft_rival_new(enum am_stencil_type type, size_t n, size_t steps, double r,
                                struct am_fft_rival **rival_p, struct am_err *err);
void am_fft_rival_free(struct am_fft_rival *rival); /* accepts NULL */

/* n values of the element type: the state, to be written and read between runs. */
void *am_fft_rival_state(struct am_fft_rival *rival);
/* All steps at once, of what the run before left. */
void am_fft_rival_run(struct am_fft_rival *rival);

/* Operations of one run as FFTW counts them: 2.5 n log2 n each way, and the products. */
double am_fft_rival_flops(size_t n);
/* An error that no right result exceeds, from values up to 1. */
double am_fft_rival_tolerance(enum am_stencil_type type, size_t n);

#endif
