/* SPDX-License-Identifier: MIT */
/* FFTW's questions for instruction sets, answered. */
#include "app/fft/fft_vectors.h"

#ifdef __x86_64__
#include <dlfcn.h>
#include <string.h>

/* One per process, as FFTW's planner is. */
static enum am_fft_isa allowed = AM_FFT_SIMD;

bool am_fft_vectors_allow(enum am_fft_isa isa)
{
    /* without vector code a flag of the plan says so; the planner may know everything */
    const enum am_fft_isa wanted = isa == AM_FFT_SCALAR ? AM_FFT_SIMD : isa;
    const bool other = wanted != allowed;

    allowed = wanted;
    return other;
}

/* What the library says itself; no where the name is not in any. */
static int answer_of(const char *name)
{
    int (*ask)(void) = NULL;
    void *const found = dlsym(RTLD_NEXT, name);

    memcpy(&ask, &found, sizeof(ask)); /* C has no cast from objects to functions */
    return ask ? ask() : 0;
}

/* A set that came with `since`, in both precisions. */
#define ANSWER(name, since)                                                                        \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return allowed >= (since) ? answer_of(#name) : 0;                                          \
    }
#define BOTH(set, since)                                                                           \
    ANSWER(fftw_have_simd_##set, since)                                                            \
    ANSWER(fftwf_have_simd_##set, since)

BOTH(avx, AM_FFT_AVX)
BOTH(avx_128_fma, AM_FFT_SIMD)
BOTH(avx2, AM_FFT_SIMD)
BOTH(avx2_128, AM_FFT_SIMD)
BOTH(avx512, AM_FFT_SIMD)

#else

bool am_fft_vectors_allow(enum am_fft_isa isa)
{
    (void)isa; /* one kind of vectors */
    return false;
}

#endif
