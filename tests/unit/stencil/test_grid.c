/* SPDX-License-Identifier: MIT */
/* Grids of two and three dimensions: every method, form and layout against the reference. */
#include "runtime/executor.h"
#include "app/stencil/grid.h"
#include "app/stencil/grid_tiles.h"
#include "app/stencil/turns.h"
#include "base/rng.h"
#include "kernels/isa.h"
#include "grid_trial.h"
#include "tap.h"

#include <malloc.h>
#include <stdlib.h>

enum { CASES = 5, THREADS_MAX = 16 };

static size_t below(struct am_rng *rng, size_t n)
{
    return (size_t)(am_rng_u64(rng) % n);
}

/* Small grids and larger, few steps and more than there are points, tiles and parts of every size.
 */
static void random_shape(struct am_grid_spec *spec, int i, struct am_rng *rng)
{
    static const double rs[] = {0.5, 1, 0.1, 0.02, 0.77};
    const bool small = i % 2;

    spec->n[0] = 1 + below(rng, small ? 6 : 34);
    spec->n[1] = 1 + below(rng, small ? 6 : spec->dim == 2 ? 50 : 12);
    spec->n[2] = spec->dim == 2 ? 1 : 1 + below(rng, small ? 6 : 30);
    spec->depth = 1 + below(rng, i % 3 ? 5 : 9);
    spec->parts = 1 + below(rng, 4);
    spec->r = rs[below(rng, 5)] / (2 * spec->dim);
    for (unsigned d = 0; d < 3; d++)
        spec->tile[d] = 1 + below(rng, below(rng, 2) ? 5 : 40);
    spec->whole = spec->kernels->auto_lanes[spec->type] < spec->kernels->lanes[spec->type] && i % 2;
    if (spec->method ==
        AM_STENCIL_BY_WAVE) { /* rows of two vectors or more, and what registers hold */
        const struct am_wave_variant *const waves = am_wave_find(spec->kernels->isa);

        spec->n[0] += waves->lanes[spec->type] > 1 ? waves->lanes[spec->type] : 0;
        if (spec->dim == 2)
            spec->tile[0] = 1 + below(rng, waves->rows);
        spec->fixed = below(rng, 2);
        for (unsigned k = 0; k < 6; k++)
            spec->wall[k / 2][k % 2] = (double)below(rng, 9) / 4 - 1;
    }
}

static bool check_random(struct am_grid_spec spec, struct am_rng *rng, size_t *cases)
{
    for (int i = 0; i < CASES; i++) {
        const size_t steps = below(rng, i % 2 ? 9 : 30);
        struct trial t;
        double off = 0;

        random_shape(&spec, i, rng);
        if (trial_begin(&t, &spec, steps, rng)) { /* not: centred, the largest r */
            am_grid_run(&t.grid, steps / 2);
            am_grid_run(&t.grid, steps - steps / 2);
            off = trial_error(&t);
            *cases += 1;
        }
        trial_end(&t);
        if (!(off <= am_grid_tolerance(spec.dim, spec.type, steps))) {
            printf("# %s %s, %zu x %zu x %zu, %zu steps, depth %zu, tile %zu x %zu x %zu, parts "
                   "%zu, r %g: off by %g\n",
                   am_stencil_forms[spec.form], am_stencil_types[spec.type], spec.n[0], spec.n[1],
                   spec.n[2], steps, spec.depth, spec.tile[0], spec.tile[1], spec.tile[2],
                   spec.parts, spec.r, off);
            return false;
        }
    }
    return true;
}

static void test_methods(const struct am_grid_variant *kernels, unsigned dim, struct am_rng *rng)
{
    for (int method = 0; method <= AM_STENCIL_BY_WAVE; method++) {
        size_t cases = 0;
        bool right = true;

        if (method == AM_STENCIL_BY_REGISTERS ||
            (method == AM_STENCIL_BY_AUTO && strcmp(kernels->isa, "scalar") == 0))
            continue;
        for (int i = 0; i < AM_STENCIL_FORMS * AM_STENCIL_TYPES && right; i++) {
            const struct am_grid_spec spec = {.kernels = kernels,
                                              .dim = dim,
                                              .method = (enum am_stencil_method)method,
                                              .form = (enum am_stencil_form)(i / AM_STENCIL_TYPES),
                                              .type = (enum am_stencil_type)(i % AM_STENCIL_TYPES)};

            right = check_random(spec, rng, &cases);
        }
        ok(right && cases > 0, "%s %u-D %s: %zu random problems agree with the reference",
           kernels->isa, dim, am_stencil_methods[method], cases);
    }
}

static void test_edges(struct am_rng *rng)
{
    static const struct {
        size_t side, steps, depth, parts;
        const char *what;
    } cases[] = {
        {1, 5, 3, 1, "one point"},
        {2, 7, 4, 2, "two points, each other's neighbours twice"},
        {3, 60, 40, 5, "more parts than points, more steps than points"},
        {13, 0, 8, 2, "no step at all"},
        {11, 9, 1, 2, "passes of one step"},
        {9, 31, 31, 1, "a pass longer than the grid"},
        {10, 47, 6, 1, "a last pass that is shorter, and goes back"},
    };

    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        const unsigned dim = 2 + i % 2;
        struct am_grid_spec spec = some_spec(dim);
        bool right = true;

        for (unsigned d = 0; d < dim; d++)
            spec.n[d] = cases[i / 2].side;
        spec.depth = cases[i / 2].depth;
        spec.parts = cases[i / 2].parts;
        for (int form = 0; form < AM_STENCIL_FORMS; form++) {
            struct trial t;

            spec.form = (enum am_stencil_form)form;
            right = trial_begin(&t, &spec, cases[i / 2].steps, rng) && right;
            am_grid_run(&t.grid, cases[i / 2].steps);
            right =
                right && trial_error(&t) <= am_grid_tolerance(dim, spec.type, cases[i / 2].steps);
            trial_end(&t);
        }
        ok(right, "%u-D, %s: right in all forms", dim, cases[i / 2].what);
    }
}

/* Right, whoever does it, and a second time from the start. */
static bool same_by_blocks(const struct am_executor *executor, size_t threads,
                           const struct am_grid_spec *spec, struct am_rng *rng)
{
    static const int cpus[] = {0};
    const struct am_executor_setup setup = {
        .threads = threads, .cpus = cpus, .cpu_count = 1, .wait = AM_WAIT_SLEEP};
    const size_t steps = 13;
    struct am_stencil_turns turns;
    struct am_blocks filling, stepping;
    struct trial t;
    void *self = NULL, *start = malloc(23 * 19 * 17 * sizeof(double));
    bool right = trial_begin(&t, spec, 2 * steps, rng);

    memcpy(start, t.x, t.points * sizeof(double));
    right = right && am_stencil_turns_init_grid(&turns, &t.grid, steps, start, NULL) == AM_OK &&
            executor->open(executor, &setup, &self, NULL) == AM_OK;
    filling = am_stencil_filling(&turns);
    stepping = am_stencil_stepping(&turns);
    right = right && executor->prepare(self, &stepping, NULL) == AM_OK;
    if (right) {
        executor->run(self, &stepping, am_stencil_rounds(&turns)); /* then forgotten */
        executor->run(self, &filling, 1);
        executor->run(self, &stepping, 2 * am_stencil_rounds(&turns));
        am_stencil_turns_settle(&turns);
        right = trial_error(&t) <= am_grid_tolerance(spec->dim, spec->type, 2 * steps);
    }
    executor->close(self);
    am_stencil_turns_fini(&turns);
    trial_end(&t);
    free(start);
    return right;
}

static void test_blocks(struct am_rng *rng)
{
    for (unsigned dim = 2; dim <= 3; dim++) {
        struct am_grid_spec spec = some_spec(dim);
        bool right = true;

        ok(same_by_blocks(&am_executor_serial, 1, &spec, rng), "%u-D blocks, one after the other",
           dim);
        for (size_t threads = 1; threads <= THREADS_MAX && right; threads += threads < 4 ? 1 : 4) {
            spec.parts = threads;
            right = same_by_blocks(&am_executor_task_default, threads, &spec, rng);
            spec.method =
                spec.method == AM_STENCIL_BY_SLICE ? AM_STENCIL_BY_PREFETCH : AM_STENCIL_BY_SLICE;
        }
        ok(right, "%u-D blocks on 1 to %d threads", dim, THREADS_MAX);
    }
}

/* However it is cut, the outcome has the same bits: no point is computed in another way. */
static void test_bits(unsigned dim, struct am_rng *rng)
{
    struct am_grid_spec spec = some_spec(dim);
    double *first = malloc(23 * 19 * 17 * sizeof(*first));
    struct am_err err = {0};
    struct trial t;
    bool same = true;

    spec.parts = 1;
    (void)trial_begin(&t, &spec, 0, rng);
    memcpy(first, t.x, t.points * sizeof(*first));
    am_grid_run(&t.grid, 14);
    am_grid_store(&t.grid, t.x);
    for (size_t parts = 2; parts <= THREADS_MAX; parts++) {
        struct trial other;

        spec.parts = parts;
        spec.tile[0] = parts;
        same = trial_begin(&other, &spec, 0, rng) && same;
        same = am_grid_load(&other.grid, first, &err) == AM_OK && same;
        am_grid_run(&other.grid, 14);
        am_grid_store(&other.grid, other.x);
        same = same && memcmp(t.x, other.x, t.points * sizeof(*first)) == 0;
        trial_end(&other);
    }
    ok(same, "%u-D: 2 to %d parts give the bits of one", dim, THREADS_MAX);
    trial_end(&t);
    free(first);
}

/* One part of two dimensions goes round, several have ghosts: waves of every height and passes that
 * end anywhere give the same bits. */
static void test_flat_ring_bits(struct am_rng *rng)
{
    struct am_grid_spec spec = some_spec(2);
    bool same = true, rings = true;

    spec.method = AM_STENCIL_BY_WAVE;
    for (size_t rows = 1; rows <= am_wave_find(spec.kernels->isa)->rows; rows++) {
        for (spec.n[1] = 10; spec.n[1] < 26; spec.n[1]++) {
            struct am_err err = {0};
            struct trial one, two;

            spec.tile[0] = rows;
            spec.parts = 1;
            same = trial_begin(&one, &spec, 0, rng) && same;
            spec.parts = 2;
            same = trial_begin(&two, &spec, 0, rng) && same;
            same = am_grid_load(&two.grid, one.x, &err) == AM_OK && same;
            rings = rings && one.grid.ring && !two.grid.ring;
            for (size_t steps = 1; steps < 14; steps += 4) { /* one, all of a pass, several */
                am_grid_run(&one.grid, steps);
                am_grid_run(&two.grid, steps);
            }
            am_grid_store(&one.grid, one.x);
            am_grid_store(&two.grid, two.x);
            same = same && memcmp(one.x, two.x, one.points * sizeof(double)) == 0;
            trial_end(&one);
            trial_end(&two);
        }
    }
    ok(rings, "2-D: one part is a ring, two are not");
    ok(same, "a ring has the bits of parts with ghosts");
}

static void test_refusals(void)
{
    struct am_grid_spec spec = some_spec(2);
    struct am_err err = {0};
    size_t bytes;

    spec.r = 0.26;
    ok(am_grid_bytes(&spec, &bytes, &err) == AM_E_ABSENT, "2-D r above 1/4: %s", err.text);
    spec = some_spec(3);
    spec.r = 0.17;
    err = (struct am_err){0};
    ok(am_grid_bytes(&spec, &bytes, &err) == AM_E_ABSENT, "3-D r above 1/6: %s", err.text);
    spec = some_spec(3);
    spec.n[1] = 0;
    err = (struct am_err){0};
    ok(am_grid_bytes(&spec, &bytes, &err) == AM_E_ABSENT, "no points: %s", err.text);
    spec = some_spec(2);
    spec.method = AM_STENCIL_BY_AUTO;
    spec.kernels = am_grid_find("scalar");
    err = (struct am_err){0};
    ok(am_grid_bytes(&spec, &bytes, &err) == AM_E_ABSENT, "auto without vectors: %s", err.text);
    spec = some_spec(2);
    spec.method = AM_STENCIL_BY_REGISTERS;
    err = (struct am_err){0};
    ok(am_grid_bytes(&spec, &bytes, &err) == AM_E_ABSENT, "registers: %s", err.text);
    ok(am_grid_find("mmx") == NULL, "an unknown instruction set has no loops");
}

static void test_choice(void)
{
    struct am_grid_spec spec = some_spec(3);
    bool even = true;

    spec.depth = 0;
    spec.tile[0] = spec.tile[1] = spec.tile[2] = 0;
    am_grid_choose(&spec, 1000);
    ok(spec.depth > 0 && spec.tile[0] && spec.tile[1] && spec.tile[2], "a shape is chosen");
    am_grid_choose(&spec, 1);
    ok(spec.depth == 1, "no pass has more steps than a run");
    spec.method = AM_STENCIL_BY_WAVE;
    spec.n[0] = spec.n[1] = spec.n[2] = 320;
    for (size_t steps = 1; steps < 100; steps++) {
        size_t passes;

        spec.depth = spec.tile[0] = 0;
        am_grid_choose(&spec, steps);
        passes = (steps + spec.depth - 1) / spec.depth;
        even = even && spec.depth * passes - steps < passes;
    }
    ok(even, "passes of a run are as long as each other, to one step each");
}

/* ---- what a run is made of ---- */

static double stepped, calls; /* points of all boxes, and boxes */

static void tally(const struct am_grid_box *box)
{
    stepped += (double)(box->n[0] * box->n[1] * box->n[2]);
    calls++;
}

/* The counts of a run are those of the boxes that it steps: a loop in place of the real one sees
 * them. */
static void test_counts(unsigned dim, enum am_stencil_method method, struct am_rng *rng)
{
    static const size_t steps = 13;
    struct am_grid_spec spec = some_spec(dim);
    struct am_grid_variant seeing = *spec.kernels;
    struct am_grid_counts counts = {.l1_bytes = 1 << 15};
    struct am_grid_box box;
    struct trial t;
    size_t rows;

    for (size_t loop = 0; loop < AM_STENCIL_LOOPS; loop++) {
        for (size_t form = 0; form < AM_STENCIL_FORMS; form++)
            seeing.step[dim - AM_GRID_DIM_LEAST][loop][form][spec.type] = tally;
    }
    spec.kernels = &seeing;
    spec.parts = 1;
    spec.method = method;
    spec.depth = method < AM_STENCIL_BY_SKEW ? 0 : 4;
    if (!trial_begin(&t, &spec, 1, rng))
        abort();
    rows = method < AM_STENCIL_BY_SKEW ? 1 : seeing.rows;
    stepped = calls = 0;
    am_grid_run(&t.grid, steps);
    am_grid_count(&t.grid, steps, &counts);
    ok(calls > 0 && counts.points[0] * (double)rows + counts.points[1] == stepped,
       "%u dimensions, %s: %.0f points in %.0f boxes are counted as they are stepped", dim,
       am_stencil_methods[method], stepped, calls);
    ok(counts.turns > 0 && counts.bands[0] > 0 && counts.turns < counts.points[0],
       "the loop turns %.0f times over %.0f bands", counts.turns, counts.bands[0]);
    ok(am_grid_band(&t.grid, 1, 8, false, &box) > 0 && box.n[0] == 8 && box.n[1] == rows &&
           !am_grid_band(&t.grid, 1, spec.n[0] + 1, false, &box),
       "a band of it is %zu rows, and no longer than they are", rows);
    trial_end(&t);
}

/* Runs of as many steps have as many passes, and no state leaves its room, whatever came before. */
static void test_passes(void)
{
    bool alike = true, inside = true;

    for (size_t i = 0; i < (size_t)12 * 40; i++) {
        struct am_stencil_grid grid = {.spec = {.method = AM_STENCIL_BY_WAVE},
                                       .coefs = {.rescale_every = 7},
                                       .ghosts = 1 + i % 12};
        const size_t steps = grid.ghosts + i / 12;

        for (int run = 0; run < 6; run++) {
            size_t passes = 0;

            for (size_t left = steps; left; passes++) {
                const struct am_grid_pass pass = am_grid_next(&grid, &grid.phase, left);

                inside = inside && pass.steps >= 1 && pass.steps <= left &&
                         (pass.forth || pass.steps <= grid.phase.shift) &&
                         pass.last == (pass.steps == left);
                am_grid_passed(&grid, &grid.phase, &pass);
                inside = inside && grid.phase.shift <= grid.ghosts;
                left -= pass.steps;
            }
            alike = alike && passes == (steps - 1) / grid.ghosts + 1;
        }
    }
    ok(alike, "every run has as few passes as its steps need");
    ok(inside, "a state is never further from its place than a pass has steps");
}

/* One thread, sides of any kind, shapes as they are chosen. */
static void test_memory(void)
{
    for (unsigned i = 0; i < 8; i++) {
        const unsigned dim = 2 + i % 2;
        struct am_grid_spec spec = some_spec(dim);
        const size_t side = dim == 2 ? 4096 : 320;
        struct am_err err = {0};
        size_t bytes = 0;
        double share;

        spec.method = AM_STENCIL_BY_WAVE;
        spec.type = i & 2 ? AM_STENCIL_F32 : AM_STENCIL_F64;
        spec.fixed = i & 4;
        spec.parts = 1;
        spec.depth = spec.tile[0] = 0;
        spec.n[0] = spec.n[1] = side;
        spec.n[2] = dim == 2 ? 1 : side;
        am_grid_choose(&spec, 1000);
        share = am_grid_bytes(&spec, &bytes, &err) == AM_OK
                    ? (double)bytes / ((double)(side * side * spec.n[2]) *
                                       (spec.type == AM_STENCIL_F32 ? 4 : 8))
                    : INFINITY;
        ok(share < 1.3, "waves of %zu^%u, depth %zu, take %.2f times the grid", side, dim,
           spec.depth, share);
    }
}

/* Rows of 20 vectors of 64 bytes: one vector more, and every third would lie at the same place of a
 * page, but as they are none do. A gap of three would take what eight steps and more of a pass do.
 */
static void test_gapless_rows(void)
{
    const struct am_grid_variant *const wide = am_grid_find("avx512");

    for (int type = 0; wide && type < AM_STENCIL_TYPES; type++) {
        const size_t side = type == AM_STENCIL_F32 ? 320 : 160;
        struct am_grid_spec spec = some_spec(3);

        spec.kernels = wide;
        spec.method = AM_STENCIL_BY_WAVE;
        spec.type = (enum am_stencil_type)type;
        spec.fixed = false;
        spec.parts = 1;
        spec.near_bytes = spec.depth = spec.tile[0] = 0;
        spec.n[0] = spec.n[1] = spec.n[2] = side;
        am_grid_choose(&spec, 1000);
        ok(spec.depth > 8, "waves of %zu^3 %s have passes of %zu steps", side,
           am_stencil_types[type], spec.depth);
    }
}

/* Of the planes that close a ring one thread keeps what a strip has of them: as many rows again as
 * the grid has would take what passes of more steps do. */
static void test_kept_planes(void)
{
    struct am_grid_spec spec = some_spec(3);
    struct am_err err = {0};
    size_t bytes[2] = {0};

    spec.method = AM_STENCIL_BY_WAVE;
    spec.parts = 1;
    spec.n[1] = 400;
    for (size_t i = 0; i < 2; i++) { /* strips of 10 rows and of 20 */
        spec.tile[0] = 10 * (i + 1);
        (void)am_grid_bytes(&spec, &bytes[i], &err);
    }
    /* rows of lanes of 12 points and of 11, two planes of each level */
    ok(bytes[1] > bytes[0] && bytes[1] - bytes[0] <= 2 * spec.depth * 10 * 12 * 16 + 4096,
       "strips of 10 rows more: %zu bytes more", bytes[1] - bytes[0]);
    spec.n[1] = 160;
    spec.n[0] = spec.n[2] = spec.n[1];
    spec.tile[0] = spec.depth = 0;
    am_grid_choose(&spec, 48);
    ok(spec.depth > 8, "waves of 160^3 have passes of %zu steps", spec.depth);
}

int main(void)
{
    struct am_rng rng;

    /* Memory of one problem serves the next: pages that come and go would take most of the time. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    am_rng_seed(&rng, 8, 0);
    for (int i = 0; am_isa_names[i]; i++) {
        if (am_isa_why_not(am_isa_names[i]))
            continue;
        test_methods(am_grid_find(am_isa_names[i]), 2, &rng);
        test_methods(am_grid_find(am_isa_names[i]), 3, &rng);
    }
    test_edges(&rng);
    test_bits(2, &rng);
    test_bits(3, &rng);
    test_flat_ring_bits(&rng);
    test_blocks(&rng);
    test_refusals();
    test_choice();
    for (unsigned dim = 2; dim <= 3; dim++) {
        test_counts(dim, AM_STENCIL_BY_UNALIGNED, &rng);
        test_counts(dim, AM_STENCIL_BY_SKEW, &rng);
        test_counts(dim, AM_STENCIL_BY_SLICE, &rng);
    }
    test_passes();
    test_memory();
    test_gapless_rows();
    test_kept_planes();
    return tap_done();
}
