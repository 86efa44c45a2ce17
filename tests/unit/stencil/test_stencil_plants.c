/* SPDX-License-Identifier: MIT */
/* Errors planted into one call of one loop, anywhere in a run and far from seams: nothing done, one
 * vector not written, another coefficient; and neighbours' points that one part does not take in.
 * Every one must be noticed by verification, in grids of
 * more points than a few thousand samples could cover, by every method that tiles. */
#include "app/stencil/grid.h"
#include "app/stencil/stencil.h"
#include "app/stencil/wave.h"
#include "base/rng.h"
#include "bench/apps/grid_check.h"
#include "bench/apps/stencil_check.h"
#include "kernels/flops.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, TRIALS = TAP_CASES(2), DRAWS = 16 };

enum plant { NOTHING, SKIPPED, VECTOR_LEFT, COEFFICIENT, STALE, PLANTS };
static const char *const plants[PLANTS] = {
    "nothing wrong", "one call of a loop skipped", "one vector not written",
    "one call's coefficient 1 % off", "one part's neighbours not taken in one pass"};

/* What loops are called through: the real ones, and which call is spoilt how. */
static struct {
    am_grid_fn *box;
    am_wave_fn *wave;
    am_stencil_slice_fn *slice;
    am_stencil_sweep_fn *sweep;
    size_t calls, spoilt; /* calls so far, and the one that is spoilt */
    size_t exchanges;     /* so far: of STALE the calls that count */
    size_t vector;        /* bytes */
    enum plant plant;
} spy;

static enum plant plant_now(void)
{
    return ++spy.calls == spy.spoilt && spy.plant != STALE ? spy.plant : NOTHING;
}

static bool is_stale(void)
{
    return ++spy.exchanges == spy.spoilt && spy.plant == STALE;
}

static void spoil_box(const struct am_grid_box *box)
{
    const enum plant plant = plant_now();
    struct am_grid_box other = *box;
    char *const at = (char *)box->v + (ptrdiff_t)(box->n[0] / 2) * box->step;
    char kept[AM_STENCIL_VEC_BYTES_MAX];

    other.side *= plant == COEFFICIENT ? 1.01 : 1;
    memcpy(kept, at, spy.vector);
    if (plant != SKIPPED)
        spy.box(&other);
    if (plant == VECTOR_LEFT)
        memcpy(at, kept, spy.vector);
}

static void spoil_wave(const struct am_wave_block *block)
{
    const enum plant plant = plant_now();
    struct am_wave_block other = *block;
    char *const at = block->first - block->row - block->plane + (block->vectors - 1) * spy.vector;
    char kept[AM_STENCIL_VEC_BYTES_MAX];

    other.side *= plant == COEFFICIENT ? 1.01 : 1;
    memcpy(kept, at, spy.vector);
    if (plant != SKIPPED)
        spy.wave(&other);
    if (plant == VECTOR_LEFT)
        memcpy(at, kept, spy.vector);
}

static void spoil_slice(const struct am_stencil_slice *slice)
{
    const enum plant plant = plant_now();
    struct am_stencil_slice other = *slice;
    char kept[AM_STENCIL_VEC_BYTES_MAX];

    if (plant == COEFFICIENT)
        memcpy(other.centre, other.side, sizeof(other.centre));
    memcpy(kept, slice->v, spy.vector);
    if (plant != SKIPPED)
        spy.slice(&other);
    if (plant == VECTOR_LEFT)
        memcpy(slice->v, kept, spy.vector);
}

static void spoil_sweep(const struct am_stencil_sweep *sweep)
{
    const enum plant plant = plant_now();
    struct am_stencil_sweep other = *sweep;
    char *const at = (char *)sweep->v + sweep->n / 3 * 4;
    char kept[AM_STENCIL_VEC_BYTES_MAX];

    other.side *= plant == COEFFICIENT ? 1.01 : 1;
    memcpy(kept, at, spy.vector);
    if (plant != SKIPPED)
        spy.sweep(&other);
    if (plant == VECTOR_LEFT)
        memcpy(at, kept, spy.vector);
}

static const char *widest(void)
{
    const char *isa = am_isa_names[0];

    for (size_t i = 0; am_isa_names[i]; i++)
        isa = am_isa_why_not(am_isa_names[i]) ? isa : am_isa_names[i];
    return isa;
}

/* The call to be spoilt, of as many as an undisturbed run has made: one of the last, whose error no
 * step has spread. */
static void arm(enum plant plant, size_t calls, struct am_rng *rng)
{
    spy.plant = plant;
    spy.spoilt = calls ? calls - (size_t)(am_rng_u64(rng) % (calls / 8 + 1)) : 0;
    spy.calls = spy.exchanges = 0;
}

/* Of the very bits of an outcome, point by point: what is spoilt where tiles overlap may be thrown
 * away, and is no error then. */
static void digest_add(uint64_t *digest, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    *digest = (*digest ^ bits) * 0x100000001b3;
}

/* ---- two and three dimensions ---- */

struct grid_trial {
    struct am_grid_spec spec;
    struct am_grid_variant boxes;
    struct am_wave_variant waves;
    size_t steps;
    void *x, *memory;
};

static void spy_on_grid(struct grid_trial *t)
{
    const struct am_grid_spec *const s = &t->spec;
    const struct am_wave_variant *const real = am_wave_find(s->kernels->isa);
    const enum am_stencil_loop loop =
        s->method == AM_STENCIL_BY_AUTO ? AM_STENCIL_AUTO : AM_STENCIL_PREFETCH;

    t->boxes = *s->kernels;
    spy.vector =
        real->lanes[s->type] * (s->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double));
    spy.box = t->boxes.step[s->dim - AM_GRID_DIM_LEAST][loop][s->form][s->type];
    t->boxes.step[s->dim - AM_GRID_DIM_LEAST][loop][s->form][s->type] = spoil_box;
    t->spec.kernels = &t->boxes;
}

/* The loop that most of a grid's passes are spent in. */
static void spy_on_waves(struct grid_trial *t, struct am_stencil_grid *grid)
{
    const struct am_wave_variant *const real = grid->waves;
    size_t vectors;
    const uintptr_t hot = am_grid_hot_loop(grid, &vectors);
    am_wave_fn **const solid = &t->waves.solid[t->spec.type][0][0];

    t->waves = *real;
    for (size_t i = 0; i < AM_WAVE_ROWS_MAX; i++) {
        if ((uintptr_t)t->waves.flat[t->spec.type][i] == hot) {
            spy.wave = t->waves.flat[t->spec.type][i];
            t->waves.flat[t->spec.type][i] = spoil_wave;
        }
    }
    for (size_t i = 0; i < (size_t)AM_WAVE_PLANES_MAX * AM_WAVE_DEEP_MAX; i++) {
        if ((uintptr_t)solid[i] == hot) {
            spy.wave = solid[i];
            solid[i] = spoil_wave;
        }
    }
    /* the same without prefetch */
    memset(t->waves.solid_ahead, 0, sizeof(t->waves.solid_ahead));
    if (t->spec.tile[0] == real->rows)
        t->waves.flat_ahead[t->spec.type] = spoil_wave;
    grid->waves = &t->waves;
}

static uint64_t digest_of_grid(const struct am_stencil_grid *grid)
{
    const size_t *const n = grid->spec.n;
    uint64_t digest = 0;

    for (size_t i = 0; i < n[0] * n[1] * n[2]; i++)
        digest_add(&digest, am_grid_value(grid, (const size_t[3]){i % n[0], i / n[0] % n[1],
                                                                  i / (n[0] * n[1])}));
    return digest;
}

/* As am_grid_run(). */
static void run_grid(struct am_stencil_grid *grid, size_t steps)
{
    while (steps) {
        const struct am_grid_pass pass = am_grid_next(grid, &grid->phase, steps);

        for (size_t part = 0; part < grid->spec.parts; part++) {
            if (!is_stale())
                am_grid_exchange(grid, part, &pass);
        }
        for (size_t part = 0; part < grid->spec.parts; part++)
            am_grid_advance(grid, part, &pass);
        am_grid_passed(grid, &grid->phase, &pass);
        steps -= pass.steps;
    }
}

/* The verdict on one run, and what it made. */
static enum am_status try_grid(struct grid_trial *t, uint64_t seed, uint64_t *digest,
                               struct am_err *err)
{
    struct am_stencil_grid grid;
    double residual = 0;
    enum am_status s = am_stencil_grid_init(&grid, &t->spec, t->memory, err);

    if (s == AM_OK && t->spec.method == AM_STENCIL_BY_WAVE)
        spy_on_waves(t, &grid);
    if (s == AM_OK)
        s = am_grid_load(&grid, t->x, err);
    if (s == AM_OK)
        run_grid(&grid, t->steps);
    *digest = s == AM_OK ? digest_of_grid(&grid) : 0;
    return s == AM_OK ? am_grid_compare(&grid, t->steps, seed, &residual, err) : s;
}

static void test_grid(unsigned dim, enum am_stencil_method method, enum am_stencil_type type)
{
    struct grid_trial t = {
        .spec = {.kernels = am_grid_find(widest()),
                 .dim = dim,
                 .method = method,
                 .form = AM_STENCIL_paper,
                 .type = type,
                 .n = {dim == 2 ? 1501 : 131, dim == 2 ? 1403 : 127, dim == 2 ? 1 : 121},
                 .r = 0.5 / (2 * dim),
                 .parts = 2},
        .steps = dim == 2 ? 24 : 12,
    };
    struct am_err err = {0};
    struct am_rng rng;
    size_t bytes = 0, calls = 0, exchanges = 0;
    uint64_t digest, right = 0;

    am_rng_seed(&rng, dim, method);
    t.x = malloc(t.spec.n[0] * t.spec.n[1] * t.spec.n[2] * sizeof(double));
    am_grid_choose(&t.spec, t.steps);
    ok(am_grid_start_all(&t.spec, t.steps, t.x, &err) == AM_OK &&
           am_grid_bytes(&t.spec, &bytes, &err) == AM_OK,
       "%u-D %s %s: a grid of %zu bytes %s", dim, am_stencil_methods[method],
       am_stencil_types[type], bytes, err.text);
    t.memory = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    spy_on_grid(&t);
    for (int plant = 0; plant < PLANTS; plant++) {
        size_t found = 0, harmless = 0;

        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            enum am_status s = AM_OK;

            digest = right;
            for (int draw = 0; draw < (plant ? DRAWS : 1) && digest == right; draw++) {
                err.text[0] = '\0';
                arm((enum plant)plant, plant == STALE ? exchanges : calls, &rng);
                s = try_grid(&t, seed, &digest, &err);
                calls = spy.calls;
                exchanges = spy.exchanges;
            }
            right = plant ? right : digest;
            found += s == AM_E_WRONG;
            harmless += plant == STALE && s == AM_OK && digest == right;
        }
        ok(found + harmless == (plant ? TRIALS : 0) && calls > 0,
           "%u-D %s %s, %s: found %zu of %d, harmless %zu, of %zu calls; %s", dim,
           am_stencil_methods[method], am_stencil_types[type], plants[plant], found, TRIALS,
           harmless, calls, err.text);
    }
    free(t.memory);
    free(t.x);
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

/* As am_stencil_run(). */
static void run_line(struct am_stencil *st, size_t steps)
{
    while (steps) {
        const struct am_stencil_pass pass = am_stencil_next(st, &st->phase, steps);

        for (size_t part = 0; part < st->spec.parts; part++) {
            if (!is_stale())
                am_stencil_exchange(st, part, &pass);
        }
        for (size_t part = 0; part < st->spec.parts; part++)
            am_stencil_advance(st, part, &pass);
        am_stencil_passed(st, &st->phase, &pass);
        steps -= pass.steps;
    }
}

static enum am_status try_line(const struct am_stencil_spec *spec, size_t steps, void *memory,
                               const void *x, uint64_t seed, struct am_err *err)
{
    struct am_stencil st;
    double residual = 0;
    enum am_status s = am_stencil_init(&st, spec, memory, err);
    const struct am_stencil_view view = {.type = spec->type,
                                         .n = spec->n,
                                         .steps = steps,
                                         .r = spec->r,
                                         .tolerance = am_stencil_tolerance(spec->type, steps),
                                         .sharp = am_stencil_is_sharp(spec->form, spec->r),
                                         .exact = spec->form == AM_STENCIL_paper,
                                         .fuses = am_flops_find(spec->kernels->isa)->has_fma,
                                         .kernels = am_stencil_find(spec->kernels->isa),
                                         .seed = seed,
                                         .self = &st,
                                         .value = value,
                                         .seams = s == AM_OK ? st.lanes * spec->parts : 0,
                                         .seam = seam};

    if (s == AM_OK)
        s = am_stencil_load(&st, x, err);
    if (s == AM_OK)
        run_line(&st, steps);
    return s == AM_OK ? am_stencil_compare(&view, &residual, err) : s;
}

static void spy_on_line(struct am_stencil_spec *spec, struct am_stencil_variant *kernels)
{
    *kernels = *spec->kernels;
    spy.vector = kernels->lanes[spec->type] *
                 (spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double));
    spy.slice = kernels->slice[spec->form][spec->type][spec->width - 1];
    kernels->slice[spec->form][spec->type][spec->width - 1] = spoil_slice;
    spy.sweep = kernels->sweep[AM_STENCIL_AUTO][spec->form][spec->type];
    kernels->sweep[AM_STENCIL_AUTO][spec->form][spec->type] = spoil_sweep;
    spec->kernels = kernels;
}

static void test_line(enum am_stencil_method method, enum am_stencil_form form,
                      enum am_stencil_type type)
{
    const size_t steps = 240;
    struct am_stencil_spec spec = {.kernels = am_stencil_find(widest()),
                                   .method = method,
                                   .form = form,
                                   .type = type,
                                   .n = 1000003,
                                   .r = 0.25,
                                   .depth = 60,
                                   .width = 8,
                                   .parts = 2};
    struct am_stencil_variant kernels;
    struct am_err err = {0};
    struct am_rng rng;
    size_t bytes = 0, calls = 0, exchanges = 0;
    void *memory, *const x = malloc(spec.n * sizeof(double));

    am_rng_seed(&rng, 1, form);
    am_stencil_start_all(type, x, spec.n);
    ok(am_stencil_bytes(&spec, &bytes, &err) == AM_OK, "1-D: %zu bytes", bytes);
    memory = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    spy_on_line(&spec, &kernels);
    for (int plant = 0; plant < PLANTS; plant++) {
        size_t found = 0;

        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            err.text[0] = '\0';
            arm((enum plant)plant, plant == STALE ? exchanges : calls, &rng);
            found += try_line(&spec, steps, memory, x, seed, &err) == AM_E_WRONG;
            calls = spy.calls;
            exchanges = spy.exchanges;
        }
        ok(found == (plant ? TRIALS : 0) && calls > 0,
           "1-D %s %s %s, %s: found %zu of %d, of %zu calls; %s", am_stencil_methods[method],
           am_stencil_forms[form], am_stencil_types[type], plants[plant], found, TRIALS, calls,
           err.text);
    }
    free(memory);
    free(x);
}

int main(void)
{
    static const enum am_stencil_method grids[] = {AM_STENCIL_BY_AUTO, AM_STENCIL_BY_PREFETCH,
                                                   AM_STENCIL_BY_SLICE, AM_STENCIL_BY_WAVE};

    for (int type = 0; type < AM_STENCIL_TYPES; type++) {
        const enum am_stencil_type t = (enum am_stencil_type)type;

        for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
            test_grid(2, grids[i], t);
            test_grid(3, grids[i], t);
        }
        test_line(AM_STENCIL_BY_AUTO, AM_STENCIL_paper, t);
        test_line(AM_STENCIL_BY_SLICE, AM_STENCIL_paper, t);
        test_line(AM_STENCIL_BY_SLICE, AM_STENCIL_scaled, t);
    }
    return tap_done();
}
