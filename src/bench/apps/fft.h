/* SPDX-License-Identifier: MIT */
/* app.fft: Fourier transforms by FFTW, its loops run by every executor. Several workers have this
 * bench, each with its own executors; what must be the same in all of them stands here. */
#ifndef AM_BENCH_APPS_FFT_H
#define AM_BENCH_APPS_FFT_H

#include "app/fft/fft.h"
#include "bench/apps/apps.h"
#include "core/bench/bench.h"

enum am_fft_axis {
    AM_FFT_EXECUTOR,
    AM_FFT_ISA,
    AM_FFT_TYPE,
    AM_FFT_VARIANT,
    AM_FFT_PLACE,
    AM_FFT_PLAN,
    AM_FFT_N,
    AM_FFT_TASK_SIZE,
    AM_FFT_COMMON /* those of apps.h */
};

extern const char *const am_fft_isas[], *const am_fft_types[], *const am_fft_variants[];
extern const char *const am_fft_places[], *const am_fft_plans[];

/* Rows of the axes' table that all workers share. */
#define AM_FFT_AXIS_ROWS(executor_axis)                                                            \
    [AM_FFT_EXECUTOR] = executor_axis,                                                             \
    [AM_FFT_ISA] = {.name = "isa",                                                                 \
                    .kind = AM_AXIS_NAME,                                                          \
                    .dflt = "best",                                                                \
                    .thorough = "all",                                                             \
                    .choices = am_fft_isas,                                                        \
                    .ranked = true,                                                                \
                    .help = "simd: what FFTW was built with, as its planner chooses; scalar: "     \
                            "none of it"},                                                         \
    [AM_FFT_TYPE] = {.name = "type",                                                               \
                     .kind = AM_AXIS_NAME,                                                         \
                     .dflt = "f32",                                                                \
                     .thorough = "all",                                                            \
                     .choices = am_fft_types,                                                      \
                     .help = "type of real and imaginary part"},                                   \
    [AM_FFT_VARIANT] = {.name = "variant",                                                         \
                        .kind = AM_AXIS_NAME,                                                      \
                        .dflt = "callback",                                                        \
                        .choices = am_fft_variants,                                                \
                        .help = "who runs FFTW's loops: the executor through its callback, or "    \
                                "(executor=serial) FFTW's own threads, or nobody: unsplit"},       \
    [AM_FFT_PLACE] = {.name = "place",                                                             \
                      .kind = AM_AXIS_NAME,                                                        \
                      .dflt = "out",                                                               \
                      .thorough = "all",                                                           \
                      .choices = am_fft_places,                                                    \
                      .help = "where the outcome goes: into the input's array or another"},        \
    [AM_FFT_PLAN] = {.name = "plan",                                                               \
                     .kind = AM_AXIS_NAME,                                                         \
                     .dflt = "measure",                                                            \
                     .quick = "estimate",                                                          \
                     .choices = am_fft_plans,                                                      \
                     .help = "how FFTW plans; what it measured is remembered in the user's "       \
                             "cache folder"},                                                      \
    [AM_FFT_N] = {.name = "n",                                                                     \
                  .kind = AM_AXIS_INT,                                                             \
                  .dflt = "16K,1M",                                                                \
                  .quick = "16K",                                                                  \
                  .thorough = "2:32M:*2,1000,10007,1000000",                                       \
                  .help = "points; powers of two and others"},                                     \
    [AM_FFT_TASK_SIZE] = {.name = "task_size",                                                     \
                          .kind = AM_AXIS_INT,                                                     \
                          .dflt = "0",                                                             \
                          .help = "points of a piece of FFTW's loops, at least; 0: a piece a "     \
                                  "thread"}

/* Fields of the descriptor. */
#define AM_FFT_BENCH                                                                               \
    .name = "app.fft", .summary = "Fourier transforms by FFTW, loop by loop", .version = 1,        \
    .named_only = true, .metrics = am_fft_metrics, .state_size = sizeof(struct am_fft_state),      \
    .run = am_fft_bench_run, .verify = am_fft_bench_verify, .finish = am_fft_bench_finish
extern const struct am_metric am_fft_metrics[];

struct am_fft_state {
    struct am_apps_engine engine;
    struct am_fft *fft;
};

/* Opens the executor of the point's name, one of `executors` (ended by NULL), and plans. */
enum am_status am_fft_bench_prepare(struct am_fft_state *state,
                                    const struct am_executor *const *executors,
                                    const struct am_ctx *ctx, const struct am_value *point,
                                    struct am_work *work, struct am_err *err);
void am_fft_bench_run(void *state, uint64_t iters);
enum am_status am_fft_bench_verify(void *state, double *residual, struct am_err *err);
void am_fft_bench_finish(void *state);

#endif
