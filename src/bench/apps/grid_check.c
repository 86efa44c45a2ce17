/* SPDX-License-Identifier: MIT */
/* Lines and cosines: the start of a grid, and what must become of it. */
#include "bench/apps/grid_check.h"

#include "app/stencil/grid_reference.h"
#include "app/stencil/wave.h"
#include "base/rng.h"
#include "bench/apps/stencil_check.h"

#include <math.h>
#include <stdlib.h>

enum {
    ALL = 1 << 27,     /* points that are compared: seconds, as an iteration of them takes */
    SAMPLES = 1 << 16, /* of larger grids, at seams */
    LOOKED_AT = 4096,
};

static const long double pi = 3.14159265358979323846264338327950288L;

void am_grid_lines_free(struct am_grid_lines *p)
{
    for (unsigned d = 0; d < 3; d++) {
        free(p->line[d]);
        free(p->cosine[d]);
    }
}

/* Waves so long that what steps leave of them is about 1/e; whole ones, at most n / 2. */
static long double angle_of(const struct am_grid_spec *spec, unsigned d, size_t steps)
{
    const double wanted = sqrt(1 / (spec->r * (double)spec->dim * (double)(steps + 1)));
    const double n = (double)spec->n[d];
    const double waves = fmax(1, fmin(floor(n / 2), nearbyint(wanted * n / (2 * (double)pi))));

    return 2 * pi * (long double)waves / (long double)n;
}

enum am_status am_grid_lines_make(const struct am_grid_spec *spec, size_t steps,
                                  struct am_grid_lines *p, struct am_err *err)
{
    *p = (struct am_grid_lines){.amplitude = 0.15L};
    for (unsigned d = 0; d < 3; d++) {
        const long double angle = d < spec->dim ? angle_of(spec, d, steps) : 0;

        p->line[d] = malloc(spec->n[d] * sizeof(*p->line[d]));
        p->cosine[d] = malloc(spec->n[d] * sizeof(*p->cosine[d]));
        if (!p->line[d] || !p->cosine[d])
            return am_fail(err, AM_E_NOMEM, "a line of %zu points", spec->n[d]);
        for (size_t i = 0; i < spec->n[d]; i++) {
            const size_t which = i + (size_t)d * 100003;

            p->line[d][i] =
                d < spec->dim ? 0.2L * ((long double)am_stencil_start(which) - 0.5L) : 0;
            p->cosine[d][i] = cosl(angle * (long double)i);
        }
    }
    return AM_OK;
}

/* A line alone in a grid is stepped as in one dimension. */
static enum am_status step_parts(const struct am_grid_spec *spec, size_t steps,
                                 struct am_grid_lines *p, struct am_err *err)
{
    long double shrink = 1;

    for (unsigned d = 0; d < spec->dim; d++) {
        const size_t n[3] = {spec->n[d], 1, 1};
        long double *const other = malloc(n[0] * sizeof(*other));

        if (!other)
            return am_fail(err, AM_E_NOMEM, "a line of %zu points", n[0]);
        am_grid_reference(p->line[d], other, 1, n, steps, spec->r, NULL);
        free(other);
        shrink -= 2 * (long double)spec->r * (1 - cosl(angle_of(spec, d, steps)));
    }
    p->amplitude *= powl(shrink, (long double)steps);
    return AM_OK;
}

static double value_of(const struct am_grid_lines *p, const size_t at[3])
{
    long double sum = 0.5L, product = p->amplitude;

    for (unsigned d = 0; d < 3; d++) {
        sum += p->line[d][at[d]];
        product *= p->cosine[d][at[d]];
    }
    return (double)(sum + product);
}

enum am_status am_grid_start_all(const struct am_grid_spec *spec, size_t steps, void *x,
                                 struct am_err *err)
{
    const size_t *const n = spec->n;
    struct am_grid_lines p;
    const enum am_status s = am_grid_lines_make(spec, steps, &p, err);
    float *const f32 = x;
    double *const f64 = x;

    for (size_t i = 0; i < n[0] * n[1] * n[2] && s == AM_OK; i++) {
        const size_t at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
        const double value = value_of(&p, at);

        if (spec->type == AM_STENCIL_F32)
            f32[i] = (float)value;
        else
            f64[i] = value;
    }
    am_grid_lines_free(&p);
    return s;
}

static void random_point(const struct am_grid_view *view, struct am_rng *rng, size_t at[3])
{
    for (unsigned d = 0; d < 3; d++)
        at[d] = (size_t)(am_rng_u64(rng) % view->spec.n[d]);
}

enum am_status am_grid_view_look(const struct am_grid_view *view, uint64_t seed, struct am_err *err)
{
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    for (int i = 0; i < LOOKED_AT; i++) {
        size_t at[3];
        double x;

        random_point(view, &rng, at);
        view->seam(view->self, &rng, (size_t)i, at);
        x = view->value(view->self, at);
        if (!(x > -0.01 && x < 1.01))
            return am_fail(err, AM_E_WRONG, "point (%zu, %zu, %zu) is %g: not between 0 and 1",
                           at[0], at[1], at[2], x);
    }
    return AM_OK;
}

static enum am_status judge(double got, double want, const size_t at[3], double allowed,
                            double *residual, struct am_err *err)
{
    const double off = fabs(got - want);

    *residual = fmax(*residual, off);
    if (!(off <= allowed))
        return am_fail(err, AM_E_WRONG, "point (%zu, %zu, %zu): %.17g, not %.17g (%.2g allowed)",
                       at[0], at[1], at[2], got, want, allowed);
    return AM_OK;
}

/* One of the rows, counted from the first plane's first; `got` has room for its points. */
static enum am_status compare_row(const struct am_grid_view *view, const struct am_grid_lines *p,
                                  size_t row, double allowed, double *got, double *residual,
                                  struct am_err *err)
{
    const size_t *const n = view->spec.n;
    size_t at[3] = {0, row % n[1], row / n[1]};
    const long double sum = 0.5L + p->line[1][at[1]] + p->line[2][at[2]];
    const long double product = p->amplitude * p->cosine[1][at[1]] * p->cosine[2][at[2]];
    enum am_status s = AM_OK;

    view->row(view->self, at[1], at[2], got);
    for (; at[0] < n[0] && s == AM_OK; at[0]++) {
        const long double want = sum + p->line[0][at[0]] + product * p->cosine[0][at[0]];

        s = judge(got[at[0]], (double)want, at, allowed, residual, err);
    }
    return s;
}

/* Rows that are looked at: all, or so many that spread over the grid. */
static size_t rows_looked_at(const struct am_grid_view *view, size_t rows)
{
    const size_t most = view->all / view->spec.n[0] + 1;

    return rows < most ? rows : most;
}

static size_t rows_here(const struct am_grid_view *view)
{
    return view->rows ? view->rows : view->spec.n[1] * view->spec.n[2];
}

/* Others with each seed where not all are looked at. */
static enum am_status compare_rows(const struct am_grid_view *view, const struct am_grid_lines *p,
                                   uint64_t seed, double allowed, double *residual,
                                   struct am_err *err)
{
    const size_t rows = rows_here(view), looked = rows_looked_at(view, rows);
    double *const got = malloc(view->spec.n[0] * sizeof(*got));
    enum am_status s =
        got ? AM_OK : am_fail(err, AM_E_NOMEM, "a row of %zu points", view->spec.n[0]);

    for (size_t i = 0; i < looked && s == AM_OK; i++) {
        const size_t row = (size_t)((double)rows / (double)looked * (double)i) + seed % rows;

        s = compare_row(view, p, view->first + row % rows, allowed, got, residual, err);
    }
    free(got);
    return s;
}

/* Points that layouts would have wrong, of grids whose rows are not all looked at. */
static enum am_status compare_seams(const struct am_grid_view *view, const struct am_grid_lines *p,
                                    uint64_t seed, double allowed, double *residual,
                                    struct am_err *err)
{
    struct am_rng rng;
    enum am_status s = AM_OK;

    am_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < view->samples && s == AM_OK; i++) {
        size_t at[3];

        random_point(view, &rng, at);
        view->seam(view->self, &rng, i, at);
        s = judge(view->value(view->self, at), value_of(p, at), at, allowed, residual, err);
    }
    return s;
}

enum am_status am_grid_view_compare(const struct am_grid_view *view, size_t steps, uint64_t seed,
                                    double *residual, struct am_err *err)
{
    const struct am_grid_spec *const spec = &view->spec;
    const struct am_stencil_view line = {.type = spec->type,
                                         .steps = steps,
                                         .r = spec->r,
                                         .seed = seed,
                                         .tolerance =
                                             am_grid_tolerance(spec->dim, spec->type, steps),
                                         .sharp = am_stencil_is_sharp(spec->form, spec->r)};
    struct am_grid_lines p;
    double allowed = 0;
    enum am_status s = am_grid_lines_make(spec, steps, &p, err);

    if (s == AM_OK)
        s = am_stencil_allowed(&line, &allowed, err);
    if (s == AM_OK)
        s = step_parts(spec, steps, &p, err);
    if (s == AM_OK)
        s = compare_rows(view, &p, seed, allowed, residual, err);
    if (s == AM_OK && rows_looked_at(view, rows_here(view)) < rows_here(view))
        s = compare_seams(view, &p, seed, allowed, residual, err);
    am_grid_lines_free(&p);
    return s;
}

/* ---- grids of processors ---- */

static double value_in_grid(const void *self, const size_t at[3])
{
    return am_grid_value(self, at);
}

static void row_in_grid(const void *self, size_t y, size_t z, double *values)
{
    const struct am_stencil_grid *const grid = self;

    for (size_t x = 0; x < grid->spec.n[0]; x++)
        values[x] = am_grid_value(grid, (const size_t[3]){x, y, z});
}

/* The first row after a whole pass of a strip that those who share an array have made; passes of
 * both ways have such. */
static size_t strip_start(const struct am_stencil_grid *grid, struct am_rng *rng)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const size_t lean = spec->fixed ? spec->depth - 1 : 2 * (spec->depth - 1);
    const size_t strips = (spec->n[1] + lean) / spec->tile[0] + 1;
    const size_t row =
        (size_t)(am_rng_u64(rng) % strips) * spec->tile[0] + lean * spec->n[1] - lean;

    return am_rng_u64(rng) % 2 ? row % spec->n[1] : spec->n[1] - row % spec->n[1];
}

/* One sample in two is moved next to a seam: the first or last point of a lane, of a part, or of
 * what one thread made of a shared one. */
static void to_seam(const void *self, struct am_rng *rng, size_t i, size_t at[3])
{
    const struct am_stencil_grid *const grid = self;
    const unsigned slow = am_grid_slow(grid), cut = am_grid_cut(grid), back = (unsigned)(i / 4 % 2);
    const size_t *const n = grid->spec.n;

    if (i % 4 == 0)
        at[slow] =
            (am_grid_lane_start(grid, (size_t)(am_rng_u64(rng) % grid->lanes)) + n[slow] - back) %
            n[slow];
    if (i % 4 == 1)
        at[cut] = (am_grid_part_start(grid, (size_t)(am_rng_u64(rng) % grid->spec.parts)) + n[cut] -
                   back) %
                  n[cut];
    if (i % 4 == 1 && am_wave_is_shared(&grid->spec))
        at[1] = (strip_start(grid, rng) + n[1] - back) % n[1];
}

static struct am_grid_view view_of(const struct am_stencil_grid *grid)
{
    return (struct am_grid_view){.spec = grid->spec,
                                 .self = grid,
                                 .value = value_in_grid,
                                 .seam = to_seam,
                                 .row = row_in_grid,
                                 .all = ALL,
                                 .samples = SAMPLES};
}

enum am_status am_grid_look(const struct am_stencil_grid *grid, uint64_t seed, struct am_err *err)
{
    const struct am_grid_view view = view_of(grid);

    return am_grid_view_look(&view, seed, err);
}

enum am_status am_grid_compare(const struct am_stencil_grid *grid, size_t steps, uint64_t seed,
                               double *residual, struct am_err *err)
{
    const struct am_grid_view view = view_of(grid);

    return am_grid_view_compare(&view, steps, seed, residual, err);
}

size_t am_grid_compared(size_t points)
{
    return points < ALL ? points : ALL;
}
