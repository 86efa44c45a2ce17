/* SPDX-License-Identifier: MIT */
/* The state of app.gemm, for tests that look inside. */
#ifndef AM_BENCH_APPS_GEMM_H
#define AM_BENCH_APPS_GEMM_H

#include "app/gemm/gemm.h"
#include "app/gemm/gemm_blas.h"
#include "app/gemm/gemm_shared.h"
#include "bench/apps/apps.h"

const char *am_gemm_variant_why_not(const char *variant); /* NULL: it can be used */

struct am_gemm_own {
    const struct am_gemm_kernel *kernel;
    struct am_gemm_blocking blocking;
};

struct am_gemm_library {
    struct am_blas blas;
    enum am_gemm_type type;
};

struct am_gemm_state {
    struct am_apps_engine engine;
    struct am_gemm_own own;
    struct am_gemm_library library;
    struct am_gemm *gemm;
    struct am_gemm_shared *shared; /* NULL: threads share nothing */
    struct am_blocks blocks;
    size_t tile; /* rows */
};

#endif
