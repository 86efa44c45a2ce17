/* SPDX-License-Identifier: MIT */
/* The stencil: what is possible, and steps by any method, pass by pass. */
#include "app/stencil/stencil.h"

#include "app/stencil/layout.h"
#include "app/stencil/slices.h"

#include <stdint.h>

static const uint64_t points_max = UINT64_C(1) << 48;
enum { PARTS_MAX = 1 << 10 };

const char *const am_stencil_methods[] = {"scalar", "auto",  "unaligned", "interleaved", "prefetch",
                                          "skew",   "slice", "registers", "wave",        NULL};

static bool is_sweep(const struct am_stencil_spec *spec)
{
    return spec->method < AM_STENCIL_BY_SKEW;
}

/* The loop of a method that sweeps. */
static enum am_stencil_loop loop_of(const struct am_stencil_spec *spec)
{
    static const enum am_stencil_loop loops[] = {
        [AM_STENCIL_BY_SCALAR] = AM_STENCIL_SCALAR,
        [AM_STENCIL_BY_AUTO] = AM_STENCIL_AUTO,
        [AM_STENCIL_BY_UNALIGNED] = AM_STENCIL_UNALIGNED,
        [AM_STENCIL_BY_INTERLEAVED] = AM_STENCIL_INTERLEAVED,
        [AM_STENCIL_BY_PREFETCH] = AM_STENCIL_PREFETCH,
    };

    return loops[spec->method];
}

static enum am_status check_slices(const struct am_stencil_spec *spec, struct am_err *err)
{
    const struct am_stencil_variant *const kernels = spec->kernels;

    if (spec->depth < 1 || spec->depth > points_max)
        return am_fail(err, AM_E_ABSENT, "%s needs 1 step or more per pass, not %zu",
                       am_stencil_methods[spec->method], spec->depth);
    if (spec->method == AM_STENCIL_BY_SLICE &&
        (spec->width < 1 || spec->width > kernels->width_max))
        return am_fail(err, AM_E_ABSENT, "%s has registers for slices of 1 to %u, not %u",
                       kernels->isa, kernels->width_max, spec->width);
    return AM_OK;
}

/* Widths that a grid can have in registers, as points: "64, 128, 256". */
static enum am_status check_held(const struct am_stencil_spec *spec, struct am_err *err)
{
    const struct am_stencil_held *const held = spec->kernels->held;
    const size_t lanes = spec->kernels->lanes[spec->type];

    if (spec->parts != 1)
        return am_fail(err, AM_E_ABSENT, "a grid in registers has one part, not %zu", spec->parts);
    if (!am_stencil_held_for(spec))
        return am_fail(err, AM_E_ABSENT,
                       "registers of %s hold grids of %zu, %zu or %zu %s, not %zu",
                       spec->kernels->isa, held[0].width * lanes, held[1].width * lanes,
                       held[2].width * lanes, am_stencil_types[spec->type], spec->n);
    return AM_OK;
}

static enum am_status check(const struct am_stencil_spec *spec, struct am_err *err)
{
    if (spec->n < 1 || spec->n > points_max)
        return am_fail(err, AM_E_ABSENT, "%zu grid points", spec->n);
    if (spec->parts < 1 || spec->parts > PARTS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu parts, not 1 to %d", spec->parts, PARTS_MAX);
    if (spec->method == AM_STENCIL_BY_REGISTERS)
        return check_held(spec, err);
    if (spec->method == AM_STENCIL_BY_WAVE)
        return am_fail(err, AM_E_ABSENT, "wave is for two and three dimensions: rows of rows");
    if (!is_sweep(spec))
        return check_slices(spec, err);
    if (!spec->kernels->sweep[loop_of(spec)][spec->form][spec->type])
        return am_fail(err, AM_E_ABSENT, "%s has no vectors for a compiler to use",
                       spec->kernels->isa);
    return AM_OK;
}

/* Rescaling after whole periods of the slice's width costs no call of its own. */
static void align_rescaling(struct am_stencil *st)
{
    const size_t period = am_stencil_period(st->spec.width);

    if (st->coefs.rescale_every > period)
        st->coefs.rescale_every -= st->coefs.rescale_every % period;
}

static enum am_status set_up(struct am_stencil *st, const struct am_stencil_spec *spec,
                             struct am_err *err)
{
    enum am_status s = check(spec, err);

    *st = (struct am_stencil){.spec = *spec};
    if (s == AM_OK)
        s = am_stencil_coefs(spec->form, spec->type, spec->r, &st->coefs, err);
    if (s != AM_OK)
        return s;
    if (spec->method == AM_STENCIL_BY_SLICE)
        align_rescaling(st);
    am_stencil_lay_out(st);
    return AM_OK;
}

enum am_status am_stencil_bytes(const struct am_stencil_spec *spec, size_t *bytes,
                                struct am_err *err)
{
    struct am_stencil st;
    const enum am_status s = set_up(&st, spec, err);

    *bytes = s == AM_OK ? st.place.bytes * spec->parts : 0;
    return s;
}

enum am_status am_stencil_init(struct am_stencil *st, const struct am_stencil_spec *spec,
                               void *memory, struct am_err *err)
{
    const enum am_status s = set_up(st, spec, err);

    st->memory = memory;
    return s;
}

/* A sweep rescales when it must, and with the last step: between runs the state is not scaled. */
struct am_stencil_pass am_stencil_next(const struct am_stencil *st,
                                       const struct am_stencil_phase *phase, size_t left)
{
    struct am_stencil_pass pass = {.steps = left < st->reach ? left : st->reach,
                                   .front = phase->front};
    const size_t age = phase->age + 1;

    if (is_sweep(&st->spec) && st->spec.form != AM_STENCIL_paper &&
        (left == 1 || age == st->coefs.rescale_every))
        pass.rescale = am_stencil_shrink(&st->coefs, age);
    return pass;
}

/* Where all lanes are equally long, what a part's own lanes continue with are its own vectors,
 * turned by one; only its first and last lane look beyond it. */
void am_stencil_exchange(const struct am_stencil *st, size_t part,
                         const struct am_stencil_pass *pass)
{
    const struct am_stencil_spec *const spec = &st->spec;
    const bool even = spec->n == st->length * st->lanes * spec->parts;

    if (!st->ghosts)
        return;
    if (!even || pass->steps > st->length) {
        am_stencil_fill_ghosts(st, part, pass);
        return;
    }
    if (st->lanes > 1)
        spec->kernels->wrap[spec->type](am_stencil_array(st, part, pass->front), st->length,
                                        pass->steps);
    if (st->lanes == 1 || spec->parts > 1)
        am_stencil_fill_seams(st, part, pass);
}

/* Multiplied by a factor, both other forms are the paper's with other coefficients. */
static void sweep(const struct am_stencil *st, size_t part, const struct am_stencil_pass *pass)
{
    const double rescale = pass->rescale;
    const double factor = rescale != 0 ? rescale : 1;
    const enum am_stencil_form form = rescale != 0 ? AM_STENCIL_paper : st->spec.form;
    const struct am_stencil_sweep args = {.u = am_stencil_array(st, part, pass->front),
                                          .v = am_stencil_array(st, part, !pass->front),
                                          .n = st->length,
                                          .side = st->coefs.side * factor,
                                          .centre = st->coefs.centre * factor};

    st->spec.kernels->sweep[loop_of(&st->spec)][form][st->spec.type](&args);
}

void am_stencil_advance(const struct am_stencil *st, size_t part,
                        const struct am_stencil_pass *pass)
{
    if (is_sweep(&st->spec))
        sweep(st, part, pass);
    else if (st->spec.method == AM_STENCIL_BY_REGISTERS)
        am_stencil_advance_held(st, pass->steps);
    else
        am_stencil_advance_slices(st, part, pass->steps);
}

void am_stencil_passed(const struct am_stencil *st, struct am_stencil_phase *phase,
                       const struct am_stencil_pass *pass)
{
    if (!is_sweep(&st->spec))
        return;
    phase->front = !phase->front;
    phase->age = pass->rescale != 0 ? 0 : phase->age + 1;
}

void am_stencil_run(struct am_stencil *st, size_t steps)
{
    while (steps) {
        const struct am_stencil_pass pass = am_stencil_next(st, &st->phase, steps);

        for (size_t part = 0; part < st->spec.parts; part++)
            am_stencil_exchange(st, part, &pass);
        for (size_t part = 0; part < st->spec.parts; part++)
            am_stencil_advance(st, part, &pass);
        am_stencil_passed(st, &st->phase, &pass);
        steps -= pass.steps;
    }
}
