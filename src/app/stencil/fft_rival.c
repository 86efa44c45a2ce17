/* SPDX-License-Identifier: MIT */
/* Steps by FFTW. A step multiplies frequency k by 1 - 4 r sin^2(pi k / n); T steps by its T-th
 * power, which is known before the transform. */
#include "app/stencil/fft_rival.h"

#include <fftw3.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double plan_seconds = 0.5; /* of each plan */

struct am_fft_rival {
    enum am_stencil_type type;
    size_t n;
    void *x;      /* n reals */
    void *bins;   /* n / 2 + 1 complex numbers */
    void *factor; /* as many reals: what they are multiplied by */
    void *there, *back;
};

static size_t bins_of(size_t n)
{
    return n / 2 + 1;
}

/* The same for both precisions, whose functions and types differ by a letter. */
#define PRECISION(name, real, fft)                                                                 \
    static bool plan_##name(struct am_fft_rival *f)                                                \
    {                                                                                              \
        fft##_set_timelimit(plan_seconds);                                                         \
        f->x = fft##_malloc(f->n * sizeof(real));                                                  \
        f->bins = fft##_malloc(bins_of(f->n) * sizeof(fft##_complex));                             \
        f->factor = malloc(bins_of(f->n) * sizeof(real));                                          \
        if (!f->x || !f->bins || !f->factor)                                                       \
            return false;                                                                          \
        f->there = fft##_plan_dft_r2c_1d((int)f->n, f->x, f->bins, FFTW_MEASURE);                  \
        f->back = fft##_plan_dft_c2r_1d((int)f->n, f->bins, f->x, FFTW_MEASURE);                   \
        return f->there && f->back;                                                                \
    }                                                                                              \
    static void set_##name(const struct am_fft_rival *f, size_t k, long double factor)             \
    {                                                                                              \
        ((real *)f->factor)[k] = (real)factor;                                                     \
    }                                                                                              \
    static void run_##name(const struct am_fft_rival *f)                                           \
    {                                                                                              \
        fft##_complex *const bins = f->bins;                                                       \
        const real *const factor = f->factor;                                                      \
                                                                                                   \
        fft##_execute(f->there);                                                                   \
        for (size_t k = 0; k < bins_of(f->n); k++) {                                               \
            bins[k][0] *= factor[k];                                                               \
            bins[k][1] *= factor[k];                                                               \
        }                                                                                          \
        fft##_execute(f->back);                                                                    \
    }                                                                                              \
    static void free_##name(const struct am_fft_rival *f)                                          \
    {                                                                                              \
        if (f->there)                                                                              \
            fft##_destroy_plan(f->there);                                                          \
        if (f->back)                                                                               \
            fft##_destroy_plan(f->back);                                                           \
        fft##_free(f->x);                                                                          \
        fft##_free(f->bins);                                                                       \
        free(f->factor);                                                                           \
    }

PRECISION(f32, float, fftwf)
PRECISION(f64, double, fftw)

static const struct {
    size_t bytes;
    double epsilon;
    bool (*plan)(struct am_fft_rival *f);
    void (*set)(const struct am_fft_rival *f, size_t k, long double factor);
    void (*run)(const struct am_fft_rival *f);
    void (*free)(const struct am_fft_rival *f);
} precisions[AM_STENCIL_TYPES] = {
    [AM_STENCIL_F32] = {sizeof(float), FLT_EPSILON, plan_f32, set_f32, run_f32, free_f32},
    [AM_STENCIL_F64] = {sizeof(double), DBL_EPSILON, plan_f64, set_f64, run_f64, free_f64},
};

const char *am_fft_rival_why_not(void)
{
    return NULL;
}

uint64_t am_fft_rival_bytes(enum am_stencil_type type, size_t n)
{
    return ((uint64_t)n + 3 * (uint64_t)bins_of(n)) * precisions[type].bytes;
}

/* An inverse gives n times what it should. */
static void set_factors(const struct am_fft_rival *f, size_t steps, long double r)
{
    for (size_t k = 0; k < bins_of(f->n); k++) {
        const long double sine = sinl(acosl(-1) * (long double)k / (long double)f->n);

        precisions[f->type].set(
            f, k, powl(1 - 4 * r * sine * sine, (long double)steps) / (long double)f->n);
    }
}

enum am_status am_fft_rival_new(enum am_stencil_type type, size_t n, size_t steps, double r,
                                struct am_fft_rival **rival_p, struct am_err *err)
{
    struct am_fft_rival *f;

    *rival_p = NULL;
    if (n < 1 || n > AM_FFT_RIVAL_POINTS_MAX)
        return am_fail(err, AM_E_ABSENT, "a transform has 1 to %d points, not %zu",
                       AM_FFT_RIVAL_POINTS_MAX, n);
    f = calloc(1, sizeof(*f));
    if (!f)
        return am_fail(err, AM_E_NOMEM, "no memory for a transform");
    *f = (struct am_fft_rival){.type = type, .n = n};
    if (!precisions[type].plan(f)) {
        am_fft_rival_free(f);
        return am_fail(err, AM_E_NOMEM, "no plan for a transform of %zu points", n);
    }
    set_factors(f, steps, r);
    *rival_p = f;
    return AM_OK;
}

void am_fft_rival_free(struct am_fft_rival *rival)
{
    if (!rival)
        return;
    precisions[rival->type].free(rival);
    free(rival);
}

void *am_fft_rival_state(struct am_fft_rival *rival)
{
    return rival->x;
}

void am_fft_rival_run(struct am_fft_rival *rival)
{
    precisions[rival->type].run(rival);
}

double am_fft_rival_flops(size_t n)
{
    return 2 * 2.5 * (double)n * log2((double)n) + 2 * (double)bins_of(n);
}

/* Errors of a transform grow with the depth of its recursion, from an epsilon of the largest sum.
 */
double am_fft_rival_tolerance(enum am_stencil_type type, size_t n)
{
    return precisions[type].epsilon * (8 + 4 * log2((double)n));
}
