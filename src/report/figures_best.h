/* SPDX-License-Identifier: MIT */
/* Pictures of the best that was measured, over threads and sizes: those of chapter 6 of the thesis,
 * and others that a plain row cannot say. */
#ifndef AM_REPORT_FIGURES_BEST_H
#define AM_REPORT_FIGURES_BEST_H

#include "report/figure.h"

/* At each place the best of all points that share x, series and panel counts. Series and panels are
 * axes, several with commas between them; "n/threads" is a quotient, of points where it is whole.
 */
struct am_best {
    const char *title, *bench, *metric;
    bool least; /* is best */
    const char *x, *series, *panel;
};

/* False unless there is a line of two places. */
bool am_best_draw(const struct am_figure_source *source, const struct am_best *what,
                  struct am_text *out);

/* Finite differences on more threads, each with as many points: Figure 7 of its paper. */
am_figure_draw_fn am_stencil_weak_draw;

/* X(function, name of the figure, title, bench, metric, least is best, x, series, panel): at each
 * place the best of all points that share x, series and panel counts, whoever ran it. */
#define AM_FIGURES_BEST_MAP(X)                                                                     \
    X(bs_task_sizes, "blackscholes-task-sizes", "Black-Scholes by the size of tasks",              \
      "app.blackscholes", "flops", false, "task_size", "executor", "n")                            \
    X(bs_threads, "blackscholes-threads", "Black-Scholes by threads", "app.blackscholes", "flops", \
      false, "threads", "isa", "n")                                                                \
    X(bs_sizes, "blackscholes-sizes", "Black-Scholes by the number of options",                    \
      "app.blackscholes", "flops", false, "n", "isa", "threads")                                   \
    X(bs_power, "blackscholes-power", "Black-Scholes: power by threads", "app.blackscholes",       \
      "power:package", true, "threads", "isa", "n")                                                \
    X(bs_energy, "blackscholes-energy", "Black-Scholes: energy by threads", "app.blackscholes",    \
      "energy:package", true, "threads", "isa", "n")                                               \
    X(bs_per_watt, "blackscholes-per-watt", "Black-Scholes: operations a joule",                   \
      "app.blackscholes", "flops_per_watt:package", false, "n", "isa", "threads")                  \
    X(bs_edp, "blackscholes-edp", "Black-Scholes: energy times delay", "app.blackscholes",         \
      "edp:package", true, "threads", "isa", "n")                                                  \
    X(fft_threads, "fft-threads", "Fourier transforms by threads", "app.fft", "flops", false,      \
      "threads", "isa", "n")                                                                       \
    X(fft_sizes, "fft-sizes", "Fourier transforms by their size", "app.fft", "flops", false, "n",  \
      "isa", "threads")                                                                            \
    X(fft_power, "fft-power", "Fourier transforms: power by threads", "app.fft", "power:package",  \
      true, "threads", "isa", "n")                                                                 \
    X(fft_energy, "fft-energy", "Fourier transforms: energy by threads", "app.fft",                \
      "energy:package", true, "threads", "isa", "n")                                               \
    X(fft_edp, "fft-edp", "Fourier transforms: energy times delay", "app.fft", "edp:package",      \
      true, "threads", "isa", "n")                                                                 \
    X(gemm_sizes, "gemm-sizes", "Products of matrices by their size", "app.gemm", "flops", false,  \
      "n", "variant", "threads")                                                                   \
    X(gemm_power, "gemm-power", "Products of matrices: power by size", "app.gemm",                 \
      "power:package", true, "n", "variant", "threads")                                            \
    X(gemm_per_watt, "gemm-per-watt", "Products of matrices: operations a joule", "app.gemm",      \
      "flops_per_watt:package", false, "n", "variant", "threads")                                  \
    X(gemm_edp, "gemm-edp", "Products of matrices: energy times delay", "app.gemm", "edp:package", \
      true, "n", "variant", "threads")

#define AM_FIGURES_BEST_DECLARE(fn, ...) am_figure_draw_fn am_best_##fn;
AM_FIGURES_BEST_MAP(AM_FIGURES_BEST_DECLARE)
#undef AM_FIGURES_BEST_DECLARE

/* Rows of the table of pictures. */
#define AM_FIGURES_BEST_ROW(fn, name_, title_, ...)                                                \
    {.name = name_,                                                                                \
     .section = "Tasks",                                                                           \
     .title = title_,                                                                              \
     .caption = "After chapter 6 of the thesis. At each place the best of all points measured "    \
                "there, whatever the policy, the size of tasks or the way of waiting.",            \
     .draw = am_best_##fn},

#endif
