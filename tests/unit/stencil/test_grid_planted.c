/* SPDX-License-Identifier: MIT */
/* Errors planted in steps of grids: what the tests of grids would not notice, they would not test.
 */
#include "grid_trial.h"
#include "tap.h"

#include "kernels/wave.h"

/* Waves: neighbours that are not taken, a step short, a row that is skipped, a wall that is not
 * there. */
static void test_planted_waves(unsigned dim, struct am_rng *rng)
{
    const struct am_grid_spec ring = {.kernels = am_grid_find(am_isa_names[1]),
                                      .dim = dim,
                                      .method = AM_STENCIL_BY_WAVE,
                                      .type = AM_STENCIL_F64,
                                      .n = {19, 14, dim == 3 ? 9 : 1},
                                      .r = 0.1,
                                      .depth = 4,
                                      .tile = {3},
                                      .parts = 2};
    const double clear = 100 * am_grid_tolerance(dim, ring.type, 12);
    struct am_grid_spec walls = ring;
    struct am_grid_pass pass;
    struct trial t;

    /* Parts of three dimensions make a pass together: test_wave_team. */
    for (int error = 0; error < 4 && dim == 2; error++) {
        static const char *const what[] = {"nothing", "neighbours not taken", "a step short",
                                           "a part not advanced"};

        ok(trial_begin(&t, &ring, 4, rng), "a %u-D problem for waves", dim);
        pass = am_grid_next(&t.grid, &t.grid.phase, error == 2 ? 3 : 4);
        for (size_t part = 0; part < ring.parts && error != 1; part++)
            am_grid_exchange(&t.grid, part, &pass);
        for (size_t part = 0; part < ring.parts - (error == 3); part++)
            am_grid_advance(&t.grid, part, &pass);
        am_grid_passed(&t.grid, &t.grid.phase, &pass);
        ok(error ? trial_error(&t) > clear : trial_error(&t) < clear, "%s is seen as such",
           what[error]);
        trial_end(&t);
    }
    walls.fixed = true;
    walls.wall[dim - 1][1] = 0.5;
    ok(trial_begin(&t, &walls, 12, rng), "a %u-D problem with walls", dim);
    t.grid.spec.wall[dim - 1][1] = 0.501;
    am_grid_run(&t.grid, 12);
    ok(trial_error(&t) > clear, "a wall that is a little higher is noticed");
    trial_end(&t);
}

/* A block of three rows of an odd length with an error at what lies around their ends. */
enum pad_error { PAD_RIGHT, PAD_UNSET, PAD_LEFT_OFF, PAD_RIGHT_OFF, PAD_ERRORS };

static struct {
    am_wave_fn *real;
    enum pad_error error;
} spoilt_rows;

static void step_spoilt(const struct am_wave_block *block)
{
    struct am_wave_block other = *block;

    if (spoilt_rows.error == PAD_UNSET)
        other.pad += sizeof(double); /* behind the row, where nobody reads it */
    if (spoilt_rows.error == PAD_LEFT_OFF)
        other.left = 0;
    if (spoilt_rows.error == PAD_RIGHT_OFF)
        other.right = sizeof(double);
    spoilt_rows.real(&other);
}

static void test_planted_pads(bool fixed, struct am_rng *rng)
{
    static const char *const what[] = {"nothing", "a pad that is not set",
                                       "another point left of the first",
                                       "another point right of the last lane"};
    const struct am_grid_spec spec = {.kernels = am_grid_find(am_isa_names[1]),
                                      .dim = 2,
                                      .method = AM_STENCIL_BY_WAVE,
                                      .type = AM_STENCIL_F64,
                                      .n = {19, 14, 1},
                                      .r = 0.1,
                                      .depth = 4,
                                      .tile = {3},
                                      .parts = 1,
                                      .fixed = fixed,
                                      .wall = {{0.25, 0.5}}};
    const double clear = 100 * am_grid_tolerance(2, spec.type, 8);

    for (spoilt_rows.error = PAD_RIGHT; spoilt_rows.error < PAD_ERRORS; spoilt_rows.error++) {
        const bool meant = spoilt_rows.error && fixed == (spoilt_rows.error == PAD_UNSET);
        struct am_wave_variant waves;
        struct trial t;

        if (spoilt_rows.error && !meant)
            continue;
        ok(trial_begin(&t, &spec, 8, rng), "rows of 19 points");
        waves = *t.grid.waves;
        spoilt_rows.real = waves.flat[spec.type][2];
        waves.flat[spec.type][2] = step_spoilt;
        t.grid.waves = &waves;
        am_grid_run(&t.grid, 8);
        ok(meant ? trial_error(&t) > clear : trial_error(&t) < clear,
           "%s sides: %s is seen as such", fixed ? "fixed" : "no", what[spoilt_rows.error]);
        trial_end(&t);
    }
}

/* Without sides a part goes round; in three dimensions in strips, and with all rows in one. */
static void test_planted_rings(unsigned dim, size_t strip, struct am_rng *rng)
{
    static const char *const what[] = {"nothing", "a step short", "a row that is left out",
                                       "a plane that is left out"};
    const struct am_grid_spec ring = {.kernels = am_grid_find(am_isa_names[1]),
                                      .dim = dim,
                                      .method = AM_STENCIL_BY_WAVE,
                                      .type = AM_STENCIL_F64,
                                      .n = {19, 14, dim == 2 ? 1 : 9},
                                      .r = 0.1,
                                      .depth = 4,
                                      .tile = {strip},
                                      .parts = 1};
    const double clear = 100 * am_grid_tolerance(dim, ring.type, 8);

    for (size_t error = 0; error < (dim == 2 ? 3 : 4); error++) {
        struct trial t;

        ok(trial_begin(&t, &ring, 8, rng) && t.grid.ring, "a ring");
        if (error >= 2)
            t.grid.spec.n[error - 1]--;
        am_grid_run(&t.grid, error == 1 ? 7 : 8);
        t.grid.spec = ring;
        ok(error ? trial_error(&t) > clear : trial_error(&t) < clear,
           "%u-D, strips of %zu: %s is seen as such", dim, strip, what[error]);
        trial_end(&t);
    }
}

/* What these tests would not notice, they would not test. */
static void test_planted(unsigned dim, struct am_rng *rng)
{
    const struct am_grid_spec spec = some_spec(dim);
    const double clear = 100 * am_grid_tolerance(dim, spec.type, 12);
    struct am_grid_pass pass;
    struct trial t;

    ok(trial_begin(&t, &spec, 12, rng), "a %u-D problem to spoil", dim);
    am_grid_run(&t.grid, 11);
    ok(trial_error(&t) > clear, "a step too few is noticed");
    trial_end(&t);

    (void)trial_begin(&t, &spec, 5, rng);
    pass = am_grid_next(&t.grid, &t.grid.phase, 5);
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_exchange(&t.grid, part, &pass);
    t.grid.length[dim - 1]--; /* the last of each lane is left as it was */
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_advance(&t.grid, part, &pass);
    t.grid.length[dim - 1]++;
    am_grid_passed(&t.grid, &t.grid.phase, &pass);
    ok(trial_error(&t) > clear, "a seam off by one is noticed");
    trial_end(&t);

    (void)trial_begin(&t, &spec, 5, rng);
    pass = am_grid_next(&t.grid, &t.grid.phase, 5);
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_exchange(&t.grid, part, &pass);
    t.grid.row += 64; /* rows one line apart from where they are */
    am_grid_advance(&t.grid, 0, &pass);
    t.grid.row -= 64;
    for (size_t part = 1; part < spec.parts; part++)
        am_grid_advance(&t.grid, part, &pass);
    am_grid_passed(&t.grid, &t.grid.phase, &pass);
    ok(trial_error(&t) > clear, "neighbours off by a line are noticed");
    trial_end(&t);
}

static am_grid_fn *whole_loop;

static void leave_ends(const struct am_grid_box *box)
{
    struct am_grid_box other = *box;

    other.wraps = false;
    whole_loop(&other);
}

static void leave_last_row(const struct am_grid_box *box)
{
    struct am_grid_box other = *box;

    other.n[1]--;
    whole_loop(&other);
}

/* Plain loops leave ghosts as they go: what they forget is met at the next step. */
static void test_planted_sweeps(unsigned dim, struct am_rng *rng)
{
    static const struct {
        const char *what;
        am_grid_fn *loop; /* NULL: the real one */
        size_t steps;     /* made, of three */
        double r;
        bool from_parts;
    } errors[] = {{"nothing", NULL, 3, 0.12, true},
                  {"ends of rows not taken", leave_ends, 3, 0.12, true},
                  {"a row skipped", leave_last_row, 3, 0.12, true},
                  {"a step short", NULL, 2, 0.12, true},
                  {"a weight a little too large", NULL, 3, 0.1200001, true},
                  {"neighbours' points not taken", NULL, 3, 0.12, false}};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        struct am_grid_spec spec = some_spec(dim);
        struct am_grid_variant spoilt = *spec.kernels;
        const double clear = 100 * am_grid_tolerance(dim, spec.type, 3);
        am_grid_fn **loop;
        struct trial t;

        spec.method = AM_STENCIL_BY_AUTO;
        spec.form = AM_STENCIL_paper;
        spec.parts = errors[i].from_parts ? 1 : 3;
        loop = &spoilt.step[dim - AM_GRID_DIM_LEAST][AM_STENCIL_AUTO][spec.form][spec.type];
        whole_loop = *loop;
        *loop = errors[i].loop ? errors[i].loop : whole_loop;
        spec.kernels = &spoilt;
        ok(trial_begin(&t, &spec, 3, rng), "a %u-D problem for sweeps", dim);
        t.grid.coefs.side *= errors[i].r / spec.r;
        for (size_t step = 0; step < errors[i].steps; step++) {
            const struct am_grid_pass pass = am_grid_next(&t.grid, &t.grid.phase, 1);

            for (size_t part = 0; part < spec.parts && (step == 0 || errors[i].from_parts); part++)
                am_grid_exchange(&t.grid, part, &pass);
            for (size_t part = 0; part < spec.parts; part++)
                am_grid_advance(&t.grid, part, &pass);
            am_grid_passed(&t.grid, &t.grid.phase, &pass);
        }
        ok(i ? trial_error(&t) > clear : trial_error(&t) < clear, "%s: seen as such",
           errors[i].what);
        trial_end(&t);
    }
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 8, 0);
    test_planted(2, &rng);
    test_planted_sweeps(2, &rng);
    test_planted_sweeps(3, &rng);
    test_planted_waves(2, &rng);
    test_planted_waves(3, &rng);
    test_planted_pads(false, &rng);
    test_planted_pads(true, &rng);
    test_planted_rings(2, 3, &rng);
    test_planted_rings(3, 3, &rng);
    test_planted_rings(3, 14, &rng);
    test_planted(3, &rng);
    return tap_done();
}
