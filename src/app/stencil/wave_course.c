/* SPDX-License-Identifier: MIT */
/* The course of shared passes: see wave_course.h. */
#include "app/stencil/wave_course.h"

#include "app/stencil/wave_ring.h"

#include <math.h>
#include <stdlib.h>

enum { PASSES = 2 }; /* under way at a time */

/* Rows times planes of a wave of a strip, of all its levels, and its times. */
struct course {
    const struct am_stencil_grid *grid;
    const struct am_wave_order *order;
    size_t planes;
    double foreign; /* rows more per level and plane */
    double *work;   /* [strips][waves] */
    double *made;   /* [PASSES][strips][waves]: when */
    double *free;   /* of each thread: since when */
};

static double *made_at(const struct course *c, size_t pass, size_t strip, size_t wave)
{
    const struct am_wave_order *const o = c->order;

    return &c->made[((pass % PASSES) * o->strips + strip) * o->waves + wave];
}

static struct am_wave_piece rows_of(const struct course *c, size_t strip)
{
    const size_t n = c->grid->spec.n[1], depth = c->grid->spec.depth, strips = c->order->strips;

    return (struct am_wave_piece){.n = (ptrdiff_t)n,
                                  .from = (ptrdiff_t)am_wave_order_edge(n, depth, strips, strip),
                                  .to = (ptrdiff_t)am_wave_order_edge(n, depth, strips, strip + 1),
                                  .closes = strip + 1 == strips};
}

static struct am_wave_piece planes_of(const struct course *c, size_t wave)
{
    return (struct am_wave_piece){.n = (ptrdiff_t)c->grid->spec.n[2],
                                  .from = (ptrdiff_t)(wave * c->planes),
                                  .to = (ptrdiff_t)((wave + 1) * c->planes),
                                  .closes = wave + 1 == c->order->waves};
}

/* Of all levels, each with so many rows more than it has. */
static double work_of(const struct course *c, size_t strip, size_t wave, double more)
{
    const struct am_wave_piece rows = rows_of(c, strip), planes = planes_of(c, wave);
    double work = 0;

    for (ptrdiff_t t = 0; t < (ptrdiff_t)c->grid->spec.depth; t++) {
        ptrdiff_t y[2], z[2];

        am_wave_ring_range(&rows, t, y);
        am_wave_ring_range(&planes, t, z);
        if (y[0] < y[1] && z[0] < z[1])
            work += ((double)(y[1] - y[0]) + more) * (double)(z[1] - z[0]);
    }
    return work;
}

static double *first_free(const struct course *c)
{
    double *first = c->free;

    for (size_t i = 1; i < c->grid->spec.parts; i++)
        first = c->free[i] < *first ? &c->free[i] : first;
    return first;
}

/* When the last of its waves is made, by a thread that is free since then. */
static double make_strip(const struct course *c, size_t pass, size_t strip, double now)
{
    for (size_t w = 0; w < c->order->waves; w++) {
        struct am_wave_stage waits[AM_WAVE_WAITS_MAX];
        const size_t n = am_wave_order_waits(c->order, pass, strip, w, waits);

        for (size_t k = 0; k < n; k++)
            now = fmax(now, *made_at(c, waits[k].pass, waits[k].strip, waits[k].waves - 1));
        now += c->work[strip * c->order->waves + w];
        *made_at(c, pass, strip, w) = now;
    }
    return now;
}

static double share_of(const struct course *c)
{
    const struct am_wave_order *const o = c->order;
    double work = 0, end = 0;

    for (size_t strip = 0; strip < o->strips; strip++) {
        for (size_t w = 0; w < o->waves; w++) {
            work += work_of(c, strip, w, 0);
            c->work[strip * o->waves + w] = work_of(c, strip, w, c->foreign);
        }
    }
    for (size_t i = 0; i < o->passes * o->strips; i++) {
        double *const free_since = first_free(c);

        *free_since = make_strip(c, i / o->strips, i % o->strips, *free_since);
        end = fmax(end, *free_since);
    }
    return work * (double)o->passes / ((double)c->grid->spec.parts * end);
}

double am_wave_course_share(const struct am_stencil_grid *grid, const struct am_wave_order *order,
                            size_t planes, double foreign)
{
    struct course c = {.grid = grid,
                       .order = order,
                       .planes = planes,
                       .foreign = foreign,
                       .work = calloc(order->strips * order->waves, sizeof(*c.work)),
                       .made = calloc(PASSES * order->strips * order->waves, sizeof(*c.made)),
                       .free = calloc(grid->spec.parts, sizeof(*c.free))};
    const double share = c.work && c.made && c.free ? share_of(&c) : NAN;

    free(c.work);
    free(c.made);
    free(c.free);
    return share;
}
