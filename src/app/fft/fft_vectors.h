/* SPDX-License-Identifier: MIT */
/* Which vector code FFTW's planners may take.
 *
 * A planner asks, when it is made, fftw_have_simd_avx() and the like whether the CPU has that
 * instruction set. These are functions of the library with a place in its table of symbols, so that
 * a program's own of the same name are called in their place, as with malloc(). Ours answer with
 * the library's own answer, or with no where a set is not allowed. Where the library is linked in a
 * way that keeps its calls to itself they have no effect: am_fft_new() looks at the plan. */
#ifndef AM_APP_FFT_VECTORS_H
#define AM_APP_FFT_VECTORS_H

#include "app/fft/fft.h"

/* For planners that are made from now on. True when it was something else before: planners that
 * there are must be cleaned up, because they have asked already. */
bool am_fft_vectors_allow(enum am_fft_isa isa);

#endif
