/* SPDX-License-Identifier: MIT */
/* Time skewing: a start-up triangle, then slices from left to right, each leaning to the left.
 *
 * With T steps, the slice that takes vectors j + T and on at step 0 leaves vectors j and on at step
 * T, so that a part is stepped in its place. What a slice needs of the one before it are the two
 * vectors at its left edge at each step: the triangle makes them for the first slice. */
#include "app/stencil/slices.h"

#include "app/stencil/layout.h"

#include <string.h>

enum { LINE_BYTES = 64, AHEAD = 2 }; /* slices whose vectors are asked for in advance */

/* How slices of one width go through all steps: one call, or one for each chunk between two
 * rescalings where these do not come after whole periods of the width. */
struct course {
    am_stencil_slice_fn *fn;
    size_t calls;                       /* before the last */
    size_t call_bytes;                  /* of edges that one of them goes through */
    struct am_stencil_slice full, last; /* arguments of those, and of the last */
};

/* Sizes are constants to the compiler: a pass over a small grid is not much longer than this. */
static void fill_constant(const struct am_stencil *st, unsigned char *vector, double value)
{
    const float narrow = (float)value;

    if (st->element_bytes == sizeof(narrow)) {
        for (size_t at = 0; at < AM_STENCIL_VEC_BYTES_MAX; at += sizeof(narrow))
            memcpy(vector + at, &narrow, sizeof(narrow));
    } else {
        for (size_t at = 0; at < AM_STENCIL_VEC_BYTES_MAX; at += sizeof(value))
            memcpy(vector + at, &value, sizeof(value));
    }
}

static void set_steps(struct am_stencil_slice *slice, size_t steps, size_t period)
{
    slice->last_periods = steps / period;
    slice->last_steps = steps % period;
}

const struct am_stencil_held *am_stencil_held_for(const struct am_stencil_spec *spec)
{
    for (size_t i = 0; i < AM_STENCIL_HELD_WIDTHS; i++) {
        const struct am_stencil_held *const held = &spec->kernels->held[i];

        if (spec->n == (size_t)held->width * spec->kernels->lanes[spec->type])
            return held;
    }
    return NULL;
}

static am_stencil_slice_fn *loop_of(const struct am_stencil_spec *spec, unsigned width)
{
    if (spec->method == AM_STENCIL_BY_REGISTERS)
        return am_stencil_held_for(spec)->fn[spec->form][spec->type];
    if (spec->method == AM_STENCIL_BY_SKEW)
        return spec->kernels->skew[spec->form][spec->type];
    return spec->kernels->slice[spec->form][spec->type][width - 1];
}

uintptr_t am_stencil_hot_loop(const struct am_stencil_spec *spec, size_t *vectors)
{
    const bool slice = spec->method == AM_STENCIL_BY_SLICE;
    const unsigned width = slice ? spec->width : 1;

    *vectors = slice ? (size_t)width * am_stencil_period(width) : 1;
    if (spec->method == AM_STENCIL_BY_AUTO)
        return (uintptr_t)spec->kernels->sweep[AM_STENCIL_AUTO][spec->form][spec->type];
    if (spec->method == AM_STENCIL_BY_REGISTERS)
        *vectors = am_stencil_held_for(spec)->width;
    if (!slice && spec->method != AM_STENCIL_BY_SKEW && spec->method != AM_STENCIL_BY_REGISTERS)
        return 0;
    return (uintptr_t)loop_of(spec, width);
}

static void set_course(const struct am_stencil *st, size_t steps, unsigned width,
                       struct course *course)
{
    const bool slice = st->spec.method == AM_STENCIL_BY_SLICE;
    const size_t period = slice ? am_stencil_period(width) : 1;
    const size_t chunk = st->coefs.rescale_every;
    const size_t chunks = (steps - 1) / chunk, last = steps - chunks * chunk;
    struct am_stencil_slice *const full = &course->full;

    memset(course, 0, sizeof(*course));
    course->fn = loop_of(&st->spec, width);
    fill_constant(st, full->side, st->coefs.side);
    fill_constant(st, full->centre, st->coefs.centre);
    fill_constant(st, full->rescale, chunks ? am_stencil_shrink(&st->coefs, chunk) : 1);
    course->last = *full;
    fill_constant(st, course->last.rescale_last, am_stencil_shrink(&st->coefs, last));
    set_steps(&course->last, last, period);
    if (chunk % period == 0) {
        course->last.chunks = chunks;
        course->last.chunk_periods = chunks ? chunk / period : 0;
        return;
    }
    memcpy(full->rescale_last, full->rescale, sizeof(full->rescale));
    set_steps(full, chunk, period);
    course->calls = chunks;
    course->call_bytes = chunks ? 2 * chunk * am_stencil_vector_bytes(st) : 0;
}

static void run_course(struct course *course, const char *u, char *v, char *edges)
{
    for (size_t call = 0; call < course->calls; call++) {
        course->full.u = u;
        course->full.v = v;
        course->full.e = edges + call * course->call_bytes;
        course->fn(&course->full);
        u = v;
    }
    course->last.u = u;
    course->last.v = v;
    course->last.e = edges + course->calls * course->call_bytes;
    course->fn(&course->last);
}

/* Row s of the triangle has vectors s - steps to steps - 1 - s; its last two are the edge. */
static void start_up(const struct am_stencil *st, const char *u, char *edges, char *row,
                     size_t steps)
{
    const size_t vector = am_stencil_vector_bytes(st), every = st->coefs.rescale_every;
    const struct am_stencil_variant *const kernels = st->spec.kernels;
    const enum am_stencil_form form = st->spec.form;

    memcpy(row, u - steps * vector, 2 * steps * vector);
    for (size_t s = 0; s < steps; s++) {
        const size_t vectors = 2 * (steps - s);
        const bool rescales = form != AM_STENCIL_paper && (s + 1) % every == 0;
        const double factor = rescales ? am_stencil_shrink(&st->coefs, every) : 1;
        const struct am_stencil_sweep sweep = {.u = row + vector,
                                               .v = row,
                                               .n = vectors - 2,
                                               .side = st->coefs.side * factor,
                                               .centre = st->coefs.centre * factor};

        memcpy(edges + 2 * s * vector, row + (vectors - 2) * vector, 2 * vector);
        kernels->sweep[AM_STENCIL_PREFETCH][rescales ? AM_STENCIL_paper : form][st->spec.type](
            &sweep);
    }
}

void am_stencil_advance_slices(const struct am_stencil *st, size_t part, size_t steps)
{
    const size_t vector = am_stencil_vector_bytes(st);
    const unsigned width = st->spec.method == AM_STENCIL_BY_SKEW ? 1 : st->spec.width;
    const size_t whole = st->length - st->length % width;
    char *const memory = st->memory + part * st->place.bytes;
    char *const u = am_stencil_array(st, part, 0);
    char *const edges = memory + st->place.edges;
    struct course course;

    start_up(st, u, edges, memory + st->place.start, steps);
    set_course(st, steps, width, &course);
    for (size_t j = 0; j < whole; j += width) {
        const char *const from = u + (j + steps) * vector;

        for (size_t at = 0; at < width * vector; at += LINE_BYTES)
            __builtin_prefetch(from + AHEAD * (size_t)width * vector + at);
        run_course(&course, from, u + j * vector, edges);
    }
    if (whole == st->length)
        return;
    set_course(st, steps, (unsigned)(st->length - whole), &course);
    run_course(&course, u + (whole + steps) * vector, u + whole * vector, edges);
}

void am_stencil_advance_held(const struct am_stencil *st, size_t steps)
{
    char *const u = am_stencil_array(st, 0, 0);
    struct course course;

    set_course(st, steps, 0, &course);
    run_course(&course, u, u, u); /* without edges */
}
