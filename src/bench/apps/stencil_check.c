/* SPDX-License-Identifier: MIT */
/* Comparison of a line with the reference, some points at a time. */
#include "bench/apps/stencil_check.h"

#include "app/stencil/forms.h"
#include "app/stencil/reference.h"
#include "bench/apps/line_again.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    WINDOW = 8,                /* points compared at once */
    SAMPLES = 4096,            /* points of the outcome that are looked at */
    REFERENCE_STEPS = 4 << 20, /* points times steps that a comparison may compute between seams */
    SEAM_STEPS = 1 << 30,      /* and at seams */
    WINDOWS_LEAST = 2,
    PLAIN_ERRORS = 8, /* times a plain loop's error that a right result may be off by, */
    EPSILONS = 8,     /* and so many units of what is at most 1 */
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
    const size_t own = view->own ? view->own : view->n;

    for (size_t i = view->first; i < view->first + own; i += own / SAMPLES + 1) {
        const double x = view->value(view->self, i);

        if (!(x > -0.01 && x < 1.01))
            return am_fail(err, AM_E_WRONG, "point %zu is %g: not between 0 and 1", i, x);
    }
    return AM_OK;
}

bool am_stencil_is_sharp(enum am_stencil_form form, double r)
{
    return form == AM_STENCIL_paper || am_stencil_form_for(r) == AM_STENCIL_scaled;
}

/* The windows of one comparison. */
struct looking {
    const struct am_stencil_view *view;
    long double *reference;
    void *plain;         /* the same in the element type */
    double off, plainly; /* most that the result, and that a plain loop, is off by */
    size_t point;        /* where the result is */
    double got, want;
    bool differs; /* a bit of the result from the plain loop's; the first time at */
    size_t differs_at;
    double differs_got, differs_want;
};

/* The loop that anybody writes, in the element type: as am_stencil_reference(). Fused or not, as
 * the instruction set of the result has it: then their bits are the same. */
#define PLAIN_LOOP(name, element, step)                                                            \
    static void name(element *x, size_t count, size_t steps, const struct am_stencil_coefs *c)     \
    {                                                                                              \
        const element side = (element)c->side, centre = (element)c->centre;                        \
                                                                                                   \
        for (size_t left = steps; left; left--) {                                                  \
            for (size_t i = 0; i < count + 2 * (left - 1); i++)                                    \
                x[i] = step;                                                                       \
        }                                                                                          \
    }
PLAIN_LOOP(step_f32, float, centre *x[i + 1] + side * (x[i] + x[i + 2]))
PLAIN_LOOP(step_f64, double, centre *x[i + 1] + side * (x[i] + x[i + 2]))
PLAIN_LOOP(fuse_f32, float, fmaf(side, x[i] + x[i + 2], centre *x[i + 1]))
PLAIN_LOOP(fuse_f64, double, fma(side, x[i] + x[i + 2], centre *x[i + 1]))

/* Points from `steps` before a window to `steps` after it, and what becomes of them. */
static void step_window(const struct looking *l, size_t first, size_t count)
{
    const struct am_stencil_view *const v = l->view;
    float *const f32 = l->plain;
    double *const f64 = l->plain;
    struct am_stencil_coefs coefs = {.side = v->r, .centre = 1 - 2 * v->r};

    /* rounded so that they add up to 1; an r that is not possible is found by others */
    (void)am_stencil_coefs(AM_STENCIL_paper, v->type, v->r, &coefs, &(struct am_err){0});
    for (size_t i = 0; i < count + 2 * v->steps; i++) {
        const double x = am_stencil_start((first + i + v->n - v->steps % v->n) % v->n);

        l->reference[i] = v->type == AM_STENCIL_F32 ? (double)(float)x : x;
        if (v->type == AM_STENCIL_F32)
            f32[i] = (float)x;
        else
            f64[i] = x;
    }
    am_stencil_reference(l->reference, count, v->steps, v->r);
    if (v->type == AM_STENCIL_F32)
        (v->fuses ? fuse_f32 : step_f32)(f32, count, v->steps, &coefs);
    else
        (v->fuses ? fuse_f64 : step_f64)(f64, count, v->steps, &coefs);
}

static void compare_bits(struct looking *l, size_t point, double got, double plain)
{
    if (!l->view->exact || l->differs || got == plain)
        return;
    l->differs = true;
    l->differs_at = point;
    l->differs_got = got;
    l->differs_want = plain;
}

static bool is_here(const struct am_stencil_view *v, size_t point)
{
    return !v->own || (point >= v->first && point - v->first < v->own);
}

/* Point i of the window that was stepped. */
static void look_at_point(struct looking *l, size_t i, size_t point)
{
    const struct am_stencil_view *const v = l->view;
    const double got = v->value(v->self, point), off = fabs((double)(got - l->reference[i]));
    const double plain = v->type == AM_STENCIL_F32 ? (double)((const float *)l->plain)[i]
                                                   : ((const double *)l->plain)[i];

    l->plainly = fmax(l->plainly, fabs((double)(plain - l->reference[i])));
    compare_bits(l, point, got, plain);
    if (off <= l->off)
        return;
    l->off = isnan(off) ? INFINITY : off;
    l->point = point;
    l->got = got;
    l->want = (double)l->reference[i];
}

/* A few points, by the reference on all that they depend on. */
static void look_at_window(struct looking *l, size_t first)
{
    const struct am_stencil_view *const v = l->view;
    const size_t count = WINDOW < v->n ? WINDOW : v->n;

    step_window(l, first, count);
    for (size_t i = 0; i < count; i++) {
        const size_t point = (first + i) % v->n;

        if (is_here(v, point))
            look_at_point(l, i, point);
    }
}

static double allowed_by(const struct looking *l)
{
    const struct am_stencil_view *const v = l->view;
    const double epsilon = v->type == AM_STENCIL_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double sharply = PLAIN_ERRORS * l->plainly + EPSILONS * epsilon;

    return v->sharp ? fmin(v->tolerance, sharply) : v->tolerance;
}

static enum am_status judge(const struct looking *l, double *residual, struct am_err *err)
{
    const struct am_stencil_view *const v = l->view;
    const double allowed = allowed_by(l);

    *residual = fmax(*residual, l->off);
    if (!(l->off <= allowed))
        return am_fail(err, AM_E_WRONG,
                       "point %zu after %zu steps: %.17g, not %.17g (%.2g allowed)", l->point,
                       v->steps, l->got, l->want, allowed);
    if (l->differs)
        return am_fail(err, AM_E_WRONG,
                       "point %zu after %zu steps: %.17g, and a plain loop has %.17g: bits differ",
                       l->differs_at, v->steps, l->differs_got, l->differs_want);
    return AM_OK;
}

/* Seams first, then points between them. */
static void look_at_windows(struct looking *l, size_t cost)
{
    const struct am_stencil_view *const v = l->view;
    const size_t n = v->n, most = SEAM_STEPS / cost + WINDOWS_LEAST;
    const size_t seams = v->seams < most ? v->seams : most;
    const size_t between = REFERENCE_STEPS / cost + WINDOWS_LEAST;
    const size_t own = v->own ? v->own : n;
    const size_t others = between < own / WINDOW + 1 ? between : own / WINDOW + 1;

    for (size_t i = 0; i < 2 && v->own; i++)
        look_at_window(l, (v->first + i * v->own + n - WINDOW / 2 % n) % n);
    for (size_t i = 0; i < seams; i++) {
        const size_t at = v->seam(v->self, (i + v->seed % v->seams) % v->seams);

        look_at_window(l, (at + n - WINDOW / 2 % n) % n);
    }
    for (size_t i = 0; i < others; i++) {
        const double unit = am_stencil_start(seams + i + (size_t)(v->seed % 1000));

        look_at_window(l, v->first + (size_t)((double)own * unit) % own);
    }
}

static enum am_status open_looking(struct looking *l, const struct am_stencil_view *view,
                                   struct am_err *err)
{
    const size_t length = WINDOW + 2 * view->steps;

    *l = (struct looking){.view = view,
                          .reference = malloc(length * sizeof(*l->reference)),
                          .plain = malloc(length * sizeof(double)),
                          .off = -1};
    return l->reference && l->plain ? AM_OK
                                    : am_fail(err, AM_E_NOMEM, "a window of %zu points", length);
}

static void close_looking(const struct looking *l)
{
    free(l->reference);
    free(l->plain);
}

enum am_status am_stencil_compare(const struct am_stencil_view *view, double *residual,
                                  struct am_err *err)
{
    struct looking l;
    enum am_status s = open_looking(&l, view, err);

    if (s == AM_OK) {
        look_at_windows(&l, (WINDOW + 2 * view->steps) * view->steps);
        s = judge(&l, residual, err);
        /* both may be off by as much as is allowed */
        if (s == AM_OK && view->kernels)
            s = am_line_again(view, view->exact ? 0 : 2 * allowed_by(&l), err);
    }
    close_looking(&l);
    return s;
}

static double start_of(const void *self, size_t point)
{
    (void)self;
    return am_stencil_start(point);
}

enum am_status am_stencil_allowed(const struct am_stencil_view *view, double *allowed,
                                  struct am_err *err)
{
    struct am_stencil_view line = *view;
    struct looking l;
    enum am_status s = open_looking(&l, &line, err);

    line.n = SAMPLES; /* any line will do, and any values of it */
    line.seams = 0;
    line.value = start_of;
    if (s == AM_OK && view->sharp)
        look_at_windows(&l, (WINDOW + 2 * view->steps) * view->steps);
    *allowed = allowed_by(&l);
    close_looking(&l);
    return s;
}
