/* SPDX-License-Identifier: MIT */
/* FFTW's functions of one precision, under names without it. */
#ifndef AM_APP_FFT_API_H
#define AM_APP_FFT_API_H

#include <stdbool.h>
#include <stddef.h>

/* Runs work(jobs + i * size) for all i below n, in any order; FFTW waits for it. */
typedef void am_fft_loop_fn(void *(*work)(char *), char *jobs, size_t size, int n, void *data);

struct am_fft_api {
    size_t real; /* bytes of a real number; a complex one is two of them */
    const char *version;
    bool (*init)(void);  /* before anything else; again does nothing */
    void (*clean)(void); /* planners and wisdom are forgotten, init() is due; needs no plan alive */
    /* Plans made from now on split their loops into at most `pieces`; loop NULL: FFTW's own threads
     * run them. Which loop runs them is asked when a plan is executed, not when it is made. */
    void (*split)(int pieces, am_fft_loop_fn *loop, void *data);
    void (*limit)(double seconds); /* of planning; negative: none */
    void *(*plan)(int n, void *in, void *out, int sign, unsigned flags); /* NULL: cannot */
    void (*execute)(const void *plan);
    void (*destroy)(void *plan);
    char *(*describe)(const void *plan); /* the caller frees it */
    bool (*learn)(const char *wisdom);   /* false: not understood, nothing learnt */
    char *(*wisdom)(void);               /* the caller frees it */
    void (*forget)(void);
};

extern const struct am_fft_api am_fft_api_f32, am_fft_api_f64;

#endif
