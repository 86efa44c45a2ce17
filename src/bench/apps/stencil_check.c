/* SPDX-License-Identifier: MIT */
/* Comparison of a line with the reference, some points at a time. */
#include "bench/apps/stencil_check.h"

#include "app/stencil/reference.h"

#include <math.h>
#include <stdlib.h>

enum {
    WINDOW = 8,                /* points compared at once */
    SAMPLES = 4096,            /* points of the outcome that are looked at */
    REFERENCE_STEPS = 4 << 20, /* points times steps that a comparison may compute */
    WINDOWS_LEAST = 2,
};

double am_stencil_start(size_t i)
{
    return (double)((uint32_t)(i ^ i >> 20) * UINT32_C(2654435761) >> 8) * 0x1p-24;
}

void am_stencil_start_all(enum am_stencil_type type, void *x, size_t n)
{
    float *const f32 = x;
    double *const f64 = x;

    for (size_t i = 0; i < n; i++) {
        if (type == AM_STENCIL_F32)
            f32[i] = (float)am_stencil_start(i);
        else
            f64[i] = am_stencil_start(i);
    }
}

enum am_status am_stencil_look(const struct am_stencil_view *view, struct am_err *err)
{
    for (size_t i = 0; i < view->n; i += view->n / SAMPLES + 1) {
        const double x = view->value(view->self, i);

        if (!(x > -0.01 && x < 1.01))
            return am_fail(err, AM_E_WRONG, "point %zu is %g: not between 0 and 1", i, x);
    }
    return AM_OK;
}

/* A few points, by the reference on all that they depend on. */
static enum am_status check_window(const struct am_stencil_view *view, long double *work,
                                   size_t first, double *residual, struct am_err *err)
{
    const size_t n = view->n, count = WINDOW < n ? WINDOW : n;

    for (size_t i = 0; i < count + 2 * view->steps; i++) {
        const double x = am_stencil_start((first + i + n - view->steps % n) % n);

        work[i] = view->type == AM_STENCIL_F32 ? (double)(float)x : x;
    }
    am_stencil_reference(work, count, view->steps, view->r);
    for (size_t i = 0; i < count; i++) {
        const size_t point = (first + i) % n;
        const double got = view->value(view->self, point);
        const double off = fabs((double)(got - work[i]));

        *residual = fmax(*residual, off);
        if (!(off <= view->tolerance))
            return am_fail(err, AM_E_WRONG, "point %zu after %zu steps: %.17g, not %.17g", point,
                           view->steps, got, (double)work[i]);
    }
    return AM_OK;
}

/* Seams first, then points between them. */
enum am_status am_stencil_compare(const struct am_stencil_view *view, double *residual,
                                  struct am_err *err)
{
    const size_t n = view->n, length = WINDOW + 2 * view->steps, seams = view->seams;
    const size_t windows = REFERENCE_STEPS / (length * view->steps) + WINDOWS_LEAST;
    long double *const work = malloc(length * sizeof(*work));
    enum am_status s = AM_OK;

    if (!work)
        return am_fail(err, AM_E_NOMEM, "a window of %zu points", length);
    for (size_t i = 0; i < windows && i < seams + n / WINDOW + 1 && s == AM_OK; i++) {
        const size_t at = seams ? view->seam(view->self, (i + view->seed % seams) % seams) : 0;
        const double unit = am_stencil_start(i + (size_t)(view->seed % 1000));
        const size_t first = i < seams ? at + n - WINDOW / 2 % n : (size_t)((double)n * unit);

        s = check_window(view, work, first % n, residual, err);
    }
    free(work);
    return s;
}
