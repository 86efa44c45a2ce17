/* SPDX-License-Identifier: MIT */
/* The application Fourier transform: one complex transform of n points by FFTW, whose loops are
 * handed to an executor.
 *
 * FFTW plans, and calls back for each of its loops: the pieces of such a loop are the blocks. The
 * executor is open before am_fft_new(), which plans and fills by it, and closed after
 * am_fft_free(). FFTW knows one way to run loops per process, so there is one transform at a time.
 * Plans that were measured are remembered in a file (fft_wisdom.h). am_fft_check() compares some
 * bins with the definition and transforms back. */
#ifndef AM_APP_FFT_H
#define AM_APP_FFT_H

#include "runtime/executor.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_fft_type { AM_FFT_F32, AM_FFT_F64, AM_FFT_TYPES };

/* What a plan may be made of: no vector code; of x86 at most SSE2, at most AVX; all that FFTW was
 * built with. */
enum am_fft_isa { AM_FFT_SCALAR, AM_FFT_SSE2, AM_FFT_AVX, AM_FFT_SIMD, AM_FFT_ISAS };
extern const char *const am_fft_isas[AM_FFT_ISAS + 1]; /* ended by NULL */
const char *am_fft_isa_why_not(const char *isa);       /* NULL: usable here */

struct am_fft_setup {
    enum am_fft_type type;
    size_t n;
    bool in_place;
    enum am_fft_isa isa;
    bool measure;  /* plans by trial, remembered between processes; false: by estimate */
    size_t pieces; /* of FFTW's loops, at most; 1: no loop is split */
    /* Who runs the pieces, open and closed by the caller; NULL: FFTW's own threads. */
    const struct am_executor *executor;
    void *engine;
    const char *purpose; /* of remembered plans: a word that may stand in a file's name */
    uint64_t seed;
};

enum { AM_FFT_N_MAX = 1 << 30, AM_FFT_PIECES_MAX = 1024, AM_FFT_TEXT_MAX = 640 };

struct am_fft; /* a plan and its arrays */

double am_fft_bytes(enum am_fft_type type, size_t n); /* of all arrays */
/* Twice that where pages of both kinds are tried. */
double am_fft_bytes_most(enum am_fft_type type, size_t n);

/* Plans, and fills the input; both by the executor. AM_E_WRONG when a plan has vector code that
 * `isa` excludes. A process has one of these at a time: FFTW knows one way to run loops. */
enum am_status am_fft_new(const struct am_fft_setup *setup, struct am_fft **fft_p,
                          struct am_err *err);
void am_fft_free(struct am_fft *fft); /* accepts NULL */

const char *am_fft_version(const struct am_fft *fft);  /* of the library */
const char *am_fft_codelets(const struct am_fft *fft); /* the instruction sets of its plan */
const char *am_fft_wisdom(const struct am_fft *fft);   /* what became of remembered plans */
/* Which pages the arrays are on, and how long a transform took on each kind; empty: not tried. */
const char *am_fft_pages(const struct am_fft *fft);

/* Transforms `times` times. In place each transforms what the one before left; so that numbers stay
 * numbers the input is put back after some, a copy in ten or more transforms. */
void am_fft_run(struct am_fft *fft, uint64_t times);

/* AM_E_WRONG unless some bins agree with a direct transform in long double, and the inverse gives
 * the input back. `residual` is the greatest error in parts of what is allowed. The outcome is
 * spoilt: the next check needs another run. */
enum am_status am_fft_check(struct am_fft *fft, double *residual, struct am_err *err);
/* The latest outcome: n complex numbers. */
const void *am_fft_outcome(const struct am_fft *fft);

#endif
