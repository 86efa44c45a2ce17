/* SPDX-License-Identifier: MIT */
/* Products of matrices by a BLAS library that is found at run time: none is needed to build. A
 * library is opened by dlopen(), told to use one thread, and asked for its two functions. */
#ifndef AM_APP_GEMM_BLAS_H
#define AM_APP_GEMM_BLAS_H

#include "base/status.h"
#include "kernels/gemm.h"

enum { AM_BLAS_TEXT_MAX = 256 };

struct am_blas {
    void *handle;
    void *gemm[AM_GEMM_TYPES];    /* cblas_sgemm, cblas_dgemm */
    char file[AM_BLAS_TEXT_MAX];  /* that was mapped */
    char about[AM_BLAS_TEXT_MAX]; /* what the library says of itself, and the kernels it chose */
};

/* Names of the libraries, ended by NULL. */
extern const char *const am_blas_names[];

/* NULL when the library can be opened here, else which package brings it. */
const char *am_blas_why_not(const char *name);

/* Opens the library and turns its own threads off. AM_E_ABSENT when it is not here. Several
 * libraries may be open at once: their names stay apart. */
enum am_status am_blas_open(struct am_blas *blas, const char *name, struct am_err *err);
void am_blas_close(struct am_blas *blas); /* accepts a zeroed struct */

void am_blas_multiply(const struct am_blas *blas, enum am_gemm_type type,
                      const struct am_gemm_args *args);

#endif
