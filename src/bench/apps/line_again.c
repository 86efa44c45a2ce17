/* SPDX-License-Identifier: MIT */
/* A line in pieces, each with all that it depends on, stepped by plain loops. */
#include "bench/apps/line_again.h"

#include "app/stencil/forms.h"

#include <math.h>
#include <stdlib.h>

enum {
    PIECE = 4096,              /* points, or more where steps are many */
    UPDATES_PER_LANE = 1 << 29 /* points times steps that a comparison may take, by lanes */
};

/* Two arrays that take turns, one piece long and as much as it depends on. */
struct pieces {
    const struct am_stencil_view *view;
    am_stencil_sweep_fn *sweep;
    struct am_stencil_coefs coefs;
    size_t element, points; /* points: of a piece */
    char *u, *v;
};

static am_stencil_sweep_fn *loop_of(const struct am_stencil_view *v)
{
    am_stencil_sweep_fn *const by_compiler =
        v->kernels->sweep[AM_STENCIL_AUTO][AM_STENCIL_paper][v->type];

    return by_compiler ? by_compiler
                       : v->kernels->sweep[AM_STENCIL_SCALAR][AM_STENCIL_paper][v->type];
}

static size_t points_of_piece(const struct am_stencil_view *v)
{
    const size_t points = PIECE < 2 * v->steps ? 2 * v->steps : PIECE;

    return points < v->n ? points : v->n;
}

static size_t points_here(const struct am_stencil_view *v)
{
    return v->own ? v->own : v->n;
}

/* Pieces that are looked at, of those that the points here have. */
static size_t pieces_of(const struct am_stencil_view *v, size_t *all)
{
    const size_t points = points_of_piece(v);
    const double cost = (double)(points + v->steps) * (double)v->steps;
    const double most = (double)UPDATES_PER_LANE * v->kernels->lanes[v->type] / cost + 1;

    *all = (points_here(v) + points - 1) / points;
    return (double)*all < most ? *all : (size_t)most;
}

size_t am_line_again_points(const struct am_stencil_view *view)
{
    size_t all = 0;
    const size_t looked = view->kernels ? pieces_of(view, &all) : 0;

    return looked < all ? looked * points_of_piece(view) : all ? points_here(view) : 0;
}

/* The start of what a piece from `first` on depends on. */
static void fill(const struct pieces *p, size_t first)
{
    const struct am_stencil_view *const v = p->view;
    float *const f32 = (void *)p->u;
    double *const f64 = (void *)p->u;
    size_t point = (first + v->n - v->steps % v->n) % v->n;

    for (size_t i = 0; i < p->points + 2 * v->steps; i++) {
        if (v->type == AM_STENCIL_F32)
            f32[i] = (float)am_stencil_start(point);
        else
            f64[i] = am_stencil_start(point);
        point = point + 1 < v->n ? point + 1 : 0;
    }
}

/* Each step leaves one point less on either side. The outcome begins at u. */
static void step(struct pieces *p)
{
    for (size_t left = p->view->steps; left; left--) {
        const struct am_stencil_sweep sweep = {.u = p->u + p->element,
                                               .v = p->v,
                                               .n = p->points + 2 * (left - 1),
                                               .side = p->coefs.side,
                                               .centre = p->coefs.centre};
        char *const u = p->u;

        p->sweep(&sweep);
        p->u = p->v;
        p->v = u;
    }
}

static enum am_status compare(const struct pieces *p, size_t first, size_t count, double allowed,
                              struct am_err *err)
{
    const struct am_stencil_view *const v = p->view;
    const float *const f32 = (const void *)p->u;
    const double *const f64 = (const void *)p->u;

    for (size_t i = 0; i < count; i++) {
        const size_t point = (first + i) % v->n;
        const double want = v->type == AM_STENCIL_F32 ? (double)f32[i] : f64[i];
        const double got = v->value(v->self, point);

        if (!(fabs(got - want) <= allowed))
            return am_fail(err, AM_E_WRONG,
                           "point %zu after %zu steps: %.17g, and plain steps make %.17g (%.2g "
                           "allowed)",
                           point, v->steps, got, want, allowed);
    }
    return AM_OK;
}

/* Piece i of those that are looked at; a piece at the end of what is here may be shorter. */
static enum am_status look(struct pieces *p, size_t i, double allowed, struct am_err *err)
{
    const struct am_stencil_view *const v = p->view;
    const size_t here = points_here(v);
    size_t all;
    const size_t looked = pieces_of(v, &all);
    const size_t turned = (size_t)(v->seed % all);
    const size_t piece = ((size_t)((double)all / (double)looked * (double)i) + turned) % all;
    const size_t from = piece * p->points, left = here - from;

    fill(p, (v->first + from) % v->n);
    step(p);
    return compare(p, v->first + from, left < p->points ? left : p->points, allowed, err);
}

enum am_status am_line_again(const struct am_stencil_view *view, double allowed, struct am_err *err)
{
    struct pieces p = {.view = view, .sweep = loop_of(view), .points = points_of_piece(view)};
    const size_t element = view->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    const size_t bytes = (p.points + 2 * view->steps + 2) * element;
    char *const u = malloc(bytes), *const v = malloc(bytes);
    size_t all;
    const size_t looked = pieces_of(view, &all);
    enum am_status s = am_stencil_coefs(AM_STENCIL_paper, view->type, view->r, &p.coefs, err);

    p.element = element;
    p.u = u;
    p.v = v;
    if (s == AM_OK && !(u && v))
        s = am_fail(err, AM_E_NOMEM, "two pieces of %zu bytes", bytes);
    for (size_t i = 0; i < looked && s == AM_OK; i++)
        s = look(&p, i, allowed, err);
    free(u);
    free(v);
    return s;
}
