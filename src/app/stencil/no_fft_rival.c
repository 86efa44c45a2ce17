/* SPDX-License-Identifier: MIT */
/* In place of fft_rival.c where FFTW was not found. */
#include "app/stencil/fft_rival.h"

const char *am_fft_rival_why_not(void)
{
    return "built without FFTW in both precisions; install libfftw3-dev and build again";
}

uint64_t am_fft_rival_bytes(enum am_stencil_type type, size_t n)
{
    (void)type;
    (void)n;
    return 0;
}

enum am_status am_fft_rival_new(enum am_stencil_type type, size_t n, size_t steps, double r,
                                struct am_fft_rival **rival_p, struct am_err *err)
{
    (void)type;
    (void)n;
    (void)steps;
    (void)r;
    *rival_p = NULL;
    return am_fail(err, AM_E_ABSENT, "%s", am_fft_rival_why_not());
}

void am_fft_rival_free(struct am_fft_rival *rival)
{
    (void)rival;
}

void *am_fft_rival_state(struct am_fft_rival *rival)
{
    return rival;
}

void am_fft_rival_run(struct am_fft_rival *rival)
{
    (void)rival;
}

double am_fft_rival_flops(size_t n)
{
    return (double)n;
}

double am_fft_rival_tolerance(enum am_stencil_type type, size_t n)
{
    (void)type;
    return (double)n;
}
