/* SPDX-License-Identifier: MIT */
/* What verification of the stencil must notice, in grids so large that only parts of them are
 * compared: a step short, a coefficient that is a little off, neighbours not taken, a block
 * skipped. One dimension, two and three, both types, at steps where states are smooth. In one
 * dimension the paper's form has the bits of a plain loop, whatever the method and the instruction
 * set. */
#include "app/stencil/grid.h"
#include "app/stencil/stencil.h"
#include "app/stencil/wave.h"
#include "app/stencil/wave_order.h"
#include "app/stencil/wave_team.h"
#include "bench/apps/grid_check.h"
#include "bench/apps/stencil_check.h"
#include "kernels/flops.h"
#include "kernels/isa.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, SEEDS = TAP_CASES(3) };

enum error { NONE, STEP_SHORT, COEFFICIENT, HALO, BLOCK, ERRORS };
static const char *const names[ERRORS] = {"nothing wrong", "a step short", "a coefficient off",
                                          "neighbours not taken", "a block skipped"};

static bool is_fused(const char *isa)
{
    return am_flops_find(isa)->has_fma;
}

static const char *widest(void)
{
    const char *isa = am_isa_names[0];

    for (size_t i = 0; am_isa_names[i]; i++)
        isa = am_isa_why_not(am_isa_names[i]) ? isa : am_isa_names[i];
    return isa;
}

/* ---- one dimension ---- */

static double value(const void *self, size_t point)
{
    return am_stencil_value(self, point);
}

static size_t seam(const void *self, size_t lane)
{
    return am_stencil_lane_start(self, lane);
}

/* In the second pass part 1 does not take its neighbours, or is not advanced. */
static void step_line(struct am_stencil *st, size_t steps, enum error error)
{
    for (size_t pass_no = 0; steps; pass_no++) {
        const struct am_stencil_pass pass = am_stencil_next(st, &st->phase, steps);

        for (size_t part = 0; part < st->spec.parts; part++) {
            if (!(error == HALO && pass_no == 1 && part == 1))
                am_stencil_exchange(st, part, &pass);
        }
        for (size_t part = 0; part < st->spec.parts; part++) {
            if (!(error == BLOCK && pass_no == 1 && part == 1))
                am_stencil_advance(st, part, &pass);
        }
        am_stencil_passed(st, &st->phase, &pass);
        steps -= pass.steps;
    }
}

static enum am_status compare_line(const struct am_stencil *st, size_t steps, double r,
                                   uint64_t seed, struct am_err *err)
{
    const struct am_stencil_view view = {.type = st->spec.type,
                                         .n = st->spec.n,
                                         .steps = steps,
                                         .r = r,
                                         .tolerance = am_stencil_tolerance(st->spec.type, steps),
                                         .sharp = am_stencil_is_sharp(st->spec.form, r),
                                         .exact = st->spec.form == AM_STENCIL_paper,
                                         .fuses = is_fused(st->spec.kernels->isa),
                                         .seed = seed,
                                         .self = st,
                                         .value = value,
                                         .seams = st->lanes * st->spec.parts,
                                         .seam = seam};
    double residual = 0;

    return am_stencil_compare(&view, &residual, err);
}

static void check_line(enum am_stencil_type type, enum am_stencil_form form, enum error error)
{
    const struct am_stencil_spec spec = {.kernels = am_stencil_find(widest()),
                                         .method = AM_STENCIL_BY_SLICE,
                                         .form = form,
                                         .type = type,
                                         .n = 300007,
                                         .r = error == COEFFICIENT ? 0.2505 : 0.25,
                                         .depth = 40,
                                         .width = 8,
                                         .parts = 3};
    const size_t steps = 480;
    struct am_err err = {0};
    struct am_stencil st;
    size_t bytes = 0, found = 0;
    enum am_status s = am_stencil_bytes(&spec, &bytes, &err);
    void *const memory = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    void *const x = malloc(spec.n * sizeof(double));

    am_stencil_start_all(type, x, spec.n);
    if (s == AM_OK)
        s = am_stencil_init(&st, &spec, memory, &err);
    if (s == AM_OK)
        s = am_stencil_load(&st, x, &err);
    if (s == AM_OK)
        step_line(&st, error == STEP_SHORT ? steps - 1 : steps, error);
    for (uint64_t seed = 0; seed < SEEDS && s == AM_OK; seed++)
        found += compare_line(&st, steps, 0.25, seed, &err) == AM_E_WRONG;
    ok(s == AM_OK && found == (error ? SEEDS : 0), "1-D %s %s, %s: found %zu times of %d; %s",
       am_stencil_types[type], am_stencil_forms[form], names[error], found, SEEDS, err.text);
    free(memory);
    free(x);
}

/* A line of one method after some steps from the usual start, its memory in *memory. */
static bool make_line(const struct am_stencil_spec *spec, size_t steps, struct am_stencil *st,
                      void **memory)
{
    struct am_err err = {0};
    size_t bytes = 0;
    enum am_status s = am_stencil_bytes(spec, &bytes, &err);
    void *const x = malloc(spec->n * sizeof(double));

    *memory = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    am_stencil_start_all(spec->type, x, spec->n);
    if (s == AM_OK)
        s = am_stencil_init(st, spec, *memory, &err);
    if (s == AM_OK)
        s = am_stencil_load(st, x, &err);
    if (s == AM_OK)
        am_stencil_run(st, steps);
    free(x);
    return s == AM_OK;
}

/* The least that can be wrong: the next number of the type in place of one point. */
static bool notices_last_bit(struct am_stencil *st, size_t steps, double r)
{
    const size_t at = am_stencil_lane_start(st, st->lanes / 2);
    const double x = am_stencil_value(st, at);
    const double wide = nextafter(x, 2);
    const float narrow = nextafterf((float)x, 2);
    struct am_err err = {0};

    am_stencil_write(st, at, 1,
                     st->spec.type == AM_STENCIL_F32 ? (const void *)&narrow : (const void *)&wide);
    return compare_line(st, steps, r, 1, &err) == AM_E_WRONG && strstr(err.text, "bits differ");
}

/* Every method with every instruction set: bits of a plain loop, fused where the set fuses. */
static void check_bits(const char *isa, enum am_stencil_type type, double r)
{
    const size_t steps = 61, lanes = am_stencil_find(isa)->lanes[type];
    size_t compared = 0, right = 0, noticed = 0;

    for (int method = 0; method < AM_STENCIL_BY_WAVE; method++) {
        const bool held = method == AM_STENCIL_BY_REGISTERS;
        const struct am_stencil_spec spec = {.kernels = am_stencil_find(isa),
                                             .method = (enum am_stencil_method)method,
                                             .form = AM_STENCIL_paper,
                                             .type = type,
                                             .n = held ? lanes * am_stencil_find(isa)->held[0].width
                                                       : 3001,
                                             .r = r,
                                             .depth = 13,
                                             .width = 7,
                                             .parts = held ? 1 : 2};
        struct am_err err = {0};
        struct am_stencil st;
        void *memory;

        if (make_line(&spec, steps, &st, &memory)) {
            compared++;
            right += compare_line(&st, steps, r, 1, &err) == AM_OK;
            noticed += notices_last_bit(&st, steps, r);
        }
        free(memory);
    }
    ok(compared >= AM_STENCIL_BY_WAVE - 1 && right == compared && noticed == compared,
       "%s %s, r = %g: the bits of a plain loop by %zu of %zu methods, a last bit noticed in %zu",
       isa, am_stencil_types[type], r, right, compared, noticed);
}

/* ---- two and three ---- */

/* Where parts share a pass, whoever is there does what another leaves: a strip is skipped by who
 * claims it and says that it is done. */
static void skip_strip(const struct am_stencil_grid *grid, const struct am_grid_pass *pass)
{
    enum { STRIPS = 2, WAVES = 1 << 20 };
    struct am_wave_team *const team = am_wave_team_of(grid);
    size_t strip;

    if (am_wave_team_claim(team, pass->from.passes, STRIPS, &strip))
        am_wave_team_tell(team, pass->from.passes, strip, WAVES);
}

/* What goes round has no neighbours to take: it takes those of the row before the last. */
static void step_grid(struct am_stencil_grid *grid, size_t steps, enum error error)
{
    const size_t rows = grid->spec.n[1];
    const size_t wrong = am_wave_runs_on(grid) ? 0 : 1; /* a run of passes is one */

    for (size_t pass_no = 0; steps; pass_no++) {
        const struct am_grid_pass pass = am_grid_next(grid, &grid->phase, steps);

        for (size_t part = 0; part < grid->spec.parts; part++) {
            if (!(error == HALO && pass_no == wrong && part == 1))
                am_grid_exchange(grid, part, &pass);
        }
        if (error == BLOCK && pass_no == wrong && am_wave_is_shared(&grid->spec))
            skip_strip(grid, &pass);
        grid->spec.n[1] = rows - (error == HALO && pass_no == wrong && grid->ring);
        for (size_t part = 0; part < grid->spec.parts; part++) {
            if (!(error == BLOCK && pass_no == wrong && part == 1))
                am_grid_advance(grid, part, &pass);
        }
        grid->spec.n[1] = rows;
        am_grid_passed(grid, &grid->phase, &pass);
        steps -= pass.steps;
    }
}

static void check_grid(unsigned dim, enum am_stencil_method method, enum am_stencil_type type,
                       enum error error)
{
    const double r = 0.5 / (2 * dim);
    struct am_grid_spec spec = {.kernels = am_grid_find(widest()),
                                .dim = dim,
                                .method = method,
                                .form = AM_STENCIL_paper,
                                .type = type,
                                .n = {dim == 2 ? 401 : 61, dim == 2 ? 403 : 59, dim == 2 ? 1 : 67},
                                .r = r,
                                .parts = 2};
    const size_t steps = dim == 2 ? 480 : 120;
    struct am_err err = {0};
    struct am_stencil_grid grid;
    size_t bytes = 0, found = 0, points = spec.n[0] * spec.n[1] * spec.n[2];
    void *memory, *const x = malloc(points * sizeof(double));
    enum am_status s = am_grid_start_all(&spec, steps, x, &err);
    double residual = 0;

    if (error == COEFFICIENT)
        spec.r *= 1.002;
    am_grid_choose(&spec, steps);
    if (s == AM_OK)
        s = am_grid_bytes(&spec, &bytes, &err);
    memory = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    if (s == AM_OK)
        s = am_stencil_grid_init(&grid, &spec, memory, &err);
    if (s == AM_OK)
        s = am_grid_load(&grid, x, &err);
    if (s == AM_OK)
        step_grid(&grid, error == STEP_SHORT ? steps - 1 : steps, error);
    grid.spec.r = r; /* what it should have been */
    for (uint64_t seed = 0; seed < SEEDS && s == AM_OK; seed++)
        found += am_grid_compare(&grid, steps, seed, &residual, &err) == AM_E_WRONG;
    ok(s == AM_OK && found == (error ? SEEDS : 0), "%u-D %s %s, %s: found %zu times of %d; %s", dim,
       am_stencil_methods[method], am_stencil_types[type], names[error], found, SEEDS, err.text);
    free(memory);
    free(x);
}

int main(void)
{
    for (size_t i = 0; am_isa_names[i]; i++) {
        for (int type = 0; type < AM_STENCIL_TYPES && !am_isa_why_not(am_isa_names[i]); type++) {
            check_bits(am_isa_names[i], (enum am_stencil_type)type, 0.25);
            check_bits(am_isa_names[i], (enum am_stencil_type)type, 0.3);
        }
    }
    for (int error = 0; error < ERRORS; error++) {
        for (int type = 0; type < AM_STENCIL_TYPES; type++) {
            const enum am_stencil_type t = (enum am_stencil_type)type;

            check_line(t, AM_STENCIL_paper, (enum error)error);
            check_line(t, AM_STENCIL_scaled, (enum error)error);
            for (unsigned dim = 2; dim <= 3; dim++) {
                check_grid(dim, AM_STENCIL_BY_SLICE, t, (enum error)error);
                check_grid(dim, AM_STENCIL_BY_WAVE, t, (enum error)error);
            }
        }
    }
    return tap_done();
}
